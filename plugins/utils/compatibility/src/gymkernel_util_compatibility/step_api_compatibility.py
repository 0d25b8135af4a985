"""One flag `done`, as `step` returned it before 0.26, and two, `terminated` and `truncated`: functions and wrappers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, SupportsFloat, TypeAlias

import numpy as np

from gymkernel.env import Env
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.wrapper import Wrapper
from gymkernel_util_compatibility.other_apis import require_env

__all__ = ["DoneStepType", "EnvCompatibility", "StepAPICompatibility", "TerminatedTruncatedStepType"]
__all__ += ["convert_to_done_step_api", "convert_to_terminated_truncated_step_api", "step_api_compatibility"]

KEY: Final = "TimeLimit.truncated"
"""Under which the old API told in the info that a time limit ended the episode."""
Flags: TypeAlias = "bool | np.ndarray[Any, Any]"
Rewards: TypeAlias = "SupportsFloat | np.ndarray[Any, Any]"
Infos: TypeAlias = "dict[str, Any] | list[Any]"
DoneStepType = tuple[ObsType, Rewards, Flags, Infos]
"""What `step` returned before 0.26: observation, reward, done, info."""
TerminatedTruncatedStepType = tuple[ObsType, Rewards, Flags, Flags, Infos]
"""What `step` returns: observation, reward, terminated, truncated, info."""


def convert_to_terminated_truncated_step_api(step_returns: tuple[Any, ...], is_vector_env: bool = False) -> Any:
    """Convert what `step` returned to five values.

    An episode that is done is truncated if its info says so under "TimeLimit.truncated", else it is terminated. The
    key is removed from the info itself, as in Gymnasium: the info that is returned is the object that was given.

    Args:
        step_returns: four values with `done`, or five, which are returned as they are.
        is_vector_env: whether they are of several environments: arrays of flags, and infos as a list or a dictionary.

    Raises:
        ValueError: another number of values.
        TypeError: infos of another kind.

    >>> convert_to_terminated_truncated_step_api((0, 1.0, True, {}))
    (0, 1.0, True, False, {})
    """
    if _length(step_returns) == 5:
        return step_returns
    observation, reward, done, info = step_returns
    if not is_vector_env:
        cut_one = info.pop(KEY, False)
        return observation, reward, bool(done and not cut_one), bool(done and cut_one), info
    if isinstance(info, list):
        cut = np.array([one.pop(KEY, False) for one in info], np.bool_)
    else:
        _check_infos(info)
        cut = np.array(info.pop(KEY, np.zeros(len(done))), np.bool_)
    return observation, reward, np.logical_and(done, ~cut), np.logical_and(done, cut), info


def convert_to_done_step_api(step_returns: tuple[Any, ...], is_vector_env: bool = False) -> Any:
    """Convert what `step` returned to four values.

    Where an episode ends, its info says under "TimeLimit.truncated" whether it was truncated and not terminated. The
    key is written into the info that was given.

    Four values are returned as they are; arguments and errors are those of `convert_to_terminated_truncated_step_api`.

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
    done, cut = np.logical_or(terminated, truncated), np.logical_and(truncated, np.logical_not(terminated))
    if isinstance(info, list):
        for one, ended, was_cut in zip(info, done, cut, strict=True):
            if ended:
                one[KEY] = bool(was_cut)
        return observation, reward, done, info
    _check_infos(info)
    if done.any():
        info[KEY] = cut
    return observation, reward, done, info


def step_api_compatibility(
    step_returns: tuple[Any, ...], output_truncation_bool: bool = True, is_vector_env: bool = False
) -> Any:
    """Convert what `step` returned to the API that is asked for: five values, or four with `done`.

    The arguments, the errors and the changes to the info are those of the two functions that convert one way.

    Args:
        step_returns: what `step` returned, of four values or of five.
        output_truncation_bool: whether five are wanted: termination and truncation apart.
        is_vector_env: whether the values are those of several environments.
    """
    convert = convert_to_terminated_truncated_step_api if output_truncation_bool else convert_to_done_step_api
    return convert(step_returns, is_vector_env)


