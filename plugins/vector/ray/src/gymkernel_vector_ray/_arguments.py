"""What `RayVectorEnv` refuses before it looks for a cluster: arguments that cannot be meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["check_counts", "check_seconds", "functions"]


def functions(env_fns: Iterable[Any]) -> list[Callable[[], Any]]:
    """The functions that make environments, as a list.

    Args:
        env_fns: as they were given.
    """
    if isinstance(env_fns, str) or not hasattr(env_fns, "__iter__"):
        raise TypeError(
            f"RayVectorEnv expects a list of functions that make one environment each, got {env_fns!r:.200}; "
            'gymkernel.make_vec(id, n, "ray") takes an id'
        )
    found = list(env_fns)
    if not found:
        raise ValueError("RayVectorEnv expects at least one function that makes an environment, got none")
    for i, make in enumerate(found):
        if not callable(make):
            raise TypeError(f"Expected functions that make environments, got {make!r:.200} at index {i}")
    return found


def check_counts(least: int, **numbers: Any) -> None:
    """Refuse what is no whole number, or too small; None stands for a default.

    Args:
        least: the smallest one that can be meant.
        **numbers: by name.
    """
    for name, value in numbers.items():
        if value is None:
            continue
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise TypeError(f"Expected {name} to be a whole number, got {value!r}")
        if value < least:
            raise ValueError(f"Expected {name} to be at least {least}, got {value}")


def check_seconds(**numbers: Any) -> None:
    """Refuse what is no time; None stands for a default.

    Args:
        **numbers: by name.
    """
    for name, value in numbers.items():
        if value is None:
            continue
        if isinstance(value, bool) or not hasattr(value, "__float__"):
            raise TypeError(f"Expected {name} to be a number of seconds, or None, got {value!r}")
        if not value > 0:
            raise ValueError(f"Expected {name} to be a number of seconds above 0, or None, got {value}")
