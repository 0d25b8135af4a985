"""Functions that convert dm_env specs to gymkernel spaces, and convert observations and actions accordingly."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from dm_env import specs

from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_binary import MultiBinary
from gymkernel_space_text import Text
from gymkernel_space_tuple import Tuple

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["element_of", "space_of", "value_of"]

TEXT_LENGTH: Final = 256
"""The maximum length of strings in a Text space that was converted from a string spec, which has no maximum length."""


def space_of(spec: Any) -> Space[Any]:
    """Convert a dm_env spec, or a nested structure of specs, to a gymkernel space.

    Args:
        spec: a dm_env spec, or a dictionary, list or tuple of specs.

    Raises:
        TypeError: if an object is not a spec, or if the dtype of a spec is not supported.

    >>> space_of({"legs": specs.DiscreteArray(4), "speed": specs.BoundedArray((2,), np.float32, 0, 1)})
    Dict('legs': Discrete(4, dtype=int32), 'speed': Box(0.0, 1.0, (2,), float32))
    """
    if isinstance(spec, Mapping):
        return Dict({key: space_of(part) for key, part in spec.items()})
    if isinstance(spec, list | tuple):
        return Tuple([space_of(part) for part in spec])
    if not isinstance(spec, specs.Array):
        raise TypeError(f"Expected a dm_env spec, or a dictionary, list or tuple of specs, got {spec!r}")
    return _texts(spec.shape) if isinstance(spec, specs.StringArray) else _numbers(spec)


def _numbers(spec: specs.Array) -> Space[Any]:
    """Return the space for a spec of numbers or booleans."""
    if isinstance(spec, specs.DiscreteArray):
        return Discrete(spec.num_values, dtype=spec.dtype)
    if spec.dtype.kind == "b":
        return MultiBinary(spec.shape[0] if len(spec.shape) == 1 else spec.shape)
    if spec.dtype.kind not in "iuf":
        raise TypeError(f"Expected a spec of numbers, booleans or strings, got {spec!r}")
    if isinstance(spec, specs.BoundedArray):
        low, high = (np.broadcast_to(bound, spec.shape) for bound in (spec.minimum, spec.maximum))
        return Box(low.astype(spec.dtype), high.astype(spec.dtype), dtype=spec.dtype)
    if spec.dtype.kind == "f":
        return Box(-np.inf, np.inf, spec.shape, spec.dtype)
    limits = np.iinfo(spec.dtype)
    return Box(int(limits.min), int(limits.max), spec.shape, spec.dtype)


def _texts(shape: tuple[int, ...]) -> Space[Any]:
    """Return a Text space for a single string, or nested Tuples of Text spaces for an array of strings."""
    if shape:
        return Tuple([_texts(shape[1:]) for _ in range(shape[0])])
    return Text(TEXT_LENGTH, min_length=0, charset=string.printable)


def element_of(spec: Any, value: Any) -> Any:
    """Convert an observation that conforms to a dm_env spec to an element of the corresponding gymkernel space.

    Args:
        spec: a dm_env spec, or a dictionary, list or tuple of specs.
        value: the observation, which may contain Python numbers instead of arrays. Arrays are copied, because dm_env
            environments may reuse their arrays.
    """
    if isinstance(spec, Mapping):
        return {key: element_of(part, value[key]) for key, part in spec.items()}
    if isinstance(spec, list | tuple):
        return tuple(element_of(part, item) for part, item in zip(spec, value, strict=True))
    if isinstance(spec, specs.StringArray):
        return _strings(np.asarray(value, object), spec.shape)
    if isinstance(spec, specs.DiscreteArray):
        return spec.dtype.type(value)
    return np.array(value, np.int8 if spec.dtype.kind == "b" else spec.dtype)


def _strings(value: Any, shape: tuple[int, ...]) -> Any:
    if shape:
        return tuple(_strings(item, shape[1:]) for item in value)
    text = value.item() if isinstance(value, np.ndarray) else value
    return text.decode() if isinstance(text, bytes) else str(text)


def value_of(spec: Any, element: Any) -> Any:
    """Convert an action from a gymkernel space to a value that conforms to the corresponding dm_env spec.

    Args:
        spec: a dm_env spec, or a dictionary, list or tuple of specs.
        element: the action.
    """
    if isinstance(spec, Mapping):
        return type(spec)((key, value_of(part, element[key])) for key, part in spec.items())  # type: ignore[call-arg]
    if isinstance(spec, list | tuple):
        parts = [value_of(part, item) for part, item in zip(spec, element, strict=True)]
        return type(spec)(*parts) if hasattr(spec, "_fields") else type(spec)(parts)
    if isinstance(spec, specs.StringArray):
        texts = np.array(element, object)
        return np.vectorize(str.encode, otypes=[object])(texts) if spec.string_type is bytes else texts
    return np.asarray(element, spec.dtype)
