from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.experimental.functional import FuncEnv, FunctionalEnv, FunctionalVectorEnv
from gymkernel.spaces import Discrete
from gymkernel_env_functional import (
    CARTPOLE,
    PENDULUM,
    CartPoleFunctional,
    CartPoleParams,
    PendulumFunctional,
    PendulumParams,
)


class Walk(FuncEnv[int, int, int, float, bool, list[int], int]):
    """A random walk in which every function uses random numbers. `params` is the length of a step."""

    observation_space, action_space = Discrete(100), Discrete(2)

    def initial(self, rng: Any, params: int | None = None) -> int:
        return int(rng.integers(40, 60))

    def transition(self, state: int, action: int, rng: Any, params: int | None = None) -> int:
        return int(np.clip(state + (2 * int(action) - 1) * (params or 1) + rng.integers(-1, 2), 0, 99))

    def observation(self, state: int, rng: Any, params: int | None = None) -> int:
        return int(np.clip(state + rng.integers(-1, 2), 0, 99))

    def reward(self, state: int, action: int, next_state: int, rng: Any, params: int | None = None) -> float:
        return next_state - state + float(rng.random())

    def terminal(self, state: int, rng: Any, params: int | None = None) -> bool:
        return not 45 <= state < 55

    def state_info(self, state: int, params: int | None = None) -> dict[str, Any]:
        return {"place": state}

    def transition_info(self, state: int, action: int, next_state: int, params: int | None = None) -> dict[str, Any]:
        return {"moved": next_state - state, "place": next_state}

    def render_init(self, params: int | None = None, **kwargs: Any) -> list[int]:
        return []

    def render_image(self, state: int, render_state: list[int], params: int | None = None) -> tuple[list[int], Any]:
        return [*render_state, state], np.full((2, 2, 3), state, np.uint8)


def test_step_calls_the_functions_in_order() -> None:
    env, functions, rng = FunctionalEnv(Walk()), Walk(), np.random.default_rng(3)
    state = functions.initial(rng)
    assert env.reset(seed=3) == (functions.observation(state, rng), {"place": state})
    for action in (1, 0, 0, 1):
        reached = functions.transition(state, action, rng)
        observation = functions.observation(reached, rng)
        reward = functions.reward(state, action, reached, rng)
        info = {"moved": reached - state, "place": reached}
        assert env.step(action) == (observation, reward, functions.terminal(reached, rng), False, info)
        state = reached


def test_params_reach_every_function() -> None:
    env = FunctionalEnv(Walk(), params=20)
    env.reset(seed=1)
    assert abs(env.step(1)[4]["moved"]) >= 19


def test_options_become_attributes() -> None:
    assert vars(Walk({"speed": 3}))["speed"] == 3
    assert Walk().default_params is None


def test_transform_reaches_every_function() -> None:
    called, functions = [], Walk()

    def noted(function: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            called.append(function.__name__)
            return function(*arguments, **options)

        return call

    functions.transform(noted)
    env = FunctionalEnv(functions)
    env.reset(seed=1)
    env.step(0)
    names = {"initial", "transition", "observation", "reward", "terminal", "state_info", "transition_info"}
    assert set(called) == names


def test_step_before_reset_is_rejected() -> None:
    env = FunctionalEnv(Walk(), render_mode="rgb_array")
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)
    with pytest.raises(ResetNeeded, match="reset"):
        env.render()


def test_render_state_is_passed_on() -> None:
    env = FunctionalEnv(Walk(), render_mode="rgb_array")
    env.reset(seed=1)
    for _ in range(2):
        assert (env.render() == env.state).all()
    assert env._render_state == [env.state] * 2
    env.close()
    env.close()
    assert env._render_state is None


def test_render_modes() -> None:
    assert FunctionalEnv(Walk()).metadata["render_modes"] == ["rgb_array"]
    assert FunctionalEnv(Walk(), {"render_modes": []}).metadata == {"render_modes": []}
    with pytest.raises(UnsupportedMode, match="rgb_array"):
        FunctionalEnv(Walk(), render_mode="human")
    env = FunctionalEnv(Walk())
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@pytest.mark.parametrize("spec, steps", [(CARTPOLE, 500), (PENDULUM, 200)])
def test_registered_specs(spec: Any, steps: int) -> None:
    env = gym.make(spec)
    assert env.spec is not None
    assert env.spec.max_episode_steps == steps
    assert gym.spec(spec.id) is spec
    assert type(env.unwrapped) is FunctionalEnv
    assert repr(gym.make_vec(spec, num_envs=2)) == f"FunctionalVectorEnv({spec.id}, num_envs=2)"


