"""The changes to Stable-Baselines3 that make it accept gymkernel's objects.

The kernel imports this module as soon as both gymkernel and Stable-Baselines3 are imported.

* Wherever Stable-Baselines3 accepts an environment or a `VecEnv` (`PPO(policy, envs)`, `set_env`, `load`,
  `evaluate_policy`, `EvalCallback`, `VecNormalize(envs)`), it also accepts a gymkernel vector environment, which is
  converted to an `SB3VecEnv` in a `VecMonitor`. A `VecEnvWrapper`, such as `VecTransposeImage`, has gymkernel's spaces
  if the wrapped `VecEnv` has them.
* Saved models contain Gymnasium's spaces instead of gymkernel's, so they can be loaded without gymkernel. If gymkernel
  is installed, a loaded model has gymkernel's spaces again.

Nothing else is changed. If `import gymnasium` imports gymkernel's modules, nothing is changed at all. To disable this
module, set `GYMKERNEL_DISABLE=companions.stable_baselines3`.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
from stable_baselines3.common import base_class, callbacks, evaluation, policies, save_util
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, VecMonitor, VecNormalize

from gymkernel.space import Space
from gymkernel.vector_env import VectorEnv
from gymkernel_bridge_gymnasium.bases import subclasses
from gymkernel_bridge_gymnasium.parts import is_alias, is_converted

__all__ = ["accept_vector_environments", "save_spaces_of_gymnasium"]


def accept_vector_environments() -> None:
    """Make Stable-Baselines3 convert gymkernel's vector environments wherever it wraps environments."""
    _replace(base_class.BaseAlgorithm, "_wrap_env", _converting_wrap_env)
    for module in (evaluation, callbacks):  # these modules pass every object that is not a `VecEnv` to `DummyVecEnv`
        _replace(module, "DummyVecEnv", _converting_dummy)
    for cls in (VecEnvWrapper, *subclasses(VecEnvWrapper)):
        if "__init__" in vars(cls):
            _replace(cls, "__init__", _converting_method)
    _replace(VecNormalize, "set_venv", _converting_method)  # called by `VecNormalize.load`


def save_spaces_of_gymnasium() -> None:
    """Make Stable-Baselines3 save models and policies with Gymnasium's spaces and load them with gymkernel's spaces."""
    _replace(save_util, "data_to_json", _converting_argument)
    _replace(policies.BaseModel, "_get_constructor_parameters", functools.partial(_converting_result, _portable))
    _replace(save_util, "json_to_data", functools.partial(_converting_result, _to_gymkernel))


def _replace(owner: Any, name: str, replacement: Callable[[Any], Any]) -> None:
    """Replace a function or class with `replacement(original)`, but only once. Warn if the original does not exist."""
    original = getattr(owner, name, None)
    if original is None:
        warnings.warn(
            f"{owner.__name__} in this version of Stable-Baselines3 has no {name}, so gymkernel's vector environments "
            "and spaces are not converted there; use make_sb3_vec or SB3VecEnv, and run: "
            "pip install --upgrade gymkernel-bridge-stable-baselines3",
            stacklevel=3,
        )
    elif not hasattr(original, "_gymkernel_replaces"):
        new = replacement(original)
        new._gymkernel_replaces = original  # noqa: SLF001 - marks functions that have already been replaced
        setattr(owner, name, staticmethod(new) if isinstance(vars(owner)[name], staticmethod) else new)


def _converting_wrap_env(original: Any) -> Any:
    """Return a version of `_wrap_env` that converts gymkernel's vector environments."""

    @functools.wraps(original)
    def wrap_env(env: Any, verbose: int = 0, monitor_wrapper: bool = True) -> Any:
        if is_vector_env(env):
            env = _vec_env(env, monitor=monitor_wrapper)
        return original(env, verbose, monitor_wrapper)

    return wrap_env


def _converting_dummy(original: Any) -> Any:
    """Return a version of `DummyVecEnv` that converts a vector environment returned by its only function."""

    @functools.wraps(original, updated=())
    def dummy_or_converted(env_fns: Any) -> Any:
        envs = [make() for make in env_fns]
        if len(envs) == 1 and is_vector_env(envs[0]):
            return _vec_env(envs[0])
        return original([lambda env=env: env for env in envs])

    return dummy_or_converted


def _converting_method(original: Any) -> Any:
    """Return a version of a wrapper's method that converts gymkernel's vector environments."""

    @functools.wraps(original)
    def method(self: Any, venv: Any, *args: Any, **kwargs: Any) -> None:
        if is_vector_env(venv):
            venv = _vec_env(venv, monitor=not isinstance(self, VecMonitor))
        original(self, venv, *args, **kwargs)
        for name in ("observation_space", "action_space"):
            _convert_space(self, venv, name)

    return method


def _convert_space(wrapper: Any, venv: Any, name: str) -> None:
    """Convert a Gymnasium space that a wrapper sets if the wrapped `VecEnv` has a gymkernel space."""
    if isinstance(getattr(venv, name, None), Space) and not is_converted(space := getattr(wrapper, name)):
        setattr(wrapper, name, _to_gymkernel(space))


def _converting_argument(original: Any) -> Any:
    """Return a version of a function that converts the gymkernel spaces in its argument, which is a dict."""

    @functools.wraps(original)
    def with_spaces_of_gymnasium(data: dict[str, Any]) -> Any:
        return original({name: _portable(value) for name, value in data.items()})

    return with_spaces_of_gymnasium


def _converting_result(convert: Callable[[Any], Any], original: Any) -> Any:
    """Return a version of a function or method that converts the values in its result, which is a dict."""

    @functools.wraps(original)
    def with_converted_spaces(*args: Any, **kwargs: Any) -> dict[str, Any]:
        return {name: convert(value) for name, value in original(*args, **kwargs).items()}

    return with_converted_spaces


def _portable(value: Any) -> Any:
    """Convert a gymkernel space to a Gymnasium space. Return any other object unchanged."""
    if not isinstance(value, Space):
        return value
    from gymkernel_bridge_gymnasium.conversion import to_gymnasium

    try:
        return to_gymnasium(value)
    except TypeError:  # there is no conversion, so loading the file requires the space's own module
        return value


def _to_gymkernel(value: Any) -> Any:
    """Convert a Gymnasium space to one that belongs to both libraries. Return any other object unchanged."""
    if not isinstance(value, gymnasium.Space) or not issubclass(Space, gymnasium.Space) or is_converted(value):
        return value
    from gymkernel_bridge_gymnasium.conversion import from_gymnasium

    try:
        return from_gymnasium(value)
    except TypeError:  # no conversion exists
        return value


def is_vector_env(env: Any) -> bool:
    """Return whether an object is a gymkernel vector environment, with or without vector wrappers.

    Args:
        env: the object to check. The result is False for a `VecEnv`, even if it wraps a gymkernel vector environment.
    """
    if isinstance(env, VecEnv):
        return False
    inside = getattr(env, "unwrapped", env)
    return isinstance(getattr(inside, "kernel_env", inside), VectorEnv)


def _vec_env(envs: Any, *, monitor: bool = True) -> Any:
    """Convert a gymkernel vector environment to a `VecEnv`."""
    from gymkernel_bridge_stable_baselines3.making import sb3_vec_env  # this import takes 0.1 s

    return sb3_vec_env(envs, monitor=monitor)


if not is_alias():
    accept_vector_environments()
    save_spaces_of_gymnasium()
