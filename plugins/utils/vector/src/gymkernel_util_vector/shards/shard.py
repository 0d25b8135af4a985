"""The class `EnvShard`, which steps the environments of a worker and writes their results into arrays."""

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
    """The result of a step in which an episode ends because the previous process of the worker died."""

    def __init__(self, why: str) -> None:
        self.info = restart_info(why)


class EnvShard:
    """A group of consecutive environments of a vector environment that the same worker steps.

    Methods take the position of an environment in the shard, whereas messages contain its index in the vector
    environment.

    Args:
        first: the index of the first environment in the shard.
        env_fns: functions that create one environment each.
        settings: the settings of the shard.
        local: whether the shard is in the main process, where Ctrl-C must not count as a failure of an environment.
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
        """The last observation of each environment, which is required if a restart must truncate an episode."""

    def build(self) -> list[Failure]:
        """Create the environments, and return a failure for each environment that cannot be created."""
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
        """The index of the environment that was called last."""
        return self.first + int(self._loop.at_work[0])

    def spaces(self) -> tuple[list[tuple[Any, Any]], list[int]]:
        """Return the distinct (observation space, action space) pairs, and the index of each environment's pair."""
        pairs: list[tuple[Any, Any]] = []
        indices = []
        for k, env in enumerate(self._envs):
            self._loop.at_work[0] = k
            pair = (env.observation_space, env.action_space)
            equal_pairs = (j for j, known in enumerate(pairs) if known[0] == pair[0] and known[1] == pair[1])
            index = next(equal_pairs, len(pairs))
            if index == len(pairs):
                pairs.append(pair)
            indices.append(index)
        return pairs, indices

    def metadata(self) -> tuple[dict[str, Any], str | None]:
        """Return the metadata and the render mode of the first environment."""
        self._loop.at_work[0] = 0
        return dict(self._envs[0].metadata), self._envs[0].render_mode

    def attach(self, plan: BatchPlan, action_tree: Any, arrays: ShardArrays, at_work: Any = None) -> None:
        """Set the arrays to which the shard writes its results.

        Args:
            plan: the array plan for a batch of observations.
            action_tree: the structure of a batch of actions, from the array plan for actions.
            arrays: the arrays of this shard.
            at_work: a container with one item, in which the shard stores the position of the environment that it is
                calling.
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
        """Remove all references to the arrays."""
        self._arrays, self._writers = None, []  # type: ignore[assignment]

    def _shared_actions(self, where: slice = _EVERY) -> list[Any]:
        """Return copies of actions in shared memory, because an environment may keep a reference to its action."""
        copies = [leaf[where].copy() for leaf in self._arrays.actions]
        if self._actions_are_rows:
            return list(copies[0])
        return list(self._iterate(self._action_space, nested(self._action_tree, copies.__getitem__)))

    def step(self, actions: Sequence[Any] | None, buffer: int) -> SideMessage | None:
        """Step every environment, and return a message with the parts of the results that are not stored in arrays.

        Args:
            actions: one action for each environment, or None to use the actions in the arrays.
            buffer: the index of the observation buffer in the ring.
        """
        if actions is None:
            actions = self._shared_actions()
        results = self._loop.act(actions)
        try:
            infos = self._write_all(results, buffer)
        except Exception:  # noqa: BLE001 - `_write_each` determines which environment failed
            infos = None
        if infos is None:
            return self._write_each(self._positions, results, actions, buffer)
        if not (infos or self._has_object_parts or not self._arrays.shared):
            return None
        return self._completed(SideMessage(infos=infos), self._positions, buffer)

    def step_one(self, k: int, action: Any, *, shared: bool = False) -> SideMessage | None:
        """Step a single environment, and return a message like that of `step`.

        The result is written into the first buffer of the ring.

        Args:
            k: the position of the environment in the shard.
            action: the action, which is ignored if `shared` is True.
            shared: whether to use the action in the arrays instead.
        """
        if shared:
            (action,) = self._shared_actions(slice(k, k + 1))
        message = SideMessage()
        self._write_one(k, self._loop.act_in(k, action), action, 0, message)
        return self._completed(message, (k,), 0)

    def _write_each(
        self, positions: Sequence[int], results: Sequence[Any], actions: Sequence[Any], buffer: int
    ) -> SideMessage | None:
        """Check and write the results one by one, because some of them may be invalid or of unusual types."""
        message = SideMessage()
        for k, result, action in zip(positions, results, actions, strict=True):
            self._write_one(k, result, action, buffer, message)
        return self._completed(message, positions, buffer)

    def _write_all(self, results: list[Any], buffer: int) -> list[tuple[int, dict[str, Any]]] | None:
        """Write all results at once, and return the infos. Return None if an environment must be reset now."""
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
        """Check and write the result of one environment. After an error, restart it or report a failure."""
        arrays, i, restart = self._arrays, self.first + k, None
        try:
            values = None if isinstance(result, _Lost) else self._write_observation(k, result, buffer)
        except self._caught as exc:
            failure = Failure.of(exc, i, "step", f"action {text_of(action)}")
            restart, values = self._recreate(k, failure, message), None
            if restart is None:
                return
        if values is None:
            restart = result.info if isinstance(result, _Lost) else restart
            values = self._last_observations[k], 0.0, False, True, restart or {}
            self._writers[buffer].put(k, values[0])
        observation, reward, terminated, truncated, info = values
        arrays.rewards[k], arrays.terminations[k], arrays.truncations[k] = reward, terminated, truncated
        if terminated or truncated:
            self._loop.done[k] = self._loop.any_done = True
            if self._loop.resets_at_once:
                start = partial(self._loop.reset_done, k, observation, info)
                first_info = self._reset_one(k, start, None, buffer, message)
                if first_info is None:
                    return
                info = first_info | restart if restart else first_info
        if info:
            message.infos.append((i, info))

    def _write_observation(self, k: int, result: Any, buffer: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Check the result of a step, write its observation, and return the five values.

        If the environment raised an exception in the step, this method raises it again.
        """
        if isinstance(result, Raised):
            raise result.exc
        values = check_step(result, self.first + k)
        self._writers[buffer].put(k, values[0])
        if self._settings.restart:
            self._last_observations[k] = values[0]
        return values

    def _recreate(self, k: int, failure: Failure, message: SideMessage) -> dict[str, Any] | None:
        """Create an environment again, and return the info that reports the restart.

        If the maximum number of restarts has been reached, add a failure to the message, and return None.
        """
        limit = self._settings.max_restarts
        while self._settings.restart and (limit is None or self._restarts[k] < limit):
            self._restarts[k] += 1
            with contextlib.suppress(BaseException):  # closing may also fail, because the environment is broken
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
        self, k: int, start: Callable[[], tuple[Any, Any]], seed: int | None, buffer: int, message: SideMessage
    ) -> dict[str, Any] | None:
        """Start an episode with the function `start`, and return the first info of the episode.

        If the episode cannot be started, add a failure to the message, and return None.
        """
        lost = self._loop.lost.pop(k, None)
        restart: dict[str, Any] | None = {} if lost is None else lost.info
        while restart is not None:
            try:
                observation, info = start()
                self._writers[buffer].put(k, observation)
            except self._caught as exc:
                failure = Failure.of(exc, self.first + k, "reset", f"seed {seed}")
                restart = self._recreate(k, failure, message)
            else:
                if self._settings.restart:
                    self._last_observations[k] = observation
                first_info: dict[str, Any] = info | restart if restart else info
                return first_info
        return None

    def reset(
        self, seeds: Sequence[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int
    ) -> SideMessage | None:
        """Reset some of the environments, and return a message like that of `step`.

        Args:
            seeds: a pair for each environment to reset, with its position in the shard and its seed or None.
            options: the reset options for all of these environments.
            buffer: the index of the observation buffer in the ring.
        """
        message = SideMessage()
        for k, seed in seeds:
            start = partial(self._loop.reset, k, seed=seed, options=options)
            info = self._reset_one(k, start, seed, buffer, message)
            if info:
                message.infos.append((self.first + k, info))
        self._loop.update()
        return self._completed(message, [k for k, _ in seeds], buffer)

    def _completed(self, message: SideMessage, positions: Sequence[int], buffer: int) -> SideMessage | None:
        """Add all parts of results that are not in shared memory to a message. Return None if the message is empty."""
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
        """Create new environments, and take over from a shard whose process has died.

        If the episode of an environment was lost, the environment's next step truncates the episode, or its next reset
        reports the loss in the info.

        Args:
            observations: the last observation of each environment.
            done: the positions of the environments whose episodes had ended before the process died.
            lost: the positions of the environments whose episodes were lost when the process died.
            why: a description of how the process died.
        """
        self._last_observations = list(observations)
        next_step = self._settings.autoreset_mode == "NextStep"
        self._loop.done[:] = bytes(k in lost or (next_step and k in done) for k in self._positions)
        self._loop.any_done = True
        self._loop.lost = {k: _Lost(why) for k in lost}
        return None

    def step_some(self, positions: Sequence[int], actions: Sequence[Any], buffer: int = 0) -> SideMessage | None:
        """Step some of the environments, and return a message like that of `step`.

        Args:
            positions: the positions of the environments in the shard.
            actions: one action for each of these environments. It is ignored if the environment's episode was lost.
            buffer: the index of the observation buffer in the ring.
        """
        results = [self._loop.act_in(k, action) for k, action in zip(positions, actions, strict=True)]
        return self._write_each(positions, results, actions, buffer)

    def call(self, kind: str, name: str, args: Any, kwargs: Any) -> SideMessage:
        """Call a method, access an attribute or render in every environment. Return a message with the results.

        Args:
            kind: "call", "get", "set" or "render". "masked" calls a method on only some environments.
            name: the name of the method or attribute, or a dotted path. It is looked up through the wrappers.
            args: the positional arguments. For "masked", they are one bool for each environment. For "set", they are
                one value for each environment.
            kwargs: the keyword arguments. For "masked", they contain the method's arguments under "args" and "kwargs".
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
                    value = get_attribute(env, name)
                    results.append(value(*args, **kwargs) if kind == "call" and callable(value) else value)
            except self._caught as exc:
                phase = "call" if kind in {"call", "masked"} else f"{kind} {name}".strip()
                message.failures.append(Failure.of(exc, self.first + k, phase))
        return message

    def close(self) -> list[Failure]:
        """Close every environment, even if some of them raise exceptions, and return the failures."""
        failures = []
        for k, env in enumerate(self._envs):
            try:
                env.close()
            except self._caught as exc:
                failures.append(Failure.of(exc, self.first + k, "close"))
        self._envs = []
        return failures
