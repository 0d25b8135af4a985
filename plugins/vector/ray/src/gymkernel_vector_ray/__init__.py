"""`RayVectorEnv`: step several environments at once, in actors of a Ray cluster.

The parts. `RayVectorEnv` (`_vector_env`) submits requests to an `ActorPool`
(`_pool`), which has an `ActorHandle` for each actor (`_actor_handle`), started by an `ActorStarter` (`_starting`), and
makes batches with a `BatchState`. A `ShardActor` (`_shard_actor`) answers with an `EnvShard`, the environments of one
actor. `_resources` says what each actor asks for, `_waiting` waits for answers, and `_errors` words what went wrong.
What any backend with workers has is in `gymkernel_util_vector.shards`, and Ray is joined or started by
`gymkernel_util_vector.ray_cluster`.

A request is one call of Ray for each actor. Actions go as arrays, for each leaf of their space; so do rewards, flags
and observations, which are read from Ray's store without a copy and written into the batch. What has no arrays (infos,
failures, object parts, calls) goes beside them, in bytes. With `send`, each environment is a call of its own.

What may go wrong:

* An environment raises, or breaks the contract: a `Failure` in the side message, as with any backend.
* An actor or its node dies: the call raises; under `on_error="restart"` a new actor takes its place on a node that is
  left. A new one may be placed on the dead node, and die, so that this is tried again until a deadline.
* An actor hangs: the parent raises when the timeout is over, and drops the call, so that its answer is never read.
* There is no room for an actor: it would wait for ever, so its first call has a deadline (`start_timeout`).
* Ctrl-C: actors never get it. A step is one of all environments: those that had not heard of it are told.
* The program dies: Ray ends its actors with it.
* Close: actors are asked to close their environments, then they are killed. Ray itself ends only where it was started
  here, with the last vector environment or rollout that uses it.
"""

from __future__ import annotations

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_util_vector.shards.requests import AsyncState
from gymkernel_vector_ray._vector_env import RayVectorEnv

__all__ = ["AsyncState", "RayVectorEnv", "WorkerError", "WorkerTimeoutError"]
