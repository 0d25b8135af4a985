"""Functions that access the attributes and methods of environments, even if these run in other processes."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["attributes", "call", "set_attributes", "wrapped"]

INSIDE = ("env", "gymnasium_env", "kernel_env")
"""The attributes in which wrappers and bridges store the wrapped environment."""


def attributes(env: Any, name: str) -> list[Any]:
    """Return an attribute's value for each environment. In a natively vectorised environment, all share one value.

    Args:
        env: the vector environment.
        name: the attribute's name.
    """
    inside = env.unwrapped
    if hasattr(inside, "get_attr"):
        return list(inside.get_attr(name))
    return [getattr(inside, name)] * env.num_envs


def set_attributes(env: Any, name: str, value: Any, chosen: list[int]) -> None:
    """Set an attribute of some of the environments.

    Args:
        env: the vector environment.
        name: the attribute's name.
        value: the value to set in each chosen environment.
        chosen: the indices of the environments to change.
    """
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
        raise AttributeError(f"{inside} has a single {name} for all of its environments; set it without indices")


def call(env: Any, chosen: list[int], name: str, *args: Any, **kwargs: Any) -> list[Any]:
    """Call a method on some of the environments, and return the results.

    A natively vectorised environment contains no individual environments, so only `render` is supported, which renders
    all environments.

    Args:
        env: the vector environment.
        chosen: the indices of the environments on which to call the method.
        name: the method's name.
        *args: positional arguments for the method.
        **kwargs: keyword arguments for the method.
    """
    inside = env.unwrapped
    if name == "render" and not hasattr(inside, "call_masked"):
        results = env.render()
    elif hasattr(inside, "call_masked"):
        results = inside.call_masked(_mask(env, chosen), name, *args, **kwargs)
    elif len(chosen) == env.num_envs and hasattr(inside, "call"):
        results = inside.call(name, *args, **kwargs)
    else:
        why = (
            "can only call methods of all environments"
            if hasattr(inside, "call")
            else "contains no individual environments"
        )
        message = f"{inside} {why}, so {name} cannot be called on {chosen}; use gymkernel's sync or async backend"
        raise AttributeError(message)
    return [results[i] for i in chosen]


def _mask(env: Any, chosen: list[int]) -> Any:
    mask = np.zeros(env.num_envs, np.bool_)
    mask[chosen] = True
    return mask


def wrapped(env: Any, wrapper_class: type) -> list[bool]:
    """Return whether each environment is wrapped in an instance of the given class.

    For environments in other processes, only the names of the classes are compared.

    Args:
        env: the vector environment.
        wrapper_class: the wrapper class to look for.
    """
    inside = env.unwrapped
    singles = getattr(inside, "envs", None) or getattr(getattr(inside, "gymnasium_env", None), "envs", None)
    if singles is not None:
        return [any(isinstance(layer, wrapper_class) for layer in _layers(single)) for single in singles]
    if not hasattr(inside, "call"):
        return [False] * env.num_envs
    return [f"<{wrapper_class.__name__}<" in text.replace(" ", "") for text in inside.call("__str__")]


def _layers(env: Any) -> list[Any]:
    layers = [env]
    while (name := next((n for n in INSIDE if n in vars(layers[-1])), None)) is not None:
        layers.append(vars(layers[-1])[name])
    return layers
