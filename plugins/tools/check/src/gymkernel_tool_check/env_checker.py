"""`check_env` and the individual checks of Gymnasium's API, implemented with the rules of `gymkernel check`.

Each function checks an existing environment without creating another one, so it is safe to use with hardware. If there
are findings, the function raises `CheckFailed`, an AssertionError whose message lists all of them. Rules that need a
second instance are only checked by `gymkernel check`.
"""

from __future__ import annotations

import contextlib
import inspect
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gymkernel import logger
from gymkernel_tool_check.catalogue import rules
from gymkernel_tool_check.checking import check
from gymkernel_tool_check.equivalence import data_equivalence
from gymkernel_tool_check.probes.trace import SIMILAR
from gymkernel_tool_check.records import Report

__all__ = ["check_env", "check_reset_options", "check_reset_return_info_deprecation", "check_reset_return_type"]
__all__ += ["check_reset_seed_determinism", "check_returned_data_not_reused", "check_seed_deprecation"]
__all__ += ["check_space_limit", "check_step_determinism", "data_equivalence"]

STRICT: Final = ("GK409", "GK618")
"""Rules about data that several calls share. As in Gymnasium's checker, violations are reported as errors."""
STEPS: Final = 20
BUDGET: Final = 1.0
"""The time limit for a check in seconds. Environments with fast steps need much less time."""


def check_env(
    env: Any,
    warn: bool | None = None,
    skip_render_check: bool = False,
    skip_close_check: bool = False,
    *,
    thorough: bool = False,
) -> Report:
    """Check an environment by running a few short episodes in the current process.

    This function is meant for the tests of a program that uses the environment. It takes about a tenth of a second if
    steps are fast. Rules that need a second instance are skipped, so the function is safe to use with hardware. To
    check these rules as well, run `gymkernel check`, or pass a class or an id to `gymkernel.checks.check`.

    If the observations of two runs with the same seed differ by at most 1e-5, as with some simulators, the finding has
    the severity "warning", because Gymnasium accepts such differences, too. For `gymkernel check`, it is an error.

    Args:
        env: the environment.
        warn: unused. It exists only for compatibility with Gymnasium.
        skip_render_check: whether to skip the rules about rendering.
        skip_close_check: whether to skip the rules about closing.
        thorough: whether to run hundreds of steps and to look for leaked memory and other resources.

    Returns:
        The report, which lists the findings, the rules that passed, and the rules that were skipped with the reasons.

    Raises:
        CheckFailed: if there are findings of severity error. The message lists all of them, and the exception's
            attribute `report` is the complete report.
    """
    unwanted = ("GK80",) * skip_render_check + ("GK82",) * skip_close_check + ("GK95",) * (not thorough)
    ignored = [rule.code for rule in rules("envs") if rule.code.startswith(unwanted)] if unwanted else []
    steps, budget = (None, None) if thorough else (STEPS, BUDGET)
    report = check(env, measure=False, ignore=ignored, steps=steps, budget=budget)
    report.findings = [
        replace(finding, severity="error") if finding.code in STRICT else finding for finding in report.findings
    ]
    return _raise_for_errors(report)


def check_reset_seed_determinism(env: Any) -> None:
    """Check that `reset` has an argument `seed` that defaults to None, and that the same seed repeats an episode.

    Args:
        env: the environment. It is reset several times.

    Raises:
        CheckFailed: if the environment breaks a rule.
    """
    _hold(env, "GK201", "GK205", "GK206")


def check_reset_options(env: Any) -> None:
    """Check that `reset` accepts options, including an empty dictionary.

    Args:
        env: the environment. It is reset.

    Raises:
        CheckFailed: if the environment breaks a rule.
    """
    _hold(env, "GK202", "GK213")


def check_reset_return_type(env: Any) -> None:
    """Check that `reset` returns an observation and an info dictionary.

    Args:
        env: the environment. It is reset.

    Raises:
        CheckFailed: if the environment breaks a rule.
    """
    _hold(env, "GK203", "GK204")


def check_step_determinism(env: Any, seed: int = 123) -> None:
    """Check that the same seed and the same actions always give the same trajectory.

    Args:
        env: the environment.
        seed: the seed of the resets and actions.

    Raises:
        CheckFailed: if the trajectories differ.
    """
    _hold(env, "GK205", "GK210", "GK50", seed=seed)


def check_returned_data_not_reused(env: Any, seed: int = 123) -> None:
    """Check that later calls do not modify the values that `reset` and `step` have returned.

    Args:
        env: the environment.
        seed: the seed of the resets and actions.

    Raises:
        CheckFailed: if a later call modified a returned value.
    """
    _hold(env, "GK404", "GK618", seed=seed)


def check_reset_return_info_deprecation(env: Any) -> None:
    """Warn if `reset` still accepts the outdated argument `return_info`.

    Args:
        env: the environment. None of its methods are called.
    """
    with contextlib.suppress(AttributeError, TypeError, ValueError):  # the signature of reset is unknown
        if "return_info" in inspect.signature(env.reset).parameters:
            logger.warn("reset has the outdated argument return_info; always return (observation, info)")


def check_seed_deprecation(env: Any) -> None:
    """Warn if the environment still has the outdated method `seed`.

    Args:
        env: the environment. None of its methods are called.
    """
    if callable(getattr(getattr(env, "unwrapped", env), "seed", None)):
        logger.warn("the outdated method seed is never called; use the seed that is passed to reset(seed=...)")


def check_space_limit(space: Any, space_type: str) -> None:
    """Warn about Box bounds that training libraries handle badly, including those of Boxes inside composite spaces.

    Args:
        space: a space from any library.
        space_type: "observation" or "action". An action space should have finite and symmetric bounds.
    """
    parts = getattr(space, "spaces", None) or ()
    for part in parts.values() if isinstance(parts, dict) else parts:
        check_space_limit(part, space_type)
    low, high = getattr(space, "low", None), getattr(space, "high", None)
    if not (isinstance(low, np.ndarray) and isinstance(high, np.ndarray)):
        return
    if np.isneginf(low).any() or np.isposinf(high).any():
        logger.warn(f"the {space_type} space {space} has no bounds in some places; tight bounds make scaling possible")
    elif space_type == "action" and low.dtype.kind == "f" and not (np.array_equal(low, -high) and np.all(high <= 1)):
        logger.warn(f"the action space {space} is not symmetric and within [-1, 1], as many algorithms expect")


def _hold(env: Any, *codes: str, seed: int = 123) -> None:
    _raise_for_errors(check(env, select=codes, seed=seed, measure=False))


def _raise_for_errors(report: Report) -> Report:
    """Raise an exception if there are errors, unless two runs differ only by rounding, which Gymnasium accepts."""
    report.findings = [
        replace(finding, severity="warning") if SIMILAR in finding.message else finding for finding in report.findings
    ]
    report.raise_for_errors()
    return report
