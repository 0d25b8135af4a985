"""Tests that vectorised functional environments equal `SyncVectorEnv` and the classic control environments."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.vector.alike import assert_alike, same

import gymkernel as gym
from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel.experimental.functional import FuncEnv, FunctionalEnv, FunctionalVectorEnv
from gymkernel.spaces import Box, Discrete
from gymkernel.vector import AutoresetMode
from gymkernel.wrappers import TimeLimit
from gymkernel_env_functional import CartPoleFunctional, PendulumFunctional
from gymkernel_env_functional.batches import merge, rows, stack, take

N = 5


class Looped(FuncEnv[Any, Any, Any, Any, Any, Any, Any]):
    """A functional environment with randomness in every function, with infos, and with a state that is not an array."""

    observation_space, action_space = Discrete(100), Discrete(2)

    def initial(self, rng: Any, params: Any = None) -> Any:
        return {"place": int(rng.integers(40, 60)), "way": []}

    def transition(self, state: Any, action: Any, rng: Any, params: Any = None) -> Any:
        place = int(np.clip(state["place"] + 2 * int(action) - 1 + rng.integers(-1, 2), 0, 99))
        return {"place": place, "way": [*state["way"], place]}

    def observation(self, state: Any, rng: Any, params: Any = None) -> Any:
        return int(np.clip(state["place"] + rng.integers(-1, 2), 0, 99))

    def reward(self, state: Any, action: Any, next_state: Any, rng: Any, params: Any = None) -> Any:
        return next_state["place"] - state["place"] + rng.random()

    def terminal(self, state: Any, rng: Any, params: Any = None) -> Any:
        return not 45 <= state["place"] < 55

    def state_info(self, state: Any, params: Any = None) -> dict[str, Any]:
        return {"place": state["place"]}

    def transition_info(self, state: Any, action: Any, next_state: Any, params: Any = None) -> dict[str, Any]:
        return {"place": next_state["place"], "steps": len(next_state["way"])}


class Ball(NamedTuple):
    """A state that consists of several arrays."""

    height: Any
    speed: Any


class Batched(FuncEnv[Ball, Any, Any, Any, Any, Any, Any]):
    """A functional environment whose functions accept one state or many.

    Its infos exist only while a ball is in the air.
    """

    batched = True
    observation_space, action_space = Box(-np.inf, np.inf, (2,), np.float64), Discrete(2)

    def initial(self, rng: Any, params: Any = None) -> Ball:
        return Ball(rng.uniform(1, 2), rng.uniform(-1, 1))

    def transition(self, state: Ball, action: Any, rng: Any, params: Any = None) -> Ball:
        speed = state.speed - 0.1 + 0.15 * np.asarray(action)
        return Ball(state.height + 0.1 * speed, speed)

    def observation(self, state: Ball, rng: Any, params: Any = None) -> Any:
        return np.stack([state.height, state.speed], axis=-1)

    def reward(self, state: Ball, action: Any, next_state: Ball, rng: Any, params: Any = None) -> Any:
        return next_state.height - state.height

    def terminal(self, state: Ball, rng: Any, params: Any = None) -> Any:
        return state.height < 0.9

    def state_info(self, state: Ball, params: Any = None) -> dict[str, Any]:
        return {"energy": state.speed**2 / 2}

    def transition_info(self, state: Ball, action: Any, next_state: Ball, params: Any = None) -> dict[str, Any]:
        return {"energy": next_state.speed**2 / 2, "both": {"before": state.height}}


CASES = {"looped": Looped, "batched": Batched, "cartpole": CartPoleFunctional, "pendulum": PendulumFunctional}


def both(name: str, mode: Any, limit: int = 23) -> tuple[Any, Any]:
    functions = CASES[name]()
    own = FunctionalVectorEnv(functions, N, limit, autoreset_mode=mode)
    singles = gym.vector.SyncVectorEnv(
        [lambda: TimeLimit(FunctionalEnv(functions), limit)] * N,
        autoreset_mode=mode,
    )
    own.action_space.seed(4)
    return own, singles


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_vector_form_equals_functional_environments(name: str, mode: AutoresetMode) -> None:
    own, singles = both(name, mode)
    assert assert_alike(own, singles, 3, (own.action_space.sample() for _ in range(100)))
    assert own.np_random_seed == singles.np_random_seed


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", AutoresetMode)
def test_masked_step_does_not_change_other_rows(name: str, mode: AutoresetMode) -> None:
    own, singles = both(name, mode)
    assert assert_alike(own, singles, 3, (own.action_space.sample() for _ in range(100)), some=True)


@pytest.mark.parametrize("name", CASES)
def test_empty_mask_steps_nothing(name: str) -> None:
    own, singles = both(name, "NextStep")
    for envs in (own, singles):
        envs.reset(seed=3)
    actions, mask = own.action_space.sample(), np.zeros(N, np.bool_)
    step = own.step_masked(actions, mask)
    assert same(step, singles.step_masked(actions, mask))
    assert step[4] == {}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mask", [np.ones(4, np.bool_), np.ones(N, np.int64), [True] * N], ids=["short", "int", "list"])
def test_invalid_mask_steps_nothing(name: str, mask: Any) -> None:
    own, twin = both(name, "NextStep")[0], both(name, "NextStep")[0]
    for envs in (own, twin):
        envs.reset(seed=1)
    actions = own.action_space.sample()
    with pytest.raises(ValueError, match=rf"^Expected the mask to be a NumPy array of dtype bool and shape \({N},\)"):
        own.step_masked(actions, mask)
    assert same(own.step(actions), twin.step(actions))


@pytest.mark.parametrize("name", CASES)
def test_masked_steps_have_the_requirements_of_steps(name: str) -> None:
    own, _ = both(name, "Disabled", 1)
    actions, mask = own.action_space.sample(), np.arange(N) < 2
    with pytest.raises(ResetNeeded, match="before reset"):
        own.step_masked(actions, mask)
    own.reset(seed=1)
    own.step_masked(actions, mask)
    with pytest.raises(ResetNeeded, match=r"Environments \[0, 1\] are done"):
        own.step_masked(actions, np.arange(N) < 3)
    assert own.step_masked(actions, ~mask)[3].tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("name", CASES)
def test_partial_resets_with_seeds(name: str) -> None:
    own, singles = both(name, "NextStep")
    assert same(own.reset(seed=[1, 2, 3, 4, 5]), singles.reset(seed=[1, 2, 3, 4, 5]))
    for k in range(30):
        actions = own.action_space.sample()
        assert same(own.step(actions), singles.step(actions))
        if k % 5 == 0:
            options = {"reset_mask": np.arange(N) % 3 == k % 3}
            seed = [k, None, k, None, k]
            assert same(own.reset(seed=seed, options=options), singles.reset(seed=seed, options=options))


@pytest.mark.parametrize("name", CASES)
def test_state_can_be_set(name: str) -> None:
    own, _ = both(name, "NextStep")
    own.reset(seed=1)
    kept, generators, actions = own.state, copy.deepcopy(own._rows.generators), own.action_space.sample()
    first = own.step(actions)
    own.state, own._rows.generators = kept, generators
    going = ~first[2]  # all other environments start an episode in this step
    assert all((mine[going] == before[going]).all() for mine, before in zip(own.step(actions)[:3], first, strict=False))


@pytest.mark.parametrize("name", CASES)
def test_step_before_reset_is_rejected(name: str) -> None:
    own, _ = both(name, "Disabled", 1)
    with pytest.raises(ResetNeeded, match="reset"):
        own.step([0] * N)
    with pytest.raises(ResetNeeded, match="first reset"):
        own.reset(options={"reset_mask": np.arange(N) < 2})
    own.reset(seed=1)
    own.step(own.action_space.sample())
    with pytest.raises(ResetNeeded, match="DISABLED"):
        own.step(own.action_space.sample())


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("actions", [1, [0] * (N - 1)])
def test_invalid_actions_are_rejected(name: str, actions: Any) -> None:
    own, _ = both(name, "NextStep")
    own.reset(seed=1)
    with pytest.raises(InvalidAction, match=f"Expected {N} actions"):
        own.step(actions)


@pytest.mark.parametrize("num_envs", [0, 1.5, True])
def test_invalid_num_envs_is_rejected(num_envs: Any) -> None:
    with pytest.raises(ValueError, match="num_envs"):
        FunctionalVectorEnv(Batched(), num_envs)


def test_make_vec_creates_the_functional_form() -> None:
    envs: Any = gym.make_vec("functional/CartPole-v1", num_envs=3, autoreset_mode="SameStep", length=1.0)
    assert envs.max_episode_steps == 500
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    single: Any = gym.make("functional/CartPole-v1", length=1.0)
    assert (envs.reset(seed=4)[0][1] == single.reset(seed=5)[0]).all()
    assert (envs.step([1, 1, 1])[0][1] == single.step(1)[0]).all()


@pytest.mark.parametrize("env_id", ["functional/CartPole-v1", "functional/Pendulum-v1"])
def test_rendering_gives_a_frame_per_environment(env_id: str) -> None:
    envs, single = gym.make_vec(env_id, num_envs=2, render_mode="rgb_array"), gym.make(env_id, render_mode="rgb_array")
    with pytest.raises(ResetNeeded):
        envs.render()
    envs.reset(seed=1)
    single.reset(seed=2)
    frames = envs.render()
    assert frames is not None
    assert (frames[1] == single.render()).all()
    envs.close()
    with pytest.warns(UserWarning, match="render_mode"):
        assert gym.make_vec(env_id).render() is None


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_copy_continues_identically(name: str, copied: Any) -> None:
    own, _ = both(name, "NextStep")
    own.reset(seed=1)
    twin = copied(own)
    for _ in range(30):
        actions = own.action_space.sample()
        assert same(own.step(actions), twin.step(actions))


@pytest.mark.parametrize("name", CASES)
def test_returned_observations_belong_to_the_caller(name: str) -> None:
    own, twin = both(name, "NextStep")[0], both(name, "NextStep")[0]
    for item in (own, twin):
        item.reset(seed=1)
    for _ in range(5):
        actions = own.action_space.sample()
        own.step(actions)[0][:] = 0
        twin.step(actions)
    actions = own.action_space.sample()
    assert same(own.step(actions), twin.step(actions))


def test_batches_can_be_trees() -> None:
    trees = [Ball(np.float64(1), {"x": np.arange(2)}), Ball(np.float64(2), {"x": np.arange(2) + 5})]
    batch = stack(trees)
    assert type(batch) is Ball
    assert batch.speed["x"].shape == (2, 2)
    assert same(rows(batch, 2), trees)
    swapped = take(batch, np.array([1, 0]))
    assert same(merge(2, [(np.array([1, 0]), swapped)]), batch)


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1"])
@pytest.mark.parametrize("seed", range(5))
def test_functional_forms_follow_classic_control(name: str, seed: int) -> None:
    ours: Any = gym.make(f"functional/{name}")
    theirs: Any = gym.make(name)
    for env in (ours, theirs):
        env.action_space.seed(seed)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    for _ in range(2):
        mine, _ = ours.reset()
        theirs.reset()
        theirs.unwrapped.state = ours.unwrapped.state
        ended = False
        while not ended:
            action = ours.action_space.sample()
            mine, their = ours.step(action), theirs.step(action)
            assert mine[0] == pytest.approx(their[0], rel=1e-5, abs=1e-6)
            assert mine[1] == pytest.approx(their[1], rel=1e-6, abs=1e-6)
            assert mine[2:] == their[2:]
            ended = mine[2] or mine[3]


@pytest.mark.parametrize("name", ["CartPole-v1", "Pendulum-v1"])
def test_equal_seeds_start_like_classic_control(name: str) -> None:
    mine, theirs = gym.make(f"functional/{name}").reset(seed=6)[0], gym.make(name).reset(seed=6)[0]
    assert (mine == theirs).all()
