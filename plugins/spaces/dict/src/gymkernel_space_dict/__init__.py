"""The `Dict` space, which contains dictionaries with one element of each inner space."""

from __future__ import annotations

import collections.abc
from collections import OrderedDict
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gymkernel import ops
from gymkernel.ops import changed
from gymkernel.space import Layout, Space, compare_foreign, examples, require_space
from gymkernel.utils import seeding
from gymkernel_space_box import Box
from gymkernel_util_spaces.arrays import register_nest
from gymkernel_util_spaces.batches import require_alike
from gymkernel_util_spaces.choice import mask_or_probability
from gymkernel_util_spaces.plans import plan_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Dict"]


put = object.__setattr__


class Dict(Space[dict[str, Any]], collections.abc.Mapping[Any, Any]):
    """A space of dictionaries. Each dictionary contains one element of each inner space.

    Args:
        spaces: a mapping from keys to spaces, or a sequence of (key, space) pairs. The keys of a mapping are sorted,
            unless it is an `OrderedDict` or its keys cannot be compared.
        seed: an integer >= 0, from which the seeds of all inner spaces are derived, a dict with a seed for each space,
            a `numpy.random.Generator`, or None. If a generator is given, a copy of the generator seeds all inner spaces
            that have no generator of their own.
        sort_keys: whether to sort the keys of a mapping and the keys of derived spaces, such as the batched space. The
            values in a flattened element have the same order as the keys.
        **spaces_kwargs: further spaces, which are added after those in `spaces`.

    Raises:
        TypeError: if a value is not a space, or if `spaces` is neither a mapping nor a sequence of pairs.
        ValueError: if a key is given twice or a space contains itself.

    >>> from gymkernel.spaces import Box
    >>> space = Dict({"velocity": Box(-1, 1, (2,)), "position": Box(0, 1)}, seed=42)
    >>> space
    Dict('position': Box(0.0, 1.0, (1,), float32), 'velocity': Box(-1.0, 1.0, (2,), float32))
    >>> space.sample() in space, space["position"].shape
    (True, (1,))
    >>> space["goal"] = Box(0, 1, (3,))
    >>> list(space)
    ['position', 'velocity', 'goal']
    """

    spec_fields = MappingProxyType({"spaces": list[list], "sort_keys": bool})  # type: ignore[type-arg]
    sort_keys: bool = True
    """Whether the keys of derived spaces, such as the batched space, are sorted. This attribute can be changed."""
    spaces: dict[Any, Any]
    """The inner spaces, keyed by name. This dictionary can be modified or replaced."""

    def __init__(
        self,
        spaces: Mapping[Any, Any] | Sequence[tuple[Any, Any]] | None = None,
        seed: int | dict[str, Any] | np.random.Generator | None = None,
        *,
        sort_keys: bool = True,
        **spaces_kwargs: Any,
    ) -> None:
        if not sort_keys:
            put(self, "sort_keys", sort_keys)
        pairs = spaces_kwargs if spaces is None else _pairs(spaces, sort_keys=sort_keys)
        if spaces_kwargs and pairs is not spaces_kwargs:
            pairs = dict(pairs)
            if duplicates := spaces_kwargs.keys() & pairs.keys():
                raise ValueError(f"Dict expects each key only once, got {sorted(duplicates)} in spaces and as keywords")
            pairs.update(spaces_kwargs)
        put(self, "spaces", Spaces(pairs))
        if seed is not None:
            super().__init__(seed=seed)  # type: ignore[arg-type]

    @property
    def is_np_flattenable(self) -> bool:
        """Whether the elements of all inner spaces can be flattened to vectors of fixed length."""
        return all(getattr(space, "is_np_flattenable", False) for space in self.spaces.values())

    def seed(self, seed: Any = None) -> dict[str, Any]:
        """Seed all inner spaces, and return the seeds, which can be passed to this method again.

        Args:
            seed: an integer from which the seeds of all inner spaces are derived, a dict with a seed for each space, or
                None for random seeds.
        """
        spaces = self.spaces
        if seed is None:
            return {key: space.seed(None) for key, space in spaces.items()}
        if isinstance(seed, dict):
            if seed.keys() != spaces.keys():
                raise ValueError(f"Expected a seed for each of {list(spaces)}, got seeds for {list(seed)}")
            return {key: spaces[key].seed(value) for key, value in seed.items()}
        if not hasattr(seed, "__index__"):
            raise TypeError(f"Expected the seed to be an integer, a dict of integers, or None, got {seed!r}")
        super().seed(seed)
        seeds = self.np_random.integers(2**31 - 1, size=len(spaces)).tolist()
        return {key: space.seed(value) for (key, space), value in zip(spaces.items(), seeds, strict=True)}

    def sample(self, mask: dict[str, Any] | None = None, probability: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return a dictionary with a random element of each inner space.

        Args:
            mask: a dict with a mask (or None) for each space, or None.
            probability: a dict with probabilities (or None) for each space, or None.
        """
        if mask is None and probability is None:
            return {key: space.sample() for key, space in self.spaces.items()}
        name, weights = mask_or_probability(mask, probability)
        if not isinstance(weights, dict) or weights.keys() != self.spaces.keys():
            seen = f"the keys {list(weights)}" if isinstance(weights, dict) else f"a {type(weights).__name__}"
            raise ValueError(f"Dict expects {name} to be a dict with the keys {list(self.spaces)}, got {seen}")
        return {key: space.sample(**{name: weights[key]}) for key, space in self.spaces.items()}

    def contains(self, x: Any) -> bool:
        """Return whether an object is a dict that has the same keys, in any order, and an element of each space."""
        if x.__class__ is not dict:
            if not isinstance(x, dict):
                return False
            try:
                x = dict(x)
            except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
                return False
        if x.keys() != self.spaces.keys():
            return False
        for key, space in self.spaces.items():  # noqa: SIM110 - this is twice as fast as all()
            if not space.contains(x[key]):
                return False
        return True

    def to_jsonable(self, sample_n: Sequence[dict[str, Any]]) -> dict[str, Any] | list[Any]:
        """Convert a list of dicts to a dict of lists, or to a list of empty dicts if there are no inner spaces."""
        rows = list(sample_n)
        if not self.spaces:
            return [{} for _ in rows]
        return {key: space.to_jsonable([row[key] for row in rows]) for key, space in self.spaces.items()}

    def from_jsonable(self, sample_n: Any) -> list[dict[str, Any]]:
        """Convert the result of `to_jsonable` back to elements."""
        if not self.spaces:
            return [{} for _ in sample_n]
        columns = {key: space.from_jsonable(sample_n[key]) for key, space in self.spaces.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def layout(self) -> Layout | None:
        """Return the fields of all inner spaces, sorted by key, so that equal spaces have equal layouts."""
        return plan_of(self).fields

    def encode(self, x: dict[str, Any], out: Sequence[NDArray[Any]]) -> None:
        """Store the element of each inner space in the arrays of that space."""
        plan_of(self).encode(x, out)

    def decode(self, arrays: Sequence[NDArray[Any]]) -> dict[str, Any]:
        """Create the element of each inner space from the arrays of that space."""
        return plan_of(self).decode(arrays)  # type: ignore[no-any-return]

    def examples(self) -> Iterator[dict[str, Any]]:
        """Yield dictionaries of the inner spaces' examples, which are repeated if another space has more examples."""
        columns = {key: list(examples(space)) for key, space in self.spaces.items()}
        for i in range(max(map(len, columns.values()), default=1)):
            yield {key: column[i % len(column)] for key, column in columns.items()}

    def parts(self) -> list[tuple[Any, Any]]:
        """Return the inner spaces with their keys."""
        return list(self.spaces.items())

    @classmethod
    def test_instances(cls) -> Iterator[Dict]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls({"place": Box(-1, 1, (2,)), "count": Box(0, 9, (), np.int8)})
        yield cls({"inner": cls({"x": Box(0, 1, (2, 2))}), "pixels": Box(0, 255, (2, 3), np.uint8)})

    def to_spec(self) -> dict[str, Any]:
        """Return the keys, the inner spaces and the value of `sort_keys`."""
        return {"spaces": list(self.spaces.items()), "sort_keys": self.sort_keys}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Dict:
        """Create a Dict from the result of `to_spec`."""
        spaces = dict(spec["spaces"])
        if len(spaces) < len(spec["spaces"]):
            raise ValueError("Dict expects each key only once")
        return cls(list(spaces.items()), sort_keys=spec.get("sort_keys", True))

    def __getitem__(self, key: Any) -> Any:
        """Return the inner space with the given key."""
        return self.spaces[key]

    def __setitem__(self, key: Any, space: Any) -> None:
        """Set the inner space with the given key. A new key is added at the end."""
        require_space(space, f"Dict expects a space under the key {key!r}")
        self.spaces[key] = space

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the keys of the inner spaces."""
        return iter(self.spaces)

    def __len__(self) -> int:
        """Return the number of inner spaces."""
        return len(self.spaces)

    def __contains__(self, x: object) -> bool:
        return self.contains(x)

    def keys(self) -> KeysView[Any]:
        """Return the keys of the inner spaces, in order."""
        return self.spaces.keys()

    def __eq__(self, other: object) -> bool:
        """Return whether an object is a Dict with the same keys and equal spaces. The order of the keys is ignored."""
        if not isinstance(other, Dict):
            return compare_foreign(other)
        return self.spaces == other.spaces

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Dict({', '.join(f'{key!r}: {space}' for key, space in self.spaces.items())})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "spaces": dict(self.spaces)}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        rest = dict(state)
        super().__setstate__({**rest, "spaces": Spaces(rest["spaces"])})


def _pairs(spaces: Any, *, sort_keys: bool) -> Mapping[Any, Any] | Iterable[tuple[Any, Any]]:
    """Return the (key, space) pairs in the order that the Dict will have."""
    if type(spaces) is dict or isinstance(spaces, collections.abc.Mapping):
        if sort_keys and (type(spaces) is dict or not isinstance(spaces, OrderedDict)):
            try:
                return {key: spaces[key] for key in sorted(spaces)}
            except TypeError:  # the keys cannot be compared
                pass
        return spaces.items()
    if not isinstance(spaces, collections.abc.Sequence) or isinstance(spaces, str):
        raise TypeError(f"Dict expects a mapping or (key, space) pairs, got {spaces!r} ({type(spaces).__name__})")
    for i, pair in enumerate(spaces):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"Dict expects (key, space) pairs, got {pair!r} at index {i}")
    return spaces


register_nest(Dict)


@ops.flatten_space.register(Dict)
def _flatten_space(space: Dict) -> Box[Any] | Dict:
    flat = {key: ops.flatten_space(part) for key, part in space.spaces.items()}
    if not space.is_np_flattenable:
        return _like(space, flat)
    if not flat:
        return Box(0, 1, (0,), np.float64)
    low, high = (np.concatenate([getattr(part, name) for part in flat.values()]) for name in ("low", "high"))
    return Box(low, high, dtype=np.result_type(*[part.dtype for part in flat.values()]))


def _like(space: Dict, parts: dict[Any, Any], seed: np.random.Generator | None = None) -> Dict:
    """Return a Dict with the same keys but different spaces. As in Gymnasium, `sort_keys` sorts the keys."""
    return Dict(parts, seed, sort_keys=space.sort_keys)


@ops.batch_space.register(Dict)
def _batch_space(space: Dict, n: int = 1) -> Dict:
    parts = {key: ops.batch_space(part, n) for key, part in space.spaces.items()}
    return _like(space, parts, seeding.twin(space.np_random))


@ops.batch_differing_spaces.register(Dict)
def _batch_differing_spaces(space: Dict, spaces: Sequence[Dict]) -> Dict:
    require_alike(spaces, lambda other: sorted(other, key=repr), "Dicts with the same keys")
    parts = {key: ops.batch_differing_spaces([other[key] for other in spaces]) for key in space}
    return _like(space, parts, seeding.twin(space.np_random))


class Spaces(dict[Any, Any]):
    """A dictionary that accepts only spaces as values.

    A change to this dictionary invalidates all cached values that depend on its spaces. They are cached by the Dict to
    which the dictionary belongs and by spaces that contain the Dict.
    """

    reports_changes = True

    def __init__(self, spaces: Any) -> None:
        dict.__init__(self, spaces)
        for space in self.values():
            if not isinstance(space, Space):
                for key, value in self.items():
                    _require_space(key, value)
                break

    def __setitem__(self, key: Any, space: Any) -> None:
        _require_space(key, space)
        if any(spaces is self for spaces in _inner_dicts(space)):
            raise ValueError(f"Dict cannot contain itself, but it would under the key {key!r}")
        super().__setitem__(key, space)
        changed()

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        changed()

    def update(self, spaces: Any = (), /, **more: Any) -> None:
        """Set several spaces."""
        for key, space in {**dict(spaces), **more}.items():
            self[key] = space

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the space with the given key. If the key is missing, add the default space."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and return its space."""
        changed()
        return super().pop(key, *default)

    def popitem(self) -> tuple[Any, Any]:
        """Remove and return the last key and its space."""
        changed()
        return super().popitem()

    def clear(self) -> None:
        """Remove all spaces."""
        super().clear()
        changed()

    def __ior__(self, spaces: Any) -> Self:  # type: ignore[misc]
        self.update(spaces)
        return self

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


def _require_space(key: Any, space: Any) -> None:
    require_space(space, f"Dict expects a space under the key {key!r}")


def _inner_dicts(space: Any) -> Iterable[Any]:
    """Yield the dictionaries of all Dict spaces that a space contains, at any depth."""
    yield getattr(space, "spaces", None)
    for _, part in space.parts() if hasattr(space, "parts") else ():
        yield from _inner_dicts(part)
