"""What stands for the answer of a worker that ended, where `on_error="restart"`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.vector import AutoresetMode
from gymkernel.vector.utils import iterate
from gymkernel_vector_async._errors import late
from gymkernel_vector_async._records import Mail

if TYPE_CHECKING:
    from gymkernel_vector_async._board import Board
    from gymkernel_vector_async._pool import Worker

__all__ = ["revived"]

Items = list[tuple[int, Any]]


def revived(board: Board, worker: Worker, phase: str, begin: tuple[Items, Any], deadline: float | None) -> Mail:
    """Start a worker that ended again, and the mail that stands for its answer.

    Args:
        board: the step's rows of this worker are those of the step before, with its episodes truncated.
        worker: that ended.
        phase: what it was doing; after anything but "step" and "reset", the error is raised.
        begin: what it was to reset, (position, seed), and the options.
        deadline: for its environments to be made, and reset.
    """
    team = board.team
    error = team.error_of([worker], phase)
    team.revive(worker, phase, deadline)
    told = {"env_restarted": True, "env_error": str(error).partition("\n")[0]}
    finals: list[tuple[int, dict[str, Any]]] = []
    if phase == "step":
        rows = slice(worker.indices.start, worker.indices.stop)
        for here, there in zip(board.slots[board.slot], board.slots[board.slot - 1], strict=True):
            here[rows] = there[rows]
        board.rewards[rows], board.terminations[rows], board.truncations[rows] = 0, False, True
        if board.mode is not AutoresetMode.SAME_STEP:
            team.collect([worker], deadline)
            return Mail(infos=[(i, dict(told)) for i in worker.indices])
        last = list(iterate(board.observation_space, board.observations(copy=True)))
        finals = [(i, {"final_obs": last[i], "final_info": dict(told)}) for i in worker.indices]
        begin = [(k, None) for k in range(len(worker.indices))], None
    elif phase != "reset":
        board.lose(list(worker.indices))
        raise error
    team.tell(worker, "reset", *begin, board.slot)
    answers, behind, dead = team.collect([worker], deadline)
    if behind:
        raise late(list(worker.indices), [team.at_work(worker)], phase, None)
    if dead:
        return revived(board, worker, phase, begin, deadline)
    mail: Mail = answers[0][1] if answers else Mail()
    infos = dict(mail.infos)
    mail.infos = [(i, {**infos.get(i, {}), **told}) for i in (worker.first + k for k, _ in begin[0])]
    mail.finals = finals
    return mail
