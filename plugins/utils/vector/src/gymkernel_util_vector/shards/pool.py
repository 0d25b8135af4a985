"""The protocols `Pool` and `PoolWorker`, which a backend with workers implements."""

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
"""The messages of the answers, the workers that are late, and the workers that have ended."""


class PoolWorker(Protocol):
    """One worker, which steps a shard."""

    @property
    def indices(self) -> range:
        """The indices of the worker's environments."""

    def request(self, what: str, *arguments: Any) -> None:
        """Request a call of a method of the worker's `EnvShard`, without waiting for the result.

        Args:
            what: the name of the method.
            *arguments: the arguments of the method.
        """

    def end(self) -> None:
        """End the worker at once. A later request reports that the worker has ended."""


class Pool(Protocol):
    """All workers. A `submit` method sends a request and returns at once; a `wait` method returns the answers."""

    @property
    def workers(self) -> Sequence[Any]:
        """The workers, in the order of their environments."""

    single_steps: bool
    """Whether the pool has `submit_steps`, `wait_steps` and `poll_steps`; other pools step all environments at once."""

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Request a reset of the given environments.

        Args:
            seeds: a pair (index, seed or None) for each environment to reset.
            options: the options for all of these environments.
            buffer: the buffer of the ring for the observations.
        """

    def last_reset(self, worker: Any) -> tuple[list[tuple[int, int | None]], dict[str, Any] | None]:
        """Return the seeds, as pairs (position in the shard, seed), and options of the last reset for one worker."""

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Request a step of every environment.

        Args:
            actions: the actions; None if `BatchState.write_actions` has written the actions into the arrays.
            buffer: the buffer of the ring for the observations.
        """

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Request a call in every environment. The arguments are those of `EnvShard.call`."""

    def wait(self, deadline: float | None) -> Any:
        """Wait for the answers to the last request, and return `Answers`."""

    def wait_for(self, worker: Any, deadline: float | None) -> Any:
        """Wait for the answer of one worker to its last request. The result is that of `wait`."""

    def is_idle(self) -> bool:
        """Return whether no worker reads actions in arrays, so that actions of all environments may be written."""

    def may_write_actions(self) -> bool:
        """Return whether actions may be written for environments whose steps are not awaited."""

    def submit_steps(
        self,
        pending: PendingSteps,
        env_ids: NDArray[Any],
        actions: Sequence[Any] | None,
        buffer: int,
        *,
        together: bool,
    ) -> None:
        """Request a single step of each of the given environments.

        Args:
            pending: the steps that are under way, which include these steps already.
            env_ids: the indices of the environments.
            actions: an action for each of these environments; None if the actions are in the arrays.
            buffer: the buffer of the ring for the observations.
            together: whether the caller waits for all results together, as `step_masked` does.
        """

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> Sequence[Any]:
        """Collect results until `wanted` results are ready or the deadline passes; return workers that have ended."""

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or a worker has ended; return False if the deadline passes before that."""

    def drop_steps(self) -> None:
        """Abandon the single steps that are under way. Their answers are dropped."""

    def late_error(
        self, late: Sequence[Any], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """Return the error for workers that did not answer in time.

        Args:
            late: the workers.
            phase: the request that they did not answer, such as "step".
            timeout: the timeout in seconds, or None.
            indices: the environments without a result; None for all environments of the workers.
        """

    def error_of(self, dead: Sequence[Any], phase: str) -> WorkerError:
        """Return the error for workers that have ended."""

    def count_restart(self, worker: Any, error: WorkerError) -> None:
        """Count a restart of a worker that failed with an error, or raise the error if the limit is reached."""

    def start_again(self, worker: Any, deadline: float | None) -> None:
        """Restart a worker that has ended, with new environments, or raise a WorkerError if the restart fails."""

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """End all workers and release all resources; return the failures of environments that could not close."""
