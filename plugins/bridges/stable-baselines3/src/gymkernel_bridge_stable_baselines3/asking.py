"""Attributes and methods of the environments in a vector environment, also where those are in other processes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["attributes", "call", "set_attributes", "wrapped"]

INSIDE = ("env", "gymnasium_env", "kernel_env")
"""Under which names wrappers and bridges hold what is inside them."""


def attributes(env: Any, name: str) -> list[Any]:
    """An attribute of every environment; a vectorised form, which has no single ones, has it for all."""
    inside = env.unwrapped
    if hasattr(inside, "get_attr"):
        return list(inside.get_attr(name))
    return [getattr(inside, name)] * env.num_envs


def set_attributes(env: Any, name: str, value: Any, chosen: list[int]) -> None:
    """Set an attribute of some environments to one value."""
    inside, every = env.unwrapped, len(chosen) == env.num_envs
    if hasattr(inside, "call_masked"):
        inside.call_masked(_mask(env, chosen), "set_wrapper_attr", name, value)
    elif hasattr(inside, "set_attr"):
        values = [value] * env.num_envs if every else list(inside.get_attr(name))
        for i in chosen:
            values[i] = value
        inside.set_attr(name, values)
    elif every:
        setattr(inside, name, value)
    else:
        raise AttributeError(f"{inside} has one {name} for all of its environments; set it without indices")


def call(env: Any, chosen: list[int], name: str, *args: Any, **kwargs: Any) -> list[Any]:
    """Call a method of some environments; a vectorised form, which has no single ones, renders all of them."""
    inside = env.unwrapped
    if name == "render" and not hasattr(inside, "call_masked"):
        results = env.render()
    elif hasattr(inside, "call_masked"):
        results = inside.call_masked(_mask(env, chosen), name, *args, **kwargs)
    elif len(chosen) == env.num_envs and hasattr(inside, "call"):
        results = inside.call(name, *args, **kwargs)
    else:
        why = "calls methods of all environments only" if hasattr(inside, "call") else "has no single environments"
        message = f"{inside} {why}, so {name} cannot be called on {chosen}; use gymkernel's backend sync or async"
        raise AttributeError(message)
    return [results[i] for i in chosen]


def _mask(env: Any, chosen: list[int]) -> Any:
    mask = np.zeros(env.num_envs, np.bool_)
    mask[chosen] = True
    return mask


def wrapped(env: Any, wrapper_class: type) -> list[bool]:
    """Whether each environment wears a wrapper of a class; one in another process, of a class of that name."""
    inside = env.unwrapped
    singles = getattr(inside, "envs", None) or getattr(getattr(inside, "gymnasium_env", None), "envs", None)
    if singles is not None:
        return [any(isinstance(layer, wrapper_class) for layer in _layers(one)) for one in singles]
    if not hasattr(inside, "call"):
        return [False] * env.num_envs
    return [f"<{wrapper_class.__name__}<" in shown.replace(" ", "") for shown in inside.call("__str__")]


def _layers(env: Any) -> list[Any]:
    layers = [env]
    while (name := next((n for n in INSIDE if n in vars(layers[-1])), None)) is not None:
        layers.append(vars(layers[-1])[name])
    return layers
