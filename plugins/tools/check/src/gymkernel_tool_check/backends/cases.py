"""The table of cases, and the records of what a backend does otherwise."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gymkernel_tool_check.definition import Skip

__all__ = ["CASES", "Backend", "BackendCase", "Broken", "around", "case", "close_error", "expect", "opened", "refuses"]

Backend = Callable[..., Any]
"""Called with functions that create environments, and perhaps autoreset_mode, copy or observation_mode."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Something that a backend does otherwise than the contract says.

    Attributes:
        code: the rule that reports it; empty if only the kit for pytest does.
        message: what was expected, and what was seen.
        method: the method at fault.
        show: a program that shows it, with `{backend}` for the name of the backend.
        hides: rules that cannot be decided because of it.
        mode, part: the autoreset mode, and the part of the results.
    """

    code: str
    message: str
    method: str = "__init__"
    show: str = ""
    hides: frozenset[str] = frozenset()
    mode: str = ""
    part: str = ""

    def __str__(self) -> str:
        return f"{self.code} {self.message}".strip()


def around(*lines: str, mode: str = "NextStep", variant: str = "boxes") -> str:
    """Return a program that creates the backend around three small environments and goes on with some lines."""
    make = f'[lambda i=i: probe_envs.ProbeEnv("{variant}", i) for i in range(3)]'
    return "\n".join([f'envs = {{backend}}({make}, autoreset_mode="{mode}")', *lines])


@dataclass(frozen=True, slots=True)
class BackendCase:
    """One case: something that the contract says of a backend, with parameters.

    Attributes:
        name: identifies the case: `observations_of_every_space[Text0-NextStep]`.
        function: takes a backend; raises AssertionError, or yields what is broken.
        parameters: of the function, beside the backend.
        codes: the rules of `gymkernel check` that run the case; the kit for pytest runs all cases.
    """

    name: str
    function: Callable[..., Iterator[Broken] | None]
    parameters: Mapping[str, Any]
    codes: tuple[str, ...] = ()

    def broken(self, backend: Backend) -> list[Broken]:
        """Return what a backend does otherwise."""
        return list(self.function(backend, **self.parameters) or ())

    def __call__(self, backend: Backend) -> None:
        """Hold a backend to the case.

        Raises:
            AssertionError: the backend does something else.
        """
        if found := self.broken(backend):
            raise AssertionError("\n".join(map(str, found)))


CASES: list[BackendCase] = []
"""All cases."""


def case(
    *parameters: tuple[str, Mapping[str, Any]], codes: tuple[str, ...] = ()
) -> Callable[[Callable[..., Iterator[Broken] | None]], Callable[..., Iterator[Broken] | None]]:
    """Add a function to the table, once for each of the parameters, each (name, arguments)."""

    def add(function: Callable[..., Iterator[Broken] | None]) -> Callable[..., Iterator[Broken] | None]:
        for name, arguments in parameters or (("", {}),):
            label = f"{function.__name__}[{name}]" if name else function.__name__
            CASES.append(BackendCase(label, function, arguments, codes))
        return function

    return add


@contextlib.contextmanager
def opened(backend: Backend, env_fns: Any, **kwargs: Any) -> Iterator[Any]:
    """Create a backend, and close it afterwards whatever close raises."""
    envs = backend(env_fns, **kwargs)
    try:
        yield envs
    finally:
        close_error(envs)


def close_error(envs: Any) -> Exception | None:
    """Return what close raises, if it raises; `Skip` is raised."""
    try:
        envs.close()
    except Skip:
        raise
    except Exception as exc:  # noqa: BLE001 - whatever a backend raises
        return exc
    return None


def expect(seen: Any, expected: Any, what: str) -> None:
    """Compare a plain value with the expected one.

    Raises:
        AssertionError: the values differ.
    """
    if seen != expected:
        raise AssertionError(f"expected {what} to be {expected!r}, got {seen!r}")


def refuses(call: Callable[[], Any], kinds: Any, text: str = "") -> None:
    """Check that a call raises.

    Args:
        call: of the backend.
        kinds: of the exception: a class, or several.
        text: a regular expression that its message has.

    Raises:
        AssertionError: the call raises nothing, or has another message.
    """
    try:
        result = call()
    except kinds as exc:
        if not re.search(text, str(exc)):
            raise AssertionError(f"expected a message with {text!r}, got {str(exc)!r}") from exc
        return
    names = " or ".join(one.__name__ for one in (kinds if isinstance(kinds, tuple) else (kinds,)))
    raise AssertionError(f"expected {names}{f' about {text!r}' if text else ''}, got {result!r:.200}")
