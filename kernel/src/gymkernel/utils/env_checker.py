"""`check_env` under the name that users of this API expect; the rules are those of `gymkernel check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.checks import check, rules

if TYPE_CHECKING:
    from gymkernel.checks import Report

__all__ = ["check_env"]


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
