"""Tests of all vector environments. test_cartpole_vector contains the tests of CartPole's special rules."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.vector import AutoresetMode
from gymkernel_env_classic_control import (
    AcrobotVectorEnv,
    MountainCarContinuousVectorEnv,
    MountainCarVectorEnv,
    PendulumVectorEnv,
)

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "CartPole-v1": [{}, {"sutton_barto_reward": True}],
    "MountainCar-v0": [{}, {"goal_velocity": 0.01}],
    "MountainCarContinuous-v0": [{}, {"goal_velocity": 0.01}],
    "Pendulum-v1": [{}, {"g": 9.81}],
    "Acrobot-v1": [{}],
}
IDS = tuple(OPTIONS)
SEEDED = IDS[1:]
"""The ids of the environments that create several generators from a single seed."""
CASES = [(env_id, options) for env_id in IDS for options in OPTIONS[env_id]]
N = 5


def made(env_id: str, n: int = N, **options: Any) -> Any:
    return gym.make_vec(env_id, n, "vector_entry_point", **options)


def ready(env_id: str, n: int = N, **options: Any) -> Any:
    envs = made(env_id, n, **options)
    envs.reset(seed=0)
    return envs


def some_actions(envs: Any, steps: int, seed: int = 5) -> list[Any]:
    """Sample actions, some of which may be forces outside the bounds of the action space."""
    rng, space = np.random.default_rng(seed), envs.single_action_space
    if space.shape:
        return [(rng.normal(0, 1.2, (envs.num_envs, 1)) * space.high).astype(np.float32) for _ in range(steps)]
    return list(rng.integers(0, space.n, (steps, envs.num_envs)))


def mask(*where: int) -> Any:
    marked = np.zeros(N, np.bool_)
    marked[list(where)] = True
    return marked


class Singles:
    """Single environments, whose results must equal those of a vector environment."""

    def __init__(self, env_id: str, n: int, mode: AutoresetMode, limit: int, **options: Any) -> None:
        self.envs: list[Any] = [
            gym.make(env_id, max_episode_steps=limit, disable_env_checker=True, **options) for _ in range(n)
        ]
        self.mode, self.done, self.last = mode, [False] * n, list[Any]()

    def each(self, change: Callable[[Any], None]) -> None:
        for env in self.envs:
            change(env.unwrapped)

    def reset(self, seeds: Any, options: Any = None) -> Any:
        self.last = [env.reset(seed=s, options=options)[0] for env, s in zip(self.envs, seeds, strict=True)]
        return np.array(self.last)

    def step(self, actions: Any, mask: Any = None) -> Any:
        """Return the observations, rewards, terminations, truncations and final observations."""
        rows: list[Any] = []
        final: dict[int, Any] = {}
        for i, env in enumerate(self.envs):
            if mask is not None and not mask[i]:
                rows.append([self.last[i], 0.0, False, False])
                continue
            if self.mode is AutoresetMode.NEXT_STEP and self.done[i]:
                rows.append([env.reset()[0], 0.0, False, False])
            else:
                rows.append(list(env.step(actions[i])[:4]))
            self.done[i] = rows[i][2] or rows[i][3]
            if self.done[i] and self.mode is AutoresetMode.SAME_STEP:
                final[i], rows[i][0] = rows[i][0], env.reset()[0]
            self.last[i] = rows[i][0]
        return *map(np.array, zip(*rows, strict=True)), final

    def reset_done(self) -> dict[int, Any]:
        starting = {i: self.envs[i].reset()[0] for i, done in enumerate(self.done) if done}
        self.done = [False] * len(self.envs)
        return starting


def assert_equal(envs: Any, singles: Singles, rows: list[Any]) -> int:
    """Step the vector environment and the single environments, compare the results, and count the finished episodes."""
    ended = 0
    for row in rows:
        *seen, infos = envs.step(row)
        *expected, final = singles.step(row)
        for mine, theirs in zip(seen, expected, strict=True):
            assert (mine == theirs).all()
        ended += int((seen[2] | seen[3]).sum())
        assert ("final_obs" in infos) == bool(final)
        if final:
            assert np.flatnonzero(infos["_final_obs"]).tolist() == list(final)
            assert infos["final_info"] == {}
            assert all((infos["final_obs"][i] == item).all() for i, item in final.items())
        if singles.mode is AutoresetMode.DISABLED and True in singles.done:
            observations, _ = envs.reset(options={"reset_mask": np.array(singles.done)})
            assert all((observations[i] == item).all() for i, item in singles.reset_done().items())
    return ended


@pytest.mark.parametrize("env_id, options", CASES, ids=str)
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("n", [1, N, pytest.param(30, marks=pytest.mark.slow)])
def test_vectorised_form_equals_single_environments(
    env_id: str, options: dict[str, Any], mode: AutoresetMode, n: int
) -> None:
    envs, seeds = made(env_id, n, max_episode_steps=40, autoreset_mode=mode, **options), range(3, 3 + n)
    singles = Singles(env_id, n, mode, 40, **options)
    assert (envs.reset(seed=list(seeds))[0] == singles.reset(seeds)).all()
    assert assert_equal(envs, singles, some_actions(envs, 150)) >= 3 * n


@pytest.mark.parametrize("env_id", IDS)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**31), limit=st.integers(1, 12), mode=st.sampled_from(AutoresetMode), n=st.integers(1, 4))
def test_vectorised_form_equals_single_environments_for_any_seed(
    env_id: str, seed: int, limit: int, mode: AutoresetMode, n: int
) -> None:
    envs = made(env_id, n, max_episode_steps=limit, autoreset_mode=mode)
    singles, seeds = Singles(env_id, n, mode, limit), [seed + i for i in range(n)]
    assert (envs.reset(seed=seeds)[0] == singles.reset(seeds)).all()
    assert_equal(envs, singles, some_actions(envs, 20, seed))


CHANGES: list[tuple[str, str, Any]] = [
    ("CartPole-v1", "kinematics_integrator", "semi-implicit"),
    ("MountainCar-v0", "gravity", 0.001),
    ("MountainCar-v0", "force", 0.004),
    ("MountainCarContinuous-v0", "power", 0.004),
    ("MountainCarContinuous-v0", "max_speed", 0.01),
    ("MountainCarContinuous-v0", "goal_position", -0.3),
    ("Pendulum-v1", "m", 0.3),
    ("Pendulum-v1", "l", 0.7),
    ("Pendulum-v1", "dt", 0.01),
    ("Pendulum-v1", "max_speed", 2.5),
    ("Acrobot-v1", "book_or_nips", "nips"),
    ("Acrobot-v1", "torque_noise_max", 0.7),
    ("Acrobot-v1", "dt", 0.05),
    ("Acrobot-v1", "LINK_MASS_1", 0.3),
    ("Acrobot-v1", "LINK_COM_POS_2", 0.8),
    ("Acrobot-v1", "LINK_LENGTH_1", 1.3),
    ("Acrobot-v1", "AVAIL_TORQUE", [-3, 0.5, 4.0]),
]


@pytest.mark.parametrize("env_id, name, value", CHANGES)
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("n", [N, pytest.param(30, marks=pytest.mark.slow)])
def test_vectorised_form_equals_single_environments_with_other_constants(
    env_id: str, name: str, value: Any, mode: AutoresetMode, n: int
) -> None:
    envs, singles = made(env_id, n, max_episode_steps=30, autoreset_mode=mode), Singles(env_id, n, mode, 30)
    for item in (envs, *(env.unwrapped for env in singles.envs)):
        assert hasattr(item, name)
        setattr(item, name, value)
    seeds = list(range(n))
    assert (envs.reset(seed=seeds)[0] == singles.reset(seeds)).all()
    assert_equal(envs, singles, some_actions(envs, 70))


@pytest.mark.parametrize("dtype", ["f2", "f8", "i8", "u1"])
@pytest.mark.parametrize("env_id", ["MountainCarContinuous-v0", "Pendulum-v1"])
def test_force_dtypes_are_treated_as_by_single_environments(env_id: str, dtype: str) -> None:
    envs, singles = made(env_id), Singles(env_id, N, AutoresetMode.NEXT_STEP, 200)
    assert (envs.reset(seed=list(range(N)))[0] == singles.reset(range(N))).all()
    assert_equal(envs, singles, [np.abs(row).astype(dtype) for row in some_actions(envs, 30)])


@pytest.mark.parametrize("env_id", SEEDED)
def test_integer_seed_is_that_of_the_first_row(env_id: str) -> None:
    envs, other = made(env_id), made(env_id)
    assert (envs.reset(seed=7)[0] == other.reset(seed=[7, 8, 9, 10, 11])[0]).all()
    assert envs.np_random_seed == (7, 8, 9, 10, 11)
    assert len(envs.np_random) == N


@pytest.mark.parametrize("env_id", SEEDED)
@pytest.mark.parametrize(
    "options", [{"low": -0.1, "high": 0.1, "x_init": 0.5, "y_init": 0.2}, {"high": 0.3}, {"x_init": 0.0}]
)
def test_reset_options_apply_to_one_reset(env_id: str, options: dict[str, Any]) -> None:
    envs, singles = made(env_id, max_episode_steps=5), Singles(env_id, N, AutoresetMode.NEXT_STEP, 5)
    seeds = list(range(N))
    assert (envs.reset(seed=seeds, options=options)[0] == singles.reset(seeds, options)).all()
    assert_equal(envs, singles, some_actions(envs, 15))


@pytest.mark.parametrize("env_id", SEEDED)
def test_partial_reset_does_not_change_other_rows(env_id: str) -> None:
    envs = ready(env_id)
    actions = some_actions(envs, 4)
    before = envs.step(actions[0])[0]
    kept, state = mask(0, 2), envs.state.copy()
    options = {"reset_mask": kept, "low": -0.2, "high": -0.1}
    observations, infos = envs.reset(seed=[9] * N, options=options)
    assert list(options) == ["reset_mask", "low", "high"]
    assert infos == {}
    assert (observations[~kept] == before[~kept]).all()
    assert (envs.state[:, ~kept] == state[:, ~kept]).all()
    single: Any = gym.make(env_id)
    assert (observations[2] == single.reset(seed=9, options={"low": -0.2, "high": -0.1})[0]).all()
    assert envs.steps.tolist() == [0, 1, 0, 1, 1]
    assert (envs.step(actions[1])[0][2] == single.step(actions[1][2])[0]).all()


@pytest.mark.parametrize("env_id", SEEDED)
def test_partial_reset_keeps_fresh_observations(env_id: str) -> None:
    envs = made(env_id)
    first, _ = envs.reset(seed=1)
    assert (envs.reset(options={"reset_mask": mask(0)})[0][1:] == first[1:]).all()


@pytest.mark.parametrize("env_id", SEEDED)
def test_never_reset_rows_are_zero_and_cannot_step(env_id: str) -> None:
    envs = made(env_id, render_mode="rgb_array")
    with pytest.raises(ResetNeeded, match=r"\[0, 1, 2, 3, 4\] were never reset"):
        envs.step(some_actions(envs, 1)[0])
    with pytest.raises(ResetNeeded):
        envs.render()
    observations, _ = envs.reset(seed=1, options={"reset_mask": mask(0, 1)})
    assert (observations[2:] == 0).all()
    assert observations[:2].any()
    with pytest.raises(ResetNeeded, match=r"\[2, 3, 4\] were never reset"):
        envs.step(some_actions(envs, 1)[0])


@pytest.mark.parametrize("env_id", SEEDED)
def test_disabled_mode_waits_for_a_reset_of_done_rows(env_id: str) -> None:
    envs = ready(env_id, max_episode_steps=2, autoreset_mode="Disabled")
    actions = some_actions(envs, 3)
    envs.step(actions[0])
    envs.reset(options={"reset_mask": mask(1)})
    envs.step(actions[1])
    with pytest.raises(ResetNeeded, match=r"Environments \[0, 2, 3, 4\] are done.*reset_mask"):
        envs.step(actions[2])
    envs.reset(options={"reset_mask": mask(0, 2, 3, 4)})
    envs.step(actions[2])


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_masked_step_steps_only_the_masked_rows(env_id: str, mode: AutoresetMode, noise: float) -> None:
    envs, singles = made(env_id, max_episode_steps=6, autoreset_mode=mode), Singles(env_id, N, mode, 6)
    for item in (envs, *(env.unwrapped for env in singles.envs)):
        item.torque_noise_max = noise  # only for Acrobot
    seeds, rng = list(range(N)), np.random.default_rng(2)
    assert (envs.reset(seed=seeds)[0] == singles.reset(seeds)).all()
    for row in some_actions(envs, 60):
        chosen = rng.random(N) < 0.6
        *mine, infos = envs.step_masked(row, chosen)
        *theirs, final = singles.step(row, chosen)
        assert all((item == other).all() for item, other in zip(mine, theirs, strict=True))
        assert np.flatnonzero(infos.get("_final_obs", [])).tolist() == list(final)
        if mode is AutoresetMode.DISABLED and True in singles.done:
            observations, _ = envs.reset(options={"reset_mask": np.array(singles.done)})
            for i, item in singles.reset_done().items():
                singles.last[i] = item
                assert (observations[i] == item).all()


def test_masked_step_works_beside_done_rows() -> None:
    envs = ready("Pendulum-v1", max_episode_steps=2, autoreset_mode="Disabled")
    actions = some_actions(envs, 3)
    envs.step(actions[0])
    envs.reset(options={"reset_mask": mask(0)})
    envs.step(actions[1])
    envs.step_masked(actions[2], mask(0))
    with pytest.raises(ResetNeeded, match=r"Environments \[3\] are done"):
        envs.step_masked(actions[2], mask(3))
    with pytest.raises(ValueError, match=r"Expected the mask to be a NumPy array of dtype bool and shape \(5,\)"):
        envs.step_masked(actions[2], [True] * N)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_returned_arrays_belong_to_the_caller(env_id: str, mode: AutoresetMode) -> None:
    options: dict[str, Any] = {"autoreset_mode": mode, "max_episode_steps": 2}
    envs, twin = ready(env_id, **options), ready(env_id, **options)
    for row in some_actions(envs, 4):
        for array in envs.step(row)[:4]:
            array[:] = array.dtype.type(1)
        done = np.logical_or(*twin.step(row)[2:4])
        if mode is AutoresetMode.DISABLED and done.any():
            for item in (envs, twin):
                item.reset(options={"reset_mask": done})[0][:] = 9
    assert (envs.state == twin.state).all()


@pytest.mark.parametrize("env_id", IDS)
def test_assigned_state_is_used_by_the_next_step(env_id: str) -> None:
    envs, twin = ready(env_id), ready(env_id)
    actions = some_actions(envs, 2)
    for item in (envs, twin):
        item.step(actions[0])
    envs.state[0] += 0.25
    twin.state = envs.state.copy() if env_id != "MountainCarContinuous-v0" else envs.state.astype(np.float32)
    assert (envs.step(actions[1])[0] == twin.step(actions[1])[0]).all()
    with pytest.raises(ValueError, match="finite float32 numbers of shape"):
        envs.state = [0.0]


@pytest.mark.parametrize("env_id", ["MountainCar-v0", "Acrobot-v1"])
@pytest.mark.parametrize("given", [[0] * (N - 1), [0, 1, 3, 0, 0], [0, -1, 0, 0, 0], [0.0] * N, 1, None, [[0]] * N])
def test_invalid_discrete_actions_are_rejected(env_id: str, given: Any) -> None:
    envs = ready(env_id)
    before = envs.state.copy()
    with pytest.raises(InvalidAction, match=f"Expected {N} actions that are 0, 1 or 2, got"):
        envs.step(given)
    assert (envs.state == before).all()


@pytest.mark.parametrize("env_id", ["MountainCarContinuous-v0", "Pendulum-v1"])
def test_first_number_of_an_action_is_the_force(env_id: str) -> None:
    one, other = (gym.make_vec(env_id, num_envs=N) for _ in range(2))
    one.reset(seed=1), other.reset(seed=1)
    assert np.array_equal(one.step([[0.5, 1.0]] * N)[0], other.step([[0.5]] * N)[0])


@pytest.mark.parametrize("env_id", ["MountainCarContinuous-v0", "Pendulum-v1"])
@pytest.mark.parametrize(
    "given", [[[0.5]] * (N - 1), [0.5] * N, [[]] * N, [[float("nan")]] * N, None, [["a"]] * N, [[1], []]]
)
def test_invalid_forces_are_rejected(env_id: str, given: Any) -> None:
    envs = ready(env_id)
    before = envs.state.copy()
    with pytest.raises(InvalidAction, match=rf"Expected {N} numbers .* in an array of shape \({N}, 1\), got"):
        envs.step(given)
    assert (envs.state == before).all()


@pytest.mark.parametrize("env_id", IDS)
def test_lists_are_valid_actions(env_id: str) -> None:
    envs, twin = ready(env_id), ready(env_id)
    row = some_actions(envs, 1)[0].astype(np.float64 if envs.single_action_space.shape else np.int64)
    assert (envs.step(row.tolist())[0] == twin.step(row)[0]).all()


@pytest.mark.parametrize("env_id", IDS)
def test_missing_time_limit_never_truncates(env_id: str) -> None:
    for limit in (None, -1):
        envs = type(made(env_id))(2, max_episode_steps=limit)
        envs.reset(seed=0)
        envs.steps[:] = 10**6
        assert not envs.step(some_actions(envs, 1)[0])[3].any()


@pytest.mark.parametrize(
    "cls, dtype",
    [
        (MountainCarVectorEnv, "f8"),
        (MountainCarContinuousVectorEnv, "f8"),
        (PendulumVectorEnv, "f8"),
        (AcrobotVectorEnv, "f8"),
    ],
)
def test_dtypes_and_shapes(cls: Any, dtype: str) -> None:
    envs = cls(N)
    observations, _ = envs.reset(seed=1)
    step = envs.step(some_actions(envs, 1)[0])
    assert [a.dtype for a in (observations, *step[:4])] == ["f4", "f4", dtype, "?", "?"]
    assert observations.shape == step[0].shape == envs.observation_space.shape
    assert envs.observation_space.contains(observations)
    assert step[4] == {}


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize(
    "arguments", [{"num_envs": 0}, {"num_envs": 2.0}, {"max_episode_steps": 0}, {"autoreset_mode": "Never"}]
)
def test_invalid_arguments_are_rejected(env_id: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Expected|AutoresetMode"):
        type(made(env_id))(**arguments)


@pytest.mark.parametrize("env_id", IDS)
def test_unsupported_render_modes_are_rejected(env_id: str) -> None:
    with pytest.raises(UnsupportedMode, match="vectorization_mode='sync'"):
        made(env_id, render_mode="human")
    with pytest.warns(UserWarning, match="render_mode"):
        assert ready(env_id).render() is None


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
    assert (envs.reset()[0] == twin.reset()[0]).all()


def test_generators_can_be_assigned() -> None:
    envs, twin = made("Pendulum-v1"), made("Pendulum-v1")
    twin.reset(seed=4)
    envs.np_random = twin.np_random
    assert envs.np_random_seed == (-1,) * N
    assert envs.np_random == twin.np_random
