"""Tests that vector environments accept and reject the same values from environments as Gymnasium's do.

The reference is Gymnasium's synchronous vector environment, which most programs use. The lists below contain all
differences with their reasons. Every other kind of value must give the same result.
"""

from __future__ import annotations

import warnings
from collections import OrderedDict, UserDict
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, same

N = 2
SPACES: dict[str, Any] = {
    "Discrete": lambda made: made.Discrete(3),
    "byte": lambda made: made.Box(0, 255, (), np.uint8),
    "number": lambda made: made.Box(-1, 1, ()),
    "Box": lambda made: made.Box(-1, 1, (2,)),
    "integers": lambda made: made.Box(-100, 100, (2,), np.int32),
    "picture": lambda made: made.Box(0, 255, (2, 2), np.uint8),
    "bools": lambda made: made.Box(0, 1, (2,), np.bool_),
    "MultiBinary": lambda made: made.MultiBinary(2),
    "MultiDiscrete": lambda made: made.MultiDiscrete([3, 3]),
    "Dict": lambda made: made.Dict(a=made.Discrete(3), b=made.Box(0, 255, (2,), np.uint8)),
    "Tuple": lambda made: made.Tuple((made.Discrete(3), made.Box(-1, 1, (2,)))),
    "Text": lambda made: made.Text(4),
}
PAIR, BYTES = np.zeros(2, np.float32), np.array([1, 2], np.uint8)
OBSERVATIONS: dict[str, list[Any]] = {
    "Discrete": [1.5, 1.0, True, np.int8(2), np.float32(1), "1", b"1", None, np.array(1), np.array([1]), [1], 7, -1],
    "byte": [300, 2.7, 2.0, -1, np.uint16(7), np.array(7), np.array([7])],
    "number": [1, 0.5, np.array([0.5]), "0.5", None, True, 0.5j, Fraction(1, 2), Decimal("0.5")],
    "Box": [[0, 1], np.zeros(2), np.zeros(3), np.zeros((1, 2)), np.zeros((2, 1)), np.zeros(1), 0.5, None, [], "ab"],
    "integers": [[1, 2], [1, 2**40], [1.0, 2.0], [1.5, 2.0], np.array([1, 2], np.uint32), np.array([True, False])],
    "picture": [
        np.full((2, 2), 300),
        np.full((2, 2), 3),
        np.full((2, 2), 3.0),
        [[1, 2], [3, 4]],
        np.zeros(4, np.uint8),
    ],
    "bools": [np.array([1, 0]), np.array([2, 0]), [True, False]],
    "MultiBinary": [[0, 1], np.array([1, 0]), np.array([1.0, 0.0]), np.array([300, 0]), np.array([True, False])],
    "MultiDiscrete": [[0, 1], np.array([1, 0], np.int32), np.array([1.0, 0.0]), np.array([1.5, 0.0]), [7, 0]],
    "Dict": [{"a": 1, "b": BYTES}, {"a": 1, "b": BYTES, "c": 3}, {"a": 1}, {"a": 1.5, "b": BYTES}, None, (1, BYTES)],
    "Tuple": [(1, PAIR), [1, PAIR], (1, PAIR, 3), (1,), None, {0: 1, 1: PAIR}, (1.5, PAIR)],
    "Text": ["ab", "toolong", "a b", "", None, 3],
}
OBSERVATIONS["Box"] += [
    np.array([0.5, 0.5], object),
    np.array([1, 1], bool),
    np.ma.array([0.0, 1.0], mask=[True, False]),
]
OBSERVATIONS["Box"] += [np.array([1j, 1]), {0: 1, 1: 1}]
ONE: list[Any] = [
    1,
    0,
    True,
    0.5,
    np.float32(1),
    np.bool_(True),
    np.array(1.0),
    np.array([1.0]),
    np.array([[1.0]]),
    [1.0],
]
ONE += [
    (0.0,),
    np.array([1.0, 2.0]),
    [],
    np.array([]),
    None,
    "no",
    "1",
    "",
    b"1",
    np.nan,
    1j,
    Fraction(1, 2),
    {},
    10**400,
]
INFOS: list[Any] = [{}, {"a": 1}, OrderedDict(a=1), UserDict(b=1), MappingProxyType({"a": 1}), {1: 2}]
INFOS += [None, [], "", (), 3, "x", [("a", 1)]]
KINDS: list[tuple[str, str, Any]] = [("observation", name, x) for name, those in OBSERVATIONS.items() for x in those]
KINDS += [(part, "Box", x) for part in ("reward", "terminated", "truncated") for x in ONE]
KINDS += [("info", "Box", x) for x in INFOS]
KINDS += [("values", "Box", n) for n in (0, 3, 4, 6)]


def name(kind: tuple[str, str, Any]) -> str:
    part, space, x = kind
    shown = " ".join(f"{x!r}".split())[:70]
    return f"{space} {shown}" if part == "observation" else f"{part} {shown}"


