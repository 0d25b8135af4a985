"""The class `EnvLoop`, which steps the environments of a process one after the other and starts their next episodes."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Sequence
from operator import countOf
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_util_spaces.texts import add_note
from gymkernel_util_vector.arguments import check_made, check_process_limit
from gymkernel_util_vector.outcomes import check_reset, check_step

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Info = dict[str, Any]
    Flags = NDArray[np.bool_]
    Columns = tuple[Sequence[Any], NDArray[np.float64], Flags, Flags, Sequence[Info], bool, bool]

__all__ = ["EnvLoop", "Raised", "batch_steps"]

REWARD: Final = np.dtype(np.float64)
FLAG: Final = np.dtype(np.bool_)


class Raised:
    """The result of a step in which the environment raised an exception.

    Args:
        exc: the exception that the environment raised.
    """

    def __init__(self, exc: BaseException) -> None:
        self.exc = exc


class EnvLoop:
    """A group of environments that are stepped one after the other in the same process, in a given autoreset mode.

    Methods take the position of an environment in the loop, whereas error messages contain its index in the vector
    environment. The owner of the loop returns the results or writes them into arrays.

    Args:
        autoreset_mode: the mode that determines when the next episode of an environment starts.
        num_envs: the number of environments that `make` will create.
        first: the index of the first environment in the vector environment.
        caught: the exception classes to catch during a step. If an environment raises such an exception, the result of
            its step is a `Raised` object, and the remaining environments are still stepped.

    Attributes:
        envs: the environments.
        done: one byte for each environment. It is 1 if the episode has ended and the next one has not started yet, or
            if the episode was lost. Otherwise, it is 0.
        any_done: whether any byte in `done` may be 1.
        at_work: a container with one item, which is the position of the environment that was called last.
        lost: the result of the next step of each environment whose episode was lost, keyed by the environment's
            position.
    """

    def __init__(self, autoreset_mode: AutoresetMode, num_envs: int, first: int = 0, *, caught: Any = ()) -> None:
        self.envs: list[Any] = []
        self.done, self.any_done = bytearray(num_envs), False
        self.at_work: Any = [0]
        self.lost: dict[int, Any] = {}
        self.resets_at_once = autoreset_mode is AutoresetMode.SAME_STEP
        self._first, self._caught, self._positions = first, caught, range(num_envs)
        self._made: set[int] = set()

    def make(self, k: int, function: Callable[[], Any]) -> None:
        """Create the next environment, and append it to `envs`, even if Ctrl-C is pressed in the meantime.

        Args:
            k: the position of the environment in the loop.
            function: the function that creates the environment.

        Raises:
            TypeError, ValueError: if the function does not create a new environment, or if a process may contain only
                one such environment.
        """
        self.at_work[0] = k
        # This line runs entirely in C, so the environment is not lost if Ctrl-C is pressed.
        self.envs.extend(map(operator.call, (function,)))
        check_made(self.envs[-1], self._made)
        check_process_limit(self.envs[-1], len(self._positions))

    def act(self, actions: Sequence[Any]) -> list[Any]:
        """Step every environment, but reset those whose episode has ended. Return one result for each environment.

        Args:
            actions: one action for each environment.
        """
        results: list[Any] = []
        append, at_work = results.append, self.at_work
        if not (self.any_done or self._caught):
            try:
                for env, action in zip(self.envs, actions, strict=True):
                    append(env.step(action))
            except BaseException:
                at_work[0] = len(results)
                raise
            return results
        done = self.done if self.any_done else b""
        steps = zip(self._positions, self.envs, actions, strict=True)
        while True:
            try:
                for at_work[0], env, action in steps:
                    append(self._answer(at_work[0]) if done and done[at_work[0]] else env.step(action))
            except self._caught as exc:
                append(Raised(exc))
            else:
                return results

    def act_in(self, k: int, action: Any) -> Any:
        """Step a single environment, or reset it if its episode has ended, and return the result.

        Args:
            k: the position of the environment in the loop.
            action: the action, which is ignored if the environment is reset.
        """
        self.at_work[0] = k
        try:
            return self._answer(k) if self.done[k] else self.envs[k].step(action)
        except self._caught as exc:
            return Raised(exc)

    def _answer(self, k: int) -> Any:
        """Return the result of a step that starts the next episode or truncates a lost episode."""
        if k in self.lost:
            self.done[k] = False
            return self.lost.pop(k)
        observation, info = self.reset(k)
        return observation, 0.0, False, False, info

    def done_mask(self) -> Flags:
        """Return `done` as a Boolean array of shape (num_envs,). The memory is shared."""
        return np.frombuffer(self.done, np.bool_)

    def note_done(self, terminated: Flags, truncated: Flags) -> None:
        """Set `done` for the environments whose episodes ended in a step.

        Args:
            terminated: the step's termination flags, of shape (num_envs,).
            truncated: the step's truncation flags, of shape (num_envs,).
        """
        done = terminated | truncated
        if 1 in self.done:
            done |= self.done_mask()
        self.done[:] = done.tobytes()
        self.any_done = True

    def update(self) -> None:
        """Update `any_done` after a change to `done`."""
        self.any_done = 1 in self.done

    def reset(self, k: int, **arguments: Any) -> tuple[Any, Info]:
        """Reset an environment, and return the observation and the info.

        Args:
            k: the position of the environment in the loop.
            **arguments: keyword arguments for `reset`.

        Raises:
            TypeError: if `reset` does not return an observation and an info.
        """
        self.at_work[0] = k
        try:
            reset = self.envs[k].reset
            result = check_reset(reset(**arguments) if arguments else reset(), self._first + k)
        except (Exception, SystemExit) as exc:
            add_note(exc, f"It comes from the reset of environment {self._first + k}.")
            raise
        self.done[k] = False
        return result

    def reset_done(self, k: int, observation: Any, info: Info) -> tuple[Any, Info]:
        """Start the next episode in the step that ended the previous one. Return the step's new observation and info.

        Args:
            k: the position of the environment in the loop.
            observation: the final observation of the episode. It is copied, because the environment may reuse its
                arrays.
            info: the final info of the episode.
        """
        final = {"final_obs": copy.deepcopy(observation), "final_info": info}
        observation, info = self.reset(k)
        return observation, final | info | final  # `final` is last, so that its keys take precedence


def batch_steps(results: Sequence[Any], first: int = 0) -> Columns:
    """Check and combine the results of the `step` methods of several environments.

    Args:
        results: one result for each environment.
        first: the index of the first environment, for error messages.

    Returns:
        The unchanged observations, the rewards (float64), the terminations and truncations (bool), the infos, whether
        any episode has ended, and whether any info is not empty.

    Raises:
        TypeError: if a result is invalid.

    >>> batch_steps([(7, 1, False, False, {}), (8, np.array([0.5]), np.True_, None, {})])[1:4]
    (array([1. , 0.5]), array([False,  True]), array([False, False]))
    """
    if countOf(map(type, results), tuple) == len(results):
        try:
            return _columns(results)
        except (TypeError, ValueError):
            pass
    return _columns([check_step(result, i) for i, result in enumerate(results, first)])


def _columns(results: Sequence[Any]) -> Columns:
    observations, rewards, terminations, truncations, infos = zip(*results, strict=True)
    n = len(results)
    numbers = np.array(rewards)
    if numbers.dtype is not REWARD or numbers.shape != (n,):
        if numbers.size != n or numbers.dtype.kind not in "biuf":
            raise TypeError
        numbers = numbers.astype(REWARD).reshape(n)
    done = not (terminations.count(False) == n == truncations.count(False))
    if done:
        terminated, truncated = np.array(terminations), np.array(truncations)
        flags = terminated.dtype is FLAG and truncated.dtype is FLAG
        if not (flags and terminated.shape == truncated.shape == (n,)):
            raise TypeError
    else:
        terminated, truncated = np.zeros(n, FLAG), np.zeros(n, FLAG)
    has_infos = infos.count({}) != n
    if has_infos and countOf(map(type, infos), dict) != n and not all(isinstance(info, dict) for info in infos):
        raise TypeError
    return observations, numbers, terminated, truncated, infos, done, has_infos
