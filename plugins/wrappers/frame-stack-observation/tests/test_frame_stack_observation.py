"""Tests of `FrameStackObservation`, in particular the observations in a stack."""

from __future__ import annotations

import json
import pickle
import sys
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec
from gymkernel.error import DependencyNotInstalled
from gymkernel.vector.utils import batch_space, create_empty_array
from gymkernel.wrappers import FrameStack, FrameStackObservation, LazyFrames
from gymkernel.wrappers.utils import create_zero_array


class Numbers(Space[Any]):
    """A space of integer arrays. A batch has an additional leading axis."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype == self.dtype


class Words(Space[Any]):
    """A space of lists of words. A batch is a tuple."""

    def contains(self, x: Any) -> bool:
        return isinstance(x, list)


@batch_space.register(Numbers)
def _batch(space: Numbers, n: int = 1) -> Numbers:
    return Numbers((n, *(space.shape or ())), space.dtype)


@create_empty_array.register(Numbers)
def _empty(space: Numbers, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


@create_zero_array.register(Numbers)
def _zero(space: Numbers) -> Any:
    return np.zeros(space.shape or (), space.dtype)


@batch_space.register(Words)
def _batch_words(space: Words, n: int = 1) -> Words:
    return Words()


@create_zero_array.register(Words)
def _zero_words(space: Words) -> list[str]:
    return []


class Counts(Env[Any, Any]):
    """An environment that counts all steps, starting from 10, and returns the number in an array that it reuses."""

    def __init__(self, shape: tuple[int, ...] = (2,)) -> None:
        self.observation_space: Any = Numbers(shape, np.int64)
        self.seen = np.full(shape, 9)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.seen += 1
        return self.seen, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.seen += 1
        return self.seen, 0.0, False, False, {}


class Speaks(Counts):
    """An environment whose observations are lists of words."""

    def __init__(self) -> None:
        super().__init__(())
        self.observation_space = Words()

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        return [str(super().reset(**arguments)[0])], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return [str(super().step(action)[0])], 0.0, False, False, {}


def episode(env: Any, steps: int = 3) -> list[list[int]]:
    seen = [env.reset()[0], *(env.step(0)[0] for _ in range(steps))]
    return [np.asarray(item)[:, 0].tolist() for item in seen]


@pytest.mark.parametrize(
    "padding, first",
    [("reset", [10, 10, 10]), ("zero", [0, 0, 10]), (np.array([7, 8]), [7, 7, 10]), ([7, 8], [7, 7, 10])],
    ids=str,
)
@pytest.mark.parametrize("lazy", [False, True])
def test_stack_contains_last_observations_with_padding(padding: Any, first: list[int], lazy: bool) -> None:
    env = FrameStackObservation(Counts(), 3, padding_type=padding, lazy=lazy)
    assert episode(env) == [first, [*first[1:], 11], [first[2], 11, 12], [11, 12, 13]]


def test_episodes_are_independent() -> None:
    env = FrameStackObservation(Counts(), 3)
    assert episode(env, 1) == [[10, 10, 10], [10, 10, 11]]
    assert episode(env, 1) == [[12, 12, 12], [12, 12, 13]]


@pytest.mark.parametrize("shape", [(), (2,), (2, 3), (0, 2)])
def test_stack_is_in_the_space_and_does_not_share_memory(shape: tuple[int, ...]) -> None:
    env: Any = FrameStackObservation(Counts(shape), 4)
    first, second = env.reset()[0], env.step(0)[0]
    assert env.observation_space.shape == (4, *shape)
    assert second in env.observation_space
    first[...] = -1
    assert (second >= 0).all()


def test_observations_are_cast_to_the_dtype() -> None:
    env: Any = Counts()
    env.seen = env.seen.astype(np.int8)
    assert FrameStackObservation[Any, Any, Any](env, 2).reset()[0].dtype == np.int64


def test_non_array_observations_are_batched() -> None:
    env: Any = FrameStackObservation(Speaks(), 2, padding_type=["?"])
    first = env.reset()[0]
    assert first == (["?"], ["10"])
    first[1].append("!")
    assert env.step(0)[0] == (["10"], ["11"])


def test_lazy_frames_convert_to_an_array() -> None:
    env: Any = FrameStackObservation(Counts((2, 2)), 3, lazy=True)
    env.reset()
    lazy = env.step(0)[0]
    stacked = np.asarray(lazy)
    assert (len(lazy), lazy.shape, lazy.dtype, lazy.ndim, lazy.size) == (3, (3, 2, 2), np.int64, 3, 12)
    assert stacked[:, 0, 0].tolist() == [10, 10, 11]
    assert np.array_equal(lazy[-1], stacked[-1])
    assert np.array_equal(lazy[1:], stacked[1:])
    assert np.array_equal(lazy[:, 0], stacked[:, 0])
    assert np.array_equal([*lazy], stacked)
    assert (lazy == stacked).all()
    assert not (lazy != stacked).any()
    assert np.asarray(lazy, np.float32).dtype == np.float32
    assert np.mean(lazy) == stacked.mean()


def test_lazy_frames_are_shared_and_read_only() -> None:
    env: Any = FrameStackObservation(Counts(), 3, lazy=True)
    first, second = env.reset()[0], env.step(0)[0]
    assert first.frames[2] is second.frames[1]
    with pytest.raises(ValueError, match=r"read-only"):
        second[0][0] = 5


def test_lazy_frames_reject_copy_false() -> None:
    lazy = FrameStackObservation[Any, Any, Any](Counts(), 3, lazy=True).reset()[0]
    with pytest.raises(ValueError, match=r"^LazyFrames cannot be converted to an array without a copy"):
        np.array(lazy, copy=False)


def test_lazy_frames_can_be_pickled() -> None:
    lazy = FrameStackObservation[Any, Any, Any](Counts(), 3, lazy=True).reset()[0]
    restored = pickle.loads(pickle.dumps(lazy))
    assert (restored == lazy).all()
    assert repr(restored) == "LazyFrames(shape=(3, 2), dtype=int64)"


@pytest.mark.parametrize("lazy", [False, True])
def test_wrapper_can_be_pickled(lazy: bool) -> None:
    env: Any = FrameStackObservation(Counts(), 3, lazy=lazy)
    env.reset()
    restored = pickle.loads(pickle.dumps(env))
    assert np.array_equal(restored.step(0)[0], env.step(0)[0])


def test_missing_compression_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lz4", None)
    with pytest.raises(
        DependencyNotInstalled, match=r"pip install 'gymkernel-wrapper-frame-stack-observation\[lz4\]'$"
    ):
        FrameStackObservation(Counts(), 3, lazy=True, compress="lz4")


@pytest.mark.parametrize(
    "env, options, message",
    [
        (Counts(), {"stack_size": 0}, r"^FrameStackObservation expects stack_size to be at least 1, got 0$"),
        (Counts(), {"padding_type": "none"}, r"to be 'reset', 'zero' or an observation of .*, got 'none'$"),
        (Counts(), {"padding_type": np.zeros(3, np.int64)}, r"'zero' or an observation of .*, got array"),
        (Counts(), {"compress": "zip", "lazy": True}, r"^FrameStackObservation expects compress to be 'lz4' or None"),
        (Counts(), {"compress": "lz4"}, r"^FrameStackObservation requires lazy=True if"),
        (Speaks(), {"lazy": True}, r"^FrameStackObservation expects observations to be arrays if lazy=True, got"),
    ],
)
def test_invalid_arguments_are_rejected(env: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FrameStackObservation(env, **{"stack_size": 2, **options})


@pytest.mark.parametrize("size", [2.0, "2", True])
def test_non_integer_stack_size_is_rejected(size: Any) -> None:
    with pytest.raises(TypeError, match=r"^FrameStackObservation expects stack_size to be an integer, got"):
        FrameStackObservation(Counts(), size)


@pytest.mark.parametrize("options", [{}, {"padding_type": np.array([7, 8])}, {"lazy": True}], ids=str)
def test_wrapper_is_recreated_from_json(options: dict[str, Any]) -> None:
    env = Counts()
    env.spec = EnvSpec("Counts-v0", entry_point=Counts)
    wrapped = FrameStackObservation[Any, Any, Any](env, 3, **options)
    assert wrapped.spec is not None
    again = FrameStackObservation[Any, Any, Any](Counts(), **json.loads(json.dumps(wrapped._saved_kwargs)))
    assert np.array_equal(again.reset()[0], wrapped.reset()[0])


@pytest.mark.parametrize("compress", [False, True])
def test_frame_stack_returns_lazy_frames(compress: bool) -> None:
    if compress:
        pytest.importorskip("lz4")
    env: Any = FrameStack(Counts(), 3, lz4_compress=compress)
    today: Any = FrameStackObservation(Counts(), 3)
    assert env.observation_space.shape == today.observation_space.shape
    for mine, theirs in ((env.reset()[0], today.reset()[0]), (env.step(0)[0], today.step(0)[0])):
        assert type(mine) is LazyFrames
        assert mine.lz4_compress is compress
        assert np.array_equal(mine, theirs)
        assert (mine == theirs).all()
    assert env._saved_kwargs == {"num_stack": 3, "lz4_compress": compress}


def test_consecutive_stacks_share_frames() -> None:
    env: Any = FrameStack(Counts(), 3)
    before, after = env.reset()[0], env.step(0)[0]
    assert before.frames[0] is before.frames[2] is after.frames[1]


@pytest.mark.parametrize("compress", [False, True])
def test_lazy_frames_require_frames(compress: bool) -> None:
    if compress:
        pytest.importorskip("lz4")
    frames = [np.full((2, 3), number, np.int16) for number in range(4)]
    lazy = LazyFrames(frames, lz4_compress=compress)
    assert (lazy.frame_shape, lazy.shape, lazy.dtype, len(lazy)) == ((2, 3), (4, 2, 3), np.dtype("i2"), 4)
    assert np.array_equal(lazy[1:3], frames[1:3])
    assert np.array_equal(pickle.loads(pickle.dumps(lazy)), frames)


@pytest.mark.parametrize("frames", [[], [np.zeros(2), np.zeros(3)], [np.zeros(2), np.zeros(2, np.int8)]])
def test_frames_with_different_shapes_are_rejected(frames: Any) -> None:
    with pytest.raises(ValueError, match=r"^LazyFrames expects frames of the same shape and dtype, got"):
        LazyFrames(frames)
