"""Tests that the MuJoCo environments have the same models, results and images as Gymnasium's, bit for bit."""

from __future__ import annotations

import importlib
import os
from typing import Any

import gymnasium
import mujoco
import numpy as np
import pytest

import gymkernel

STEPS = int(os.environ.get("GYMKERNEL_MUJOCO_STEPS", "1000"))
"""The number of steps of each trajectory."""
NAMES = (
    "Ant",
    "HalfCheetah",
    "Hopper",
    "Humanoid",
    "HumanoidStandup",
    "InvertedDoublePendulum",
    "InvertedPendulum",
    "Pusher",
    "Reacher",
    "Swimmer",
    "Walker2d",
)
CASES: list[tuple[str, dict[str, Any]]] = [
    *((f"{name}-v5", {}) for name in NAMES),
    (
        "Ant-v5",
        {"include_cfrc_ext_in_observation": False, "main_body": "front_left_leg", "healthy_z_range": (0.3, 0.8)},
    ),
    ("HalfCheetah-v5", {"frame_skip": 3, "exclude_current_positions_from_observation": False}),
    ("Hopper-v5", {"terminate_when_unhealthy": False, "healthy_reward": 0.5, "healthy_state_range": (-9.0, 9.0)}),
    ("Humanoid-v5", {"include_cinert_in_observation": False, "contact_cost_range": (0.001, 0.01)}),
    ("HumanoidStandup-v5", {"include_cvel_in_observation": False, "impact_cost_weight": 0.1}),
    ("InvertedDoublePendulum-v5", {"healthy_reward": 3.5, "reset_noise_scale": 0.01}),
    ("Pusher-v5", {"reward_near_weight": 0.25, "reward_control_weight": 0.7}),
    ("Reacher-v5", {"reward_dist_weight": 2.5, "frame_skip": 1}),
    ("Swimmer-v5", {"forward_reward_weight": 3.0, "exclude_current_positions_from_observation": False}),
    ("Walker2d-v5", {"healthy_angle_range": (-0.1, 0.1), "ctrl_cost_weight": 0.25}),
]
MODES = "NextStep", "SameStep", "Disabled"


def equal(ours: Any, theirs: Any, path: str = "") -> None:
    """Check that two values, or all values in two infos, are equal bit for bit and have the same dtypes and shapes."""
    if isinstance(ours, dict):
        assert set(ours) == set(theirs), path
        for key, value in ours.items():
            equal(value, theirs[key], f"{path}/{key}")
        return
    one, other = np.asarray(ours), np.asarray(theirs)
    assert (one.dtype, one.shape) == (other.dtype, other.shape), path
    if one.dtype == object:
        for first, second in zip(one, other, strict=True):
            assert (first is None) == (second is None), path
            if first is not None:
                equal(first, second, path)
    else:
        np.testing.assert_array_equal(one, other, err_msg=path)


@pytest.mark.parametrize("env_id, options", CASES)
def test_trajectories_equal_those_of_gymnasium(env_id: str, options: dict[str, Any]) -> None:
    ours = gymkernel.make(env_id, disable_env_checker=True, **options)
    theirs = gymnasium.make(env_id, disable_env_checker=True, **options)
    space = theirs.action_space
    assert ours.observation_space.shape == theirs.observation_space.shape
    assert isinstance(space, gymnasium.spaces.Box)
    rng = np.random.default_rng(0)
    for one, other in zip(ours.reset(seed=5), theirs.reset(seed=5), strict=True):
        equal(one, other)
    for _ in range(STEPS):
        action = rng.uniform(space.low, space.high).astype(np.float32)
        *mine, info = ours.step(action)
        *yours, other_info = theirs.step(action)
        info.pop("TimeLimit.truncated", None)
        assert mine[1:] == yours[1:]
        assert [type(value) for value in mine] == [type(value) for value in yours]
        for key, value in other_info.items():
            # Some of Gymnasium's numbers are arrays without dimensions.
            assert type(info[key]) is type(value) or isinstance(value, np.ndarray), key
        equal(mine[0], yours[0], "observation")
        equal(info, other_info, "info")
        if mine[2] or mine[3]:
            for one, other in zip(ours.reset(), theirs.reset(), strict=True):
                equal(one, other)
    ours.close()
    theirs.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id, options", CASES)
