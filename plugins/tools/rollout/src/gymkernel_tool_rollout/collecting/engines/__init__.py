"""Engines: where shards run. `sync` is the program itself, `async` its processes, `ray` those of a cluster."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
    from gymkernel_tool_rollout.collecting.shard import Ticket

__all__ = ["ENGINES", "Engine", "engine_class", "unknown_options"]

ENGINES: Final = ("sync", "async", "ray")


class Engine(Protocol):
    """Runs shards, each of which hands over a fragment for a request, or what went wrong, in the order of its requests.

    Where a fragment failed, those that were asked for after it in the same generation are not collected: they fail,
    too, and are asked for again, in environments that are new. `Shard` sees to that; an engine does where a process
    ends. An engine may also have `max_requests`: how many requests one shard takes, so that it need not wait between
    two fragments; 1 where it does not say.
    """

    remote: bool
    """Whether shards run in other processes, so that the policy must be pickled."""

    def submit(self, shard: int, ticket: Ticket) -> None:
        """Ask a shard for a fragment, and return at once."""

    def wait(self, shards: Sequence[int], timeout: float | None) -> tuple[int, Outcome] | None:
        """The first of some shards that is ready, and what it hands over; None where none is in time."""

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """The fragment that was handed over, in arrays that stay as they are."""

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Take back what a fragment that nobody wants is in."""

    def progress(self, shard: int) -> str:
        """Where a shard is with its oldest request, in words, for a message; empty where nobody knows."""

    def close(self) -> None:
        """End all shards, and leave nothing behind."""


def engine_class(name: str) -> Callable[..., Any]:
    """What makes an engine: it is called with recipes and the engine's own options.

    Raises:
        ValueError: there is none of this name.
    """
    if name not in ENGINES:
        raise ValueError(f"Expected engine to be one of {', '.join(ENGINES)}, got {name!r}")
    module: Any = import_module(f"{__name__}.{name}_engine")
    found: Callable[..., Any] = module.engine
    return found


def unknown_options(options: dict[str, Any], known: Sequence[str], name: str) -> None:
    """Refuse options that an engine does not have."""
    unknown = sorted(set(options) - set(known))
    if unknown:
        own = f"it has {', '.join(known)}" if known else "it has none"
        raise TypeError(f"The engine {name!r} has no option {', '.join(unknown)}; {own}")
