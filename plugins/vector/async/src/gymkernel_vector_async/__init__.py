"""The `AsyncVectorEnv` backend, which steps environments in parallel in worker processes that share memory.

In the parent, `AsyncVectorEnv` (`_vector_env`) submits requests to a `WorkerPool` (`_pool`), which has one
`WorkerHandle` per process. A `BatchState` combines the results into batches. In a worker process, a `WorkerLoop`
(`_worker`) passes the requests to an `EnvShard`, which contains that process's environments. Code that all worker-based
backends share is in `gymkernel_util_vector.shards`.

The parent and its workers communicate in two ways. Unnamed shared memory (`_memory`) contains control blocks, rewards,
flags, actions and one or more observation buffers (a ring). Each worker also has a socket pair (`_channel`) for
everything that cannot be stored in arrays: infos, failures, objects and calls.

A step consists of four parts:

1. The parent writes the actions. For each worker, it then sets `COMMAND`, `BUFFER` (which selects the buffer for the
   results) and finally `REQUEST`, which gets a new number. If the worker has set `ASLEEP`, the parent wakes it with an
   empty message.
2. The worker sees that the number in `REQUEST` has changed. It steps its environments and writes the results into its
   rows of the arrays. Before it steps an environment, it writes the environment's position into `AT_WORK`.
3. The worker sets `HAS_MESSAGE` and then copies the number of the request into `ANSWER`. If there is a message, the
   worker then sends it. Otherwise, if the parent has set `PARENT_ASLEEP`, the worker sends an empty message.
4. The parent sees that every `ANSWER` equals its `REQUEST`, reads the messages and creates the batch.

Resets, calls, and steps whose actions cannot be stored in arrays work in the same way, except that the request is a
message. Each word of a control block (`_channel` lists the words) is written by only one process, which writes the
corresponding data before it writes the word. A waiting process spins for a few milliseconds at most. Then it sets
`ASLEEP` (a worker) or `PARENT_ASLEEP` (the parent), executes a memory fence, reads the other process's word once more,
and sleeps in `poll`.

With `send` and `recv`, each environment's steps are numbered. The parent writes the step's number into `requested`, and
the worker writes the same number into `completed` when the result is ready. If the result includes a message, the
worker then sends the message, which wakes the parent.

Failures are handled as follows:

* If an environment raises an exception or returns an invalid result, the worker puts a `Failure` into its message and
  continues with its other environments. The parent raises a single `WorkerError` that describes all failures. The
  environments that failed must be reset.
* If a worker dies, the parent notices because it polls the processes' sentinels in addition to the sockets. A worker
  whose socket is closed counts as dead, even if its process has not exited yet. The parent raises a `WorkerError` that
  contains the exit code and the environment in `AT_WORK`. With `on_error="restart"`, the parent restarts the worker and
  uses a message that truncates the episodes in place of the missing response. If only one environment failed, its
  worker recreates that environment.
* If a worker hangs, the parent raises a `WorkerTimeoutError` after the timeout, and the vector environment can still be
  used. The next request has a new number, so responses to older requests are dropped. Until the worker has answered,
  actions are sent as messages, because the worker may still be reading the actions in shared memory.
* Workers ignore Ctrl-C. In the parent, Ctrl-C may interrupt any line, except while a process, a socket or memory is
  being acquired or released (`DeferredSignals`). The results of the interrupted call are dropped, as after a timeout.
  All environments always take the same steps: if only some of the workers have received the request for a step, the
  parent sends it to the others as well. If a worker may have missed a step, the step is repeated in a later message.
* If the parent dies, Linux kills its workers. On other systems, a thread in each worker notices that the socket is
  closed.
* `close` asks the workers to exit. Each worker confirms the request with -1 in `AT_WORK`, closes its environments and
  exits. Workers that do not confirm, or that take too long, receive SIGTERM and then SIGKILL. The shared memory has no
  name, so the operating system frees it automatically.
"""

from __future__ import annotations

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_util_vector.shards.requests import AsyncState
from gymkernel_vector_async._vector_env import AsyncVectorEnv

__all__ = ["AsyncState", "AsyncVectorEnv", "WorkerError", "WorkerTimeoutError"]
