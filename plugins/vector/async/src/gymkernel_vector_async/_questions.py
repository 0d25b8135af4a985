"""`Questions`: what every environment is asked for: calls, attributes, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_vector_async._errors import late, raise_failures
from gymkernel_vector_async._restart import revived

if TYPE_CHECKING:
    from gymkernel_vector_async._board import Board

__all__ = ["Questions"]


class Questions:
    """The last question to all environments, and what became of it.

    Args:
        board: of the vector environment.
        restart: whether workers that end are started again.
    """

    def __init__(self, board: Board, *, restart: bool) -> None:
        self._board, self._team, self._restart = board, board.team, restart
        self._last: tuple[str, str, Any, Any] = "", "", (), {}

    def ask(self, what: str, name: str, args: Any, kwargs: Any) -> None:
        """Send a question, as `Share.ask` has it, to all workers."""
        for worker in self._team.workers:
            mine = args[worker.indices.start : worker.indices.stop] if what in {"set", "masked"} else args
            self._team.tell(worker, what, name, mine, kwargs)
        self._last = what, name, args, kwargs

    def results(self, deadline: float | None, seconds: float | None) -> tuple[Any, ...]:
        """Wait for the result of each environment, those of this process's own share last; raise if any failed.

        Args:
            deadline: for the answers.
            seconds: that this is from the call on, for the message.
        """
        team, (what, name, args, kwargs) = self._team, self._last
        answers, behind, dead = team.collect(team.workers, deadline)
        if dead:
            for worker in dead if self._restart else ():
                revived(self._board, worker, "call", ([], None), None)
            raise team.error_of(dead, what)
        if behind:
            indices = [i for worker in behind for i in worker.indices]
            raise late(indices, [team.at_work(worker) for worker in behind], what, seconds)
        found = [answer for _, answer in answers]
        own = team.own
        if own is not None:
            found.append(own.ask(what, name, args[own.first :] if what in {"set", "masked"} else args, kwargs))
        raise_failures([failure for _, failures in found for failure in failures])
        return tuple(result for results, _ in found for result in results)
