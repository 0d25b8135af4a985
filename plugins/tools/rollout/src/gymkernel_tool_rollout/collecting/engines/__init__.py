"""The engines that run shards: `sync` in the program's own process, `async` in other processes, `ray` in a cluster."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
    from gymkernel_tool_rollout.collecting.shard import Ticket

__all__ = ["ENGINES", "Engine", "check_known_options", "engine_class"]

ENGINES: Final = ("sync", "async", "ray")


class Engine(Protocol):
    """An engine that runs shards. Each shard answers its requests in order, with either a fragment or a failure.

    If the request for a fragment fails, all later requests that the shard received before it was restarted fail as
    well. These requests are then repeated with new environments. `Shard` implements this rule for exceptions. An engine
    implements it for processes that die. An engine may also have an attribute `max_requests`, which is the maximum
    number of pending requests per shard (1 by default). If it is greater than 1, shards need not wait between two
    fragments.
    """

    remote: bool
    """Whether shards run in other processes, so that the policy must be pickled."""

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Request a fragment from a shard without waiting for the fragment."""

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Wait for any of the given shards, and return its number and outcome, or None if no shard is ready in time."""

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """Return the fragment that an outcome describes, in arrays that will not be overwritten."""

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Release the memory of an outcome whose fragment is not used."""

    def progress(self, shard: int) -> str:
        """Return a description of the progress of a shard's oldest request, for messages, or "" if it is unknown."""

    def close(self) -> None:
        """Stop all shards and release all resources."""


def engine_class(name: str) -> Callable[..., Any]:
    """Return the callable that creates an engine from recipes and the engine's own options.

    Args:
        name: a name in `ENGINES`, such as "sync".

    Raises:
        ValueError: if no engine has this name.
    """
    if name not in ENGINES:
        raise ValueError(f"Expected engine to be one of {', '.join(ENGINES)}, got {name!r}")
    module: Any = import_module(f"{__name__}.{name}_engine")
    maker: Callable[..., Any] = module.engine
    return maker


def check_known_options(options: dict[str, Any], known: Sequence[str], name: str) -> None:
    """Check that an engine supports the given options.

    Args:
        options: the options that the caller passed.
        known: the names of the engine's options.
        name: the engine's name, for the error message.

    Raises:
        TypeError: if an option is not supported.
    """
    unknown = sorted(set(options) - set(known))
    if unknown:
        own = f"it has {', '.join(known)}" if known else "it has none"
        raise TypeError(f"The engine {name!r} has no option {', '.join(unknown)}; {own}")
