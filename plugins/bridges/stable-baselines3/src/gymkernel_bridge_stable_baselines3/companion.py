"""What Stable-Baselines3 does with objects of gymkernel's; the kernel imports this as soon as both are imported.

* Where it takes an environment or a `VecEnv` (`PPO(policy, envs)`, `set_env`, `load`, `evaluate_policy`,
  `EvalCallback`, `VecNormalize(envs)`), it takes a vector environment of gymkernel's, too: that becomes an `SB3VecEnv`
  in a `VecMonitor`. The spaces of a `VecEnvWrapper`, such as `VecTransposeImage`, are gymkernel's if those inside are.
* A model's file has Gymnasium's spaces in the place of gymkernel's, so that it loads where gymkernel is not installed.
  A model that is loaded has gymkernel's spaces again.

Everything else stays as it is. `GYMKERNEL_DISABLE=companions.stable_baselines3` switches this off.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
from stable_baselines3.common import base_class, callbacks, evaluation, policies, save_util
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor, VecNormalize

from gymkernel.space import Space
from gymkernel.vector_env import VectorEnv
from gymkernel_bridge_gymnasium.parts import is_converted

__all__ = ["accept_vector_environments", "save_spaces_of_gymnasium"]


def accept_vector_environments() -> None:
    """Have Stable-Baselines3 convert vector environments of gymkernel's where it wraps environments."""
    _replace(base_class.BaseAlgorithm, "_wrap_env", _converting_wrap_env)
    for module in (evaluation, callbacks):  # which call it for whatever is no `VecEnv`
        _replace(module, "DummyVecEnv", _converting_dummy)
    for cls in (VecEnvWrapper, *_subclasses(VecEnvWrapper)):
        if "__init__" in vars(cls):
            _replace(cls, "__init__", _converting_method)
    _replace(VecNormalize, "set_venv", _converting_method)  # which `VecNormalize.load` calls


def save_spaces_of_gymnasium() -> None:
    """Have Stable-Baselines3 write Gymnasium's spaces into the files of models and policies, and read gymkernel's."""
    _replace(save_util, "data_to_json", _converting_argument)
    _replace(policies.BaseModel, "_get_constructor_parameters", _converting_result)
    _replace(save_util, "json_to_data", _converting_loaded)


def _replace(owner: Any, name: str, replacement: Callable[[Any], Any]) -> None:
    """Replace a function or class by what `replacement` makes of it, once; warn if there is none."""
    original = getattr(owner, name, None)
    if original is None:
        warnings.warn(
            f"{owner.__name__} of this Stable-Baselines3 has no {name}, so gymkernel's vector environments and spaces "
            "are not converted there; use make_sb3_vec or SB3VecEnv, and run: "
            "pip install --upgrade gymkernel-bridge-stable-baselines3",
            stacklevel=3,
        )
    elif not hasattr(original, "_gymkernel_replaces"):
        made = replacement(original)
        made._gymkernel_replaces = original  # noqa: SLF001 - of the function made here
        setattr(owner, name, staticmethod(made) if isinstance(vars(owner)[name], staticmethod) else made)


def _converting_wrap_env(original: Any) -> Any:
    """Return `_wrap_env` for vector environments of gymkernel's, too."""

    @functools.wraps(original)
    def wrap_env(env: Any, verbose: int = 0, monitor_wrapper: bool = True) -> Any:
        if is_vector_env(env):
            env = _vec_env(env, monitor=monitor_wrapper)
        return original(env, verbose, monitor_wrapper)

    return wrap_env


def _converting_dummy(original: Any) -> Any:
    """Return what makes a `DummyVecEnv`, unless the only function gives a vector environment of gymkernel's."""

    @functools.wraps(original, updated=())
    def dummy_or_converted(env_fns: Any) -> Any:
        made = [make() for make in env_fns]
        if len(made) == 1 and is_vector_env(made[0]):
            return _vec_env(made[0])
        return original([lambda env=env: env for env in made])

    return dummy_or_converted


def _converting_method(original: Any) -> Any:
    """Return a method that puts a wrapper around vector environments of gymkernel's, too."""

    @functools.wraps(original)
    def method(self: Any, venv: Any, *args: Any, **kwargs: Any) -> None:
        if is_vector_env(venv):
            venv = _vec_env(venv, monitor=not isinstance(self, VecMonitor))
        original(self, venv, *args, **kwargs)
        for name in ("observation_space", "action_space"):
            _convert_space(self, venv, name)

    return method


def _convert_space(wrapper: Any, venv: Any, name: str) -> None:
    """Convert a space of Gymnasium's that a wrapper set around a `VecEnv` with a space of gymkernel's."""
    if isinstance(getattr(venv, name, None), Space) and not is_converted(space := getattr(wrapper, name)):
        setattr(wrapper, name, _own(space))


def _subclasses(cls: type) -> Iterator[type]:
    """Return every class that derives from a class."""
    direct: list[type] = cls.__subclasses__()
    for sub in direct:
        yield sub
        yield from _subclasses(sub)


def _converting_argument(original: Any) -> Any:
    """Return a function of a dictionary that gets Gymnasium's spaces in the place of gymkernel's."""

    @functools.wraps(original)
    def with_spaces_of_gymnasium(data: dict[str, Any]) -> Any:
        return original({name: _portable(value) for name, value in data.items()})

    return with_spaces_of_gymnasium


def _converting_result(original: Any) -> Any:
    """Return a method whose dictionary has Gymnasium's spaces in the place of gymkernel's."""

    @functools.wraps(original)
    def with_spaces_of_gymnasium(self: Any) -> dict[str, Any]:
        return {name: _portable(value) for name, value in original(self).items()}

    return with_spaces_of_gymnasium


def _portable(value: Any) -> Any:
    """Return a space of gymkernel's as one of Gymnasium's, and anything else as it is."""
    if not isinstance(value, Space):
        return value
    from gymkernel_bridge_gymnasium.conversion import to_gymnasium

    try:
        return to_gymnasium(value)
    except TypeError:  # there is no conversion, and the file needs the module of the space anyway
        return value


def _converting_loaded(original: Any) -> Any:
    """Return a function whose dictionary has gymkernel's spaces in the place of Gymnasium's."""

    @functools.wraps(original)
    def with_spaces_of_gymkernel(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {name: _own(value) for name, value in original(*args, **kwargs).items()}

    return with_spaces_of_gymkernel


def _own(value: Any) -> Any:
    """Return a space of Gymnasium's as one of both libraries, and anything else as it is."""
    if not isinstance(value, gymnasium.Space) or not issubclass(Space, gymnasium.Space) or is_converted(value):
        return value
    from gymkernel_bridge_gymnasium.conversion import from_gymnasium

    try:
        return from_gymnasium(value)
    except TypeError:  # no conversion exists
        return value


def is_vector_env(env: Any) -> bool:
    """Return whether this is a vector environment of gymkernel's, in whatever vector wrappers, and no `VecEnv`."""
    if isinstance(env, VecEnv):  # whose `unwrapped` may be one
        return False
    inside = getattr(env, "unwrapped", env)
    return isinstance(getattr(inside, "kernel_env", inside), VectorEnv)


def _vec_env(envs: Any, *, monitor: bool = True) -> Any:
    """Return a vector environment of gymkernel's as a `VecEnv`."""
    from gymkernel_bridge_stable_baselines3.making import sb3_vec_env  # not before it is needed: 0.1 s

    return sb3_vec_env(envs, monitor=monitor)


accept_vector_environments()
save_spaces_of_gymnasium()
