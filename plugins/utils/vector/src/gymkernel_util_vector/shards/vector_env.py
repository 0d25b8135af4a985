"""`ShardedVectorEnv`: a vector environment that workers step, each a shard of the environments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import VectorEnv, check_mask, reset_mask, seeds
from gymkernel_util_vector.arguments import check_attr_name, check_flags, check_values
from gymkernel_util_vector.shards.answers import check_answers
from gymkernel_util_vector.shards.arguments import check_seconds
from gymkernel_util_vector.shards.errors import raise_failures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.batches import BatchState, CommonSpaces
    from gymkernel_util_vector.shards.messages import SideMessage
    from gymkernel_util_vector.shards.partial_steps import PartialSteps
    from gymkernel_util_vector.shards.pool import Pool

__all__ = ["AsyncState", "ShardedVectorEnv"]


LONGEST_TIMEOUT: Final = 1e6
"""Seconds; who waits for longer waits for ever, since systems do not take longer ones."""


class AsyncState(Enum):
    """The call whose results an asynchronous vector environment waits for."""

    DEFAULT = "default"
    """None: the next one may begin."""
    WAITING_RESET = "reset"
    WAITING_STEP = "step"
    WAITING_CALL = "call"


class ShardedVectorEnv(VectorEnv[ObsType, ActType, ArrayType]):
    """What a vector environment does whose environments are stepped by the workers of a `Pool`.

    A backend makes the pool, takes the common spaces by `_take_spaces`, and sets what is named here.

    Attributes:
        num_envs: number of environments.
        copy: whether observations are arrays of their own.
        timeout: seconds for each call that waits, where the call itself sets none; None for no limit.
    """

    copy: bool
    _timeout: float | None = None
    _pool: Pool
    _batches: BatchState
    _partial_steps: PartialSteps | None = None
    """For `send`, `recv` and `step_masked`; None where a backend steps all environments alone."""
    _restart: bool
    """Whether workers that have ended are started again."""
    _state = AsyncState.DEFAULT
    """Which call waits for its results; programs compare it with `AsyncState`."""
    _interrupted = False
    """Whether Ctrl-C ended the last `send`, `recv` or `poll`, so that the next call may drop what is still awaited."""
    _reset_ids: Sequence[int] = ()
    """The environments of the last reset."""

    @property
    def timeout(self) -> float | None:
        """Seconds for each call that waits, where the call itself sets none; None for no limit."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float | None) -> None:
        check_seconds("timeout", seconds)
        self._timeout = None if seconds is None else float(seconds)

    def _take_spaces(self, spaces: CommonSpaces, metadata: dict[str, Any], render_mode: str | None) -> None:
        """Take the common spaces of the environments, and the metadata and the render mode of the first."""
        self.observation_space, self.action_space = spaces.observation_space, spaces.action_space
        self.single_observation_space = spaces.single_observation_space
        self.single_action_space = spaces.single_action_space
        self.metadata = {**metadata, "autoreset_mode": self._batches.autoreset_mode}
        self.render_mode = render_mode

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`."""
        self._assert_idle("reset_async")
        self._submit_reset(seed, options)
        return self._reset_results(None)

    def reset_async(self, seed: Seed = None, options: Options = None) -> None:
        """Have episodes begun, and return at once. Arguments are those of `gymkernel.vector.VectorEnv.reset`."""
        self._assert_idle("reset_async")
        self._submit_reset(seed, options)
        self._state = AsyncState.WAITING_RESET

    def reset_wait(self, timeout: float | None = None) -> tuple[ObsType, Info]:
        """Wait for what `reset_async` began.

        Args:
            timeout: seconds to wait; None for as long as the vector environment is made for.

        Raises:
            WorkerTimeoutError: some environments were not ready in time; what they return later is dropped.
            WorkerError: environments failed.
        """
        self._end_pending(AsyncState.WAITING_RESET, timeout)
        return self._reset_results(timeout)

    def _submit_reset(self, seed: Any, options: Options) -> None:
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
        """Have every environment act, and return at once. Arguments are those of `gymkernel.vector.VectorEnv.step`."""
        self._assert_idle("step_async")
        self._submit_step(actions)
        self._state = AsyncState.WAITING_STEP

    def step_wait(self, timeout: float | None = None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Wait for what `step_async` began. Arguments and errors are those of `reset_wait`."""
        self._end_pending(AsyncState.WAITING_STEP, timeout)
        return self._step_results(timeout)

    def _submit_step(self, actions: ActType) -> None:
        batches = self._batches
        if not batches.ready:
            batches.assert_ready()
        items = None if self._write_actions(actions) else batches.split_actions(actions, self.num_envs)
        self._pool.submit_step(items, batches.next_buffer(keep=False))

    def _write_actions(self, actions: ActType) -> bool:
        """Give workers their actions otherwise than by message; False where that cannot be."""
        return False

    def _step_results(self, timeout: float | None) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        return self._batches.batch(self._wait("step", timeout), copy=self.copy)  # type: ignore[no-any-return]

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act in the environments of a mask; the others have their last observations, rewards of 0, and no infos."""
        self._assert_idle("step_masked")
        check_mask(mask, self.num_envs)
        batches, ids, messages = self._batches, np.flatnonzero(mask), []
        if len(ids):
            chosen = batches.choose_actions(actions, ids)
            messages = self._partly().step(chosen, ids, self._deadline(None), self._timeout)
        return batches.masked_batch(mask, messages, copy=self.copy)  # type: ignore[no-any-return]

    def send(self, actions: Any, env_ids: Any = None) -> None:
        """Have some environments act, and return at once; `recv` has the results, in whatever order they are ready.

        Args:
            actions: a batch of actions, one for each of `env_ids`.
            env_ids: indices of environments of which no result is awaited; None for all.

        Raises:
            ValueError: an environment twice, not there, or at work; no indices; or another number of actions.
        """
        try:
            self._assert_idle("send", partial_steps=True)
            self._partly().send(actions, env_ids)
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise

    def recv(
        self, batch_size: int | None = None, timeout: float | None = None
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info, NDArray[np.int64]]:
        """Wait for the first results of what `send` began.

        Args:
            batch_size: how many; None for all that are awaited.
            timeout: seconds; 0 for what is ready now, None for as long as the vector environment is made for.

        Returns:
            observations, rewards, terminations, truncations and infos of `batch_size` environments, in the order in
            which they became ready, and the indices of these environments.

        Raises:
            NoAsyncCallError: nothing, or less than that, is awaited.
            TypeError, ValueError: no number of results, or no time; the results are still awaited.
            WorkerTimeoutError: as many were not ready in time; nothing is lost, `recv` may be called again.
            WorkerError: environments failed.
        """
        try:
            self._assert_open()
            check_seconds("timeout", timeout, zero=True)
            seconds = self._timeout if timeout is None else float(timeout)
            if self._interrupted:
                self._partly().resume()
            batch = self._partly().recv(batch_size, self._deadline(timeout), seconds)
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise
        self._interrupted = False
        return batch  # type: ignore[no-any-return]

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Whether `recv` has something to return, or to raise, now or within a time-out.

        This sleeps, while `recv` looks again and again for a millisecond before it does. That is right for steps of
        microseconds; where they take longer, `poll` before `recv` leaves the processor to the workers.

        Args:
            timeout: seconds; None for no limit.

        Returns:
            False where nothing came in time.

        Raises:
            NoAsyncCallError: nothing is awaited.
        """
        try:
            self._assert_open()
            check_seconds("timeout", timeout, zero=True)
            endless = timeout is None or timeout > LONGEST_TIMEOUT
            if self._interrupted:
                self._partly().resume()
            return self._partly().poll(None if endless else time.monotonic() + float(timeout or 0))
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise

    def _partly(self) -> PartialSteps:
        if self._partial_steps is None:
            raise NotImplementedError(f"{type(self).__name__} steps all environments at a time")
        return self._partial_steps

    def call_async(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Have a method of every environment called, and return at once. Arguments are those of `call`."""
        self._assert_idle("call_async")
        check_attr_name(name)
        self._submit_call("call", "call_async", name, args, kwargs)
        self._state = AsyncState.WAITING_CALL

    def call_wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Wait for the results of `call_async`. Arguments and errors are those of `reset_wait`.

        Returns:
            What the method returned, for each environment in order.
        """
        self._end_pending(AsyncState.WAITING_CALL, timeout)
        return self._call_results("call", timeout)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute that is none, and return the results.

        Args:
            name: looked up through the wrappers of each environment.
            *args: for the method.
            **kwargs: for the method.
        """
        return self._call("call", "call_async", name, args, kwargs)

    def call_masked(self, mask: Mask, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of the environments of a mask; for the others there is None in its place.

        Args:
            mask: bool, of shape (num_envs,).
            name: of the method, also one of an attribute: "np_random.random".
            *args: for the method.
            **kwargs: for the method.
        """
        check_mask(mask, self.num_envs)
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
            name: of the attribute, without dots.
            values: a list or tuple of num_envs values, or one value; they must pickle.

        Raises:
            TypeError: the name is no text, or values cannot be pickled.
            ValueError: there is another number of values, or the name has dots.
        """
        check_attr_name(name, dots=False)
        self._call("set", "set_attr", name, check_values(values, self.num_envs), {})

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each environment."""
        return self._call("render", "render", "", (), {})

    def _call(self, kind: str, caller: str, name: str, args: Any, kwargs: Any) -> tuple[Any, ...]:
        self._assert_idle(caller)
        check_attr_name(name)
        self._submit_call(kind, caller, name, args, kwargs)
        return self._call_results(kind, None)

    def _submit_call(self, kind: str, caller: str, name: str, args: Any, kwargs: Any) -> None:
        try:
            self._pool.submit_call(kind, name, args, kwargs)
        except (TypeError, AttributeError, PicklingError) as exc:
            exc.add_note(f"{caller} gives {name!r} what other processes take by pickling, and this cannot be pickled.")
            raise

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

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """End the workers: ask them to close their environments, then end them.

        Args:
            timeout: seconds for environments to close; None for 10, and 1 for a worker busy with something else.
            terminate: do not ask.

        Raises:
            TypeError, ValueError: an argument that cannot be meant; nothing was closed.
            WorkerError: environments raised as they were closed.
        """
        check_seconds("timeout", timeout, zero=True)
        check_flags(terminate=terminate)
        self.closed = True
        try:
            failures = self._pool.stop(timeout=None if timeout is None else float(timeout), terminate=terminate)
        finally:
            self._partial_steps = self._batches = None  # type: ignore[assignment]  # views that the caller holds stay valid
        raise_failures(failures)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"{self} cannot be pickled or copied, since its environments are in other processes: hand on the functions "
            "that make them, and make a vector environment of these where it is used"
        )

    def _wait(self, phase: str, timeout: float | None) -> list[SideMessage]:
        """Wait for the answers to what was submitted."""
        deadline = self._deadline(timeout)
        answers = self._pool.wait(deadline)
        if not any(answers):
            return []
        seconds = self._timeout if timeout is None else float(timeout)
        return check_answers(answers, self._pool, self._batches, phase, deadline, seconds, restart=self._restart)

    def _deadline(self, timeout: float | None) -> float | None:
        seconds = self._timeout if timeout is None else float(timeout)
        return None if seconds is None or seconds > LONGEST_TIMEOUT else time.monotonic() + seconds

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
        if not partial_steps and self._partial_steps is not None and self._partial_steps.pending:
            if self._interrupted:
                self._partial_steps.drop()
                return
            message = f"{caller} was called while results of send are awaited: call recv() first"
            raise AlreadyPendingCallError(message, "send")

    def _assert_waiting(self, state: AsyncState) -> None:
        if self._state is not state:
            raise NoAsyncCallError(f"{state.value}_wait was called, and no {state.value}_async before it", state.value)

    def _end_pending(self, state: AsyncState, timeout: float | None) -> None:
        try:
            self._assert_open()
            check_seconds("timeout", timeout, zero=True)
            self._assert_waiting(state)
            self._state = AsyncState.DEFAULT  # whatever becomes of the results, the next call may begin
        except BaseException as exc:
            if not isinstance(exc, Exception):  # Ctrl-C
                self._state = AsyncState.DEFAULT
            raise
