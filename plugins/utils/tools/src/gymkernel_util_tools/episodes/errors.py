"""The exception `EpisodeError`, which reports the episode and step in which a run failed."""

from __future__ import annotations

import contextlib
from typing import Any

from gymkernel.error import Error

__all__ = ["EpisodeError"]


class EpisodeError(Error):
    """Raised if an environment or a policy fails during an episode. `__cause__` is the original exception.

    Args:
        what: the part that failed: "reset", "step", "render" or "the policy".
        episode: the number of the episode, starting at 0.
        step: the number of the step in the episode, or 0 for the reset.
        seed: the seed of the episode. To repeat the episode, start a run with this seed.
        action: the last action, or None before the first step.
        cause: the exception that the environment or the policy raised.
        space: the action space, or None. If the space does not contain the action, the message says so.
    """

    def __init__(
        self, what: str, episode: int, step: int, seed: int, action: Any, cause: Exception, space: Any = None
    ) -> None:
        from gymkernel_util_tools.command_errors import place_of  # imports click, which only an error report needs

        self.what, self.episode, self.step, self.seed, self.action = what, episode, step, seed, action
        self.cause = cause
        of_action = "" if action is None else f", action {' '.join(repr(action).split())}"
        where = f"{what} failed in episode {episode}, step {step} (seed {seed}{of_action})"
        place = "" if isinstance(cause, Error) else place_of(cause)
        super().__init__(f"{where}: {type(cause).__name__}: {cause}{place}{_not_in_space(action, space)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.episode, self.step, self.seed, self.action, self.cause)


def _not_in_space(action: Any, space: Any) -> str:
    with contextlib.suppress(Exception):  # an exception from the space must not hide the original exception
        if action is not None and space is not None and action not in space:
            return f"; the action is not an element of {space}"
    return ""
