"""The package behind `gymkernel.rollouts`, which collects experience where the environments run.

`collect` divides environments among shards and returns the experience in fragments. A shard is a synchronous vector
environment with its own copy of the policy. An engine runs the shards in this process, in other processes on this
machine, or in a cluster.
"""

from __future__ import annotations

from gymkernel_tool_rollout.collecting.beginning import collect
from gymkernel_tool_rollout.collecting.collector import Collector
from gymkernel_tool_rollout.collecting.engines import Engine
from gymkernel_tool_rollout.collecting.errors import CollectTimeoutError, Failure, ShardLostError
from gymkernel_tool_rollout.collecting.fragment import Fragment, Outcome
from gymkernel_tool_rollout.collecting.policies import BatchPolicy
from gymkernel_tool_rollout.collecting.shard import Recipe, Shard, Ticket

__all__ = ["BatchPolicy", "CollectTimeoutError", "Collector", "Engine", "Failure", "Fragment", "Outcome", "Recipe"]
__all__ += ["Shard", "ShardLostError", "Ticket", "collect"]
