"""Functions that measure the speed of an environment."""

from __future__ import annotations

import contextlib
import itertools
import statistics
import time

from gymkernel_tool_check.definition import Died, probe
from gymkernel_tool_check.probes.making import construct
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.trace import Recorder
from gymkernel_tool_check.subject import Subject

__all__ = ["measure"]

SECONDS = 0.25


@probe()
def measure(subject: Subject) -> dict[str, float]:
    """Measure construct_seconds, reset_seconds and steps_per_second. Figures that cannot be measured are left out."""
    found = {}
    with contextlib.suppress(Exception, Died):  # other rules report exceptions
        made, trace = subject.get(construct), subject.get(rollout)
        if subject.live is None and made.error is None:
            found["construct_seconds"] = made.seconds
        if trace.resets:
            found["reset_seconds"] = statistics.median(call.seconds for call in trace.resets)
        if not trace.stopped:
            slowest = max((call.seconds for call in trace.steps), default=0.0)
            found["steps_per_second"] = _speed(subject, every=8 if slowest < SECONDS / 8 else 1)
    return found


def _speed(subject: Subject, *, every: int) -> float:
    """Return the number of steps per second. Read the clock only once every `every` steps."""
    recorder = Recorder(subject, subject.env())
    actions = [recorder.sample() for _ in range(64)]
    env, seed = recorder.env, subject.options.seed
    subject.at("step", seed)
    with subject.catching_exit():
        env.reset(**({"seed": seed} if recorder.takes["seed"] else {}))
        steps, start = 0, time.perf_counter()
        for action in itertools.cycle(actions):
            _, _, terminated, truncated, _ = env.step(action)
            steps += 1
            if terminated or truncated:
                env.reset()
            if not steps % every and (seconds := time.perf_counter() - start) >= SECONDS:
                break
        return steps / seconds
