"""The class `ShardedVectorEnv`, a vector environment whose environments are divided among workers."""

from __future__ import annotations

from pickle import PicklingError
from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, Mask, ObsType
from gymkernel.vector_env import check_mask
from gymkernel_util_vector.arguments import check_attr_name, check_flags, check_values
from gymkernel_util_vector.shards.arguments import check_seconds
from gymkernel_util_vector.shards.batches import BatchState, CommonSpaces
from gymkernel_util_vector.shards.errors import raise_failures
from gymkernel_util_vector.shards.pending_steps import PendingSteps
from gymkernel_util_vector.shards.requests import AsyncState, RequestQueue

if TYPE_CHECKING:
    import numpy as np

    from gymkernel.vector_env import AutoresetMode

__all__ = ["ShardedVectorEnv"]


class ShardedVectorEnv(RequestQueue[ObsType, ActType, ArrayType]):
    """A base class for vector environments whose environments are stepped by the workers of a `ShardPool`.

    The constructor of a backend sets the attributes below, then `_restart` and `_pool`, and finally calls
    `_attach_pool`. `RequestQueue` implements `reset`, `step`, `send` and `recv`. This class implements method calls,
    attribute access, rendering and closing.

    Attributes:
        num_envs: the number of environments.
        copy: whether to copy observations before returning them.
        observation_mode: "same" if all observation spaces are equal, "different" if only their bounds differ, or a
            tuple (batched space, single space).
        autoreset_mode: when to reset an environment whose episode has ended.
        timeout: the default timeout of calls in seconds, or None for no limit.
    """

    observation_mode: Any
    autoreset_mode: AutoresetMode

    @property
    def timeout(self) -> float | None:
        """The default timeout of calls in seconds, or None for no limit."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float | None) -> None:
        check_seconds("timeout", seconds)
        self._timeout = None if seconds is None else float(seconds)

    def _attach_pool(self, ring: int) -> None:
        """Create the arrays of the batches, and take the spaces, the metadata and the render mode from the workers.

        Args:
            ring: the number of observation buffers.
        """
        pool = self._pool
        spaces = CommonSpaces.of(pool.spaces, self.observation_mode)
        # A restarted worker needs the previous observations.
        buffers = max(ring, 2) if self._restart else ring
        arrays, observations = pool.attach(spaces.plan, spaces.action_plan, buffers)
        self._batches = BatchState(spaces, arrays, observations, self.autoreset_mode)
        self.observation_space, self.action_space = spaces.observation_space, spaces.action_space
        self.single_observation_space = spaces.single_observation_space
        self.single_action_space = spaces.single_action_space
        self.metadata = {**pool.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = pool.render_mode
        self._pending = PendingSteps(self.num_envs)

    def call_async(self, name: str, *args: Any, **kwargs: Any) -> None:
        """Request a method call without waiting for the results. The arguments are the same as for `call`."""
        self._submit_call("call", "call_async", name, args, kwargs)
        self._state = AsyncState.WAITING_CALL

    def call_wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Wait for the results of `call_async`. The argument and the exceptions are the same as for `reset_wait`.

        Returns:
            One result for each environment.
        """
        self._end_async(AsyncState.WAITING_CALL, timeout)
        return self._call_results("call", timeout)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method on every environment, and return the results. For an attribute, return its values.

        Args:
            name: the name of the method or attribute, which is looked up through the wrappers of each environment.
            *args: positional arguments of the method.
            **kwargs: keyword arguments of the method.
        """
        return self._call("call", "call_async", name, args, kwargs)

    def call_masked(self, mask: Mask, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method on the environments that a mask selects. The result for all other environments is None.

        Args:
            mask: a Boolean array of shape (num_envs,) that is True for each environment on which to call the method.
            name: the name of the method, or a dotted path such as "np_random.random".
            *args: positional arguments of the method.
            **kwargs: keyword arguments of the method.
        """
        check_mask(mask, self.num_envs)
        return self._call("masked", "call_masked", name, mask.tolist(), {"args": args, "kwargs": kwargs})

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return the value of an attribute of every environment. The attribute is looked up through the wrappers.

        Args:
            name: the name of the attribute, or a dotted path such as "np_random.bit_generator".

        Returns:
            One value for each environment. The values must be picklable.
        """
        return self._call("get", "get_attr", name, (), {})

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every environment.

        Args:
            name: the name of the attribute, without dots.
            values: a list or tuple with one value for each environment, or a single value for all environments. The
                values must be picklable.

        Raises:
            TypeError: if the name is not a string, or if a value cannot be pickled.
            ValueError: if the number of values is wrong, or if the name contains a dot.
        """
        check_attr_name(name, dots=False)
        self._call("set", "set_attr", name, check_values(values, self.num_envs), {})

    def render(self) -> tuple[Any, ...]:
        """Render every environment, and return the frames."""
        return self._call("render", "render", "", (), {})

    def _call(self, kind: str, caller: str, name: str, args: Any, kwargs: Any) -> tuple[Any, ...]:
        self._submit_call(kind, caller, name, args, kwargs)
        return self._call_results(kind, None)

    def _submit_call(self, kind: str, caller: str, name: str, args: Any, kwargs: Any) -> None:
        self._assert_idle(caller)
        check_attr_name(name)
        try:
            self._pool.submit_call(kind, name, args, kwargs)
        except (TypeError, AttributeError, PicklingError) as exc:
            exc.add_note(f"{caller} sends the arguments of {name!r} to other processes, so they must be picklable.")
            raise

    def _call_results(self, kind: str, timeout: float | None) -> tuple[Any, ...]:
        return tuple(result for message in self._answers(kind, timeout) for result in message.results)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """A copy of each environment's random number generator."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each environment's random number generator."""
        return self.get_attr("np_random_seed")

    def close_extras(self, timeout: float | None = None, terminate: bool = False) -> None:  # type: ignore[override]
        """Let the workers close their environments, and then stop the workers.

        Args:
            timeout: how many seconds the environments may take to close. The default is 10 seconds, or 1 second for a
                worker that is still busy with another request.
            terminate: whether to kill the workers without closing their environments.

        Raises:
            TypeError, ValueError: if an argument is invalid. In this case, nothing is closed.
            WorkerError: if an environment raises an exception while it is being closed.
        """
        check_seconds("timeout", timeout, zero=True)
        check_flags(terminate=terminate)
        self.closed = True
        try:
            failures = self._pool.stop(timeout=None if timeout is None else float(timeout), terminate=terminate)
        finally:
            self._batches = None  # type: ignore[assignment]  # views that the caller holds stay valid
        raise_failures(failures)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"{self} cannot be pickled or copied, because its environments are in other processes. Pass on the "
            "functions that create the environments instead, and create a vector environment where it is used"
        )