def test_the_vector_form_equals_single_environments(env_id: str, options: dict[str, Any], mode: str) -> None:
    limit = {"max_episode_steps": 25}
    spec = gymkernel.spec(env_id)
    short = type(spec)(**{**_arguments(spec), **limit})
    singles = gymkernel.make_vec(short, 3, "sync", {"autoreset_mode": mode}, **options)
    envs = gymkernel.make_vec(short, 3, autoreset_mode=mode, num_threads=2, **options)
    rng, space = np.random.default_rng(1), envs.action_space
    for one, other in zip(envs.reset(seed=2), singles.reset(seed=2), strict=True):
        equal(one, other)
    for _ in range(60):
        action = rng.uniform(space.low, space.high).astype(np.float32)  # type: ignore[attr-defined]
        results, others = envs.step(action), singles.step(action)
        for one, other in zip(results, others, strict=True):
            equal(one, other)
        over = results[2] | results[3]
        if mode == "Disabled" and over.any():
            reset: dict[str, Any] = {"options": {"reset_mask": over}}
            for one, other in zip(envs.reset(**reset), singles.reset(**reset), strict=True):
                equal(one, other)
    envs.close()
    singles.close()


def _arguments(spec: Any) -> dict[str, Any]:
    names = "id", "entry_point", "vector_entry_point", "reward_threshold"
    return {name: getattr(spec, name) for name in names}


MEMBERS = "is_healthy", "healthy_reward", "contact_cost", "contact_forces"
"""The properties that compute a term of the reward."""
FROM_GYMNASIUM = {"__setstate__", "_ezpickle_args", "_ezpickle_kwargs", "cylinder_pos", "goal", "goal_pos"}
"""Members of Gymnasium's classes that ours do not have: those of `EzPickle`, and copies of parts of `qpos`."""


@pytest.mark.parametrize("env_id, options", CASES)
def test_members_of_classes_equal_those_of_gymnasium(env_id: str, options: dict[str, Any]) -> None:
    ours: Any = gymkernel.make(env_id, disable_env_checker=True, **options).unwrapped
    theirs: Any = gymnasium.make(env_id, disable_env_checker=True, **options).unwrapped
    for env in (ours, theirs):
        env.reset(seed=4)
    for number in range(20):
        action = np.random.default_rng(number).uniform(-1, 1, theirs.action_space.shape).astype(np.float32)
        for env in (ours, theirs):
            env.step(action)
        for name in MEMBERS:
            assert hasattr(ours, name) == hasattr(theirs, name), name
            if hasattr(theirs, name):
                equal(getattr(ours, name), getattr(theirs, name), name)
        if hasattr(theirs, "control_cost"):
            equal(ours.control_cost(action), theirs.control_cost(action))
        equal(ours._get_obs(), theirs._get_obs())
        equal(ours._get_reset_info(), theirs._get_reset_info())
        equal(ours.state_vector(), theirs.state_vector())
        equal(ours.data.cfrc_ext, theirs.data.cfrc_ext)
    attributes = set(vars(theirs)) - FROM_GYMNASIUM - {"metadata", "observation_structure"}
    for name in attributes & {*(name for name in attributes if name.startswith("_")), "frame_skip", "init_qvel"}:
        if name != "_np_random":
            assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name
    assert set(dir(theirs)) - set(dir(ours)) <= FROM_GYMNASIUM | {"_get_rew"}


