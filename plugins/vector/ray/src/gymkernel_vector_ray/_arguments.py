"""What `RayVectorEnv` refuses before it looks for a cluster: arguments that cannot be meant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["check_choices", "check_counts", "check_resources", "check_seconds", "functions"]


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
        if not _is_number(value):
            raise TypeError(f"Expected {name} to be a number of seconds, or None, got {value!r}")
        if not value > 0:
            raise ValueError(f"Expected {name} to be a number of seconds above 0, or None, got {value}")


def check_choices(on_error: Any, runtime_env: Any, address: Any) -> None:
    """Refuse what is none of the values that are known.

    Args:
        on_error: "raise" or "restart".
        runtime_env: a mapping, or None.
        address: a string that is not empty, or None.
    """
    if on_error not in ("raise", "restart"):
        raise ValueError(f"Expected on_error to be 'raise' or 'restart', got {on_error!r}")
    if runtime_env is not None and not isinstance(runtime_env, Mapping):
        raise TypeError(
            'Expected runtime_env to be a mapping as Ray takes it, for example {"uv": ["minigrid"]}, '
            f"got {runtime_env!r}"
        )
    if address is not None and not (isinstance(address, str) and address.strip()):
        error = ValueError if isinstance(address, str) else TypeError
        raise error(
            f"Expected address to be that of a cluster ('10.0.0.1:6379'), 'auto', 'local' or None, got {address!r}"
        )


def check_resources(resources: Any) -> None:
    """Refuse what are no amounts by name.

    Args:
        resources: as they were given; None for those of default.
    """
    if resources is None:
        return
    if not isinstance(resources, Mapping):
        raise TypeError(
            f'Expected resources to be amounts by name, for example {{"CPU": 2, "GPU": 0.5}}, got {resources!r}'
        )
    for name, amount in resources.items():
        if not isinstance(name, str) or not _is_number(amount):
            raise TypeError(f"Expected resources to be numbers by name, got {name!r}: {amount!r}")
        if not 0 <= amount < math.inf:
            raise ValueError(f"Expected resources of 0 or more for each worker, got {name}: {amount}")
    if "object_store_memory" in resources:
        raise ValueError(
            "Expected resources that Ray keeps for an actor, got object_store_memory, which it does not; ask for "
            "memory, or start Ray with a larger object_store_memory"
        )


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__float__")
