"""Functions that recognise objects from other APIs and name the packages that convert such objects.

An object is recognised by its attributes, so no other library has to be imported. Attributes are looked up without
`__getattr__`, so a proxy that forwards every attribute is not mistaken for an object from another API. These functions
are called when an object is passed to gymkernel, or after an error, but never during a step.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache, wraps
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, ParamSpec

__all__ = ["accepts", "explain_env", "explain_kind", "explain_result", "explain_space", "is_vector_env"]
__all__ += ["require_env", "returns_four_values"]

_P = ParamSpec("_P")

_MISSING: Final = object()
_OLD: Final = (
    "convert it with gymkernel.wrappers.EnvCompatibility or gymkernel.make(..., apply_api_compatibility=True); if "
    "reset already returns (observation, info), use gymkernel.wrappers.StepAPICompatibility"
)
_FROM_GYM: Final = "gymkernel.utils.gym.from_gym(env) (pip install gymkernel-bridge-gym)"
_GYM_VECTOR: Final = (
    'an OpenAI Gym vector environment; create it with gymkernel.make_vec("gym/...", 8), or convert each of its '
    "environments with gymkernel.utils.gym.from_gym, as in SyncVectorEnv([lambda: from_gym(make_env())] * n) "
    "(pip install gymkernel-bridge-gym)"
)
_POOL: Final = (
    'an EnvPool pool, which steps several environments at once; create it with gymkernel.make_vec("envpool/...", 8) '
    "(pip install gymkernel-bridge-envpool)"
)
_FROM_PETTINGZOO: Final = "gymkernel.utils.pettingzoo.from_pettingzoo"
_AEC: Final = (
    "a PettingZoo AEC environment, whose agents act in turn; to train one agent, convert it with "
    f"{_FROM_PETTINGZOO}(env, agent, policies) (pip install gymkernel-bridge-pettingzoo)"
)
_PARALLEL: Final = (
    "a PettingZoo parallel environment, whose agents act at the same time; convert it to a vector environment with "
    f"{_FROM_PETTINGZOO}(env) or, to train one agent, with {_FROM_PETTINGZOO}(env, agent, policies) "
    "(pip install gymkernel-bridge-pettingzoo)"
)
_DM_ENV: Final = (
    "a dm_env environment, whose step returns a TimeStep; convert it with gymkernel.utils.dm_env.from_dm_env "
    "(pip install gymkernel-bridge-dm-env)"
)


def _empty_on_error(explain: Callable[_P, str]) -> Callable[_P, str]:
    """Make a function return "" if it raises an exception, as it may when it reads the attributes of a proxy."""

    @wraps(explain)
    def explain_safely(*args: _P.args, **kwargs: _P.kwargs) -> str:
        try:
            return explain(*args, **kwargs)
        except Exception:  # noqa: BLE001 - some proxies raise arbitrary exceptions
            return ""

    return explain_safely


@_empty_on_error
def explain_env(env: Any, *, four_values: bool = False) -> str:
    """Explain why an object is not an environment and how to convert it. Return "" if it is an environment.

    Args:
        env: an object that the caller uses as a single environment.
        four_values: whether to accept environments whose `step` returns four values, as in Gym before version 0.26.

    >>> class Several:
    ...     possible_agents = ["a", "b"]
    ...
    ...     def observation_space(self, agent): ...
    >>> explain_env(Several())[:33]
    'a PettingZoo parallel environment'
    """
    # `Env` is imported here, because its module also imports NumPy.
    from gymkernel.env import Env

    if isinstance(env, Env):
        four = not four_values and returns_four_values(type(env).step)
        return f"whose step returns four values instead of five, as in Gym before version 0.26; {_OLD}" if four else ""
    return explain_kind(env) or _explain_spaces(env) or ("" if four_values else _explain_age(env))


@_empty_on_error
def explain_kind(env: Any) -> str:
    """Name the API that an object implements, and explain how to convert the object. Return "" if no known API matches.

    Args:
        env: an object that the caller uses as a single environment.
    """
    if any(base.__module__ == "gym.vector.vector_env" for base in type(env).__mro__):
        return _GYM_VECTOR
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
    """Return whether an object is a gymkernel or Gymnasium vector environment, possibly inside wrappers.

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
    """Describe a space from OpenAI Gym, and explain how to convert it. Return "" for any other object.

    Args:
        space: an object that the caller uses as a space.
    """
    if not any(base.__module__ == "gym.spaces.space" for base in type(space).__mro__):
        return ""
    return f"it is an OpenAI Gym space, not a gymkernel space; convert the environment and its spaces with {_FROM_GYM}"


@_empty_on_error
def explain_result(result: Any) -> str:
    """Name the API whose `step` or `reset` returned a result. Return "" if the API is gymkernel's or unknown.

    Args:
        result: the result of `step` or `reset`.

    >>> explain_result((0, 1.0, False, {}))[:46]
    "these are the four values of Gym's API from be"
    >>> explain_result((0, 1.0, False, False, {}))
    ''
    """
    if _has(result, "step_type") and _has(result, "discount"):
        return f"this is a TimeStep: the object is {_DM_ENV}"
    if isinstance(result, tuple | list) and len(result) == 4:
        return (
            f"these are the four values of Gym's API from before version 0.26, including done; {_OLD}; if the "
            f"environment has OpenAI Gym spaces, use {_FROM_GYM}"
        )
    return ""


