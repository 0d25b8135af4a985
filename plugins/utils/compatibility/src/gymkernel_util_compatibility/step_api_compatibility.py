"""Functions and wrappers that convert between the old flag `done` and the flags `terminated` and `truncated`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, SupportsFloat, TypeAlias

import numpy as np

from gymkernel.env import Env
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.wrapper import Wrapper
from gymkernel_util_compatibility.other_apis import require_env

__all__ = ["DoneStepType", "EnvCompatibility", "StepAPICompatibility", "TerminatedTruncatedStepType"]
__all__ += [
    "convert_to_done_step_api",
    "convert_to_terminated_truncated_step_api",
    "env_metadata",
    "step_api_compatibility",
]

KEY: Final = "TimeLimit.truncated"
"""The info key that Gym versions before 0.26 set if a time limit ended the episode."""
Flags: TypeAlias = "bool | np.ndarray[Any, Any]"
Rewards: TypeAlias = "SupportsFloat | np.ndarray[Any, Any]"
Infos: TypeAlias = "dict[str, Any] | list[Any]"
DoneStepType = tuple[ObsType, Rewards, Flags, Infos]
"""The type of a step's result in Gym before version 0.26: observation, reward, done and info."""
TerminatedTruncatedStepType = tuple[ObsType, Rewards, Flags, Flags, Infos]
"""The type of a step's result: observation, reward, terminated, truncated and info."""


def convert_to_terminated_truncated_step_api(step_returns: tuple[Any, ...], is_vector_env: bool = False) -> Any:
    """Convert the result of `step` to five values, with `terminated` and `truncated` instead of `done`.

    A finished episode counts as truncated if its info has a true value under "TimeLimit.truncated". Otherwise, it
    counts as terminated. As in Gymnasium, the key is removed from the given info, and the same info object is returned.

    Args:
        step_returns: four values with `done`, or five values, which are returned unchanged.
        is_vector_env: whether the values come from a vector environment, so that flags are arrays, and infos are a list
            or a dictionary.

    Raises:
        ValueError: if `step_returns` has neither four nor five values.
        TypeError: if the infos are neither a list nor a dictionary.

    >>> convert_to_terminated_truncated_step_api((0, 1.0, True, {}))
    (0, 1.0, True, False, {})
    """
    if _length(step_returns) == 5:
        return step_returns
    observation, reward, done, info = step_returns
    if not is_vector_env:
        is_truncated = info.pop(KEY, False)
        return observation, reward, bool(done and not is_truncated), bool(done and is_truncated), info
    if isinstance(info, list):
        truncated = np.array([env_info.pop(KEY, False) for env_info in info], np.bool_)
    else:
        _check_infos(info)
        truncated = np.array(info.pop(KEY, np.zeros(len(done))), np.bool_)
    return observation, reward, np.logical_and(done, ~truncated), np.logical_and(done, truncated), info


def convert_to_done_step_api(step_returns: tuple[Any, ...], is_vector_env: bool = False) -> Any:
    """Convert the result of `step` to four values, with `done` instead of `terminated` and `truncated`.

    At the end of an episode, the key "TimeLimit.truncated" is added to the given info. Its value is true if the episode
    was truncated but not terminated.

    Four values are returned unchanged. The arguments and exceptions are the same as for
    `convert_to_terminated_truncated_step_api`.

    >>> convert_to_done_step_api((0, 1.0, True, False, {}))
    (0, 1.0, True, {'TimeLimit.truncated': False})
    """
    if _length(step_returns) == 4:
        return step_returns
    observation, reward, terminated, truncated, info = step_returns
    if not is_vector_env:
        if terminated or truncated:
            info[KEY] = bool(truncated and not terminated)
        return observation, reward, bool(terminated or truncated), info
    done = np.logical_or(terminated, truncated)
    only_truncated = np.logical_and(truncated, np.logical_not(terminated))
    if isinstance(info, list):
        for env_info, is_done, is_truncated in zip(info, done, only_truncated, strict=True):
            if is_done:
                env_info[KEY] = bool(is_truncated)
        return observation, reward, done, info
    _check_infos(info)
    if done.any():
        info[KEY] = only_truncated
    return observation, reward, done, info


def step_api_compatibility(
    step_returns: tuple[Any, ...], output_truncation_bool: bool = True, is_vector_env: bool = False
) -> Any:
    """Convert the result of `step` to five values, or to four values with `done`.

    This function calls `convert_to_terminated_truncated_step_api` or `convert_to_done_step_api`, so it raises the same
    exceptions and also modifies the info.

    Args:
        step_returns: the result of `step`, with four or five values.
        output_truncation_bool: whether to return five values, with separate `terminated` and `truncated` flags.
        is_vector_env: whether the values come from a vector environment.
    """
    convert = convert_to_terminated_truncated_step_api if output_truncation_bool else convert_to_done_step_api
    return convert(step_returns, is_vector_env)


