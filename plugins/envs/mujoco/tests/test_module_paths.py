"""Tests of the import paths that Gymnasium programs use, and of the base class `MujocoEnv`."""

from __future__ import annotations

import copy
import importlib
import pickle
import sys
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
import pytest

import gymkernel
from gymkernel.envs.mujoco import MujocoEnv, MujocoRenderer
from gymkernel_env_mujoco.model_task import find_model, load_model

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MODULES = {
    "ant_v5": "AntEnv",
    "half_cheetah_v5": "HalfCheetahEnv",
    "hopper_v5": "HopperEnv",
    "humanoid_v5": "HumanoidEnv",
    "humanoidstandup_v5": "HumanoidStandupEnv",
    "inverted_double_pendulum_v5": "InvertedDoublePendulumEnv",
    "inverted_pendulum_v5": "InvertedPendulumEnv",
    "pusher_v5": "PusherEnv",
    "reacher_v5": "ReacherEnv",
    "swimmer_v5": "SwimmerEnv",
    "walker2d_v5": "Walker2dEnv",
}


class Still(MujocoEnv):
    """A user-defined environment that uses the HalfCheetah model."""

    def __init__(self, model_path: str = "half_cheetah.xml", **kwargs: Any) -> None:
        space = gymkernel.spaces.Box(-np.inf, np.inf, (18,), np.float64)
        super().__init__(model_path, 5, space, **kwargs)

    def step(self, action: NDArray[Any]) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Simulate one step."""
        self.do_simulation(action, self.frame_skip)
        return self.state_vector(), 0.0, False, False, {}

    def reset_model(self) -> NDArray[Any]:
        """Set the initial state."""
        self.set_state(self.init_qpos, self.init_qvel)
        return self.state_vector()


@pytest.mark.parametrize("module, name", MODULES.items())
def test_module_has_the_class_of_the_environment(module: str, name: str) -> None:
    found = getattr(importlib.import_module(f"gymkernel.envs.mujoco.{module}"), name)

    assert issubclass(found, MujocoEnv)
    assert type(gymkernel.make(f"{name.removesuffix('Env')}-v5").unwrapped) is found


def test_base_classes_have_the_module_paths_of_gymnasium() -> None:
    paths = {"mujoco_env": MujocoEnv, "mujoco_rendering": MujocoRenderer}

    for path, expected in paths.items():
        module = importlib.import_module(f"gymkernel.envs.mujoco.{path}")
        assert getattr(module, expected.__name__) is expected


@pytest.mark.parametrize("module", MODULES)
def test_subclass_can_use_each_model_by_the_name_of_its_file(module: str) -> None:
    env_id = MODULES[module].removesuffix("Env") + "-v5"
    with_version = module if module in {"pusher_v5", "walker2d_v5"} else module.removesuffix("_v5")

    env, made = Still(f"{with_version}.xml"), gymkernel.make(env_id).unwrapped

    assert isinstance(made, MujocoEnv)
    assert np.array_equal(env.model.body_mass, made.model.body_mass)


def test_subclass_simulates_the_model() -> None:
    env = Still()
    start, _ = env.reset(seed=1)

    state, *_ = env.step(np.ones(6, np.float32))

    assert np.array_equal(start, [*env.init_qpos, *env.init_qvel])
    assert state.shape == (18,)
    assert not np.array_equal(state, start)
    assert env.dt == 0.05
    assert env.get_body_com("torso").shape == (3,)


def test_wrong_action_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"^Action dimension mismatch. Expected .* shape \(6,\), got \(2,\)$"):
        Still().do_simulation(np.zeros(2), 1)


def test_forces_are_those_of_the_last_step_whenever_they_are_read() -> None:
    often, late = (gymkernel.make("HalfCheetah-v5").unwrapped for _ in range(2))
    assert isinstance(often, MujocoEnv)
    assert isinstance(late, MujocoEnv)
    for env in (often, late):
        env.reset(seed=3)
    reader = often.data
    for _ in range(20):
        for env in (often, late):
            env.step(np.zeros(6, np.float32))
    late.set_state(late.init_qpos, late.init_qvel)

    assert reader.cfrc_ext.any()
    assert np.array_equal(late.data.cfrc_ext, reader.cfrc_ext)


def test_subclass_can_call_only_the_constructor_of_the_base_class() -> None:
    module: Any = importlib.import_module("gymkernel.envs.mujoco.swimmer_v5")

    class Slow(module.SwimmerEnv):  # type: ignore[misc]
        def __init__(self) -> None:
            self._forward_reward_weight, self._ctrl_cost_weight, self._reset_noise_scale = 3.0, 0.5, 0.1
            self._exclude_current_positions_from_observation = False
            MujocoEnv.__init__(self, "swimmer.xml", 2, observation_space=None)

    options = {"frame_skip": 2, "forward_reward_weight": 3.0, "ctrl_cost_weight": 0.5}
    usual = module.SwimmerEnv(**options, exclude_current_positions_from_observation=False)
    envs, action = (Slow(), usual), np.ones(2, np.float32)

    starts = [env.reset(seed=1)[0] for env in envs]
    (first, *results), (second, *others) = (env.step(action) for env in envs)

    assert np.array_equal(*starts)
    assert np.array_equal(first, second)
    assert results == others


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_like_the_original_and_independently_of_it(duplicate: Any) -> None:
    env = gymkernel.make("HalfCheetah-v5").unwrapped
    env.reset(seed=3)
    action = np.full(6, 0.5, np.float32)
    copies = duplicate(env), duplicate(env)
    copies[1].model.opt.timestep *= 2

    first, second, slow = env.step(action), copies[0].step(action), copies[1].step(action)

    assert np.array_equal(first[0], second[0])
    assert first[1:] == second[1:]
    assert not np.array_equal(first[0], slow[0])


@pytest.mark.parametrize("name", ["Ant", "HalfCheetah", "Pusher"])
def test_program_can_replace_the_simulation_and_the_model(name: str) -> None:
    usual, changed = (gymkernel.make(f"{name}-v5").unwrapped for _ in range(2))
    assert isinstance(usual, MujocoEnv)
    assert isinstance(changed, MujocoEnv)
    model = copy.copy(usual.model)
    model.opt.timestep *= 2
    usual.model.opt.timestep *= 2

    changed.model, changed.data = model, mujoco.MjData(model)

    action = np.full(model.nu, 0.5, np.float32)
    assert np.array_equal(usual.reset(seed=3)[0], changed.reset(seed=3)[0])
    for _ in range(3):
        (first, *results), (second, *others) = usual.step(action), changed.step(action)
        assert np.array_equal(first, second)
        assert results == others
    assert usual.dt == changed.dt


def test_missing_main_body_is_an_error() -> None:
    with pytest.raises(IndexError, match=r"Invalid index -1"):
        gymkernel.make("Ant-v5", main_body=-1)


def test_images_can_be_larger_than_the_model_requests() -> None:
    assert Still(width=1200).model.vis.global_.offwidth == 1200


def test_wrong_render_fps_is_an_error() -> None:
    class Fast(Still):
        metadata = {**Still.metadata, "render_fps": 60}  # noqa: RUF012 - Env declares it without ClassVar

    with pytest.raises(ValueError, match=r"^Expected metadata\['render_fps'\] to be 20, because a step takes 0.05 s"):
        Fast()


def test_missing_model_is_an_error() -> None:
    with pytest.raises(FileNotFoundError, match=r"got 'absent.xml'$"):
        Still("absent.xml")


def test_name_of_another_model_of_gymnasium_refers_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "gymnasium" / "envs" / "mujoco" / "assets"
    folder.mkdir(parents=True)
    (tmp_path / "gymnasium" / "__init__.py").touch()
    ball = '<mujoco><worldbody><body><freejoint/><geom size="{}"/></body></worldbody></mujoco>'
    (folder / "ball.xml").write_text(ball.format(0.25), encoding="utf-8")
    (tmp_path / "ball.xml").write_text(ball.format(0.5), encoding="utf-8")
    monkeypatch.delitem(sys.modules, "gymnasium", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)

    sizes = [load_model(find_model(name)).geom_size[0, 0] for name in ("ball.xml", "./ball.xml")]

    assert sizes == [0.25, 0.5]


def test_observation_structure_has_the_sizes_of_the_parts() -> None:
    ant: Any = gymkernel.make("Ant-v5").unwrapped

    assert ant.observation_structure == {"skipped_qpos": 2, "qpos": 13, "qvel": 14, "cfrc_ext": 78}


def test_observation_method_can_be_overridden() -> None:
    module: Any = importlib.import_module("gymkernel.envs.mujoco.hopper_v5")

    class Zeros(module.HopperEnv):  # type: ignore[misc]
        def _get_obs(self) -> NDArray[Any]:
            return np.zeros(11)

    env = Zeros()

    assert not env.reset(seed=1)[0].any()
    assert not env.step(np.zeros(3, np.float32))[0].any()