class StepAPICompatibility(Wrapper[ObsType, ActType, ObsType, ActType]):
    """Return from `step` the five values of today, or the four with `done` of before 0.26, whatever the inside returns.

    `step_api_compatibility` does it for one result. Put the wrapper that returns four values on last: other wrappers
    expect five.

    Args:
        env: the environment inside, whose `step` returns four values or five.
        output_truncation_bool: five values are wanted; else four, and the info says under "TimeLimit.truncated" of an
            episode that ends whether it was truncated.

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
        self.env = _environment(env, "StepAPICompatibility wraps an environment")
        self.output_truncation_bool = output_truncation_bool

    def step(self, action: ActType) -> Any:
        """Act once; four or five values."""
        return step_api_compatibility(self.env.step(action), self.output_truncation_bool)


class EnvCompatibility(Env[ObsType, ActType]):
    """Make an environment of today of one that was written for the API before 0.26.

    Such a one has `seed(seed)`, `reset()` that returns the observation alone, `step(action)` that returns four values
    with `done`, and `render(mode=...)`. `make(..., apply_api_compatibility=True)` puts this around it, below the other
    wrappers; `StepAPICompatibility` is for one of which only the values of `step` are old.

    Args:
        old_env: such an environment, of any class.
        render_mode: the mode in which it is rendered; with "human" it is rendered after every reset and step.

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
        self.metadata = _metadata(old_env)
        self.spec = getattr(old_env, "spec", None)
        self.reward_range = getattr(old_env, "reward_range", (-float("inf"), float("inf")))
        self.observation_space, self.action_space = old_env.observation_space, old_env.action_space

    @classmethod
    def creator(cls, create: Callable[..., Any]) -> Callable[..., EnvCompatibility[Any, Any]]:
        """What makes an old environment, as what makes it with this around it; it takes a `render_mode`, too.

        Args:
            create: the class of the old environment, or a function that makes it.
        """

        def creator(*, render_mode: str | None = None, **kwargs: Any) -> EnvCompatibility[Any, Any]:
            return cls(create(**kwargs), render_mode)

        if hasattr(create, "metadata"):
            creator.metadata = _metadata(create)  # type: ignore[attr-defined]
        return creator

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Seed where a seed is given, and begin an episode; the old API knows no options, and the info is empty."""
        super().reset(seed=seed)
        if seed is not None and hasattr(self.env, "seed"):
            self.env.seed(seed)
        observation = self.env.reset()
        self._show()
        return observation, {}

    def step(self, action: ActType) -> Any:
        """Act once."""
        result = convert_to_terminated_truncated_step_api(self.env.step(action))
        self._show()
        return result

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Render the old environment in the mode that the constructor was given."""
        return self.env.render(mode=self.render_mode)

    def close(self) -> None:
        """Close the old environment, where it can be closed."""
        close = getattr(self.env, "close", None)
        if close is not None:
            close()

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.env}>"

    __repr__ = __str__


def _environment(env: Any, expected: str) -> Any:
    """Return an environment whose steps may return four values; refuse any other object."""
    if isinstance(env, type) or not (hasattr(env, "step") and hasattr(env, "reset")):
        raise TypeError(f"{expected} (an object with reset and step), got {env!r}")
    require_env(env, expected, four_values=True)
    return env


def _metadata(old: Any) -> dict[str, Any]:
    """The metadata of an old environment or its class with the key that `render.modes` has today."""
    metadata: dict[str, Any] = dict(getattr(old, "metadata", None) or {})
    return {**metadata, "render_modes": list(metadata.get("render_modes") or metadata.get("render.modes") or [])}


def _length(step_returns: tuple[Any, ...]) -> int:
    if len(step_returns) not in {4, 5}:
        raise ValueError(f"Expected what step returned: four values with done, or five, got {len(step_returns)}")
    return len(step_returns)


def _check_infos(infos: Any) -> None:
    if not isinstance(infos, dict):
        message = f"Expected the infos of a vector environment to be a dictionary or a list, got {type(infos).__name__}"
        raise TypeError(message)
