"""`EpisodeBoundaries`: determine which environments of a vector environment start and end episodes."""

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
    """A record of where the episodes of several environments start and end, for any autoreset mode.

    This class alone defines how an autoreset mode affects a step. Vector environments, their wrappers and their workers
    each have an instance. They call `plan_step` before or after each step, `finish_step` with the results of each step,
    and `finish_reset` with the options of each reset.

    Args:
        num_envs: the number of environments.
        mode: the autoreset mode, its value, or a member of another library's enum.

    Attributes:
        mode: the autoreset mode.
        is_same_step: whether the mode is SAME_STEP, in which a step ends an episode and starts the next one.
        over: a Boolean array of shape (num_envs,), True for each environment whose episode has ended and whose next
            episode has not started yet. The array is replaced, never changed in place.
        any_over: whether `over` is True for any environment.
        unstarted: a Boolean array of shape (num_envs,), True for each environment that has never been reset.

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
        """Create an instance for a vector environment, with the mode in its metadata (NEXT_STEP by default).

        Args:
            envs: a vector environment from any library.
        """
        return cls(envs.num_envs, envs.metadata.get("autoreset_mode") or AutoresetMode.NEXT_STEP)

    def finish_reset(self, options: Options) -> Where:
        """Record a reset, and return a mask of the environments that started an episode, or `...` for all of them.

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
            mask: the environments that will be stepped; None for all environments.

        Raises:
            ResetNeeded: if an environment has never been reset, or its episode has ended in DISABLED mode.
        """
        if self._any_unstarted:
            missing = np.flatnonzero(self.unstarted).tolist()
            raise ResetNeeded(f"Expected reset before step; environments {missing} were never reset")
        if self.any_over and not self._is_next_step:
            late = np.flatnonzero(self.over if mask is None else self.over & mask).tolist()
            if late:
                raise episodes_over(f"Environments {late}")

    def find_starting(self, mask: Mask | None = None) -> Mask | None:
        """Return the environments that start an episode in the next step instead of acting; None for no environment.

        Args:
            mask: the environments that will be stepped; None for all environments.
        """
        if not (self.any_over and self._is_next_step):
            return None
        if mask is None:
            return self.over
        starting = self.over & mask
        return starting if _is_any(starting) else None

    def plan_step(self, mask: Mask | None = None) -> tuple[Mask | None, Where]:
        """Return the environments that start an episode in the next step instead of acting, and the ones that act.

        The result is the same until `finish_step` or `finish_reset` is called.

        Args:
            mask: the environments that will be stepped; None for all environments.

        Returns:
            A pair of masks. The first selects the environments that start an episode, or is None if there are none. The
            second selects the environments that act, or is `...` for all environments.
        """
        starting = self.find_starting(mask)
        if starting is None:
            return None, ... if mask is None else mask
        return starting, ~starting if mask is None else mask & ~starting

    def finish_step(
        self, terminations: Any, truncations: Any, mask: Mask | None = None
    ) -> tuple[Mask | None, Mask | None]:
        """Record a step, and return which environments ended an episode and which of them also started the next one.

        Args:
            terminations: a Boolean array of shape (num_envs,). Rows outside the mask are ignored.
            truncations: a Boolean array of shape (num_envs,). Rows outside the mask are ignored.
            mask: the environments that were stepped; None for all environments.

        Returns:
            Two masks, or None instead of a mask that selects no environments. In SAME_STEP mode, the masks are equal.
            In the other modes, no step both ends an episode and starts the next one, so the second mask is None.
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
    """Return whether any flag is set. For a small number of environments, `np.any` is many times slower."""
    plain = type(flags) is np.ndarray and flags.dtype is _BOOL
    return 1 in flags.tobytes() if plain else bool(np.count_nonzero(flags))
