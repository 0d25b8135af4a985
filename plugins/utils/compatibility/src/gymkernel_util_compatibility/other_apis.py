"""Functions that recognise objects of other APIs and name the packages that convert such objects.

The objects are recognised by their attributes, so that no other library is imported. Attributes are looked up without
`__getattr__`, so a proxy that forwards every name is not mistaken for an object of another API. These functions run
when an object is passed in, or after an error, and never during a step.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, wraps
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, ParamSpec

__all__ = ["explain_env", "explain_kind", "explain_result", "explain_space", "is_vector_env", "require_env"]
__all__ += ["returns_four_values"]

_P = ParamSpec("_P")

_MISSING: Final = object()
_OLD: Final = (
    "gymkernel.wrappers.EnvCompatibility converts it, as does apply_api_compatibility=True of gymkernel.make; if "
    "reset already returns (observation, info), use gymkernel.wrappers.StepAPICompatibility"
)
_OLD_GYM: Final = "shimmy.GymV21CompatibilityV0(env=...) converts it with its spaces (pip install shimmy)"
_POOL: Final = (
    "a pool of EnvPool, which steps several environments at once; one that envpool.make_gymnasium makes is a vector "
    "environment of Gymnasium, which from_gymnasium converts (pip install gymkernel-bridge-gymnasium)"
)
_SUPERSUIT: Final = "supersuit.pettingzoo_env_to_vec_env_v1 makes a vector environment of"
_AEC: Final = (
    "an AEC environment of PettingZoo, whose agents act in turn; pettingzoo.utils.conversions.aec_to_parallel makes a "
    f"parallel one of it, and {_SUPERSUIT} that, where the agents have equal spaces (pip install supersuit)"
)
_PARALLEL: Final = (
    f"a parallel environment of PettingZoo, whose agents act at once; {_SUPERSUIT} it, where the agents have equal "
    "spaces (pip install supersuit)"
)
_DM_ENV: Final = (
    "an environment of dm_env, whose step returns a TimeStep; shimmy.DmControlCompatibilityV0 converts those of "
    'dm_control (pip install "shimmy[dm-control]"), and shimmy has classes for bsuite and DM Lab, too'
)


def _empty_on_error(explain: Callable[_P, str]) -> Callable[_P, str]:
    """Make a function return "" if the object raises an error when its attributes are read, as some proxies do."""

    @wraps(explain)
    def explain_safely(*args: _P.args, **kwargs: _P.kwargs) -> str:
        try:
            return explain(*args, **kwargs)
        except Exception:  # noqa: BLE001 - for example, a class that forwards every attribute to another runtime
            return ""

    return explain_safely


@_empty_on_error
def explain_env(env: Any, *, four_values: bool = False) -> str:
    """Explain why an object is not an environment and what converts the object; return "" for an environment.

    Args:
        env: an object that is used as a single environment.
        four_values: whether steps with four values, as before version 0.26, are accepted.

    >>> class Several:
    ...     possible_agents = ["a", "b"]
    ...
    ...     def observation_space(self, agent): ...
    >>> explain_env(Several())[:40]
    'a parallel environment of PettingZoo, wh'
    """
    from gymkernel.env import Env  # imported here because it imports NumPy, which some callers do not need

    if isinstance(env, Env):
        four = not four_values and returns_four_values(type(env).step)
        return f"whose step returns four values, as before 0.26, where five are expected; {_OLD}" if four else ""
    return explain_kind(env) or _explain_spaces(env) or ("" if four_values else _explain_age(env))


@_empty_on_error
def explain_kind(env: Any) -> str:
    """Name the other API that an object's methods belong to, and what converts the object; otherwise, return "".

    Args:
        env: an object that is used as a single environment.
    """
    if _has_methods(env, "async_reset", "recv") and _has(env, "config"):
        return "" if is_vector_env(env) else _POOL
    if _has_methods(env, "agent_iter", "last"):
        return _AEC
    if _has_methods(env, "observation_spec", "action_spec") and not _has(env, "observation_space"):
        return _DM_ENV
    if _has_methods(env, "observation_space") and (_has(env, "possible_agents") or _has(env, "agents")):
        return _PARALLEL
    return ""


def is_vector_env(env: Any) -> bool:
    """Return whether an object is a vector environment of gymkernel or Gymnasium, possibly inside wrappers.

    Args:
        env: an object of any class.
    """
    cls: Any = type(getattr(env, "unwrapped", env))
    return _is_vector_class(cls)


@lru_cache(maxsize=256)
def _is_vector_class(cls: type[Any]) -> bool:
    return any(base.__name__ == "VectorEnv" for base in cls.__mro__)


@_empty_on_error
def explain_space(space: Any) -> str:
    """Describe a space of a known other library and say what converts the space; otherwise, return "".

    Args:
        space: an object that is used as a space.
    """
    if not any(base.__module__ == "gym.spaces.space" for base in type(space).__mro__):
        return ""
    return (
        "it is a space of OpenAI Gym, which gymkernel does not support; shimmy.GymV26CompatibilityV0(env=...) "
        "converts an environment of gym 0.26 with its spaces, and shimmy.GymV21CompatibilityV0(env=...) an older one "
        "(pip install shimmy)"
    )


@_empty_on_error
def explain_result(result: Any) -> str:
    """Name the other API that the result of a step or reset belongs to, or return "" if the API is unknown.

    Args:
        result: the result of `step` or `reset`.

    >>> explain_result((0, 1.0, False, {}))[:44]
    'these are the four values of the API before '
    >>> explain_result((0, 1.0, False, False, {}))
    ''
    """
    if _has(result, "step_type") and _has(result, "discount"):
        return f"this is a TimeStep: the object is {_DM_ENV}"
    if isinstance(result, tuple | list) and len(result) == 4:
        return f"these are the four values of the API before 0.26, with done; {_OLD}"
    return ""


def require_env(env: Any, expected: str, *, four_values: bool = False) -> None:
    """Raise an error if an object of another API is used as a single environment.

    Args:
        env: the object that is used as an environment.
        expected: the beginning of the message, such as "TimeLimit expects an environment".
        four_values: whether steps with four values, as before version 0.26, are accepted.

    Raises:
        TypeError: if the object belongs to another API; the message names the API and the package that converts the
            object.

    >>> class Old:
    ...     def reset(self):
    ...         return 0
    ...
    ...     def step(self, action):
    ...         return 0, 1.0, False, {}
    >>> require_env(Old(), "TimeLimit expects an environment")
    Traceback (most recent call last):
    TypeError: TimeLimit expects an environment, got ...Old, an environment of the API before 0.26, whose step ...
    """
    explanation = "" if isinstance(env, type) else explain_env(env, four_values=four_values)
    if explanation:
        raise TypeError(f"{expected}, got {_class_name(env)}, {explanation}")


def returns_four_values(function: Any) -> bool:
    """Return whether every `return` of a function returns a tuple of four values, judged by its compiled code.

    A function that returns a variable, or that is decorated, is not recognised. Its result is checked after a call.

    Args:
        function: a function or method.

    >>> def step(action):
    ...     return action, 1.0, False, {}
    >>> returns_four_values(step), returns_four_values(lambda action: (action, 1.0, False, False, {}))
    (True, False)
    """
    code = getattr(function, "__code__", None)
    return inspect.iscode(code) and _returns_four(code)


@lru_cache(maxsize=1024)
def _returns_four(code: CodeType) -> bool:
    sizes: set[int | None] = set()
    last: Any = None
    for instruction in dis.get_instructions(code):
        if instruction.opname in {"RETURN_VALUE", "RETURN_CONST"}:
            sizes.add(_tuple_size(instruction if instruction.opname == "RETURN_CONST" else last))
        last = instruction
    return sizes == {4}


def _tuple_size(instruction: Any) -> int | None:
    """Return the length of the tuple that an instruction creates, or None if the instruction creates no tuple."""
    if instruction is not None and instruction.opname == "BUILD_TUPLE":
        return int(instruction.arg)
    value = getattr(instruction, "argval", None)
    return len(value) if isinstance(value, tuple) else None


def _explain_spaces(env: Any) -> str:
    """Explain what is wrong with an environment's spaces, such as that they are methods, or return ""."""
    for name in ("observation_space", "action_space"):
        if _has_methods(env, name):
            return (
                f"whose {name} is a method, as where every agent has a space of its own (PettingZoo); {_SUPERSUIT} a "
                "parallel environment of PettingZoo (pip install supersuit); of another environment, make it a property"
            )
        space = None
        with suppress(Exception):  # for example, an environment without spaces before its first reset
            space = getattr(env, name) if _has(env, name) else None
        if not (space is None or isinstance(space, type) or hasattr(space, "sample") or hasattr(space, "contains")):
            old = f"; its steps return four values: {_OLD.partition(',')[0]}" if _explain_age(env) else ""
            return (
                f"whose {name} is not a space but a {_class_name(space)} (it has neither sample nor "
                f"contains); set {name} to one of gymkernel.spaces, in a subclass{old}"
            )
    return ""


