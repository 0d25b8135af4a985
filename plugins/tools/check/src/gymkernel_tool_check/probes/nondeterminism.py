"""Probes that find out why runs with the same seed and actions differ, by testing one possible cause after another."""

from __future__ import annotations

import contextlib
import copy
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.events import CauseFound
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.clock import clock_modules, fake_clock
from gymkernel_tool_check.probes.generators import generators, states
from gymkernel_tool_check.probes.interference import interference
from gymkernel_tool_check.probes.repetition import (
    Divergence,
    divergence,
    first_info_mismatch,
    repeat_calls,
    repetition,
    scrambled_global_generators,
)
from gymkernel_tool_check.probes.rollouts import episode_lengths, play_on, rollout
from gymkernel_tool_check.probes.shared_data import state_of
from gymkernel_tool_check.probes.trace import Call, Recorder, first_mismatch
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference

__all__ = ["Cause", "cause", "cause_code", "known_cause", "repeats"]

TICK: Final = 0.01
JUMP: Final = 97.0
"""The number of seconds by which a fake clock advances. `TICK` is very short, and `JUMP` is longer than any pause."""
SHORT: Final = 60


@dataclass(slots=True)
class Cause:
    """The cause of differing runs: the rule that reports it, the first difference, and the generators involved."""

    code: str
    mismatch: Divergence
    names: tuple[str, ...] = ()
    hint: str = ""


@probe()
def cause(subject: Subject) -> Cause | None:
    """Repeat the rollout. Return the cause if the runs differ, otherwise None."""
    found = _cause(subject)
    subject.tell(CauseFound("" if found is None else found.code))
    return found


def cause_code(subject: Subject) -> str | None:
    """Return the code of the rule that explains why runs differ, or None if they do not differ.

    The first process that needs the answer searches for the cause. The other processes then use its answer.

    Raises:
        Skip: if the cause cannot be determined.
    """
    if subject.known.cause is not None:
        return subject.known.cause or None
    found = subject.get(cause)
    return None if found is None else found.code


def known_cause(subject: Subject) -> str | None:
    """Return the code of the rule that explains why runs differ, or None if they agree or the cause is unknown."""
    with contextlib.suppress(Skip):
        return cause_code(subject)
    return None


def repeats(subject: Subject) -> bool:
    """Return whether runs with the same seed agree, apart from their infos. Return False if this is unknown."""
    try:
        if subject.known.cause is not None:
            return subject.known.cause in {"", "GK507"}
        return subject.get(repetition).mismatch is None
    except Skip:
        return False


def _cause(subject: Subject) -> Cause | None:
    seen, first = subject.get(repetition), subject.get(rollout)
    modules, mismatch = clock_modules(first.env), seen.mismatch
    if mismatch is None:
        return _by_the_clock(subject, modules) or _infos(subject, seen.info, modules)
    calls = first.good[: first.good.index(mismatch.call) + SHORT]
    trials = _Trials(subject, calls)
    if mismatch.between == "instances" and not _influenced(subject) and trials.constructor_draws():
        return Cause("GK505", mismatch)
    if modules and trials.agree_by_one_clock(modules, used=mismatch.between == "uses"):
        return Cause("GK503", mismatch)
    if mismatch.between == "uses":
        return Cause("GK601", mismatch) if subject.get(episode_lengths).collapse else _after_use(trials, mismatch)
    if mismatch.between == "instances" and _influenced(subject):
        return Cause("GK611", mismatch)
    return _from_the_start(trials, mismatch)


def _influenced(subject: Subject) -> bool:
    """Return whether runs differ because another instance was used earlier."""
    try:
        return subject.get(interference).influence is not None
    except Skip:
        return False


def _by_the_clock(subject: Subject, modules: list[Any]) -> Cause | None:
    """Return a cause if runs differ only when a fake clock makes one of the runs seem to take longer."""
    if not modules:
        return None
    first = subject.get(rollout)
    with fake_clock(modules, JUMP):
        calls = repeat_calls(subject, subject.env(), first.good)
    mismatch = divergence("instances", first.good, calls)
    return None if mismatch is None else Cause("GK503", mismatch, hint="once the clock runs faster")


