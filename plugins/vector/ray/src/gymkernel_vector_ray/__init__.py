"""The `RayVectorEnv` backend, which steps environments in parallel in the actors of a Ray cluster.

`RayVectorEnv` (`_vector_env`) submits requests to an `ActorPool` (`_pool`), which has one `ActorHandle`
(`_actor_handle`) per actor. The base class `ActorStarter` (`_starting`) of the pool starts the actors, and a
`BatchState` combines the results into batches. In an actor, a `ShardActor` (`_shard_actor`) passes the requests to an
`EnvShard`, which contains the actor's environments. `_resources` determines the number of actors and describes a lack
of resources. Code that all worker-based backends share is in `gymkernel_util_vector.shards`.
`gymkernel_util_vector.ray_cluster` connects to a cluster or starts one.

To send a request, the parent makes one Ray call per actor. Actions are sent as arrays, one for each elementary space in
the action space. Rewards, flags and observations are also returned as arrays, which are read from Ray's object store
without copying and written into the batch. Everything that cannot be stored in arrays (infos, failures, objects and
calls) is sent as bytes in the same Ray call. With `send`, there is one Ray call per environment.

Failures are handled as follows:

* If an environment raises an exception or returns an invalid result, the actor's message contains a `Failure`, as in
  every worker-based backend.
* If an actor or its node dies, the call raises an error. With `on_error="restart"`, a new actor is started on another
  node. Ray may first place the new actor on the dead node, where the actor dies. Therefore, the backend retries until a
  deadline.
* If an actor hangs, the parent raises an error after the timeout and drops the call, so the response is never read.
* If the cluster has no room for an actor, Ray waits forever. Therefore, the first call to each actor has a time limit
  (`start_timeout`).
* Actors never receive Ctrl-C. If Ctrl-C interrupts the parent while it requests a step, the parent sends the request to
  all actors again, so that all environments take the step. Actors that have already received the request ignore the
  repetition.
* If the program dies, Ray kills its actors.
* `close` asks the actors to close their environments, then kills the actors. A cluster that this process started is
  shut down when the last vector environment or rollout that uses it is closed. All other clusters keep running.
"""

from __future__ import annotations

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_util_vector.shards.requests import AsyncState
from gymkernel_vector_ray._vector_env import RayVectorEnv

__all__ = ["AsyncState", "RayVectorEnv", "WorkerError", "WorkerTimeoutError"]
