"""The engines, which run shards: `sync` in the program, `async` in processes, and `ray` in a Ray cluster."""

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
    """An engine, which runs shards. Each shard answers its requests in order, with a fragment or a failure.

    If a fragment fails, later requests of the same generation fail, too. All these requests are then repeated with new
    environments. `Shard` implements this rule for exceptions, and an engine implements it for processes that end. An
    engine may also have the attribute `max_requests`, the largest number of pending requests to one shard. With more
    than one request, a shard does not wait between two fragments. The default is 1.
    """

    remote: bool
    """Whether shards run in other processes, so that the policy must be pickled."""

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Request a fragment from a shard, and return at once."""

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """Wait for one of the given shards, and return its number and outcome; None if no shard is ready in time."""

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """Return the fragment of an outcome, in arrays that will not be overwritten."""

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Release the memory of an outcome whose fragment is not used."""

    def progress(self, shard: int) -> str:
        """Describe the progress of a shard's oldest request for a message; return "" if it is unknown."""

    def close(self) -> None:
        """End all shards, and release all resources."""


def engine_class(name: str) -> Callable[..., Any]:
    """Return the callable that creates an engine from recipes and the engine's own options.

    Args:
        name: the name of the engine.

    Raises:
        ValueError: no engine has this name.
    """
    if name not in ENGINES:
        raise ValueError(f"Expected engine to be one of {', '.join(ENGINES)}, got {name!r}")
    module: Any = import_module(f"{__name__}.{name}_engine")
    maker: Callable[..., Any] = module.engine
    return maker


def check_known_options(options: dict[str, Any], known: Sequence[str], name: str) -> None:
    """Check that an engine has the given options.

    Args:
        options: the options that the caller passed.
        known: the names of the engine's options.
        name: the name of the engine, for the message.

    Raises:
        TypeError: the engine does not have an option.
    """
    unknown = sorted(set(options) - set(known))
    if unknown:
        own = f"it has {', '.join(known)}" if known else "it has none"
        raise TypeError(f"The engine {name!r} has no option {', '.join(unknown)}; {own}")