NO_FLAGS: list[Any] = ["no", "1", "", b"1", [], {}]
STRICTER = {
    # NumPy wraps integers that do not fit the dtype: 300 becomes 44
    "integers [1, 1099511627776]",
    "MultiBinary array([300, 0])",
    # Gymnasium silently drops an additional element, but its asynchronous environment rejects the value
    "Tuple (1, array([0., 0.], dtype=float32), 3)",
    # a value that is not a string or is too long for the space, which Gymnasium's asynchronous environment rejects
    "Text 'toolong'",
    "Text None",
    "Text 3",
    # Gymnasium converts a missing reward to NaN and a string to a number
    *("reward None", "reward '1'", "reward b'1'"),
    # in Gymnasium, every string except the empty one is true, even "no"
    *(f"{flag} {x!r}" for flag in ("terminated", "truncated") for x in NO_FLAGS),
}
"""Values that gymkernel rejects but Gymnasium's SyncVectorEnv accepts."""
LOOSER = {
    # numbers whose values do not change when they are cast
    *("Discrete 1.0", "Discrete np.float32(1.0)", "byte 2.0", "byte array(7)", "integers [1.0, 2.0]"),
    *("picture array([[3, 3], [3, 3]])", "picture array([[3., 3.], [3., 3.]])", "picture [[1, 2], [3, 4]]"),
    *("bools array([1, 0])", "MultiBinary array([1., 0.])", "MultiDiscrete array([1., 0.])"),
    # a reward may be an array of one number
    *("reward array([1.])", "reward array([[1.]])", "reward [1.0]", "reward (0.0,)"),
}
"""Values that gymkernel accepts but Gymnasium's SyncVectorEnv rejects."""
OTHERWISE = {"terminated (0.0,)", "truncated (0.0,)"}
"""Values that both libraries accept, but with different results.

In Gymnasium, every sequence of one item is true. In gymkernel, it is true if the item is true.
"""

CASTS = [
    *("Discrete 1.5", "Discrete '1'", "Discrete b'1'", "Discrete array([1])", "Discrete [1]", "byte 2.7"),
    *("byte array([7])", "number array([0.5])", "number '0.5'", "number None", "number Fraction(1, 2)"),
    *("number Decimal('0.5')", "Box array([[0., 0.]])", "Box array([[0.], [0.]])", "Box array([0.])", "Box 0.5"),
    *("Box None", "Box array([0.5, 0.5], dtype=object)", "Box array([0.+1.j, 1.+0.j])", "integers [1.5, 2.0]"),
    *("picture array([[300, 300], [300, 300]])", "picture array([0, 0, 0, 0], dtype=uint8)", "bools array([2, 0])"),
    *("MultiDiscrete array([1.5, 0. ])", "Dict {'a': 1.5, 'b': array([1, 2], dtype=uint8)}"),
    "Tuple (1.5, array([0., 0.], dtype=float32))",
]
"""Values that Gymnasium's AsyncVectorEnv also accepts, because it casts and broadcasts more than its SyncVectorEnv."""


def environment(library: Any, kind: tuple[str, str, Any], odd: bool) -> Any:
    """Return an environment that returns the given kind of value if `odd` is true, and otherwise an ordinary value."""
    part, space, x = kind

    class Teller(library.Env):  # type: ignore[misc]
        def __init__(self) -> None:
            self.observation_space = SPACES[space](library.spaces)
            self.action_space = library.spaces.Discrete(2)

        def observe(self) -> Any:
            self.observation_space.seed(3)
            return self.observation_space.sample()

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            return self.observe(), {}

        def step(self, action: Any) -> Any:
            names = ("observation", "reward", "terminated", "truncated", "info")
            result = dict(zip(names, (self.observe(), 1.0, False, False, {}), strict=True))
            if odd and part == "values":
                return (*result.values(), 0)[:x]
            return tuple((result | {part: x} if odd else result).values())

    return Teller()


def verdict(library: Any, kind: tuple[str, str, Any], backend: str = "SyncVectorEnv") -> Any:
    """Return the result of a step, or None if the value is rejected."""
    makers = [partial(environment, library, kind, i == 1) for i in range(N)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ignore warnings about lossy casts
        envs = getattr(library.vector, backend)(makers)
        try:
            envs.reset(seed=1)
            return envs.step(np.zeros(N, np.int64))
        except Exception:  # noqa: BLE001 - the type of the exception may differ
            return None
        finally:
            envs.close(**({} if backend == "SyncVectorEnv" else {"terminate": True}))


def test_every_kind_of_value_has_a_unique_name() -> None:
    assert len(set(map(name, KINDS))) == len(KINDS)
    assert set(map(name, KINDS)) >= STRICTER | LOOSER


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_returned_values_are_accepted_as_by_gymnasium(kind: tuple[str, str, Any]) -> None:
    ours, theirs = (verdict(library, kind) for library in LIBRARIES)

    assert (theirs is not None and ours is None) == (name(kind) in STRICTER)
    assert (ours is not None and theirs is None) == (name(kind) in LOOSER)
    if ours is not None and theirs is not None:
        assert same(ours, theirs) == (name(kind) not in OTHERWISE)


@pytest.mark.slow
def test_lossy_casts_of_gymnasiums_async_backend_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gymnasium.logger, "min_level", 50)  # Gymnasium logs every error at length

    taken = [name(kind) for kind in KINDS if verdict(gymnasium, kind, "AsyncVectorEnv") is not None]
    refused = [name(kind) for kind in KINDS if verdict(LIBRARIES[0], kind) is None]

    assert [item for item in taken if item in refused and item not in STRICTER] == CASTS
