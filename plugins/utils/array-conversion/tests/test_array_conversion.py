"""Tests of `array_conversion` with array libraries other than PyTorch and JAX."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

from gymkernel.wrappers.array_conversion import array_conversion, module_name_to_namespace, module_namespace

NUMPY = module_namespace(np)
Pair = namedtuple("Pair", ["left", "right"])  # noqa: PYI024 - GraphInstance is created in the same way


def same(value: Any) -> Any:
    return array_conversion(value, NUMPY)


def test_namespace_is_found_by_module_and_name() -> None:
    assert module_namespace(np) is module_namespace("numpy") is module_name_to_namespace("numpy")


@pytest.mark.parametrize("module", ["json", pytest])
def test_module_without_arrays_has_no_namespace(module: Any) -> None:
    with pytest.raises(ValueError, match=r"^Expected an array API module, such as numpy, torch or jax.numpy, got"):
        module_namespace(module)


def test_numbers_become_zero_dimensional_arrays() -> None:
    assert [same(value).shape for value in (1, 2.5, True, np.float32(3), np.bool_(True))] == [()] * 5
    assert same(np.float32(3)).dtype == np.float32


@pytest.mark.parametrize("value", ["text", b"bytes", None])
def test_text_and_none_are_unchanged(value: Any) -> None:
    assert same(value) is value


def test_containers_keep_their_class() -> None:
    value = {1: (np.arange(2), [3]), "x": OrderedDict(a=Pair(np.ones(1), None))}

    converted = same(value)

    assert list(converted) == [1, "x"]
    assert type(converted[1]) is tuple
    assert type(converted[1][1]) is list
    assert type(converted["x"]) is OrderedDict
    assert type(converted["x"]["a"]) is Pair
    assert converted["x"]["a"].right is None


def test_object_arrays_are_converted_elementwise() -> None:
    objects = np.array([None, "text", 3], object)

    converted = same(objects)

    assert converted.tolist() == [None, "text", 3]
    assert isinstance(converted[2], np.ndarray)


def test_text_arrays_are_unchanged() -> None:
    words = np.array(["a", "b"])

    assert same(words) is words


def test_array_of_the_target_library_is_unchanged() -> None:
    array = np.arange(3)

    assert same(array) is array


def test_unconvertible_object_is_rejected() -> None:
    with pytest.raises(
        TypeError, match=r"^Cannot convert <object .*> to an array. Register a conversion for the type object$"
    ):
        same(object())


def test_conversion_can_be_registered() -> None:
    class Boxed:
        content = 3

    @array_conversion.register(Boxed)
    def _(value: Boxed, xp: Any, device: Any = None) -> Any:
        return array_conversion(value.content, xp, device)

    assert same(Boxed()).tolist() == 3
