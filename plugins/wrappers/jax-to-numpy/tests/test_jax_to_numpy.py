"""`JaxToNumpy`: what each side gets, single and vector, and the functions."""

from __future__ import annotations

import json
import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gymkernel import Env
from gymkernel.vector import VectorEnv
from gymkernel.wrappers import JaxToNumpy
from gymkernel.wrappers.jax_to_numpy import jax_to_numpy, numpy_to_jax
from gymkernel.wrappers.vector import JaxToNumpy as OfMany

INSIDE, OUTSIDE = jax.Array, np.ndarray


class Inside(Env[Any, Any]):
    """Computes with its own library and takes nothing else."""

    render_mode = "rgb_array"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        assert options is None or isinstance(options["start"], INSIDE)
        self.sum = jnp.asarray(0.0 if options is None else options["start"])
        return {"sum": self.sum + jnp.asarray([1.0, 2.0])}, {"name": "inside", "who": self}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        assert isinstance(action, INSIDE)
        self.sum = self.sum + action
        return (
            {"sum": self.sum + jnp.asarray([1.0, 2.0])},
            self.sum,
            self.sum > 3,
            self.sum < -3,
            {"twice": 2 * self.sum},
        )

    def render(self) -> Any:
        return jnp.asarray([[[1, 2, 3]]])


class Many(VectorEnv[Any, Any, Any]):
    """Two of them."""

    num_envs = 2

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.sum = jnp.asarray([0.0, 1.0])
        return self.sum + 0, {}

    def step(self, actions: Any) -> Any:
        return self.step_masked(actions, jnp.asarray([True, True]))

    def step_masked(self, actions: Any, mask: Any) -> Any:
        assert isinstance(actions, INSIDE)
        assert isinstance(mask, INSIDE)
        self.sum = self.sum + actions * mask
        return (
            self.sum + 0,
            self.sum + 0,
            self.sum > 3,
            self.sum < -3,
            {"x": self.sum + 0, "_x": np.array([True, False])},
        )

    def render(self) -> Any:
        return (jnp.asarray([1]), jnp.asarray([2]))


def outside(numbers: Any) -> Any:
    return np.asarray(numbers)


def test_observations_infos_and_frames_come_outside() -> None:
    env = JaxToNumpy(Inside())

    observation, info = env.reset()

    assert isinstance(observation["sum"], OUTSIDE)
    assert observation["sum"].tolist() == [1, 2]
    assert info["name"] == "inside"
    assert info["who"] is env.unwrapped
    assert isinstance(env.render(), OUTSIDE)


def test_actions_come_inside_and_a_step_has_plain_numbers() -> None:
    env = JaxToNumpy(Inside())
    env.reset()

    observation, reward, terminated, truncated, info = env.step(outside(4.0))

    assert observation["sum"].tolist() == [5, 6]
    assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
    assert (reward, terminated, truncated) == (4, True, False)
    assert isinstance(info["twice"], OUTSIDE)
    assert float(info["twice"]) == 8


def test_options_come_inside() -> None:
    observation, _ = JaxToNumpy(Inside()).reset(options={"start": outside(3.0)})

    assert observation["sum"].tolist() == [4, 5]


def test_all_of_many_comes_outside() -> None:
    envs = OfMany(Many())
    envs.reset()

    *values, infos = envs.step(outside([3.0, 0.0]))

    assert all(isinstance(value, OUTSIDE) for value in (*values, infos["x"], infos["_x"]))
    assert [value.tolist() for value in values] == [[3, 1], [3, 1], [False, False], [False, False]]
    assert [frame.tolist() for frame in envs.render() or ()] == [[1], [2]]


def test_a_part_of_many_may_be_stepped() -> None:
    envs = OfMany(Many())
    envs.reset()

    assert envs.step_masked(outside([3.0, 3.0]), outside([False, True]))[0].tolist() == [0, 4]


def test_the_functions_convert_there_and_back() -> None:
    value = {"a": (jnp.arange(3), [jnp.ones(2)]), "b": None, "c": "text"}

    there = jax_to_numpy(value)
    again = numpy_to_jax(there)

    assert isinstance(there["a"][0], OUTSIDE)
    assert isinstance(again["a"][1][0], INSIDE)
    assert again["a"][0].tolist() == [0, 1, 2]
    assert (there["b"], there["c"]) == (None, "text")


def test_it_pickles() -> None:
    env = pickle.loads(pickle.dumps(JaxToNumpy(Inside())))

    assert isinstance(env.reset()[0]["sum"], OUTSIDE)


def test_its_arguments_make_it_again_also_as_json() -> None:
    kwargs = json.loads(json.dumps(JaxToNumpy(Inside())._saved_kwargs))

    assert JaxToNumpy(Inside(), **kwargs)._saved_kwargs == kwargs == {}


def test_what_has_no_conversion_is_refused_as_an_action() -> None:
    with pytest.raises(TypeError, match=r"^No conversion to arrays is known for "):
        JaxToNumpy(Inside()).step(object())
