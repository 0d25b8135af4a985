"""The mix-in `RecordConstructorArgs`, which wrappers use to record their constructor arguments for the `EnvSpec`."""

from copy import deepcopy
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

__all__ = ["RecordConstructorArgs"]

SHARED: Final = frozenset({bool, float, int, str, type(None), FunctionType, BuiltinFunctionType, type})
"""Types of immutable objects, which need not be copied."""


class RecordConstructorArgs:
    """A mix-in that stores keyword arguments in `_saved_kwargs`, from which the same wrapper can be created again.

    If all arguments are plain data, a wrapper records them automatically. This class is for wrappers that must record
    something else, such as a function, or the resolved number where None was passed. If several classes call the
    constructor, only the first call, which the most derived class makes, stores arguments.

    Args:
        _disable_deepcopy: whether to store the arguments themselves, such as functions and models, instead of deep
            copies.
        **kwargs: the arguments to store.

    >>> class Scale(RecordConstructorArgs):
    ...     def __init__(self, factor):
    ...         super().__init__(factor=factor)
    >>> Scale(3)._saved_kwargs
    {'factor': 3}
    """

    _own_arguments_saved = False

    def __init__(self, *, _disable_deepcopy: bool = False, **kwargs: Any) -> None:
        """Store the arguments in `_saved_kwargs`, unless an earlier call has already done so."""
        if not getattr(self, "_own_arguments_saved", False):  # the object need not be an instance of this class
            self._own_arguments_saved = True
            values = _disable_deepcopy or SHARED.issuperset(map(type, kwargs.values()))
            self._saved_kwargs: dict[str, Any] = kwargs if values else deepcopy(kwargs)