def require_env(env: Any, expected: str, *, four_values: bool = False) -> None:
    """Raise an error if an object from another API is used as a single environment.

    Args:
        env: the object that is used as an environment.
        expected: the beginning of the message, such as "TimeLimit expects an environment".
        four_values: whether to accept environments whose `step` returns four values, as in Gym before version 0.26.

    Raises:
        TypeError: if the object is from another API. The message names the API and the package that converts the
            object.

    >>> class Old:
    ...     def reset(self):
    ...         return 0
    ...
    ...     def step(self, action):
    ...         return 0, 1.0, False, {}
    >>> require_env(Old(), "TimeLimit expects an environment")
    Traceback (most recent call last):
    TypeError: TimeLimit expects an environment, got ...Old, an environment with Gym's API from before version 0.26, ...
    """
    explanation = "" if isinstance(env, type) else explain_env(env, four_values=four_values)
    if explanation:
        raise TypeError(f"{expected}, got {_class_name(env)}, {explanation}")


def returns_four_values(function: Any) -> bool:
    """Return whether all return statements of a function return a tuple of four values.

    The bytecode of the function is examined. For a decorated function, or a function that returns a variable, the
    answer is always False. In this case, the caller must check the value that the function returns.

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
    """Return the length of the tuple that a bytecode instruction creates, or None if it does not create a tuple."""
    if instruction is not None and instruction.opname == "BUILD_TUPLE":
        return int(instruction.arg)
    value = getattr(instruction, "argval", None)
    return len(value) if isinstance(value, tuple) else None


def _explain_spaces(env: Any) -> str:
    """Explain what is wrong with an environment's spaces, which may be methods. Return "" if they are valid."""
    for name in ("observation_space", "action_space"):
        if _has_methods(env, name):
            return (
                f"whose {name} is a method; make it a property or, if this is a PettingZoo parallel environment, "
                f"convert the environment with {_FROM_PETTINGZOO} (pip install gymkernel-bridge-pettingzoo)"
            )
        space = None
        with suppress(Exception):  # some environments have no spaces before the first reset
            space = getattr(env, name) if _has(env, name) else None
        if not (space is None or isinstance(space, type) or hasattr(space, "sample") or hasattr(space, "contains")):
            old = ", and whose step returns four values" if _explain_age(env) else ""
            return (
                f"whose {name} is not a space but a {_class_name(space)} (without sample and contains){old}; convert "
                f"the environment and its spaces with {_FROM_GYM}"
            )
    return ""


def _explain_age(env: Any) -> str:
    """Explain how to convert an environment with Gym's API from before version 0.26. Return "" for other objects."""
    bases = {f"{base.__module__}.{base.__qualname__}": base for base in type(env).__mro__}
    gym_env = bases.get("gym.core.Env")
    if gym_env is not None and "seed" in vars(gym_env):
        old = "an OpenAI Gym environment from before version 0.26, whose step returns four values, including done"
        return f"{old}; convert it and its spaces with {_FROM_GYM}"
    if returns_four_values(getattr(env, "step", None)):
        old = "whose step returns four values, including done"
    elif _has_methods(env, "seed") and not accepts(getattr(env, "reset", None), "seed"):
        old = "whose seed is set by its method seed instead of reset"
    else:
        return ""
    # EnvCompatibility would keep gym's spaces.
    remedy = f"convert it and its spaces with {_FROM_GYM}" if gym_env is not None or _has_gym_space(env) else _OLD
    return f"an environment with Gym's API from before version 0.26, {old}; {remedy}"


def _has_gym_space(env: Any) -> bool:
    """Return whether an environment's observation space or action space is an OpenAI Gym space."""
    for name in ("observation_space", "action_space"):
        with suppress(Exception):  # some environments have no spaces before the first reset
            if _has(env, name) and explain_space(getattr(env, name)):
                return True
    return False


def accepts(function: Any, name: str) -> bool:
    """Return whether a function or a class accepts a keyword argument. Return True if its signature is unknown.

    Args:
        function: a function, a method or a class.
        name: the name of the argument.

    >>> accepts(sorted, "key"), accepts(sorted, "seed")
    (True, False)
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def _has(env: Any, name: str) -> bool:
    return inspect.getattr_static(env, name, _MISSING) is not _MISSING


def _has_methods(env: Any, *names: str) -> bool:
    """Return whether an object has methods with the given names. Neither `__getattr__` nor a property is called."""
    kinds = FunctionType, MethodType, staticmethod, classmethod
    return all(isinstance(inspect.getattr_static(env, name, None), kinds) for name in names)


def _class_name(thing: Any) -> str:
    """Return the name of an object's class, with its module unless the module is `__main__` or `builtins`."""
    cls = type(thing)
    name = cls.__qualname__.rpartition("<locals>.")[2]
    return name if cls.__module__ in {"__main__", "builtins"} else f"{cls.__module__}.{name}"
