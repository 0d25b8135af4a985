"""The class `ShardPool`, a base class for pools of workers, which sends requests to workers and counts restarts."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gymkernel_util_spaces.texts import add_note
from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError, env_names, exit_text
from gymkernel_util_vector.shards.messages import SideMessage

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_spaces.batches import BatchPlan
    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.messages import Failure, ShardSettings
    from gymkernel_util_vector.shards.pending_steps import PendingSteps

__all__ = ["Answers", "PoolWorker", "ShardPool", "Share"]

Seeds = list[tuple[int, int | None]]
Answers = tuple["list[SideMessage]", "list[PoolWorker]", "list[PoolWorker]"]
"""The result of `wait`: the side messages of workers that have responded, the late workers and the dead workers."""


STARTS: Final = 10
"""The maximum number of attempts to start a worker in one restart."""


class Share(NamedTuple):
    """The share of a worker in the environments of a pool."""

    number: int
    """The number of the worker."""
    first: int
    """The index of the worker's first environment."""
    env_fns: Sequence[Callable[[], Any]]
    """The functions that create the worker's environments."""
    settings: ShardSettings
    """The settings of the worker's shard."""


class PoolWorker:
    """A base class for the workers of a pool, each of which steps one shard of the environments.

    Args:
        share: the environments of the worker.

    Attributes:
        number: the number of the worker.
        indices: the indices of the environments that the worker steps.
    """

    def __init__(self, share: Share) -> None:
        self.number, self.indices = share.number, range(share.first, share.first + len(share.env_fns))
        self._share = share
        self.death: BaseException | None = None
        """The exception that reported the death of the worker, if any."""
        self._known_classes: set[str] | None = None
        """The ids of the classes that were sent to the worker by value.

        None if the worker was forked and therefore has all classes.
        """

    def where(self) -> str:
        """Return where the worker runs, such as " on node 10.0.0.1", or "" if all workers run on this machine."""
        return ""

    def env_at_work(self) -> int | None:
        """Return the index of the environment that the worker is calling, or None if it is unknown."""
        return None

    def exit_code(self) -> int | None:
        """Return the exit code of a worker that has died, or None if it is unknown."""
        return None

    def why_it_ended(self, code: int | None) -> str:
        """Describe how a worker with the given exit code died, in a phrase."""
        return exit_text(code)

    def request(self, what: str, *arguments: Any) -> None:
        """Tell the worker to call a method of its `EnvShard`. Do not wait for the result.

        Args:
            what: the name of the method.
            *arguments: the arguments of the method.
        """
        raise NotImplementedError

    def end(self) -> None:
        """Kill the worker immediately. The next request reports that the worker has died."""
        raise NotImplementedError

    def spaces(self, position: int, data: bytes, *, by_name: bool) -> tuple[Any, Any]:
        """Unpickle the spaces that the worker sent. If this is not possible, create an environment for its spaces.

        Args:
            position: the position of the environment in the worker's shard.
            data: the pickled spaces, or empty bytes if they cannot be pickled.
            by_name: whether the classes of all spaces were pickled by name.

        Returns:
            The observation space and the action space.
        """
        if data and (by_name or self._known_classes is not None):
            pair: tuple[Any, Any] = pickle.loads(data)  # noqa: S301 - the worker process is trusted
            return pair
        env = self._share.env_fns[position]()
        pair = (env.observation_space, env.action_space)
        env.close()
        return pair


