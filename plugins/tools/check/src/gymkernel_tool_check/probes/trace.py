"""`Recorder`, which records the calls to an environment, and the classes of these records."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gymkernel_tool_check.definition import Skip
from gymkernel_tool_check.equivalence import data_equivalence
from gymkernel_tool_check.introspect import asks_for_display, is_a, read, safely, takes
from gymkernel_tool_check.probes.masks import Mask, draw, mask_of
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system import processes
from gymkernel_tool_check.system.timeouts import Hung, TooLong, reset_timeout, within
from gymkernel_util_spaces.compare import difference, outline, snapshot
from gymkernel_util_spaces.texts import error_text

__all__ = ["SIMILAR", "Call", "Mismatch", "Recorder", "Trace", "action_space", "differing_part", "first_mismatch"]
__all__ += ["is_space", "size_of"]

SIMILAR = "; the values agree within 1e-5"
"""The end of the description of a small difference."""
STEP_LENGTH = 5
OLD_STEP_LENGTH = 4


@dataclass(slots=True)
class Call:
    """A record of a call to `reset` or `step`.

    Attributes:
        method: "reset" or "step".
        episode: the number of the episode, starting at 1.
        step: the number of the step, starting at 1; 0 for a reset.
        seed: the seed that was passed to a reset, or None.
        action: the action of a step.
        action_kept: a copy of the action that was made before the step.
        returned: the object that the call returned.
        error: the exception that the call raised, or None if it returned.
        well_formed: whether the call returned a tuple of the expected length.
        observation: the returned observation. If `returned` is not well formed, the observation is guessed.
        kept: a copy of the observation that was made immediately after the call.
        reward, terminated, truncated, info: the other results of the call.
        info_kept: a copy of the containers and arrays in the info that was made immediately after the call.
        changed_at: the later call that changed the observation, or None if no call did.
        info_changed_at: the later call that changed the info, or None if no call did.
        mask: the mask of legal actions for the next step, or None if there is no mask.
        seconds: the duration of the call in seconds.
    """

    method: str
    episode: int
    step: int
    seed: int | None = None
    action: Any = None
    action_kept: Any = None
    returned: Any = None
    error: Exception | None = None
    well_formed: bool = False
    observation: Any = None
    kept: Any = None
    reward: Any = None
    terminated: Any = False
    truncated: Any = False
    info: Any = None
    info_kept: Any = None
    changed_at: Call | None = None
    info_changed_at: Call | None = None
    mask: Mask | None = None
    seconds: float = 0.0

    @property
    def ended(self) -> bool:
        """Whether the call ended the episode."""
        flags = (self.terminated, self.truncated)
        return any(safely(bool, flag, default=True) for flag in flags)  # an array of flags has no truth value

    @property
    def when(self) -> str:
        """A phrase for messages that says when the call was made, such as "step 3 of episode 2"."""
        if self.method == "reset":
            return "the first reset" if self.episode == 1 else f"the reset that begins episode {self.episode}"
        return f"step {self.step}" if self.episode == 1 else f"step {self.step} of episode {self.episode}"


@dataclass(slots=True)
class Trace:
    """The recorded calls of a run.

    Attributes:
        env: the environment.
        seed: the seed of the first reset and of the actions.
        calls: the recorded calls, in order.
        cut: the number of steps after which an episode was abandoned, or None if every episode ended.
        stopped: the reason why the run ended early, or "" if it did not.
        size: the size of the recorded observations in bytes.
        spaces: maps "observation_space" and "action_space" to copies made at the beginning of the run.
        stepping: the step in progress, or None outside of a step.
        reset_in: the step in which the environment called its own `reset`, or None if there was no such step.
        drawn: whether the environment drew from the generator of its action space.
        unreadable: maps the name of each attribute that could not be read to a pair: when it was read, and the
            exception.
        replaced: maps the name of each space that was replaced by a space with another generator to a pair: the call
            after which this was noticed, and the affected inner space.
        is_short: whether the time limit cut the run short, so that it has too few steps for a verdict.
        leak: the number of bytes that each step leaks, or 0 if the leak is small.
    """

    env: Any
    seed: int
    calls: list[Call] = field(default_factory=list)
    cut: int | None = None
    stopped: str = ""
    size: int = 0
    spaces: dict[str, Any] = field(default_factory=dict)
    stepping: Call | None = None
    reset_in: Call | None = None
    drawn: bool = False
    unreadable: dict[str, tuple[str, Exception]] = field(default_factory=dict)
    replaced: dict[str, tuple[Call, str]] = field(default_factory=dict)
    is_short: bool = False
    leak: float = 0.0

    @property
    def steps(self) -> list[Call]:
        """All steps that raised no exception."""
        return [call for call in self.calls if call.method == "step" and call.error is None]

    @property
    def resets(self) -> list[Call]:
        """All resets that raised no exception."""
        return [call for call in self.calls if call.method == "reset" and call.error is None]

    @property
    def good(self) -> list[Call]:
        """All calls that raised no exception."""
        return [call for call in self.calls if call.error is None]

    @property
    def failed(self) -> Call | None:
        """The call that raised an exception, or None. A run ends at the first exception."""
        return self.calls[-1] if self.calls and self.calls[-1].error is not None else None


Mismatch = tuple[Call, str, str]
"""The first difference between two runs: the call in the first run, the part of its result, and a description."""


class Recorder:
    """A recorder that resets and steps an environment with random actions, and records all calls.

    Args:
        subject: the target of the check.
        env: the environment.
        seed: the seed of the first reset and of the actions, or None for the seed of the check.
    """

    def __init__(self, subject: Subject, env: Any, seed: int | None = None) -> None:
        self.subject, self.env = subject, env
        self.trace = Trace(env, subject.options.seed if seed is None else seed)
        self.takes = {name: takes(env, name) for name in ("seed", "options")}
        self._space: Any = None
        self._episode = self._step = 0
        self._slowest: float | None = None

    def reset(self, seed: int | None = None, options: Any = None) -> Call:
        """Reset the environment and record the call."""
        self._episode, self._step = self._episode + 1, 0
        call = Call("reset", self._episode, 0, seed=seed)
        given = {"seed": seed, "options": options}
        arguments = {k: v for k, v in given.items() if v is not None and self.takes[k]}
        seconds = reset_timeout(self.subject.options.timeout / (10 if self.subject.hangs else 1), self._slowest)
        self._call(call, lambda: self.env.reset(**arguments), seconds)
        self._slowest = max(self._slowest or 0.0, call.seconds)
        if call.error is None:
            returned = call.returned
            call.well_formed = is_a(returned, tuple) and len(returned) == 2
            call.observation, call.info = returned if call.well_formed else (returned, None)
        return self._keep(call)

    def step(self, action: Any = None) -> Call:
        """Take a step with the given action (None for a random action) and record the call."""
        self._step += 1
        action = self.sample() if action is None else action
        call = Call("step", self._episode, self._step, action=action, action_kept=snapshot(action))
        self._call(call, lambda: self.env.step(action))
        if call.error is None:
            returned = call.returned
            length = len(returned) if is_a(returned, tuple) else 0
            call.well_formed = length == STEP_LENGTH
            if call.well_formed:
                call.observation, call.reward, call.terminated, call.truncated, call.info = returned
            elif length == OLD_STEP_LENGTH:
                call.observation, call.reward, call.terminated, call.info = returned
            else:
                self.trace.stopped = "step returns something else than its five values (GK311)"
        return self._keep(call)

    def play(self, steps: int, deadline: float = math.inf, *, one_episode: bool = False) -> list[Call]:
        """Continue the run for some calls, resetting the environment whenever an episode ends, and return these calls.

        Args:
            steps: the maximum number of calls, including resets. The run ends earlier if a call fails.
            deadline: the time after which no more calls are made, as a value of `time.perf_counter`.
            one_episode: whether to stop at the end of the episode.
        """
        calls = self.trace.calls
        start = len(calls)
        for _ in range(steps):
            ended = calls[-1].ended
            if self.trace.stopped or time.perf_counter() > deadline or (ended and one_episode):
                break
            self.reset() if ended else self.step()
        return calls[start:]

    def repeat(self, calls: Iterable[Call], deadline: float = math.inf) -> Iterator[Call]:
        """Repeat the calls of another run with the same seeds and actions, and yield each repeated call.

        Args:
            calls: the calls of another run.
            deadline: the time after which no more calls are made, as a value of `time.perf_counter`. The run also ends
                if a call raises an exception.
        """
        for before in calls:
            if self.trace.failed is not None or time.perf_counter() > deadline:
                break
            yield self.reset(before.seed) if before.method == "reset" else self.step(snapshot(before.action_kept))

    def sample(self) -> Any:
        """Return a random action. If the last call returned a mask of legal actions, the action is legal."""
        if self._space is None:
            self._space = action_space(self.env)
            self._space.seed(self.trace.seed)
        mask = self.trace.calls[-1].mask if self.trace.calls else None
        return self._space.sample() if mask is None else draw(self._space, mask)

    def _call(self, call: Call, ask: Any, seconds: float | None = None) -> None:
        if reason := self.subject.stuck(call.method, call.episode, call.step):
            raise Skip(reason)
        self.subject.at(call.method, self.trace.seed, call.episode, call.step)
        self.trace.stepping = call if call.method == "step" else None
        start = time.perf_counter()
        try:
            with self.subject.catching_exit(), contextlib.nullcontext() if seconds is None else within(seconds):
                call.returned = ask()
        except TooLong:
            call.error = Hung(f"it did not return in {seconds:.3g} s")
            self.trace.stopped = f"{call.method} did not return (GK217)"
            self.subject.hung(call.method, call.episode, call.step)
        except Exception as exc:
            if not processes.has_display() and (reason := asks_for_display(exc)):
                raise Skip(reason) from exc
            call.error = exc
            self.trace.stopped = f"{call.method} raised {type(exc).__name__}"
        call.seconds = time.perf_counter() - start
        self.trace.stepping = None

    def _keep(self, call: Call) -> Call:
        trace = self.trace
        if trace.calls and call.error is None:
            last = trace.calls[-1]
            if last.changed_at is None and difference(last.kept, last.observation):
                last.changed_at = call
            if last.info_changed_at is None and difference(last.info_kept, last.info):
                last.info_changed_at = call
        call.kept, call.info_kept = snapshot(call.observation), outline(call.info)
        trace.size += 2 * size_of(call.kept)
        trace.calls.append(call)
        if call.error is None:
            call.mask = mask_of(self.env, call.kept, call.info_kept)
        return call


def first_mismatch(before: Iterable[Call], after: Iterable[Call]) -> Mismatch | None:
    """Return the first difference between two runs, or None. If one run is longer, its last calls are ignored.

    Args:
        before: the calls of the first run.
        after: the calls of the second run. If the runs differ, the iteration ends at the difference.
    """
    for a, b in zip(before, after, strict=False):
        if a.method != b.method or (a.error is not None and b.error is not None):
            break
        if b.error is not None:
            return a, "outcome", f"it returns and then raises {error_text(b.error)}"
        if found := differing_part(a, b):
            return a, *found
    return None


def differing_part(before: Call, call: Call) -> tuple[str, str] | None:
    """Return the part of the results in which two calls differ, and a description, or None if the results agree."""
    for what in ("observation", "reward", "terminated", "truncated"):
        name = "kept" if what == "observation" else what
        first, second = getattr(before, name), getattr(call, name)
        if found := difference(first, second):
            return what, f"{found}{SIMILAR if _are_similar(first, second) else ''}"
    return None


def _are_similar(first: Any, second: Any) -> bool:
    with contextlib.suppress(Exception):  # values whose comparison raises an exception are not similar
        return data_equivalence(first, second)
    return False


def is_space(space: Any) -> bool:
    """Return whether an object has the methods `sample` and `contains`."""
    return not is_a(space, type) and all(callable(read(space, name)) for name in ("sample", "contains"))


def action_space(env: Any) -> Any:
    """Return a copy of the action space, so that sampling does not advance the environment's own generator."""
    space = read(env, "action_space", None)
    if not is_space(space):
        raise Skip("there is no action space to sample actions from (GK101, GK102, GK007)")
    return snapshot(space)


def size_of(value: Any) -> int:
    """Return the total size of the arrays in a nested value in bytes."""
    if is_a(value, np.ndarray):
        return value.nbytes  # type: ignore[no-any-return]
    if is_a(value, dict):
        return sum(map(size_of, value.values()))
    if is_a(value, tuple | list):
        return sum(map(size_of, value))
    return 8
