"""Tests that operations on spaces with empty parts, and on empty batches, return the same results as in Gymnasium.

Where Gymnasium raises an error, the conformance tests define the results.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.peers.both import LIBRARIES, outcome, same
from tests.peers.test_operations import MODULES, operation

RAISES = "it raises"
pytestmark = pytest.mark.filterwarnings("ignore:.*Box.contains expects an array")
SHAPES = st.sampled_from([(0,), (2, 0), (0, 2), (1, 0, 3), (1,), (2,)])  # the shape () is a known difference
Make = Any
leaves: Any = st.one_of(
    st.builds(
        lambda shape, dtype: lambda made: made.Box(0, 1, shape, dtype),
        SHAPES,
        st.sampled_from([np.float32, np.uint8, np.bool_]),
    ),
    st.sampled_from(
        [
            lambda made: made.Discrete(1),
            lambda made: made.MultiBinary(1),
            lambda made: made.MultiDiscrete(np.zeros((2, 0), np.int64)),
            lambda made: made.Text(2, min_length=0),
        ]
    ),
)


def products(inner: Any) -> Any:
    return st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: lambda made: made.Tuple([part(made) for part in parts])),
        st.lists(inner, max_size=3).map(
            lambda parts: lambda made: made.Dict({key: part(made) for key, part in zip("xyz", parts, strict=False)})
        ),
    )


spaces = st.recursive(leaves, products, max_leaves=4)
quick = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def given_back(x: Any) -> Any:
    """Return the result of an operation, or raise the error that it raised."""
    if isinstance(x, str) and x == RAISES:
        raise ValueError(x)
    return x


def rows_of(library: Any, make: Make, n: int) -> tuple[Any, list[Any]]:
    space = make(library.spaces)
    space.seed(3)
    return space, [space.sample() for _ in range(n)]


def differ(ours: Any, theirs: Any) -> bool:
    """Return whether Gymnasium has a result and gymkernel's result is different."""
    if isinstance(theirs, str) and theirs == RAISES:
        return False
    return repr(ours) != repr(theirs) if hasattr(theirs, "np_random") else not same(ours, theirs)


@quick
@given(make=spaces, n=st.integers(0, 3))
def test_every_operation_agrees(make: Make, n: int) -> None:
    pairs = [rows_of(library, make, n) for library in LIBRARIES]
    assert same(*(rows for _, rows in pairs))
    seen: dict[str, list[Any]] = {}
    for at, (space, rows) in enumerate(pairs):
        do = {name: operation(name)[at] for name in MODULES}

        def record(name: str, call: Any) -> Any:
            found = outcome(call)
            seen.setdefault(name, []).append(found)
            return found

        record("flatdim", lambda do=do, space=space: do["flatdim"](space))
        record("flatten_space", lambda do=do, space=space: do["flatten_space"](space))
        record("flatten", lambda do=do, space=space, rows=rows: [do["flatten"](space, x) for x in rows])
        record(
            "unflatten",
            lambda do=do, space=space, rows=rows: [do["unflatten"](space, do["flatten"](space, x)) for x in rows],
        )
        record("zero", lambda do=do, space=space: do["create_zero_array"](space))
        record("contains", lambda space=space, rows=rows: [space.contains(x) for x in rows])
        outer = record("batch_space", lambda do=do, space=space: do["batch_space"](space, n))
        record("sample", lambda outer=outer: outer.sample())
        empty = record("empty", lambda do=do, space=space: do["create_empty_array"](space, n))
        batch = record(
            "concatenate", lambda do=do, space=space, rows=rows, empty=empty: do["concatenate"](space, rows, empty)
        )
        record("iterate", lambda do=do, outer=outer, batch=batch: list(do["iterate"](outer, given_back(batch))))
        record("json", lambda space=space, rows=rows: space.from_jsonable(space.to_jsonable(rows)))
        record("memory", lambda do=do, space=space, rows=rows: _through_memory(do, space, rows))

    ours = pairs[0][0]
    different = {name for name, pair in seen.items() if differ(*pair)}
    allowed = set() if _is_full(ours) else {"json"}  # Gymnasium's JSON loses shapes and the number of elements
    assert different <= allowed, {name: seen[name] for name in different - allowed}


def _is_full(space: Any) -> bool:
    """Return whether no part of a space is empty."""
    inner = [part for _, part in space.parts()]
    return bool(space.layout()) and 0 not in (space.shape or ()) and all(map(_is_full, inner))


def _through_memory(do: Any, space: Any, rows: list[Any]) -> Any:
    memory = do["create_shared_memory"](space, len(rows))
    for i, row in enumerate(rows):
        do["write_to_shared_memory"](space, i, row, memory)
    return do["read_from_shared_memory"](space, memory, len(rows))


CREATE = [
    lambda made: made.Graph(made.Box(0, 1, (2,)), None),
    lambda made: made.Sequence(made.Discrete(2)),
    lambda made: made.Tuple([made.Discrete(2), made.Sequence(made.Discrete(2))]),
]


def raised(call: Any, *arguments: Any) -> type[BaseException] | None:
    try:
        call(*arguments)
    except Exception as exc:  # noqa: BLE001 - the class of the error is compared
        return type(exc)
    return None


@pytest.mark.parametrize("make", CREATE, ids=["graph", "sequence", "inside"])
def test_exceptions_can_be_caught_as_in_gymnasium(make: Make) -> None:
    ours, theirs = (library for library in LIBRARIES)
    mine, their = (
        raised(function, make(library.spaces))
        for function, library in zip(operation("create_shared_memory"), LIBRARIES, strict=True)
    )

    assert their is TypeError
    assert mine is not None
    assert issubclass(mine, TypeError)
    assert issubclass(mine, ours.error.CustomSpaceError)  # as in the documentation from 2022
    for name in ("read_from_shared_memory", "write_to_shared_memory"):
        arguments: Any = ({},) if name.startswith("read") else (0, None, {})
        mine, their = (
            raised(function, library.spaces.Graph(library.spaces.Box(0, 1, (2,)), None), *arguments)
            for function, library in zip(operation(name), LIBRARIES, strict=True)
        )
        assert issubclass(their or int, theirs.error.CustomSpaceError)
        assert issubclass(mine or int, ours.error.CustomSpaceError)
