"""Test requests to vector environments by comparing random sequences of calls with a model, which is a state machine.

In the model, each environment is idle or has taken a step whose result has not been received yet. A vector environment
has at most one outstanding request to all environments. The model predicts the results of each call or the error that
the call raises. `test_recovery` tests the reports about lost worker processes.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, plugins
from gymkernel.error import AlreadyPendingCallError, NoAsyncCallError, ResetNeeded
from gymkernel.vector import SyncVectorEnv

N = 4
FAILS = 999
"""The action that makes an environment raise an exception."""
MODES = ["NextStep", "SameStep", "Disabled"]
VARIANTS: dict[str, dict[str, Any]] = {
    "two workers": {"num_workers": 2},
    "messages": {"num_workers": 2, "shared_memory": False, "ring": 2},
    "parent steps": {"num_workers": 1, "parent_steps": True},
    "restart": {"num_workers": 2, "on_error": "restart", "max_restarts": None},
}
needs_async = pytest.mark.skipif(
    "AsyncVectorEnv" not in plugins.names("vector"), reason="gymkernel-vector-async is not installed"
)


class Walker(Env[Any, Any]):
    """An environment that returns [number, seed, step], rewards the action, and terminates after number + 2 steps."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, number: int) -> None:
        from gymkernel.spaces import Box, Discrete

        self.observation_space, self.action_space = Box(-9, 10**6, (3,), np.int64), Discrete(1000)
        self.number, self.seed, self.steps = number, -1, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.seed, self.steps = -1 if seed is None else seed, 0
        return np.array([self.number, self.seed, 0]), {}

    def step(self, action: Any) -> Any:
        if action == FAILS:
            raise LookupError("the action is 999")
        self.steps += 1
        info = {"steps": self.steps} if self.steps % 2 else {}
        return np.array([self.number, self.seed, self.steps]), float(action), self.steps == self.number + 2, False, info

    def add(self, x: int) -> int:
        return self.number + x


class Model:
    """A model that predicts the behaviour of a vector environment of walkers.

    Attributes:
        sent: maps the index of each environment whose result has not been received yet to the action that was sent.
        waits: the name and the arguments of the outstanding request to all environments; None if there is no such
            request.
    """

    def __init__(self, mode: str, *, restart: bool) -> None:
        self.mode, self.restart = mode, restart
        self.seed, self.steps, self.done = [-1] * N, [0] * N, [False] * N
        self.started = [False] * N
        self.sent: dict[int, int] = {}
        self.waits: tuple[str, Any] | None = None

    def row(self, i: int, action: int) -> tuple[Any, ...] | None:
        """Return the observation, reward, flags and whether an episode starts, or None if the step must fail."""
        if self.done[i] and self.mode == "NextStep":
            self.seed[i], self.steps[i], self.done[i] = -1, 0, False
            return self.observe(i), 0.0, False, False, False
        failed = action == FAILS
        if failed and not self.restart:
            self.started[i] = False
            return None
        self.steps[i] += not failed
        done = failed or self.steps[i] == i + 2
        reward = 0.0 if failed else float(action)
        if done and self.mode == "SameStep":
            self.seed[i], self.steps[i] = -1, 0
        else:
            self.done[i] = done
        return self.observe(i), reward, done and not failed, failed, failed

    def observe(self, i: int) -> list[int]:
        return [i, self.seed[i], self.steps[i]]

    def begin(self, i: int, seed: int) -> None:
        self.seed[i], self.steps[i], self.done[i], self.started[i] = seed, 0, False, True

    def error_of_begin(self, *, single: bool = False) -> type[Exception] | None:
        return AlreadyPendingCallError if self.waits is not None or (self.sent and not single) else None

    def error_of_step(self, ids: list[int]) -> type[Exception] | None:
        waiting = any(not self.started[i] or (self.mode == "Disabled" and self.done[i]) for i in ids)
        return ResetNeeded if waiting else None


