"""The `Findings` class, which collects the violations that the passive checks find in a program's environments."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Final

from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker
from gymkernel_wrapper_passive_env_checker.findings import listeners

__all__ = ["CHECKED_CALLS", "STATUS", "Finding", "Findings"]

STATUS: Final = 3
"""The exit status of a successful program with findings. Python uses 1 and 2 for other purposes."""

CHECKED_CALLS: Final = 1000
"""How many resets and how many steps of each environment `gymkernel run --check` checks."""


@dataclass(slots=True)
class Finding:
    """A rule that an environment violated, with the number of violations.

    Attributes:
        code: the code of the rule, which `gymkernel check --explain` explains.
        env: the id of the environment, or the name of its class.
        message: the message of the first occurrence.
        count: the number of occurrences.
    """

    code: str
    env: str
    message: str
    count: int = 1


class Findings:
    """The findings of the passive checks in this process. Each rule is listed only once per environment."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Finding] = {}
        self._process = os.getpid()

    def start(self, *, thorough: bool = False) -> None:
        """Start collecting findings.

        Args:
            thorough: whether to check more calls than usual.
        """
        if thorough:
            PassiveEnvChecker.checked_calls = CHECKED_CALLS
        listeners.append(self._note)

    def stop(self) -> None:
        """Stop collecting findings."""
        listeners.remove(self._note)

    def __iter__(self) -> Any:
        return iter(sorted(self._found.values(), key=lambda finding: (finding.env, finding.code)))

    def __len__(self) -> int:
        return len(self._found)

    def _note(self, code: str, message: str, env: Any) -> None:
        if os.getpid() != self._process:
            return
        spec = getattr(env, "spec", None)
        name = type(getattr(env, "unwrapped", env)).__name__ if spec is None else spec.id
        known = self._found.setdefault((code, name), Finding(code, name, message, 0))
        known.count += 1
