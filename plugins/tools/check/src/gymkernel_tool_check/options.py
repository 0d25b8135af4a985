"""`Options`, which determine what a check examines and how thoroughly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["DEFAULT_SEED", "DEFAULT_STEPS", "DEFAULT_TIMEOUT", "PROFILES", "Options"]

DEFAULT_SEED: Final = 123
DEFAULT_STEPS: Final = 500
DEFAULT_TIMEOUT: Final = 20.0
PROFILES: Final = {"fast": (100, 0.25), "default": (DEFAULT_STEPS, 3.0), "thorough": (2000, 10.0)}
"""For each profile, the number of steps in a recorded run and the run's maximum duration in seconds."""
RUN: Final = 0.1
"""The largest share of the budget that a recorded run may use."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a check.

    Attributes:
        select, ignore: prefixes of the codes of the rules to check, and of the rules not to check.
        seed: the seed of the resets and actions.
        steps: the maximum number of steps in a recorded run.
        timeout: the maximum duration of a call to the target in seconds, if the target runs in its own process.
        run_seconds: the maximum duration of a recorded run in seconds.
        budget: the maximum duration of the check in seconds. When the time is up, the target is no longer called.
        measure: whether to measure the environment's speed, which takes a quarter of a second.
        memory: the maximum total size, in bytes, of the observations that are stored for a recorded run.
        limit: the maximum amount of memory in bytes that a probe may use, if it runs in its own process.
        import_timeout: the minimum time limit for importing the target in seconds, because large libraries and slow
            disks may need more than `timeout`.
        profile: "fast", "default" or "thorough". Rules of slower profiles are left out.
        compat: other libraries whose restrictions the check enforces ("sb3" or "async").
        single_instance: whether to avoid creating a second environment while one exists.
        nondeterministic: whether equal seeds may give different trajectories, even if the spec says otherwise.
        make_kwargs: keyword arguments for creating the environment.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    seed: int = DEFAULT_SEED
    steps: int = DEFAULT_STEPS
    timeout: float = DEFAULT_TIMEOUT
    run_seconds: float = 3.0
    budget: float = math.inf
    measure: bool = True
    memory: int = 128 * 2**20
    limit: int = 16 * 2**30
    import_timeout: float = 60.0
    profile: str = "default"
    compat: tuple[str, ...] = ()
    single_instance: bool = False
    nondeterministic: bool = False
    make_kwargs: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, profile: str = "default", *, steps: int | None = None, budget: float | None = None, **more: Any
    ) -> Options:
        """Return the options of a profile, with the given values in place of the profile's own.

        >>> Options.of("fast").steps, Options.of("fast", steps=9).steps
        (100, 9)
        >>> Options.of().run_seconds, Options.of(budget=10).run_seconds
        (3.0, 1.0)
        """
        usual, seconds = PROFILES[profile]
        whole = math.inf if budget is None else budget
        if more.get("measure") is None:
            more["measure"] = profile != "fast"
        run_seconds = min(seconds, whole * RUN)
        return cls(steps=steps or usual, run_seconds=run_seconds, budget=whole, profile=profile, **more)

    @property
    def left_out(self) -> str:
        """The reason that reports give for rules that were skipped because the budget was spent."""
        return f"the budget of {self.budget:g} s was spent on other rules; use --budget for more time"
