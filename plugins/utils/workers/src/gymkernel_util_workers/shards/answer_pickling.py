"""How a worker pickles what it answers: what cannot be pickled is a failure of its environment, not of the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gymkernel.utils.texts import error_text, is_ctrl_c, text_of
from gymkernel_util_workers.processes.pickling import dumps, dumps_by_name
from gymkernel_util_workers.shards.messages import Failure, SideMessage

__all__ = ["pickle_message", "pickle_spaces"]


def pickle_message(message: SideMessage, first: int, framed: Callable[[SideMessage], Any] = lambda one: one) -> bytes:
    """A message in bytes; what cannot be pickled becomes a failure of its environment.

    Args:
        message: of a shard.
        first: index of its first environment.
        framed: makes of a message what is sent.
    """
    try:
        return dumps(framed(message))
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        if message.results:
            message = SideMessage(
                failures=_failures_of_results(message.results, first) or [Failure.of(exc, first, "call")]
            )
        for name in ("infos", "final_infos", "object_parts"):
            setattr(message, name, [pair for pair in getattr(message, name) if _is_picklable(name, pair, message)])
        return dumps(framed(message))


def _failures_of_results(results: list[Any], first: int) -> list[Failure]:
    """Return a failure for each environment whose result of a call cannot be pickled."""
    failures = []
    for i, result in enumerate(results, first):
        try:
            dumps(result)
        except BaseException as exc:
            if is_ctrl_c(exc):
                raise
            failures.append(Failure.of(exc, i, "call"))
    return failures


def _is_picklable(name: str, pair: tuple[int, Any], message: SideMessage) -> bool:
    """Whether a part of a message can be pickled; else there is a failure in the message."""
    i, value = pair
    try:
        dumps(value)
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        what = "an observation" if name == "object_parts" else "an info"
        error = TypeError(f"Expected {what} that can be pickled, got {text_of(value)}: {error_text(exc)}")
        message.failures.append(Failure.of(error, i, "step"))
        return False
    return True


def pickle_spaces(pairs: list[tuple[Any, Any]]) -> list[tuple[bool, bytes]]:
    """The spaces of environments, pickled: whether by name, so that classes are the parent's own, or by value.

    Args:
        pairs: (observation space, action space) of each kind of environment.
    """
    pickled = []
    for pair in pairs:
        try:
            pickled.append((True, dumps_by_name(pair)))
        except Exception:  # noqa: BLE001 - a class that has no name to import it by
            try:
                pickled.append((False, dumps(pair)))
            except Exception:  # noqa: BLE001 - the parent then makes an environment for its spaces
                pickled.append((False, b""))
    return pickled
