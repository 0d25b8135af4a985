"""The installed vector backends, and what every one of them must return."""

from __future__ import annotations

import signal
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env, ops, plugins
from gymkernel.vector import AutoresetMode
from gymkernel.vector.utils import batch_infos, seeds
from gymkernel.wrappers.utils import create_zero_array

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LIMIT = 60
"""Seconds after which a test is taken to hang, unless it is marked `limit(seconds)`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", plugins.names("vector"), indirect=True)


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> Any:
    """A vector backend: a class that is called with functions which make environments."""
    return plugins.get("vector", request.param)


@pytest.fixture(autouse=True)
def _limit(request: pytest.FixtureRequest) -> Any:
    mark = request.node.get_closest_marker("limit")
    limit = mark.args[0] if mark else LIMIT

    def end(*_: Any) -> None:
        raise TimeoutError(f"the test hangs: {limit} s are over")

    previous = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)


class Player(Env[Any, Any]):
    """An environment that observes elements of any space, and whose reward tells which action arrived.

    Args:
        number: its place; the length of its episodes depends on it.
        make_space: makes the observation space.
        make_action_space: makes the action space.
        tell: whether there are infos, of several types and shapes.
    """

    def __init__(
        self, number: int, make_space: Callable[[], Any], make_action_space: Callable[[], Any], *, tell: bool = False
    ) -> None:
        self.observation_space, self.action_space = make_space(), make_action_space()
        self.number, self.tell = number, tell
        self._source = make_space()
        self._source.seed(number)
        self.steps = self.total = self.resets = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        if seed is not None:
            self._source.seed(seed)
        self.steps = 0
        self.resets += 1
        info: dict[str, Any] = {"resets": self.resets} if self.tell else {}
        return self._source.sample(), info | ({"options": dict(options)} if options else {})

    def step(self, action: Any) -> Any:
        self.steps += 1
        self.total += 1
        terminated = self.steps == 3 + self.number
        truncated = not terminated and self.total % 7 == 0
        return self._source.sample(), digest(action), terminated, truncated, self._info() if self.tell else {}

    def _info(self) -> dict[str, Any]:
        """Numbers of changing types, arrays of changing shapes, now a dictionary and now not; and nothing, at times."""
        if (self.total + self.number) % 4 == 0:
            return {}
        odd = (self.total + self.number) % 2
        return {
            "number": self.total / 2 if odd else self.total,
            "array": np.arange(2 + odd * self.number % 2, dtype=np.float32),
            "equal": np.full(3, self.number),
            "nested": {"text": f"{self.number}", "deep": {"x": np.float32(self.total)}},
            "mixed": {"x": 1} if odd else 2,
            "object": [self.number],
        }


def digest(x: Any) -> float:
    """A number that depends on values, types and dtypes."""

    def text(x: Any) -> str:
        if isinstance(x, np.ndarray | np.generic):
            return f"{type(x).__name__}{x.dtype}{x.shape}{x.tolist()}"
        if isinstance(x, dict):
            return f"{{{', '.join(f'{key}: {text(value)}' for key, value in x.items())}}}"
        if isinstance(x, tuple | list):
            return f"{type(x).__name__}({', '.join(map(text, x))})"
        return f"{type(x).__name__}{x!r}"

    return float(zlib.crc32(text(x).encode()))


class Plain:
    """What a vector environment means: the environments in a list, one after another, without any art."""

    def __init__(self, env_fns: Sequence[Callable[[], Any]], mode: AutoresetMode, single: Any = None) -> None:
        self.envs = [make() for make in env_fns]
        self.n, self.mode = len(self.envs), mode
        self.single = self.envs[0].observation_space if single is None else single
        self.action_space = ops.batch_space(self.envs[0].action_space, self.n)
        self.done = [False] * self.n
        self.observations: list[Any] = [create_zero_array(self.single)] * self.n

    def _batch(self) -> Any:
        return ops.concatenate(self.single, self.observations, ops.create_empty_array(self.single, self.n))

    def reset(self, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        given = dict(options or {})
        mask = given.pop("reset_mask", np.ones(self.n, np.bool_))
        infos = []
        for i, one in enumerate(seeds(seed, self.n)):
            if mask[i]:
                self.observations[i], info = self.envs[i].reset(seed=one, options=given if options else options)
                self.done[i] = False
                infos.append((i, info))
        return self._batch(), batch_infos(infos, self.n)

    def step(self, actions: Any) -> Any:
        rewards, ends, cuts = np.zeros(self.n), np.zeros(self.n, np.bool_), np.zeros(self.n, np.bool_)
        infos: list[Any] = []
        finals: list[Any] = []
        for i, action in enumerate(list(ops.iterate(self.action_space, actions))):
            if self.done[i] and self.mode is AutoresetMode.NEXT_STEP:
                self.observations[i], info = self.envs[i].reset()
                self.done[i] = False
            else:
                self.observations[i], rewards[i], ends[i], cuts[i], info = self.envs[i].step(action)
                self.done[i] = bool(ends[i] or cuts[i])
                if self.done[i] and self.mode is AutoresetMode.SAME_STEP:
                    finals.append((i, {"final_obs": self.observations[i], "final_info": info}))
                    self.observations[i], info = self.envs[i].reset()
                    self.done[i] = False
            infos.append((i, info))
        return self._batch(), rewards, ends, cuts, {**batch_infos(finals, self.n), **batch_infos(infos, self.n)}


def assert_same(seen: Any, expected: Any, where: str = "") -> None:
    """Hold two results to be of the same types, dtypes, shapes and values."""
    assert type(seen) is type(expected), f"{where}: {type(seen)} instead of {type(expected)}"
    if isinstance(expected, np.ndarray):
        assert seen.dtype == expected.dtype, f"{where}: {seen.dtype} instead of {expected.dtype}"
        assert seen.shape == expected.shape, f"{where}: {seen.shape} instead of {expected.shape}"
        if expected.dtype == object:
            for k, (one, other) in enumerate(zip(seen.flat, expected.flat, strict=True)):
                assert_same(one, other, f"{where}[{k}]")
        else:
            np.testing.assert_array_equal(seen, expected, err_msg=where)
    elif isinstance(expected, dict):
        assert set(seen) == set(expected), f"{where}: {list(seen)} instead of {list(expected)}"
        for key in expected:
            assert_same(seen[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, tuple | list):
        assert len(seen) == len(expected), f"{where}: {len(seen)} instead of {len(expected)}"
        for k, (one, other) in enumerate(zip(seen, expected, strict=True)):
            assert_same(one, other, f"{where}[{k}]")
    else:
        assert seen == expected or seen != seen, f"{where}: {seen!r} instead of {expected!r}"  # noqa: PLR0124


def play(backend: Any, env_fns: Sequence[Callable[[], Any]], mode: str, steps: int = 16, **kwargs: Any) -> None:
    """Hold a backend to return what `Plain` does, over a few episodes with resets of every kind."""
    plain = Plain(env_fns, AutoresetMode(mode))
    with backend(env_fns, autoreset_mode=mode, **kwargs) as envs:
        assert envs.metadata["autoreset_mode"] is AutoresetMode(mode)
        assert_same(envs.reset(seed=11), plain.reset(seed=11), "reset")
        actions = ops.batch_space(envs.single_action_space, plain.n)
        actions.seed(5)
        for step in range(steps):
            if step == 9:
                assert_same(envs.reset(options={"level": 1}), plain.reset(options={"level": 1}), "reset between")
            if mode == "Disabled" and any(plain.done):
                mask = np.array(plain.done)
                given, twin = {"reset_mask": mask, "why": "done"}, {"reset_mask": mask, "why": "done"}
                assert_same(envs.reset(options=given), plain.reset(options=twin), f"masked reset before step {step}")
                assert "reset_mask" in given
            action = actions.sample()
            assert_same(envs.step(action), plain.step(action), f"step {step}")


@pytest.fixture
def kit() -> Any:
    """What tests of backends are made of."""
    import types

    return types.SimpleNamespace(Player=Player, Plain=Plain, play=play, assert_same=assert_same, digest=digest)
