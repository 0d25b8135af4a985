"""A helper for tests of many small cases, each of which would take longer to report than to run as a separate test."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

__all__ = ["every_case"]


@contextmanager
def every_case() -> Iterator[Callable[[str], AbstractContextManager[None]]]:
    """Run all cases of a test even if some of them fail, and report the failed cases together.

    >>> with every_case() as case:
    ...     for number in (1, 2, 3):
    ...         with case(f"case {number}"):
    ...             assert number % 2 == 0, f"{number} is odd"
    Traceback (most recent call last):
    AssertionError: 2 of 3 cases failed:
    case 1: AssertionError: 1 is odd
    case 3: AssertionError: 3 is odd

    A test without cases fails, too:

    >>> with every_case() as case:
    ...     pass
    Traceback (most recent call last):
    AssertionError: expected at least one case
    """
    count, failed = 0, list[str]()

    @contextmanager
    def case(name: str) -> Iterator[None]:
        nonlocal count
        count += 1
        try:
            yield
        except Exception as exc:  # noqa: BLE001 - any exception is a failure of the case
            failed.append(f"{name}: {type(exc).__name__}: {exc}")

    yield case
    if not count:
        raise AssertionError("expected at least one case")
    if failed:
        raise AssertionError("\n".join([f"{len(failed)} of {count} cases failed:", *failed]))
