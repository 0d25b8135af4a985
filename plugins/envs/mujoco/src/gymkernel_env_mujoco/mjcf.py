"""Functions that generate models in MJCF, MuJoCo's XML format.

Lengths are in m, angles in degrees unless a model selects radians, masses in kg, and stiffness and damping in SI units.
"""

from __future__ import annotations

from typing import Any, Final
from xml.sax.saxutils import quoteattr

__all__ = ["LIGHT", "MEMORY", "ONE_TREE", "SKIN", "actuators", "capsule", "floor", "hinge", "node", "scenery", "slide"]

SKIN: Final = (0.8, 0.6, 0.4, 1)
FLOOR: Final = (0.8, 0.9, 0.8, 1)


def node(tag: str, *children: str, **attributes: Any) -> str:
    """Return an XML element. Attributes whose value is None are omitted.

    Args:
        tag: the name of the element.
        *children: the elements inside this element.
        **attributes: strings, numbers, Booleans, or sequences of numbers.

    >>> node("geom", size=(0.1, 0.2), type="capsule")
    '<geom size="0.1 0.2" type="capsule"/>'
    """
    words = [tag, *(f"{name}={quoteattr(_text(value))}" for name, value in attributes.items() if value is not None)]
    return f"<{' '.join(words)}>{''.join(children)}</{tag}>" if children else f"<{' '.join(words)}/>"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(map(_text, value))
    return value if isinstance(value, str) else repr(value)


def scenery(repeat: int = 60, sky: tuple[float, float, float] = (1, 1, 1)) -> str:
    """Return the textures and materials of the floor, the sky and the bodies."""
    flat = {"builtin": "flat", "mark": "cross", "markrgb": (1, 1, 1), "random": 0.01, "type": "cube"}
    return node(
        "asset",
        node("texture", type="skybox", builtin="gradient", rgb1=sky, rgb2=(0, 0, 0), width=100, height=100),
        node("texture", name="skin", **flat, rgb1=SKIN[:3], rgb2=SKIN[:3], width=127, height=1278),
        node(
            "texture",
            name="tiles",
            type="2d",
            builtin="checker",
            rgb1=(0, 0, 0),
            rgb2=(0.8, 0.8, 0.8),
            width=100,
            height=100,
        ),
        node("material", name="floor", texture="tiles", texrepeat=(repeat, repeat), **_GLOSS),
        node("material", name="skin", texture="skin", texuniform=True),
    )


_GLOSS: Final = {"reflectance": 0.5, "shininess": 1, "specular": 1}
MEMORY: Final = node("size", memory="1M")
"""The memory of simulations with few contacts, which use less than 20 kB. MuJoCo's default of 13 MB makes a step of
HalfCheetah 1 % slower."""
ONE_TREE: Final = node("flag", island="disable", sensor="disable")
"""Flags that skip two stages of `mj_step`, which change nothing in a model of one kinematic tree without sensors. Such
a model has only one island of constraints. Skipping the stages makes a step of most robots 4 to 7 % faster."""
LIGHT: Final = node(
    "light",
    directional=True,
    cutoff=100,
    exponent=1,
    diffuse=(1, 1, 1),
    specular=(0.1, 0.1, 0.1),
    pos=(0, 0, 1.3),
    dir=(0, 0, -1.3),
)


def floor(size: tuple[float, float, float] = (40, 40, 40), **attributes: Any) -> str:
    """Return the floor, which is a plane."""
    values = {"name": "floor", "type": "plane", "condim": 3, "material": "floor", "rgba": FLOOR, **attributes}
    return node("geom", size=size, **values)


def hinge(name: str, axis: tuple[float, float, float], **attributes: Any) -> str:
    """Return a joint that rotates about an axis."""
    return node("joint", name=name, type="hinge", axis=axis, **attributes)


def slide(name: str, axis: tuple[float, float, float], **attributes: Any) -> str:
    """Return a joint that slides along an axis."""
    return node("joint", name=name, type="slide", axis=axis, **attributes)


def capsule(name: str | None, start: tuple[float, ...], end: tuple[float, ...], size: Any, **attributes: Any) -> str:
    """Return a capsule between two points."""
    return node("geom", name=name, type="capsule", fromto=(*start, *end), size=size, **attributes)


def actuators(gears: dict[str, float], control: float = 1.0) -> str:
    """Return a motor for each joint.

    Args:
        gears: maps the name of each joint to the torque (N m) or force (N) of its motor for a control of 1.
        control: the largest absolute value of a control.
    """
    limits = {"ctrllimited": True, "ctrlrange": (-control, control)}
    return node("actuator", *(node("motor", joint=joint, gear=gear, **limits) for joint, gear in gears.items()))
