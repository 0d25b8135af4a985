"""Functions that convert arrays, and containers of arrays, from one library to another."""

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
"""The type of a device. Each array library has its own device type."""


def module_namespace(xp: ModuleType | str) -> Any:
    """Return a namespace that implements the array API for a library.

    If the library does not implement the array API itself, its namespace in `array_api_compat` is returned.

    Args:
        xp: the module whose functions create arrays, such as `numpy`, `torch` or `jax.numpy`, or the module's name.

    Raises:
        ValueError: if neither the module nor `array_api_compat` implements the array API.

    >>> module_namespace("numpy").__name__
    'array_api_compat.numpy'
    """
    module: Any = importlib.import_module(xp) if isinstance(xp, str) else xp
    try:
        return array_api_compat.array_namespace(module.empty(0))
    except (AttributeError, TypeError) as exc:
        raise ValueError(f"Expected an array API module, such as numpy, torch or jax.numpy, got {xp!r}") from exc


def module_name_to_namespace(name: str) -> Any:
    """Return the array-API namespace of the library with the given module name.

    Args:
        name: the name of the module, such as "torch", "jax.numpy" or "numpy".

    Raises:
        ModuleNotFoundError: if the library is not installed.
    """
    return module_namespace(name)


@singledispatch
def array_conversion(value: Any, xp: Any, device: Any = None) -> Any:
    """Convert an array, or all arrays in dictionaries, tuples and lists, to arrays of another library.

    Arrays share memory through DLPack if both libraries allow it, so writing to one array may change the other. Arrays
    that are read-only, have negative strides or do not use the machine's byte order are copied. Numbers become
    zero-dimensional arrays. Strings and None are returned unchanged. This is a `functools.singledispatch` function, so
    you can support another type by registering a function for it.

    Args:
        value: an array, or a container of arrays.
        xp: the namespace of the other library, as returned by `module_namespace`.
        device: the device for the new arrays, in the other library's notation. If None, arrays stay on their current
            device or are placed on the library's default device.

    Raises:
        TypeError: if no conversion is registered for the type of the value or of one of its parts.
        BufferError: if the other library does not support the dtype.

    >>> array_conversion((np.arange(2), None, 1.5), module_namespace("numpy"))
    (array([0, 1]), None, array(1.5))
    """
    if not array_api_compat.is_array_api_obj(value):
        raise TypeError(
            f"Cannot convert {value!r} to an array. Register a conversion for the type {type(value).__name__}"
        )
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
    converted = {key: array_conversion(part, xp, device) for key, part in value.items()}
    return converted if type(value) is dict else type(value)(converted)


@array_conversion.register(Iterable)
def _iterable(value: Any, xp: Any, device: Any = None) -> Any:
    if array_api_compat.is_array_api_obj(value):
        return _array(value, xp, device)
    converted = (array_conversion(part, xp, device) for part in value)
    return type(value)._make(converted) if hasattr(value, "_make") else type(value)(converted)


def lenient_conversion(value: Any, xp: Any, device: Any = None) -> Any:
    """Convert an info as `array_conversion` does, but return values of unsupported types unchanged."""
    if type(value) is dict:
        return {key: lenient_conversion(part, xp, device) for key, part in value.items()}
    try:
        return array_conversion(value, xp, device)
    except (TypeError, ValueError, BufferError):
        return value


def _array(value: Any, xp: Any, device: Any) -> Any:
    if array_api_compat.array_namespace(value) is xp:
        return value if device is None else array_api_compat.to_device(value, device)
    if array_api_compat.is_numpy_namespace(xp):
        device = None  # NumPy has only one device
    value = _exportable(value)
    try:
        return _from_dlpack(value, xp, device)
    except (BufferError, RuntimeError):  # DLPack does not support the dtype or the transfer between the devices
        host = value.cpu().numpy() if array_api_compat.is_torch_array(value) else np.array(value)
        return host if array_api_compat.is_numpy_namespace(xp) else _from_dlpack(host, xp, device)


def _from_dlpack(value: Any, xp: Any, device: Any) -> Any:
    try:
        return xp.from_dlpack(value, device=device)
    except TypeError:  # in older libraries, from_dlpack has no parameter `device`
        array = xp.from_dlpack(value)
        return array if device is None else array_api_compat.to_device(array, device)


def _exportable(value: Any) -> Any:
    """Return the array itself if it can be shared through DLPack. Otherwise, return a copy."""
    if isinstance(value, np.ndarray):
        shareable = value.flags.writeable and value.dtype.isnative and min(value.strides, default=0) >= 0
        return value if shareable else value.astype(value.dtype.newbyteorder("="), order="C", copy=True)
    return value.detach() if array_api_compat.is_torch_array(value) else value
