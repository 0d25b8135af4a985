"""Recording of constructor arguments, by which a wrapper gets into an `EnvSpec`."""

from __future__ import annotations

from copy import deepcopy
from typing import Any


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
            self._saved_kwargs: dict[str, Any] = kwargs if _disable_deepcopy or not kwargs else deepcopy(kwargs)
