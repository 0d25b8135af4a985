"""Tests of `from_dm_env`, which converts dm_env environments to gymkernel environments."""

from __future__ import annotations

import string
import subprocess
import sys
from typing import Any

import dm_env
import numpy as np
import pytest
from absl.testing import absltest
from dm_env import specs, test_utils

from gymkernel.error import DependencyNotInstalled, Error, NameNotFound, ResetNeeded
from gymkernel.hooks import call
from gymkernel_bridge_dm_env import DmEnv, from_dm_env, to_dm_env
from gymkernel_bridge_dm_env.specs import element_of, space_of, value_of
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_binary import MultiBinary
from gymkernel_space_text import Text
from gymkernel_space_tuple import Tuple


class Corridor(dm_env.Environment):  # type: ignore[misc,unused-ignore]
    """A dm_env environment in which the agent walks to the end of a corridor of random length.

    Args:
        seed: the seed that determines the corridor's length in each episode.
        limit: the number of steps after which an episode is truncated.
        discount: the discount of all steps except the terminal step.
    """

    def __init__(self, seed: int | None = None, limit: int = 30, discount: float = 0.9) -> None:
        self._rng, self._limit, self._discount = np.random.RandomState(seed), limit, discount
        self._place = np.zeros(1, np.float32)  # every observation contains this array, so the bridge must copy it
        self._steps = -1

    def reset(self) -> dm_env.TimeStep:
        self._length, self._steps = self._rng.randint(4, 12), 0
        self._place[:] = 0
        return dm_env.restart(self._observation())

    def step(self, action: Any) -> dm_env.TimeStep:
        if self._steps < 0:
            return self.reset()
        self.action_spec().validate(action)
        self._place += 1 if action == 1 else -0.5
        self._steps += 1
        if self._place[0] >= self._length:
            self._steps = -1
            return dm_env.termination(1.0, self._observation())
        if self._steps == self._limit:
            self._steps = -1
            return dm_env.truncation(-1.0, self._observation(), self._discount)
        return dm_env.transition(-0.1, self._observation(), self._discount)

    def observation_spec(self) -> Any:
        parts = [specs.DiscreteArray(12), specs.BoundedArray((), bool, False, True)]
        return {"place": specs.Array((1,), np.float32), "parts": parts, "text": specs.StringArray(())}

    def action_spec(self) -> Any:
        return specs.DiscreteArray(2)

    def _observation(self) -> Any:
        parts = [int(self._length), bool(self._place[0] > 2)]
        return {"place": self._place, "parts": parts, "text": f"length {self._length}"}


TEXT = Text(256, min_length=0, charset=string.printable)


class TestSpecs:
    @pytest.mark.parametrize(
        "spec, space",
        [
            (specs.DiscreteArray(4), Discrete(4, dtype=np.int32)),
            (specs.DiscreteArray(4, np.int64), Discrete(4)),
            (
                specs.BoundedArray((2,), np.float32, 0, [1, 2]),
                Box(np.zeros(2, np.float32), np.array([1, 2], np.float32)),
            ),
            (specs.BoundedArray((2, 2), np.uint8, 0, 255), Box(0, 255, (2, 2), np.uint8)),
            (specs.BoundedArray((), np.int32, -3, 3), Box(-3, 3, (), np.int32)),
            (specs.Array((3,), np.float64), Box(-np.inf, np.inf, (3,), np.float64)),
            (specs.Array((1,), np.int16), Box(-(2**15), 2**15 - 1, (1,), np.int16)),
            (specs.Array((2,), bool), MultiBinary(2)),
            (specs.StringArray(()), TEXT),
            (specs.StringArray((2,)), Tuple([TEXT, TEXT])),
            ({"a": specs.DiscreteArray(2), "b": [specs.DiscreteArray(3)]}, None),
        ],
        ids=str,
    )
    def test_spec_is_converted_to_its_space(self, spec: Any, space: Any) -> None:
        inner = Tuple([Discrete(3, dtype=np.int32)])
        assert space_of(spec) == (space or Dict({"a": Discrete(2, dtype=np.int32), "b": inner}))

    @pytest.mark.parametrize(
        "spec",
        [
            specs.DiscreteArray(4),
            specs.BoundedArray((2,), np.float32, -1, 1),
            specs.Array((2,), bool),
            specs.StringArray((2,), bytes),
            {"a": specs.DiscreteArray(2), "b": (specs.StringArray(()), [specs.Array((), np.float64)])},
        ],
        ids=str,
    )
    def test_samples_and_values_belong_to_both(self, spec: Any) -> None:
        space = space_of(spec)
        space.seed(1)
        for _ in range(5):
            value = value_of(spec, space.sample())
            _validate(spec, value)
            assert element_of(spec, value) in space

    @pytest.mark.parametrize("spec", [3, specs.Array((), np.complex64), {"a": None}], ids=str)
    def test_other_objects_are_an_error(self, spec: Any) -> None:
        with pytest.raises(TypeError, match=r"Expected a (dm_env spec|spec of)"):
            space_of(spec)


