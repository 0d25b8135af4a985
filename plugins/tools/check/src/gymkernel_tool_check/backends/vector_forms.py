"""A probe that compares a vector wrapper with the corresponding single-environment wrapper."""

from __future__ import annotations

import functools
from typing import Any

from gymkernel import ops
from gymkernel.error import UnsupportedMode
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.comparison import Run, calls, compare
from gymkernel_tool_check.backends.rule_cases import ENVS
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.probe_envs import VARIANTS, ProbeEnv, ProbeVectorEnv, ReferenceVectorEnv
from gymkernel_tool_check.probes.wrapping import Form, form_of, single_of
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["form_runs"]


@probe()
def form_runs(subject: Subject) -> list[tuple[Run, Form, Form]]:
    """Run a vector wrapper and its single-environment wrapper in each autoreset mode, with each space that both accept.

    Return the record of each run, together with a `Form` that creates each of the two wrappers.
    """
    if not isinstance(subject.object, type):
        raise Skip("the entry point cannot be loaded (GK911)")
    single, found, refused = single_of(subject.object), [], ""
    if single is None:
        raise Skip(f"the package has no single-environment wrapper {subject.object.__name__}")
    for variant in VARIANTS:
        forms, exc = subject.attempt(_forms, single, subject.object, variant)
        if exc is not None:  # a wrapper is allowed to reject some spaces
            refused = error_text(exc)
            continue
        one, several = forms
        found += [(run, one, several) for mode in AutoresetMode if (run := _run(subject, one, several, mode, variant))]
    if not found:
        raise Skip(
            "found no arguments with which both the vector wrapper and the single-environment wrapper accept a test "
            f"environment ({refused})"
        )
    return found


def _forms(single: Any, cls: Any, variant: str) -> tuple[Form, Form]:
    env, envs = ProbeEnv(variant, 0, "rgb_array"), ProbeVectorEnv(variant)
    one, several = form_of(single, env, cls), form_of(cls, envs, single)
    one.around(env), several.around(envs)
    return one, several


def _singles(one: Form, variant: str, mode: AutoresetMode) -> ReferenceVectorEnv:
    envs = [ProbeEnv(variant, i, "rgb_array") for i in range(ENVS)]
    return ReferenceVectorEnv([functools.partial(one.around, env) for env in envs], mode)


def _run(subject: Subject, one: Form, several: Form, mode: AutoresetMode, variant: str) -> Run | None:
    """Run the vector wrapper. Compare only the parts of the results in which two runs of the single wrappers agree."""
    run, apart = (Run(mode.value, variant) for _ in range(2))
    reference, twin = (_singles(one, variant, mode) for _ in range(2))
    when = "the constructor"
    try:
        with subject.catching_exit():
            env = several.around(ProbeVectorEnv(variant, ENVS, mode.value))
            _compare_spaces(run, env, reference)
            both = zip(calls(reference, run, partial=True), calls(twin, apart, partial=True), strict=True)
            for (when, ask, wanted), (_, _, again) in both:
                subject.at(when.partition(" ")[0])
                compare(run, when, ask(env), wanted)
                compare(apart, when, again, wanted)
    except UnsupportedMode:
        return None  # the wrapper does not support the mode
    except Exception as exc:  # noqa: BLE001 - every exception of the wrapper is recorded
        run.error = when, exc
    run.mismatch = {part: found for part, found in run.mismatch.items() if part not in apart.mismatch}
    return run


def _compare_spaces(run: Run, env: Any, reference: ReferenceVectorEnv) -> None:
    for name in ("observation_space", "action_space"):
        single = getattr(reference.envs[0], name)
        for label, expected in ((f"single_{name}", single), (name, ops.batch_space(single, ENVS))):
            if (space := getattr(env, label)) != expected:
                detail = f"{label} should be {short(expected)}, but is {short(space)}"
                run.mismatch.setdefault("spaces", ("the constructor", detail))
