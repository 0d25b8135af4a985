"""GK676: the rule that compares a vector wrapper with single-environment wrappers."""

from __future__ import annotations

from gymkernel_tool_check.backends.comparison import Run
from gymkernel_tool_check.backends.rule_cases import ENVS
from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.probes.wrapping import Form
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.texts import error_text


def matches_single_wrappers(subject: Subject, seen: list[tuple[Run, Form, Form]]) -> Faults:
    """Compare a vector wrapper with the single-environment wrapper of the same name around each of three environments.

    The comparison includes all autoreset modes and resets in the middle of an episode. If a vector wrapper stores one
    value for all environments, such as a mean, its class must declare the difference in `gymkernel_expected_failures`.

    Why: A policy is often trained with many environments and evaluated with a single one. It must receive the same
    values in both cases.
    Fix: Derive the class from gymkernel.vector.VectorizedWrapper, and change the state of an episode only in the rows
    selected by `where`.
    """
    for run, single_form, vector_form in seen:
        show = _program(subject, run, single_form, vector_form)
        if run.error is not None:
            when, exc = run.error
            message = f"{when} raised {error_text(exc)}, but single wrappers work (mode {run.mode}, {run.variant})"
            yield Fault(message, "class", show)
            return
        for part, (when, detail) in run.mismatch.items():
            message = (
                f"at {when}, in the {part}, {detail} (compared with single wrappers, mode {run.mode}, {run.variant})"
            )
            yield Fault(message, "class", show)
            return


def _program(subject: Subject, run: Run, single_form: Form, vector_form: Form) -> str:
    """Return a program that prints the results of the vector wrapper and then those of the single wrappers."""
    single = single_form.expression("Single", f'probe_envs.ProbeEnv("{run.variant}", i, "rgb_array")')
    envs = vector_form.expression(
        subject.recipe.value, f'probe_envs.ProbeVectorEnv("{run.variant}", {ENVS}, "{run.mode}")'
    )
    return f"""
from {single_form.cls.__module__} import {single_form.cls.__qualname__} as Single

envs = {envs}
singles = probe_envs.ReferenceVectorEnv([lambda i=i: {single} for i in range({ENVS})], "{run.mode}")
print(envs.observation_space, envs.reset(seed=11), singles.reset(11), sep="\\n")
actions = ops.batch_space(singles.envs[0].action_space, {ENVS})
actions.seed(3)
for k in range(14):
    mask = np.array(singles.done) & (singles.mode.value == "Disabled") | (np.arange({ENVS}) != k % 2) & (k in (2, 9))
    options = {{"reset_mask": mask}}
    if mask.any():
        print(envs.reset(options=options), singles.reset(options=options), sep="\\n")
    action = actions.sample()
    print(envs.step(action), singles.step(action), sep="\\n")
"""
