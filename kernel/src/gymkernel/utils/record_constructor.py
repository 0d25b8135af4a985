"""Recording of constructor arguments, by which a wrapper gets into an `EnvSpec`."""

from __future__ import annotations

import contextlib
import inspect
import pickle
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["GivenArguments", "RecordConstructorArgs", "record_given"]

VALUES = frozenset({bool, float, int, str, type(None)})
"""Types whose objects nobody can change, so that no copy is needed; all of them travel."""


class GivenArguments(dict[str, Any]):
    """Arguments of a wrapper that were recorded for it and may be of any kind: what cannot travel is left behind.

    `EnvSpec.to_json` writes null for arguments that JSON has not, and a pickle has None where they do not pickle.
    """

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> GivenArguments:
        return GivenArguments(_copied(dict(self)))

    __copy__ = __deepcopy__

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ()) if travelling(self, pickle.dumps) is None else (GivenArguments, (dict(self),))


def travelling(arguments: Any, write: Callable[[dict[str, Any]], object]) -> Any:
    """The arguments of a wrapper; None instead of `GivenArguments` that cannot be written."""
    if isinstance(arguments, GivenArguments):
        with contextlib.suppress(Exception):  # whatever is wrong with them, the wrapper may well travel without
            write(dict(arguments))
            return arguments
        return None
    return arguments


def record_given(wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Keep the arguments of a wrapper that is being made, but for the environment, in its `_saved_kwargs`.

    Lists, tuples, dicts, sets and arrays are copied; of all else it is the object itself. Nothing is kept where an
    argument has no name by which it could be given again.
    """
    env, names, defaults, plain = _parameters(type(wrapper).__init__)
    given = defaults.copy()
    if args:
        if len(args) > len(names):
            return
        given.update(zip(names, args))  # noqa: B905 - the rest has its defaults
        plain = plain and VALUES.issuperset(map(type, args))
    if kwargs:
        given.update(kwargs)
        given.pop(env, None)
        plain = plain and VALUES.issuperset(map(type, kwargs.values()))
    if not plain:
        given = GivenArguments(_copied(given))
    object.__setattr__(wrapper, "_saved_kwargs", given)  # of the wrapper's own way, what it needs is not there yet


@lru_cache(512)
def _parameters(init: Callable[..., None]) -> tuple[str, tuple[str, ...], dict[str, Any], bool]:
    """Of a constructor: the environment's name, those of what goes by position behind it, the defaults, if plain."""
    every: list[inspect.Parameter] = []
    with contextlib.suppress(TypeError, ValueError):
        _, *every = inspect.signature(init).parameters.values()
    named = [one for one in every if one.kind not in {one.VAR_POSITIONAL, one.VAR_KEYWORD}]
    env = next((one for one in named if one.name == "env"), *named[:1]) if named else None
    others = [one for one in named if one is not env]
    first = named[:1] == [env] and all(one.kind is not one.POSITIONAL_ONLY for one in others)
    by_position = tuple(one.name for one in others if first and one.kind is one.POSITIONAL_OR_KEYWORD)
    defaults = {one.name: one.default for one in others if one.kind is not one.POSITIONAL_ONLY}
    plain = all(one.default is one.empty or type(one.default) in VALUES for one in others)
    return env.name if env else "", by_position, defaults, plain


def _copied(value: Any) -> Any:
    """A copy of what its owner may change later, where that is a container of Python's or an array."""
    with contextlib.suppress(RecursionError):  # it contains itself
        if type(value) is dict:
            return {key: _copied(one) for key, one in value.items()}
        if type(value) in {list, tuple, set}:
            return type(value)(map(_copied, value))
    return value.copy() if type(value) is np.ndarray else value


class RecordConstructorArgs:
    """Mix-in that keeps the keyword arguments of the outermost constructor in `_saved_kwargs`.

    A wrapper's arguments are recorded without it, as they were given; with it a wrapper says itself what goes into
    its spec, such as a number for what was None.

    >>> class Scale(RecordConstructorArgs):
    ...     def __init__(self, factor):
    ...         super().__init__(factor=factor)
    >>> Scale(3)._saved_kwargs
    {'factor': 3}
    """

    _own_arguments_saved = False

    def __init__(self, *, _disable_deepcopy: bool = False, **kwargs: Any) -> None:
        """Keep a deep copy of `kwargs` (the objects themselves on `_disable_deepcopy`); the first call wins."""
        if not getattr(self, "_own_arguments_saved", False):  # of what only borrows this constructor, too
            self._own_arguments_saved = True
            values = _disable_deepcopy or VALUES.issuperset(map(type, kwargs.values()))
            self._saved_kwargs: dict[str, Any] = kwargs if values else deepcopy(kwargs)