def _validate(spec: Any, value: Any) -> None:
    """Check that a value conforms to a spec, with the `validate` method of the spec."""
    if isinstance(spec, dict):
        assert spec.keys() == value.keys()
    if isinstance(spec, dict | list | tuple):
        assert type(spec) is type(value)
        keys = spec if isinstance(spec, dict) else range(len(spec))
        assert len(spec) == len(value)
        for key in keys:
            _validate(spec[key], value[key])
    else:
        spec.validate(value)


class TestTimeSteps:
    def test_discount_zero_terminates(self) -> None:
        env = from_dm_env(Corridor)
        env.reset(seed=1)
        results = [env.step(1)]
        while not (results[-1][2] or results[-1][3]):
            results.append(env.step(1))

        assert results[-1][1:] == (1.0, True, False, {"discount": 0.0})
        assert results[0][1:] == (-0.1, False, False, {"discount": 0.9})

    def test_discount_above_zero_truncates(self) -> None:
        env = from_dm_env(Corridor(limit=2, discount=1.0))
        env.reset()
        env.step(0)

        assert env.step(0)[1:] == (-1.0, False, True, {"discount": 1.0})

    def test_observations_are_elements_and_not_overwritten(self) -> None:
        env = from_dm_env(Corridor())
        first, info = env.reset()
        assert first in env.observation_space
        assert info == {}

        second, *_ = env.step(np.int64(1))

        assert second in env.observation_space
        assert (first["place"].item(), second["place"].item()) == (0.0, 1.0)
        assert isinstance(first["text"], str)

    def test_step_without_reset_is_an_error(self) -> None:
        env = from_dm_env(Corridor(limit=1))
        with pytest.raises(ResetNeeded, match="reset before this step"):
            env.step(0)
        env.reset()
        env.step(0)

        with pytest.raises(ResetNeeded, match="reset before this step"):
            env.step(0)


class TestSeeds:
    def test_function_is_called_with_the_seed(self) -> None:
        env = from_dm_env(Corridor)
        lengths = [env.reset(seed=7)[0]["text"]] + [env.reset()[0]["text"] for _ in range(9)]
        original = Corridor(7)

        assert lengths == [original.reset().observation["text"] for _ in range(10)]

    def test_seed_above_32_bits_is_supported(self) -> None:
        env = from_dm_env(Corridor)
        texts = [[env.reset(seed=2**50)[0]["text"]] + [env.reset()[0]["text"] for _ in range(9)] for _ in range(2)]

        assert texts[0] == texts[1]

    def test_environments_without_a_seed_differ(self) -> None:
        texts = []
        for _ in range(2):
            env = from_dm_env(Corridor)
            texts.append([env.reset()[0]["text"] for _ in range(20)])

        assert texts[0] != texts[1]

    def test_environment_that_cannot_be_seeded_is_an_error(self) -> None:
        with pytest.raises(Error, match=r"Corridor cannot be seeded.*lambda seed: Corridor\(seed=seed\)"):
            from_dm_env(Corridor()).reset(seed=1)


class TestErrors:
    def test_other_object_is_an_error(self) -> None:
        with pytest.raises(TypeError, match="Expected a dm_env environment, or a function"):
            from_dm_env(3)

    def test_rewards_that_are_arrays_are_an_error(self) -> None:
        class Vectors(Corridor):
            def reward_spec(self) -> Any:
                return specs.Array((2,), np.float64)

        with pytest.raises(TypeError, match=r"each reward of .* to be a single number"):
            DmEnv(Vectors())

    def test_rendering_without_physics_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="the environment has no physics"):
            from_dm_env(Corridor(), render_mode="rgb_array")


