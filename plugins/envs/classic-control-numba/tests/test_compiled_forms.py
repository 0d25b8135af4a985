"""Tests that the compiled environments give exactly the same results as the NumPy versions."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel.vector import AutoresetMode
from gymkernel_env_classic_control_numba import compiled

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "CartPole-v0": [{}],
    "CartPole-v1": [{}, {"sutton_barto_reward": True}],
    "MountainCar-v0": [{}, {"goal_velocity": 0.01}],
    "MountainCarContinuous-v0": [{}, {"goal_velocity": 0.01}],
    "Pendulum-v1": [{}, {"g": 9.81}],
    "Acrobot-v1": [{}],
}
IDS = tuple(OPTIONS)[1:]
CASES = [(env_id, options) for env_id in OPTIONS for options in OPTIONS[env_id]]
pytestmark = pytest.mark.filterwarnings("ignore:.*out of date")


def pair(env_id: str, n: int, **options: Any) -> tuple[Any, Any]:
    """Return the compiled version and the NumPy version of an environment."""
    ours, plain = (gym.make_vec(name, n, "vector_entry_point", **options) for name in (f"numba/{env_id}", env_id))
    return ours, plain


def ready(env_id: str, n: int = 3, **options: Any) -> Any:
    envs = gym.make_vec(f"numba/{env_id}", n, **options)
    envs.reset(seed=0)
    return envs


def some_actions(envs: Any, steps: int, seed: int = 5) -> list[Any]:
    """Sample actions, some of which may be forces outside the bounds of the action space."""
    rng, space = np.random.default_rng(seed), envs.single_action_space
    if space.shape:
        return [(rng.normal(0, 1.2, (envs.num_envs, 1)) * space.high).astype(np.float32) for _ in range(steps)]
    return list(rng.integers(0, space.n, (steps, envs.num_envs)))


def assert_equal(ours: Any, plain: Any, rows: list[Any], seed: Any = 3) -> int:
    """Reset and step both versions, compare the results, and count the finished episodes."""
    assert (ours.reset(seed=seed)[0] == plain.reset(seed=seed)[0]).all()
    ended = 0
    for row in rows:
        *mine, infos = ours.step(row)
        *theirs, expected = plain.step(row)
        for item, other in zip(mine, theirs, strict=True):
            assert item.dtype == other.dtype
            assert item.shape == other.shape
            assert (item == other).all()
        assert infos.keys() == expected.keys()
        done = theirs[2] | theirs[3]
        ended += int(done.sum())
        if "final_obs" in expected:
            assert (np.stack(infos["final_obs"][done]) == np.stack(expected["final_obs"][done])).all()
        if done.any() and plain.autoreset_mode is AutoresetMode.DISABLED:
            starting = [envs.reset(options={"reset_mask": done})[0] for envs in (ours, plain)]
            assert (starting[0] == starting[1]).all()
    assert (ours.state == plain.state).all()
    assert (ours.steps == plain.steps).all()
    return ended


@pytest.mark.parametrize("env_id, options", CASES, ids=str)
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("n", [1, 7, 150])
def test_compiled_form_equals_the_numpy_form(env_id: str, options: dict[str, Any], mode: AutoresetMode, n: int) -> None:
    ours, plain = pair(env_id, n, max_episode_steps=40, autoreset_mode=mode, **options)
    assert assert_equal(ours, plain, some_actions(plain, 150)) >= 3 * n


@pytest.mark.parametrize("env_id", IDS)
def test_compiled_form_equals_the_numpy_form_over_many_steps(env_id: str) -> None:
    ours, plain = pair(env_id, 20)
    assert_equal(ours, plain, [row for row in some_actions(plain, 250) for _ in range(8)])


@pytest.mark.parametrize("env_id", IDS)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**31), limit=st.integers(1, 12), mode=st.sampled_from(AutoresetMode), n=st.integers(1, 9))
def test_compiled_form_equals_the_numpy_form_for_any_seed(
    env_id: str, seed: int, limit: int, mode: AutoresetMode, n: int
) -> None:
    ours, plain = pair(env_id, n, max_episode_steps=limit, autoreset_mode=mode)
    assert_equal(ours, plain, some_actions(plain, 20, seed), seed)


@pytest.mark.parametrize("env_id", IDS)
def test_seeds_and_options_equal_the_numpy_form(env_id: str) -> None:
    ours, plain = pair(env_id, 4)
    options = {"low": -0.2, "high": -0.1, "x_init": 0.3, "reset_mask": np.array([True, False, True, False])}
    assert_equal(ours, plain, some_actions(plain, 30), [5, 6, 7, 8])
    assert (ours.reset(options=options)[0] == plain.reset(options=options)[0]).all()
    assert (ours.step(some_actions(plain, 1)[0])[0] == plain.step(some_actions(plain, 1)[0])[0]).all()
    assert ours.np_random_seed == plain.np_random_seed


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("CartPole-v1", {"kinematics_integrator": "semi-implicit"}),
    ("CartPole-v1", {"gravity": 3.7, "masspole": 0.3, "total_mass": 1.4, "length": 0.8, "polemass_length": 0.24}),
    ("CartPole-v1", {"force_mag": 7.5, "tau": 0.01, "x_threshold": 1.5, "theta_threshold_radians": 0.4}),
    ("MountainCar-v0", {"gravity": 0.002, "force": 0.003, "max_speed": 0.05}),
    ("MountainCar-v0", {"min_position": -1.0, "max_position": -0.2, "goal_position": -0.3}),
    ("MountainCarContinuous-v0", {"power": 0.004, "max_speed": 0.05, "min_action": -0.5, "max_action": 0.75}),
    ("MountainCarContinuous-v0", {"min_position": -1.0, "max_position": -0.2, "goal_position": -0.3}),
    ("Pendulum-v1", {"m": 0.3, "l": 0.7, "dt": 0.02, "max_speed": 2.5, "max_torque": 3.0, "g": 3.7}),
    ("Acrobot-v1", {"book_or_nips": "nips"}),
    ("Acrobot-v1", {"torque_noise_max": 0.7}),
    ("Acrobot-v1", {"dt": 0.11, "LINK_LENGTH_1": 1.3, "LINK_MASS_1": 0.7, "LINK_MASS_2": 1.9, "LINK_MOI": 0.8}),
    ("Acrobot-v1", {"LINK_COM_POS_1": 0.6, "LINK_COM_POS_2": 0.3, "MAX_VEL_1": 3.0, "MAX_VEL_2": 5.0}),
    ("Acrobot-v1", {"AVAIL_TORQUE": [-3, 0.5, 4.0]}),
]


@pytest.mark.parametrize("env_id, constants", CHANGES, ids=str)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_constants_are_read_at_every_step(env_id: str, constants: dict[str, Any], mode: AutoresetMode) -> None:
    ours, plain = pair(env_id, 30, max_episode_steps=30, autoreset_mode=mode)
    rows = some_actions(plain, 70)
    assert_equal(ours, plain, rows[:20])
    for item in (ours, plain):
        for name, value in constants.items():
            assert hasattr(item, name)
            setattr(item, name, value)
    assert_equal(ours, plain, rows[20:])


@pytest.mark.parametrize("env_id", IDS)
def test_masked_steps_equal_the_numpy_form(env_id: str) -> None:
    ours, plain = pair(env_id, 9, max_episode_steps=6)
    assert (ours.reset(seed=1)[0] == plain.reset(seed=1)[0]).all()
    rng = np.random.default_rng(1)
    for row in some_actions(plain, 50):
        chosen = rng.random(9) < 0.5
        mine, theirs = ours.step_masked(row, chosen), plain.step_masked(row, chosen)
        assert all((item == other).all() for item, other in zip(mine[:4], theirs[:4], strict=True))


@pytest.mark.parametrize("dtype", ["f2", "f8", "i8", "u1"])
@pytest.mark.parametrize("env_id", ["MountainCarContinuous-v0", "Pendulum-v1"])
def test_force_dtypes_equal_the_numpy_form(env_id: str, dtype: str) -> None:
    ours, plain = pair(env_id, 5, max_episode_steps=20)
    assert_equal(ours, plain, [np.abs(row).astype(dtype) for row in some_actions(plain, 50)])


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("threads", [2, 3])
def test_number_of_threads_does_not_change_results(env_id: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "SHARE", 10)
    ours, plain = pair(env_id, 47, max_episode_steps=10)
    ours.num_threads = threads
    assert assert_equal(ours, plain, some_actions(plain, 40)) >= 3 * 47


def test_error_in_a_thread_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "SHARE", 1)
    envs = ready("CartPole-v1", 4, num_threads=2)

    def broken(start: int, stop: int) -> None:
        if start:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        envs.run(broken)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_forked_process_has_its_own_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "SHARE", 1)
    envs = ready("CartPole-v1", 4, num_threads=2)
    envs.step([0, 1, 0, 1])
    child = os.fork()
    if child == 0:
        envs.step([0, 1, 0, 1])
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.parametrize("given", [0, -1, 1.5, True, "2"])
def test_invalid_number_of_threads_is_rejected(given: Any) -> None:
    with pytest.raises(ValueError, match="Expected num_threads to be an integer of at least 1, or None"):
        gym.make_vec("numba/CartPole-v1", 2, num_threads=given)


@pytest.mark.parametrize("env_id, n", [("CartPole-v1", 2), ("MountainCar-v0", 3), ("Acrobot-v1", 3)])
@pytest.mark.parametrize("given", [[0, 0], [0, 1, 9], [0, -1, 0], [0.0] * 3, 1, None, [[0]] * 3, ["0"] * 3])
def test_invalid_discrete_actions_are_rejected(env_id: str, n: int, given: Any) -> None:
    envs = ready(env_id)
    before = envs.state.copy()
    with pytest.raises(InvalidAction, match=rf"Expected 3 actions that are .* or {n - 1}, got"):
        envs.step(given)
    assert (envs.state == before).all()
    assert (envs.steps == 0).all()


@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u8", "?"])
def test_integer_types_are_valid_actions(dtype: str) -> None:
    given = np.array([0, 1, 1])
    assert (ready("CartPole-v1").step(given.astype(dtype))[0] == ready("CartPole-v1").step(given)[0]).all()


@pytest.mark.parametrize("env_id", IDS)
def test_step_before_reset_is_rejected(env_id: str) -> None:
    envs: Any = gym.make_vec(f"numba/{env_id}", 3)
    with pytest.raises(ResetNeeded, match="never reset"):
        envs.step(some_actions(envs, 1)[0])


def test_constants_must_be_scalars() -> None:
    envs = ready("CartPole-v1")
    envs.gravity = np.array([9.8, 9.8, 9.8])
    with pytest.raises(TypeError, match="Expected the constants of NumbaCartPoleVectorEnv to be one number each"):
        envs.step([0, 0, 0])


@pytest.mark.parametrize("env_id", IDS)
def test_returned_arrays_belong_to_the_caller(env_id: str) -> None:
    envs, twin = ready(env_id), ready(env_id)
    first = envs.state
    kept = first.copy()
    for row in some_actions(envs, 4):
        for array in envs.step(row)[:4]:
            array[:] = array.dtype.type(1)
        twin.step(row)
    assert (envs.state == twin.state).all()
    assert (first == kept).all()


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copy_continues_identically(env_id: str, copied: Any) -> None:
    envs = ready(env_id, max_episode_steps=7)
    rows = some_actions(envs, 23)
    for row in rows[:3]:
        envs.step(row)
    twin = copied(envs)
    for row in rows[3:]:
        assert (envs.step(row)[0] == twin.step(row)[0]).all()


@pytest.mark.parametrize("env_id", OPTIONS)
def test_registered_specs(env_id: str) -> None:
    own, plain = gym.spec(f"numba/{env_id}"), gym.spec(env_id)
    assert own.max_episode_steps == plain.max_episode_steps
    assert own.reward_threshold == plain.reward_threshold
    assert own.entry_point == plain.entry_point
    assert type(own).from_json(own.to_json()) == own


@pytest.mark.parametrize("env_id", IDS)
def test_single_environment_does_not_use_numba(env_id: str) -> None:
    own: Any = gym.make(f"numba/{env_id}")
    assert type(own.unwrapped) is type(gym.make(env_id).unwrapped)
    assert own.spec.id == f"numba/{env_id}"


def test_rendering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pytest.importorskip("pygame")
    ours, plain = pair("Pendulum-v1", 2, render_mode="rgb_array")
    assert_equal(ours, plain, some_actions(plain, 5))
    for item, other in zip(ours.render(), plain.render(), strict=True):
        assert (item == other).all()


def test_machine_code_is_cached_on_disk(tmp_path: Path) -> None:
    program = """
import gymkernel as gym
from gymkernel_env_classic_control_numba import mountain_car
envs = gym.make_vec("numba/MountainCar-v0", 2)
envs.reset(seed=1)
envs.step([0, 2])
print(sum(mountain_car._step.stats.cache_hits.values()), sum(mountain_car._step.stats.cache_misses.values()))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    seen = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert seen == ["0 1\n", "1 0\n"]


def test_listing_ids_does_not_import_numba() -> None:
    program = """
import sys
import gymkernel as gym
gym.spec("numba/CartPole-v1")
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
