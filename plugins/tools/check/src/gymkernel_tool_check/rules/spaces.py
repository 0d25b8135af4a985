"""GK1xx: rules about the observation space and the action space of an environment."""

from __future__ import annotations

import copy
from typing import Any

from gymkernel_tool_check.attributes import SPACES, unreadable
from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.introspect import is_a, read
from gymkernel_tool_check.probes.making import Construction
from gymkernel_tool_check.probes.trace import Trace, is_space
from gymkernel_tool_check.rules.reproduce import replay
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.membership import mismatch

__all__ = ["accept_their_samples", "are_spaces", "are_there", "do_not_change", "stay_the_same_object"]

NAMES = SPACES
SAMPLES = 50


def spaces_of(env: Any) -> dict[str, Any]:
    """Return an environment's observation space and action space, keyed by attribute name, if they are spaces."""
    found = {name: read(env, name, None) for name in NAMES}
    return {name: space for name, space in found.items() if is_space(space)}


def are_there(subject: Subject, construction: Construction) -> Faults:
    """Check that observation_space and action_space exist and are not None.

    Why: Networks and buffers are built from the spaces before the first reset, so nothing works without them.
    Fix: Set self.observation_space and self.action_space in __init__.
    """
    env = construction.require()
    raising = unreadable(env)  # GK007 reports attributes that cannot be read
    missing = [name for name in NAMES if name not in raising and read(env, name) is None]
    if missing:
        plural = "are" if len(missing) > 1 else "is"
        message = f"{' and '.join(missing)} {plural} missing after construction"
        yield Fault(message, "__init__", show=f'print(getattr(env, "{missing[0]}", None))')


def are_spaces(subject: Subject, construction: Construction) -> Faults:
    """Check that both attributes are objects with the methods `sample` and `contains`.

    Why: Networks and buffers are built from the spaces before the first reset, using their attributes shape and dtype
    and their methods sample and contains.
    Fix: Use a space from gymkernel.spaces, or derive a class from gymkernel.Space.
    """
    env = construction.require()
    for name in NAMES:
        space = read(env, name, None)
        if space is None or is_space(space):
            continue
        seen = f"the class {space.__name__} itself" if is_a(space, type) else f"a {type(space).__name__}"
        message = f"{name} must be a space, got {seen}: {short(space)}"
        yield Fault(message, "__init__", show=f"print(type(env.{name}))")


def stay_the_same_object(subject: Subject, trace: Trace) -> Faults:
    """Check that each space attribute returns the same object at every access and after every call.

    A call may replace a space if the new space has the generator of the old one.

    Why: If a new space is created at each access or in reset, it has not been seeded, so exploration cannot be
    reproduced.
    Fix: Create the space once, in __init__. If the attribute is a property, return this object. Do not replace it in
    reset.
    """
    env = trace.env
    for name in spaces_of(env):
        if getattr(env, name) is not getattr(env, name):
            message = f"two accesses to {name} return different objects, so the effect of {name}.seed(...) is lost"
            yield Fault(message, name, show=f"print(env.{name} is env.{name})  # False")
    for name, (call, path) in trace.replaced.items():
        message = f"{call.when} replaced {name}{path} with an equal space that has another generator, so the effect "
        message += f"of {name}.seed(...) is lost"
        show = f"before = env.{name}{path}\n{replay(trace, call)}\nprint(env.{name}{path} is before)  # False"
        yield Fault(message, call.method, show, trace.seed, call.episode, call.step)


def do_not_change(subject: Subject, trace: Trace) -> Faults:
    """Compare each space after several episodes with a copy made before the first reset.

    Why: Networks and buffers are built from the spaces before the first reset. If a space changes later, they no longer
    match it.
    Fix: Choose spaces that remain valid for the lifetime of the environment, and set them only in __init__.
    """
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


def accept_their_samples(subject: Subject, construction: Construction) -> Faults:
    """Draw samples from a copy of each space, and check that the space contains them.

    Why: Random exploration uses samples as actions, while wrappers and checks call contains. If the two methods
    disagree, one of them is wrong.
    Fix: Use the same dtype and the same bounds in the space's methods sample and contains.
    """
    for name, space in spaces_of(construction.require()).items():
        try:
            twin = copy.deepcopy(space)
        except Exception:  # noqa: BLE001 - a third-party space may raise any exception
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
