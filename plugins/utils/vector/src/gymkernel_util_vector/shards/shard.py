"""`EnvShard`: the environments of one process, stepped one after another; their results go straight into arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gymkernel.ops import batch_space, iterate
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_spaces.arrays import rows
from gymkernel_util_spaces.batches import BatchPlan, nested
from gymkernel_util_spaces.texts import text_of
from gymkernel_util_vector.arguments import OnePerProcessError
from gymkernel_util_vector.attributes import get_attribute
from gymkernel_util_vector.loop import EnvLoop, Raised, batch_steps
from gymkernel_util_vector.outcomes import check_step
from gymkernel_util_vector.shards.messages import Failure, ShardArrays, ShardSettings, SideMessage, restart_info
from gymkernel_util_vector.writing import BatchWriter

__all__ = ["EnvShard"]

_EVERY = slice(None)


class _Lost:
    """The result of a step in an episode that ended with an earlier process of the shard."""

    def __init__(self, why: str) -> None:
        self.info = restart_info(why)


class EnvShard:
    """Environments `first`, `first + 1`, ... of a vector environment.

    Where a method takes a position, it is that within the shard; messages have indices of the vector environment.

    Args:
        first: index of the first one.
        env_fns: functions that make one each.
        settings: how they are stepped.
        local: whether this is the parent's process, in which Ctrl-C ends more than an environment.
    """

    def __init__(
        self, first: int, env_fns: Sequence[Callable[[], Any]], settings: ShardSettings, *, local: bool = False
    ) -> None:
        self.first, self.n = first, len(env_fns)
        self._env_fns, self._settings = list(env_fns), settings
        self._caught: Any = (Exception, SystemExit) if local else BaseException
        self._positions = range(self.n)
        self._loop = EnvLoop(AutoresetMode(settings.autoreset_mode), self.n, first, caught=self._caught)
        self._envs = self._loop.envs
        self._restarts = [0] * self.n
        self._last_observations: list[Any] = [None] * self.n
        """Kept where an episode may have to be ended without one."""

    def build(self) -> list[Failure]:
        """Make the environments; return the failures of all that cannot be made."""
        failures = []
        for k, make in enumerate(self._env_fns):
            try:
                self._loop.make(k, make)
            except self._caught as exc:
                failures.append(Failure.of(exc, self.first + k, "construction"))
                if isinstance(exc, OnePerProcessError):
                    break
        return failures

    @property
    def env_at_work(self) -> int:
        """Index of the environment that was at work last."""
        return self.first + int(self._loop.at_work[0])

    def spaces(self) -> tuple[list[tuple[Any, Any]], list[int]]:
        """The different pairs (observation space, action space), and which one each environment has."""
        pairs: list[tuple[Any, Any]] = []
        indices = []
        for k, env in enumerate(self._envs):
            self._loop.at_work[0] = k
            pair = (env.observation_space, env.action_space)
            found = (j for j, known in enumerate(pairs) if known[0] == pair[0] and known[1] == pair[1])
            index = next(found, len(pairs))
            if index == len(pairs):
                pairs.append(pair)
            indices.append(index)
        return pairs, indices

    def metadata(self) -> tuple[dict[str, Any], str | None]:
        """Return the metadata and the render mode of the first environment."""
        self._loop.at_work[0] = 0
        return dict(self._envs[0].metadata), self._envs[0].render_mode

    def attach(self, plan: BatchPlan, action_tree: Any, arrays: ShardArrays, at_work: Any = None) -> None:
        """Take the arrays that results are written into.

        Args:
            plan: of observations.
            action_tree: how the arrays of actions are nested.
            arrays: of this shard.
            at_work: its item is given the position of the environment at work.
        """
        space, check = self._envs[0].observation_space, self._settings.check_observations
        self._arrays, self._action_tree = arrays, action_tree
        if at_work is not None:
            self._loop.at_work = at_work
        self._writers = [
            BatchWriter(plan, buffer, self.n, space, check=check, first=self.first) for buffer in arrays.observations
        ]
        self._has_object_parts = bool(plan.object_parts)
        self._action_space = batch_space(self._envs[0].action_space, self.n)
        self._iterate = iterate.dispatch(type(self._action_space))
        self._actions_are_rows = isinstance(action_tree, int) and self._iterate is rows

    def detach(self) -> None:
        """Let go of the arrays."""
        self._arrays, self._writers = None, []  # type: ignore[assignment]

    def _shared_actions(self, where: slice = _EVERY) -> list[Any]:
        """Copy the actions of some environments out of shared memory: an environment may keep its action."""
        copies = [leaf[where].copy() for leaf in self._arrays.actions]
        if self._actions_are_rows:
            return list(copies[0])
        return list(self._iterate(self._action_space, nested(self._action_tree, copies.__getitem__)))

    def step(self, actions: Sequence[Any] | None, buffer: int) -> SideMessage | None:
        """Act once in every environment: with these actions, or with those in shared memory.

        Args:
            actions: one for each environment; None for those in the arrays.
            buffer: of the ring, for the observations.
        """
        if actions is None:
            actions = self._shared_actions()
        results = self._loop.act(actions)
        try:
            infos = self._write_all(results, buffer)
        except Exception:  # noqa: BLE001 - `_write_each` finds out which environment it was
            infos = None
        if infos is None:
            return self._write_each(self._positions, results, actions, buffer)
        if not (infos or self._has_object_parts or not self._arrays.shared):
            return None
        return self._completed(SideMessage(infos=infos), self._positions, buffer)

    def step_one(self, k: int, action: Any, buffer: int, *, shared: bool = False) -> SideMessage | None:
        """Act in the environment at a position, with this action or, where `shared`, with the one in shared memory.

        Args:
            k: the position in the shard.
            action: for this environment.
            buffer: of the ring, for the observation.
            shared: whether the action is the one in the arrays.
        """
        if shared:
            (action,) = self._shared_actions(slice(k, k + 1))
        message = SideMessage()
        self._write_one(k, self._loop.act_in(k, action), action, buffer, message)
        return self._completed(message, (k,), buffer)

    def _write_each(
        self, positions: Sequence[int], results: Sequence[Any], actions: Sequence[Any], buffer: int
    ) -> SideMessage | None:
        """Write results one by one, as they may be out of the ordinary."""
        message = SideMessage()
        for k, result, action in zip(positions, results, actions, strict=True):
            self._write_one(k, result, action, buffer, message)
        return self._completed(message, positions, buffer)

    def _write_all(self, results: list[Any], buffer: int) -> list[tuple[int, dict[str, Any]]] | None:
        """Write all results, and return the infos if there are any; None where environments are to be reset at once."""
        arrays = self._arrays
        observations, rewards, terminated, truncated, infos, any_done, has_infos = batch_steps(results, self.first)
        if any_done and self._loop.resets_at_once:
            return None
        if any_done:
            self._loop.note_done(terminated, truncated)
        elif self._loop.any_done:
            self._loop.update()
        arrays.rewards[...], arrays.terminations[...], arrays.truncations[...] = rewards, terminated, truncated
        self._writers[buffer].fill(observations)
        if self._settings.restart:
            self._last_observations = list(observations)
        return list(enumerate(infos, self.first)) if has_infos else []

    def _write_one(self, k: int, result: Any, action: Any, buffer: int, message: SideMessage) -> None:
        """Check and write one result; what is wrong with it becomes a failure, or a restart."""
        arrays, i, restarted = self._arrays, self.first + k, None
        try:
            checked = None if isinstance(result, _Lost) else self._write_observation(k, result, buffer)
        except self._caught as exc:
            failure = Failure.of(exc, i, "step", f"action {text_of(action)}")
            restarted, checked = self._make_again(k, failure, message), None
            if restarted is None:
                return
        if checked is None:
            restarted = result.info if isinstance(result, _Lost) else restarted
            checked = self._last_observations[k], 0.0, False, True, restarted or {}
            self._writers[buffer].put(k, checked[0])
        observation, reward, terminated, truncated, info = checked
        arrays.rewards[k], arrays.terminations[k], arrays.truncations[k] = reward, terminated, truncated
        if terminated or truncated:
            self._loop.done[k] = self._loop.any_done = True
            if self._loop.resets_at_once:
                begin = partial(self._loop.reset_done, k, observation, info)
                first_info = self._reset_one(k, begin, None, buffer, message)
                if first_info is None:
                    return
                info = first_info | restarted if restarted else first_info
        if info:
            message.infos.append((i, info))

    def _write_observation(self, k: int, result: Any, buffer: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Check what a step has returned, write its observation, and return the five values; raise what it raised."""
        if isinstance(result, Raised):
            raise result.exc
        checked = check_step(result, self.first + k)
        self._writers[buffer].put(k, checked[0])
        if self._settings.restart:
            self._last_observations[k] = checked[0]
        return checked

    def _make_again(self, k: int, failure: Failure, message: SideMessage) -> dict[str, Any] | None:
        """Make an environment anew, and its info; None, and a failure in the message, where the limit is reached."""
        limit = self._settings.max_restarts
        while self._settings.restart and (limit is None or self._restarts[k] < limit):
            self._restarts[k] += 1
            with contextlib.suppress(BaseException):  # it is broken, and nobody else holds it
                self._envs[k].close()
            try:
                self._envs[k] = self._env_fns[k]()
            except self._caught as exc:
                failure = Failure.of(exc, self.first + k, "restart")
            else:
                return restart_info(failure.error)
        self._loop.done[k] = False
        message.failures.append(failure)
        return None

    def _reset_one(
        self, k: int, begin: Callable[[], tuple[Any, Any]], seed: int | None, buffer: int, message: SideMessage
    ) -> dict[str, Any] | None:
        """Begin an episode, and return its info; None, and a failure in the message, where that does not succeed."""
        lost = self._loop.lost.pop(k, None)
        restarted: dict[str, Any] | None = {} if lost is None else lost.info
        while restarted is not None:
            try:
                observation, info = begin()
                self._writers[buffer].put(k, observation)
            except self._caught as exc:
                failure = Failure.of(exc, self.first + k, "reset", f"seed {seed}")
                restarted = self._make_again(k, failure, message)
            else:
                if self._settings.restart:
                    self._last_observations[k] = observation
                started: dict[str, Any] = info | restarted if restarted else info
                return started
        return None

    def reset(
        self, seeds: Sequence[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int
    ) -> SideMessage | None:
        """Begin an episode in the environments at some positions, with a seed each.

        Args:
            seeds: (position in the shard, seed or None) of each that begins an episode.
            options: for all of them.
            buffer: of the ring, for the observations.
        """
        message = SideMessage()
        for k, seed in seeds:
            begin = partial(self._loop.reset, k, seed=seed, options=options)
            info = self._reset_one(k, begin, seed, buffer, message)
            if info:
                message.infos.append((self.first + k, info))
        self._loop.update()
        return self._completed(message, [k for k, _ in seeds], buffer)

    def _completed(self, message: SideMessage, positions: Sequence[int], buffer: int) -> SideMessage | None:
        """Put into a message what shared memory does not hold; None where there is nothing to tell."""
        if self._has_object_parts:
            parts = self._writers[buffer].object_parts
            message.object_parts = [(self.first + k, [part[k] for part in parts]) for k in positions]
        if not self._arrays.shared:
            whole = len(positions) in {1, self.n}
            where = slice(positions[0], positions[-1] + 1) if whole else list(positions)
            rows = [array[where] for array in self._arrays.observations[buffer]]
            message.rows = [self.first + k for k in positions], rows
        return message or None

    def resume(
        self, observations: Sequence[Any], done: Sequence[int], lost: Sequence[int], why: str
    ) -> SideMessage | None:
        """Take over from a shard whose process ended, with environments that were not reset yet.

        The next step of an environment whose episode was lost ends this episode, truncated; a reset reports the loss
        in its info.

        Args:
            observations: the last one of each environment.
            done: positions of the environments whose episodes had ended before.
            lost: positions of the environments whose episodes ended with the process.
            why: how the process ended.
        """
        self._last_observations = list(observations)
        next_step = self._settings.autoreset_mode == "NextStep"
        self._loop.done[:] = bytes(k in lost or (next_step and k in done) for k in self._positions)
        self._loop.any_done = True
        self._loop.lost = {k: _Lost(why) for k in lost}
        return None

    def report_lost(self, positions: Sequence[int], buffer: int) -> SideMessage | None:
        """End the lost episodes of some environments, as their next step does.

        Args:
            positions: of these environments in the shard.
            buffer: of the ring, for the observations.
        """
        results = [self._loop.act_in(k, None) for k in positions]
        return self._write_each(positions, results, results, buffer)

    def call(self, kind: str, name: str, args: Any, kwargs: Any) -> SideMessage:
        """The results of "call", "get", "render", "masked" (args: one bool each) or "set" (args: one value each).

        Args:
            kind: "call", "get", "render", "masked" or "set".
            name: of the method or attribute, looked up through wrappers; it may have dots.
            args: positional arguments; for "masked" a bool, and for "set" a value, for each environment.
            kwargs: arguments by name; for "masked" a dictionary with "args" and "kwargs".
        """
        message = SideMessage()
        results = message.results
        for k, env in enumerate(self._envs):
            self._loop.at_work[0] = k
            try:
                if kind == "render":
                    results.append(env.render())
                elif kind == "set":
                    results.append(env.set_wrapper_attr(name, args[k]))
                elif kind == "masked":
                    results.append(get_attribute(env, name)(*kwargs["args"], **kwargs["kwargs"]) if args[k] else None)
                else:
                    found = get_attribute(env, name)
                    results.append(found(*args, **kwargs) if kind == "call" and callable(found) else found)
            except self._caught as exc:
                phase = "call" if kind in {"call", "masked"} else f"{kind} {name}".strip()
                message.failures.append(Failure.of(exc, self.first + k, phase))
        return message

    def close(self) -> list[Failure]:
        """Close every environment, also where one of them raises."""
        failures = []
        for k, env in enumerate(self._envs):
            try:
                env.close()
            except self._caught as exc:
                failures.append(Failure.of(exc, self.first + k, "close"))
        self._envs = []
        return failures