def test_cartpole_rewards() -> None:
    functions, rng = CartPoleFunctional(), None
    up, down = np.zeros(4), np.array([0.0, 0.0, 1.0, 0.0])
    pairs = (up, up), (up, down), (down, down)
    assert [float(functions.reward(state, 0, then, rng)) for state, then in pairs] == [1, 1, 0]
    book = CartPoleParams(sutton_barto_reward=True)
    assert [float(functions.reward(up, 0, then, rng, book)) for then in (up, down)] == [0, -1]


def test_arguments_are_not_modified() -> None:
    for functions in (CartPoleFunctional(), PendulumFunctional()):
        rng = np.random.default_rng(0)
        state = functions.initial(rng)
        kept = state.copy()
        functions.action_space.seed(0)
        action: Any = functions.action_space.sample()
        functions.observation(state, rng)[:] = 9
        functions.transition(state, action, rng)[:] = 9
        assert (state == kept).all()


@pytest.mark.parametrize("functions", [CartPoleFunctional(), PendulumFunctional()], ids=["cartpole", "pendulum"])
def test_batched_states_equal_single_states(functions: Any) -> None:
    rng = np.random.default_rng(1)
    functions.action_space.seed(1)
    states = np.stack([functions.initial(rng) for _ in range(6)])
    actions = np.stack([functions.action_space.sample() for _ in range(6)])
    together = functions.transition(states, actions, rng)
    assert (together == [functions.transition(s, a, rng) for s, a in zip(states, actions, strict=True)]).all()
    rewards = functions.reward(states, actions, together, rng)
    alone = [functions.reward(s, a, t, rng) for s, a, t in zip(states, actions, together, strict=True)]
    assert (rewards == alone).all()


def test_constants() -> None:
    env: Any = gym.make("functional/CartPole-v1", force_mag=0.0, x_init=0.0)
    env.reset(seed=1)
    assert (env.step(1)[0] == 0).all()
    assert PendulumFunctional().default_params == PendulumParams()
    swing: Any = gym.make("functional/Pendulum-v1", g=0.0)
    swing.reset(seed=1)
    swing.unwrapped.state = np.array([1.0, 0.0])
    swing.step(np.zeros(1, np.float32))
    assert swing.unwrapped.state.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("env_id, shape", [("CartPole-v1", (400, 600, 3)), ("Pendulum-v1", (500, 500, 3))])
def test_frames_follow_the_state(env_id: str, shape: tuple[int, ...]) -> None:
    env: Any = gym.make(f"functional/{env_id}", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    assert first.shape == shape
    assert first.dtype == np.uint8
    assert (env.render() == first).all()
    env.unwrapped.state = -env.unwrapped.state
    assert (env.render() != first).any()
    assert (env.render()[:, ::-1] == first).mean() > 0.98  # mirrored


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copy_continues_identically(copied: Any) -> None:
    env = FunctionalEnv(CartPoleFunctional())
    env.reset(seed=1)
    twin = copied(env)
    assert (env.step(1)[0] == twin.step(1)[0]).all()
    assert (env.reset()[0] == twin.reset()[0]).all()


@pytest.mark.parametrize("cls", [Walk, CartPoleFunctional, PendulumFunctional])
def test_vector_environment_equals_single_environments(cls: Any) -> None:
    envs, singles = FunctionalVectorEnv(cls(), 3), [FunctionalEnv(cls()) for _ in range(3)]
    envs.action_space.seed(2)
    observations, _ = envs.reset(seed=5)
    assert (observations == [env.reset(seed=5 + i)[0] for i, env in enumerate(singles)]).all()
    done = np.zeros(3, np.bool_)
    for _ in range(80):
        row = envs.action_space.sample()
        observations, rewards, terminations, _, _ = envs.step(row)
        for i, env in enumerate(singles):
            expected = (env.reset()[0], 0.0, False) if done[i] else env.step(row[i])
            assert np.array_equal(observations[i], expected[0])
            assert (rewards[i], terminations[i]) == expected[1:3]
        done = terminations


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1"])
def test_functions_step_like_the_single_environment(env_id: str) -> None:
    functional: Any = gym.make(f"functional/{env_id}").unwrapped
    single: Any = gym.make(env_id).unwrapped
    functional.reset(seed=1)
    single.reset(seed=1)
    single.action_space.seed(1)
    for _ in range(50):
        single.state = functional.state
        action = single.action_space.sample().astype(np.float64)
        observation, _, terminated, _, _ = functional.step(action if env_id == "Pendulum-v1" else int(action))
        expected = single.step(action if env_id == "Pendulum-v1" else int(action))
        assert (observation == expected[0]).all()
        assert (functional.state == single.state).all()
        if terminated:
            functional.reset()
            single.reset()
