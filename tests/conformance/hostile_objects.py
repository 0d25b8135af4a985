"""Define test objects of every kind, including objects whose operations always raise exceptions."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
from typing import Any

import numpy as np

__all__ = ["ONES", "SHAPED", "Raising"]


class Raising:
    """An object that raises an exception from every operation."""

    def _raise(self, *arguments: Any, **options: Any) -> Any:
        raise RuntimeError(f"asked {arguments}")

    __array__ = __len__ = __iter__ = __getitem__ = __eq__ = __int__ = __float__ = __index__ = __bool__ = _raise
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = keys = shape = dtype = _raise
    __hash__ = object.__hash__


class RaisingList(list[Any]):
    __iter__ = __len__ = __getitem__ = Raising._raise


class RaisingTuple(tuple[Any, ...]):
    __iter__ = __len__ = __getitem__ = Raising._raise
    __slots__ = ()


class RaisingDict(dict[Any, Any]):
    keys = __getitem__ = __iter__ = Raising._raise


class RaisingInteger(int):
    __int__ = __index__ = __le__ = __lt__ = __ge__ = __gt__ = Raising._raise


class RaisingText(str):
    __slots__ = ()
    __len__ = __iter__ = Raising._raise


class NoArray:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return "nothing"


class Other(np.ndarray[Any, Any]):
    """A subclass of `numpy.ndarray`."""


def cyclic() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


def objects(*items: Any) -> Any:
    made = np.empty(len(items), object)
    for i, item in enumerate(items):
        made[i] = item
    return made


def raising(shape: tuple[int, ...]) -> Any:
    made = np.empty(shape, object)
    made.fill(Raising())
    return made


ONES: list[Any] = [
    None,
    NotImplemented,
    ...,
    True,
    -1,
    10**400,
    -(10**25),
    1.5,
    float("nan"),
    float("inf"),
    1j,
    "",
    "a" * 9,
    "\ud800",
]
ONES += [
    b"x",
    bytearray(3),
    memoryview(b"abc"),
    object(),
    type,
    print,
    range(3),
    slice(1),
    {1, 2},
    {},
    {"a": 1},
    [],
    (),
]
ONES += [[[1], [1, 2]], [[[]]], [None, 1], cyclic(), Raising(), RaisingList([1]), RaisingTuple((1,)), RaisingDict(a=1)]
ONES += [RaisingInteger(3), RaisingText("ab"), NoArray(), decimal.Decimal("NaN"), fractions.Fraction(1, 3)]
ONES += [dt.datetime(2000, 1, 1), dt.timedelta(1), np.datetime64("NaT", "s"), np.timedelta64(3, "s")]  # noqa: DTZ001
ONES += [
    np.ma.masked,
    np.ma.array(1, mask=True),
    np.ma.array([1, 2, 3], mask=[True, False, True]),
    np.ma.array([0.5, 0.5], mask=True),
]
ONES += [np.void(b"abc"), np.str_("a"), np.bytes_(b"a"), np.float16("nan"), np.longdouble(1), np.uint64(2**64 - 1)]
ONES += [np.array(["a", "b"]), np.array([b"a"]), np.array([1j]), np.array([], "M8[s]"), np.array(["NaT"], "M8[s]")]
ONES += [np.zeros(3, "i4,f4"), np.zeros(2, [("a", "i4")]).view(np.recarray), np.zeros((2, 2)).view(Other)]
ONES += [objects(), objects(None, Raising()), objects(Raising()), objects(np.zeros(2), np.zeros(3)), np.array(None)]
ONES += [
    np.zeros((0, 5)),
    np.zeros((1,) * 30),
    np.broadcast_to(np.float64(0), (10**6, 10**6)),
    np.array(3),
    np.array(0.5),
]

"""Objects of every kind."""

SHAPED: list[Any] = [lambda shape, dtype=dtype: np.zeros(shape, dtype) for dtype in [*"?bBhHqQefdgFDOSUV", "m8[s]"]]
SHAPED += [
    lambda shape: np.ma.masked_all(shape),  # type: ignore[no-untyped-call]  # noqa: PLW0108
    lambda shape: np.ma.array(np.zeros(shape), mask=False),
]
SHAPED += [lambda shape: np.ma.masked_all(shape, np.int64), raising]  # type: ignore[no-untyped-call]
SHAPED += [lambda shape: np.full(shape, np.nan), lambda shape: np.zeros(shape, np.int64).tolist()]
SHAPED += [lambda shape: np.full(shape, None).tolist(), lambda shape: np.full(shape, "a", object)]
"""Functions that take a shape and return an object of that shape."""
