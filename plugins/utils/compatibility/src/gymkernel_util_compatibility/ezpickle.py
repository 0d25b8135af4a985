"""The mix-in `EzPickle`, which makes objects picklable by storing their constructor arguments."""

from __future__ import annotations

from typing import Any

__all__ = ["EzPickle"]


class EzPickle:
    """A mix-in for classes whose instances cannot be pickled but can be recreated from their constructor arguments.

    Args:
        *args: the positional arguments to pass to the constructor when a pickle is loaded.
        **kwargs: the keyword arguments to pass to the constructor when a pickle is loaded.

    >>> class Simulator(EzPickle):
    ...     def __init__(self, name, *, rate=50):
    ...         super().__init__(name, rate=rate)
    ...         self.name, self.handle = name, (lambda: rate)
    >>> simulator = Simulator("arm", rate=100)
    >>> simulator.__setstate__(simulator.__getstate__())
    >>> simulator.handle()
    100
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._ezpickle_args = args
        self._ezpickle_kwargs = kwargs

    def __getstate__(self) -> dict[str, Any]:
        return {"_ezpickle_args": self._ezpickle_args, "_ezpickle_kwargs": self._ezpickle_kwargs}

    def __setstate__(self, state: dict[str, Any]) -> None:
        copy = type(self)(*state["_ezpickle_args"], **state["_ezpickle_kwargs"])
        self.__dict__.update(copy.__dict__)
