"""What a notebook shows of spaces, environments and collected frames."""

from __future__ import annotations

import contextlib
import html
import re
from typing import Any, Final

import numpy as np

from gymkernel.utils.printable import printable
from gymkernel_util_spaces.pictures import image, player

__all__ = ["card", "shown", "tree"]

COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")
"""The code of a colour in what an environment draws as text, for terminals."""
PICTURES: Final = 8
"""As many of a vector environment's."""

LONGEST = 160
"""Characters of a leaf; the bounds of a large Box would fill the page."""


def tree(space: Any, label: str = "") -> str:
    """A space and the spaces inside as nested lists that fold.

    Args:
        space: what is shown; what has no method `parts` is one line.
        label: what stands before it in bold: its key in the space around it.

    Returns:
        HTML, which has no style of its own.

    >>> class Pair:
    ...     def parts(self):
    ...         return [("left", 1), ("right", 2)]
    >>> tree(Pair())
    '<details open><summary>Pair</summary><ul><li><b>left</b>: <code>1</code></li><li><b>right</b>: ...'
    """
    name = f"<b>{_escape(label)}</b>: " if label else ""
    inside = space.parts() if hasattr(space, "parts") else ()
    if inside:
        rows = "".join(f"<li>{tree(part, str(key))}</li>" for key, part in inside)
        return f"<details open><summary>{name}{_escape(type(space).__name__)}</summary><ul>{rows}</ul></details>"
    text = " ".join(repr(space).split())
    return f"{name}<code>{_escape(text if len(text) <= LONGEST else text[: LONGEST - 3] + '...')}</code>"


def shown(thing: Any) -> str:
    """What a notebook shows of a space, an environment, a vector environment, or a list of frames.

    Args:
        thing: a space or an environment.

    >>> shown([])
    ''
    """
    if isinstance(thing, list):
        return _pictures(thing, getattr(thing, "fps", 30.0))
    return card(thing) if hasattr(thing, "reset") and hasattr(thing, "step") else tree(thing)


def card(env: Any) -> str:
    """An environment: its id, its wrappers, its spaces, and what it looks like now, where it renders pictures.

    Args:
        env: an environment, wrapped or not.

    >>> class Still:
    ...     observation_space, action_space, render_mode = "a space", "another", None
    >>> card(Still())
    '<div><b>Still</b><table><tr><td style="text-align:left">observation</td><td ...</table></div>'
    """
    layers = [env]
    while (inside := getattr(layers[-1], "env", None)) is not None and inside is not layers[-1]:
        layers.append(inside)
    spec = getattr(env, "spec", None)
    name = type(layers[-1]).__name__ if spec is None else spec.id
    rows = {"observation": tree(_single(env, "observation_space")), "action": tree(_single(env, "action_space"))}
    if hasattr(env, "num_envs"):
        rows = {"environments": str(env.num_envs), **rows}
    if len(layers) > 1 or spec is not None:
        rows["layers"] = _escape(", ".join(type(layer).__name__ for layer in layers))
    if env.render_mode is not None:
        rows["render mode"] = _escape(str(env.render_mode))
    cell = '<td style="text-align:left">'
    table = "".join(f"<tr>{cell}{label}</td>{cell}{value}</td></tr>" for label, value in rows.items())
    return f"<div><b>{_escape(name)}</b><table>{table}</table>{_now(env, layers)}</div>"


def _single(env: Any, space: str) -> Any:
    return getattr(env, f"single_{space}", None) or getattr(env, space, None)


def _now(env: Any, layers: list[Any]) -> str:
    """Show what an environment looks like: nothing before its first reset, or where it renders nothing."""
    with contextlib.suppress(Exception):  # whatever rendering raises, the rest is worth showing
        kept = [vars(layer)[name] for layer in layers for name in ("frame_list", "picture") if name in vars(layer)]
        if not kept and env.render_mode is None:
            return ""  # to render would warn
        drawn = kept[0] if kept else env.render()
        if drawn is None or isinstance(drawn, str):
            return f"<pre>{_escape(COLOUR.sub('', drawn))}</pre>" if drawn else ""
        if hasattr(env, "num_envs") and isinstance(drawn, tuple):
            return "".join(_pictures([frame], 1.0) for frame in drawn[:PICTURES] if frame is not None)
        metadata = getattr(env, "metadata", None) or {}
        return _pictures(drawn if isinstance(drawn, list) else [drawn], metadata.get("render_fps") or 30.0)
    return ""


def _pictures(pictures: list[Any], fps: float) -> str:
    """Frames that are pictures as a player, a single one as an image."""
    drawn = [picture for picture in pictures if isinstance(picture, np.ndarray) and picture.dtype == np.uint8]
    if not drawn or len(drawn) < len(pictures):
        return "".join(f"<pre>{_escape(COLOUR.sub('', str(one)))}</pre>" for one in pictures[:PICTURES])
    return player(drawn, fps) if len(drawn) > 1 else image(drawn[0])


def _escape(text: str) -> str:
    """Return a text of any origin for HTML, with control characters and marks of direction escaped visibly."""
    return html.escape(printable(text, keep="\n\t"))