class StepAPICompatibility(Wrapper[ObsType, ActType, ObsType, ActType]):
    """A wrapper whose `step` returns five values, or four values with `done`, as in Gym before version 0.26.

    The wrapped environment may return four or five values. If the wrapper returns four values, it must be the outermost
    wrapper, because other wrappers expect five values. To convert a single result, use the function
    `step_api_compatibility`.

    Args:
        env: the environment to wrap, whose `step` returns four or five values.
        output_truncation_bool: whether to return five values. Otherwise, four values are returned, and the info of a
            finished episode contains "TimeLimit.truncated", which is true if the episode was truncated but not
            terminated.

    >>> class Old(Env):
    ...     def step(self, action):
    ...         return 0, 1.0, True, {"TimeLimit.truncated": True}
    >>> five = StepAPICompatibility(Old())
    >>> five.step(0)
    (0, 1.0, False, True, {})
    >>> StepAPICompatibility(five, output_truncation_bool=False).step(0)
    (0, 1.0, True, {'TimeLimit.truncated': True})
    """

    def __init__(self, env: EnvLike[ObsType, ActType], output_truncation_bool: bool = True) -> None:
        self.env = _environment(env, "StepAPICompatibility expects an environment")
        self.output_truncation_bool = output_truncation_bool

    def step(self, action: ActType) -> Any:
        """Perform one action, and return four or five values."""
        return step_api_compatibility(self.env.step(action), self.output_truncation_bool)


class EnvCompatibility(Env[ObsType, ActType]):
    """An adapter that turns an environment with Gym's API from before version 0.26 into an `Env`.

    In this API, `seed(seed)` seeds the environment, `reset()` returns only the observation, `step(action)` returns four
    values with `done`, and `render(mode=...)` takes the render mode. `make(..., apply_api_compatibility=True)` applies
    this class before other wrappers. If only `step` differs from the current API, use `StepAPICompatibility`.

    Args:
        old_env: the environment to adapt, which may be an object of any class.
        render_mode: the render mode. In "human" mode, the environment is rendered after every reset and step.

    >>> class Old:
    ...     metadata = {"render.modes": ["ansi"]}
    ...     observation_space = action_space = None
    ...
    ...     def reset(self):
    ...         return 0
    ...
    ...     def step(self, action):
    ...         return action, 1.0, action == 2, {}
    ...
    ...     def render(self, mode="human"):
    ...         return mode
    >>> env = EnvCompatibility(Old(), render_mode="ansi")
    >>> env.reset(seed=7), env.step(2), env.render()
    ((0, {}), (2, 1.0, True, False, {}), 'ansi')
    """

    def __init__(self, old_env: Any, render_mode: str | None = None) -> None:
        self.env = _environment(old_env, "EnvCompatibility expects an environment")
        self.render_mode = render_mode
        self.metadata = env_metadata(old_env)
        self.spec = getattr(old_env, "spec", None)
        self.reward_range = getattr(old_env, "reward_range", (-float("inf"), float("inf")))
        self.observation_space, self.action_space = old_env.observation_space, old_env.action_space

    @classmethod
    def creator(cls, create: Callable[..., Any]) -> Callable[..., EnvCompatibility[Any, Any]]:
        """Return a function that creates and adapts an environment. The function also accepts `render_mode`.

        Args:
            create: the class of an environment that uses the old Gym API, or a function that creates such an
                environment.
        """

        def creator(*, render_mode: str | None = None, **kwargs: Any) -> EnvCompatibility[Any, Any]:
            return cls(create(**kwargs), render_mode)

        if hasattr(create, "metadata"):
            creator.metadata = env_metadata(create)  # type: ignore[attr-defined]
        return creator

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Seed the adapted environment if a seed is given, and start an episode.

        Options are ignored and the info is empty, because the old API has neither.
        """
        super().reset(seed=seed)
        if seed is not None and hasattr(self.env, "seed"):
            self.env.seed(seed)
        observation = self.env.reset()
        self._render_if_human()
        return observation, {}

    def step(self, action: ActType) -> Any:
        """Perform one action."""
        result = convert_to_terminated_truncated_step_api(self.env.step(action))
        self._render_if_human()
        return result

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Render the adapted environment in the mode that was passed to the constructor."""
        return self.env.render(mode=self.render_mode)

    def close(self) -> None:
        """Close the adapted environment if it has a `close` method."""
        close = getattr(self.env, "close", None)
        if close is not None:
            close()

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.env}>"

    __repr__ = __str__


def _environment(env: Any, expected: str) -> Any:
    """Return `env` if it is an environment, even one whose `step` returns four values. Otherwise, raise an error."""
    if isinstance(env, type) or not (hasattr(env, "step") and hasattr(env, "reset")):
        raise TypeError(f"{expected} (an object with reset and step), got {env!r}")
    require_env(env, expected, four_values=True)
    return env


def env_metadata(old: Any) -> dict[str, Any]:
    """Return the metadata of an environment or class. If `render_modes` is missing, it is copied from `render.modes`.

    Args:
        old: an environment or a class with Gym's API from before version 0.26, which may have no metadata.
    """
    metadata: dict[str, Any] = dict(getattr(old, "metadata", None) or {})
    return {**metadata, "render_modes": list(metadata.get("render_modes") or metadata.get("render.modes") or [])}


def _length(step_returns: tuple[Any, ...]) -> int:
    if len(step_returns) not in {4, 5}:
        raise ValueError(f"Expected step to return four values (including done) or five, got {len(step_returns)}")
    return len(step_returns)


def _check_infos(infos: Any) -> None:
    if not isinstance(infos, dict):
        message = f"Expected the infos of a vector environment to be a dictionary or a list, got {type(infos).__name__}"
        raise TypeError(message)
