"""Recording of constructor arguments, so that an `EnvSpec` can contain a wrapper."""

from copy import deepcopy
from types import BuiltinFunctionType, FunctionType
from typing import Any, Final

__all__ = ["RecordConstructorArgs"]

SHARED: Final = frozenset({bool, float, int, str, type(None), FunctionType, BuiltinFunctionType, type})
"""Types whose objects are stored without a copy, because a copy would be the same object."""


class RecordConstructorArgs:
    """A mix-in that stores the keyword arguments of the outermost constructor in `_saved_kwargs`.

    A wrapper records its arguments automatically if they are data. With this class, a wrapper decides for itself what
    its spec contains, for example a function, or a number in place of None.

    Args:
        _disable_deepcopy: whether to store the arguments themselves, such as functions and models, instead of deep
            copies.
        **kwargs: the arguments with which the same wrapper can be created again.

    >>> class Scale(RecordConstructorArgs):
    ...     def __init__(self, factor):
    ...         super().__init__(factor=factor)
    >>> Scale(3)._saved_kwargs
    {'factor': 3}
    """

    _own_arguments_saved = False

    def __init__(self, *, _disable_deepcopy: bool = False, **kwargs: Any) -> None:
        """Store a deep copy of `kwargs`, or the objects themselves if `_disable_deepcopy`, at the first call."""
        if not getattr(self, "_own_arguments_saved", False):  # the object may not be an instance of this class
            self._own_arguments_saved = True
            values = _disable_deepcopy or SHARED.issuperset(map(type, kwargs.values()))
            self._saved_kwargs: dict[str, Any] = kwargs if values else deepcopy(kwargs)
