"""`Options`: how thoroughly to look."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["DEFAULT_SEED", "DEFAULT_STEPS", "DEFAULT_TIMEOUT", "PROFILES", "Options"]

DEFAULT_SEED: Final = 123
DEFAULT_STEPS: Final = 500
DEFAULT_TIMEOUT: Final = 20.0
PROFILES: Final = {"fast": (100, 0.25), "default": (DEFAULT_STEPS, 3.0), "thorough": (2000, 10.0)}
"""Steps of a recorded run, and seconds after which it takes no further one, by profile."""
RUN: Final = 0.1
"""A recorded run takes at most this part of the budget."""


@dataclass(frozen=True, slots=True)
class Options:
    """How thoroughly to look.

    Attributes:
        select, ignore: beginnings of the codes to check, and not to check.
        seed: the seed of resets and of the actions.
        steps: how many steps a recorded run takes at most.
        timeout: seconds that one call into the target may take, where it has a process of its own.
        run_seconds: seconds after which a recorded run takes no further step.
        budget: seconds after which no further call into the target is made.
        measure: whether to measure the speed, which takes a quarter of a second.
        memory: bytes of observations after which a recorded run takes no further step.
        limit: bytes of memory that a probe may take, where it has a process of its own.
        import_timeout: seconds that the import may take at least: a library, or a slow disk, is no hang.
        profile: "fast", "default" or "thorough": rules that say they need a slower one are left out.
        compat: libraries whose own limits are checked, too: "sb3", "async".
        single_instance: never make a second environment beside another.
        nondeterministic: equal seeds may give different trajectories, whatever the spec says.
        make_kwargs: arguments of whatever makes the environment.
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
        """The options of a profile: how many steps, and how long, if nothing else is asked for.

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
        """Why rules are not looked at that come too late."""
        return f"the budget of {self.budget:g} s was spent on others; --budget gives more"
