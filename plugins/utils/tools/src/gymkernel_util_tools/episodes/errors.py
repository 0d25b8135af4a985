"""What says where a run failed."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path
from typing import Any

from gymkernel.error import Error

__all__ = ["EpisodeError"]


class EpisodeError(Error):
    """An environment or a policy failed in an episode; what it raised is the cause.

    Args:
        what: "reset", "step", "render" or "the policy".
        episode: its number, from 0.
        step: of the episode; 0 is its reset.
        seed: of the episode: a run that begins with this seed has the same episode as its first.
        action: the last one; None before the first step.
        cause: what was raised.
        space: of the actions, to say whether the action is none of it.
    """

    def __init__(
        self, what: str, episode: int, step: int, seed: int, action: Any, cause: Exception, space: Any = None
    ) -> None:
        self.what, self.episode, self.step, self.seed, self.action = what, episode, step, seed, action
        self.cause = cause
        where = f"{what} failed in episode {episode}, step {step} (seed {seed}{_of_action(action)})"
        super().__init__(f"{where}: {type(cause).__name__}: {cause}{_place(cause)}{_not_in_space(action, space)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.episode, self.step, self.seed, self.action, self.cause)


def _of_action(action: Any) -> str:
    return "" if action is None else f", action {' '.join(repr(action).split())}"


def _place(cause: Exception) -> str:
    """The line that raised; nothing where the message is a sentence of the kernel or a plugin, meant to be enough."""
    frames = traceback.extract_tb(cause.__traceback__)
    if isinstance(cause, Error) or not frames:
        return ""
    return f" [{Path(frames[-1].filename).name}:{frames[-1].lineno}, {frames[-1].name}]"


def _not_in_space(action: Any, space: Any) -> str:
    with contextlib.suppress(Exception):  # a space may fail, too, and this is about something else
        if action is not None and space is not None and action not in space:
            return f"; the action is no member of {space}"
    return ""
