"""`Questions`: what every environment is asked for: calls, attributes, frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_vector_async._errors import late, raise_failures
from gymkernel_vector_async._restart import revived

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_async._board import Board
    from gymkernel_vector_async._pool import Worker

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

    def collect(self, deadline: float | None) -> tuple[list[tuple[Worker, Any]], list[Worker], list[Worker]]:
        """Wait for the answers; as `Team.collect` returns them."""
        return self._team.collect(self._team.workers, deadline)

    def results(
        self,
        answers: Sequence[tuple[Worker, Any]],
        behind: Sequence[Worker],
        dead: Sequence[Worker],
        seconds: float | None,
    ) -> tuple[Any, ...]:
        """The result of each environment, those of this process's own share last; an error for any that failed."""
        team, (what, name, args, kwargs) = self._team, self._last
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
        raise_failures([failure for _, failures in found for failure in failures], plain=(AttributeError,))
        return tuple(result for results, _ in found for result in results)