def _infos(subject: Subject, mismatch: Divergence | None, modules: list[Any]) -> Cause | None:
    if mismatch is None:
        return None
    if modules:
        calls, runs = subject.get(rollout).good[:SHORT], []
        for _ in range(2):
            with fake_clock(modules, TICK):
                runs.append(repeat_calls(subject, subject.env(), calls))
        if first_info_mismatch("instances", *runs) is None:
            return None  # infos are allowed to contain the current time
    return Cause("GK507", mismatch)


def _from_the_start(trials: _Trials, mismatch: Divergence) -> Cause:
    """Return the cause if new instances differ from each other, or if only one instance exists."""
    seeded = trials.number() == trials.seed
    names = trials.unseeded()
    if names and (seeded or mismatch.code != "GK205"):
        return Cause("GK502", mismatch, names)
    if mismatch.between == "runs" and trials.stale():
        return Cause("GK215", mismatch)
    hint = "; super().reset(seed=seed) was not called" if not seeded else ""
    if names:
        hint += f", and {names[0]} is not seeded"
    elif trials.global_generators():
        hint = "; it draws from random or numpy.random, the generators of the whole program"
    return Cause(mismatch.code, mismatch, hint=hint)


def _after_use(trials: _Trials, mismatch: Divergence) -> Cause:
    """Return the cause if new instances agree with each other, but a used instance differs from them."""
    if trials.stale():
        return Cause("GK215", mismatch)
    matters, later = trials.seeds_matter(used=False), trials.seeds_matter(used=True)
    if matters and not later:
        return Cause("GK208", mismatch)
    changed = trials.changed_by_use()
    follow = trials.follow_the_seed(used=False) if changed else []
    private = tuple(name for name in changed if name not in follow)
    once = tuple(name for name in changed if name in follow and name not in trials.follow_the_seed(used=True))
    if once:
        return Cause("GK208", mismatch, once)
    if private:
        return Cause("GK502", mismatch, private)
    if changed or (mismatch.call.method == "reset" and trials.number() != trials.seed and trials.resets_add_up()):
        return Cause("GK211", mismatch, tuple(changed))
    return Cause("GK602", mismatch)


