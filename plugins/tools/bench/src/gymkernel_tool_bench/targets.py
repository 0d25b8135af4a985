"""What is measured: an environment by its id, class or file, and the ways to make many of it."""

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
"""How `make_vec` calls the vectorised form that an environment brings itself."""


@dataclass(frozen=True, slots=True)
class Backend:
    """A way to make a vector environment of the target.

    Attributes:
        name: as `make_vec` takes it.
        make: from the number of environments and the backend's own arguments.
        takes_workers: whether these arguments may have `num_workers`.
        problem: why it cannot be used, for example the error of its import; empty where it can.
    """

    name: str
    make: Callable[[int, dict[str, Any]], Any]
    takes_workers: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """An environment to measure.

    Attributes:
        name: as the user named it.
        make: makes one.
        backends: the ways to make many.
        code: the lines that make many, from a backend's name, the number of environments and the backend's arguments.
    """

    name: str
    make: Callable[[], Any]
    backends: tuple[Backend, ...]
    code: Callable[[str, int, dict[str, Any]], str]


def resolve(target: str, make_kwargs: dict[str, Any] | None = None) -> Target:
    """The environment that an id, `module:id`, `module:Class` or `path.py:Class` names, with every backend there is.

    Args:
        target: an id, or where a class or function is: `module:Class`.
        make_kwargs: for the constructor of the environment.

    Raises:
        gymkernel.error.Error: it names nothing that makes an environment.
    """
    found = find_env(target, make_kwargs)
    spec = found.spec
    return _of_class(found) if spec is None else _of_id(target, found.source, spec, found.kwargs)


def _of_class(target: EnvTarget) -> Target:
    """What a class or function makes, handed to the backends as functions."""
    attribute, kwargs = target.attribute, target.kwargs
    source: Any = target.source
    one = partial(source, **kwargs) if kwargs else source

    def many(name: str, num_envs: int, arguments: dict[str, Any]) -> Any:
        return plugins.get("vector", name)([one] * num_envs, **arguments)

    def code(name: str, num_envs: int, arguments: dict[str, Any]) -> str:
        backend = next(full for full in plugins.names("vector") if short(full) == name)
        made = f"lambda: {attribute}({_listed(kwargs)})" if kwargs else attribute
        call = ", ".join(filter(None, [f"[{made}] * {num_envs}", _listed(arguments)]))
        imports = [f"from {getattr(target.module, '__name__', '')} import {attribute.partition('.')[0]}"]
        return "\n".join([f"from gymkernel.vector import {backend}", *imports, "", f"envs = {backend}({call})"])

    return Target(target.name, one, tuple(_installed(many)), code)


def _of_id(target: str, what: Any, spec: EnvSpec, kwargs: dict[str, Any]) -> Target:
    """What `make` and `make_vec` make of an id or a spec."""

    def many(name: str, num_envs: int, arguments: dict[str, Any]) -> Any:
        return make_vec(what, num_envs, vectorization_mode=name, vector_kwargs=arguments or None, **kwargs)

    def code(name: str, num_envs: int, arguments: dict[str, Any]) -> str:
        chosen = {"num_envs": num_envs, "vectorization_mode": name}
        if arguments:
            chosen["vector_kwargs"] = arguments
        imports = ["import gymkernel as gym"]
        if isinstance(what, EnvSpec):
            imports.append(f"from {target.partition(':')[0]} import {target.partition(':')[2]}")
        shown = target.partition(":")[2] if isinstance(what, EnvSpec) else _literal(what)
        return "\n".join([*imports, "", f"envs = gym.make_vec({shown}, {_listed({**chosen, **kwargs})})"])

    own = [Backend(OWN, partial(many, OWN))] if spec.vector_entry_point is not None else []
    return Target(target, partial(make, what, **kwargs), (*own, *_installed(many)), code)


def _installed(make: Callable[[str, int, dict[str, Any]], Any]) -> list[Backend]:
    """Every installed backend, the quickest to make first; one that cannot be imported has its problem."""
    backends = []
    for name in plugins.names("vector"):
        try:
            cls = plugins.get("vector", name)
        except error.PluginError as exc:
            backends.append(Backend(short(name), partial(make, name), problem=str(exc)))
        else:
            takes_workers = "num_workers" in inspect.signature(cls).parameters
            backends.append(Backend(short(name), partial(make, name), takes_workers))
    return sorted(backends, key=lambda one: (one.takes_workers, one.name))


def short(name: str) -> str:
    """What `make_vec` calls a backend.

    >>> short("AsyncVectorEnv")
    'async'
    """
    return name.removesuffix("VectorEnv").lower()


def _listed(arguments: dict[str, Any]) -> str:
    """Arguments as one writes them in a call."""
    return ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())


def _literal(value: Any) -> str:
    """A value of JSON as one writes it in Python, with double quotes."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return repr(value)