class Player:
    """A player that makes random calls and compares each result with the model.

    Args:
        envs: a vector environment of walkers.
        model: the model of this vector environment.
        rng: the random number generator that chooses the calls.
    """

    def __init__(self, envs: Any, model: Model, rng: np.random.Generator) -> None:
        self.envs, self.model, self.rng = envs, model, rng
        self.fails = hasattr(envs, "send")
        """Whether actions may cause exceptions. It is False for backends that stop at the first exception."""

    def ids(self) -> list[int]:
        return sorted(self.rng.choice(N, int(self.rng.integers(1, N + 1)), replace=False).tolist())

    def actions(self, n: int) -> list[int]:
        actions = self.rng.integers(0, 100, n)
        if self.fails and self.rng.random() < 0.2:
            actions[self.rng.integers(n)] = FAILS
        return [int(action) for action in actions]

    def must_raise(self, error: type[Exception] | None, call: Any) -> bool:
        """Return whether a call must raise an error according to the model, and check that it raises the error."""
        if error is not None:
            with pytest.raises(error):
                call()
        return error is not None

    def check_rows(self, ids: list[int], actions: dict[int, int], call: Any) -> None:
        """Check a call that steps only some environments, but returns a batch for all of them."""
        rows = {i: self.model.row(i, actions[i]) for i in ids}
        failed = [i for i, row in rows.items() if row is None]
        if failed:
            with pytest.raises(LookupError) as caught:
                call()
            assert caught.value.indices == failed  # type: ignore[attr-defined]
            return
        batch = call()
        for i in range(N):
            if i in rows:
                self.check_row(rows[i], i, batch)
            elif self.model.started[i]:
                assert batch[0][i].tolist() == self.model.observe(i)
                assert (batch[1][i], batch[2][i], batch[3][i]) == (0, False, False)

    def check_row(self, expected: Any, k: int, batch: Any) -> None:
        observations, rewards, terminations, truncations, infos = batch[:5]
        restarted = "env_restarted" in infos and bool(infos["_env_restarted"][k])
        row = observations[k].tolist(), rewards[k], bool(terminations[k]), bool(truncations[k]), restarted
        assert row == expected

    # Requests to all environments

    def reset(self) -> None:
        model, mask, seed = self.model, np.isin(np.arange(N), self.ids()), int(self.rng.integers(100))
        call = partial(self.envs.reset, seed=seed, options={"reset_mask": mask})
        if self.must_raise(model.error_of_begin(), call):
            return
        observations, _ = call()
        self.note_reset(mask, seed, observations)

    def note_reset(self, mask: Any, seed: int, observations: Any) -> None:
        for i in np.flatnonzero(mask).tolist():
            self.model.begin(i, seed + i)
            assert observations[i].tolist() == self.model.observe(i)

    def step(self) -> None:
        actions = self.actions(N)
        call = partial(self.envs.step, np.array(actions))
        if not self.must_raise(self.model.error_of_begin() or self.model.error_of_step(list(range(N))), call):
            self.check_rows(list(range(N)), dict(enumerate(actions)), call)

    def step_masked(self) -> None:
        actions, ids = self.actions(N), self.ids()
        call = partial(self.envs.step_masked, np.array(actions), np.isin(np.arange(N), ids))
        if not self.must_raise(self.model.error_of_begin() or self.model.error_of_step(ids), call):
            self.check_rows(ids, dict(enumerate(actions)), call)

    def call(self) -> None:
        call = partial(self.envs.call, "add", 7)
        if not self.must_raise(self.model.error_of_begin(), call):
            assert call() == (7, 8, 9, 10)

    # Requests that consist of two calls

    def begin(self) -> None:
        """Call `reset_async`, `step_async` or `call_async`."""
        model, kind = self.model, str(self.rng.choice(["reset", "step", "call"]))
        actions, mask, seed = self.actions(N), np.isin(np.arange(N), self.ids()), int(self.rng.integers(100))
        calls = {
            "reset": (partial(self.envs.reset_async, seed, {"reset_mask": mask}), (mask, seed)),
            "step": (partial(self.envs.step_async, np.array(actions)), actions),
            "call": (partial(self.envs.call_async, "add", 7), None),
        }
        call, arguments = calls[kind]
        error = model.error_of_begin() or (model.error_of_step(list(range(N))) if kind == "step" else None)
        if not self.must_raise(error, call):
            call()
            model.waits = kind, arguments

    def end(self) -> None:
        """Call `reset_wait`, `step_wait` or `call_wait`."""
        waits, kind = self.model.waits, str(self.rng.choice(["reset", "step", "call"]))
        call = getattr(self.envs, f"{kind}_wait")
        if self.must_raise(NoAsyncCallError if waits is None or waits[0] != kind else None, call):
            return
        arguments: Any = waits[1] if waits else None
        self.model.waits = None
        if kind == "reset":
            mask, seed = arguments
            self.note_reset(mask, seed, call()[0])
        elif kind == "step":
            self.check_rows(list(range(N)), dict(enumerate(arguments)), call)
        else:
            assert call() == (7, 8, 9, 10)

    # Requests to some environments

    def send(self) -> None:
        model, ids = self.model, self.ids()
        actions = self.actions(len(ids))
        call = partial(self.envs.send, np.array(actions), ids)
        busy = ValueError if any(i in model.sent for i in ids) else None
        if not self.must_raise(model.error_of_begin(single=True) or busy or model.error_of_step(ids), call):
            call()
            model.sent |= dict(zip(ids, actions, strict=True))

    def recv(self) -> None:
        model = self.model
        size = int(self.rng.integers(1, N + 1))
        if self.must_raise(NoAsyncCallError if size > len(model.sent) else None, partial(self.envs.recv, size)):
            return
        failing = {i for i, action in model.sent.items() if action == FAILS and not model.restart}
        failing -= {i for i in failing if model.done[i] and model.mode == "NextStep"}
        try:
            batch = self.envs.recv(size)
        except LookupError as exc:
            failed = set(exc.indices)  # type: ignore[attr-defined]
            assert failed <= failing
            for i in failed:
                assert model.row(i, model.sent.pop(i)) is None
            return
        ids = batch[5].tolist()
        assert len(set(ids)) == size
        assert not failing.intersection(ids)
        for k, i in enumerate(ids):
            self.check_row(model.row(i, model.sent.pop(i)), k, batch)

    def poll(self) -> None:
        if not self.must_raise(None if self.model.sent else NoAsyncCallError, self.envs.poll):
            assert self.envs.poll(None)


