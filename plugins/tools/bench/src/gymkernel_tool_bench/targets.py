"""The function `resolve`, which finds the environment to measure and the backends that support it."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from gymkernel import error, plugins
from gymkernel.making import make, make_vec
from gymkernel.specs import EnvSpec
from gymkernel_util_tools.targets import EnvTarget, find_env

__all__ = ["OWN", "Backend", "Target", "resolve", "short"]

OWN: Final = "vector_entry_point"
"""The vectorization mode in which `make_vec` creates the vector environment that an environment's spec provides."""


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to create a vector environment from a target.

    Attributes:
        name: the backend's name in `make_vec`.
        make: a function that takes the number of environments and the backend's keyword arguments, and creates the
            vector environment.
        takes_workers: whether the backend accepts the argument `num_workers`.
        problem: the reason why the backend cannot be used, such as an error during its import; "" if it can be used.
    """

    name: str
    make: Callable[[int, dict[str, Any]], Any]
    takes_workers: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """An environment to measure.

    Attributes:
        name: the target as the user wrote it.
        make: a function that creates one environment.
        backends: the backends that can create a vector environment from the target.
        code: a function that takes a backend's name, the number of environments and the backend's keyword arguments,
            and returns the Python code that creates this vector environment.
    """

    name: str
    make: Callable[[], Any]
    backends: tuple[Backend, ...]
    code: Callable[[str, int, dict[str, Any]], str]


def resolve(target: str, make_kwargs: dict[str, Any] | None = None) -> Target:
    """Find the environment that the user named, and the backends that support it.

    Args:
        target: an id, `module:id`, `module:Class` or `path.py:Class`.
        make_kwargs: keyword arguments for creating the environment; None for no arguments.

    Raises:
        gymkernel.error.Error: if the target does not refer to an environment.
    """
    env = find_env(target, make_kwargs)
    spec = env.spec
    return _target_of_class(env) if spec is None else _target_of_id(target, env.source, spec, env.kwargs)


def _target_of_class(target: EnvTarget) -> Target:
    """Return the target for a class or function, which backends call without arguments."""
    attribute, kwargs = target.attribute, target.kwargs
    source: Any = target.source
    env_fn = partial(source, **kwargs) if kwargs else source

    def many(name: str, num_envs: int, arguments: dict[str, Any]) -> Any:
        return plugins.get("vector", name)([env_fn] * num_envs, **arguments)

    def code(name: str, num_envs: int, arguments: dict[str, Any]) -> str:
        backend = next(full for full in plugins.names("vector") if short(full) == name)
        function = f"lambda: {attribute}({_format_arguments(kwargs)})" if kwargs else attribute
        call = ", ".join(filter(None, [f"[{function}] * {num_envs}", _format_arguments(arguments)]))
        imports = [f"from {getattr(target.module, '__name__', '')} import {attribute.partition('.')[0]}"]
        return "\n".join([f"from gymkernel.vector import {backend}", *imports, "", f"envs = {backend}({call})"])

    return Target(target.name, env_fn, tuple(_installed_backends(many)), code)


def _target_of_id(target: str, source: Any, spec: EnvSpec, kwargs: dict[str, Any]) -> Target:
    """Return the target for an id or a spec, which is passed to `make` and `make_vec`."""

    def many(name: str, num_envs: int, arguments: dict[str, Any]) -> Any:
        return make_vec(source, num_envs, vectorization_mode=name, vector_kwargs=arguments or None, **kwargs)

    def code(name: str, num_envs: int, arguments: dict[str, Any]) -> str:
        chosen = {"num_envs": num_envs, "vectorization_mode": name}
        if arguments:
            chosen["vector_kwargs"] = arguments
        imports = ["import gymkernel as gym"]
        if isinstance(source, EnvSpec):
            imports.append(f"from {target.partition(':')[0]} import {target.partition(':')[2]}")
        first = target.partition(":")[2] if isinstance(source, EnvSpec) else _format_value(source)
        return "\n".join([*imports, "", f"envs = gym.make_vec({first}, {_format_arguments({**chosen, **kwargs})})"])

    own = [Backend(OWN, partial(many, OWN))] if spec.vector_entry_point is not None else []
    return Target(target, partial(make, source, **kwargs), (*own, *_installed_backends(many)), code)


def _installed_backends(make: Callable[[str, int, dict[str, Any]], Any]) -> list[Backend]:
    """Return all installed backends. Backends without workers come first.

    If a backend cannot be imported, its `problem` attribute contains the reason.
    """
    backends = []
    for name in plugins.names("vector"):
        try:
            cls = plugins.get("vector", name)
        except error.PluginError as exc:
            backends.append(Backend(short(name), partial(make, name), problem=str(exc)))
        else:
            takes_workers = "num_workers" in inspect.signature(cls).parameters
            backends.append(Backend(short(name), partial(make, name), takes_workers))
    return sorted(backends, key=lambda backend: (backend.takes_workers, backend.name))


def short(name: str) -> str:
    """Return the short name of a backend that `make_vec` accepts.

    Args:
        name: the name of the backend's plugin.

    >>> short("AsyncVectorEnv")
    'async'
    """
    return name.removesuffix("VectorEnv").lower()


def _format_arguments(arguments: dict[str, Any]) -> str:
    """Format keyword arguments as Python source code."""
    return ", ".join(f"{name}={_format_value(value)}" for name, value in arguments.items())


def _format_value(value: Any) -> str:
    """Format a JSON value as a Python literal with double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_format_value(key)}: {_format_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_value, value)) + "]"
    return repr(value)
