"""`check_env` under the name that users of this API expect, and the single checks, which are plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.checks import check, rules
from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel.checks import Report

    # stamped by tools/sync.py
    from gymkernel_util_env_checker import check_reset_options as check_reset_options
    from gymkernel_util_env_checker import check_reset_return_info_deprecation as check_reset_return_info_deprecation
    from gymkernel_util_env_checker import check_reset_return_type as check_reset_return_type
    from gymkernel_util_env_checker import check_reset_seed_determinism as check_reset_seed_determinism
    from gymkernel_util_env_checker import check_returned_data_not_reused as check_returned_data_not_reused
    from gymkernel_util_env_checker import check_seed_deprecation as check_seed_deprecation
    from gymkernel_util_env_checker import check_space_limit as check_space_limit
    from gymkernel_util_env_checker import check_step_determinism as check_step_determinism
    from gymkernel_util_env_checker import data_equivalence as data_equivalence
    # end of stamp

    __all__ = ["check_env"]
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())


def check_env(
    env: Any, warn: bool | None = None, skip_render_check: bool = False, skip_close_check: bool = False
) -> Report:
    """Check an environment by every rule that one instance allows.

    Rules that need further instances are skipped, so that this is safe for hardware; `gymkernel check`, and
    `gymkernel.checks.check` on a class or id, run them too.

    Args:
        env: the environment.
        warn: not used; it is part of this API.
        skip_render_check: leave out the rules of rendering.
        skip_close_check: leave out the rules of closing.

    Returns:
        The report: findings, what passed, what was skipped and why.

    Raises:
        CheckFailed: there are findings of severity error; the message has them all, and `.report` the report.
    """
    unwanted = ("GK80",) * skip_render_check + ("GK82",) * skip_close_check
    report = check(
        env, measure=False, ignore=[one.code for one in rules("envs") if unwanted and one.code.startswith(unwanted)]
    )
    report.raise_for_errors()
    return report
