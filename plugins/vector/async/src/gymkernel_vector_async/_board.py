"""`Board`: the spaces and arrays of a vector environment, and the state of each environment as far as it matters."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import ResetNeeded
from gymkernel.vector import AutoresetMode
from gymkernel.vector.utils import BatchPlan, BatchReader, BatchWriter, batch_infos, common_spaces, iterate
from gymkernel.wrappers.utils import create_zero_array
from gymkernel_vector_async._errors import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gymkernel_vector_async._records import Mail
    from gymkernel_vector_async._team import Team

__all__ = ["Board"]


class Board:
    """What results are written on.

    Args:
        team: whose environments are made; it is given its memory here.
        observation_mode: as of AsyncVectorEnv.
        ring: number of buffers for observations.
        shared: whether observations go through shared memory.
    """

    def __init__(self, team: Team, observation_mode: Any, ring: int, *, shared: bool) -> None:
        self.team, self.n, self.ring, self.slot = team, team.n, ring, 0
        self.mode, self.restart = AutoresetMode(team.settings.mode), team.settings.restart
        seen, acted = [pair[0] for pair in team.spaces], [pair[1] for pair in team.spaces]
        self.observation_space, self.single_observation_space = common_spaces(seen, observation_mode)
        self.action_space, self.single_action_space = common_spaces(acted, kind="action")
        self._iterate = iterate.dispatch(type(self.action_space))
        single = self.single_observation_space
        plan = _plan(single, seen)
        action_plan = BatchPlan.of(self.single_action_space, encode=False)
        team.lay_out(plan, action_plan, ring, shared=shared)
        self.reader = BatchReader(plan, single, self.n)
        """Of observations."""
        self.actor = BatchReader(action_plan, self.single_action_space, self.n)
        """Of actions."""
        self.slots: Any = team.observations
        named: Any = team.named
        self.rewards, self.terminations, self.truncations = (
            named["rewards"],
            named["terminations"],
            named["truncations"],
        )
        self.actions: list[NDArray[Any]] = named["actions"]
        """For each leaf of the action space; empty where actions travel by message."""
        self.started = np.zeros(self.n, np.bool_)
        """Which environments were reset since they were made, or failed."""
        self.done = np.zeros(self.n, np.bool_)
        """Which are done, and wait for the caller to reset them."""
        self.ready = False
        """Whether none of them waits for a reset."""
        blank = BatchWriter(plan, self.slots[0], self.n, single, check=False)
        with contextlib.suppress(NotImplementedError):  # a space of which nobody knows a zero: None stands for it
            zero = create_zero_array(self.single_observation_space)
            for i in range(self.n):
                blank.put(i, zero)
        self.reader.odd = [list(parts) for parts in blank.odd]

    def turn(self, *, keep: bool) -> int:
        """Go to the next buffer of the ring, with the observations of the last one where `keep`."""
        return self.go((self.slot + 1) % self.ring, keep=keep)

    def go(self, slot: int, *, keep: bool) -> int:
        """Go to a buffer of the ring."""
        if keep and slot != self.slot:
            for here, there in zip(self.slots[slot], self.slots[self.slot], strict=True):
                here[...] = there
        self.slot = slot
        return slot

    def split(self, actions: Any, n: int) -> list[Any]:
        """The action of each environment; their number is checked before any environment acts."""
        items = list(self._iterate(self.action_space, actions))
        if len(items) != n:
            message = f"Expected {n} actions, one for each environment, got {len(items)}"
            raise ValueError(message)
        return items

    def observations(self, *, copy: bool) -> Any:
        """The batch of all observations."""
        return self.reader.batch(self.slots[self.slot], copy=copy)

    def absorb(self, mails: Sequence[Mail]) -> None:
        """Take in what of observations came by message."""
        for mail in mails:
            for i, parts in mail.odd:
                for column, part in zip(self.reader.odd, parts, strict=True):
                    column[i] = part
            if mail.rows is not None:
                start, stop, rows = mail.rows
                for array, part in zip(self.slots[self.slot], rows, strict=True):
                    array[start:stop] = part

    def infos(self, mails: Sequence[Mail], ids: Sequence[int] | None = None) -> dict[str, Any]:
        """The infos of a step, batched; of the environments `ids`, in this order, where they are given."""
        place = None if ids is None else {i: k for k, i in enumerate(ids)}
        n = self.n if ids is None else len(ids)

        def ordered(name: str) -> list[tuple[int, Any]]:
            pairs = [pair for mail in mails for pair in getattr(mail, name)]
            if place is not None:
                pairs = [(place[i], info) for i, info in pairs]
            return sorted(pairs, key=lambda pair: pair[0])

        finals, pairs = ordered("finals"), ordered("infos")
        batched = batch_infos(finals, n) if finals else {}
        if pairs:
            batched.update(batch_infos(pairs, n))
        return batched

    def begun(self, chosen: Sequence[int]) -> None:
        """Note that environments were reset."""
        self.terminations[chosen] = self.truncations[chosen] = False
        self.started[chosen], self.done[chosen] = True, False
        self.ready = bool(self.started.all()) and not self.done.any()

    def end(self, indices: Any, done: NDArray[np.bool_]) -> None:
        """Note which environments are done, and wait for the caller to reset them."""
        self.done[indices] = done
        self.ready = bool(self.started.all()) and not self.done.any()

    def lose(self, indices: Sequence[int]) -> None:
        """Note that environments cannot step before they are reset."""
        self.started[indices] = False
        self.ready = False

    def assert_ready(self, chosen: Any = ...) -> None:
        """Refuse to step environments that wait for a reset."""
        among = np.zeros(self.n, np.bool_)
        among[chosen] = True
        missing = np.flatnonzero(among & ~self.started).tolist()
        if missing:
            message = f"Expected reset before step; {names(missing)} were never reset, or failed since"
            raise ResetNeeded(message)
        done = np.flatnonzero(among & self.done).tolist()
        if done:
            message = (
                f"{names(done)} are done, and autoreset_mode is DISABLED: call "
                'reset(options={"reset_mask": terminations | truncations}) before the next step'
            )
            raise ResetNeeded(message)


def _plan(single: Any, spaces: Sequence[Any]) -> BatchPlan:
    """The plan of the observation space; encoded parts only where every environment's own space has them, too."""
    plan = BatchPlan.of(single)
    if plan.encoded and any(BatchPlan.of(space) != plan for space in {id(space): space for space in spaces}.values()):
        return BatchPlan.of(single, encode=False)
    return plan