@pytest.mark.parametrize("name", ["Ant", "HalfCheetah", "Hopper", "Humanoid", "Swimmer", "Walker2d"])
def test_reward_of_a_velocity_equals_that_of_gymnasium(name: str) -> None:
    ours: Any = gymkernel.make(f"{name}-v5").unwrapped
    theirs: Any = gymnasium.make(f"{name}-v5").unwrapped
    for env in (ours, theirs):
        env.reset(seed=4)
    velocity, action = np.float64(0.7), theirs.action_space.high / 3

    (mine, terms), (yours, other_terms) = ours._get_rew(velocity, action), theirs._get_rew(velocity, action)

    assert mine == yours
    equal(terms, other_terms)


def _subclass(base: type[Any]) -> type[Any]:
    """Return a class that overrides members of a Hopper class, as programs for Gymnasium do."""

    class Jumper(base):  # type: ignore[misc]
        @property
        def is_healthy(self) -> bool:
            return bool(super().is_healthy or self.data.qpos[1] > 0.5)

        def control_cost(self, action: Any) -> Any:
            return 2 * super().control_cost(action)

        def _get_rew(self, x_velocity: float, action: Any) -> Any:
            reward, terms = super()._get_rew(x_velocity, action)
            return reward + self.data.qpos[1], {**terms, "reward_height": self.data.qpos[1]}

    return Jumper


def test_overridden_members_change_a_step_as_in_gymnasium() -> None:
    envs: list[Any] = []
    for package in ("gymkernel", "gymnasium"):
        module = importlib.import_module(f"{package}.envs.mujoco.hopper_v5")
        envs.append(_subclass(module.HopperEnv)(forward_reward_weight=2.0))
    for env in envs:
        env.reset(seed=6)
        env._healthy_reward = 0.25
        env.model.opt.timestep /= 2
    for number in range(100):
        action = np.random.default_rng(number).uniform(-1, 1, 3).astype(np.float32)
        (mine, *results, info), (yours, *others, other_info) = (env.step(action) for env in envs)
        equal(mine, yours)
        assert results == others
        equal(info, other_info)
        if results[1]:
            break
    assert number > 10


@pytest.mark.parametrize("mode", ["rgb_array", "depth_array", "rgbd_tuple"])
@pytest.mark.parametrize("name", ["HalfCheetah", "Humanoid", "Reacher"])
def test_pixels_equal_those_of_gymnasium(name: str, mode: str) -> None:
    options: dict[str, Any] = {"render_mode": mode, "width": 160, "height": 120, "disable_env_checker": True}
    camera: dict[str, Any] = {"camera_name": "track"} if name == "HalfCheetah" else {}
    ours = gymkernel.make(f"{name}-v5", **options, **camera)
    theirs = gymnasium.make(f"{name}-v5", **options, **camera)
    for env in (ours, theirs):
        env.reset(seed=3)
    assert isinstance(theirs.action_space, gymnasium.spaces.Box)
    for _ in range(3):
        action = theirs.action_space.high / 2
        ours.step(action)
        theirs.step(action)
        mine: Any = ours.render()
        yours: Any = theirs.render()
        pairs = zip(mine, yours, strict=True) if mode == "rgbd_tuple" else [(mine, yours)]
        for one, other in pairs:
            equal(one, other)
    ours.close()
    viewer: Any = theirs.unwrapped
    for item in viewer.mujoco_renderer._viewers.values():
        item.free()


def test_every_number_of_a_model_that_affects_the_simulation_equals_gymnasiums() -> None:
    left_out = ("name", "numeric", "key", "user", "_sizes")
    for name in NAMES:
        mine: Any = gymkernel.make(f"{name}-v5").unwrapped
        yours: Any = gymnasium.make(f"{name}-v5").unwrapped
        for field in dir(yours.model):
            value = getattr(yours.model, field)
            if isinstance(value, np.ndarray) and not any(word in field for word in left_out):
                np.testing.assert_array_equal(getattr(mine.model, field), value, err_msg=f"{name} {field}")
        assert mine.model.opt.timestep == yours.model.opt.timestep
        assert isinstance(mine.model, mujoco.MjModel)
