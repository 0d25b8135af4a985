"""GK1xx: the two spaces of an environment."""

from __future__ import annotations

import copy
from typing import Any

from gymkernel_tool_check.attributes import SPACES, unreadable
from gymkernel_tool_check.definition import Fault, Faults, rule
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.making import Construction, construct
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.trace import Trace, is_space
from gymkernel_tool_check.rules.reproduce import replay
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.membership import mismatch

__all__ = ["accept_their_samples", "are_spaces", "are_there", "stay_the_same_object", "stay_the_same_set"]

NAMES = SPACES
WHY = "Networks and buffers are built from the spaces before the first reset"
SAMPLES = 50


def spaces_of(env: Any) -> dict[str, Any]:
    """The spaces that are spaces."""
    found = {name: read(env, name, None) for name in NAMES}
    return {name: space for name, space in found.items() if is_space(space)}


@rule(
    "GK101",
    "observation_space and action_space are set after construction",
    why=f"{WHY}: without them nothing can be set up.",
    mend="Set self.observation_space and self.action_space in __init__.",
    probe=construct,
)
def are_there(subject: Subject, made: Construction) -> Faults:
    """Both attributes exist and are not None."""
    env = made.require()
    raising = unreadable(env)  # GK007 reports them
    missing = [name for name in NAMES if name not in raising and read(env, name) is None]
    if missing:
        plural = "are" if len(missing) > 1 else "is"
        message = f"{' and '.join(missing)} {plural} missing after construction"
        yield Fault(message, "__init__", show=f'print(getattr(env, "{missing[0]}", None))')


@rule(
    "GK102",
    "observation_space and action_space are spaces",
    why=f"{WHY}: they ask for shape, dtype, sample and contains.",
    mend="Use a space of gymkernel.spaces, or derive one from gymkernel.Space.",
    probe=construct,
)
def are_spaces(subject: Subject, made: Construction) -> Faults:
    """Both can be drawn from and tested for."""
    env = made.require()
    for name in NAMES:
        space = read(env, name, None)
        if space is None or is_space(space):
            continue
        seen = f"the class {space.__name__} itself" if is_a(space, type) else f"a {type(space).__name__}"
        message = f"{name} must be a space, got {seen}: {short(space)}"
        yield Fault(message, "__init__", show=f"print(type(env.{name}))")


@rule(
    "GK103",
    "each space is one object",
    why="A space that is made anew, on each access or in reset, forgets its seed: exploration cannot be reproduced.",
    mend="Make the space once, in __init__, and return that object from the property; let reset leave it.",
    probe=rollout,
)
def stay_the_same_object(subject: Subject, trace: Trace) -> Faults:
    """Two accesses give one object, and so do accesses before and after a call, unless the generator is passed on."""
    env = trace.env
    for name in spaces_of(env):
        if getattr(env, name) is not getattr(env, name):
            message = f"two accesses to {name} give two objects, so that {name}.seed(...) is forgotten"
            yield Fault(message, name, show=f"print(env.{name} is env.{name})  # False")
    for name, (call, path) in trace.replaced.items():
        message = f"{call.when} replaced {name}{path} by an equal space with another generator, so that what "
        message += f"{name}.seed(...) set before is forgotten"
        show = f"before = env.{name}{path}\n{replay(trace, call)}\nprint(env.{name}{path} is before)  # False"
        yield Fault(message, call.method, show, trace.seed, call.episode, call.step)


@rule(
    "GK104",
    "the spaces do not change",
    why=f"{WHY}: what changes later no longer fits them.",
    mend="Choose spaces that hold for the whole life of the environment, and set them in __init__ only.",
    probe=rollout,
)
def stay_the_same_set(subject: Subject, trace: Trace) -> Faults:
    """After episodes, each space equals what it was before the first."""
    for name, before in trace.spaces.items():
        after = read(trace.env, name, None)
        if before is None or not is_space(after):
            continue
        if not bool(before == after):
            count = len(trace.calls)
            message = f"{name} was {short(before)} before the first reset and is {short(after)} after {count} calls"
            show = f"before = repr(env.{name})\n"
            show += f"env.reset(seed={trace.seed})\nenv.step(env.action_space.sample())\nprint(before, env.{name})"
            yield Fault(message, "reset", show=show, seed=trace.seed)


@rule(
    "GK105",
    "each space contains its own samples",
    why="Random exploration acts with samples, and wrappers and checks test membership: one of them is wrong.",
    mend="Let sample and contains of the space agree, with one dtype and the same bounds.",
    probe=construct,
)
def accept_their_samples(subject: Subject, made: Construction) -> Faults:
    """Samples of a copy, so that the generator of the environment's own is left alone."""
    for name, space in spaces_of(made.require()).items():
        try:
            twin = copy.deepcopy(space)
        except Exception:  # noqa: BLE001 - a space of somebody else
            twin = space
        twin.seed(subject.options.seed)
        for i in range(SAMPLES):
            sample = twin.sample()
            if found := mismatch(space, sample):
                message = f"{name} rejects its own sample number {i + 1}: {found.message}"
                show = f"env.{name}.seed({subject.options.seed})\n"
                show += f"print(all(env.{name}.contains(env.{name}.sample()) for _ in range({i + 1})))  # False"
                yield Fault(message, "__init__", show=show, seed=subject.options.seed)
                break
