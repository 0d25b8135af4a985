from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.spaces import Box, Discrete, MultiDiscrete
from gymkernel.vector import AutoresetMode
from gymkernel_env_classic_control import CARTPOLE_V0, CARTPOLE_V1, CartPoleEnv, CartPoleVectorEnv

SEEDS = [3, 1, 4, 1, 5]
N = len(SEEDS)


def ready(**options: Any) -> CartPoleVectorEnv:
    envs = CartPoleVectorEnv(N, **options)
    envs.reset(seed=0)
    return envs


def mask(*where: int) -> np.ndarray[Any, Any]:
    marked = np.zeros(N, np.bool_)
    marked[list(where)] = True
    return marked


def state(envs: CartPoleVectorEnv) -> np.ndarray[Any, Any]:
    assert envs.state is not None
    return envs.state


def tip(envs: CartPoleVectorEnv, *where: int) -> None:
    """Change the states of some environments so that their episodes end in the next step."""
    state(envs)[2, list(where)] = 1.0


def actions(steps: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(7).integers(0, 2, (steps, N))


def test_spaces() -> None:
    envs = CartPoleVectorEnv(N)
    assert envs.single_action_space == Discrete(2)
    assert envs.action_space == MultiDiscrete([2] * N)
    assert envs.single_observation_space == CartPoleEnv().observation_space
    assert isinstance(envs.observation_space, Box)
    assert envs.observation_space.shape == (N, 4)


@pytest.mark.parametrize("spec", [CARTPOLE_V0, CARTPOLE_V1])
def test_make_vec_creates_the_vectorised_form(spec: Any) -> None:
    envs: Any = gym.make_vec(spec, num_envs=N, autoreset_mode="SameStep")
    assert isinstance(envs, CartPoleVectorEnv)
    assert envs.max_episode_steps == spec.max_episode_steps
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert repr(envs) == f"CartPoleVectorEnv({spec.id}, num_envs={N})"
    assert CartPoleVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("sutton_barto_reward", [False, True])
@pytest.mark.parametrize("integrator", ["euler", "semi-implicit"])
@pytest.mark.parametrize("mode", AutoresetMode)
def test_vectorised_form_equals_single_environments(
    sutton_barto_reward: bool, integrator: str, mode: AutoresetMode
) -> None:
    limit = 30
    envs = CartPoleVectorEnv(N, limit, sutton_barto_reward=sutton_barto_reward, autoreset_mode=mode)
    singles = [CartPoleEnv(sutton_barto_reward) for _ in range(N)]
    for single in (envs, *singles):
        single.kinematics_integrator = integrator
    observations, _ = envs.reset(seed=SEEDS)
    assert (observations == [single.reset(seed=s)[0] for single, s in zip(singles, SEEDS, strict=True)]).all()
    length, done = [0] * N, [False] * N
    for row in actions(120):
        observations, rewards, terminations, truncations, infos = envs.step(row)
        final = []
        for i, env in enumerate(singles):
            if mode is AutoresetMode.NEXT_STEP and done[i]:
                expected: Any = (env.reset()[0], 0.0, False)
                length[i] = 0
            else:
                expected = env.step(row[i])
                length[i] += 1
            done[i] = expected[2] or length[i] >= limit
            assert (rewards[i], terminations[i], truncations[i]) == (*expected[1:3], length[i] >= limit)
            if done[i] and mode is AutoresetMode.SAME_STEP:
                assert (infos["final_obs"][i] == expected[0]).all()
                expected = env.reset()
                length[i] = 0
                final.append(i)
            assert (observations[i] == expected[0]).all()
        assert ("_final_obs" in infos) == bool(final)
        if final:
            assert np.flatnonzero(infos["_final_obs"]).tolist() == final
            assert infos["final_info"] == {}
        if mode is AutoresetMode.DISABLED and True in done:
            observations, _ = envs.reset(options={"reset_mask": np.array(done)})
            for i in np.flatnonzero(done).tolist():
                assert (observations[i] == singles[i].reset()[0]).all()
                length[i], done[i] = 0, False


def test_equal_seeds_give_equal_trajectories() -> None:
    one, other = ready(), ready()
    for row in actions(100):
        assert all((a == b).all() for a, b in zip(one.step(row)[:4], other.step(row)[:4], strict=True))


def test_step_of_a_done_row_resets_it() -> None:
    envs = ready()
    tip(envs, 2)
    assert envs.step([0] * N)[2].tolist() == mask(2).tolist()
    observations, rewards, terminations, _, _ = envs.step([0] * N)
    assert rewards.tolist() == [1, 1, 0, 1, 1]
    assert np.abs(observations[2]).max() <= 0.05
    assert not terminations.any()
    assert envs.steps.tolist() == [2, 2, 0, 2, 2]


def test_dtypes_and_truncation() -> None:
    envs = ready(max_episode_steps=2)
    envs.step([1] * N)
    observations, rewards, terminations, truncations, infos = envs.step([0] * N)
    assert [a.dtype for a in (observations, rewards, terminations, truncations)] == ["f4", "f4", "?", "?"]
    assert truncations.all()
    assert not terminations.any()
    assert infos == {}
    assert (envs.step([0] * N)[1] == 0).all()


@pytest.mark.parametrize("limit", [None, -1])
def test_missing_time_limit_never_truncates(limit: int | None) -> None:
    envs = ready(max_episode_steps=limit)
    envs.steps[:] = 10**6
    assert not envs.step([0] * N)[3].any()


def test_disabled_mode_waits_for_a_reset_of_done_rows() -> None:
    envs = ready(autoreset_mode="Disabled")
    tip(envs, 1, 3)
    envs.step([0] * N)
    before = state(envs).copy()
    with pytest.raises(ResetNeeded, match=r"Environments \[1, 3\] are done.*reset_mask"):
        envs.step([0] * N)
    envs.reset(options={"reset_mask": mask(1)})
    with pytest.raises(ResetNeeded, match=r"\[3\]"):
        envs.step([0] * N)
    options = {"reset_mask": mask(3), "low": 0.01, "high": 0.02}
    observations, _ = envs.reset(options=options)
    assert list(options) == ["reset_mask", "low", "high"]
    assert ((observations[3] >= np.float32(0.01)) & (observations[3] <= np.float32(0.02))).all()
    assert (observations[[0, 2, 4]] == before.T[[0, 2, 4]].astype(np.float32)).all()
    assert envs.steps.tolist() == [1, 0, 1, 0, 1]
    envs.step([0] * N)


def test_partial_reset_replaces_the_autoreset() -> None:
    envs = ready()
    tip(envs, 0, 4)
    envs.step([0] * N)
    envs.reset(options={"reset_mask": mask(0)})
    assert envs.step([0] * N)[1].tolist() == [1, 1, 1, 1, 0]


def test_partial_reset_seeds_the_masked_rows() -> None:
    envs = CartPoleVectorEnv(N)
    envs.reset(seed=SEEDS)
    twin = copy.deepcopy(envs)
    observations, _ = envs.reset(seed=[9] * N, options={"reset_mask": mask(2)})
    assert (observations[2] == CartPoleEnv().reset(seed=9)[0]).all()
    assert (np.delete(envs.reset()[0], 2, 0) == np.delete(twin.reset()[0], 2, 0)).all()


def test_seed_of_none_keeps_a_generator() -> None:
    envs = CartPoleVectorEnv(N)
    envs.reset(seed=SEEDS)
    single = CartPoleEnv()
    single.reset(seed=SEEDS[0])
    assert (envs.reset(seed=[None, 1, 2, 3, 4])[0][0] == single.reset()[0]).all()
    CartPoleVectorEnv(N).reset(seed=[None] * N)


def test_one_seed_replaces_many_generators() -> None:
    envs = CartPoleVectorEnv(N)
    envs.reset(seed=SEEDS)
    assert (envs.reset(seed=0)[0] == CartPoleVectorEnv(N).reset(seed=np.int64(0))[0]).all()  # type: ignore[arg-type]


def test_reset_bounds_apply_until_the_next_reset() -> None:
    envs = CartPoleVectorEnv(N)
    envs.reset(seed=0, options={"low": 0.06, "high": 0.07})
    tip(envs, 0)
    envs.step([0] * N)
    assert (envs.step([0] * N)[0][0] >= np.float32(0.06)).all()
    assert np.abs(envs.reset()[0]).max() <= 0.05


@pytest.mark.parametrize("given", [SEEDS[1:], [*SEEDS, 1]])
def test_each_row_can_have_a_seed(given: list[int]) -> None:
    with pytest.raises(ValueError, match="one seed for each"):
        CartPoleVectorEnv(N).reset(seed=given)


@pytest.mark.parametrize(
    "given", [[0] * (N - 1), [0, 1, 2, 0, 0], [0, -1, 0, 0, 0], [0.0] * N, 1, None, [[0]] * N, ["0"] * N]
)
def test_invalid_action_arrays_are_rejected(given: Any) -> None:
    envs = ready()
    before = state(envs).copy()
    with pytest.raises(InvalidAction, match=f"Expected {N} actions that are 0 or 1"):
        envs.step(given)
    assert (state(envs) == before).all()


@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u8", "?"])
def test_integer_types_are_valid_actions(dtype: str) -> None:
    given = np.array([0, 1, 1, 0, 1])
    assert (ready().step(given.astype(dtype))[0] == ready().step(given)[0]).all()


def test_step_before_reset_is_rejected() -> None:
    envs = CartPoleVectorEnv(N, render_mode="rgb_array")
    with pytest.raises(ResetNeeded, match=r"\[0, 1, 2, 3, 4\] were never reset"):
        envs.step([0] * N)
    with pytest.raises(ResetNeeded):
        envs.render()
    envs.reset(options={"reset_mask": mask(0, 1)})
    with pytest.raises(ResetNeeded, match=r"\[2, 3, 4\] were never reset"):
        envs.step([0] * N)


@pytest.mark.parametrize("options", [{"low": 0.2}, {"high": "far"}, {"low": float("nan")}])
def test_invalid_reset_bounds_are_rejected(options: dict[str, Any]) -> None:
    envs, twin = ready(), ready()
    with pytest.raises(ValueError, match="Expected options"):
        envs.reset(seed=9, options=options)
    assert (envs.reset()[0] == twin.reset()[0]).all()


@pytest.mark.parametrize(
    "marked, error",
    [([True] * N, TypeError), (np.ones(N), TypeError), (mask()[1:], ValueError), (mask(), ValueError)],
)
def test_invalid_reset_mask_is_rejected(marked: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="reset_mask"):
        ready().reset(options={"reset_mask": marked})


@pytest.mark.parametrize(
    "arguments",
    [{"num_envs": 0}, {"num_envs": 2.0}, {"num_envs": True}, {"max_episode_steps": 0}, {"autoreset_mode": "Never"}],
)
def test_invalid_arguments_are_rejected(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Expected|AutoresetMode"):
        CartPoleVectorEnv(**arguments)


def test_unsupported_render_modes_are_rejected() -> None:
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        CartPoleVectorEnv(render_mode="human")
    with pytest.warns(UserWarning, match="render_mode"):
        assert ready().render() is None


@pytest.mark.parametrize("mode", AutoresetMode)
def test_returned_arrays_belong_to_the_caller(mode: AutoresetMode) -> None:
    envs, twin = ready(autoreset_mode=mode), ready(autoreset_mode=mode)
    for item in (envs, twin):
        tip(item, 1)
    for row in actions(3):
        for array in envs.step(row)[:4]:
            array[:] = array.dtype.type(1)
        done = twin.step(row)[2]
        if mode is AutoresetMode.DISABLED and done.any():
            for item in (envs, twin):
                item.reset(options={"reset_mask": done})[0][:] = 9
    assert (state(envs) == state(twin)).all()
    assert (envs.steps == twin.steps).all()


def test_step_does_not_modify_earlier_states() -> None:
    envs = ready()
    first = state(envs)
    kept = first.copy()
    envs.step([0] * N)
    assert (first == kept).all()
    envs.state = first
    assert (envs.step([0] * N)[0] == ready().step([0] * N)[0]).all()


def test_constants_can_differ_between_rows() -> None:
    envs, strong = ready(), ready()
    envs.gravity = np.full(N, 9.8)  # type: ignore[assignment]
    assert (envs.step([0] * N)[0] == strong.step([0] * N)[0]).all()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copy_continues_identically(copied: Any) -> None:
    envs = ready()
    tip(envs, 1)
    envs.step([0] * N)
    twin = copied(envs)
    for row in actions(20):
        assert (envs.step(row)[0] == twin.step(row)[0]).all()
    assert (envs.reset()[0] == twin.reset()[0]).all()


def test_close_can_be_repeated() -> None:
    envs = ready()
    envs.close()
    envs.close()
    assert envs.closed