class _Trials:
    """A set of experiments that repeat a run in new and in used instances.

    Args:
        subject: the target to examine.
        calls: the calls to repeat, which end a few calls after the first difference.
    """

    def __init__(self, subject: Subject, calls: Sequence[Call]) -> None:
        self.subject, self.calls = subject, calls
        self.seed = subject.options.seed

    def instance(self, *, seeded: bool = True) -> Any:
        """Return a new instance that was reset with the seed of the run, or that was never reset."""
        env = self.subject.env()
        if seeded:
            self.reset(env, self.seed)
        return env

    def used(self) -> Any:
        """Return an instance that has run the whole rollout."""
        env = self.subject.env()
        repeat_calls(self.subject, env, self.subject.get(rollout).good)
        play_on(Recorder(self.subject, env, self.seed + 1), self.subject.options.steps // 2, time.perf_counter() + 0.5)
        return env

    def run(self, env: Any, *, scrambled: bool = True) -> list[Call]:
        return repeat_calls(self.subject, env, self.calls, scrambled=scrambled)

    def same(self, a: Sequence[Call], b: Sequence[Call]) -> bool:
        return first_mismatch(a, b) is None

    def reset(self, env: Any, seed: int) -> Call:
        return Recorder(self.subject, env, seed).reset(seed=seed)

    def states_after_reset(self, env: Any, seed: int) -> dict[str, str]:
        """Reset an environment, and return the states of its generators, including the one that `super` seeds."""
        self.reset(env, seed)
        own = read(read(env, "unwrapped", env), "_np_random", None)
        return states(env) | ({"self.np_random": state_of(own)} if isinstance(own, np.random.Generator) else {})

    def number(self) -> Any:
        """Reset an environment with the seed of the run, and return the seed that its generator stores."""
        env = self.instance()
        return read(read(env, "unwrapped", env), "_np_random_seed", None)

    def agree_by_one_clock(self, modules: list[Any], *, used: bool) -> bool:
        """Return whether three runs agree if their clocks advance by the same amount at each reading."""
        runs: list[list[Call]] = []
        for later in (False, True, True):
            env = self.used() if used and later else None
            with fake_clock(modules, TICK):
                runs.append(self.run(self.subject.env() if env is None else env, scrambled=False))
        return all(self.same(runs[0], other_run) for other_run in runs[1:])

    def constructor_draws(self) -> bool:
        """Return whether each instance repeats its own run, but the runs of two instances differ."""
        try:
            envs = [self.subject.env(second=True) for _ in range(4)]
        except Skip:
            return False
        first = [self.run(env, scrambled=False) for env in envs]
        second = [self.run(env) for env in envs]
        faithful = all(self.same(a, b) for a, b in zip(first, second, strict=True))
        return faithful and not all(self.same(first[0], other_run) for other_run in first[1:])

    def unseeded(self) -> tuple[str, ...]:
        """Return the generators that `reset` does not seed, if restoring their states makes the runs agree."""
        env = self.instance()
        before = states(env)
        self.run(env)
        self.reset(env, self.seed)
        after = states(env)
        names = tuple(name for name in before if name in after and before[name] != after[name])
        if not names:
            return ()
        kept = {name: copy.deepcopy(generator) for name, generator in generators(env).items() if name in names}
        runs = []
        for _ in range(2):
            now = generators(env)
            for name in names:
                _restore(now.get(name), kept[name])
            runs.append(self.run(env))
        return names if self.same(*runs) else ()

    def global_generators(self) -> bool:
        """Return whether the runs agree if the global generators have the same state at the start of each run."""
        runs = []
        for _ in range(2):
            with scrambled_global_generators(7):
                runs.append(self.run(self.subject.env(), scrambled=False))
        return self.same(*runs)

    def stale(self) -> bool:
        """Return whether `reset` returns an observation of the previous episode, but later steps are correct."""
        first = self.subject.get(rollout).good
        env = self.subject.env()
        played = repeat_calls(self.subject, env, [call for call in first[:4] if call.episode == 1])
        again = repeat_calls(self.subject, env, first[:2])
        if len(again) < 2 or any(call.error is not None for call in (played[-1], *again)):
            return False
        reset, step = again
        return (
            difference(reset.kept, played[-1].kept) is None
            and difference(reset.kept, first[0].kept) is not None
            and difference(step.kept, first[1].kept) is None
        )

    def seeds_matter(self, *, used: bool) -> bool:
        """Return whether two seeds give different runs, in new instances or in instances that were seeded before."""
        actions = [call for call in self.calls if call.method == "step"][:SHORT]
        resets = (replace(self.calls[0], seed=self.seed + k) for k in (1, 2))
        runs = (repeat_calls(self.subject, self.instance(seeded=used), [reset, *actions]) for reset in resets)
        return not self.same(*runs)

    def changed_by_use(self) -> list[str]:
        """Return the generators whose state after `reset(seed=...)` depends on how the instance was used before."""
        envs = (self.subject.env(), self.subject.env(), self.used())
        before, other, after = (self.states_after_reset(env, self.seed) for env in envs)
        return [name for name in before if before[name] == other.get(name) and before[name] != after.get(name)]

    def follow_the_seed(self, *, used: bool) -> list[str]:
        """Return the generators whose state after `reset(seed=...)` depends on the seed, in new or used instances."""
        before, after = (self.states_after_reset(self.instance(seeded=used), self.seed + k) for k in (1, 2))
        return [name for name in before if before[name] != after.get(name)]

    def resets_add_up(self) -> bool:
        """Return whether `reset(seed=...)` returns a different observation when it is called a second time."""
        env = self.subject.env()
        return difference(self.reset(env, self.seed).kept, self.reset(env, self.seed).kept) is not None


def _restore(generator: Any, kept: Any) -> None:
    """Give a generator the state of a copy that was made earlier."""
    if isinstance(generator, np.random.Generator):
        generator.bit_generator.state = kept.bit_generator.state
    elif isinstance(generator, random.Random):
        generator.setstate(kept.getstate())
    elif generator is not None:
        generator.set_state(kept.get_state())
