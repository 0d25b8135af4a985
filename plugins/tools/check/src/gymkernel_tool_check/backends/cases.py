"""The table of cases, and what they say where a backend does something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["CASES", "Backend", "BackendCase", "case", "expect", "refuses"]

Backend = Callable[..., Any]
"""Called with functions that make environments, and perhaps autoreset_mode, copy or observation_mode."""


@dataclass(frozen=True, slots=True)
class BackendCase:
    """One case: what is held of a backend, and with which parameters.

    Attributes:
        name: identifies it: `observations_of_every_space[Text0-NextStep]`.
        function: holds a backend to it.
        parameters: beside the backend.
    """

    name: str
    function: Callable[..., None]
    parameters: Mapping[str, Any]

    def __call__(self, backend: Backend) -> None:
        """Hold a backend to it.

        Raises:
            AssertionError: the backend does something else.
        """
        self.function(backend, **self.parameters)


CASES: list[BackendCase] = []
"""All cases."""


def case(*parameters: tuple[str, Mapping[str, Any]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add a function to the table, once for each of the parameters, each (name, arguments)."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        for name, arguments in parameters or (("", {}),):
            label = f"{function.__name__}[{name}]" if name else function.__name__
            CASES.append(BackendCase(label, function, arguments))
        return function

    return add


def expect(seen: Any, expected: Any, what: str) -> None:
    """Hold a plain value to be what is expected.

    Raises:
        AssertionError: it is something else.
    """
    if seen != expected:
        raise AssertionError(f"expected {what} to be {expected!r}, got {seen!r}")


def refuses(call: Callable[[], Any], kinds: Any, text: str = "") -> None:
    """Hold a call to raise.

    Args:
        call: of the backend.
        kinds: of the exception: a class, or several.
        text: a regular expression that its message has.

    Raises:
        AssertionError: it raises nothing, or says something else.
    """
    try:
        result = call()
    except kinds as exc:
        if not re.search(text, str(exc)):
            raise AssertionError(f"expected a message with {text!r}, got {str(exc)!r}") from exc
        return
    names = " or ".join(one.__name__ for one in (kinds if isinstance(kinds, tuple) else (kinds,)))
    raise AssertionError(f"expected {names}{f' about {text!r}' if text else ''}, got {result!r:.200}")
