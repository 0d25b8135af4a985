"""Test the functions that check the arguments of vector environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Wrapper
from gymkernel.vector import AutoresetMode, VectorEnv
from gymkernel.vector.utils.arguments import (
    check_attr_name,
    check_flags,
    check_made,
    check_values,
    env_functions,
    to_autoreset_mode,
)


class Plain:
    """An environment from another library without a base class."""

    def reset(self) -> None: ...

    def step(self, action: Any) -> None: ...


def test_env_functions_become_a_list() -> None:
    for env_fns in ([Plain, Plain], (Plain, Plain), iter([Plain, Plain]), np.array([Plain, Plain], object)):
        assert env_functions(env_fns, "SomeVectorEnv") == [Plain, Plain]


def test_id_as_env_fns_error_suggests_make_vec() -> None:
    with pytest.raises(
        TypeError, match=r"^SomeVectorEnv expects env_fns .*, got 'Maze-v0'; .*make_vec\(id, n, \"some\"\)"
    ):
        env_functions("Maze-v0", "SomeVectorEnv")


@pytest.mark.parametrize("flag", [True, False, 0, 1, np.True_, np.False_, np.int64(1), np.uint8(0)], ids=range(8))
def test_booleans_are_valid_flags(flag: Any) -> None:
    check_flags(copy=flag)


@pytest.mark.parametrize(
    "value", [None, "False", "", 2, -1, 1.0, [], {}, np.array([True]), np.float64(1)], ids=range(10)
)
def test_non_boolean_flag_is_rejected(value: Any) -> None:
    with pytest.raises(TypeError, match=r"^Expected pinned to be True or False, got ") as raised:
        check_flags(copy=True, pinned=value)
    assert str(raised.value).endswith(f"got {value!r}")


@pytest.mark.parametrize("mode", AutoresetMode)
def test_autoreset_mode_or_its_value_is_accepted(mode: AutoresetMode) -> None:
    assert to_autoreset_mode(mode) is to_autoreset_mode(mode.value) is to_autoreset_mode(np.str_(mode.value)) is mode


@pytest.mark.parametrize("value", [None, "never", "NEXT_STEP", 0, [], {}, AutoresetMode], ids=range(7))
def test_unknown_mode_error_lists_the_modes(value: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^Expected autoreset_mode to be one of 'NextStep', 'SameStep', 'Disabled'"
    ) as raised:
        to_autoreset_mode(value)
    assert str(raised.value).endswith(f"got {value!r}")
    assert raised.value.__cause__ is raised.value.__context__ is None or raised.value.__suppress_context__


def test_foreign_environments_are_accepted() -> None:
    made: set[int] = set()
    envs: list[Any] = [Plain(), Wrapper(Env()), Plain()]
    for env in envs:
        check_made(env, made)
    assert len(made) == 3


@pytest.mark.parametrize(
    "made, text",
    [
        (None, "got None"),
        (3, "got 3"),
        (Plain, "the class Plain; pass the class itself"),
        (VectorEnv, "the class VectorEnv"),
    ],
    ids=range(4),
)
def test_non_environment_is_rejected(made: Any, text: str) -> None:
    with pytest.raises(
        TypeError, match=rf"^Expected the function to make an environment \(with reset and step\), .*{text}"
    ):
        check_made(made, set())


def test_vector_environment_is_rejected() -> None:
    envs: VectorEnv[Any, Any, Any] = VectorEnv()
    envs.num_envs = 2
    with pytest.raises(TypeError, match=r"got the vector environment VectorEnv\(num_envs=2\)"):
        check_made(envs, set())


@pytest.mark.parametrize("metadata", [None, [], "rgb_array", 3, ("render_modes",), dict], ids=range(6))
def test_metadata_must_be_a_dictionary(metadata: Any) -> None:
    env: Any = Wrapper(Env())
    env.unwrapped.metadata = metadata
    with pytest.raises(TypeError, match=r"^Expected metadata of Env to be a dictionary, got .*; set metadata = "):
        check_made(env, set())


def test_same_environment_twice_is_rejected() -> None:
    env = Plain()
    with pytest.raises(ValueError, match=r"make a new environment, got <.*Plain.*> a second time"):
        check_made(env, {id(env)})


def test_attribute_names_are_strings_with_optional_dots() -> None:
    check_attr_name("np_random.random")
    check_attr_name(np.str_("size"), dots=False)
    with pytest.raises(TypeError, match=r"got 3$"):
        check_attr_name(3)
    with pytest.raises(ValueError, match=r"got 'np_random.random'"):
        check_attr_name("np_random.random", dots=False)


@pytest.mark.parametrize("values", [[1, 2], (1, 2)], ids=["list", "tuple"])
def test_list_or_tuple_has_a_value_for_each_environment(values: Any) -> None:
    assert check_values(values, 2) is values
    with pytest.raises(ValueError, match=r"one value for each of the 3 environments, got 2: .1, 2.") as raised:
        check_values(values, 3)
    assert f"{values!r}" in str(raised.value)


@pytest.mark.parametrize("value", [7, "ab", {"a": 1}, range(2), None], ids=range(5))
def test_other_values_are_used_for_all(value: Any) -> None:
    assert check_values(value, 3) == [value] * 3
