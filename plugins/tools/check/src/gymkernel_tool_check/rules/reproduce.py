"""Functions that generate lines of Python that demonstrate a defect of the environment `env`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.recipe import Program
from gymkernel_util_spaces.compare import difference

__all__ = ["STEP", "action_literal", "replay", "replay_twice"]

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
