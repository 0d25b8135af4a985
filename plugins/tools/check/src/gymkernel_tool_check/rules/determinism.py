"""GK5xx and GK60x: rules about equal trajectories for equal seeds and equal actions."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.probes.nondeterminism import Cause
from gymkernel_tool_check.probes.seeding import seeding
from gymkernel_tool_check.rules.seeding import history, is_cause
from gymkernel_tool_check.rules.values import describe_cause
from gymkernel_tool_check.subject import Subject


def instances_agree(found: Cause) -> bool:
    """Run two instances with the same seed, with the global generators in different states.

    Why: A run cannot be repeated, a bug cannot be reproduced, and two algorithms cannot be compared on equal terms.
    Fix: Draw only from self.np_random, not from random, numpy.random, the clock or the order of a set.
    """
    return not is_cause(found, "GK501")


def every_generator_is_seeded(found: Cause) -> bool:
    """If runs differ, look for generators that reset does not seed and whose seeding makes the runs agree.

    Why: Most of the environment repeats its results but one part does not. Such a difference is hard to find.
    Fix: Use self.np_random instead of a private generator, or create the private generator from the seed in reset.
    """
    return not is_cause(found, "GK502")


def clock_does_not_matter(found: Cause) -> bool:
    """Compare runs with the same fake clock, which agree, with runs with different clocks, which differ.

    Why: The environment behaves differently on a faster machine, under load and in a debugger.
    Fix: Count steps or simulated seconds instead of reading a clock.
    """
    return not is_cause(found, "GK503")


def processes_agree(mismatch: Any) -> bool:
    """Compare processes that differ only in PYTHONHASHSEED.

    Why: Each worker and each start of a program hashes strings differently, so results change from run to run.
    Fix: Iterate over sorted(...) or a list, not over a set, and do not use hash() of a string.
    """
    return mismatch is None


def constructor_is_certain(found: Cause) -> bool:
    """Look for two instances that differ, although each instance repeats its own results.

    Why: Each worker of a vector environment has a different environment, and none of them can be created again.
    Fix: Draw from self.np_random in reset, or let the constructor take the value, or a seed for the value, as an
    argument.
    """
    return not is_cause(found, "GK505")


def action_space_is_left_alone(is_drawn: bool) -> bool:
    """Compare the state of the generator before and after a run that samples actions from a copy of the space.

    Why: Agents seed exploration with action_space.seed(...), and each draw by the environment changes their next
    samples.
    Fix: Draw from self.np_random in reset and step, never from self.action_space.sample().
    """
    return not is_drawn


def infos_agree(found: Cause) -> bool:
    """Compare the infos of runs that otherwise agree; NaN equals NaN, and times may differ.

    Why: Metrics and masks are read from the infos, so two runs with the same seed report different results.
    Fix: Fill the info from the state and from self.np_random, and store times under a key that contains the word time.
    """
    return not is_cause(found, "GK507")


def uses_agree(subject: Subject, found: Cause | None) -> Faults:
    """Compare a used instance with a fresh instance.

    Why: Episodes depend on each other, so results change with their order, and vectorised runs differ from single runs.
    Fix: In reset, set every attribute that step changes.
    """
    if is_cause(found, "GK602"):
        fault, words = describe_cause(subject, found)
        start = "a used instance and a fresh instance differ after the same reset(seed=...) and actions"
        yield replace(fault, message=f"{start} {words['there']}")
    elif found is None:
        with contextlib.suppress(Skip):
            seeds = subject.get(seeding)
            if (differs := history(seeds)) is not None:
                call, how = differs
                message = f"runs with the same seed and actions differ, depending on earlier calls: {how}"
                yield Fault(message, "reset", _AGAIN, call.seed, step=call.step)


_AGAIN = """seen = set()
for run in range(50):
    seen.add(repr(env.reset(seed=9)[0]))
    env.step(env.action_space.sample())
    env.reset()
print(len(seen))  # 1"""
