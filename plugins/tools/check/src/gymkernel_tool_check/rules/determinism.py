"""GK50x and GK602: rules that require the same seed and the same actions to give the same trajectory."""

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
    """Run two instances with the same seed but with different states of the global random number generators.

    Why: If the same seed and actions give different trajectories, bugs cannot be reproduced, and algorithms cannot be
    compared on equal terms.
    Fix: Take all randomness from self.np_random. Do not use random, numpy.random, the clock or the order of a set.
    """
    return not is_cause(found, "GK501")


def every_generator_is_seeded(found: Cause) -> bool:
    """If runs with the same seed differ, look for a random number generator that reset does not seed.

    Why: If most of the environment is reproducible but one part of it is not, the cause is hard to find.
    Fix: Use self.np_random instead of your own generator, or create your generator from the seed in reset.
    """
    return not is_cause(found, "GK502")


def clock_does_not_matter(found: Cause) -> bool:
    """Check whether runs agree if time passes in the same way, but differ if it passes at different speeds.

    Why: An environment that depends on the clock behaves differently on a faster machine, under load and in a debugger.
    Fix: Count steps or simulated seconds instead of reading a clock.
    """
    return not is_cause(found, "GK503")


def processes_agree(mismatch: Any) -> bool:
    """Compare runs in processes that differ only in the value of PYTHONHASHSEED.

    Why: Strings have a different hash in each new process, so results that depend on these hashes change from run to
    run and from worker to worker.
    Fix: Iterate over a list or sorted(...) instead of a set, and do not call hash() on a string.
    """
    return mismatch is None


def constructor_is_certain(found: Cause) -> bool:
    """Check whether two instances differ although each of them repeats its own results.

    Why: Each worker of a vector environment runs a different environment, and none of these environments can be
    recreated.
    Fix: Make the random choice in reset, using self.np_random, or add a constructor argument for the value or for its
    seed.
    """
    return not is_cause(found, "GK505")


def action_space_is_left_alone(is_drawn: bool) -> bool:
    """Compare the state of the action space's generator before and after a run that does not use the generator.

    Why: Agents make their exploration reproducible with action_space.seed(...). If the environment samples from the
    space as well, the agents get other samples.
    Fix: In reset and step, use self.np_random instead of self.action_space.sample().
    """
    return not is_drawn


def infos_agree(found: Cause) -> bool:
    """Compare the infos of runs that otherwise agree. NaN equals NaN, and measured times may differ.

    Why: Metrics and action masks are taken from infos. If infos differ, two runs with the same seed can report
    different results.
    Fix: Compute infos only from the state and self.np_random. Store measured times under a key that contains "time".
    """
    return not is_cause(found, "GK507")


def uses_agree(subject: Subject, found: Cause | None) -> Faults:
    """Compare the episodes of a used instance with those of a new instance.

    Why: If an episode depends on earlier episodes, results change with the order of the episodes, and a vector
    environment gives different results from a single environment.
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
