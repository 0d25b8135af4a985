"""`EpisodeBoundaries`: which environments of a vector environment begin an episode, and which end one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ResetNeeded
from gymkernel.vector_env import AutoresetMode, episodes_over

if TYPE_CHECKING:
    from gymkernel.protocols import Mask, Options
    from gymkernel.wrapper import Where

__all__ = ["EpisodeBoundaries"]

_BOOL = np.dtype(np.bool_)


class EpisodeBoundaries:
    """The boundaries between the episodes of several environments, in each autoreset mode.

    This class is the only place that determines what an autoreset mode means for a step. A vector environment, a
    wrapper around one, or a worker has an instance, asks `plan_step` before or after each step, and reports every step
    to `finish_step` and every reset to `finish_reset`.

    Args:
        num_envs: the number of environments.
        mode: the autoreset mode; also its value, or the member of another library's enum.

    Attributes:
        mode: the autoreset mode.
        is_same_step: whether an episode begins in the step that ends one, so that nobody sees the last state.
        over: the environments whose episode is over and whose next episode has not begun, bool of (num_envs,). The
            array is replaced and never changed.
        any_over: whether there is such an environment.

    Raises:
        ValueError: there is no such mode.

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
        self._unstarted = ~self.over

    @classmethod
    def around(cls, envs: Any) -> EpisodeBoundaries:
        """Return the boundaries of a vector environment, whose metadata has the mode; without one, it is NEXT_STEP.

        Args:
            envs: the vector environment, of any library.
        """
        return cls(envs.num_envs, envs.metadata.get("autoreset_mode") or AutoresetMode.NEXT_STEP)

    def finish_reset(self, options: Options) -> Where:
        """Take note of a reset, and return the environments in which an episode began: a mask, or `...` for all.

        Args:
            options: of the reset, with or without a "reset_mask".
        """
        where: Where = ... if options is None else options.get("reset_mask", ...)
        self._unstarted[where] = False
        if self.any_over:
            self.over = self.over.copy()
            self.over[where] = False
            self.any_over = _is_any(self.over)
        return where

    def check_ready(self, mask: Mask | None = None) -> None:
        """Raise unless the environments can take a step.

        Args:
            mask: the environments that step; None for all.

        Raises:
            ResetNeeded: an environment was never reset; or its episode is over, and its mode is DISABLED.
        """
        if 1 in self._unstarted.tobytes():
            missing = np.flatnonzero(self._unstarted).tolist()
            raise ResetNeeded(f"Expected reset before step; environments {missing} were never reset")
        if self.any_over and not self._is_next_step:
            late = np.flatnonzero(self.over if mask is None else self.over & mask).tolist()
            if late:
                raise episodes_over(f"Environments {late}")

    def plan_step(self, mask: Mask | None = None) -> tuple[Mask | None, Where]:
        """Return the environments that begin an episode in this step instead of acting, and those that act.

        The answer is the same until `finish_step` or `finish_reset` is called.

        Args:
            mask: the environments that step; None for all.

        Returns:
            A mask, or None if no environment begins an episode; and a mask, or `...` if all environments act.
        """
        if self.any_over and self._is_next_step:
            if mask is None:
                return self.over, ~self.over
            began = self.over & mask
            if 1 in began.tobytes():
                return began, mask & ~began
        return None, ... if mask is None else mask

    def finish_step(
        self, terminations: Any, truncations: Any, mask: Mask | None = None
    ) -> tuple[Mask | None, Mask | None]:
        """Take note of a step, and return the environments whose episode ended, and those whose next one began in it.

        Args:
            terminations: of the step, bool of (num_envs,); rows outside of the mask mean nothing.
            truncations: likewise.
            mask: the environments that stepped; None for all.

        Returns:
            Two masks, each None if there is no such environment. Under SAME_STEP they are equal; in the other modes, no
            episode begins in the step that ends one.
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
    """Return whether a flag is set; `any` takes many times as long, which counts with few environments."""
    plain = type(flags) is np.ndarray and flags.dtype is _BOOL
    return 1 in flags.tobytes() if plain else bool(np.count_nonzero(flags))
