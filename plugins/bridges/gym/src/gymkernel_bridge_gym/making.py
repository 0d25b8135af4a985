"""Functions that convert gym environments and gym spaces, or create environments from gym ids and from classes."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from gymkernel.env import Env
from gymkernel.registration import load_env_creator
from gymkernel.space import Space
from gymkernel_bridge_gym.environment import GymEnv, has_parameter
from gymkernel_bridge_gym.spaces import is_space, space_from_gym
from gymkernel_bridge_gym.specs import find_gym_spec, spec_from_gym
from gymkernel_util_compatibility.other_apis import is_vector_env, returns_four_values
from gymkernel_util_compatibility.step_api_compatibility import env_metadata

__all__ = ["from_gym", "make_gym"]


def from_gym(thing: Any, render_mode: str | None = None) -> Any:
    """Convert an environment or space from gym, or from a library that imitates gym, to gymkernel.

    Args:
        thing: an environment, a space, or a function or class that creates an environment. Environments with gym's API
            from libraries that do not use gym are supported, too. A gymkernel space is returned unchanged, and so is a
            gymkernel environment whose `step` returns five values.
        render_mode: the render mode. It is passed to the environment's `render` method if that method has a parameter
            `mode`.

    Raises:
        TypeError: if the object is a vector environment, or if it is neither an environment nor a space.

    >>> from collections import namedtuple
    >>> from_gym(namedtuple("BoxSpace", "low high shape dtype")(0, 255, (2,), "uint8"))
    Box(0, 255, (2,), uint8)
    """
    if isinstance(thing, Space):
        return thing
    if isinstance(thing, Env) and not returns_four_values(type(thing).step):
        return thing
    if not isinstance(thing, type) and is_vector_env(thing):
        raise TypeError(
            "from_gym expects a single environment, got a vector environment; convert each environment, as in "
            "SyncVectorEnv([lambda: from_gym(make_env())] * n)"
        )
    is_env = hasattr(thing, "step") and hasattr(thing, "reset")
    if is_space(thing) and not is_env:
        return space_from_gym(thing)
    if is_env or callable(thing):
        return GymEnv(thing, render_mode)
    raise TypeError(f"from_gym expects an environment or a space, got {thing!r} ({type(thing).__name__})")


def make_gym(gym_id: str, render_mode: str | None = None, **kwargs: Any) -> GymEnv:
    """Create an environment from a gym id or a class, and convert it to a gymkernel environment without wrappers.

    Args:
        gym_id: an id in gym's registry, such as `CartPole-v1`, or `module:name`. In the latter case, the module is
            imported. If the module defines `name`, this must be a class or function that creates the environment, and
            gym is not needed. Otherwise, `name` must be an id that the module registers with gym.
        render_mode: the render mode. It is passed to the constructor if the constructor has a parameter `render_mode`,
            and otherwise to every call to `render`.
        **kwargs: arguments for the environment's constructor, which take precedence over those in gym's spec.

    >>> make_gym("fractions:Fraction")
    Traceback (most recent call last):
    TypeError: GymEnv expects an environment, got Fraction, no object with reset and step
    """
    module, colon, name = gym_id.partition(":")
    creator = getattr(import_module(module), name, None) if colon else None
    spec = None
    if creator is None:
        spec = find_gym_spec(name if colon else gym_id)
        creator = load_env_creator(spec.entry_point)
        own = getattr(spec, "kwargs", None) or getattr(spec, "_kwargs", None) or {}
        kwargs = {**own, **kwargs}
    if render_mode is not None and has_parameter(creator, "render_mode"):
        # In gym 0.25, "rgb_array" returns a list of frames, and "single_rgb_array" returns only the latest frame.
        single = f"single_{render_mode}"
        kwargs["render_mode"] = single if single in env_metadata(creator)["render_modes"] else render_mode
    env = GymEnv(partial(creator, **kwargs), render_mode)
    if spec is not None:
        env.unwrapped_gym_env.spec = spec
        env.spec = spec_from_gym(spec)
    return env
