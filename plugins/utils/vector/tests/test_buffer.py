"""Test `Buffer` with private arrays and with arrays that processes share."""

from __future__ import annotations

import copy
import importlib
import multiprocessing
import pickle
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from gymkernel import Space, error, ops
from gymkernel.space import Field
from gymkernel.vector.utils import Buffer
from gymkernel_util_vector.buffer import ALIGNMENT
from gymkernel_util_vector.writing import ObservationMismatch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from gymkernel.space import Layout

    Array = np.ndarray[Any, Any]

CONTEXT = multiprocessing.get_context("spawn")
BOTH = pytest.mark.parametrize("context", [None, CONTEXT], ids=["private", "shared"])


class Arrays(Space[Any]):
    """A space whose elements and batches are arrays."""


@ops.create_empty_array.register(Arrays)
def _(space: Arrays, n: int = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


@ops.concatenate.register(Arrays)
def _(space: Arrays, items: Iterable[Any], out: Any) -> Any:
    return np.stack(list(items), axis=0, out=out)


class Nested(Space[Any]):
    """A space whose elements contain two arrays. The function `make` combines two arrays, or two batches of arrays."""

    def __init__(self, make: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.make = make


class Named(NamedTuple):
    pose: Any
    speed: Any


def as_dict(pose: Any, speed: Any) -> Any:
    return {"pose": pose, "speed": speed}


def as_tuple(pose: Any, speed: Any) -> Any:
    return pose, (speed,)


@ops.create_empty_array.register(Nested)
def _(space: Nested, n: int = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    return space.make(fn((n, 3), dtype=np.float32), fn((n,), dtype=np.int16))


@ops.concatenate.register(Nested)
def _(space: Nested, items: Iterable[Any], out: Any) -> Any:
    for name in ("pose", "speed"):
        np.stack([item[name] for item in items], out=out[name])
    return out


class Codes(Space[str]):
    """A space of words with at most four letters. It has a layout, but its batches are not arrays."""

    def layout(self) -> Layout:
        return Field.of(np.uint8), Field.of(np.uint8, (4,))

    def encode(self, x: str, out: Sequence[Array]) -> None:
        out[0][...] = len(x)
        out[1][: len(x)] = list(x.encode())

    def decode(self, arrays: Sequence[Array]) -> str:
        return bytes(arrays[1][: int(arrays[0])]).decode()


class Things(Space[object]):
    """A space that contains any object."""


for _cls in (Codes, Things):  # installed plugins may register functions for Space itself
    ops.create_empty_array.register(_cls, lambda space, n=1, fn=np.zeros: None)
    ops.concatenate.register(_cls, lambda space, items, out: tuple(items))


class TestOneArray:
    @BOTH
    def test_written_elements_are_read_back(self, context: Any) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 3, context)

        buffer.write(1, np.array([1, 2], np.float32))

        assert buffer.dense
        assert buffer.read().tolist() == [[0, 0], [1, 2], [0, 0]]

    @BOTH
    def test_read_returns_a_view_and_snapshot_a_copy(self, context: Any) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 2, context)
        view, snapshot = buffer.read(), buffer.snapshot()

        buffer.write(0, np.ones(2))

        assert view[0].tolist() == [1, 1]
        assert snapshot[0].tolist() == [0, 0]

    @BOTH
    @pytest.mark.parametrize("dtype", ["f4", "f2", "c16", "i1", "u8", "?", "f8"])
    def test_every_shape_and_dtype_is_supported(self, context: Any, dtype: str) -> None:
        for shape in [(), (1,), (0,), (2, 0, 3), (2, 3)]:
            buffer = Buffer(Arrays(shape, dtype), 3, context)

            buffer.write(2, np.ones(shape, dtype))

            batch = buffer.read()
            assert (batch.shape, batch.dtype) == ((3, *shape), np.dtype(dtype))
            assert not batch[:2].any(), shape
            assert batch[2].all(), shape

    @BOTH
    def test_zero_elements_give_an_empty_batch(self, context: Any) -> None:
        assert Buffer(Arrays((2,), np.float32), 0, context).read().shape == (0, 2)


class TestNested:
    @BOTH
    @pytest.mark.parametrize("make", [as_dict, as_tuple, Named])
    def test_written_elements_are_read_back(self, context: Any, make: Callable[[Any, Any], Any]) -> None:
        buffer = Buffer(Nested(make), 2, context)

        buffer.write(1, make(np.array([1, 2, 3]), 4))

        assert buffer.dense
        batch = buffer.read()
        assert type(batch) is type(make(0, 0))
        pose, speed = batch.values() if isinstance(batch, dict) else batch
        assert pose.tolist() == [[0, 0, 0], [1, 2, 3]]
        assert np.ravel(speed).tolist() == [0, 4]

    @pytest.mark.parametrize("make", [as_dict, as_tuple, Named])
    def test_snapshot_is_not_overwritten(self, make: Callable[[Any, Any], Any]) -> None:
        buffer = Buffer(Nested(make), 1)
        snapshot = buffer.snapshot()

        buffer.write(0, make(np.ones(3), 1))

        pose = snapshot["pose"] if isinstance(snapshot, dict) else snapshot[0]
        assert pose.tolist() == [[0, 0, 0]]
        assert type(snapshot) is type(make(0, 0))

    def test_shared_arrays_are_aligned_to_cache_lines(self) -> None:
        buffer = Buffer(Nested(as_dict), 5, CONTEXT)

        pose, speed = buffer.read().values()

        assert (speed.ctypes.data - pose.ctypes.data) % ALIGNMENT == 0
        assert not np.shares_memory(pose, speed)


class TestWithoutArrays:
    def test_private_elements_are_kept_as_objects(self) -> None:
        one, two = object(), object()
        buffer = Buffer(Things(), 2)

        buffer.write(0, one)
        buffer.write(1, two)

        assert not buffer.dense
        assert buffer.read() == (one, two)

    def test_shared_elements_use_the_layout(self) -> None:
        buffer = Buffer(Codes(), 2, CONTEXT)

        buffer.write(1, "ab")

        assert not buffer.dense
        assert buffer.read() == ("", "ab")

    def test_earlier_reads_are_not_overwritten(self) -> None:
        buffer = Buffer(Codes(), 1, CONTEXT)
        buffer.write(0, "ab")
        assert buffer.read() == ("ab",)

        buffer.write(0, "xyz")

        assert buffer.read() == ("xyz",)

    def test_space_without_arrays_or_layout_cannot_be_shared(self) -> None:
        with pytest.raises(error.CustomSpaceError, match=r"arrays of fixed size.* define layout\(\)"):
            Buffer(Things(), 2, CONTEXT)

    def test_empty_layout_is_supported(self) -> None:
        class Unit(Things):
            def layout(self) -> Layout:
                return ()

            def encode(self, x: object, out: Sequence[Array]) -> None: ...
            def decode(self, arrays: Sequence[Array]) -> str:
                return "the one"

        assert Buffer(Unit(), 2, CONTEXT).read() == ("the one", "the one")

    def test_object_arrays_are_kept_in_this_process(self) -> None:
        buffer = Buffer(Arrays((), object), 2)

        buffer.write(1, [1, 2])

        assert buffer.read().tolist() == [None, [1, 2]] or buffer.read().tolist() == [0, [1, 2]]

    @pytest.mark.parametrize("shape", [(), (2,)])
    def test_object_arrays_cannot_be_shared(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(error.CustomSpaceError, match="cannot be stored in arrays of fixed size"):
            Buffer(Arrays(shape, object), 2, CONTEXT)

    def test_object_fields_cannot_be_shared(self) -> None:
        class Boxed(Things):
            def layout(self) -> Layout:
                return (Field.of(object),)

        with pytest.raises(error.CustomSpaceError, match="cannot be stored in arrays of fixed size"):
            Buffer(Boxed(), 2, CONTEXT)

    def test_part_without_arrays_beside_an_array_is_kept(self) -> None:
        class Mixed(Things):
            pass

        ops.create_empty_array.register(Mixed, lambda space, n=1, fn=np.zeros: (fn((n,)), None))
        ops.concatenate.register(Mixed, lambda space, items, out: list(items))
        buffer = Buffer(Mixed(), 1)

        buffer.write(0, (1.0, "text"))

        assert not buffer.dense
        assert buffer.read() == [(1.0, "text")]

    def test_batch_view_is_not_overwritten(self) -> None:
        class Turned(Arrays):
            """A space whose batches do not use the arrays that it creates for them, so the arrays' axes are unknown."""

        ops.create_empty_array.register(Turned, lambda space, n=1, fn=np.zeros: {"a": fn((n, n)).T, "b": fn((n,))})
        ops.concatenate.register(Turned, lambda space, items, out: list(items))
        buffer = Buffer(Turned(), 3)

        buffer.write(0, {"a": np.ones(3), "b": 1})

        assert not buffer.dense
        assert buffer.read()[0]["b"] == 1


class TestGather:
    def test_fresh_arrays_do_not_share_memory(self) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 2)

        first = buffer.gather([np.zeros(2), np.ones(2)], fresh=True)
        buffer.gather([np.ones(2), np.ones(2)], fresh=True)

        assert first.tolist() == [[0, 0], [1, 1]]

    def test_gather_reuses_the_buffer_by_default(self) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 2)

        first = buffer.gather([np.zeros(2), np.ones(2)], fresh=False)
        second = buffer.gather([np.ones(2), np.ones(2)], fresh=False)

        assert first is second

    def test_numbers_are_gathered(self) -> None:
        assert Buffer(Arrays((), np.int64), 3).gather([1, 2, 3], fresh=True).tolist() == [1, 2, 3]

    def test_object_arrays_are_gathered(self) -> None:
        element = np.array(["a", None], object)

        assert Buffer(Arrays((2,), object), 2).gather([element] * 2, fresh=True).tolist() == [["a", None]] * 2

    def test_arrays_in_any_memory_order_are_gathered(self) -> None:
        element = np.arange(6, dtype=np.float32).reshape(2, 3)

        batch = Buffer(Arrays((2, 3), np.float32), 2).gather([np.asfortranarray(element), element], fresh=True)

        assert batch.tolist() == [element.tolist()] * 2

    def test_views_are_gathered_by_value(self) -> None:
        wide = np.arange(8, dtype=np.float32)

        batch = Buffer(Arrays((4,), np.float32), 2).gather([wide[::2], wide[::-2]], fresh=True)

        assert batch.tolist() == [[0, 2, 4, 6], [7, 5, 3, 1]]

    def test_extra_axis_is_rejected_even_if_the_size_fits(self) -> None:
        with pytest.raises(ValueError, match=r"shape \(2,\).* from environment 0, got shape \(2, 1\)"):
            Buffer(Arrays((2,), np.float32), 2).gather([np.zeros((2, 1), np.float32)] * 2, fresh=True)

    def test_nested_batches_are_gathered(self) -> None:
        buffer = Buffer(Nested(as_dict), 2)
        elements = [as_dict(np.ones(3), 1), as_dict(np.zeros(3), 2)]

        fresh = buffer.gather(elements, fresh=True)
        own = buffer.gather(elements, fresh=False)

        assert fresh["speed"].tolist() == own["speed"].tolist() == [1, 2]
        assert own["pose"] is buffer.read()["pose"]
        assert fresh["pose"] is not own["pose"]

    @pytest.mark.parametrize("fresh", [True, False])
    def test_elements_without_arrays_are_gathered_as_objects(self, fresh: bool) -> None:
        assert Buffer(Things(), 2).gather(["a", "b"], fresh=fresh) == ("a", "b")

    @pytest.mark.parametrize("bad", [np.zeros(3), np.zeros(1), 0.5])
    def test_element_with_wrong_shape_is_named(self, bad: Any) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 2)

        with pytest.raises(ValueError, match=r"shape \(2,\).* from environment 1, got shape \("):
            buffer.gather([np.zeros(2), bad], fresh=True)

    def test_wrong_shapes_with_fitting_total_are_rejected(self) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 2)

        with pytest.raises(ValueError, match=r"from environment 0, got shape \(1,\)"):
            buffer.gather([np.zeros(1), np.zeros(3)], fresh=True)

    @pytest.mark.parametrize("shape", [(), (2,)])
    def test_too_few_elements_are_rejected(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(ValueError, match="Expected 3 elements, got 1"):
            Buffer(Arrays(shape, np.float32), 3).gather([np.zeros(shape)], fresh=True)

    def test_write_and_gather_use_the_same_positions(self) -> None:
        buffer = Buffer(Things(), 2)
        buffer.write(0, "a")
        buffer.check(1, "b")

        assert buffer.read() == ("a", "b")
        assert buffer.gather(["c", "d"], fresh=False) == buffer.read() == ("c", "d")

    @pytest.mark.parametrize("fresh", [True, False])
    @pytest.mark.parametrize("bad", [np.array([0.5, 1]), np.array([300, 1]), [1, -1], ["a", "b"], None, {}], ids=repr)
    def test_number_outside_the_dtype_is_rejected(self, bad: Any, fresh: bool) -> None:
        buffer = Buffer(Arrays((2,), np.uint8), 2)

        with pytest.raises(ObservationMismatch, match="dtype uint8 from environment 1, got"):
            buffer.gather([np.zeros(2, np.uint8), bad], fresh=fresh)
        with pytest.raises(ObservationMismatch, match="dtype uint8 from environment 1, got"):
            buffer.check(1, bad)

    @pytest.mark.parametrize("fresh", [True, False])
    @pytest.mark.parametrize("right", [np.array([1.0, 2.0]), np.array([1, 2]), [1, 2], (True, 2)], ids=repr)
    def test_exactly_representable_number_is_accepted(self, right: Any, fresh: bool) -> None:
        batch = Buffer(Arrays((2,), np.uint8), 2).gather([np.zeros(2, np.uint8), right], fresh=fresh)

        assert batch.dtype == np.uint8
        assert batch.tolist() == [[0, 0], [1, 2]]


class TestCopies:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
    @pytest.mark.parametrize(
        "space,element",
        [
            (Arrays((2,), np.float32), np.array([1, 2], np.float32)),
            (Nested(as_dict), as_dict(np.array([1, 2, 3], np.float32), 4)),
            (Codes(), "ab"),
        ],
        ids=["array", "nested", "word"],
    )
    def test_copied_private_buffer_keeps_its_content(
        self, duplicate: Callable[[Buffer], Buffer], space: Space[Any], element: Any
    ) -> None:
        buffer = Buffer(space, 2)
        buffer.write(0, element)
        buffer.write(1, element)

        twin = duplicate(buffer)

        assert str(twin.read()) == str(buffer.read())

    def test_copy_is_written_independently(self) -> None:
        buffer = Buffer(Arrays((2,), np.float32), 1)

        twin = copy.deepcopy(buffer)
        twin.write(0, np.ones(2))

        assert twin.read().tolist() == [[1, 1]]
        assert buffer.read().tolist() == [[0, 0]]


WORKER = """
    from gymkernel import Space, ops
    from gymkernel.space import Field
    import numpy as np

    class Robots(Space):
        def layout(self): return Field.of(np.int64), Field.of(np.float32, (2,))
        def encode(self, x, out): out[0][...], out[1][:] = x
        def decode(self, arrays): return int(arrays[0]), tuple(arrays[1].tolist())

    class Positions(Space):
        pass

    @ops.create_empty_array.register(Positions)
    def _(space, n=1, fn=np.zeros): return {"x": fn((n, 2), dtype=np.float64)}

    def work(space, memory, index, value):
        ops.write_to_shared_memory(space, index, value, memory)
"""


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_processes_share_the_buffer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    (tmp_path / "acme_worker.py").write_text(dedent(WORKER))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_worker", raising=False)
    acme_worker = importlib.import_module("acme_worker")

    context: Any = multiprocessing.get_context(method)
    robots, positions = acme_worker.Robots(), acme_worker.Positions()
    by_layout = ops.create_shared_memory(robots, 2, context)
    dense = ops.create_shared_memory(positions, 2, context)
    jobs = [(robots, by_layout, 1, (7, (0.5, 1.5))), (positions, dense, 0, {"x": np.array([3.0, 4.0])})]

    processes = [context.Process(target=acme_worker.work, args=job) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)

    assert [process.exitcode for process in processes] == [0, 0]
    assert by_layout.read()[1] == (7, (0.5, 1.5))
    assert ops.read_from_shared_memory(positions, dense, 2)["x"].tolist() == [[3, 4], [0, 0]]


def parts(batch: Any) -> tuple[Any, Any]:
    return (batch["pose"], batch["speed"]) if isinstance(batch, dict) else (batch[0], batch[1][0])


@pytest.mark.parametrize("make", [as_dict, as_tuple])
def test_buffer_moves_to_other_arrays_and_back(make: Any) -> None:
    space = Nested(make)
    buffer = Buffer(space, 2)
    first = [make(np.full(3, k, np.float32), np.int16(k)) for k in (1, 2)]
    own = buffer.gather(first, fresh=False)
    kept: list[Array] = [np.zeros((5, 2, 3), np.float32), np.zeros((5, 2), np.int16)]
    for t in range(5):
        buffer.move([array[t] for array in kept])
        batch = buffer.gather([make(np.full(3, t, np.float32), np.int16(t + k)) for k in (0, 1)], fresh=False)
        assert all(np.shares_memory(part, array) for part, array in zip(parts(batch), kept, strict=True))
    assert kept[0][:, 0, 0].tolist() == list(range(5))
    assert kept[1][:, 1].tolist() == [1, 2, 3, 4, 5]
    assert parts(own)[1].tolist() == [1, 2]
    buffer.write(0, make(np.zeros(3, np.float32), np.int16(9)))
    assert kept[1][4].tolist() == [9, 5]
    buffer.move(None)
    assert parts(buffer.read())[1].tolist() == [1, 2]
    assert all(np.shares_memory(item, other) for item, other in zip(parts(buffer.read()), parts(own), strict=True))
    assert not np.shares_memory(parts(buffer.gather(first, fresh=True))[0], parts(own)[0])


@pytest.mark.parametrize(
    "arrays",
    [
        [np.zeros((2, 3), np.float32)],
        [np.zeros((2, 4), np.float32), np.zeros(2, np.int16)],
        [np.zeros((2, 3)), np.zeros(2, np.int16)],
        [np.zeros((3, 2), np.float32).T, np.zeros(2, np.int16)],
        [np.zeros((2, 3), np.float32), np.broadcast_to(np.zeros((), np.int16), 2)],
    ],
    ids=["too few", "shape", "dtype", "not contiguous", "read only"],
)
def test_buffer_does_not_move_to_unsuitable_arrays(arrays: Any) -> None:
    buffer = Buffer(Nested(as_dict), 2)
    buffer.gather([as_dict(np.ones(3, np.float32), np.int16(1))] * 2, fresh=False)
    with pytest.raises(
        ValueError, match=r"Expected a contiguous, writeable array of shape \(2,|Expected 2 arrays, .* got 1"
    ):
        buffer.move(arrays)
    assert buffer.read()["pose"].tolist() == np.ones((2, 3)).tolist()


def test_elements_without_arrays_cannot_move() -> None:
    with pytest.raises(ValueError, match="Expected a space whose batches consist only of arrays, got"):
        Buffer(Things(), 2).move([])
