"""The class `Episodes`, which runs a policy in an environment, and `EpisodeError`, which reports where a run failed."""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import Error
from gymkernel_util_compatibility.other_apis import explain_result

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EpisodeError", "Episodes", "acting_in"]


class EpisodeError(Error):
    """Raised if an environment or a policy fails during an episode. `__cause__` is the original exception.

    Args:
        what: the part that failed: "reset", "step", "render" or "the policy".
        episode: the number of the episode, starting at 0.
        step: the number of the step in the episode, or 0 for the reset.
        seed: the seed of the episode. To repeat the episode, start a run with this seed.
        action: the last action, or None before the first step.
        cause: the exception that the environment or the policy raised.
        space: the action space, or None. If the space does not contain the action, the message says so.
    """

    def __init__(
        self, what: str, episode: int, step: int, seed: int, action: Any, cause: Exception, space: Any = None
    ) -> None:
        from gymkernel_util_tools.command_errors import place_of  # imports click, which only an error report needs

        self.what, self.episode, self.step, self.seed, self.action = what, episode, step, seed, action
        self.cause = cause
        of_action = "" if action is None else f", action {' '.join(repr(action).split())}"
        where = f"{what} failed in episode {episode}, step {step} (seed {seed}{of_action})"
        place = "" if isinstance(cause, Error) else place_of(cause)
        super().__init__(f"{where}: {type(cause).__name__}: {cause}{place}{_not_in_space(action, space)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.episode, self.step, self.seed, self.action, self.cause)


def _not_in_space(action: Any, space: Any) -> str:
    with contextlib.suppress(Exception):  # an exception from the space must not hide the original exception
        if action is not None and space is not None and action not in space:
            return f"; the action is not an element of {space}"
    return ""


class Episodes:
    """An iterable that runs a policy in an environment and yields after each reset and each step.

    Each iteration yields the `Episodes` object itself, whose attributes describe the current state of the run. Episode
    k uses the seed `seed + k` for its reset and for random actions, so each episode can be repeated on its own.

    Args:
        env: an environment from gymkernel or Gymnasium. It is not closed at the end of the run.
        policy: "random", a function that takes an observation and returns an action, or a class. "random" samples from
            the action space. A class is instantiated with the environment, and the instance is called with each
            observation. If the policy has a `reset` method, this method is called with the episode's seed at the start
            of each episode.
        episodes: the number of episodes, or None for an endless run.
        max_steps: the maximum number of steps per episode, or None for no limit other than the environment's own.
        seed: the seed of the first episode, or None for a random seed.

    Attributes:
        first_seed: the seed of the first episode.
        episode: the number of the current episode, starting at 0.
        step: the number of the current step in the episode, or 0 after the reset.
        seed: the seed of the current episode.
        observation, info: the observation and the info that the last reset or step returned.
        action: the last action, or None after the reset.
        reward, terminated, truncated: the values that the last step returned. After the reset, they are 0.0, False and
            False.
        cut: whether `max_steps` ended the episode before the environment did.

    Raises:
        TypeError: if the policy is neither "random" nor callable, or if the environment is a vector environment.
        EpisodeError: if the environment or the policy fails during the iteration.

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
            message = (
                f"Expected a single environment, got the vector environment {env}; use gymkernel.make to create it"
            )
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
        """The progress in episodes, including the fraction of the current episode if its step limit is known."""
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
        """Render the environment, and return one frame, or several frames if the render mode collects frames.

        Raises:
            EpisodeError: if `render` fails or does not return images of shape (height, width) or (height, width,
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
            EpisodeError: if `render` fails or does not return a string.
        """
        try:
            rendered = self.env.render()
            if not isinstance(rendered, str):
                message = f"Expected render to return a string in 'ansi' mode, got {type(rendered).__name__}"
                raise TypeError(message)  # noqa: TRY301 - reported like an exception from render
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
        try:
            if (reset := getattr(self._policy, "reset", None)) is not None:
                reset(self.seed)
        except Exception as exc:
            raise self._error("the policy", exc) from exc
        self.cut = self.max_steps == 0

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
    def __init__(self, space: Any) -> None:
        self.space = space

    def reset(self, seed: int) -> None:
        self.space.seed(seed)

    def __call__(self, observation: Any) -> Any:
        return self.space.sample()


def acting_in(policy: str | Callable[..., Any], env: Any) -> Callable[[Any], Any]:
    """Return a policy for an environment as a function from observations to actions.

    If the returned object has a `reset` method, the caller must call it with each episode's seed.

    Args:
        policy: "random", a function that takes an observation and returns an action, or a class that is instantiated
            with the environment.
        env: the environment in which the policy acts.

    Raises:
        TypeError: if the policy is neither "random" nor callable.
    """
    if policy == "random":
        return _RandomPolicy(env.action_space)
    instance = policy(env) if isinstance(policy, type) else policy
    if not callable(instance):
        raise TypeError(
            "Expected the policy to be 'random', a function from observations to actions, or a class of such "
            f"functions, got {policy!r}"
        )
    return instance


def _require_picture(picture: Any, env: Any) -> None:
    if isinstance(picture, np.ndarray) and picture.ndim in {2, 3} and picture.dtype == np.uint8 and picture.size:
        return
    seen = f"a {picture.dtype} array of shape {picture.shape}" if hasattr(picture, "dtype") else type(picture).__name__
    mode = getattr(env, "render_mode", None)
    message = f"Expected render to return a uint8 array of shape (height, width, 3), got {seen} (render_mode={mode!r})"
    raise TypeError(message)
