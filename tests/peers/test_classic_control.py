"""Tests that MountainCar, Pendulum and Acrobot equal Gymnasium's to the last bit. CartPole is in test_cartpole."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control import AcrobotEnv, Continuous_MountainCarEnv, MountainCarEnv, PendulumEnv
from tests.peers.both import LIBRARIES, outcome, same

import gymkernel
import gymkernel_env_classic_control as pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SEEDS = (0, 1, 42, 2**31)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "MountainCar-v0": [{}, {"goal_velocity": 0.02}],
    "MountainCarContinuous-v0": [{}, {"goal_velocity": 0.02}],
    "Pendulum-v1": [{}, {"g": 9.81}, {"g": 0}],
    "Acrobot-v1": [{}],
}
IDS = tuple(OPTIONS)
CASES = [(env_id, options) for env_id in IDS for options in OPTIONS[env_id]]
CLASSES: list[tuple[Any, Any]] = [
    (pack.MountainCarEnv, MountainCarEnv),
    (pack.Continuous_MountainCarEnv, Continuous_MountainCarEnv),
    (pack.PendulumEnv, PendulumEnv),
    (pack.AcrobotEnv, AcrobotEnv),
]
FORCED = CLASSES[1:3]
pytestmark = pytest.mark.filterwarnings("ignore:.*(out of date|precision lowered|render method)")


def actions(space: Any, seed: int, *shape: int) -> Any:
    """Return actions, some repeated so that cars reach the goal, and forces outside the bounds."""
    rng = np.random.default_rng(seed)
    runs = np.repeat(np.arange(shape[0] // 8 + 1), 8)[: shape[0]]
    if space.shape:
        each: Any = rng.normal(0, 1.5 * space.high[0], (shape[0], *shape[1:], 1)).astype(np.float32)
    else:
        each = rng.integers(0, space.n, shape)
    return np.where((runs % 3 == 0).reshape(-1, *[1] * (each.ndim - 1)), each, each[runs])


def assert_same_steps(ours: Any, theirs: Any, rows: Any) -> int:
    """Step both environments, reset both at the end of an episode, and return the number of ended episodes."""
    ended = 0
    for row in rows:
        mine, their = ours.step(row), theirs.step(row)
        assert same(mine, their)
        if their[2] or their[3]:
            ended += 1
            assert same(ours.reset(), theirs.reset())
    return ended


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("env_id, options", CASES, ids=str)
def test_trajectories_through_make(env_id: str, options: dict[str, Any], seed: int) -> None:
    ours, theirs = (library.make(env_id, **options) for library in LIBRARIES)
    assert same(ours.reset(seed=seed), theirs.reset(seed=seed))
    assert assert_same_steps(ours, theirs, actions(ours.action_space, seed, 5000)) >= 5
    assert ours.np_random_seed == theirs.np_random_seed
    assert (ours.unwrapped.state == np.array(theirs.unwrapped.state)).all()


def swing(env_id: str, observation: Any) -> Any:
    """Return an action in the direction of movement, so that the goal is reached."""
    if env_id == "Acrobot-v1":
        return 2 if observation[4] < 0 else 0
    if env_id == "MountainCar-v0":
        return 2 if observation[1] >= 0 else 0
    return np.array([1.0 if observation[1] >= 0 else -1.0], np.float32)


@pytest.mark.parametrize("env_id", ["MountainCar-v0", "MountainCarContinuous-v0", "Acrobot-v1"])
def test_episodes_that_reach_the_goal(env_id: str) -> None:
    ours, theirs = (library.make(env_id) for library in LIBRARIES)
    observation, _ = ours.reset(seed=3)
    theirs.reset(seed=3)
    arrived = 0
    for _ in range(4000):
        action = swing(env_id, observation)
        mine, their = ours.step(action), theirs.step(action)
        assert same(mine, their)
        observation = mine[0]
        arrived += mine[2]
        if mine[2] or mine[3]:
            observation, _ = ours.reset()
            assert same(observation, theirs.reset()[0])
    assert arrived >= 5


@pytest.mark.parametrize("ours, theirs", CLASSES)
def test_steps_after_the_end(ours: Any, theirs: Any) -> None:
    one, other = ours(), theirs()
    for env in (one, other):
        env.reset(seed=8)
    for action in actions(one.action_space, 8, 3000):
        assert same(one.step(action), other.step(action))
        assert (one.state == np.array(other.state)).all()


CONSTANTS: dict[str, dict[str, Any]] = {
    "MountainCarEnv": {"force": 0.003, "gravity": 0.002, "max_speed": 0.05, "min_position": -1.0, "max_position": 0.3}
    | {"goal_position": 0.2},
    "Continuous_MountainCarEnv": {"power": 0.004, "max_speed": 0.05, "min_position": -1.0, "max_position": 0.3}
    | {"goal_position": 0.2, "min_action": -0.5, "max_action": 0.75},
    "PendulumEnv": {"m": 0.7, "l": 1.3, "dt": 0.02, "max_speed": 5.5, "max_torque": 3.25, "g": 3.7},
    "AcrobotEnv": {"dt": 0.11, "LINK_LENGTH_1": 1.3, "LINK_MASS_1": 0.7, "LINK_MASS_2": 1.9, "LINK_COM_POS_1": 0.6}
    | {"LINK_COM_POS_2": 0.3, "LINK_MOI": 0.8, "MAX_VEL_1": 3.0, "MAX_VEL_2": 5.0, "AVAIL_TORQUE": [-3.0, 0.5, 4]},
}


@pytest.mark.parametrize("ours, theirs", CLASSES)
def test_other_constants(ours: Any, theirs: Any) -> None:
    one, other = ours(), theirs()
    for env in (one, other):
        env.reset(seed=1)
        for name, value in CONSTANTS[ours.__name__].items():
            assert hasattr(env, name)
            setattr(env, name, value)
    assert_same_steps(one, other, actions(one.action_space, 1, 3000))


@pytest.mark.parametrize("book", ["book", "nips"])
@pytest.mark.parametrize("noise", [0.0, 0.5, 3])
def test_acrobot_equations_and_noise(book: str, noise: float) -> None:
    ours, theirs = pack.AcrobotEnv(), AcrobotEnv()
    for env in (ours, theirs):
        env.book_or_nips, env.torque_noise_max = book, noise
        env.reset(seed=4)
    assert_same_steps(ours, theirs, actions(ours.action_space, 4, 2000))
    assert ours.np_random.random() == theirs.np_random.random()


@pytest.mark.parametrize("ours, theirs", CLASSES)
def test_attributes_after_construction(ours: Any, theirs: Any) -> None:
    one, other = ours(), theirs()
    for name in dir(other):
        value = getattr(other, name)
        if (
            isinstance(value, int | float | str | np.ndarray)
            and not name.startswith("_")
            and name not in {"isopen", "np_random_seed"}
        ):
            assert same(getattr(one, name), value), name
    assert ours.metadata == theirs.metadata
    assert same(one.observation_space, other.observation_space)
    assert same(one.action_space, other.action_space)


BOUNDS: list[Any] = [None, {}, {"low": -0.1, "high": 0.1}, {"low": -0.5}, {"high": 0.2}, {"other": 3}]
BOUNDS += [{"low": 1, "high": 1}, {"low": "-0.55"}, {"low": np.float32(-0.6)}]
BOUNDS += [{"low": 0.3}, {"high": "far"}, {"low": None}]
BOUNDS += [{"x_init": 1.0, "y_init": 0.5}, {"x_init": 2}, {"y_init": "0.1"}, {"x_init": None}, {"y_init": "far"}]


@pytest.mark.parametrize("options", BOUNDS, ids=repr)
@pytest.mark.parametrize("ours, theirs", CLASSES)
def test_reset_options(ours: Any, theirs: Any, options: dict[str, Any] | None) -> None:
    assert same(*(outcome(cls().reset, seed=5, options=options) for cls in (ours, theirs)))


FORCES: list[Any] = [np.array([value], dtype) for value in (0.3, 5.0, -2.0, math.inf) for dtype in ("f2", "f4", "f8")]
FORCES += [np.array([1]), np.array([1], np.int8), [0.3], [1], [-7.5], np.array([0.1, 0.2])[::2]]


@pytest.mark.parametrize("action", FORCES, ids=repr)
@pytest.mark.parametrize("ours, theirs", FORCED)
def test_forces_of_other_types_and_outside_the_bounds(ours: Any, theirs: Any, action: Any) -> None:
    one, other = ours(), theirs()
    for env in (one, other):
        env.reset(seed=5)
    for _ in range(4):
        mine, their = outcome(one.step, action), outcome(other.step, action)
        assert same(mine, their)


@pytest.mark.parametrize("action", [0, 1, 2, True, np.int8(1), np.array(2)], ids=repr)
@pytest.mark.parametrize("ours, theirs", [CLASSES[0], CLASSES[3]])
def test_integer_types_are_valid_actions(ours: Any, theirs: Any, action: Any) -> None:
    one, other = ours(), theirs()
    for env in (one, other):
        env.reset(seed=5)
    assert same(one.step(action), other.step(action if theirs is AcrobotEnv else int(action)))


@pytest.mark.parametrize("ours, theirs", CLASSES)
def test_assigned_state(ours: Any, theirs: Any) -> None:
    one, other = ours(), theirs()
    state = np.array([0.1, 0.02, 0.05, -0.3][: len(one.parts)])
    for env in (one, other):
        env.reset(seed=5)
        env.state = state.copy()
    rows = actions(one.action_space, 5, 20)
    assert_same_steps(one, other, rows[:10])
    if theirs is not MountainCarEnv:  # the state of MountainCar is a tuple, which cannot be modified in place
        for env in (one, other):
            env.state[1] += 0.01
        assert_same_steps(one, other, rows[10:])


MODES = ("NextStep", "SameStep", "Disabled")


def rollout(library: Any, make: Callable[[Any], Any], mode: str, seed: int, steps: int) -> Iterator[Any]:
    envs = make(library.vector.AutoresetMode(mode))
    yield envs.reset(seed=seed)
    for row in actions(envs.single_action_space, seed, steps, envs.num_envs):
        *step, infos = envs.step(row)
        yield step, infos
        done = step[2] | step[3]
        if mode == "Disabled" and done.any():
            yield envs.reset(options={"reset_mask": done})
    yield envs.reset(options={"low": -0.2, "high": -0.1, "x_init": 0.1})
    yield envs.step(actions(envs.single_action_space, 1, 1, envs.num_envs)[0])
    yield envs.np_random_seed, [generator.random() for generator in envs.np_random]
    envs.close()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id, options", CASES, ids=str)
@pytest.mark.parametrize("num_envs", [1, 3, 200])
def test_vectorised_form_equals_gymnasiums_sync_backend(
    mode: str, env_id: str, options: dict[str, Any], num_envs: int
) -> None:
    limit, steps = (50, 40) if num_envs == 200 else (120, 800)
    options = {**options, "max_episode_steps": limit}
    ours = rollout(
        gymkernel,
        lambda mode: gymkernel.make_vec(env_id, num_envs, "vector_entry_point", autoreset_mode=mode, **options),
        mode,
        7,
        steps,
    )
    theirs = rollout(
        gymnasium,
        lambda mode: gymnasium.make_vec(
            env_id, num_envs, "sync", vector_kwargs={"autoreset_mode": mode}, disable_env_checker=True, **options
        ),
        mode,
        7,
        steps,
    )
    for mine, their in zip(ours, theirs, strict=True):
        assert same(mine, their)


@pytest.mark.parametrize("env_id", IDS)
def test_make_vec_with_default_arguments(env_id: str) -> None:
    answers = []
    for library in LIBRARIES:
        envs = library.make_vec(env_id, num_envs=4)
        answers.append([envs.reset(seed=11)[0]])
        answers[-1] += [envs.step(row)[:4] for row in actions(envs.single_action_space, 2, 300, 4)]
    assert same(answers[0], answers[1])


@pytest.mark.parametrize("env_id", IDS)
def test_registered_specs(env_id: str) -> None:
    ours, theirs = gymkernel.spec(env_id), gymnasium.spec(env_id)
    for name in vars(theirs):
        if not name.endswith("entry_point"):
            assert getattr(ours, name) == getattr(theirs, name), name


@pytest.mark.parametrize("env_id", IDS)
def test_printed_forms(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ours, theirs = (str(library.make(env_id)) for library in LIBRARIES)
    assert ours == theirs


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", ["rgb_array", "rgb_array_list"])
def test_frames_have_the_same_shape(env_id: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pytest.importorskip("pygame")
    shapes = []
    for library in LIBRARIES:
        env = library.make(env_id, render_mode=mode)
        env.reset(seed=1)
        env.step(env.action_space.sample())
        shapes.append(np.array(env.render()).shape)
        env.close()
    assert shapes[0] == shapes[1]
