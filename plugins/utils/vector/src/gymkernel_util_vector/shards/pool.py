"""What a vector environment that is stepped by workers asks of them: `Pool`, and of one of them: `PoolWorker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
    from gymkernel_util_vector.shards.messages import Failure, SideMessage

__all__ = ["Answers", "Pool", "PoolWorker"]

Answers = tuple["list[SideMessage]", "list[PoolWorker]", "list[PoolWorker]"]
"""Messages, the workers that are late, those that have ended."""


class PoolWorker(Protocol):
    """One worker, which steps a shard."""

    @property
    def indices(self) -> range:
        """Its environments."""

    def request(self, what: str, *arguments: Any) -> None:
        """Have it do something: a method of its `EnvShard`, and the arguments."""

    def end(self) -> None:
        """End it at once; a later request to it finds that it has ended."""


class Pool(Protocol):
    """All workers: a `submit` method asks for something and returns at once, `wait` has the answers."""

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Have episodes begun in some environments, each (index, seed)."""

    def last_reset(self, worker: Any) -> tuple[list[tuple[int, int | None]], dict[str, Any] | None]:
        """What the last `submit_reset` asked of a worker: (position in its shard, seed), and the options."""

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Have every environment act, with these actions; None where workers have them already."""

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Have something asked of every environment; arguments as of `EnvShard.call`."""

    def wait(self, deadline: float | None) -> Any:
        """Wait for the answers to what was submitted, as `Answers`."""

    def wait_for(self, worker: Any, deadline: float | None) -> Any:
        """Wait for the answer to the last request to one worker; as `wait` does."""

    def late_error(
        self, late: Sequence[Any], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """What to raise for workers that are late, with these of their environments; None for all."""

    def error_of(self, dead: Sequence[Any], phase: str) -> WorkerError:
        """What to raise for workers that have ended."""

    def restart(self, worker: Any, phase: str, deadline: float | None) -> WorkerError:
        """Start a worker that has ended again, with new environments, and return the error that it ended with."""

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """End all workers and give everything back; failures of environments that could not close."""
