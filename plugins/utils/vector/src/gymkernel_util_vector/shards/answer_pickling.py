"""Functions that pickle and unpickle workers' responses.

An object that cannot be pickled or unpickled becomes a failure of the environment that returned it.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

from gymkernel_util_spaces.texts import error_text, is_ctrl_c, text_of
from gymkernel_util_vector.processes.pickling import dumps, dumps_by_name
from gymkernel_util_vector.shards.messages import Failure, SideMessage

__all__ = ["pickle_message", "pickle_spaces", "unpickle_answer"]


def pickle_message(
    message: SideMessage, first: int, framed: Callable[[SideMessage], Any] = lambda message: message
) -> bytes:
    """Pickle a message. If an object cannot be pickled, report a failure of the environment that returned it.

    Args:
        message: the message of a shard.
        first: the index of the first environment in the shard.
        framed: a function that takes the message and returns the object to pickle.
    """
    try:
        return dumps(framed(message))
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        _remove_broken_parts(message, first, _pickling_error)
        if message.results:
            message = SideMessage(failures=message.failures or [Failure.of(exc, first, "call")])
        return dumps(framed(message))


def _remove_broken_parts(
    message: SideMessage, first: int, error_of: Callable[[str, Any], BaseException | None]
) -> None:
    """Replace each info and observation for which `error_of` returns an error with a failure of its environment.

    For each result with an error, only add a failure.
    """
    for name, what in (("infos", "an info"), ("object_parts", "an observation")):
        checked = [(pair, error_of(what, pair[1])) for pair in getattr(message, name)]
        setattr(message, name, [pair for pair, error in checked if error is None])
        message.failures += [Failure.of(error, i, "step") for (i, _), error in checked if error is not None]
    for i, result in enumerate(message.results, first):
        if (error := error_of("a result", result)) is not None:
            message.failures.append(Failure.of(error, i, "call"))


def _pickling_error(what: str, value: Any) -> BaseException | None:
    """Return the error that reports why a value cannot be pickled, or None if it can be pickled."""
    try:
        dumps(value)
    except BaseException as exc:
        if is_ctrl_c(exc):
            raise
        if what == "a result":
            return exc
        return TypeError(f"Expected {what} that can be pickled, got {text_of(value)}: {error_text(exc)}")
    return None


def pickle_spaces(pairs: list[tuple[Any, Any]]) -> list[tuple[bool, bytes]]:
    """Pickle pairs of spaces. For each pair, return whether its classes are pickled by name, and the pickled data.

    Args:
        pairs: the distinct (observation space, action space) pairs of the environments.
    """
    pickled = []
    for pair in pairs:
        try:
            pickled.append((True, dumps_by_name(pair)))
        except Exception:  # noqa: BLE001 - the classes may not be importable
            try:
                pickled.append((False, dumps(pair)))
            except Exception:  # noqa: BLE001 - the parent process then creates an environment to get the spaces
                pickled.append((False, b""))
    return pickled


class _Unreadable:
    """A placeholder for an object that this process cannot unpickle."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


# The unpickler that is implemented in Python is used, because its methods can be overridden.
_PythonUnpickler: Any = vars(pickle)["_Unpickler"]


class _LenientUnpickler(_PythonUnpickler):  # type: ignore[misc]
    """A slow unpickler, used as a last resort, that replaces objects that cannot be unpickled with placeholders."""

    dispatch = {**_PythonUnpickler.dispatch}  # noqa: RUF012 - `pickle` declares it in the same way

    def find_class(self, module: str, name: str) -> Any:
        return _attempt(super().find_class, module, name)

    def load_reduce(self) -> None:
        args, function = self.stack.pop(), self.stack.pop()
        self.stack.append(function if isinstance(function, _Unreadable) else _attempt(function, *args))

    def load_newobj(self) -> None:
        args, cls = self.stack.pop(), self.stack.pop()
        self.stack.append(cls if isinstance(cls, _Unreadable) else _attempt(cls.__new__, cls, *args))

    def load_build(self) -> None:
        if isinstance(self.stack[-2], _Unreadable):
            self.stack.pop()
        elif isinstance(failed := _attempt(super().load_build), _Unreadable):
            self.stack[-1] = failed

    dispatch[pickle.REDUCE[0]], dispatch[pickle.NEWOBJ[0]] = load_reduce, load_newobj
    dispatch[pickle.BUILD[0]] = load_build


def _attempt(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as exc:  # noqa: BLE001 - unpickling a third-party class may raise any exception
        return _Unreadable(exc)


def unpickle_answer(data: bytes, indices: range) -> Any:
    """Unpickle the response of a worker. If an object cannot be unpickled, report a failure of its environment.

    Args:
        data: the pickled response, which is a tuple that ends with a `SideMessage`, or any other object.
        indices: the indices of the worker's environments.

    Raises:
        TypeError: if the response cannot be unpickled even without the objects that fail.
    """
    try:
        return pickle.loads(data)  # noqa: S301 - the data comes from the program's own worker
    except Exception as exc:
        envs = f"environments {indices.start} to {indices.stop - 1}"
        cause = f"Expected an answer of {envs} that can be unpickled in this process, got {error_text(exc)}"
        try:
            answer = _LenientUnpickler(io.BytesIO(data)).load()
            message = answer[-1]
            _remove_broken_parts(message, indices.start, _unpickling_error)
        except Exception:  # noqa: BLE001 - the original exception is more informative
            raise TypeError(cause) from exc
        if not message.failures:
            raise TypeError(cause) from exc
        return answer


def _unpickling_error(what: str, value: Any) -> BaseException | None:
    """Return the error that reports which part of a value was not unpickled, or None if the value is complete."""
    found = _find(value)
    if found is None:
        return None
    key, part = found
    error = error_text(part.error)
    return TypeError(f"Expected {what} that can be unpickled in the process of the vector environment{key}: {error}")


def _find(value: Any, depth: int = 0) -> tuple[str, _Unreadable] | None:
    """Return the position of the first placeholder in a value, and the placeholder. If there is none, return None."""
    if isinstance(value, _Unreadable):
        return "", value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    for key, part in items if depth < 20 else ():
        inner = _find(part, depth + 1)
        if inner is not None:
            return (f", got the key {text_of(key)}" if depth == 0 and isinstance(value, dict) else inner[0]), inner[1]
    return None
