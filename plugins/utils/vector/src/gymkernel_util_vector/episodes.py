"""The class `EpisodeBoundaries`, which determines when the episodes of a vector environment start and end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ResetNeeded
from gymkernel.vector_env import AutoresetMode, episodes_over

if TYPE_CHECKING:
    from gymkernel.protocols import Mask, Options, Where

__all__ = ["EpisodeBoundaries"]

_BOOL = np.dtype(np.bool_)


class EpisodeBoundaries:
    """An object that determines when the episodes of several environments start and end, for any autoreset mode.

    Only this class defines how an autoreset mode affects a step. Vector environments, their wrappers and their workers
    have one instance each. They call `plan_step` before or after each step, `finish_step` with the results of each
    step, and `finish_reset` with the options of each reset.

    Args:
        num_envs: the number of environments.
        mode: a member of `AutoresetMode` or of another library's enum, or the value of a member.

    Attributes:
        mode: the autoreset mode.
        is_same_step: whether the mode is SAME_STEP, in which the step that ends an episode also starts the next one.
        over: a Boolean array of shape (num_envs,) that is True for each environment whose episode has ended and whose
            next episode has not started yet. The array is never changed in place.
        any_over: whether `over` is True for any environment.
        unstarted: a Boolean array of shape (num_envs,) that is True for each environment that has never been reset.

    Raises:
        ValueError: if the mode does not exist.

    >>> episodes = EpisodeBoundaries(2)
    >>> episodes.finish_reset(None), episodes.plan_step()
    (Ellipsis, (None, Ellipsis))
    >>> ended, began = episodes.finish_step(np.array([True, False]), np.array([False, False]))
    >>> ended, began
    (array([ True, False]), None)
    >>> episodes.plan_step()
    (array([ True, False]), array([False,  True]))
    """

    def __init__(self, num_envs: int, mode: Any = AutoresetMode.NEXT_STEP) -> None:
        self.mode = AutoresetMode(getattr(mode, "value", mode))
        self._is_next_step = self.mode is AutoresetMode.NEXT_STEP
        self.is_same_step = self.mode is AutoresetMode.SAME_STEP
        self.over: Mask = np.zeros(num_envs, np.bool_)
        self.any_over = False
        self._nobody = self.over
        self.unstarted = ~self.over
        self._any_unstarted = True

    @classmethod
    def around(cls, envs: Any) -> EpisodeBoundaries:
        """Create an instance for a vector environment. The mode is taken from its metadata (default: NEXT_STEP).

        Args:
            envs: a vector environment from any library.
        """
        return cls(envs.num_envs, envs.metadata.get("autoreset_mode") or AutoresetMode.NEXT_STEP)

    def finish_reset(self, options: Options) -> Where:
        """Record a reset, and return a mask of the environments that were reset, or `...` for all environments.

        Args:
            options: the options that were passed to `reset`, with or without "reset_mask".
        """
        where: Where = ... if options is None else options.get("reset_mask", ...)
        self.unstarted[where] = False
        self._any_unstarted = _is_any(self.unstarted)
        if self.any_over:
            self.over = self.over.copy()
            self.over[where] = False
            self.any_over = _is_any(self.over)
        return where

    def check_ready(self, mask: Mask | None = None) -> None:
        """Raise an error if an environment has to be reset before its next step.

        Args:
            mask: a mask of the environments to step, or None for all environments.

        Raises:
            ResetNeeded: if an environment has never been reset, or if its episode has ended in DISABLED mode.
        """
        if self._any_unstarted:
            missing = np.flatnonzero(self.unstarted).tolist()
            raise ResetNeeded(f"Expected reset before step; environments {missing} were never reset")
        if self.any_over and not self._is_next_step:
            late = np.flatnonzero(self.over if mask is None else self.over & mask).tolist()
            if late:
                raise episodes_over(f"Environments {late}")

    def find_starting(self, mask: Mask | None = None) -> Mask | None:
        """Return a mask of the environments that start an episode in the next step instead of acting, or None.

        Args:
            mask: a mask of the environments to step, or None for all environments.
        """
        if not (self.any_over and self._is_next_step):
            return None
        if mask is None:
            return self.over
        starting = self.over & mask
        return starting if _is_any(starting) else None

    def plan_step(self, mask: Mask | None = None) -> tuple[Mask | None, Where]:
        """Return which environments start an episode in the next step, and which environments perform an action.

        The result stays the same until `finish_step` or `finish_reset` is called.

        Args:
            mask: a mask of the environments to step, or None for all environments.

        Returns:
            Two masks. The first mask selects the environments that start an episode instead of performing an action, or
            is None if there are no such environments. The second mask selects the environments that perform an action,
            or is `...` for all environments.
        """
        starting = self.find_starting(mask)
        if starting is None:
            return None, ... if mask is None else mask
        return starting, ~starting if mask is None else mask & ~starting

    def finish_step(
        self, terminations: Any, truncations: Any, mask: Mask | None = None
    ) -> tuple[Mask | None, Mask | None]:
        """Record a step. Return which environments ended an episode in it, and which of them also started the next one.

        Args:
            terminations: a Boolean array of shape (num_envs,). Values outside the mask are ignored.
            truncations: a Boolean array of shape (num_envs,). Values outside the mask are ignored.
            mask: a mask of the environments that were stepped, or None for all environments.

        Returns:
            Two masks. A mask that would select no environments is None. In SAME_STEP mode, the masks are equal. In the
            other modes, the step that ends an episode never starts the next one, so the second mask is None.
        """
        if mask is None and not (_is_any(terminations) or _is_any(truncations)):
            self.over, self.any_over = self._nobody, False
            return None, None
        ended: Mask = terminations | truncations
        if mask is not None:
            ended = ended & mask
        is_end = mask is None or _is_any(ended)
        if self.is_same_step:
            return (ended, ended) if is_end else (None, None)
        self.over = ended if mask is None else np.where(mask, ended, self.over)
        self.any_over = is_end or _is_any(self.over)
        return ended if is_end else None, None


def _is_any(flags: Any) -> bool:
    """Return whether any flag is True. If there are few environments, this is many times faster than `np.any`."""
    plain = type(flags) is np.ndarray and flags.dtype is _BOOL
    return 1 in flags.tobytes() if plain else bool(np.count_nonzero(flags))