ALL = ["reset", "reset", "step", "step", "step_masked", "call"]
TWO_CALLS = ["begin", "end", "end", "end"]
SINGLE = ["send", "send", "recv", "recv", "recv", "poll"]


def play(envs: Any, model: Model, seed: int, names: list[str], calls: int) -> None:
    """Make random calls, and regularly receive the outstanding results so that other calls become possible."""
    player = Player(envs, model, np.random.default_rng(seed))
    envs.reset(seed=0)
    for i in range(N):
        model.begin(i, i)
    for k in range(calls):
        getattr(player, str(player.rng.choice(names)))()
        while k % 10 == 9 and (model.sent or model.waits):
            getattr(player, "recv" if model.sent else "end")()


@pytest.mark.parametrize("mode", MODES)
def test_sync_backend_matches_the_model(mode: str) -> None:
    for seed in range(5):
        with SyncVectorEnv([partial(Walker, i) for i in range(N)], autoreset_mode=mode) as envs:
            play(envs, Model(mode, restart=False), seed, ALL, 60)


def play_asynchronous(mode: str, variant: str, seed: int, calls: int) -> None:
    options: Any = {"autoreset_mode": mode, "context": "fork", "timeout": 100, **VARIANTS[variant]}
    with plugins.get("vector", "AsyncVectorEnv")([partial(Walker, i) for i in range(N)], **options) as envs:
        play(envs, Model(mode, restart=variant == "restart"), seed, ALL + TWO_CALLS + SINGLE, calls)


@needs_async
@pytest.mark.parametrize("k, variant", list(enumerate(VARIANTS)))
def test_every_call_is_a_transition_of_the_state_machine(k: int, variant: str) -> None:
    play_asynchronous(MODES[k % 3], variant, k, 150)


@needs_async
@pytest.mark.slow
@pytest.mark.limit(600)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_long_programs_are_transitions_of_the_state_machine(variant: str, mode: str) -> None:
    for seed in range(20):
        play_asynchronous(mode, variant, seed, 500)