class ShardPool:
    """A base class for the worker pools of backends.

    The methods whose names begin with `submit` send a request and return immediately. The methods whose names begin
    with `wait` return the responses. A backend must define the methods that raise NotImplementedError here. The methods
    for individual steps are required only if `single_steps` is True.

    Args:
        workers: the workers.
        num_envs: the number of environments.
        settings: the settings of all shards.
    """

    backend = "VectorEnv"
    """The class name of the backend, for error messages."""
    kind = "process"
    """What a worker is, for error messages."""
    advice = ""
    """The end of the message of the error that reports a timeout."""
    single_steps = False
    """Whether the pool supports individual steps, which `send`, `recv` and `step_masked` request."""
    spaces: list[tuple[Any, Any]]
    """The (observation space, action space) pair of each environment, which `describe` sets."""
    metadata: dict[str, Any]
    """The metadata of environment 0."""
    render_mode: str | None
    """The render mode of environment 0."""

    def __init__(self, workers: Sequence[Any], num_envs: int, settings: ShardSettings) -> None:
        self.workers, self.num_envs = workers, num_envs
        self._restart, self._max_restarts = settings.restart, settings.max_restarts
        self._restarts = [0] * num_envs
        self._waiting: Sequence[Any] = []
        """The workers that have not responded to the latest request yet."""
        self._last_reset: tuple[Seeds, dict[str, Any] | None] = [], None

    @staticmethod
    def shares(env_fns: Sequence[Callable[[], Any]], n: int, settings: ShardSettings) -> list[Share]:
        """Divide the environments into shards of nearly equal size.

        Args:
            env_fns: the functions that create the environments.
            n: the number of shards.
            settings: the settings of all shards.
        """
        bounds = [len(env_fns) * k // n for k in range(n + 1)]
        return [Share(k, first, env_fns[first:stop], settings) for k, (first, stop) in enumerate(pairwise(bounds))]

    def describe(self, descriptions: Iterable[tuple[Any, Any]]) -> None:
        """Set the spaces, metadata and render mode from the descriptions that the workers have sent.

        Args:
            descriptions: a tuple for each worker, in order. The tuple contains the worker, the result of
                `pickle_spaces` for its shard, an index into this result for each environment, and the pickled metadata
                and render mode.
        """
        known: dict[bytes, tuple[Any, Any]] = {}
        self.spaces = []
        for worker, (pickled_pairs, indices, metadata) in descriptions:
            pairs = []
            for j, (by_name, data) in enumerate(pickled_pairs):
                pair = known.get(data)
                if pair is None:
                    pair = worker.spaces(indices.index(j), data, by_name=by_name)
                    # If the spaces cannot be pickled, there is no data, and workers do not share the spaces.
                    if data:
                        known[data] = pair
                pairs.append(pair)
            self.spaces += [pairs[j] for j in indices]
            if worker.number == 0:
                self.metadata, self.render_mode = pickle.loads(metadata)  # noqa: S301 - the data comes from the program's own worker

    def submit_reset(self, seeds: Seeds, options: dict[str, Any] | None, buffer: int) -> None:
        """Request a reset of the given environments.

        Args:
            seeds: a pair for each environment to reset, with its index and its seed or None.
            options: the reset options, which are the same for all of these environments.
            buffer: the index of the observation buffer in the ring.
        """
        self._last_reset = seeds, options
        requests = [(worker, _seeds_within(seeds, worker.indices)) for worker in self.workers]
        self._waiting = [worker for worker, own_seeds in requests if own_seeds]
        for worker, own_seeds in requests:
            if own_seeds:
                worker.request("reset", own_seeds, options, buffer)

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Request a method call, or another operation of `EnvShard.call`, in every environment.

        Args:
            kind: the operation, as for `EnvShard.call`.
            name: the name of the method or attribute.
            args: the positional arguments for all environments.
            kwargs: the keyword arguments.
        """
        self._waiting = self.workers
        for worker in self.workers:
            worker.request("call", kind, name, self.own_arguments(kind, args, worker.indices), kwargs)

    @staticmethod
    def own_arguments(kind: str, args: Any, indices: range) -> Any:
        """Select the positional arguments of a call that are for the given environments.

        Args:
            kind: the operation, as for `EnvShard.call`. "set" and "masked" have one argument for each environment.
            args: the positional arguments for all environments.
            indices: the indices of the environments.
        """
        return args[indices.start : indices.stop] if kind in {"set", "masked"} else args

    def is_idle(self) -> bool:
        """Return whether no worker is reading actions from the arrays any more."""
        return True

    def drop_steps(self) -> None:
        """Stop waiting for pending steps of individual environments."""

    def worker_of(self, env_id: int) -> Any:
        """Return the worker that steps a given environment.

        Args:
            env_id: the index of the environment.
        """
        return next(worker for worker in self.workers if env_id in worker.indices)

    def may_restart(self, worker: Any) -> bool:
        """Return whether a worker that has died may be restarted, considering the maximum number of restarts.

        Args:
            worker: the worker to restart.
        """
        return self._max_restarts is None or all(self._restarts[i] < self._max_restarts for i in worker.indices)

    def restart(
        self,
        state: BatchState,
        worker: PoolWorker,
        phase: str,
        deadline: float | None,
        awaited: Sequence[int] | None = None,
    ) -> SideMessage:
        """Restart a worker that has died, and return its response to the pending request.

        If a step of an environment was requested, the response truncates the environment's episode. The episodes of the
        worker's other environments end in their next step. If the worker cannot respond, it is stopped, and the next
        request restarts it again.

        Args:
            state: the state of the vector environment.
            worker: the worker that has died.
            phase: the pending request. If it is neither "step" nor "reset", an error is raised instead.
            deadline: the time by which the new environments must have been created and reset.
            awaited: the indices of the environments whose individual steps are pending, or None if the request was sent
                to all environments.
        """
        first, (all_seeds, options) = worker.indices.start, self._last_reset
        seeds = _seeds_within(all_seeds, worker.indices)
        steps = worker.indices if awaited is None else awaited
        asked = {first + k for k, _ in seeds} if phase == "reset" else set(steps)
        lost = [i - first for i in worker.indices if i in asked or state.in_episode(i)]
        done = [i - first for i in worker.indices if i - first not in lost]
        last = state.last_observations(previous=awaited is None)[first : worker.indices.stop]
        while True:
            error = self._start_again(worker, phase, deadline)
            if phase not in {"reset", "step"}:
                state.require_reset(worker.indices)
                raise error
            try:
                worker.request("resume", last, done, lost, str(error).partition("\n")[0])
                if phase == "reset":
                    worker.request("reset", seeds, options, state.buffer)
                else:
                    worker.request("step_some", [i - first for i in steps], [None] * len(steps), state.buffer)
                messages, late, dead = self.wait_for(worker, deadline)
            except BaseException:
                worker.end()
                raise
            if late:
                worker.end()
                raise self.late_error(late, phase, None)
            if not dead:
                return messages[0] if messages else SideMessage()

    def _start_again(self, worker: PoolWorker, phase: str, deadline: float | None) -> WorkerError:
        """Restart a worker that has died, and return the error that reports its death.

        If the worker dies while it is starting, or if one of its environments cannot be created, the worker is
        restarted again. Each start counts as a restart. After `STARTS` failed starts, the last failure is raised,
        because the environments probably cannot be created at all.
        """
        ended = failure = self.error_of([worker], phase)
        for _ in range(STARTS):
            if not self.may_restart(worker):
                failure.add_note(f"It was restarted {self._max_restarts} times, which is the limit (max_restarts).")
                raise failure
            for i in worker.indices:
                self._restarts[i] += 1
            try:
                self.start_again(worker, deadline)
            except WorkerError as exc:
                failure = exc
            else:
                return ended
        add_note(failure, f"The worker was started {STARTS} times in a row, and failed each time.")
        raise failure

    def late_error(
        self, late: Sequence[PoolWorker], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """Create the error that reports workers that did not respond in time.

        Args:
            late: the workers that did not respond.
            phase: the request to which they did not respond, such as "step".
            timeout: the timeout in seconds, or None if there is no timeout.
            indices: the indices of the environments without a result, or None for all environments of these workers.
        """
        places: dict[str, list[int]] = {}
        for worker in late:
            own = places.setdefault(worker.where(), [])
            own += [i for i in worker.indices if indices is None or i in indices]
        names = ", and for ".join(f"{env_names(own)}{where}" for where, own in places.items())
        at_work = [i for worker in late if phase != "construction" and (i := worker.env_at_work()) is not None]
        busy = f"; at work: {env_names(at_work)}" if at_work else ""
        seconds = "" if timeout is None else f" within {timeout:g} s"
        later = "No result is lost: call recv again" if phase == "recv" else "Answers that arrive later are dropped"
        message = f"{phase} did not end{seconds} for {names}{busy}. {later}{self.advice}"
        return WorkerTimeoutError(message, [i for own in places.values() for i in own], phase)

    def error_of(self, dead: Sequence[PoolWorker], phase: str) -> WorkerError:
        """Create the error that reports workers that have died during a request.

        Args:
            dead: the workers that have died.
            phase: the request to which they did not respond, such as "step".
        """
        remedy = f"Its state is lost: create a new {self.backend}"
        if not self._restart:
            remedy += ', or pass on_error="restart" to restart such workers automatically'
        elif all(map(self.may_restart, dead)):
            remedy = f"Its state is lost; its environments were recreated in another {self.kind} and start new episodes"
        return self.death_error(dead, phase, remedy)

    def death_error(self, dead: Sequence[PoolWorker], phase: str, remedy: str) -> WorkerError:
        """Create the error that reports workers that have died.

        Args:
            dead: the workers that have died.
            phase: the request to which they did not respond, such as "step".
            remedy: the last sentence of the message, which says what happens next or what the user can do.
        """
        codes = {worker.number: worker.exit_code() for worker in dead}
        lines = []
        for worker in dead:
            ended = worker.why_it_ended(codes[worker.number])
            busy = None if phase == "construction" else worker.env_at_work()
            line = f"Worker {worker.number}{worker.where()}, with {env_names(worker.indices)}, {ended} during {phase}"
            lines.append(line if busy is None else f"{line}, in environment {busy}")
        indices = [i for worker in dead for i in worker.indices]
        error = WorkerError(".\n".join(lines) + ". " + remedy, indices, phase, codes)
        error.__cause__ = dead[0].death
        return error

    # Methods that each backend defines

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, ring: int) -> tuple[dict[str, Any], list[list[Any]]]:
        """Create the arrays of the batch, and give each worker its rows of the arrays.

        Args:
            plan: the array plan for a batch of observations.
            action_plan: the array plan for a batch of actions.
            ring: the number of observation buffers.

        Returns:
            The arrays keyed by name, and a list of observation arrays for each buffer.
        """
        raise NotImplementedError

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Request a step of every environment.

        Args:
            actions: the actions, or None if `BatchState.write_actions` has written them into the arrays.
            buffer: the index of the observation buffer in the ring.
        """
        raise NotImplementedError

    def wait(self, deadline: float | None) -> Any:
        """Wait for the responses to the last request. Return the responses, the late workers and the dead workers."""
        raise NotImplementedError

    def wait_for(self, worker: Any, deadline: float | None) -> Any:
        """Wait until one worker has responded to its last request. The result is the same as for `wait`."""
        raise NotImplementedError

    def may_write_actions(self) -> bool:
        """Return whether actions of idle environments may be written into the arrays."""
        raise NotImplementedError

    def submit_steps(
        self, pending: PendingSteps, env_ids: NDArray[Any], actions: Sequence[Any] | None, *, together: bool
    ) -> None:
        """Request a step of each of the given environments. The results belong in the first buffer of the ring.

        Args:
            pending: the record of pending steps, which already includes these steps.
            env_ids: the indices of the environments.
            actions: one action for each environment, or None if the actions are in the arrays.
            together: whether the caller will wait for all results together, as `step_masked` does.
        """
        raise NotImplementedError

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> Sequence[Any]:
        """Collect results until `wanted` results are ready or the deadline passes. Return the dead workers."""
        raise NotImplementedError

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or a worker has died. If the deadline passes first, return False."""
        raise NotImplementedError

    def start_again(self, worker: Any, deadline: float | None) -> None:
        """Restart a worker that has died, and recreate its environments. If the restart fails, raise a WorkerError."""
        raise NotImplementedError

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """Stop all workers, and release all resources. Return a failure for each environment that cannot be closed."""
        raise NotImplementedError


def _seeds_within(seeds: Seeds, indices: range) -> Seeds:
    return [(i - indices.start, seed) for i, seed in seeds if i in indices]
