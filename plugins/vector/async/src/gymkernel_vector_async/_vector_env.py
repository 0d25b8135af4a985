"""`AsyncVectorEnv`: step several environments at once, in a few processes that write into memory they share."""

from __future__ import annotations

import time
from enum import Enum
from multiprocessing import util
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gymkernel import logger
from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError
from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils import check_observation_mode, reset_mask, seeds
from gymkernel_vector_async._control_block import MEASURED_STEPS
from gymkernel_vector_async._errors import raise_failures
from gymkernel_vector_async._messages import ShardSettings
from gymkernel_vector_async._partial_steps import PartialSteps
from gymkernel_vector_async._pool import WorkerPool
from gymkernel_vector_async._replies import check_answers
from gymkernel_vector_async._state import BatchState, CommonSpaces
from gymkernel_vector_async._worker_count import cores, recommend_workers, worker_count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel import Env, Space
    from gymkernel.protocols import Info
    from gymkernel_vector_async._messages import SideMessage

__all__ = ["AsyncState", "AsyncVectorEnv"]


class AsyncState(Enum):
    """The call whose results an asynchronous vector environment waits for."""

    DEFAULT = "default"
    """None: the next one may begin."""
    WAITING_RESET = "reset"
    WAITING_STEP = "step"
    WAITING_CALL = "call"


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
        parent_steps: whether this process steps some of the environments, too, which pays where cores are few; a
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
        _check_arguments(self.env_fns, worker, ring, on_error)
        check_observation_mode(observation_mode)
        if num_workers == "auto":
            num_workers = self._measure_workers(context, daemon=daemon)
        self.num_workers = worker_count(num_workers, max_concurrency, self.num_envs, parent_steps=parent_steps)
        self._steps_to_advice = MEASURED_STEPS + 2 if num_workers is max_concurrency is None else -1
        self._restart = on_error == "restart"
        settings = ShardSettings(
            self.autoreset_mode.value, self._restart, max_restarts, check_observations, self.num_workers > cores()
        )
        self._pool = WorkerPool(
            self.env_fns,
            settings,
            self.num_workers,
            local_shard=parent_steps,
            context=context,
            daemon=daemon,
            deadline=self._deadline(None),
        )
        try:
            spaces = CommonSpaces.of(self._pool.spaces, observation_mode)
            buffers = max(ring, 2) if self._restart else ring
            plans = spaces.plan, spaces.action_plan
            arrays, observations = self._pool.share_memory(*plans, buffers, shared=shared_memory)
            self._batches = BatchState(spaces, arrays, observations, self.autoreset_mode)
        except BaseException:
            self._pool.stop(timeout=None, terminate=True)
            raise
        self._partial_steps = PartialSteps(self._pool, self._batches, arrays, settings)
        self.observation_space, self.action_space = spaces.observation_space, spaces.action_space
        self.single_observation_space = spaces.single_observation_space
        self.single_action_space = spaces.single_action_space
        self.metadata = {**self._pool.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = self._pool.render_mode
        self._state = AsyncState.DEFAULT
        """Which call waits for its results; programs compare it with `AsyncState`."""
        self._reset_ids: list[int] = []
        """The environments of the last reset."""
        self._finalizer = util.Finalize(
            self, self._pool.stop, kwargs={"timeout": 0.5, "terminate": True}, exitpriority=10
        )
        self.closed = False

    def _measure_workers(self, context: Any, *, daemon: bool) -> int | None:
        """How many workers suit the first environment, by a few steps of it; None for one each core."""
        if self.num_envs == 1:
            return None
        trial: AsyncVectorEnv[Any, Any, Any] = AsyncVectorEnv(
            self.env_fns[:1], context=context, daemon=daemon, num_workers=1, timeout=self.timeout
        )
        with trial:
            trial.action_space.seed(0)
            trial.reset(seed=0)
            end = time.monotonic() + 1
            for _ in range(MEASURED_STEPS):
                trial.step(trial.action_space.sample())
                if time.monotonic() > end:
                    break
            return recommend_workers(trial._pool.measurements(), self.num_envs)[1] or None

    def _advise(self) -> None:
        """Say which number of workers would be right, where environments wait most of the time."""
        waiting, recommended = recommend_workers(self._pool.measurements(), self.num_envs)
        if recommended > 1.5 * self.num_workers:
            logger.warn(
                f"these environments wait for {waiting} % of a step (for a server?), and {self.num_workers} workers "
                f'step {self.num_envs} of them: num_workers={recommended} would be faster; num_workers="auto" '
                "measures it",
                stacklevel=4,
            )

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`."""
        self._assert_idle("reset_async")
        self._submit_reset(seed, options)
        return self._reset_results(None)

    def reset_async(
        self, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Have episodes begun, and return at once; arguments as of `reset`.

        Args:
            seed: for all environments (seed, seed + 1, ...), or one for each; None to go on with their generators.
            options: for every environment; "reset_mask" says which of them begin an episode.
        """
        self._assert_idle("reset_async")
        self._submit_reset(seed, options)
        self._state = AsyncState.WAITING_RESET

    def reset_wait(self, timeout: float | None = None) -> tuple[ObsType, Info]:
        """Wait for what `reset_async` began.

        Args:
            timeout: seconds.

        Raises:
            WorkerTimeoutError: some environments were not ready in time; what they return later is dropped.
            WorkerError: environments failed.
        """
        self._end_pending(AsyncState.WAITING_RESET)
        return self._reset_results(timeout)

    def _submit_reset(self, seed: Any, options: dict[str, Any] | None) -> None:
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        self._reset_ids = list(range(self.num_envs)) if mask is None else np.flatnonzero(mask).tolist()
        buffer = self._batches.next_buffer(keep=mask is not None)
        self._pool.submit_reset([(i, seed_of[i]) for i in self._reset_ids], options, buffer)

    def _reset_results(self, timeout: float | None) -> tuple[ObsType, Info]:
        messages = self._wait("reset", timeout)
        return self._batches.reset_batch(self._reset_ids, messages, copy=self.copy)  # type: ignore[no-any-return]

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment, but for those that reset instead under NEXT_STEP."""
        self._assert_idle("step_async")
        self._submit_step(actions)
        return self._step_results(None)

    def step_async(self, actions: ActType) -> None:
        """Have every environment act, and return at once; arguments as of `step`.

        Args:
            actions: a batch, an element of `action_space`.
        """
        self._assert_idle("step_async")
        self._submit_step(actions)
        self._state = AsyncState.WAITING_STEP

    def step_wait(self, timeout: float | None = None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Wait for what `step_async` began; arguments and errors as of `reset_wait`.

        Args:
            timeout: seconds to wait; None for as long as it takes.
        """
        self._end_pending(AsyncState.WAITING_STEP)
        return self._step_results(timeout)

    def _submit_step(self, actions: ActType) -> None:
        batches, pool = self._batches, self._pool
        if not batches.ready:
            batches.assert_ready()
        written = pool.is_idle() and batches.write_actions(actions)
        items = None if written else batches.split_actions(actions, self.num_envs)
        pool.submit_step(items, batches.next_buffer(keep=False))

    def _step_results(self, timeout: float | None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        batch = self._batches.batch(self._wait("step", timeout), copy=self.copy)
        if self._steps_to_advice >= 0:
            self._steps_to_advice -= 1
            if self._steps_to_advice == 0:
                self._advise()
        return batch  # type: ignore[no-any-return]

    def step_masked(
        self, actions: ActType, mask: NDArray[np.bool_]
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act in the environments of a mask; the others have their last observations, rewards of 0, and no infos."""
        self._assert_idle("step_masked")
        if getattr(mask, "dtype", None) != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"Expected a mask of bool for {self.num_envs} environments, got {mask!r}")
        batches, ids, messages = self._batches, np.flatnonzero(mask), []
        if len(ids):
            chosen = batches.choose_actions(actions, ids)
            messages = self._partial_steps.step(chosen, ids, self._deadline(None), self.timeout)
        return batches.masked_batch(mask, messages, copy=self.copy)  # type: ignore[no-any-return]

    def send(self, actions: Any, env_ids: Any = None) -> None:
        """Have some environments act, and return at once; `recv` has the results, in whatever order they are ready.

        Args:
            actions: a batch of actions, one for each of `env_ids`.
            env_ids: indices of environments of which no result is awaited; None for all.

        Raises:
            ValueError: an environment twice, not there, or at work; or another number of actions.
        """
        self._assert_idle("send", partial_steps=True)
        self._partial_steps.send(actions, env_ids)

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
        return self._partial_steps.recv(batch_size, self._deadline(timeout), seconds)  # type: ignore[no-any-return]

    def call_async(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Have a method of every environment called, and return at once; arguments as of `call`.

        Args:
            name: of a method, which a wrapper or the environment has.
            *args: its arguments by place.
            **kwargs: its arguments by name.
        """
        self._assert_idle("call_async")
        self._pool.submit_call("call", name, args, kwargs)
        self._state = AsyncState.WAITING_CALL

    def call_wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Wait for the results of `call_async`; errors as of `reset_wait`.

        Args:
            timeout: seconds to wait; None for as long as it takes.

        Returns:
            What the method returned, for each environment in order.
        """
        self._end_pending(AsyncState.WAITING_CALL)
        return self._call_results("call", timeout)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute that is none, and return the results.

        Args:
            name: looked up through the wrappers of each environment.
            *args: for the method.
            **kwargs: for the method.
        """
        return self._call("call", "call_async", name, args, kwargs)

    def call_masked(self, mask: NDArray[np.bool_], name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of the environments of a mask; for the others there is None in its place.

        Args:
            mask: bool, of shape (num_envs,).
            name: of the method, also one of an attribute: "np_random.random".
            *args: for the method.
            **kwargs: for the method.
        """
        return self._call("masked", "call_masked", name, mask.tolist(), {"args": args, "kwargs": kwargs})

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Read an attribute of every environment, through its wrappers; "np_random.bit_generator" is one, too.

        Args:
            name: of the attribute, which may have dots.

        Returns:
            Its value for each environment in order, which must pickle.
        """
        return self._call("get", "get_attr", name, (), {})

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment: a list or tuple has a value for each, anything else is for all.

        Args:
            name: of the attribute.
            values: a list or tuple of num_envs values, or one value; they must pickle.

        Raises:
            ValueError: there is another number of values.
        """
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"Expected a value for each of the {self.num_envs} environments, got {len(each)}")
        self._call("set", "set_attr", name, each, {})

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each environment."""
        return self._call("render", "render", "", (), {})

    def _call(self, kind: str, caller: str, name: str, args: Any, kwargs: Any) -> tuple[Any, ...]:
        self._assert_idle(caller)
        self._pool.submit_call(kind, name, args, kwargs)
        return self._call_results(kind, None)

    def _call_results(self, kind: str, timeout: float | None) -> tuple[Any, ...]:
        return tuple(result for message in self._wait(kind, timeout) for result in message.results)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """A copy of the generator of each environment."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each environment."""
        return self.get_attr("np_random_seed")

    @property
    def processes(self) -> list[Any]:
        """The processes of the workers."""
        return self._pool.processes

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """End the workers: ask them to close their environments, then SIGTERM, then SIGKILL.

        Args:
            timeout: seconds for environments to close; None for 10, and 1 for a worker busy with something else.
            terminate: do not ask.
        """
        self._finalizer.cancel()
        self.closed = True
        try:
            failures = self._pool.stop(timeout=timeout, terminate=terminate)
        finally:
            del self._partial_steps, self._batches  # views that the caller holds stay valid
        raise_failures(failures)

    def __del__(self) -> None:
        if not self.closed:
            self._finalizer()

    def _wait(self, phase: str, timeout: float | None) -> list[SideMessage]:
        """Wait for the answers to what was submitted."""
        deadline = self._deadline(timeout)
        answers = self._pool.wait(deadline)
        if not any(answers):
            return []
        seconds = self.timeout if timeout is None else timeout
        return check_answers(answers, self._pool, self._batches, phase, deadline, seconds, restart=self._restart)

    def _deadline(self, timeout: float | None) -> float | None:
        seconds = self.timeout if timeout is None else timeout
        return None if seconds is None else time.monotonic() + seconds

    def _assert_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} is closed; make a new one")

    def _assert_idle(self, caller: str, *, partial_steps: bool = False) -> None:
        if self.closed:
            self._assert_open()
        if self._state is not AsyncState.DEFAULT:
            name = self._state.value
            message = f"{caller} was called while {name}_async waits for its results: call {name}_wait first"
            raise AlreadyPendingCallError(message, name)
        if not partial_steps and self._partial_steps.pending:
            message = f"{caller} was called while results of send are awaited: call recv() first"
            raise AlreadyPendingCallError(message, "send")

    def _end_pending(self, state: AsyncState) -> None:
        self._assert_open()
        if self._state is not state:
            raise NoAsyncCallError(f"{state.value}_wait was called, and no {state.value}_async before it", state.value)
        self._state = AsyncState.DEFAULT  # whatever becomes of the results (Ctrl-C, say), the next call may begin


def _check_arguments(env_fns: Sequence[Any], worker: Any, ring: int, on_error: str) -> None:
    """Refuse arguments of AsyncVectorEnv that cannot be meant."""
    if not env_fns:
        raise ValueError("AsyncVectorEnv expects at least one function that makes an environment, got none")
    for i, make in enumerate(env_fns):
        if not callable(make):
            raise TypeError(f"Expected functions that make environments, got {make!r:.200} at index {i}")
    if worker is not None:
        raise ValueError(
            "worker= is not supported: a worker here steps several environments and shares memory with its parent. "
            "Wrap the environment in env_fns, or derive a backend of your own from VectorEnv"
        )
    if ring < 1:
        raise ValueError(f"Expected ring to be at least 1, got {ring}")
    if on_error not in {"raise", "restart"}:
        raise ValueError(f"Expected on_error to be 'raise' or 'restart', got {on_error!r}")
