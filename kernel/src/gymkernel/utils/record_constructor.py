"""Recording of constructor arguments, by which a wrapper gets into an `EnvSpec`."""

from collections.abc import Callable
from copy import deepcopy
from functools import lru_cache
from types import BuiltinFunctionType, FunctionType
from typing import Any

__all__ = ["RecordConstructorArgs", "record_given"]

VALUES = frozenset({bool, float, int, str, type(None)})
"""Types whose objects nobody can change, so that no copy is needed."""
CONTAINERS = frozenset({list, tuple, set, dict})
"""Types that are data where all in them is."""


def record_given(wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Keep copies of the arguments of a wrapper that is being made, but for the environment, in its `_saved_kwargs`.

    Nothing is kept where an argument has no name by which it could be given again, or is no data (numbers, strings,
    arrays, and containers of them): a function, a model or a lock may be neither copied, nor pickled, nor written as
    JSON, so a wrapper that is made of such says itself what it records.

    Args:
        wrapper: the new object, before its `__init__` ran.
        args: the arguments by place, without the environment.
        kwargs: the arguments by name.
    """
    try:
        env, names, defaults = _parameters(type(wrapper).__init__)
        given = {**defaults, **dict(zip(names, args)), **kwargs}  # noqa: B905 - the rest has its defaults
        given.pop(env, None)
        if len(args) <= len(names) and all(map(_is_data, given.values())):
            plain = VALUES.issuperset(map(type, given.values()))
            # In the wrapper's own way, what it needs may not be there yet.
            kept = given if plain else {name: _kept(value) for name, value in given.items()}
            object.__setattr__(wrapper, "_saved_kwargs", kept)
    except Exception:  # noqa: BLE001 - a constructor without a signature, an argument of a foreign runtime
        return


def _kept(value: Any) -> Any:
    """A copy; a number of NumPy's as one of Python's, which JSON holds."""
    number = getattr(value, "shape", None) == () and value.dtype.kind in "biuf"
    return value.item() if number else deepcopy(value)


@lru_cache(512)
def _parameters(init: Callable[..., None]) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Of a constructor: the environment's name, those of what goes by position behind it, and the defaults."""
    import inspect  # for wrappers alone, not for `gymkernel list`

    every = list(inspect.signature(init).parameters.values())[1:]
    named = [one for one in every if one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}]
    env = next((one for one in every if one.name == "env"), *every[:1])
    others = [one for one in named if one is not env]
    by_position = [one.name for one in others if one.kind is not one.KEYWORD_ONLY and every[0] is env]
    unnamed = {one.name: one for one in every if one.kind is one.POSITIONAL_ONLY and one is not env}  # which is no data
    return env.name, tuple(by_position), {one.name: one.default for one in others} | unnamed


def _is_data(value: Any) -> bool:
    """Whether a value is a number, a string or an array, or a container of nothing but such."""
    kind = type(value)
    if kind in CONTAINERS:
        return all(map(_is_data, [*value, *value.values()] if kind is dict else value))
    dtype = getattr(value, "dtype", None) if kind.__module__ == "numpy" else None
    return kind in VALUES or (dtype is not None and not dtype.hasobject)


class RecordConstructorArgs:
    """Mix-in that keeps the keyword arguments of the outermost constructor in `_saved_kwargs`.

    A wrapper's arguments are recorded without it where they are data, as they were given; with it a wrapper says itself
    what goes into its spec, such as a function, or a number for what was None.

    Args:
        _disable_deepcopy: keep the arguments themselves, such as functions and models, instead of deep copies.
        **kwargs: what is to be given to the constructor again.

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
            not_copied = VALUES | {FunctionType, BuiltinFunctionType, type}
            values = _disable_deepcopy or not_copied.issuperset(map(type, kwargs.values()))
            self._saved_kwargs: dict[str, Any] = kwargs if values else deepcopy(kwargs)
