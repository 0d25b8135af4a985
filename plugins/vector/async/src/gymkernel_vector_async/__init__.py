"""`AsyncVectorEnv`: step several environments at once, in a few processes that write into memory they share.

The parts. In the parent, `AsyncVectorEnv` (`_vector_env`) submits requests to a `WorkerPool` (`_pool`), which has a
`WorkerHandle` for each process, and makes batches with a `BatchState`. In a worker, a `WorkerLoop` (`_worker`) answers
the requests with an `EnvShard`, the environments of one process. (What any backend with workers has is in
`gymkernel_util_vector.shards`.) Both sides share a block of memory without a name (`_memory`, `_layout`): control
blocks, rewards, flags, actions, and observations, in one buffer or several (a ring); and a pair of sockets
(`_transport`) for what has no arrays: infos, failures, object parts, calls.

A step, and who writes what:

1. The parent writes the actions, then for each worker the `COMMAND` and the `BUFFER` for the results, and last a new
   number into `REQUEST`. Where the worker has set `ASLEEP`, the parent wakes it by an empty message.
2. The worker sees a `REQUEST` that it has not answered, steps its environments, and writes the results into its rows
   of the arrays. Before each environment it notes its position in `AT_WORK`.
3. The worker writes `HAS_MESSAGE`, and last the number of the request into `ANSWER`. Then it sends the side message, if
   there is one; else, where the parent has set `PARENT_ASLEEP`, an empty one.
4. The parent sees that every `ANSWER` equals its `REQUEST`, reads the messages, and makes the batch.

A reset, a call, and a step whose actions have no arrays go the same way, with a message as the request. Each word has
one writer (`_control_block` lists them), who writes what belongs to it first. Who waits spins for a few
milliseconds at most; then it sets its word of sleep, looks once more after a fence, and sleeps in `poll`. With `send`
and `recv`, each step of an environment has a number (`_partial_steps`): the parent writes it into `requested`, and the
worker into `completed` once the result is there. A message that goes with it follows, and wakes the parent.

What may go wrong:

* An environment raises, or breaks the contract: the worker puts a `Failure` into the side message and goes on with the
  others. The parent raises one `WorkerError` for all failures; these environments must be reset.
* A worker dies: the parent polls the sentinels of the processes beside the sockets, and raises a `WorkerError` with the
  exit code and the environment of `AT_WORK`. A closed socket is the end of a
  worker, also while its process is ending. Under `on_error="restart"` it starts the worker again, and a message that
  truncates the episodes stands for the answer; a single environment that failed is made anew by its worker.
* A worker hangs: when the timeout is over, the parent raises a `WorkerTimeoutError` and goes on. Its next request has
  the next number, so that answers to older ones are dropped. Until the worker has answered, actions go by message,
  since it may still read those in shared memory.
* Ctrl-C: workers ignore it. In the parent it may come anywhere, and waits only while something is taken or given back
  (`DeferredSignals`): a process, a socket, memory. What was under way is dropped as after a timeout. A
  step is one of all environments: workers that had not heard of it are told, and a message tells of a step before it.
* The parent dies: on Linux the system ends its workers, elsewhere a thread in each that sees the end of the socket.
* Close: workers are asked, answer by -1 in `AT_WORK`, close their environments and end. Those that do not hear, or are
  late, get SIGTERM, then SIGKILL. The memory has no name, so nothing is left of it.
"""

from __future__ import annotations

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_util_vector.shards.requests import AsyncState
from gymkernel_vector_async._vector_env import AsyncVectorEnv

__all__ = ["AsyncState", "AsyncVectorEnv", "WorkerError", "WorkerTimeoutError"]
