"""The engines that run shards: `sync` in the program's own process, `async` in other processes, `ray` in a cluster."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
    from gymkernel_tool_rollout.collecting.shard import Ticket

__all__ = ["ENGINES", "Engine", "check_known_options", "engine_class"]

ENGINES: Final = {"sync": "SyncEngine", "async": "AsyncEngine", "ray": "RayEngine"}
"""The name of each engine's class. It is in the module with the name of the engine."""


class Engine(Protocol):
    """An engine, which runs the shards of a rollout.

    Each shard answers its requests in order, with either a fragment or a failure. If a request fails, all later
    requests to the same shard must fail, too, until the shard is restarted. The collector then repeats these requests.
    `Shard` implements this rule for exceptions, and an engine implements it for processes that die.

    An engine may also have an attribute `max_requests`, which is the maximum number of pending requests per shard (1 by
    default). If it is greater than 1, shards need not wait between fragments.
    """

    remote: bool
    """Whether shards run in other processes, so that the policy must be pickled."""

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Request a fragment from a shard, and return without waiting."""

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Wait for one of the given shards. Return its index and outcome, or None if no shard is ready in time."""

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """Return the fragment that an outcome describes, with arrays that will not be overwritten."""

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Release the memory of an outcome whose fragment is not needed."""

    def progress(self, shard: int) -> str:
        """Describe the progress of a shard's oldest request, for error messages. Return "" if it is unknown."""

    def close(self) -> None:
        """Stop all shards and release all resources."""


def engine_class(name: str) -> Callable[..., Any]:
    """Return the engine class with the given name.

    Args:
        name: a name in `ENGINES`, such as "sync".

    Raises:
        ValueError: if there is no engine with this name.
    """
    if name not in ENGINES:
        raise ValueError(f"Expected engine to be one of {', '.join(ENGINES)}, got {name!r}")
    maker: Callable[..., Any] = getattr(import_module(f"{__name__}.{name}_engine"), ENGINES[name])
    return maker


def check_known_options(options: dict[str, Any], known: Sequence[str], name: str) -> None:
    """Check that an engine supports the given options.

    Args:
        options: the options that the caller passed.
        known: the names of the engine's options.
        name: the engine's name, which is used in the error message.

    Raises:
        TypeError: if the engine does not support an option.
    """
    unknown = sorted(set(options) - set(known))
    if unknown:
        own = f"it has {', '.join(known)}" if known else "it has none"
        raise TypeError(f"The engine {name!r} has no option {', '.join(unknown)}; {own}")
