"""Tests that SyncVectorEnv returns the same results for the same environments as Gymnasium's."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.peers.both import LIBRARIES, Recipe, outcome, recipes, same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MODES = ("NextStep", "SameStep", "Disabled")
BOX = Recipe("Box", (-1, 1), {"shape": (3,)})
N = 3


def environment(library: Any, index: int = 0, observed: Recipe = BOX, acted: Recipe | None = None) -> Any:
    """Return an environment of a library, with samples as observations, random episode lengths, and varying infos."""

    class Sampler(library.Env):  # type: ignore[misc]
        metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - Env declares it in the same way
        render_mode = "rgb_array"

        def __init__(self) -> None:
            self.observation_space = observed.make(library)
            self.action_space = (acted or Recipe("Discrete", (5,))).make(library)
            self.index = index
            self.seen: list[Any] = []

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            self.observation_space.seed(int(self.np_random.integers(2**20)))
            self.left = int(self.np_random.integers(1, 5))
            info = {"left": self.left, "options": repr(options)}
            return self.observation_space.sample(), info | ({"odd": True} if self.index % 2 else {})

        def step(self, action: Any) -> Any:
            self.seen.append(copy.deepcopy(action))
            self.left -= 1
            info: dict[str, Any] = {"left": self.left, "where": np.full(2, self.left, np.float32), "name": "abc"}
            if self.left % 2:
                info |= {"nested": {"a": 1.5, "deeper": {"b": True}}, "nothing": None}
            reward = float(self.np_random.normal())
            ended = self.left <= 0
            truncated = ended and bool(self.np_random.random() < 0.5)
            return self.observation_space.sample(), reward, ended and not truncated, truncated, info

        def render(self) -> Any:
            return np.full((2, 2, 3), self.left, np.uint8)

        def double(self, x: int, *, plus: int = 0) -> int:
            return 2 * x + plus + self.index

    return Sampler()


def vectors(
    mode: str = "NextStep", observed: Recipe = BOX, acted: Recipe | None = None, **options: Any
) -> Iterator[Any]:
    for library in LIBRARIES:
        makers = [partial(environment, library, i, observed, acted) for i in range(N)]
        yield library.vector.SyncVectorEnv(makers, autoreset_mode=library.vector.AutoresetMode(mode), **options)


def rollout(envs: Any, seed: Any, steps: int = 40, mask: Callable[[int], Any] = lambda step: None) -> Iterator[Any]:
    """Yield all results of a rollout. `mask` returns the environments that are reset after a step."""
    yield envs.reset(seed=seed, options={"level": 2})
    envs.action_space.seed(9)
    waiting = np.zeros(N, np.bool_)
    for step in range(steps):
        *values, infos = envs.step(envs.action_space.sample())
        yield values, infos
        waiting = (values[2] | values[3]) if envs.metadata["autoreset_mode"].value == "Disabled" else waiting
        asked = mask(step)
        chosen = waiting if asked is None else waiting | asked
        if chosen.any():
            yield envs.reset(seed=None if asked is None else step, options={"level": 3, "reset_mask": chosen})
            waiting = np.zeros(N, np.bool_)
    yield [env.unwrapped.seen for env in envs.envs]


def assert_same_rollouts(pair: Iterator[Any], *arguments: Any, **options: Any) -> None:
    ours, theirs = pair
    for mine, their in zip(rollout(ours, *arguments, **options), rollout(theirs, *arguments, **options), strict=True):
        assert same(mine, their)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [0, 7, [1, 2, 3], [4, None, 5]], ids=repr)
def test_rollouts(mode: str, seed: Any) -> None:
    if seed == [4, None, 5]:
        for envs in (pair := list(vectors(mode))):
            envs.reset(seed=1)
        assert_same_rollouts(iter(pair), seed)
    else:
        assert_same_rollouts(vectors(mode), seed)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=25)
@given(observed=recipes, acted=recipes, seed=st.integers(0, 2**30))
def test_rollouts_with_random_spaces(mode: str, observed: Recipe, acted: Recipe, seed: int) -> None:
    assert_same_rollouts(vectors(mode, observed, acted), seed, steps=8)


@pytest.mark.parametrize("mode", MODES)
def test_partial_resets(mode: str) -> None:
    drawn = np.random.default_rng(5).random((40, N)) < 0.3
    assert_same_rollouts(vectors(mode), 3, mask=lambda step: drawn[step] if drawn[step].any() else None)


@pytest.mark.parametrize("copied", [True, False])
def test_copies(copied: bool) -> None:
    ours, theirs = vectors(copy=copied)
    kept = []
    for envs in (ours, theirs):
        first, _ = envs.reset(seed=2)
        second = envs.step(np.zeros(N, np.int64))[0]
        kept.append((first, second))
        assert np.shares_memory(first, second) is not copied
    assert same(*kept)


def test_spaces_and_metadata() -> None:
    ours, theirs = vectors()
    for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
        assert same(getattr(ours, name), getattr(theirs, name))
    assert (ours.num_envs, ours.render_mode, ours.closed, ours.spec) == (N, "rgb_array", False, None)
    assert repr(ours) == repr(theirs)
    assert ours.metadata.keys() == theirs.metadata.keys()


def test_call_and_attributes() -> None:
    for name, arguments, options in [("double", (4,), {"plus": 1}), ("index", (), {}), ("render_mode", (), {})]:
        assert same(*(outcome(envs.call, name, *arguments, **options) for envs in vectors()))
    for values in (5, [1, 2, 3], (4, 5, 6), [1], "text"):
        answers = []
        for envs in vectors():
            set_it = outcome(envs.set_attr, "index", values)
            answers.append((set_it, envs.get_attr("index"), envs.call("double", 1) if values != "text" else None))
        assert same(*answers)
    assert [outcome(envs.get_attr, "absent") for envs in vectors()] == ["it raises"] * 2


def test_render() -> None:
    frames = []
    for envs in vectors():
        envs.reset(seed=1)
        frames.append(envs.render())
    assert same(*frames)


def test_random_generators() -> None:
    answers = []
    for envs in vectors():
        envs.reset(seed=4)
        answers.append((envs.np_random_seed, tuple(rng.random() for rng in envs.np_random)))
    assert same(*answers)


NARROW = Recipe("Box", (-0.5, 0.5), {"shape": (3,)})
WIDE = Recipe("Box", (-2, 2), {"shape": (3,)})
LONG = Recipe("Box", (-1, 1), {"shape": (4,)})
INTEGERS = Recipe("Box", (-1, 1), {"shape": (3,), "dtype": np.int64})
DISCRETE = Recipe("Discrete", (3,))


@pytest.mark.parametrize("other", [BOX, NARROW, WIDE, LONG, INTEGERS, DISCRETE], ids=repr)
@pytest.mark.parametrize("mode", ["same", "different", "tuple"])
def test_observation_modes(mode: str, other: Recipe) -> None:
    answers = []
    for library in LIBRARIES:
        observation_mode: Any = mode
        if mode == "tuple":
            observation_mode = library.vector.utils.batch_space(WIDE.make(library), 2), WIDE.make(library)
        makers = [partial(environment, library, 0, item) for item in (BOX, other)]
        envs = outcome(library.vector.SyncVectorEnv, makers, observation_mode=observation_mode)
        if envs == "it raises":
            answers.append(envs)
        else:
            answers.append((envs.observation_space, envs.single_observation_space, envs.reset(seed=1)))
    assert same(*answers)


RESETS: list[dict[str, Any]] = [
    {"seed": [1, 2]},
    {"seed": "1"},
    {"seed": -1},
    {"options": {"reset_mask": [True] * N}},
    {"options": {"reset_mask": np.ones(N)}},
    {"options": {"reset_mask": np.zeros(N, np.bool_)}},
    {"options": {"reset_mask": np.ones(N + 1, np.bool_)}},
]


@pytest.mark.parametrize("options", RESETS, ids=repr)
def test_invalid_reset_arguments(options: dict[str, Any]) -> None:
    answers = []
    for envs in vectors("Disabled"):
        envs.reset(seed=1)
        answers.append(outcome(envs.reset, **options))
    assert answers == ["it raises"] * 2


def test_disabled_mode_rejects_steps_of_done_environments() -> None:
    answers = []
    for envs in vectors("Disabled"):
        envs.reset(seed=1)
        answers.append([outcome(envs.step, np.zeros(N, np.int64)) for _ in range(8)])
    assert same(*answers)
    assert answers[0][-1] == "it raises"


def test_different_action_spaces_are_rejected() -> None:
    for library in LIBRARIES:
        makers = [partial(environment, library, 0, BOX, Recipe("Discrete", (n,))) for n in (2, 3)]
        with pytest.raises(RuntimeError):
            library.vector.SyncVectorEnv(makers)


def test_closing_twice() -> None:
    for envs in vectors():
        envs.close()
        envs.close()
        assert envs.closed


@pytest.mark.parametrize("backend", ["SyncVectorEnv", "AsyncVectorEnv"])
@pytest.mark.parametrize("sort_keys", [True, False])
def test_info_keys_have_the_same_order(backend: str, sort_keys: bool) -> None:
    """Check that observations keep the single space's key order, and that batched spaces and actions sort keys."""
    orders = []
    for library in LIBRARIES:

        class Named(library.Env):  # type: ignore[misc, name-defined]
            spaces = library.spaces
            inner = spaces.Dict([("z", spaces.Discrete(3)), ("y", spaces.Box(0, 1))], sort_keys=sort_keys)
            observation_space = spaces.Dict([("b", spaces.Box(0, 1, (2,))), ("a", inner)], sort_keys=sort_keys)
            action_space = spaces.Dict([("r", spaces.Discrete(3)), ("q", spaces.Box(0, 1))], sort_keys=sort_keys)

            def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
                self.observation_space.seed(seed)
                return self.observation_space.sample(), {}

            def step(self, action: Any) -> Any:
                backwards = dict(reversed(self.observation_space.sample().items()))
                return backwards, 0.0, False, False, {"keys": ",".join(action)}

        envs = getattr(library.vector, backend)([Named] * 2)
        envs.action_space.seed(3)
        first, _ = envs.reset(seed=1)
        action = envs.action_space.sample()
        then, *_, infos = envs.step(action)
        batches = [envs.single_observation_space, envs.observation_space, envs.single_action_space, envs.action_space]
        observed = [(list(item), list(item["a"]), item) for item in (first, then)]
        flat = library.spaces.utils.flatten(envs.observation_space, then)
        orders.append([observed, flat, list(action), infos["keys"].tolist(), *map(repr, batches)])
        envs.close()
    assert same(*orders)
