"""What backends share whose workers step several environments each: the shard of a worker, and the parent's side of it.

A worker has an `EnvShard`, which steps its environments, writes what they return into arrays, and has a `SideMessage`
for everything else. The parent has a `ShardedVectorEnv`, which asks a `Pool` of workers and makes batches by a
`BatchState`. A `ShardPool` has what such pools have in common.
"""

from gymkernel_util_workers.shards.answer_pickling import pickle_message, pickle_spaces, unpickle_answer
from gymkernel_util_workers.shards.answers import check_answers
from gymkernel_util_workers.shards.arguments import check_count, check_seconds, check_worker_arguments, is_number
from gymkernel_util_workers.shards.batches import BatchState, CommonSpaces
from gymkernel_util_workers.shards.errors import (
    WorkerError,
    WorkerTimeoutError,
    death_error,
    env_names,
    failures_error,
    raise_failures,
    timeout_error,
)
from gymkernel_util_workers.shards.messages import (
    Failure,
    ShardArrays,
    ShardSettings,
    SideMessage,
    pickle_exception,
    restart_info,
    unpickle_exception,
)
from gymkernel_util_workers.shards.partial_steps import PartialSteps
from gymkernel_util_workers.shards.pool import Answers, Pool, PoolWorker
from gymkernel_util_workers.shards.shard import EnvShard
from gymkernel_util_workers.shards.shard_pool import ShardPool
from gymkernel_util_workers.shards.vector_env import AsyncState, ShardedVectorEnv

__all__ = ["Answers", "AsyncState", "BatchState", "CommonSpaces", "EnvShard", "Failure", "PartialSteps", "Pool"]
__all__ += ["PoolWorker", "ShardArrays", "ShardPool", "ShardSettings", "ShardedVectorEnv", "SideMessage", "WorkerError"]
__all__ += ["WorkerTimeoutError", "check_answers", "check_count", "check_seconds", "check_worker_arguments"]
__all__ += ["death_error", "env_names", "failures_error", "is_number", "pickle_exception", "pickle_message"]
__all__ += ["pickle_spaces", "raise_failures", "restart_info", "timeout_error", "unpickle_answer"]
__all__ += ["unpickle_exception"]
