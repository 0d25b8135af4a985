"""Recording of constructor arguments, by which a wrapper gets into an `EnvSpec`."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

VALUES = frozenset({bool, float, int, str, type(None)})
"""Types whose objects nobody can change, so that no copy is needed."""


class RecordConstructorArgs:
    """Mix-in that keeps the keyword arguments of the outermost constructor in `_saved_kwargs`.

    >>> class Scale(RecordConstructorArgs):
    ...     def __init__(self, factor):
    ...         super().__init__(factor=factor)
    >>> Scale(3)._saved_kwargs
    {'factor': 3}
    """

    def __init__(self, *, _disable_deepcopy: bool = False, **kwargs: Any) -> None:
        """Keep a deep copy of `kwargs` (the objects themselves on `_disable_deepcopy`); the first call wins."""
        if not hasattr(self, "_saved_kwargs"):
            values = _disable_deepcopy or all(type(value) in VALUES for value in kwargs.values())
            self._saved_kwargs: dict[str, Any] = kwargs if values else deepcopy(kwargs)
