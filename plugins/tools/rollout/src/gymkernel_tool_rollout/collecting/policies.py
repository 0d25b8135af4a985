"""The policy protocol, the random policy, and functions that pickle and call policies."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import cloudpickle

from gymkernel_tool_rollout.collecting.fitting import differences
from gymkernel_util_spaces.texts import error_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel.vector_env import VectorEnv

__all__ = ["BatchPolicy", "PickledPolicy", "RandomPolicy", "call", "looks_like_extras", "pickled"]


class BatchPolicy(Protocol):
    """A function that takes a batch of observations and returns a batch of actions, or (actions, extras)."""

    def __call__(self, observations: Any, /) -> Any:
        """Choose an action for each environment."""


class RandomPolicy:
    """A policy that samples actions from the action space."""

    def start(self, envs: VectorEnv[Any, Any, Any], seed: int) -> None:
        """Seed the shard's action space."""
        envs.action_space.seed(seed)
        self._sample: Callable[[], Any] = envs.action_space.sample

    def __call__(self, observations: Any) -> Any:
        """Choose an action for each environment."""
        return self._sample()


class PickledPolicy:
    """A container for a policy, either in pickled form or as the object itself if it cannot be pickled."""

    def __init__(self, data: bytes | None, policy: Any = None) -> None:
        self.data, self._policy = data, policy

    def __reduce__(self) -> Any:
        return PickledPolicy, (self.data,)

    def load(self) -> Any:
        """Return a new copy of the policy, or the original if it was not pickled."""
        return self._policy if self.data is None else pickle.loads(self.data)  # noqa: S301 - the program is trusted


def pickled(policy: Any, *, needed: bool) -> PickledPolicy:
    """Pickle a policy in its current state, so that every shard can have its own copy.

    Args:
        policy: a callable, or "random".
        needed: whether pickling is mandatory because the policy is sent to other processes. Otherwise, a policy that
            cannot be pickled is used directly, without a copy.

    Raises:
        TypeError: if the policy is not callable, or cannot be pickled. The message contains the reason.
    """
    if isinstance(policy, str) and policy == "random":
        policy = RandomPolicy()
    if not callable(policy) or isinstance(policy, type):
        raise TypeError(
            "Expected the policy to be 'random', or a function that takes a batch of observations and returns actions "
            f"or (actions, extras), got {policy!r:.200}"
        )
    try:
        return PickledPolicy(bytes(cloudpickle.dumps(policy)))
    except Exception as exc:
        if not needed:
            return PickledPolicy(None, policy)
        raise TypeError(
            f"The policy cannot be pickled, but shards in other processes need it: {error_text(exc)}. Create objects "
            'that cannot be pickled in the policy\'s method start(envs, seed), or use engine="sync"'
        ) from exc


def call(policy: BatchPolicy, observations: Any, tree: Any = None) -> tuple[Any, Mapping[str, Any]]:
    """Call a policy, and return its actions and extras.

    Args:
        policy: the shard's copy of the policy.
        observations: a batch of observations.
        tree: the tree in the plan for actions, which is used to distinguish actions without extras from (actions,
            extras); None unless `looks_like_extras` is true for the tree.
    """
    result = policy(observations)
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict | Mapping):
        return result, {}
    if tree is not None and differences(tree, result[0]):
        return result, {}
    return result[0], result[1]


def looks_like_extras(tree: Any) -> bool:
    """Return whether actions without extras could be mistaken for (actions, extras).

    This is possible if an action is a tuple whose second and last item is a dict.

    Args:
        tree: the tree in the plan for actions, which describes the nested structure.
    """
    if isinstance(tree, int) or tree[0] is dict or len(tree[1]) != 2:
        return False
    second = tree[1][1][1]
    return not isinstance(second, int) and second[0] is dict