def test_physics_are_rendered() -> None:
    class Physics:
        def render(self, height: int = 4, width: int = 6) -> Any:
            return np.zeros((height, width, 3), np.uint8)

    class Rendered(Corridor):
        physics = Physics()

        def control_timestep(self) -> float:
            return 0.04

    env = from_dm_env(Rendered(), "rgb_array", height=8)
    env.reset()

    assert env.render().shape == (8, 6, 3)
    assert env.metadata == {"render_modes": ["rgb_array"], "render_fps": 25}
    assert from_dm_env(Rendered()).render() is None


@pytest.mark.parametrize("has_physics,accepted", [(True, r"\(height\)"), (False, r"\(none, because")])
def test_unknown_render_argument_is_an_error(has_physics: bool, accepted: str) -> None:
    class Physics:
        def render(self, height: int = 4) -> Any: ...

    class Rendered(Corridor):
        if has_physics:
            physics = Physics()

    with pytest.raises(TypeError, match=rf"{accepted}.*, got 'time_limit'; .*task_kwargs or environment_kwargs"):
        from_dm_env(Rendered(), time_limit=10)


def test_physics_may_accept_all_render_arguments() -> None:
    class Physics:
        def render(self, **kwargs: Any) -> Any:
            return kwargs

    class Rendered(Corridor):
        physics = Physics()

    assert from_dm_env(Rendered(), "rgb_array", depth=True).render() == {"depth": True}


class FatalError(Exception):
    """An error with the name of MuJoCo's own error."""


@pytest.mark.parametrize("value,now", [(None, "it is not set"), ("glfw", "it is 'glfw'")])
def test_missing_opengl_error_names_the_environment_variable(
    value: str | None, now: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Physics:
        def render(self) -> Any:
            raise FatalError("an OpenGL platform library has not been loaded into this process")

    class Rendered(Corridor):
        physics = Physics()

    monkeypatch.delenv("MUJOCO_GL", raising=False)
    if value is not None:
        monkeypatch.setenv("MUJOCO_GL", value)
    env = from_dm_env(Rendered(), "rgb_array")
    env.reset()

    with pytest.raises(DependencyNotInstalled, match=rf"has not been loaded.*MUJOCO_GL to egl.*{now}") as caught:
        env.render()

    assert isinstance(caught.value.__cause__, FatalError)


def test_other_rendering_error_is_not_changed() -> None:
    class Physics:
        def render(self, camera_id: int) -> Any:
            raise ValueError(f"no camera {camera_id}")

    class Rendered(Corridor):
        physics = Physics()

    env = from_dm_env(Rendered(), "rgb_array", camera_id=9)
    env.reset()

    with pytest.raises(ValueError, match="no camera 9"):
        env.render()


def test_missing_dm_control_names_the_pip_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dm_control", None)  # this makes the import fail even if dm_control is installed

    with pytest.raises(NameNotFound, match=r'needs dm_control.*; run: pip install "gymkernel\[dm-control\]"'):
        call("gymkernel_resolve_env", None, {"env_id": "dm_control/cartpole-balance"})


def test_generator_of_a_task_is_seeded() -> None:
    class Task:
        random = np.random.RandomState()

    class WithTask(Corridor):
        task = Task()

        def reset(self) -> dm_env.TimeStep:
            self._rng = self.task.random
            return super().reset()

    env = from_dm_env(WithTask())
    texts = [[env.reset(seed=3)[0]["text"]] + [env.reset()[0]["text"] for _ in range(9)] for _ in range(2)]

    assert texts[0] == texts[1]
    assert len(set(texts[0])) > 1


class ConformanceOfAConvertedEnvironment(test_utils.EnvironmentTestMixin, absltest.TestCase):  # type: ignore[misc,name-defined,unused-ignore]
    """dm_env's test suite for environments, applied to an environment that was converted to gymkernel and back."""

    __test__ = True

    def make_object_under_test(self) -> Any:
        return to_dm_env(from_dm_env(Corridor()))


def test_discounts_survive_both_conversions() -> None:
    env, original = to_dm_env(from_dm_env(Corridor(3, limit=4))), Corridor(3, limit=4)
    for action in [1, 0, 0, 0, 0, 1, 1]:
        ours, theirs = env.step(action), original.step(np.int32(action))
        assert ours[:3] == theirs[:3]
        assert ours.observation["place"].item() == theirs.observation["place"].item()


def test_loading_the_hook_does_not_import_the_library() -> None:
    code = "import sys, gymkernel_bridge_dm_env.resolve; print({'dm_control', 'dm_env', 'mujoco'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
