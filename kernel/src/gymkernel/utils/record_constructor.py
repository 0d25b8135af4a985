"""Recording of constructor arguments, by which a wrapper gets into an `EnvSpec`."""

from copy import deepcopy
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

__all__ = ["RecordConstructorArgs"]

SHARED: Final = frozenset({bool, float, int, str, type(None), FunctionType, BuiltinFunctionType, type})
"""Types whose objects are kept themselves, because a copy is the same object."""


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
            values = _disable_deepcopy or SHARED.issuperset(map(type, kwargs.values()))
            self._saved_kwargs: dict[str, Any] = kwargs if values else deepcopy(kwargs)
