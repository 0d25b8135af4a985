"""`Flight`: environments that act on their own, and whose results are taken in the order in which they are ready."""

from __future__ import annotations

import os
import pickle
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import NoAsyncCallError
from gymkernel.vector import AutoresetMode
from gymkernel.vector.utils import concatenate, create_empty_array
from gymkernel_vector_async._channel import remaining
from gymkernel_vector_async._errors import late, names, raise_failures
from gymkernel_vector_async._records import Mail
from gymkernel_vector_async._words import PARENT_ASLEEP, SPINS, fence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gymkernel_vector_async._board import Board
    from gymkernel_vector_async._pool import Worker
    from gymkernel_vector_async._share import Share

__all__ = ["Flight"]


class Flight:
    """The state of `send` and `recv` of one vector environment.

    Args:
        board: of the vector environment.
    """

    def __init__(self, board: Board) -> None:
        self.board, self.team, n = board, board.team, board.n
        named = self.team.named
        self._tickets, self._served, self._mailed = named["tickets"], named["served"], named["mailed"]
        self._ticket = np.zeros(n, np.int64)
        """Number of the last action of each environment."""
        self._flying = np.full(n, -1, np.int64)
        """The ticket of what is awaited, -1 for nothing."""
        self._ready: deque[int] = deque()
        """Environments with a result, the oldest first."""
        self._letters: dict[int, Mail] = {}
        self._own: deque[tuple[int, Any]] = deque()
        """Actions for the share of this process."""
        self._lost: set[int] = set()
        """Environments that were made anew in the middle of an episode, which the next result has to tell."""
        self.awaited = 0
        """Number of results that were sent for and not received."""

    def send(self, actions: Any, env_ids: Any) -> None:
        """See `AsyncVectorEnv.send`."""
        board = self.board
        ids = self._ids(env_ids)
        board.assert_ready(ids)
        n, slot = len(ids), self._choose_slot()
        direct = bool(board.actions) and board.actor.write(board.actions, actions, ids, n)
        items = None if direct else board.split(actions, n)
        self._ticket[ids] += 1
        self._flying[ids] = self._ticket[ids]
        self.awaited += n
        try:
            self._post(ids, items, slot)
        except BaseException:  # Ctrl-C: some of the workers have not heard
            self.drop()
            raise

    def _post(self, ids: Any, items: Sequence[Any] | None, slot: int) -> None:
        """Tell workers of actions, which are in shared memory where there are no `items`."""
        board, team, own = self.board, self.team, self.team.own
        lost = self._lost.intersection(ids.tolist()) if self._lost else ()
        if items is not None or lost or own is not None:
            if items is None:
                items = board.split(board.actor.nested([leaf[ids] for leaf in board.actions]), len(ids))
            self._send_each(ids, items, lost, slot)
            return
        fence()
        self._tickets[ids] = self._ticket[ids]
        fence()
        for worker in team.workers:
            if ((ids >= worker.indices.start) & (ids < worker.indices.stop)).any():
                team.queue(worker, slot)

    def _send_each(self, ids: Any, items: Sequence[Any], lost: Any, slot: int) -> None:
        """Send actions one by one, by message."""
        team = self.team
        for i, action in zip(ids.tolist(), items, strict=True):
            if i in lost:
                self._end_episode(i, "its worker ended")
            elif team.own is not None and i >= team.own.first:
                self._own.append((i, action))
            else:
                worker = next(worker for worker in team.workers if i in worker.indices)
                team.tell(worker, "one", i - worker.first, int(self._ticket[i]), action, slot)

    def _ids(self, env_ids: Any) -> Any:
        n = self.board.n
        ids = np.arange(n) if env_ids is None else np.atleast_1d(np.asarray(env_ids))
        if ids.ndim != 1 or not len(ids) or ids.dtype.kind not in "iu":
            message = f"Expected env_ids to be indices of environments, got {env_ids!r}"
            raise ValueError(message)
        if ids.min() < 0 or ids.max() >= n or len(np.unique(ids)) != len(ids):
            message = f"Expected env_ids to be different indices from 0 to {n - 1}, got {ids.tolist()}"
            raise ValueError(message)
        busy = ids[self._flying[ids] >= 0].tolist() + [i for i in ids.tolist() if i in self._ready]
        if busy:
            message = f"{names(sorted(busy))} act already: recv() their results before the next send"
            raise ValueError(message)
        return ids

    def _choose_slot(self) -> int:
        """Single environments write into the first buffer, which first gets what the current one holds."""
        return self.board.go(0, keep=not self.awaited)

    def recv(self, batch_size: int | None, deadline: float | None, timeout: float | None) -> Any:
        """See `AsyncVectorEnv.recv`."""
        wanted = self.awaited if batch_size is None else batch_size
        if not 0 < wanted <= self.awaited:
            message = f"Expected to receive 1 to {self.awaited} results, which are awaited, got batch_size={batch_size}"
            raise NoAsyncCallError(message, "send")
        self._wait(wanted, deadline, timeout)
        return self._batch([self._ready.popleft() for _ in range(wanted)])

    def step(self, actions: Any, ids: NDArray[np.int64], deadline: float | None, timeout: float | None) -> list[Mail]:
        """Have some environments act, and wait for all of them; what came by message. Their results are on the board.

        Args:
            actions: a batch for all environments.
            ids: which act.
            deadline: for all of them.
            timeout: in seconds, for the message of the error.
        """
        board = self.board
        if type(actions) is not np.ndarray:
            items, single = board.split(actions, board.n), board.single_action_space
            chosen = [items[i] for i in ids.tolist()]
            mine = concatenate(single, chosen, create_empty_array(single, len(chosen)))
        else:
            mine = actions[ids]
        try:
            self.send(mine, ids)
            self._wait(len(ids), deadline, timeout)
            return self._take([self._ready.popleft() for _ in range(len(ids))])
        except BaseException:
            self.drop()
            raise

    def drop(self) -> None:
        """Await nothing any more; what environments answer to what was sent is not taken."""
        self._flying[:] = -1
        self._ready.clear()
        self._letters.clear()
        self._own.clear()
        self.awaited = 0

    def _batch(self, ids: list[int]) -> Any:
        board = self.board
        mails = self._take(ids)
        where = np.array(ids, np.int64)
        observations = board.reader.some(board.slots[0], where)
        results = (board.rewards[where], board.terminations[where], board.truncations[where])
        if board.mode is AutoresetMode.DISABLED:
            board.end(where, results[1] | results[2])
        return observations, *results, board.infos(mails, ids) if mails else {}, where

    def _take(self, ids: list[int]) -> list[Mail]:
        """Take what came by message with the results of these environments."""
        board = self.board
        self.awaited -= len(ids)
        mails = [self._letters.pop(i) for i in ids if i in self._letters] if self._letters else []
        failures = [failure for mail in mails for failure in mail.failures]
        if failures:
            failed = {failure.index for failure in failures}
            rest = [i for i in ids if i not in failed]
            self._ready.extendleft(reversed(rest))  # their results are received next
            self._letters.update({mail_of(mail): mail for mail in mails if mail_of(mail) in rest})
            self.awaited += len(rest)
            board.lose(sorted(failed))
            raise_failures(failures)
        board.absorb(mails)
        return mails

    def _wait(self, wanted: int, deadline: float | None, timeout: float | None) -> None:
        tries = 0 if self.team.settings.crowded else SPINS // 4
        while self._scan() < wanted:
            if self._own and self.team.own is not None:
                self._step_own(self.team.own)
            elif tries:
                os.sched_yield()
                tries -= 1
            elif not self._sleep(wanted, deadline):
                busy = np.flatnonzero(self._flying >= 0).tolist()
                team = self.team
                at_work = [team.at_work(worker) for worker in team.workers if any(i in worker.indices for i in busy)]
                raise late(busy, at_work, "recv", timeout)

    def _scan(self) -> int:
        """Note what has become ready; how much there is."""
        hits = np.flatnonzero(self._served == self._flying)
        if len(hits):
            self._flying[hits] = -1
            for i in hits[self._mailed[hits] == self._ticket[hits]].tolist():
                self._fetch(i)
            self._ready.extend(hits.tolist())
        return len(self._ready)

    def _fetch(self, i: int) -> None:
        """Get the message that goes with a result; it was sent before the result was published."""
        worker = next(worker for worker in self.team.workers if i in worker.indices)
        while i not in self._letters:
            data = worker.channel.next()
            if data is None:
                if worker.channel.closed or not worker.alive():
                    break
                self.team.nap([worker], 1.0)
                continue
            _, ticket, mail = pickle.loads(data)  # noqa: S301 - of this program's own worker
            if ticket is not None and ticket[1] == self._ticket[ticket[0]]:  # else of a result that nobody awaits
                self._letters[ticket[0]] = mail

    def _step_own(self, share: Share) -> None:
        i, action = self._own.popleft()
        mail = share.step_one(i - share.first, action, 0)
        if mail is not None:
            self._letters[i] = mail
        self._flying[i] = -1
        self._ready.append(i)

    def _sleep(self, wanted: int, deadline: float | None) -> bool:
        """Sleep until something has happened; False where the deadline has passed."""
        team = self.team
        flying = np.flatnonzero(self._flying >= 0)
        workers = [w for w in team.workers if ((flying >= w.indices.start) & (flying < w.indices.stop)).any()]
        seconds = remaining(deadline)
        if seconds == 0:
            return False
        team.head[PARENT_ASLEEP] = 1
        ended = True
        try:
            fence()
            if self._scan() < wanted:
                ended = team.nap(workers, 0.02 if seconds is None else min(0.02, seconds))
        finally:
            team.head[PARENT_ASLEEP] = 0
        dead = [worker for worker in workers if worker.channel.closed or not worker.alive()] if ended else []
        if dead:
            self._scan()
            self._bury(dead, deadline)
        return True

    def _bury(self, dead: Sequence[Worker], deadline: float | None) -> None:
        """Raise for workers that have ended, or start them again and end the episodes of their environments."""
        board, team = self.board, self.team
        error = team.error_of(dead, "step")
        if not board.restart:
            for worker in dead:
                mine = [i for i in worker.indices if self._flying[i] >= 0]
                self._flying[mine] = -1
                self.awaited -= len(mine)
                board.lose(list(worker.indices))
            raise error
        for worker in dead:
            self._tickets[worker.indices] = self._served[worker.indices] = self._ticket[worker.indices]
            self._mailed[worker.indices] = 0
            team.revive(worker, "step", deadline)
            for i in worker.indices:
                if self._flying[i] >= 0:
                    self._end_episode(i, str(error).partition("\n")[0])
                elif board.mode is AutoresetMode.SAME_STEP or not (board.terminations[i] or board.truncations[i]):
                    self._lost.add(i)  # in the middle of an episode; a result that is ready comes first

    def _end_episode(self, i: int, why: str) -> None:
        """A result for an environment whose worker ended: its episode is truncated."""
        board = self.board
        board.rewards[i], board.terminations[i], board.truncations[i] = 0, False, True
        self._letters[i] = Mail(infos=[(i, {"env_restarted": True, "env_error": why})])
        self._lost.discard(i)
        self._flying[i] = -1
        self._ready.append(i)


def mail_of(mail: Mail) -> int:
    """The environment of a message about one."""
    for pairs in (mail.infos, mail.finals, mail.odd):
        if pairs:
            return pairs[0][0]
    return mail.failures[0].index if mail.failures else mail.rows[0] if mail.rows else -1
