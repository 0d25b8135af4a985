"""`Episodes`, which runs a policy in an environment step by step."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_util_tools.episodes.errors import EpisodeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Episodes", "acting_in"]


class Episodes:
    """A run of a policy in an environment. Iterating over it yields once after each reset and once after each step.

    The iteration always yields this object itself, whose attributes describe the current state of the run. Episode k
    uses the seed `seed + k` for its reset and for random actions, so each episode can be repeated on its own.

    Args:
        env: an environment of gymkernel or Gymnasium. It is not closed at the end.
        policy: "random" for samples of the action space; a function from observation to action; or a class, which is
            instantiated with the environment and then called with observations. If the policy has a method `reset`, the
            method is called with the episode's seed at the start of each episode.
        episodes: the number of episodes; None for an endless run.
        max_steps: the maximum number of steps per episode; None to rely on the environment's own limit.
        seed: the seed of the first episode; None for a random seed.

    Attributes:
        first_seed: the seed of the first episode.
        episode: the number of the current episode, starting at 0.
        step: the number of the current step in its episode; 0 after the reset.
        seed: the seed of the current episode.
        observation, info: the results of the last reset or step.
        action: the last action; None after the reset.
        reward, terminated, truncated: the results of the last step; 0.0, False and False after the reset.
        cut: whether the episode was ended by `max_steps`, and not by the environment.

    Raises:
        TypeError: if the policy is neither "random" nor callable, or the environment is vectorised.
        EpisodeError: if the environment or the policy failed during the iteration.

    >>> class Countdown:
    ...     def reset(self, *, seed=None):
    ...         self.left = 3
    ...         return self.left, {}
    ...
    ...     def step(self, action):
    ...         self.left -= action
    ...         return self.left, 1.0, self.left <= 0, False, {}
    >>> [(run.step, run.observation) for run in Episodes(Countdown(), lambda left: 1, seed=0)]
    [(0, 3), (1, 2), (2, 1), (3, 0)]
    """

    def __init__(
        self,
        env: Any,
        policy: str | Callable[..., Any] = "random",
        *,
        episodes: int | None = 1,
        max_steps: int | None = None,
        seed: int | None = None,
    ) -> None:
        if hasattr(env, "num_envs"):
            message = f"Expected a single environment, got the vector environment {env}; make it with gymkernel.make"
            raise TypeError(message)
        self.env, self.episodes, self.max_steps = env, episodes, max_steps
        self.first_seed = secrets.randbelow(2**31) if seed is None else seed
        self._policy = acting_in(policy, env)
        self.episode = self.step = 0
        self.seed = self.first_seed
        self._clear()

    @property
    def ended(self) -> bool:
        """Whether the last step ended the episode."""
        return self.terminated or self.truncated or self.cut

    @property
    def done(self) -> float:
        """The number of finished episodes, plus the finished fraction of the current episode if its limit is known."""
        if self.ended:
            return self.episode + 1
        limit = self.max_steps or getattr(getattr(self.env, "spec", None), "max_episode_steps", None)
        return self.episode + (min(self.step / limit, 1.0) if limit else 0.0)

    def __iter__(self) -> Iterator[Episodes]:
        numbers = itertools.count() if self.episodes is None else range(self.episodes)
        for number in numbers:
            self._start_episode(number)
            yield self
            while not self.ended:
                self._take_step()
                yield self

    def frames(self) -> list[NDArray[Any]]:
        """Render the environment and return the frames: one frame, or several if the render mode collects frames.

        Raises:
            EpisodeError: if rendering failed, or did not return images of shape (height, width) or (height, width,
                channels).
        """
        try:
            rendered = self.env.render()
            pictures = rendered if isinstance(rendered, list) else [rendered]
            for picture in pictures:
                _require_picture(picture, self.env)
        except Exception as exc:
            raise self._error("render", exc) from exc
        return pictures

    def text(self) -> str:
        """Render the environment as text.

        Raises:
            EpisodeError: if rendering failed, or did not return a string.
        """
        try:
            rendered = self.env.render()
            if not isinstance(rendered, str):
                message = f"Expected render to return a string in render mode ansi, got {type(rendered).__name__}"
                raise TypeError(message)  # noqa: TRY301 - reported like an exception of render itself
        except Exception as exc:
            raise self._error("render", exc) from exc
        return rendered

    def _clear(self) -> None:
        self.observation: Any = None
        self.info: Any = {}
        self.action: Any = None
        self.reward: Any = 0.0
        self.terminated = self.truncated = self.cut = False

    def _start_episode(self, number: int) -> None:
        self.episode, self.step, self.seed = number, 0, self.first_seed + number
        self._clear()
        try:
            self.observation, self.info = self.env.reset(seed=self.seed)
        except Exception as exc:
            raise self._error("reset", exc) from exc
        self._reset_policy()
        self.cut = self.max_steps == 0

    def _reset_policy(self) -> None:
        reset = getattr(self._policy, "reset", None)
        if reset is not None:
            try:
                reset(self.seed)
            except Exception as exc:
                raise self._error("the policy", exc) from exc

    def _take_step(self) -> None:
        self.step += 1
        try:
            self.action = self._policy(self.observation)
        except Exception as exc:
            self.action = None
            raise self._error("the policy", exc) from exc
        result: Any = None
        try:
            result = self.env.step(self.action)
            self.observation, self.reward, terminated, truncated, self.info = result
            self.terminated, self.truncated = bool(terminated), bool(truncated)
        except Exception as exc:
            explained = explain_result(result)
            cause = TypeError(f"{exc}: {explained}") if explained else exc
            raise self._error("step", cause) from exc
        self.cut = self.step == self.max_steps and not (self.terminated or self.truncated)

    def _error(self, what: str, cause: Exception) -> EpisodeError:
        space = getattr(self.env, "action_space", None)
        return EpisodeError(what, self.episode, self.step, self.seed, self.action, cause, space)


class _RandomPolicy:
    """A policy that draws random samples from the action space."""

    def __init__(self, space: Any) -> None:
        self.space = space

    def reset(self, seed: int) -> None:
        self.space.seed(seed)

    def __call__(self, observation: Any) -> Any:
        return self.space.sample()


def acting_in(policy: str | Callable[..., Any], env: Any) -> Callable[[Any], Any]:
    """Return the function that maps the observations of an environment to actions.

    If the returned object has a method `reset`, call the method with the seed of each episode.

    Args:
        policy: "random", a function from observation to action, or a class that is instantiated with the environment.
        env: the environment that the policy acts in.

    Raises:
        TypeError: if the policy is neither "random" nor callable.
    """
    if policy == "random":
        return _RandomPolicy(env.action_space)
    instance = policy(env) if isinstance(policy, type) else policy
    if not callable(instance):
        raise TypeError(
            "Expected a policy that is 'random', a function from observation to action, or a class that is "
            f"instantiated with the environment and called, got {policy!r}"
        )
    return instance


def _require_picture(picture: Any, env: Any) -> None:
    if isinstance(picture, np.ndarray) and picture.ndim in {2, 3} and picture.dtype == np.uint8 and picture.size:
        return
    seen = f"an array of {picture.shape}, {picture.dtype}" if hasattr(picture, "dtype") else type(picture).__name__
    mode = getattr(env, "render_mode", None)
    message = f"Expected render to return an array of (height, width, 3), uint8, got {seen} (render_mode={mode!r})"
    raise TypeError(message)
