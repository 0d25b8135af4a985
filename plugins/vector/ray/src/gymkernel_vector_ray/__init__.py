"""`RayVectorEnv`: step several environments in parallel, in the actors of a Ray cluster.

`RayVectorEnv` (`_vector_env`) submits requests to an `ActorPool` (`_pool`), which has one `ActorHandle`
(`_actor_handle`) per actor. An `ActorStarter` (`_starting`) starts the actors, and a `BatchState` combines the results
into batches. In an actor, a `ShardActor` (`_shard_actor`) answers the requests with an `EnvShard`, which contains the
actor's environments. `_resources` computes the resources of each actor, `_waiting` waits for answers, and `_errors`
creates errors. The code that all backends with workers have in common is in `gymkernel_util_vector.shards`, and
`gymkernel_util_vector.ray_cluster` connects to a cluster or starts one.

A request is one Ray call per actor. Actions are sent as arrays, one for each leaf of the action space. Rewards, flags
and observations are returned as arrays, too, which are read from Ray's object store without a copy and written into the
batch. Everything that does not fit into arrays (infos, failures, objects and calls) is sent in the same Ray call as
bytes. With `send`, each environment has its own Ray call.

Failures are handled as follows:

* If an environment raises an exception or breaks the contract, the side message contains a `Failure`, as in every
  backend.
* If an actor or its node dies, the call raises an error. With `on_error="restart"`, a new actor starts on another node.
  Ray may at first place the new actor on the dead node, where it dies. Therefore, the start is repeated until a
  deadline.
* If an actor hangs, the parent raises an error after the timeout and drops the call, so the answer is never read.
* If the cluster has no room for an actor, Ray would wait forever. Therefore, the first call of an actor has a deadline
  (`start_timeout`).
* Actors never receive Ctrl-C. A step always applies to all environments: if Ctrl-C interrupts the parent, the parent
  sends the request to all actors again, and actors that have seen it already ignore the repetition.
* If the program dies, Ray ends its actors.
* `close` asks the actors to close their environments, then kills the actors. A cluster that this process started ends
  with the last vector environment or rollout that uses it. Any other cluster keeps running.
"""

from __future__ import annotations

from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_util_vector.shards.requests import AsyncState
from gymkernel_vector_ray._vector_env import RayVectorEnv

__all__ = ["AsyncState", "RayVectorEnv", "WorkerError", "WorkerTimeoutError"]
