"""Functions that check the arguments of vector environments before any environment is created."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.env import Env
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.wrapper import Wrapper, adopt
from gymkernel_util_compatibility.other_apis import is_vector_env, require_env, returns_four_values
from gymkernel_util_spaces.texts import text_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OnePerProcessError", "check_attr_name", "check_flags", "check_made", "check_process_limit", "check_values"]
__all__ += ["env_functions", "to_autoreset_mode"]


class OnePerProcessError(ValueError):
    """Raised if a process would contain several environments although their metadata allows only one per process."""


def env_functions(env_fns: Any, backend: str) -> list[Callable[[], Any]]:
    """Check the argument `env_fns` of a vector environment, and return it as a list.

    Args:
        env_fns: an iterable of functions, each of which creates one environment.
        backend: the class name of the backend, for error messages.

    Raises:
        TypeError: if `env_fns` is not iterable, or if an item is not callable.
        ValueError: if `env_fns` is empty.

    >>> env_functions([7], "SyncVectorEnv")
    Traceback (most recent call last):
    TypeError: Expected each item of env_fns to be a function that creates an environment, such as lambda: Maze(), ...
    """
    if isinstance(env_fns, str | bytes | dict) or not hasattr(env_fns, "__iter__"):
        mode = backend.removesuffix("VectorEnv").lower()
        raise TypeError(
            f"{backend} expects env_fns to be a list of functions that create one environment each, got "
            f'{env_fns!r:.200}; to create environments from an id, use gymkernel.make_vec(id, n, "{mode}")'
        )
    functions = list(env_fns)
    if not functions:
        raise ValueError(
            f"{backend} expects env_fns to contain at least one function that creates an environment, got none: "
            f"{env_fns!r}"
        )
    for i, make in enumerate(functions):
        if not callable(make):
            raise TypeError(
                "Expected each item of env_fns to be a function that creates an environment, such as lambda: Maze(), "
                f"got {text_of(make)} at index {i}"
            )
    return functions


def check_made(env: Any, known: set[int]) -> None:
    """Check that a function in `env_fns` has created a new environment, and adapt environments from other libraries.

    Args:
        env: the object that the function returned.
        known: the `id()` of each environment that was created before. The `id()` of this environment is added.

    Raises:
        TypeError: if the object has no `reset` or `step` method, if it is a class or a vector environment, if it has a
            different API, or if its metadata is not a dictionary.
        ValueError: if another function returned the same object.

    >>> check_made(None, set())
    Traceback (most recent call last):
    TypeError: Expected the function to make an environment (with reset and step), got None
    """
    cls: Any = type(env)
    if issubclass(cls, Wrapper | VectorEnv) or not _steps_return_five_values(cls):
        _check_single_env(env)  # for example, a wrapper may contain a vector environment
    metadata = getattr(env, "metadata", {})
    if type(metadata) is not dict and not isinstance(metadata, Mapping):  # testing for a dict first is faster
        name = type(getattr(env, "unwrapped", env)).__name__
        remedy = 'set metadata = {"render_modes": []} on its class'
        raise TypeError(f"Expected metadata of {name} to be a dictionary, got {text_of(metadata)}; {remedy}")
    if id(env) in known:
        raise ValueError(
            f"Expected each function of env_fns to make a new environment, got {text_of(env)} a second time; create "
            "the environment inside the function"
        )
    known.add(id(env))
    adopt(env)


def _check_single_env(env: Any) -> None:
    expected = "Expected the function to make an environment (with reset and step), got"
    if isinstance(env, type):
        raise TypeError(f"{expected} the class {env.__qualname__}; pass the class itself in env_fns, or call it")
    if not (hasattr(env, "step") and hasattr(env, "reset")):
        raise TypeError(f"{expected} {text_of(env)}")
    if is_vector_env(env):
        raise TypeError(f"{expected} the vector environment {text_of(env)}")
    cls: Any = type(env)
    if not _steps_return_five_values(cls):
        require_env(env, expected.removesuffix(", got"))


@lru_cache(maxsize=256)
def _steps_return_five_values(cls: Any) -> bool:
    """Return whether a class derives from `Env` and does not use Gym's old API, in which `step` returns four values."""
    return issubclass(cls, Env) and not returns_four_values(cls.step)


def to_autoreset_mode(autoreset_mode: Any) -> AutoresetMode:
    """Convert the argument `autoreset_mode` to a member of `AutoresetMode`.

    Args:
        autoreset_mode: a member of `AutoresetMode`, or the value of a member.

    Raises:
        ValueError: if there is no such mode.

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
    """Check that arguments are True or False. 0, 1 and NumPy bools are also accepted.

    Args:
        **flags: the arguments to check, keyed by name.

    Raises:
        TypeError: if an argument has any other value, such as the string "False".

    >>> check_flags(copy="False")
    Traceback (most recent call last):
    TypeError: Expected copy to be True or False, got 'False'
    """
    for name, value in flags.items():
        if not (isinstance(value, bool | np.bool_) or (isinstance(value, int | np.integer) and value in (0, 1))):
            raise TypeError(f"Expected {name} to be True or False, got {value!r}")


def check_attr_name(name: Any, *, dots: bool = True) -> None:
    """Check that the name of an attribute or method is valid.

    Args:
        name: the argument `name` of `call`, `get_attr` or `set_attr`.
        dots: whether the name may contain dots, as in "np_random.random".

    Raises:
        TypeError: if the name is not a string.
        ValueError: if the name contains dots.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected name to be a string with the name of an attribute or method, got {name!r}")
    if not dots and "." in name:
        raise ValueError(
            f"Expected name to be the name of an attribute without dots, got {name!r}; to set an attribute of an "
            "attribute, use call with a method of the environments"
        )


def check_values(values: Any, num_envs: int) -> list[Any] | tuple[Any, ...]:
    """Return a list with one value for each environment. A value that is not a list or tuple is repeated.

    Args:
        values: the argument `values` of `set_attr`.
        num_envs: the number of environments.

    Raises:
        ValueError: if a list or tuple does not have `num_envs` values.

    >>> check_values(7, 3)
    [7, 7, 7]
    """
    each = values if isinstance(values, list | tuple) else [values] * num_envs
    if len(each) != num_envs:
        raise ValueError(
            f"Expected values to contain one value for each of the {num_envs} environments, got {len(each)}: "
            f"{values!r:.200}; a value that is not a list or tuple is used for all environments"
        )
    return each


def check_process_limit(env: Any, num_envs: int) -> None:
    """Check that a process may contain several environments. Most emulators allow only one per process.

    Args:
        env: the first environment in the process. Its `metadata["one_per_process"]` is true if a process may contain
            only one such environment.
        num_envs: the number of environments in the process.

    Raises:
        OnePerProcessError: if the process would contain more than one such environment.

    >>> class Console:
    ...     metadata = {"one_per_process": True}
    >>> check_process_limit(Console(), 1)
    """
    if num_envs > 1 and getattr(env, "metadata", {}).get("one_per_process", False):
        name = type(getattr(env, "unwrapped", env)).__name__
        raise OnePerProcessError(
            f'{name} allows only one environment per process (metadata["one_per_process"]), but this process would '
            f"have {num_envs}. AsyncVectorEnv uses a process for each environment, unless num_workers or "
            "max_concurrency limits the number of processes"
        )
