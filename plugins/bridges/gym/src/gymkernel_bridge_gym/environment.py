"""The class `GymEnv`, which adapts environments that use any version of gym's API to gymkernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gymkernel import logger
from gymkernel.env import Env
from gymkernel_bridge_gym.spaces import space_from_gym
from gymkernel_bridge_gym.specs import spec_from_gym
from gymkernel_space_tuple import Tuple
from gymkernel_util_compatibility.other_apis import explain_kind
from gymkernel_util_compatibility.step_api_compatibility import EnvCompatibility, env_metadata

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Options

__all__ = ["GymEnv", "has_parameter"]


class GymEnv(EnvCompatibility[Any, Any]):
    """A gymkernel environment that wraps an environment from gym 0.21 to 0.26, or from another library with gym's API.

    * The wrapped environment's `step` may return four or five values. With four values, an episode counts as truncated
      if `info["TimeLimit.truncated"]` is true at its end.
    * Its `reset` may return only an observation, or an observation and an info.
    * The seed is passed to `reset` if `reset` has a parameter `seed`, and to the method `seed` otherwise. If the
      environment has neither, pass a function that creates the environment and has a parameter `seed`. Each
      `reset(seed=...)` then creates a new environment with the given seed.
    * The spaces are converted by `space_from_gym`.
    * All other public attributes of the wrapped environment can be read from this object.

    Args:
        env: an environment, or a function or class that creates an environment.
        render_mode: the render mode. It is passed to `render` if the environment has no render mode of its own. By
            default, the environment's own render mode is used.

    >>> from collections import namedtuple
    >>> class Corridor:
    ...     observation_space = action_space = namedtuple("DiscreteSpace", "n")(9)
    ...
    ...     def __init__(self, seed=0):
    ...         self.start = seed % 3
    ...
    ...     def reset(self):
    ...         self.place = self.start
    ...         return self.place
    ...
    ...     def step(self, action):
    ...         self.place += 1
    ...         return self.place, 1.0, self.place == 8, {}
    >>> env = GymEnv(Corridor)
    >>> env.reset(seed=5), env.step(0), env.action_space
    ((2, {}), (3, 1.0, False, False, {}), Discrete(9))
    """

    env: Any

    def __init__(self, env: Any, render_mode: str | None = None) -> None:
        self._create: Callable[..., Any] | None = None
        if isinstance(env, type) or not _is_env(env):
            if not callable(env):
                raise TypeError(f"GymEnv expects an environment or a function that creates one, got {env!r}")
            self._create, env = env, env()
        if explained := "no object with reset and step" if not _is_env(env) else explain_kind(env):
            raise TypeError(f"GymEnv expects an environment, got {type(env).__name__}, {explained}")
        self.env = env
        own_mode = getattr(env, "render_mode", None)
        self.render_mode = own_mode if render_mode is None else render_mode
        self._renders_itself = own_mode is not None
        self.observation_space = space_from_gym(env.observation_space)
        self.action_space = space_from_gym(env.action_space)
        self.spec = spec_from_gym(getattr(env, "spec", None))
        self.metadata = _metadata(env_metadata(env), self.render_mode)
        self.reward_range = getattr(env, "reward_range", (-float("inf"), float("inf")))
        self._reset_arguments = {name for name in ("seed", "options", "return_info") if _reset_accepts(env, name)}
        self._warned = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "env":
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.env, name)

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, Info]:
        """Seed the environment if a seed is given, and start an episode.

        Args:
            seed: the seed, or None. If the environment cannot be seeded, a warning is issued.
            options: the options, which are ignored if the environment's `reset` has no parameter `options`.
        """
        Env.reset(self, seed=seed)
        arguments: dict[str, Any] = {"return_info": True} if "return_info" in self._reset_arguments else {}
        if options is not None and "options" in self._reset_arguments:
            arguments["options"] = options
        if seed is not None:
            arguments.update(self._seed(seed))
        result = self.env.reset(**arguments)
        self._render_if_human()
        return result if self._has_info(result) else (result, {})

    def _seed(self, seed: int) -> dict[str, Any]:
        """Return the seed as an argument for `reset` if `reset` accepts one. Otherwise, seed the environment."""
        method = _own_seed_method(self.env)
        if "seed" in self._reset_arguments:
            return {"seed": seed}
        if method is not None:
            method(seed)
        elif self._create is not None and has_parameter(self._create, "seed"):
            self.close()
            self.env = self._create(seed=seed)
        elif not self._warned:
            self._warned = True
            logger.warn(
                f"The seed is ignored, because {type(self.unwrapped_gym_env).__name__} has neither a method seed nor a "
                "reset with a parameter seed. If its constructor has a parameter seed, pass the class or a function "
                "that creates the environment to from_gym."
            )
        return {}

    def _has_info(self, result: Any) -> bool:
        """Return whether `reset` returned an (observation, info) pair instead of only an observation."""
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)):
            return False
        return not (isinstance(self.observation_space, Tuple) and result in self.observation_space)

    def _render_if_human(self) -> None:
        if not self._renders_itself:
            super()._render_if_human()

    def render(self) -> Any:
        """Render the environment in the mode that was passed to this object's or the environment's constructor."""
        if self.render_mode is None:
            logger.warn("render does nothing, because no render mode was given. Pass render_mode to from_gym or make.")
            return None
        if not self._renders_itself and has_parameter(self.unwrapped_gym_env.render, "mode"):
            return self.env.render(mode=self.render_mode)
        return self.env.render()

    @property
    def unwrapped_gym_env(self) -> Any:
        """The original environment, without this adapter and without gym's wrappers."""
        return _layers(self.env)[-1]


def _metadata(metadata: dict[str, Any], render_mode: str | None) -> dict[str, Any]:
    """Copy the metadata, with the frame rate under "render_fps" and the given mode in "render_modes"."""
    known = list(metadata["render_modes"])
    modes = known if render_mode is None or render_mode in known else [*known, render_mode]
    rate = metadata.get("video.frames_per_second")
    return {**metadata, "render_modes": modes, **({} if rate is None else {"render_fps": rate})}


def _layers(env: Any) -> list[Any]:
    """Return a list of an environment's gym wrappers, outermost first, followed by the unwrapped environment."""
    layers = [env]
    while any(f"{base.__module__}.{base.__qualname__}" == "gym.core.Wrapper" for base in type(layers[-1]).__mro__):
        layers.append(layers[-1].env)
    return layers


def _own_seed_method(env: Any) -> Any:
    """Return `env.seed`, or None if the unwrapped environment does not override gym's default, which seeds nothing."""
    innermost = _layers(env)[-1]
    home = next((base for base in type(innermost).__mro__ if "seed" in vars(base)), None)
    return None if home is None or home.__module__ == "gym.core" else env.seed


def _is_env(thing: Any) -> bool:
    return hasattr(thing, "step") and hasattr(thing, "reset")


def _reset_accepts(env: Any, name: str) -> bool:
    """Return whether the unwrapped environment's `reset` has the given parameter and all wrappers pass it on."""
    *wrappers, innermost = _layers(env)
    if not has_parameter(innermost.reset, name):
        return False
    return all(has_parameter(layer.reset, name) or has_parameter(layer.reset, None) for layer in wrappers)


def has_parameter(function: Any, name: str | None) -> bool:
    """Return whether a function has a parameter with the given name or, if the name is None, a `**kwargs` parameter."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    if name is None:
        return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    return name in parameters
