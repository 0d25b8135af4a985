"""Functions that rules share. They select recorded calls, create faults and generate programs that repeat a run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from gymkernel_tool_check.definition import Fault, Skip
from gymkernel_tool_check.introspect import is_a
from gymkernel_tool_check.probes.rollouts import rollout, runs
from gymkernel_tool_check.probes.single_actions import ActionTrials, actions
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference

__all__ = ["action_literal", "attempts", "fault", "good_calls", "parts_of"]
__all__ += ["replay", "replay_twice", "result_of", "shared_part", "stamp"]

Seen = TypeVar("Seen")
WORK: Final = 10_000
"""The limit `max_work` for `numpy.shares_memory`, which can be slow for two interleaved arrays."""


def every_run(subject: Subject) -> Iterator[Trace]:
    """Yield the recorded run, then the runs with other seeds, and then the episodes that repeat a single action."""
    yield subject.get(rollout)
    yield from subject.get(runs)[1:]
    yield from attempts(subject).attempts


def attempts(subject: Subject) -> ActionTrials:
    """Return the recorded episodes that repeat a single action. They are empty if the probe could not run."""
    return result_of(subject, actions) or ActionTrials()


def result_of(subject: Subject, probe: Callable[[Subject], Seen]) -> Seen | None:
    """Return the result of a probe, or None if the probe could not run."""
    with contextlib.suppress(Skip):
        return subject.get(probe)
    return None


def good_calls(subject: Subject, method: str = "") -> Iterator[tuple[Trace, Call]]:
    """Yield every call of every run, or every call to one method, that returned values in the expected form."""
    for trace in every_run(subject):
        for call in trace.good:
            if call.well_formed and method in {"", call.method}:
                yield trace, call


def fault(trace: Trace, call: Call, message: str, last: str, method: str = "") -> Fault:
    """Create a fault about a call's result. The line of code `last` shows the fault after the run was repeated."""
    show = f"{replay(trace, call)}\n{last}"
    return Fault(message, method or call.method, show, seed=trace.seed, episode=call.episode, step=call.step)


def stamp(trace: Trace, call: Call) -> str:
    """Describe when a call happened, including the seed of its run."""
    return f"{call.when} (seed {trace.seed})"


def parts_of(value: Any, path: str = "", containers: Any = dict | tuple | list) -> Iterator[tuple[str, Any]]:
    """Yield (path, part) for each part of a nested value that is not itself a container."""
    if not is_a(value, containers):
        yield path, value
        return
    for key, part in value.items() if is_a(value, dict) else enumerate(value):
        yield from parts_of(part, f"{path}[{key!r}]", containers)


def shared_part(a: Any, b: Any, path: str = "") -> tuple[str, bool] | None:
    """Return the path of a writable array that two values share, and whether its contents are the same in both.

    Return None if the values share no memory. The path is empty if the values themselves share memory.

    >>> array = np.arange(4)
    >>> shared_part({"goal": array[:2]}, {"goal": array[1:]}), shared_part(array[::2], array[1::2])
    (("['goal']", False), None)
    """
    if is_a(a, np.ndarray) and is_a(b, np.ndarray):
        shared = a.flags.writeable and b.flags.writeable and _overlap(a, b)
        return (path, np.array_equal(a, b)) if shared else None
    if is_a(a, dict | list) and a is b:
        return path, True
    if is_a(a, dict) and is_a(b, dict):
        parts = [(a[key], b[key], f"{path}[{key!r}]") for key in a if key in b]
    elif is_a(a, tuple | list) and is_a(b, tuple | list):
        parts = [(*pair, f"{path}[{i}]") for i, pair in enumerate(zip(a, b, strict=False))]
    else:
        return None
    return next((found for part in parts if (found := shared_part(*part)) is not None), None)


def _overlap(a: Any, b: Any) -> bool:
    try:
        return bool(np.shares_memory(a, b, max_work=WORK))  # type: ignore[arg-type]  # the stubs list only two values
    except (np.exceptions.TooHardError, RuntimeError):
        return bool(np.may_share_memory(a, b))


STEP = "observation, reward, terminated, truncated, info = env.step({})"
LINE = 100
FEW = 3


def replay(trace: Trace, until: Call) -> str:
    """Return lines that repeat a run up to a call and assign the results to `observation`, `reward` and so on."""
    calls = trace.calls[: trace.calls.index(until) + 1]
    actions = [call.action_kept for call in calls if call.method == "step"]
    reset = f"observation, info = env.reset(seed={trace.seed})"
    if not actions and until.episode == 1:
        return reset
    if until.episode == 1 and len(actions) > FEW and (literal := _constant(actions)):
        return "\n".join([reset, f"for _ in range({len(actions)}):", f"    {STEP.format(literal)}"])
    if until.episode == 1 and (listed := _literals(actions)):
        return "\n".join([reset, f"for action in {listed}:", f"    {STEP.format('action')}"])
    lines = [f"env.action_space.seed({trace.seed})", reset]
    mask = next((call.mask for call in calls if call.mask is not None), None)
    drawn = f"env.action_space.sample({mask.show if mask is not None else ''})"
    step = f"    {STEP.format(drawn)}"
    if until.episode == 1:
        return "\n".join([*lines, f"for _ in range({len(actions)}):", step])
    cut = trace.cut is not None and any(call.step == trace.cut for call in calls)
    lines += ["ended, steps = False, 0" if cut else "ended = False", f"for _ in range({len(actions)}):"]
    lines += ["    if ended:", "        observation, info = env.reset()", *["        steps = 0"] * cut]
    lines += [step, *["    steps += 1"] * cut]
    lines += [f"    ended = terminated or truncated{f' or steps == {trace.cut}' if cut else ''}"]
    return "\n".join([*lines, *["observation, info = env.reset()"] * (until.method == "reset")])


def replay_twice(trace: Trace, until: Call, make: str = "", shown: str = "observation") -> str | Program:
    """Return lines that repeat a run twice, up to a certain call, and print the result of this call each time.

    `make` is a line that creates an instance. If it is given, each of the two runs uses a new instance.
    """
    lines = [*filter(None, [make]), *replay(trace, until).splitlines(), f"print({shown})"]
    text = "\n".join(["for run in range(2):", *(f"    {line}" for line in lines)])
    return Program(text) if make else text


def action_literal(action: Any) -> str:
    """Return an action as a Python expression, or "" if the expression would be too long or cannot be written.

    >>> action_literal(np.int64(2)), action_literal(np.zeros(2, np.float32))
    ('2', "np.array([0.0, 0.0], 'float32')")
    """
    if isinstance(action, int | np.integer):
        return str(int(action))
    if isinstance(action, np.ndarray) and action.dtype != object:
        text = f"np.array({action.tolist()}, {action.dtype.name!r})"
        return text if len(text) <= LINE else ""
    if isinstance(action, tuple):
        parts = [action_literal(part) for part in action]
        return f"({', '.join(parts)},)" if all(parts) else ""
    return ""


def _constant(actions: Sequence[Any]) -> str:
    """Return a Python expression for the action that is repeated, or "" if the actions differ."""
    same = all(difference(actions[0], action) is None for action in actions[1:])
    return action_literal(actions[0]) if same else ""


def _literals(actions: Sequence[Any]) -> str:
    literals = [action_literal(action) for action in actions]
    text = f"[{', '.join(literals)}]"
    return text if all(literals) and len(text) <= LINE else ""
