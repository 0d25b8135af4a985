"""The table of cases, and the records that describe how a backend deviates from the contract."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gymkernel_tool_check.definition import Skip

__all__ = ["CASES", "Backend", "BackendCase", "Broken", "around", "case", "close_error", "expect", "opened", "refuses"]

Backend = Callable[..., Any]
"""A function that creates a vector environment from functions that create environments, with further options."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A deviation of a backend from the contract.

    Attributes:
        code: the rule that reports the deviation; empty if only the pytest kit reports it.
        message: what was expected, and what was seen.
        method: the method at fault.
        show: a program that shows the deviation, with `{backend}` for the name of the backend.
        hides: rules that cannot be decided because of the deviation.
        mode: the autoreset mode.
        part: the part of the results.
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
    """Return a program that creates the backend with three small environments and then runs some lines."""
    make = f'[lambda i=i: probe_envs.ProbeEnv("{variant}", i) for i in range(3)]'
    return "\n".join([f'envs = {{backend}}({make}, autoreset_mode="{mode}")', *lines])


@dataclass(frozen=True, slots=True)
class BackendCase:
    """A case with parameters: one statement of the contract for backends.

    Attributes:
        name: the identifier of the case: `observations_of_every_space[Text0-NextStep]`.
        function: a function that takes a backend, and raises AssertionError or yields deviations.
        parameters: further arguments of the function.
        codes: the rules of `gymkernel check` that run the case; the pytest kit runs all cases.
    """

    name: str
    function: Callable[..., Iterator[Broken] | None]
    parameters: Mapping[str, Any]
    codes: tuple[str, ...] = ()

    def broken(self, backend: Backend) -> list[Broken]:
        """Return the deviations of a backend."""
        return list(self.function(backend, **self.parameters) or ())

    def __call__(self, backend: Backend) -> None:
        """Check a backend with the case.

        Raises:
            AssertionError: the backend deviates from the contract.
        """
        if found := self.broken(backend):
            raise AssertionError("\n".join(map(str, found)))


CASES: list[BackendCase] = []
"""All cases, in the order of their definition."""


def case(
    *parameters: tuple[str, Mapping[str, Any]], codes: tuple[str, ...] = ()
) -> Callable[[Callable[..., Iterator[Broken] | None]], Callable[..., Iterator[Broken] | None]]:
    """Add a function to the table, once for each of the parameters, which are pairs of a name and arguments."""

    def add(function: Callable[..., Iterator[Broken] | None]) -> Callable[..., Iterator[Broken] | None]:
        for name, arguments in parameters or (("", {}),):
            label = f"{function.__name__}[{name}]" if name else function.__name__
            CASES.append(BackendCase(label, function, arguments, codes))
        return function

    return add


@contextlib.contextmanager
def opened(backend: Backend, env_fns: Any, **kwargs: Any) -> Iterator[Any]:
    """Create a backend and close it afterwards; exceptions of `close` are ignored."""
    envs = backend(env_fns, **kwargs)
    try:
        yield envs
    finally:
        close_error(envs)


def close_error(envs: Any) -> Exception | None:
    """Return the exception that `close` raises, or None; `Skip` is passed on."""
    try:
        envs.close()
    except Skip:
        raise
    except Exception as exc:  # noqa: BLE001 - a backend may raise any exception
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
        call: a function that calls the backend.
        kinds: the expected exception class or classes.
        text: a regular expression that the message must contain.

    Raises:
        AssertionError: the call does not raise, or the message is different.
    """
    try:
        result = call()
    except kinds as exc:
        if not re.search(text, str(exc)):
            raise AssertionError(f"expected a message with {text!r}, got {str(exc)!r}") from exc
        return
    names = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
    raise AssertionError(f"expected {names}{f' about {text!r}' if text else ''}, got {result!r:.200}")
