"""What chooses the actions: policies as they are called, and how one gets to the shards."""

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
    """A policy as it is used: from a batch of observations to a batch of actions, or to (actions, extras)."""

    def __call__(self, observations: Any, /) -> Any:
        """Choose an action for each environment."""


class RandomPolicy:
    """Samples of the action space, by the seed of the shard."""

    def start(self, envs: VectorEnv[Any, Any, Any], seed: int) -> None:
        """Take the action space of a shard."""
        envs.action_space.seed(seed)
        self._sample: Callable[[], Any] = envs.action_space.sample

    def __call__(self, observations: Any) -> Any:
        """Choose an action for each environment."""
        return self._sample()


class PickledPolicy:
    """A policy in bytes, or as it is where it cannot be pickled and need not be."""

    def __init__(self, data: bytes | None, policy: Any = None) -> None:
        self.data, self._policy = data, policy

    def __reduce__(self) -> Any:
        return PickledPolicy, (self.data,)

    def load(self) -> Any:
        """A policy of one's own."""
        return self._policy if self.data is None else pickle.loads(self.data)  # noqa: S301 - of this program


def pickled(policy: Any, *, needed: bool) -> PickledPolicy:
    """Pickle a policy, so that every shard has its own, as it is now.

    Args:
        policy: a callable, or "random".
        needed: whether it goes to other processes; else one that cannot be pickled is used as it is.

    Raises:
        TypeError: it is no callable, or it cannot be pickled; the text says why.
    """
    if isinstance(policy, str) and policy == "random":
        policy = RandomPolicy()
    if not callable(policy) or isinstance(policy, type):
        raise TypeError(
            "Expected a policy that is 'random' or is called with a batch of observations and returns actions, or "
            f"(actions, extras), got {policy!r:.200}"
        )
    try:
        return PickledPolicy(bytes(cloudpickle.dumps(policy)))
    except Exception as exc:
        if not needed:
            return PickledPolicy(None, policy)
        raise TypeError(
            f"The policy cannot be pickled, which shards in other processes need: {error_text(exc)}. Make in "
            'its method start(envs, seed) what cannot be pickled, or use engine="sync"'
        ) from exc


def call(policy: BatchPolicy, observations: Any, tree: Any = None) -> tuple[Any, Mapping[str, Any]]:
    """Return the actions and the extras that a policy gives.

    Args:
        policy: of a shard.
        observations: a batch.
        tree: of the plan of actions where an action is a tuple of two parts, the second of them a dictionary, so that
            actions alone look like (actions, extras); else None.
    """
    result = policy(observations)
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict | Mapping):
        return result, {}
    if tree is not None and differences(tree, result[0]):
        return result, {}
    return result[0], result[1]


def looks_like_extras(tree: Any) -> bool:
    """Return whether actions alone look like (actions, extras): two parts, the second a dictionary.

    Args:
        tree: of the plan of actions.
    """
    if isinstance(tree, int) or tree[0] is dict or len(tree[1]) != 2:
        return False
    second = tree[1][1][1]
    return not isinstance(second, int) and second[0] is dict