def _explain_age(env: Any) -> str:
    """Return the explanation for an environment of the API before 0.26, or "" for other environments."""
    bases = {f"{base.__module__}.{base.__qualname__}": base for base in type(env).__mro__}
    gym_env = bases.get("gym.core.Env")
    if gym_env is not None and "seed" in vars(gym_env):
        return f"an environment of OpenAI Gym before 0.26, whose step returns four values, with done; {_OLD_GYM}"
    if returns_four_values(getattr(env, "step", None)):
        return f"an environment of the API before 0.26, whose step returns four values, with done; {_OLD}"
    if _has_methods(env, "seed") and not _takes_seed(getattr(env, "reset", None)):
        return f"an environment of the API before 0.26, which is seeded by seed and not by reset; {_OLD}"
    return ""


def _takes_seed(reset: Any) -> bool:
    """Return whether a `reset` method accepts a keyword argument `seed`, according to the method's signature."""
    try:
        parameters = inspect.signature(reset).parameters
    except (TypeError, ValueError):
        return True
    return "seed" in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def _has(env: Any, name: str) -> bool:
    return inspect.getattr_static(env, name, _MISSING) is not _MISSING


def _has_methods(env: Any, *names: str) -> bool:
    """Return whether an object has methods with these names, without calling `__getattr__` or a property."""
    kinds = FunctionType, MethodType, staticmethod, classmethod
    return all(isinstance(inspect.getattr_static(env, name, None), kinds) for name in names)


def _class_name(thing: Any) -> str:
    """Return the name of an object's class, with its module unless the module is `__main__` or `builtins`."""
    cls = type(thing)
    name = cls.__qualname__.rpartition("<locals>.")[2]
    return name if cls.__module__ in {"__main__", "builtins"} else f"{cls.__module__}.{name}"
