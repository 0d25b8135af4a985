"""Conversion of arrays, and of what holds arrays."""

from __future__ import annotations

import importlib
import numbers
from collections.abc import Iterable, Mapping
from functools import singledispatch
from types import ModuleType, NoneType
from typing import Any

import array_api_compat
import numpy as np

__all__ = ["Device", "array_conversion", "lenient_conversion", "module_name_to_namespace", "module_namespace"]

Device = Any
"""A device as a library of arrays names it; each has a kind of its own."""


def module_namespace(xp: ModuleType | str) -> Any:
    """The array-API namespace of a library: the library's own, or the one of `array_api_compat` around it.

    Args:
        xp: the module whose functions make arrays, such as `numpy`, `torch` or `jax.numpy`, or its name.

    Raises:
        ValueError: the module makes no arrays of the array API.

    >>> module_namespace("numpy").__name__
    'array_api_compat.numpy'
    """
    module: Any = importlib.import_module(xp) if isinstance(xp, str) else xp
    try:
        return array_api_compat.array_namespace(module.empty(0))
    except (AttributeError, TypeError) as exc:
        raise ValueError(f"Expected a module of the array API, such as numpy, torch or jax.numpy, got {xp!r}") from exc


def module_name_to_namespace(name: str) -> Any:
    """The array-API namespace of a library, by the name of its module.

    Args:
        name: such as "torch", "jax.numpy" or "numpy".

    Raises:
        ModuleNotFoundError: the library is not installed.
    """
    return module_namespace(name)


@singledispatch
def array_conversion(value: Any, xp: Any, device: Any = None) -> Any:
    """Arrays of any library of the array API as those of another; in dictionaries, tuples and lists, each of them.

    Memory is shared by DLPack where both libraries allow it, so that writing to one array may change the other. Arrays
    that must not be written to, that run backwards or are of foreign byte order are copied. Numbers become arrays
    without axes; text and None stay what they are. Register functions for other types on it, as on any
    `functools.singledispatch`.

    Args:
        value: an array, or what holds arrays.
        xp: the namespace to convert to, from `module_namespace`.
        device: where the arrays shall be, as that library names it; None for where they are, or its default.

    Raises:
        TypeError: something in it has no known conversion.
        BufferError: the other library has no such dtype.

    >>> array_conversion((np.arange(2), None, 1.5), module_namespace("numpy"))
    (array([0, 1]), None, array(1.5))
    """
    if not array_api_compat.is_array_api_obj(value):
        raise TypeError(f"No conversion to arrays is known for {value!r} ({type(value).__name__}); register one")
    return _array(value, xp, device)


@array_conversion.register(np.ndarray)
def _ndarray(value: Any, xp: Any, device: Any = None) -> Any:
    if value.dtype.kind == "O":
        converted = np.empty(value.shape, object)
        for index in np.ndindex(value.shape):
            converted[index] = array_conversion(value[index], xp, device)
        return converted
    return value if value.dtype.kind in "SUVMm" else _array(value, xp, device)


@array_conversion.register(np.generic)
def _generic(value: Any, xp: Any, device: Any = None) -> Any:
    return array_conversion(np.array(value), xp, device)


@array_conversion.register(numbers.Number)
def _number(value: Any, xp: Any, device: Any = None) -> Any:
    return xp.asarray(value, device=device)


@array_conversion.register(str)
@array_conversion.register(bytes)
@array_conversion.register(NoneType)
def _same(value: Any, xp: Any, device: Any = None) -> Any:
    return value


@array_conversion.register(Mapping)
def _mapping(value: Any, xp: Any, device: Any = None) -> Any:
    converted = {key: array_conversion(one, xp, device) for key, one in value.items()}
    return converted if type(value) is dict else type(value)(converted)


@array_conversion.register(Iterable)
def _iterable(value: Any, xp: Any, device: Any = None) -> Any:
    if array_api_compat.is_array_api_obj(value):
        return _array(value, xp, device)
    converted = (array_conversion(one, xp, device) for one in value)
    return type(value)._make(converted) if hasattr(value, "_make") else type(value)(converted)


def lenient_conversion(value: Any, xp: Any, device: Any = None) -> Any:
    """The same of an info: whatever has no conversion stays what it is."""
    if type(value) is dict:
        return {key: lenient_conversion(one, xp, device) for key, one in value.items()}
    try:
        return array_conversion(value, xp, device)
    except (TypeError, ValueError, BufferError):
        return value


def _array(value: Any, xp: Any, device: Any) -> Any:
    if array_api_compat.array_namespace(value) is xp:
        return value if device is None else array_api_compat.to_device(value, device)
    if array_api_compat.is_numpy_namespace(xp):
        device = None  # there is no other
    value = _exportable(value)
    try:
        return _imported(value, xp, device)
    except (BufferError, RuntimeError):  # DLPack lacks the dtype, or does not reach from device to device
        host = value.cpu().numpy() if array_api_compat.is_torch_array(value) else np.array(value)
        return host if array_api_compat.is_numpy_namespace(xp) else _imported(host, xp, device)


def _imported(value: Any, xp: Any, device: Any) -> Any:
    try:
        return xp.from_dlpack(value, device=device)
    except TypeError:  # of an older library, which knows no device here
        arrived = xp.from_dlpack(value)
        return arrived if device is None else array_api_compat.to_device(arrived, device)


def _exportable(value: Any) -> Any:
    """An array that may be shared; torch ends the process where it is given one that runs backwards."""
    if isinstance(value, np.ndarray):
        shareable = value.flags.writeable and value.dtype.isnative and min(value.strides, default=0) >= 0
        return value if shareable else value.astype(value.dtype.newbyteorder("="), order="C", copy=True)
    return value.detach() if array_api_compat.is_torch_array(value) else value
