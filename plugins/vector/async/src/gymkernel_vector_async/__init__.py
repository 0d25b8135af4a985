"""`AsyncVectorEnv`: step several environments at once, in a few processes that write into memory they share."""

from __future__ import annotations

import time
from multiprocessing import util
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError
from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils import check_observation_mode, reset_mask, seeds
from gymkernel_vector_async._advice import advise, suited
from gymkernel_vector_async._arguments import check_arguments, cores, workers
from gymkernel_vector_async._board import Board
from gymkernel_vector_async._errors import WorkerError, WorkerTimeoutError, late, raise_failures
from gymkernel_vector_async._flight import Flight
from gymkernel_vector_async._questions import Questions
from gymkernel_vector_async._records import Settings
from gymkernel_vector_async._restart import revived
from gymkernel_vector_async._state import AsyncState
from gymkernel_vector_async._team import Team, fresh
from gymkernel_vector_async._words import MEASURED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel import Env, Space
    from gymkernel.protocols import Info
    from gymkernel_vector_async._pool import Worker
    from gymkernel_vector_async._records import Mail
    from gymkernel_vector_async._share import Share

__all__ = ["AsyncState", "AsyncVectorEnv", "WorkerError", "WorkerTimeoutError"]


class AsyncVectorEnv(VectorEnv[ObsType, ActType, ArrayType]):
    """Several environments, stepped at once by a few processes: for those that take ten microseconds and more.

    Every worker steps several environments and writes what they return straight into one block of shared memory. What
    an environment raises, a process that ends, and one that does not answer in time are errors that name the
    environments; `close` works after each of them.

    Args:
        env_fns: functions that make one environment each, in a worker; lambdas and local functions are fine.
        shared_memory: whether observations go through shared memory; parts of them without a layout (of `Graph`, ...)
            go by message in any case.
        copy: whether observations are arrays of their own; False hands out the shared arrays, see `ring`.
        context: start method ("fork", "spawn", "forkserver") or `multiprocessing` context. None takes the program's, or
            forks where no other threads run, and uses a fork server elsewhere.
        daemon: False lets environments start processes themselves.
        worker: not supported; see the README.
        observation_mode: "same" where all observation spaces are equal, "different" where they differ in their bounds
            alone, or a tuple (batched space, single space).
        autoreset_mode: when an environment that is done begins its next episode.
        max_concurrency: at most so many environments step at a time: no more workers than that, whatever `num_workers`.
        num_workers: number of processes; None for one each core. More pay where environments wait for something: "auto"
            steps the first environment on trial, in a process that is ended afterwards, and chooses by what it did.
        parent_steps: whether this process steps a share of the environments, too, which pays where cores are few; a
            crash of one of these is a crash of the program.
        ring: number of buffers for observations; with `copy=False` a batch stays as it is for that many steps.
        on_error: "raise", or "restart" to make an environment that failed, or whose process ended, anew: its episode
            ends truncated, with `infos["env_restarted"]`.
        max_restarts: how often that may happen to one environment; None for no limit.
        timeout: seconds for each call that waits, where the call itself sets none; None for no limit.
        check_observations: whether shapes and dtypes are checked before observations are written.

    Raises:
        RuntimeError: spaces of the environments do not go together.
        WorkerError: a process ended, or environments failed in another way than by an exception of their function,
            which is raised as it is.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 4, "async", {"num_workers": 2})  # doctest: +SKIP
    >>> observations, infos = envs.reset(seed=7)  # doctest: +SKIP
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([0, 1, 0, 1]))  # doctest: +SKIP
    >>> envs.close()  # doctest: +SKIP
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Env[Any, Any]]],
        shared_memory: bool = True,
        copy: bool = True,
        context: Any = None,
        daemon: bool = True,
        worker: Callable[..., None] | None = None,
        observation_mode: str | tuple[Space[Any], Space[Any]] = "same",
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_concurrency: int | None = None,
        *,
        num_workers: int | Literal["auto"] | None = None,
        parent_steps: bool = False,
        ring: int = 1,
        on_error: str = "raise",
        max_restarts: int | None = 100,
        timeout: float | None = None,
        check_observations: bool = True,
    ) -> None:
        self.closed = True
        self.env_fns = list(env_fns)
        self.num_envs = len(self.env_fns)
        self.shared_memory, self.copy, self.timeout = shared_memory, copy, timeout
        self.observation_mode, self.autoreset_mode = observation_mode, AutoresetMode(autoreset_mode)
        check_arguments(self.env_fns, worker, ring, on_error)
        check_observation_mode(observation_mode)
        if num_workers == "auto":
            num_workers = self._tried(context, daemon=daemon)
        self.num_workers = workers(num_workers, max_concurrency, self.num_envs, parent_steps=parent_steps)
        self._advise_after = MEASURED + 2 if num_workers is max_concurrency is None else -1
        crowded = self.num_workers > cores()
        settings = Settings(self.autoreset_mode.value, on_error == "restart", max_restarts, check_observations, crowded)
        self._restart = settings.restart
        self._team = Team(
            self.env_fns,
            settings,
            self.num_workers,
            parent_steps=parent_steps,
            context=context,
            daemon=daemon,
            deadline=self._deadline(None),
        )
        try:
            buffers = max(ring, 2) if settings.restart else ring
            self._board = Board(self._team, observation_mode, buffers, shared=shared_memory)
        except BaseException:
            self._team.stop(timeout=None, terminate=True)
            raise
        self._flight, self._questions = Flight(self._board), Questions(self._board, restart=settings.restart)
        self.observation_space = self._board.observation_space
        self.single_observation_space = self._board.single_observation_space
        self.action_space, self.single_action_space = self._board.action_space, self._board.single_action_space
        self.metadata = {**self._team.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = self._team.render_mode
        self._pending = ""
        self._begin: tuple[list[tuple[int, Any]], Any] = [], None
        """What the last reset was asked for: (index, seed), and the options."""
        self._asked: list[Worker] = []
        self._own_items: list[Any] | None = None
        self._finalizer = util.Finalize(
            self, self._team.stop, kwargs={"timeout": 0.5, "terminate": True}, exitpriority=10
        )
        self.closed = False

    def _tried(self, context: Any, *, daemon: bool) -> int | None:
        """How many workers suit the first environment, by a few steps of it; None for one each core."""
        if self.num_envs == 1:
            return None
        alone: AsyncVectorEnv[Any, Any, Any] = AsyncVectorEnv(
            self.env_fns[:1], context=context, daemon=daemon, num_workers=1, timeout=self.timeout
        )
        with alone:
            alone.action_space.seed(0)
            alone.reset(seed=0)
            end = time.monotonic() + 1
            for _ in range(MEASURED):
                alone.step(alone.action_space.sample())
                if time.monotonic() > end:
                    break
            return suited(alone._team.workers, self.num_envs)[1] or None

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`.

        Args:
            seed: an integer for seed, seed + 1, ...; or one integer or None for each environment.
            options: for every environment, without the "reset_mask".
        """
        self._assert_idle("reset_async")
        self._post_reset(seed, options)
        return self._reset_results(None)

    def reset_async(
        self, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Have episodes begun, and return at once; arguments as of `reset`."""
        self._assert_idle("reset_async")
        self._post_reset(seed, options)
        self._pending = "reset"

    def _post_reset(self, seed: Any, options: dict[str, Any] | None) -> None:
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        chosen = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        slot = self._board.turn(keep=mask is not None)
        self._begin = [(i, seed_of[i]) for i in chosen], options
        self._asked = [worker for worker in self._team.workers if self._part(worker.indices)]
        for worker in self._asked:
            self._team.tell(worker, "reset", self._part(worker.indices), options, slot)

    def _part(self, indices: range) -> list[tuple[int, Any]]:
        """What of a reset concerns a worker: (position, seed)."""
        return [(i - indices.start, seed) for i, seed in self._begin[0] if i in indices]

    def reset_wait(self, timeout: float | None = None) -> tuple[ObsType, Info]:
        """Wait for what `reset_async` began.

        Args:
            timeout: seconds.

        Raises:
            WorkerTimeoutError: some environments were not ready in time; what they return later is dropped.
            WorkerError: environments failed.
        """
        self._end_pending("reset")
        return self._reset_results(timeout)

    def _reset_results(self, timeout: float | None) -> tuple[ObsType, Info]:
        own, board = None, self._board
        if self._team.own is not None:
            items = self._part(range(self._team.own.first, self.num_envs))
            own = self._team.own.reset(items, self._begin[1], board.slot) if items else None
        mails = self._finish("reset", own, timeout)
        board.begun([i for i, _ in self._begin[0]])
        board.absorb(mails)
        return board.observations(copy=self.copy), board.infos(mails)

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment, but for those that reset instead under NEXT_STEP.

        Args:
            actions: an element of `action_space`.
        """
        self._assert_idle("step_async")
        self._post_step(actions)
        return self._step_results(None)

    def step_masked(
        self, actions: ActType, mask: NDArray[np.bool_]
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in the environments of a mask; the others stay as they are.

        Args:
            actions: an element of `action_space`.
            mask: bool, of shape (num_envs,).

        Returns:
            As `step` does; for the other environments their last observations, rewards of 0, and no infos.
        """
        self._assert_idle("step_masked")
        if getattr(mask, "dtype", None) != np.bool_ or mask.shape != (self.num_envs,):
            message = f"Expected a mask of bool for {self.num_envs} environments, got {mask!r}"
            raise ValueError(message)
        board, ids = self._board, np.flatnonzero(mask)
        mails = self._flight.step(actions, ids, self._deadline(None), self.timeout) if len(ids) else []
        rewards = np.where(mask, board.rewards, 0.0)
        terminations, truncations = board.terminations & mask, board.truncations & mask
        if self.autoreset_mode is AutoresetMode.DISABLED:
            board.end(ids, (terminations | truncations)[ids])
        infos = board.infos(mails) if mails else {}
        return board.observations(copy=self.copy), rewards, terminations, truncations, infos  # type: ignore[return-value]

    def step_async(self, actions: ActType) -> None:
        """Have every environment act, and return at once; arguments as of `step`."""
        self._assert_idle("step_async")
        self._post_step(actions)
        self._pending = "step"

    def _post_step(self, actions: ActType) -> None:
        board, team = self._board, self._team
        if not board.ready:
            board.assert_ready()
        items: list[Any] | None = None
        if not (board.actions and team.idle() and board.actor.write(board.actions, actions)):
            items = board.split(actions, self.num_envs)
        team.post_step(board.turn(keep=False), items)
        self._own_items, self._asked = items, team.workers

    def step_wait(self, timeout: float | None = None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Wait for what `step_async` began; arguments and errors as of `reset_wait`."""
        self._end_pending("step")
        return self._step_results(timeout)

    def _step_results(self, timeout: float | None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        board = self._board
        mails = self._finish("step", None if self._team.own is None else self._step_own(self._team.own), timeout)
        rewards, terminations, truncations = (
            board.rewards.copy(),
            board.terminations.copy(),
            board.truncations.copy(),
        )
        infos: Info = {}
        if mails:
            board.absorb(mails)
            infos = board.infos(mails)
        if self._advise_after >= 0:
            self._advise_after -= 1
            if self._advise_after == 0:
                advise(self._team.workers, self.num_envs)
        if self.autoreset_mode is AutoresetMode.DISABLED:
            board.end(..., terminations | truncations)
        return board.observations(copy=self.copy), rewards, terminations, truncations, infos

    def _step_own(self, share: Share) -> Mail | None:
        """Step the share of this process, while the workers step theirs."""
        if self._own_items is not None:
            actions = self._own_items[share.first :]
        else:
            mine = [leaf[share.first :].copy() for leaf in self._board.actions]
            actions = share.split(self._board.actor.nested(mine))
        return share.step(actions, self._board.slot)

    def _finish(self, phase: str, own: Mail | None, timeout: float | None) -> list[Mail]:
        """Wait for all that were asked, and raise for those that failed or are late."""
        team, deadline = self._team, self._deadline(timeout)
        answers, behind, dead = team.collect(self._asked, deadline)
        if not answers and not behind and not dead and own is None:
            return []
        if behind and not (dead and not self._restart):
            seconds = self.timeout if timeout is None else timeout
            indices = [i for worker in behind for i in worker.indices]
            raise late(indices, [team.at_work(worker) for worker in behind], phase, seconds)
        mails = fresh(answers, own)
        if dead:
            if not self._restart:
                self._board.lose([i for worker in dead for i in worker.indices])
                raise team.error_of(dead, phase)
            mails += [revived(self._board, w, phase, self._begin_of(w), deadline) for w in dead]
        failures = [failure for mail in mails for failure in mail.failures]
        if failures:
            self._board.lose([failure.index for failure in failures])
            raise_failures(failures)
        return mails

    def _begin_of(self, worker: Worker) -> tuple[list[tuple[int, Any]], Any]:
        return self._part(worker.indices), self._begin[1]

    def send(self, actions: Any, env_ids: Any = None) -> None:
        """Have some environments act, and return at once; `recv` has the results, in whatever order they are ready.

        Args:
            actions: a batch of actions, one for each of `env_ids`.
            env_ids: indices of environments of which no result is awaited; None for all.

        Raises:
            ValueError: an environment twice, not there, or at work; or another number of actions.
        """
        self._assert_idle("send", flying=True)
        self._flight.send(actions, env_ids)

    def recv(
        self, batch_size: int | None = None, timeout: float | None = None
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info, NDArray[np.int64]]:
        """Wait for the first results of what `send` began.

        Args:
            batch_size: how many; None for all that are awaited.
            timeout: seconds.

        Returns:
            observations, rewards, terminations, truncations and infos of `batch_size` environments, in the order in
            which they became ready, and the indices of these environments.

        Raises:
            NoAsyncCallError: nothing, or less than that, is awaited.
            WorkerTimeoutError: as many were not ready in time; nothing is lost, `recv` may be called again.
            WorkerError: environments failed.
        """
        self._assert_open()
        seconds = self.timeout if timeout is None else timeout
        return self._flight.recv(batch_size, self._deadline(timeout), seconds)  # type: ignore[no-any-return]

    def call_async(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Have a method of every environment called, and return at once; arguments as of `call`."""
        self._assert_idle("call_async")
        self._questions.ask("call", name, args, kwargs)
        self._pending = "call"

    def call_wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Wait for the results of `call_async`; errors as of `reset_wait`."""
        self._end_pending("call")
        return self._questions.results(self._deadline(timeout), self.timeout if timeout is None else timeout)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute that is none, and return the results.

        Args:
            name: looked up through the wrappers of each environment.
            *args: for the method.
            **kwargs: for the method.
        """
        return self._answers("call", "call_async", name, args, kwargs)

    def call_masked(self, mask: NDArray[np.bool_], name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of the environments of a mask; for the others there is None in its place.

        Args:
            mask: bool, of shape (num_envs,).
            name: of the method, also one of an attribute: "np_random.random".
            *args: for the method.
            **kwargs: for the method.
        """
        return self._answers("masked", "call_masked", name, mask.tolist(), {"args": args, "kwargs": kwargs})

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Read an attribute of every environment, through its wrappers; "np_random.bit_generator" is one, too."""
        return self._answers("get", "get_attr", name, (), {})

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment: a list or tuple has a value for each, anything else is for all."""
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            message = f"Expected a value for each of the {self.num_envs} environments, got {len(each)}"
            raise ValueError(message)
        self._answers("set", "set_attr", name, each, {})

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each environment."""
        return self._answers("render", "render", "", (), {})

    def _answers(self, what: str, caller: str, name: str, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """Ask all environments, and wait for what they answer."""
        self._assert_idle(caller)
        self._questions.ask(what, name, args, kwargs)
        return self._questions.results(self._deadline(None), self.timeout)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """A copy of the generator of each environment."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each environment."""
        return self.get_attr("np_random_seed")

    @property
    def _state(self) -> AsyncState:
        """Which call waits for its results; programs compare it with `AsyncState`."""
        return AsyncState.of(self._pending)

    @property
    def processes(self) -> list[Any]:
        """The processes of the workers."""
        return [worker.process for worker in self._team.workers]

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """End the workers: ask them to close their environments, then SIGTERM, then SIGKILL.

        Args:
            timeout: seconds for environments to close; None for 10, and 1 for a worker busy with something else.
            terminate: do not ask.
        """
        self._finalizer.cancel()
        self.closed = True
        try:
            failures = self._team.stop(timeout=timeout, terminate=terminate)
        finally:
            del self._flight, self._questions, self._board  # views that the caller holds stay valid
        raise_failures(failures)

    def __del__(self) -> None:
        if not self.closed:
            self._finalizer()

    def _deadline(self, timeout: float | None) -> float | None:
        seconds = self.timeout if timeout is None else timeout
        return None if seconds is None else time.monotonic() + seconds

    def _assert_open(self) -> None:
        if self.closed:
            message = f"{self} is closed; make a new one"
            raise ClosedEnvironmentError(message)

    def _assert_idle(self, caller: str, *, flying: bool = False) -> None:
        if self.closed:
            self._assert_open()
        if self._pending:
            name = self._pending
            message = f"{caller} was called while {name}_async waits for its results: call {name}_wait first"
            raise AlreadyPendingCallError(message, self._pending)
        if not flying and self._flight.awaited:
            message = f"{caller} was called while results of send are awaited: call recv() first"
            raise AlreadyPendingCallError(message, "send")

    def _end_pending(self, name: str) -> None:
        self._assert_open()
        if self._pending != name:
            message = f"{name}_wait was called, and no {name}_async before it"
            raise NoAsyncCallError(message, name)
        self._pending = ""  # whatever becomes of the results (Ctrl-C, say), the next call may begin
