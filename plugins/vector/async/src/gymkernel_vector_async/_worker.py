"""The code that runs in a worker process: its entry point `run_worker`, and `WorkerLoop`, which answers requests."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.shards.answer_pickling import pickle_message, pickle_spaces
from gymkernel_util_vector.shards.messages import Failure, ShardArrays, SideMessage
from gymkernel_util_vector.shards.shard import EnvShard
from gymkernel_vector_async import _channel as channel
from gymkernel_vector_async._channel import BLOCK_SIZE, MEASURED_STEPS, Command, SpinWait, Transport, fence
from gymkernel_vector_async._memory import Block, Descriptor, Layout
from gymkernel_vector_async._parent_watch import end_with_parent

if TYPE_CHECKING:
    from gymkernel_util_vector.processes.spawn_data import SpawnData
    from gymkernel_util_vector.shards.shard_pool import Share

__all__ = ["WorkerArguments", "WorkerLoop", "run_worker"]


@dataclass(frozen=True, slots=True)
class WorkerArguments:
    """The argument of `run_worker`, which contains everything that a worker process needs to start."""

    share: Share
    """The environments of the worker. If the process is not forked, it receives their functions as `SpawnData`."""
    transport: Descriptor
    """The socket through which the worker communicates with its parent."""
    memory: Descriptor
    """The shared memory."""
    by_fork_server: bool
    """Whether a fork server starts the process."""
    watch_parent: bool
    """Whether a thread must watch the parent because the system cannot kill this process when its parent exits."""


def run_worker(arguments: WorkerArguments) -> None:
    """Run a worker until its parent closes the worker or exits."""
    transport = Transport(socket.socket(fileno=arguments.transport.fd))
    end_with_parent(transport, by_fork_server=arguments.by_fork_server, by_thread=arguments.watch_parent)
    code, share, shard = 0, arguments.share, None
    try:
        data: SpawnData | None = pickle.loads(_read(transport))  # noqa: S301 - the parent process is trusted
        env_fns = share.env_fns if data is None else data.install()
        shard = EnvShard(share.first, env_fns, share.settings)
        WorkerLoop(arguments, shard, transport).run()
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the parent process has exited
    except BaseException as exc:  # noqa: BLE001 - every exception is reported to the parent
        index = share.first if shard is None else shard.env_at_work
        with contextlib.suppress(Exception):
            transport.send(dumps(("broken", Failure.of(exc, index, "start"))))
        code = 1
    transport.close()
    if code:
        os._exit(code)


def _read(transport: Transport) -> bytes:
    """Wait for the next message and return it.

    Raises:
        EOFError: if the parent process has exited.
    """
    while (data := transport.next()) is None:
        if transport.closed:
            raise EOFError
        transport.wait()
    return data


class WorkerLoop:
    """The loop in which a worker answers the requests for its shard.

    Args:
        arguments: the arguments of the worker.
        shard: the worker's shard. `run` creates its environments.
        transport: the connection to the parent.
    """

    def __init__(self, arguments: WorkerArguments, shard: EnvShard, transport: Transport) -> None:
        self._number, self._memory = arguments.share.number, Block(arguments.memory.fd)
        self._shard, self._transport = shard, transport
        self._request = 0
        """The number of the current request, or of the previous request while the worker waits."""
        self._spin = SpinWait(oversubscribed=arguments.share.settings.oversubscribed)
        self._measured = 0

    def run(self) -> None:
        """Create the environments, attach the shared memory, and answer requests until the parent closes the worker."""
        shard = self._shard
        failures = shard.build()
        if failures:
            shard.close()
            self._send(("built", failures, None))
            return
        pairs, indices = shard.spaces()
        self._send(("built", [], (pickle_spaces(pairs), indices, dumps(shard.metadata()))))
        layout: Layout | None = pickle.loads(_read(self._transport))  # noqa: S301 - the parent process is trusted
        if layout is None:  # another worker failed to start, so the parent closes this one
            shard.close()
            return
        self._attach(layout)
        while self._answer():
            pass

    def _send(self, message: Any) -> None:
        self._transport.send(dumps(message))
        if self._transport.closed:
            raise EOFError

    def _attach(self, layout: Layout) -> None:
        """Map the shared memory, and give the shard its rows of the arrays."""
        shard, memory = self._shard, self._memory
        memory.attach(layout.size)
        self._parent_words = memory.integers(0, BLOCK_SIZE)
        self._words = memory.integers(8 * BLOCK_SIZE * (1 + self._number), BLOCK_SIZE)
        arrays, observations = layout.arrays(memory)
        rows, shared = slice(shard.first, shard.first + shard.n), layout.shared
        own = [[leaf[rows] for leaf in buffer] for buffer in observations] if shared else layout.private(shard.n)
        at_work = self._words[channel.AT_WORK : channel.AT_WORK + 1]
        shard.attach(layout.plan, layout.action_plan.tree, ShardArrays.of(arrays, own, rows, shared=shared), at_work)
        self._requested, self._completed, self._with_message = (
            arrays[name][rows] for name in ("requested", "completed", "with_message")
        )

    def _answer(self) -> bool:
        """Wait for a request and answer it. Return False after the last request."""
        self._wait()
        words = self._words
        # Read the number first, because the parent may abandon this request and write the next one at any time.
        number = words[channel.REQUEST]
        command, buffer = words[channel.COMMAND], words[channel.BUFFER]
        if command == Command.STEP:
            self._request = number
            measure = self._measured < MEASURED_STEPS
            self._publish(self._measured_step(buffer) if measure else self._shard.step(None, buffer))
            return True
        if command == Command.MESSAGE:
            data = self._message_of(number)
            return data is None or self._handle(pickle.loads(data))  # noqa: S301 - the parent process is trusted
        latest = number
        # The messages may include requests that the parent has abandoned.
        while (data := self._transport.next()) is not None:
            if not self._handle(pickle.loads(data)):  # noqa: S301 - the parent process is trusted
                return False
            latest = max(latest, self._request)
        self._step_requested()
        # If the numbers differ, a later request has already been answered.
        if latest == number:
            self._answer_without_message(number)
        self._request = latest
        return True

    def _message_of(self, number: int) -> bytes | None:
        """Wait for the message of a request. Return None if another request replaces that request first.

        Ctrl-C may interrupt the parent after it has written the number of a request but before it has sent the message.
        """
        words, transport = self._words, self._transport
        while (data := transport.next()) is None and words[channel.REQUEST] == number:
            if transport.closed:
                raise EOFError
            words[channel.ASLEEP] = 1
            fence()
            if words[channel.REQUEST] == number:
                transport.wait()
            words[channel.ASLEEP] = 0
        return data

    def _wait(self) -> None:
        """Wait for the next request: spin for a while, then sleep."""
        words, last = self._words, self._request
        if self._spin.wait(words, channel.REQUEST, last, equal=False):
            return
        # The first sleep is short in case both processes read the words at the same time.
        seconds: float | None = 0.02
        while words[channel.REQUEST] == last:
            words[channel.ASLEEP] = 1
            fence()
            if words[channel.REQUEST] == last:
                self._transport.wait(seconds)
                self._transport.receive()
                seconds = None
            words[channel.ASLEEP] = 0
            if self._transport.closed:
                raise EOFError

    def _measured_step(self, buffer: int) -> SideMessage | None:
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        switches = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        message = self._shard.step(None, buffer)
        words = self._words
        words[channel.CPU] += time.thread_time_ns() - cpu
        words[channel.WALL] += time.perf_counter_ns() - wall
        words[channel.SWITCHES] += resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - switches
        words[channel.STEPS] += 1
        self._measured += 1
        return message

    def _publish(self, message: SideMessage | None) -> None:
        """Publish a response and send its message."""
        words = self._words
        data = None if message is None else self._pickled(message)
        words[channel.HAS_MESSAGE] = data is not None
        words[channel.ANSWER] = self._request
        self._notify(data)

    def _answer_without_message(self, number: int) -> None:
        """Acknowledge a request for individual steps, whose results are published later."""
        self._words[channel.HAS_MESSAGE], self._words[channel.ANSWER] = 0, number

    def _notify(self, data: bytes | None) -> None:
        """Send a message. If there is no message, wake the parent if it is asleep."""
        fence()
        if data is not None:
            self._transport.send(data)
        elif self._parent_words[channel.PARENT_ASLEEP]:
            self._transport.wake()

    def _pickled(self, message: SideMessage, single_step: tuple[int, int] | None = None) -> bytes:
        """Pickle a message. Replace any part that cannot be pickled with a failure of its environment."""
        return pickle_message(message, self._shard.first, lambda part: (self._request, single_step, part))

    def _step_requested(self) -> None:
        """Step the environments whose steps were requested, and publish each result as soon as it is ready."""
        while requested := np.flatnonzero(self._requested != self._completed).tolist():
            for k in requested:
                number = int(self._requested[k])
                self._complete(k, number, self._shard.step_one(k, None, shared=True))

    def _complete(self, k: int, number: int, message: SideMessage | None) -> None:
        """Publish the result of one environment, and send its message, which wakes the parent."""
        data = None if message is None else self._pickled(message, (self._shard.first + k, number))
        if data is not None:
            self._with_message[k] = number
            fence()
        self._completed[k] = number
        self._notify(data)

    def _handle(self, message: tuple[Any, ...]) -> bool:
        """Answer a request that arrived as a message. Return False after the last request.

        Args:
            message: a tuple of the request's number, a previous step that the worker may have missed (a tuple of
                number, command and buffer, or None), the request's name, and its arguments.
        """
        number, unseen, what, *arguments = message
        shard = self._shard
        if what == "step" and number <= self._request:
            return True  # the parent repeated the request after Ctrl-C
        # If this is true, the parent abandoned a step before the worker noticed the request.
        if unseen is not None and unseen[0] > self._request:
            _, command, buffer = unseen
            if command == Command.STEP:
                shard.step(None, buffer)
            else:
                self._step_requested()
        self._request = number
        if what == "close":
            # This value confirms the request.
            self._words[channel.AT_WORK] = -1
            self._publish(SideMessage(failures=shard.close()))
            return False
        if what == "steps":
            for k, step_number, action in arguments[0]:
                self._requested[k] = step_number
                self._complete(k, step_number, shard.step_one(k, action))
            self._step_requested()
            self._answer_without_message(number)
            return True
        if what == "reset":
            # Drop individual steps that the parent abandoned before this request.
            self._completed[:] = self._requested
        self._publish(getattr(shard, what)(*arguments))  # "step", "step_some", "reset", "call" or "resume"
        return True
