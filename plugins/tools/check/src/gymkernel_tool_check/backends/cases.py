"""The list of test cases for vector backends, and the records that describe a failed test."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import methodcaller
from typing import Any

from gymkernel_tool_check.definition import Skip

__all__ = ["CASES", "Backend", "BackendCase", "Broken", "around", "attempt", "case", "close_error", "expect", "opened"]
__all__ += ["refuses"]

Backend = Callable[..., Any]
"""A class or function that creates a vector environment from a list of functions that create environments."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A way in which a vector backend fails a test case.

    Attributes:
        code: the code of the rule that reports the violation, or "" if only the pytest kit reports it.
        message: a sentence that says what was expected and what was observed.
        method: the name of the method at fault.
        show: a program that reproduces the violation, with `{backend}` in place of the backend's name.
        hides: the codes of rules that cannot be checked because of this violation.
        mode: the autoreset mode, or "" if the violation does not depend on the mode.
        part: the part of the results that is wrong, such as "observations".
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
    """Return a program that creates a vector environment of three small environments and then runs the given lines."""
    make = f'[lambda i=i: probe_envs.ProbeEnv("{variant}", i) for i in range(3)]'
    return "\n".join([f'envs = {{backend}}({make}, autoreset_mode="{mode}")', *lines])


CaseFunction = Callable[..., Iterator[Broken] | None]
"""A function that takes a backend and parameters. It yields violations, or raises an exception if it finds one."""


@dataclass(frozen=True, slots=True)
class BackendCase:
    """A test case that checks one requirement for vector backends with one set of parameters.

    Attributes:
        name: the name of the case, such as `observations_of_every_space[Text0-NextStep]`.
        function: the function that checks a backend. It either raises AssertionError or yields violations.
        parameters: further keyword arguments for the function.
        codes: the codes of the rules that run the case. The pytest kit runs all cases.
    """

    name: str
    function: CaseFunction
    parameters: Mapping[str, Any]
    codes: tuple[str, ...] = ()

    def broken(self, backend: Backend) -> list[Broken]:
        """Run the test case, and return the violations that it found."""
        return list(self.function(backend, **self.parameters) or ())

    def __call__(self, backend: Backend) -> None:
        """Run the test case, and raise an exception if the backend fails it.

        Raises:
            AssertionError: if the backend fails the test case.
        """
        if found := self.broken(backend):
            raise AssertionError("\n".join(map(str, found)))


CASES: list[BackendCase] = []
"""All test cases, in the order in which they are defined."""


def case(
    *parameters: tuple[str, Mapping[str, Any]], codes: tuple[str, ...] = ()
) -> Callable[[CaseFunction], CaseFunction]:
    """Add the decorated function to `CASES`, once for each set of parameters, given as (name, arguments)."""

    def add(function: CaseFunction) -> CaseFunction:
        for name, arguments in parameters or (("", {}),):
            label = f"{function.__name__}[{name}]" if name else function.__name__
            CASES.append(BackendCase(label, function, arguments, codes))
        return function

    return add


@contextlib.contextmanager
def opened(backend: Backend, env_fns: Any, **kwargs: Any) -> Iterator[Any]:
    """Create a vector environment for a block, and close it afterwards. Exceptions from `close` are ignored."""
    envs = backend(env_fns, **kwargs)
    try:
        yield envs
    finally:
        close_error(envs)


def attempt(call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Exception | None]:
    """Make a call, and return (result, None), or (None, exception) if it raises. `Skip` propagates."""
    try:
        return call(*arguments, **keywords), None
    except Skip:
        raise
    except Exception as exc:  # noqa: BLE001 - a backend may raise any exception
        return None, exc


def close_error(envs: Any) -> Exception | None:
    """Call `close`, and return the exception that it raises, or None. `Skip` propagates."""
    return attempt(methodcaller("close"), envs)[1]


def expect(seen: Any, expected: Any, what: str) -> None:
    """Check that a plain value equals the expected value.

    Raises:
        AssertionError: if the values differ.
    """
    if seen != expected:
        raise AssertionError(f"expected {what} to be {expected!r}, got {seen!r}")


def refuses(call: Callable[[], Any], kinds: Any, text: str = "") -> None:
    """Check that calling a function raises the expected exception.

    Args:
        call: a function without arguments that calls the backend.
        kinds: the expected exception class, or a tuple of classes.
        text: a regular expression that the message must match; "" for any message.

    Raises:
        AssertionError: if the call does not raise such an exception, or the message does not match.
    """
    try:
        result = call()
    except kinds as exc:
        if not re.search(text, str(exc)):
            raise AssertionError(f"expected a message with {text!r}, got {str(exc)!r}") from exc
        return
    names = " or ".join(kind.__name__ for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
    raise AssertionError(f"expected {names}{f' about {text!r}' if text else ''}, got {result!r:.200}")
