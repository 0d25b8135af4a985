"""Define environments that fail at scripted moments, and a `Ledger` that checks how the failures are reported.

With `on_error="restart"`, the failure of an environment or its worker is reported exactly once: either by one truncated
row, or by the info of the reset that ends the lost episode. A new episode then begins as the autoreset mode requires.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np

from gymkernel import Env

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Moment = tuple[int, int, int]
"""The (life, episode, step) of an environment. Step 0 is the reset, and step -1 is the constructor.

In a script, episode -1 means every episode.
"""
Script = dict[int, dict[Moment, str]]
"""The moments at which each environment "raises" an exception or "ends" its process."""
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def failure(script: Mapping[Moment, str], moment: Moment) -> str | None:
    """Return the kind of failure that a script contains for the given environment and moment, or None."""
    life, _, step = moment
    return script.get(moment) or script.get((life, -1, step))


class ScriptedEnv(Env[Any, Any]):
    """An environment that returns [number, life, episode, step], rewards the action, and fails at scripted moments.

    Args:
        number: the index of the environment.
        length: the number of steps in an episode.
        script: the kinds of failures, keyed by their moments.
        folder: a folder with one file per environment; the file's size is the number of instances created so far.
    """

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, number: int, length: int, script: Mapping[Moment, str], folder: Path) -> None:
        from gymkernel.spaces import Box, Discrete

        self.observation_space, self.action_space = Box(-1, 10**6, (4,), np.int64), Discrete(10**6)
        self.number, self.length, self.script = number, length, script
        with (folder / str(number)).open("ab") as file:
            file.write(b"x")
            self.life = file.tell() - 1
        self.episode, self.steps = -1, -1
        self._observe()

    def _observe(self) -> Any:
        kind = failure(self.script, (self.life, self.episode, self.steps))
        if kind == "ends":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "raises":
            raise LookupError(f"life {self.life}, episode {self.episode}, step {self.steps}")
        return np.array([self.number, self.life, self.episode, self.steps])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.episode, self.steps = self.episode + 1, 0
        return self._observe(), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self._observe(), float(action), self.steps == self.length, False, {"life": self.life}


def makers(n: int, length: int, script: Script, folder: Path) -> list[Callable[[], ScriptedEnv]]:
    """Return functions that create scripted environments. Episodes are longer in environments with higher numbers."""

    def maker(i: int) -> Callable[[], ScriptedEnv]:
        return lambda: ScriptedEnv(i, length + i, script.get(i, {}), folder)

    return [maker(i) for i in range(n)]


def _value(infos: Any, key: str, k: int) -> Any:
    return infos[key][k] if key in infos and infos["_" + key][k] else None


class Ledger:
    """A record of each environment's episodes, against which every returned row is checked.

    Args:
        mode: the autoreset mode.
        n: the number of environments.
        length: the number of steps in an episode of environment 0, as for `makers`.
        script: the scripted failures of each environment.
        folder: the folder in which the environments count their instances, as for `makers`.
    """

    def __init__(self, mode: str, n: int, length: int, script: Script, folder: Path) -> None:
        self.mode, self.n, self.length, self.script, self.folder = mode, n, length, script, folder
        self.last: list[Moment | None] = [None] * n
        self.done = np.zeros(n, np.bool_)
        self._floor = [0] * n
        """The lowest possible life of each environment in its next episode."""
        self.restarts = np.zeros(n, np.int64)
        """How many lost episodes have been reported for each environment."""

    def lives(self, i: int) -> int:
        """Return how many instances of an environment have been created."""
        return (self.folder / str(i)).stat().st_size

    def reset(self, ids: Sequence[int], observations: Any, infos: Any) -> None:
        """Check the results of a reset of the given environments."""
        for i in range(self.n):
            if i not in ids:
                assert self.last[i] in {None, self._moment(observations, i, i)}, (
                    f"environment {i} does not show its last observation"
                )
                continue
            before, reported = self.last[i], bool(_value(infos, "env_restarted", i))
            in_episode = before is not None and not self.done[i]
            moment = self._begin(i, observations, i)
            if reported:
                assert moment[0] > (-1 if before is None else before[0]), "no episode was lost"
                assert isinstance(_value(infos, "env_error", i), str)
                self.restarts[i] += 1
            if in_episode and before is not None and moment[0] > before[0]:
                assert reported, f"the episode of environment {i} was lost, but no info reports it"

    def masked(self, mask: Any, actions: Any, results: Any) -> None:
        """Check the results of a step of the environments that the mask selects."""
        observations, rewards, terminations, truncations, infos = results
        for i in np.flatnonzero(~mask).tolist():
            assert self._moment(observations, i, i) == self.last[i], (
                f"environment {i} does not show its last observation"
            )
            assert (rewards[i], terminations[i], truncations[i]) == (0, False, False)
            assert _value(infos, "env_restarted", i) is None
        for i in np.flatnonzero(mask).tolist():
            self._row(i, i, actions[i], results)

    def rows(self, ids: Any, actions: Mapping[int, int], results: Any) -> None:
        """Check the rows that `recv` returned, or the rows of all environments after a step."""
        for k, i in enumerate(ids.tolist()):
            self._row(i, k, actions[i], results)

    def _moment(self, observations: Any, i: int, k: int) -> Moment:
        number, *moment = observations[k].tolist()
        assert number == i, "the row shows the observation of another environment"
        return tuple(moment)

    def _begin(self, i: int, observations: Any, k: int) -> Moment:
        """Check that a row begins a new episode."""
        life, episode, step = moment = self._moment(observations, i, k)
        assert step == 0
        assert life >= self._floor[i]
        last = self.last[i]
        if last is not None:
            last_life, last_episode, _ = last
            assert life >= last_life
            assert episode == (last_episode + 1 if life == last_life else 0), (last, moment)
        self.last[i], self.done[i] = moment, False
        return moment

    def _row(self, i: int, k: int, action: Any, results: Any) -> None:
        observations, rewards, terminations, truncations, infos = results[:5]
        restarted, last = bool(_value(infos, "env_restarted", k)), self.last[i]
        assert last is not None
        final = _value(infos, "final_obs", k)
        if restarted and truncations[k]:
            self._lost_row(i, k, results)
        elif self.done[i]:
            assert self.mode == "NextStep"
            assert (rewards[k], terminations[k], truncations[k], restarted) == (0, False, False, False)
            self._begin(i, observations, k)
        else:
            life, episode, step = last
            reached = life, episode, step + 1
            assert failure(self.script.get(i, {}), reached) is None, f"the failure of {i} at {reached} is not reported"
            done = step + 1 == self.length + i
            assert (rewards[k], terminations[k], truncations[k]) == (action, done, False)
            if self.mode == "SameStep" and done:
                assert tuple(final[1:].tolist()) == reached
                self.last[i] = reached
                assert (self._begin(i, observations, k)[0] > life) is restarted
                self.restarts[i] += restarted
            else:
                assert final is None
                assert not restarted
                assert self._moment(observations, i, k) == reached
                assert _value(infos, "life", k) == life
                self.last[i], self.done[i] = reached, done

    def _lost_row(self, i: int, k: int, results: Any) -> None:
        observations, rewards, terminations, _, infos = results[:5]
        last: Any = self.last[i]
        assert self.lives(i) - 1 > max(last[0], self._floor[i] - 1), "no further episode was lost"
        assert (rewards[k], terminations[k]) == (0, False)
        assert isinstance(_value(infos, "env_error", k), str)
        self.restarts[i] += 1
        if self.mode == "SameStep":
            assert tuple(_value(infos, "final_obs", k)[1:].tolist()) == last
            assert infos["final_info"]["env_restarted"][k]
            assert self._begin(i, observations, k)[0] > last[0]
        else:
            assert _value(infos, "final_obs", k) is None
            assert self._moment(observations, i, k) == last
            self.done[i], self._floor[i] = True, max(self._floor[i], last[0]) + 1


class Program:
    """A program that requests resets and steps in every possible way and has a ledger check each result.

    Args:
        envs: a vector environment created from `makers`.
        ledger: the ledger that checks the results.
    """

    def __init__(self, envs: Any, ledger: Ledger) -> None:
        self.envs, self.ledger, self._count = envs, ledger, 0

    def request(self, how: str, ids: Sequence[int], parts: Sequence[int] = ()) -> None:
        """Make one request and have the ledger check its results.

        Args:
            how: "reset", "step" (all environments), "masked" (some environments), or "send" (steps with send and recv).
            ids: the indices of the environments that the request affects.
            parts: for "send", the number of results that each of the first `recv` calls requests.
        """
        envs, ledger, n = self.envs, self.ledger, self.ledger.n
        mask = np.isin(np.arange(n), ids)
        if how == "reset":
            options = None if mask.all() else {"reset_mask": mask}
            observations, infos = envs.reset(options=options)
            ledger.reset(list(ids), observations, infos)
            return
        if ledger.mode == "Disabled" and ledger.done.any():
            self.request("reset", np.flatnonzero(ledger.done).tolist())
        self._count += 1
        actions = 1000 * self._count + np.arange(n)
        by_number = dict(enumerate(actions.tolist()))
        if how == "step":
            ledger.rows(np.arange(n), by_number, envs.step(actions))
        elif how == "masked":
            ledger.masked(mask, actions, envs.step_masked(actions, mask))
        else:
            left = set(ids)
            envs.send(actions[list(ids)], list(ids))
            for size in [*parts, None]:
                if left:
                    results = envs.recv(None if size is None else min(size, len(left)))
                    assert left.issuperset(results[5].tolist())
                    left -= set(results[5].tolist())
                    ledger.rows(results[5], by_number, results)
            assert not left
