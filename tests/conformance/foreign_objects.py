"""Define small objects with other libraries' APIs, and list the gymkernel functions to which users may pass them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import gymkernel as gym
from gymkernel import plugins
from gymkernel.error import PluginError
from gymkernel.spaces import Discrete
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv

__all__ = ["KINDS", "PLACES", "WRAPPER_ARGUMENTS", "wrappers"]


class BoxSpace(NamedTuple):
    """A named tuple that crafter uses as a space if gym is not installed."""

    low: Any
    high: Any
    shape: Any
    dtype: Any


class TimeStep(NamedTuple):
    """The result of dm_env's `reset` and `step`."""

    step_type: Any
    reward: Any
    discount: Any
    observation: Any


class Base:
    """A base class with the attributes and methods that all of these environments have."""

    metadata: ClassVar[Any] = {"render_modes": []}
    render_mode = None
    spec = None

    def close(self) -> None: ...


class OldGym(Base):
    """An environment with gym's API from before version 0.26."""

    observation_space: Any
    action_space: Any

    def __init__(self) -> None:
        self.observation_space = self.action_space = Discrete(2)

    def reset(self) -> Any:
        return 0

    def step(self, action: Any) -> Any:
        return 0, 1.0, False, {}


class FourValues(OldGym):
    """An environment in which only `step` follows the old API."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return 0, {}


class Crafter(OldGym):
    """An environment whose spaces are of crafter's own type."""

    def __init__(self) -> None:
        self.observation_space = BoxSpace(0, 255, (64, 64, 3), "uint8")
        self.action_space = Discrete(2)


class Parallel(Base):
    """A PettingZoo parallel environment, whose spaces are methods."""

    possible_agents = ("a", "b")

    def observation_space(self, agent: str) -> Any:
        return Discrete(2)

    action_space = observation_space

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        return {}, {}

    def step(self, actions: Any) -> Any:
        return {}, {}, {}, {}, {}


class Sequential(Parallel):
    """A PettingZoo AEC environment."""

    def agent_iter(self, max_iter: int = 9) -> Any:
        return iter(self.possible_agents)

    def last(self, observe: bool = True) -> Any:
        return 0, 0.0, False, False, {}


class DeepMind(Base):
    """An environment with dm_env's API."""

    def observation_spec(self) -> Any: ...

    def action_spec(self) -> Any: ...

    def reset(self) -> Any:
        return TimeStep(0, None, None, 0)

    def step(self, action: Any) -> Any:
        return TimeStep(1, 0.0, 1.0, 0)


class Pool(DeepMind):
    """An EnvPool pool with dm_env's API."""

    config: ClassVar[Any] = {"num_envs": 2}

    def async_reset(self) -> None: ...

    def recv(self) -> Any: ...


KINDS: dict[str, tuple[Callable[[], Any], str]] = {
    "old gym": (OldGym, "gymkernel.wrappers.EnvCompatibility"),
    "four values": (FourValues, "gymkernel.wrappers.EnvCompatibility"),
    "crafter": (Crafter, "gymkernel-bridge-gym"),
    "parallel": (Parallel, "gymkernel-bridge-pettingzoo"),
    "AEC": (Sequential, "gymkernel-bridge-pettingzoo"),
    "dm_env": (DeepMind, "gymkernel-bridge-dm-env"),
    "EnvPool": (Pool, "gymkernel-bridge-envpool"),
}
"""For each kind of object, the function that creates it and the name that the error message must contain."""

WRAPPER_ARGUMENTS: dict[str, dict[str, Any]] = {
    "ClipReward": {"min_reward": 0.0},
    "TimeLimit": {"max_episode_steps": 5},
    "TransformObservation": {"func": abs},
    "TransformReward": {"func": abs},
    "Converted": {"env_xp": "numpy", "target_xp": "numpy"},
}
"""Arguments that a wrapper needs although its parameters have defaults."""
COMMON: dict[str, Any] = {
    "action_space": None,
    "bins": 3,
    "delay": 1,
    "dtype": float,
    "env_xp": "numpy",
    "func": abs,
    "max_action": 1.0,
    "max_obs": 1.0,
    "min_action": 0.0,
    "min_obs": 0.0,
    "noise_prob": 0.5,
    "num_repeats": 2,
    "num_stack": 2,
    "observation_space": None,
    "obstructed_pixels_ratio": 0.1,
    "obstruction_width": 1,
    "probability_of_noise_per_pixel": 0.5,
    "repeat_action_probability": 0.5,
    "shape": (2,),
    "stack_size": 2,
    "target_xp": "numpy",
}
"""Arguments for the parameters of wrappers that have no defaults."""


class Own(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper such as a user might write."""


def _wrap(cls: type) -> Callable[[Callable[[], Any]], Any]:
    needed = [p.name for p in inspect.signature(cls).parameters.values() if p.default is p.empty and p.name in COMMON]
    arguments = {**{name: COMMON[name] for name in needed}, **WRAPPER_ARGUMENTS.get(cls.__name__, {})}
    return lambda make: cls(make(), **arguments)


def wrappers() -> dict[str, Callable[[Callable[[], Any]], Any]]:
    """Map the names of all installed wrappers, and of a user's own wrapper, to functions that wrap an object."""
    found: dict[str, type] = {"a user's own": Own}
    for name in plugins.names("wrappers"):
        try:
            cls = plugins.get("wrappers", name)
        except PluginError:
            continue  # the wrapper needs a library that is not installed
        if issubclass(cls, gym.Wrapper) and name != "StepAPICompatibility":  # this wrapper accepts four values
            found[name] = cls
    return {name: _wrap(cls) for name, cls in found.items()}


def _make(make: Callable[[], Any]) -> Any:
    gym.register("Foreign-v0", make)
    try:
        return gym.make("Foreign-v0")
    finally:
        del gym.registry["Foreign-v0"]


def _made_unchecked(make: Callable[[], Any]) -> Any:
    gym.register("Foreign-v0", make)
    try:
        return gym.make("Foreign-v0", disable_env_checker=True)
    finally:
        del gym.registry["Foreign-v0"]


def _made_bare(make: Callable[[], Any]) -> Any:
    gym.register("Foreign-v0", make, order_enforce=False, disable_env_checker=True)
    try:
        return gym.make("Foreign-v0")
    finally:
        del gym.registry["Foreign-v0"]


def _in_list(cls: Any) -> Callable[[Callable[[], Any]], Any]:
    return lambda make: cls([make, make])


def _tool(make: Callable[[], Any]) -> Any:
    from gymkernel.utils.targets import EnvTarget

    return EnvTarget("world.py:make", make).make()


def _rollout(make: Callable[[], Any]) -> Any:
    from gymkernel.rollouts import collect

    with collect([make, make], lambda observations: observations, num_steps=2) as fragments:
        return list(fragments)


PLACES: dict[str, Callable[[Callable[[], Any]], Any]] = {
    "make": _make,
    "make without its checker": _made_unchecked,
    "make without any wrapper": _made_bare,
    "SyncVectorEnv": _in_list(SyncVectorEnv),
    "AsyncVectorEnv": _in_list(AsyncVectorEnv),
    "a command": _tool,
    "a rollout": _rollout,
}
"""The functions to which users may pass objects. Each of them raises an error for an object with another API."""
