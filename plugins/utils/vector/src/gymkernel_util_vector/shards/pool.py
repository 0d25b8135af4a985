"""What a vector environment that is stepped by workers asks of them: `Pool`, and of one of them: `PoolWorker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
    from gymkernel_util_vector.shards.messages import Failure, SideMessage
    from gymkernel_util_vector.shards.pending_steps import PendingSteps

__all__ = ["Answers", "Pool", "PoolWorker"]

Answers = tuple["list[SideMessage]", "list[PoolWorker]", "list[PoolWorker]"]
"""Messages, the workers that are late, and the workers that have ended."""


class PoolWorker(Protocol):
    """One worker, which steps a shard."""

    @property
    def indices(self) -> range:
        """Its environments."""

    def request(self, what: str, *arguments: Any) -> None:
        """Call a method of the worker's `EnvShard` with these arguments, and do not wait for the result."""

    def end(self) -> None:
        """End the worker at once; a later request finds that it has ended."""


class Pool(Protocol):
    """All workers. A `submit` method sends a request and returns at once; a `wait` method returns the answers."""

    @property
    def workers(self) -> Sequence[Any]:
        """Every worker, in the order of their environments."""

    single_steps: bool
    """Whether there are `submit_steps`, `wait_steps` and `poll_steps`; backends without them step all environments."""

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Begin episodes in some environments, each (index, seed)."""

    def last_reset(self, worker: Any) -> tuple[list[tuple[int, int | None]], dict[str, Any] | None]:
        """Return what the last `submit_reset` asked of a worker: (position in its shard, seed), and the options."""

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Step every environment with these actions; None if `BatchState.write_actions` has written them."""

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Call something of every environment; arguments as of `EnvShard.call`."""

    def wait(self, deadline: float | None) -> Any:
        """Wait for the answers to the last request, as `Answers`."""

    def wait_for(self, worker: Any, deadline: float | None) -> Any:
        """Wait for the answer to the last request to one worker; as `wait` does."""

    def is_idle(self) -> bool:
        """Return whether no worker reads actions in arrays, so that actions of all environments may be written."""

    def may_write_actions(self) -> bool:
        """Return whether actions of environments of which no step is awaited may be written."""

    def submit_steps(
        self,
        pending: PendingSteps,
        env_ids: NDArray[Any],
        actions: Sequence[Any] | None,
        buffer: int,
        *,
        together: bool,
    ) -> None:
        """Step some environments; `together` says whether all results are waited for at once."""

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> Sequence[Any]:
        """Note results until so many are ready, or the deadline has passed; return workers that ended before."""

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or a worker has ended; return False if the deadline passes before."""

    def drop_steps(self) -> None:
        """Forget the single steps that are under way; their answers are dropped."""

    def late_error(
        self, late: Sequence[Any], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """Return the error for workers that are late, about these of their environments; None for all."""

    def error_of(self, dead: Sequence[Any], phase: str) -> WorkerError:
        """Return the error for workers that have ended."""

    def count_restart(self, worker: Any, error: WorkerError) -> None:
        """Count that a worker that failed with this error is started again; raise the error at the limit."""

    def start_again(self, worker: Any, deadline: float | None) -> None:
        """Start a worker that has ended again, with new environments; raise a WorkerError if this fails."""

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """End all workers and release everything; return the failures of environments that could not close."""
