"""`check_env` and the single checks of an environment that users of this API know, by the rules of `gymkernel check`.

Each takes an environment that is there, so that it is safe where there can be but one; rules that need a second
instance are left to `gymkernel check`. Each raises `CheckFailed`, an AssertionError, with everything that it found.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any, Final

import numpy as np

from gymkernel import logger
from gymkernel_tool_check.catalogue import rules
from gymkernel_tool_check.checking import check
from gymkernel_tool_check.records import Report

__all__ = ["check_env", "check_reset_options", "check_reset_return_info_deprecation", "check_reset_return_type"]
__all__ += ["check_reset_seed_determinism", "check_returned_data_not_reused", "check_seed_deprecation"]
__all__ += ["check_space_limit", "check_step_determinism", "data_equivalence"]

STRICT: Final = ("GK409", "GK618")
"""What other checkers of this name reject, also where nothing changes it: what several calls return in common."""
STEPS: Final = 20
BUDGET: Final = 1.0
"""How long it may take where steps are slow; where they are not, the few steps end it."""


def check_env(
    env: Any,
    warn: bool | None = None,
    skip_render_check: bool = False,
    skip_close_check: bool = False,
    *,
    thorough: bool = False,
) -> Report:
    """Check an environment by the rules that one instance allows, quickly: a few short episodes, in this process.

    It is for the tests of whoever uses the environment, and takes a tenth of a second where steps are cheap. Rules that
    need further instances are skipped, so that this is safe for hardware; `gymkernel check`, and
    `gymkernel.checks.check` on a class or id, run them too.

    Args:
        env: the environment.
        warn: not used; it is part of this API.
        skip_render_check: leave out the rules of rendering.
        skip_close_check: leave out the rules of closing.
        thorough: play hundreds of steps, and look at what grows, too.

    Returns:
        The report: findings, what passed, what was skipped and why.

    Raises:
        CheckFailed: there are findings of severity error; the message has them all, and `.report` the report.
    """
    unwanted = ("GK80",) * skip_render_check + ("GK82",) * skip_close_check + ("GK95",) * (not thorough)
    ignored = [one.code for one in rules("envs") if one.code.startswith(unwanted)] if unwanted else []
    steps, budget = (None, None) if thorough else (STEPS, BUDGET)
    report = check(env, measure=False, ignore=ignored, steps=steps, budget=budget)
    report.findings = [replace(one, severity="error") if one.code in STRICT else one for one in report.findings]
    report.raise_for_errors()
    return report


def data_equivalence(data_1: Any, data_2: Any, exact: bool = False) -> bool:
    """Whether two observations, actions or infos are the same: of one type, one shape and dtype, and equal.

    NaN is the same as NaN.

    Args:
        data_1: one value.
        data_2: the other.
        exact: whether arrays must be equal to the last bit; else they may differ by 1e-5, and by that share.

    >>> import numpy as np
    >>> data_equivalence({"a": np.ones(2)}, {"a": np.ones(2) + 1e-7})
    True
    >>> data_equivalence(np.ones(2, np.float32), np.ones(2, np.float64))
    False
    """
    if type(data_1) is not type(data_2):
        return False
    if isinstance(data_1, dict):
        return data_1.keys() == data_2.keys() and all(data_equivalence(data_1[k], data_2[k], exact) for k in data_1)
    if isinstance(data_1, tuple | list):
        pairs = zip(data_1, data_2, strict=False)
        return len(data_1) == len(data_2) and all(data_equivalence(a, b, exact) for a, b in pairs)
    if isinstance(data_1, np.ndarray):
        return data_1.shape == data_2.shape and data_1.dtype == data_2.dtype and _equal_arrays(data_1, data_2, exact)
    if isinstance(data_1, float | np.floating) and np.isnan(data_1) and np.isnan(data_2):
        return True
    return bool(np.all(data_1 == data_2))


def _equal_arrays(a: Any, b: Any, exact: bool) -> bool:
    if a.dtype == object:
        return data_equivalence(a.tolist(), b.tolist(), exact)
    numbers = a.dtype.kind in "fc"
    if exact or not numbers:
        return bool(np.array_equal(a, b, equal_nan=numbers))
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-5, equal_nan=True))


def check_reset_seed_determinism(env: Any) -> None:
    """`reset` takes a seed that is None by default, and the same seed begins the same episode again.

    Args:
        env: an environment that was made; it is reset several times.

    Raises:
        CheckFailed: it does not.
    """
    _hold(env, "GK201", "GK205", "GK206")


def check_reset_options(env: Any) -> None:
    """`reset` takes options, also empty ones.

    Args:
        env: an environment that was made; it is reset.

    Raises:
        CheckFailed: it does not.
    """
    _hold(env, "GK202", "GK213")


def check_reset_return_type(env: Any) -> None:
    """`reset` returns (observation, info), and the info is a dictionary.

    Args:
        env: an environment that was made; it is reset.

    Raises:
        CheckFailed: it does not.
    """
    _hold(env, "GK203", "GK204")


def check_step_determinism(env: Any, seed: int = 123) -> None:
    """The same seed and actions give the same trajectory, over whole episodes.

    Args:
        env: the environment.
        seed: of resets and actions.

    Raises:
        CheckFailed: they do not.
    """
    _hold(env, "GK205", "GK210", "GK50", seed=seed)


def check_returned_data_not_reused(env: Any, seed: int = 123) -> None:
    """What `reset` and `step` returned stays as it was.

    Args:
        env: the environment.
        seed: of resets and actions.

    Raises:
        CheckFailed: it changes.
    """
    _hold(env, "GK404", "GK618", seed=seed)


def check_reset_return_info_deprecation(env: Any) -> None:
    """Warn of `return_info`, an argument of `reset` that is no more: the info is always returned.

    Args:
        env: an environment that was made; it is not called.
    """
    if "return_info" in _parameters(getattr(env, "reset", None)):
        logger.warn("reset takes return_info, which nobody gives any more: always return (observation, info)")


def check_seed_deprecation(env: Any) -> None:
    """Warn of a method `seed`, which nobody calls any more.

    Args:
        env: an environment that was made; it is not called.
    """
    if callable(getattr(getattr(env, "unwrapped", env), "seed", None)):
        logger.warn("there is a method seed, which nobody calls any more: seed in reset(seed=...)")


def check_space_limit(space: Any, space_type: str) -> None:
    """Warn of bounds of a Box that libraries have a hard time with, also of one inside of another space.

    Args:
        space: the space, of any library.
        space_type: what it is for: "observation", or "action", whose bounds are best finite, and symmetric.
    """
    parts = getattr(space, "spaces", None) or ()
    for part in parts.values() if isinstance(parts, dict) else parts:
        check_space_limit(part, space_type)
    low, high = getattr(space, "low", None), getattr(space, "high", None)
    if not (isinstance(low, np.ndarray) and isinstance(high, np.ndarray)):
        return
    if np.isneginf(low).any() or np.isposinf(high).any():
        logger.warn(f"the {space_type} space {space} has no bounds in some places; a tight one makes scaling possible")
    elif space_type == "action" and low.dtype.kind == "f" and not (np.array_equal(low, -high) and np.all(high <= 1)):
        logger.warn(f"the action space {space} is not symmetric within [-1, 1], which many algorithms start from")


def _parameters(method: Any) -> Any:
    try:
        return inspect.signature(method).parameters
    except (TypeError, ValueError):
        return {}


def _hold(env: Any, *codes: str, seed: int = 123) -> None:
    check(env, select=codes, seed=seed, measure=False).raise_for_errors()
