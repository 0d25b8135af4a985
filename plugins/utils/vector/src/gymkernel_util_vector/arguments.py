"""What vector environments refuse before they make anything: arguments that cannot be meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.registration import adopt
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_compatibility.other_apis import is_vector_env, require_env
from gymkernel_util_spaces.texts import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OnePerProcessError", "check_attr_name", "check_flags", "check_made", "check_process_limit", "check_values"]
__all__ += ["env_functions", "to_autoreset_mode"]


class OnePerProcessError(ValueError):
    """An error about several environments in one process, of a kind that allows one: `metadata["one_per_process"]`."""


def env_functions(env_fns: Any, backend: str) -> list[Callable[[], Any]]:
    """The functions that make the environments of a vector environment, as a list.

    Args:
        env_fns: a list, or anything else that has one after another.
        backend: the name of its class, for messages.

    Raises:
        TypeError: no list, or something in it that cannot be called.
        ValueError: an empty one.

    >>> env_functions([7], "SyncVectorEnv")
    Traceback (most recent call last):
    TypeError: Expected env_fns to be functions that make one environment each, such as lambda: Maze(), got 7 at index 0
    """
    if isinstance(env_fns, str | bytes | dict) or not hasattr(env_fns, "__iter__"):
        mode = backend.removesuffix("VectorEnv").lower()
        raise TypeError(
            f"{backend} expects env_fns to be a list of functions that make one environment each, got {env_fns!r:.200}"
            f'; gymkernel.make_vec(id, n, "{mode}") takes an id'
        )
    found = list(env_fns)
    if not found:
        raise ValueError(
            f"{backend} expects env_fns to have at least one function that makes an environment, got none: {env_fns!r}"
        )
    for i, make in enumerate(found):
        if not callable(make):
            raise TypeError(
                "Expected env_fns to be functions that make one environment each, such as lambda: Maze(), got "
                f"{text_of(make)} at index {i}"
            )
    return found


def check_made(env: Any, made: set[int]) -> None:
    """Refuse what one of `env_fns` has made, unless it is an environment of its own; adopt one of another library.

    Args:
        env: what the function returned.
        made: the `id` of each environment that was made before; the `id` of this one is added.

    Raises:
        TypeError: the object has no `reset` and `step`, is a class, a vector environment or an object of another API,
            or its metadata are no dictionary.
        ValueError: another function made the object already.

    >>> check_made(None, set())
    Traceback (most recent call last):
    TypeError: Expected the function to make an environment (with reset and step), got None
    """
    expected = "Expected the function to make an environment (with reset and step), got"
    if isinstance(env, type):
        raise TypeError(f"{expected} the class {env.__qualname__}; pass the class itself in env_fns, or call it")
    if not (hasattr(env, "step") and hasattr(env, "reset")):
        raise TypeError(f"{expected} {text_of(env)}")
    if is_vector_env(env):
        raise TypeError(f"{expected} the vector environment {text_of(env)}")
    require_env(env, expected.removesuffix(", got"))
    if not isinstance(metadata := getattr(env, "metadata", {}), Mapping):
        name = type(getattr(env, "unwrapped", env)).__name__
        remedy = 'set metadata = {"render_modes": []} on its class'
        raise TypeError(f"Expected metadata of {name} to be a dictionary, got {text_of(metadata)}; {remedy}")
    if id(env) in made:
        raise ValueError(
            f"Expected each function of env_fns to make an environment of its own, got {text_of(env)} a second time; "
            "have the function make it"
        )
    made.add(id(env))
    adopt(env)


def to_autoreset_mode(autoreset_mode: Any) -> AutoresetMode:
    """The mode of an `autoreset_mode`, which is one or its value.

    Args:
        autoreset_mode: as vector environments are given it.

    Raises:
        ValueError: there is no such mode.

    >>> to_autoreset_mode("SameStep")
    <AutoresetMode.SAME_STEP: 'SameStep'>
    """
    try:
        return AutoresetMode(autoreset_mode)
    except ValueError:
        modes = ", ".join(repr(mode.value) for mode in AutoresetMode)
        raise ValueError(
            f"Expected autoreset_mode to be one of {modes}, or a member of AutoresetMode, got {autoreset_mode!r}"
        ) from None


def check_flags(**flags: Any) -> None:
    """Refuse what is neither true nor false: only bools of Python and NumPy, 0 and 1 are.

    Args:
        **flags: by name.

    Raises:
        TypeError: it is something else, such as the text "False".

    >>> check_flags(copy="False")
    Traceback (most recent call last):
    TypeError: Expected copy to be True or False, got 'False'
    """
    for name, value in flags.items():
        if not (isinstance(value, bool | np.bool_) or (isinstance(value, int | np.integer) and value in (0, 1))):
            raise TypeError(f"Expected {name} to be True or False, got {value!r}")


def check_attr_name(name: Any, *, dots: bool = True) -> None:
    """Refuse what is no name of an attribute or a method of environments.

    Args:
        name: as `call`, `get_attr` and `set_attr` are given it.
        dots: whether it may be one of an attribute, as "np_random.random".

    Raises:
        TypeError: it is no text.
        ValueError: it has dots.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected name to be the name of an attribute or a method, as text, got {name!r}")
    if not dots and "." in name:
        raise ValueError(
            f"Expected name to be that of an attribute of the environments themselves, got {name!r}; what is deeper is "
            "set by a method that they have, through call"
        )


def check_values(values: Any, num_envs: int) -> list[Any] | tuple[Any, ...]:
    """The value of each environment: a list or tuple has them, anything else is for all.

    Args:
        values: as `set_attr` is given them.
        num_envs: number of environments.

    Raises:
        ValueError: there is another number of values.

    >>> check_values(7, 3)
    [7, 7, 7]
    """
    each = values if isinstance(values, list | tuple) else [values] * num_envs
    if len(each) != num_envs:
        raise ValueError(
            f"Expected values to have a value for each of the {num_envs} environments, got {len(each)}: {values!r:.200}"
            "; what is no list or tuple is for all"
        )
    return each


def check_process_limit(env: Any, num_envs: int) -> None:
    """Refuse several environments in one process if their kind allows one, as emulators do.

    Args:
        env: the first environment of this process; `metadata["one_per_process"]` is true if the process can hold no
            other environment of the kind.
        num_envs: number of environments that this process is to hold.

    Raises:
        OnePerProcessError: the process is to hold more than the one.

    >>> class Console:
    ...     metadata = {"one_per_process": True}
    >>> check_process_limit(Console(), 1)
    """
    if num_envs > 1 and getattr(env, "metadata", {}).get("one_per_process", False):
        name = type(getattr(env, "unwrapped", env)).__name__
        raise OnePerProcessError(
            f'{name} allows one environment per process (metadata["one_per_process"]), and this process was to hold '
            f"{num_envs}. AsyncVectorEnv makes each environment in a process of its own, unless num_workers or "
            "max_concurrency asks for fewer processes than environments"
        )
