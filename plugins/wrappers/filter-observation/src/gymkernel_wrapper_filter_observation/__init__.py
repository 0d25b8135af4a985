"""The `FilterObservation` wrapper, which keeps only selected parts of observations."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_dict import Dict
from gymkernel_space_tuple import Tuple
from gymkernel_util_wrappers.checks import parts_of
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["FilterObservation"]


class FilterObservation(ObservationWrapper[Any, ActType, Any], RecordConstructorArgs):
    """A wrapper that keeps only selected parts of `Dict` or `Tuple` observations.

    Args:
        filter_keys: the keys of the parts to keep, or their indices for a `Tuple`. None means all parts. The parts of a
            `Tuple` are returned in the order of the indices or, if the indices are a set, in the original order.

    Raises:
        TypeError: if `filter_keys` is not a list of keys.
        ValueError: if the observation space is neither a Dict nor a Tuple, if a key does not exist, if an index of a
            Tuple is repeated, or if `filter_keys` is empty.

    >>> from gymkernel import Env
    >>> from gymkernel.spaces import Box
    >>> class Still(Env):
    ...     observation_space = Dict(arm=Box(0, 5), clock=Box(0, 60))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return {"arm": [3], "clock": [59]}, {}
    >>> env = FilterObservation(Still(), ["arm"])
    >>> env.observation_space, env.reset()[0]
    (Dict('arm': Box(0.0, 5.0, (1,), float32)), {'arm': [3]})
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], filter_keys: Iterable[Any] | None = None) -> None:
        ObservationWrapper.__init__(self, env)
        inner = env.observation_space
        parts = parts_of(inner)
        if parts is None:
            raise ValueError(f"FilterObservation expects the observation space to be a Dict or a Tuple, got {inner}")
        self._is_dict = isinstance(parts, dict)
        places = list(parts) if isinstance(parts, dict) else list(range(len(parts)))
        if filter_keys is None:
            RecordConstructorArgs.__init__(self, filter_keys=None)
            self.filter_keys: list[Any] = places
            self._order = places
            return
        if isinstance(filter_keys, str) or not isinstance(filter_keys, Iterable):
            raise TypeError(f"FilterObservation expects filter_keys to be a list of keys, got {filter_keys!r}")
        keys = list(dict.fromkeys(filter_keys)) if isinstance(parts, dict) else _indexes(filter_keys)
        if isinstance(filter_keys, AbstractSet):
            keys.sort(key=lambda key: places.index(key) if key in places else -1)
        known = places if isinstance(parts, dict) else list(range(-len(parts), len(parts)))
        if absent := [key for key in keys if key not in known]:
            shown = known if isinstance(parts, dict) else f"0 to {len(parts) - 1}"
            raise ValueError(
                f"FilterObservation expects filter_keys to be keys of the observations ({shown}), got {absent}"
            )
        if not keys or len(set(keys)) < len(keys):
            raise ValueError(f"FilterObservation expects filter_keys to contain one or more different keys, got {keys}")
        RecordConstructorArgs.__init__(self, filter_keys=keys)
        self.filter_keys = self._order = keys
        if isinstance(parts, dict):
            kept = {key: parts[key] for key in keys}
            self.observation_space = Dict(kept, sort_keys=getattr(inner, "sort_keys", True))
            if batch_axes(env):  # the order of the keys may differ between a batch and an observation
                self._order = list(self.observation_space.spaces)
        else:
            self.observation_space = Tuple([parts[key] for key in keys])

    def observation(self, observation: Any) -> Any:
        """Return the selected parts of an observation or a batch."""
        if self._is_dict:
            kept = {}
            for key in self._order:  # for few keys, this is faster than a comprehension
                kept[key] = observation[key]
            return kept
        return tuple([observation[key] for key in self._order])

    func = property(lambda self: self.observation, doc="An alias of `observation`.")


def _indexes(filter_keys: Iterable[Any]) -> list[int]:
    try:
        return [operator.index(key) for key in filter_keys]
    except TypeError:
        raise TypeError(
            f"FilterObservation expects the filter_keys of a Tuple to be integers, got {filter_keys!r}"
        ) from None
