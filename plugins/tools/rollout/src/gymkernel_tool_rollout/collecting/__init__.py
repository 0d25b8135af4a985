"""Rollouts that run where the environments are: `collect` divides them among shards, and hands over fragments.

A shard is a synchronous vector environment and a copy of the policy. An engine runs shards: in this process, in
processes of this machine, or in those of a cluster. Served as `gymkernel.rollouts`.
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
