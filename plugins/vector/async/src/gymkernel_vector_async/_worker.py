"""The process of a worker: what it is started with, and what it runs."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gymkernel_vector_async._memory import Block
from gymkernel_vector_async._messages import Failure
from gymkernel_vector_async._parent_watch import end_with_parent
from gymkernel_vector_async._pickling import dumps
from gymkernel_vector_async._shard import EnvShard
from gymkernel_vector_async._transport import Transport
from gymkernel_vector_async._worker_loop import WorkerLoop, read

if TYPE_CHECKING:
    from gymkernel_vector_async._memory import Descriptor
    from gymkernel_vector_async._messages import ShardSettings
    from gymkernel_vector_async._spawn_data import SpawnData

__all__ = ["WorkerArguments", "run_worker"]


@dataclass(frozen=True, slots=True)
class WorkerArguments:
    """What a worker is started with."""

    number: int
    first: int
    """Index of its first environment."""
    env_fns: list[Any] | None
    """None where the process is not forked: they follow as a message, the `SpawnData`."""
    settings: ShardSettings
    transport: Descriptor
    memory: Descriptor
    by_fork_server: bool
    watch_parent: bool
    """Whether a thread must watch for the parent's end, because the system cannot end this process with it."""


def run_worker(arguments: WorkerArguments) -> None:
    """Run a worker; the function that its process starts with."""
    transport = Transport(socket.socket(fileno=arguments.transport.fd))
    end_with_parent(transport, by_fork_server=arguments.by_fork_server, by_thread=arguments.watch_parent)
    code = 0
    try:
        data: SpawnData | None = pickle.loads(read(transport))  # noqa: S301 - from this program's own parent
        env_fns = arguments.env_fns or [] if data is None else data.install()
        shard = EnvShard(arguments.first, env_fns, arguments.settings)
        loop = WorkerLoop(
            arguments.number,
            shard,
            transport,
            Block(arguments.memory.fd),
            oversubscribed=arguments.settings.oversubscribed,
        )
        loop.run()
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the parent is gone
    except BaseException as exc:  # noqa: BLE001 - the parent hears of all
        with contextlib.suppress(Exception):
            transport.send(dumps(("broken", Failure.of(exc, arguments.first, "start"))))
        code = 1
    transport.close()
    if code:
        os._exit(code)
