"""GK20x and GK21x: what seeds do."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from gymkernel.checks.compare import difference
from gymkernel.checks.definition import Fault, Skip, rule
from gymkernel.checks.families.reset import SIGNATURE, inner
from gymkernel.checks.probes import LARGE_SEED, construct, divergence, rollout, seeding
from gymkernel.checks.reproduce import replay_twice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.probes import Construction, Divergence, Seeding
    from gymkernel.checks.subject import Subject

__all__ = ["remake", "skip_after"]

REPRODUCIBLE = "Results that cannot be repeated cannot be compared or debugged"
SEED = "Call super().reset(seed=seed) first in reset, and draw every random number from self.np_random."


@rule(
    "GK205",
    "reset(seed=...) begins the same episode again",
    why=f"{REPRODUCIBLE}, and workers with different seeds may run one and the same episode.",
    mend=SEED,
    probe=divergence,
)
def seed_is_honoured(subject: Subject, parted: Divergence | None) -> Iterator[Fault]:
    """The first observation of two fresh instances, and of one that is used again."""
    if parted is None or parted.code != "GK205":
        return
    seed = subject.options.seed
    message = (
        f"reset(seed={seed}) of {parted.who} gave different {_plural(parted.what)}: {parted.detail}{_hint(subject)}"
    )
    show = replay_twice(subject.get(rollout), parted.call, remake(subject, parted))
    yield Fault(message, "reset", show=show, seed=seed, episode=1, step=0)


def remake(subject: Subject, parted: Divergence) -> str:
    """The line that makes a fresh instance, where it is fresh instances that part."""
    return subject.recipe.splitlines()[-1] if parted.between == "instances" else ""


def _plural(what: str) -> str:
    return "first observations" if what == "observation" else "outcomes"


def _hint(subject: Subject) -> str:
    try:
        given = subject.get(seeding).number
    except Skip:
        return ""
    return "" if given == subject.options.seed else "; super().reset(seed=seed) was not called"


@rule(
    "GK206",
    "the seed is None by default",
    why="With another default every reset() begins the same episode: the agent trains on one single start.",
    mend=SIGNATURE,
    probe=construct,
)
def default_seed_is_none(subject: Subject, made: Construction) -> Iterator[Fault]:
    """By the signature."""
    try:
        parameter = inspect.signature(inner(made).reset).parameters.get("seed")
    except (TypeError, ValueError):
        return
    if parameter is not None and parameter.default not in {None, inspect.Parameter.empty}:
        message = f"the default of seed in reset is {parameter.default!r}, not None"
        yield Fault(message, "reset", show="import inspect\nprint(inspect.signature(env.unwrapped.reset))")


@rule(
    "GK207",
    "the seed 0 is a seed",
    why=f"{REPRODUCIBLE}; 0 is the seed that people choose most.",
    mend="Write `if seed is not None`, not `if seed`.",
    probe=seeding,
)
def zero_is_a_seed(subject: Subject, seen: Seeding) -> Iterator[Fault]:
    """Two episodes after reset(seed=0) with the same actions."""
    if subject.get(divergence) is not None:
        message = "no seed is honoured as it should be (GK205, GK210, GK501, GK602)"
        raise Skip(message)
    for a, b in zip(*seen.zero, strict=False):
        found = difference(a.kept, b.kept) or difference(a.reward, b.reward)
        if found:
            message = f"reset(seed=0) is not reproducible, other seeds are: after {a.when}, {found}"
            show = "first, _ = env.reset(seed=0)\nfirst = repr(first)\nenv.reset()\nagain, _ = env.reset(seed=0)\n"
            yield Fault(message, "reset", show=f"{show}print(first == repr(again))  # False", seed=0, step=a.step)
            return


@rule(
    "GK209",
    "reset without a seed begins another episode",
    why="The agent sees one single start, or workers repeat each other, and nothing looks wrong.",
    mend="Seed the generator only where the seed is not None; let it run on otherwise.",
    probe=seeding,
)
def unseeded_reset_runs_on(subject: Subject, seen: Seeding) -> Iterator[Fault]:
    """Seeds make a difference, and twenty resets without one make none."""
    good = [call for call in seen.seeded if call.error is None]
    if len(seen.unseeded) < 20 or any(call.error is not None for call in seen.unseeded):
        message = "resets are too slow, or fail, to compare many of them"
        raise Skip(message)
    last = good[-1].kept if good else None
    if all(difference(good[0].kept, call.kept) is None for call in good):
        return
    if all(difference(last, call.kept) is None for call in seen.unseeded):
        seed = subject.options.seed + len(seen.seeded) - 1
        message = (
            f"{len(seen.unseeded)} resets without a seed repeated the observation of reset(seed={seed}) before them"
        )
        show = f"print(env.reset(seed={seed})[0])\nfor _ in range(5):\n    print(env.reset()[0])"
        yield Fault(message, "reset", show=show, seed=seed)


@rule(
    "GK210",
    "the episodes after a seeded one are reproducible",
    why=f"{REPRODUCIBLE}: a run seeds the first episode only, and consists of all the others.",
    mend="Draw from self.np_random, and do not seed it anew where the seed is None.",
    probe=divergence,
)
def later_episodes_are_reproducible(subject: Subject, parted: Divergence | None) -> Iterator[Fault]:
    """The first observations of later episodes, with all seeds and actions the same."""
    skip_after(parted, "GK210", "GK205")
    if parted is None or parted.code != "GK210":
        return
    trace, call = subject.get(rollout), parted.call
    message = f"with the same seed and actions, {call.when} gave something else: {parted.detail}"
    show = replay_twice(trace, call, remake(subject, parted))
    yield Fault(message, "reset", show=show, seed=trace.seed, episode=call.episode, step=0)


def skip_after(parted: Divergence | None, code: str, *earlier: str) -> None:
    """Skip a rule where the runs part at an earlier place, which another rule tells of."""
    if parted is not None and parted.code != code and parted.code in earlier:
        message = f"runs with one seed part before ({parted.code})"
        raise Skip(message)


@rule(
    "GK216",
    "a large seed is a seed",
    why="Seeds that are derived from others (numpy.random.SeedSequence, hashes) need more than 32 bits.",
    mend="Seed through super().reset(seed=seed); what takes 32 bits gets a number drawn from self.np_random.",
    probe=seeding,
)
def large_seeds_work(subject: Subject, seen: Seeding) -> Iterator[Fault]:
    """One seed above 2**32, where a small one works."""
    if seen.large is not None and seen.large.error is not None:
        exc = seen.large.error
        message = f"reset(seed={LARGE_SEED}) raised {type(exc).__name__}: {exc}"
        yield Fault(message, "reset", show=f"env.reset(seed={LARGE_SEED})", seed=LARGE_SEED)
