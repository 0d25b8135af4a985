"""Test using each library's environments in the other library."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control import PendulumEnv
from gymnasium.utils.env_checker import check_env

import gymkernel as gym
from gymkernel.vector import AutoresetMode
from gymkernel_bridge_gymnasium import GymnasiumEnv, GymnasiumVectorEnv, KernelEnv, KernelVectorEnv, from_gymnasium


class Corridors(gym.vector.VectorEnv[Any, Any, Any]):
    """A gymkernel vector environment."""

    num_envs = 3
    single_observation_space, single_action_space = gym.spaces.Box(0, 9, (1,)), gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(0, 9, (3, 1))
    action_space = gym.spaces.MultiDiscrete([2, 2, 2])
    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return np.zeros((3, 1), np.float32), {}


class Corridor(gym.Env[np.ndarray, Any]):
    """A gymkernel environment."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None) -> None:
        self.observation_space = gym.spaces.Box(0, 9, (1,))
        self.action_space = gym.spaces.Discrete(2)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = float(self.np_random.integers(3))
        return self._seen(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place = min(self.place + float(action), 9.0)
        return self._seen(), 1.0, self.place >= 9, False, {}

    def render(self) -> str:
        return "." * int(self.place)

    def _seen(self) -> Any:
        return np.array([self.place], np.float32)


def steps(env: Any, n: int = 200) -> list[Any]:
    """Return the results of stepping an environment with random actions."""
    env.action_space.seed(1)
    seen: list[Any] = [env.reset(seed=2)[0].tolist()]
    for _ in range(n):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        seen.append((observation.tolist(), float(reward), terminated, truncated))
        if terminated or truncated:
            seen.append(env.reset()[0].tolist())
    return seen


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1"])
def test_namespaced_id_gives_gymnasiums_trajectory(env_id: str) -> None:
    env = gym.make(f"gymnasium/{env_id}")

    assert steps(env) == steps(gymnasium.make(env_id))
    assert env.spec is not None
    assert env.spec.id == f"gymnasium/{env_id}"


def test_spec_from_json_recreates_the_environment() -> None:
    made = gym.make("gymnasium/Pendulum-v1", g=9.0)
    assert made.spec is not None

    again = gym.make(gym.envs.registration.EnvSpec.from_json(made.spec.to_json()))

    assert again.get_wrapper_attr("g") == 9.0


def test_attributes_and_generator_are_those_of_the_inner_environment() -> None:
    env = GymnasiumEnv(gymnasium.make("Pendulum-v1"))
    env.reset(seed=5)
    env.set_wrapper_attr("g", 1.5)

    assert env.unwrapped.get_wrapper_attr("g") == 1.5
    assert env.max_torque == 2.0
    assert env.np_random is env.gymnasium_env.unwrapped.np_random
    assert env.np_random_seed == 5


class TestInside:
    """Test that the innermost environment is the original object, with its own class."""

    def test_created_environment_is_not_wrapped_again(self) -> None:
        env: Any = gym.make("gymnasium/Pendulum-v1")
        layer = env
        while isinstance(layer, gym.Wrapper):
            layer = layer.env

        assert type(env.unwrapped) is PendulumEnv
        assert layer is env.unwrapped

    @pytest.mark.parametrize("convert", [GymnasiumEnv, from_gymnasium])
    def test_converted_environment_keeps_its_wrappers_as_layers(self, convert: Any) -> None:
        inside: Any = gymnasium.make("Pendulum-v1")
        env = convert(inside)

        assert isinstance(env, gym.Wrapper)
        assert (env.env, env.unwrapped) == (inside, inside.unwrapped)
        assert gym.wrappers.TimeLimit[Any, Any](env, 3).unwrapped is inside.unwrapped

    def test_spec_recreates_the_converted_environment(self) -> None:
        spec: Any = gym.make("gymnasium/Pendulum-v1", g=9.0).unwrapped.spec

        assert (spec.id, spec.kwargs) == ("gymnasium/Pendulum-v1", {"g": 9.0})
        assert str(gym.make(spec)) == "<PendulumEnv<gymnasium/Pendulum-v1>>"
        assert gym.make(spec).get_wrapper_attr("g") == 9.0

    def test_assigned_spec_reaches_the_environment(self) -> None:
        env = GymnasiumEnv(gymnasium.make("Pendulum-v1"))
        env.spec = spec = gym.envs.registration.EnvSpec("lab/Swing-v0")

        assert env.spec is env.unwrapped.spec is spec

    def test_frames_are_collected_by_gymkernels_wrapper(self) -> None:
        pytest.importorskip("pygame", reason="Gymnasium draws with it, and the bridge does not bring it")
        env: Any = gym.make("gymnasium/Pendulum-v1", render_mode="rgb_array_list")
        env.reset(seed=1)

        assert type(env.unwrapped) is PendulumEnv
        assert env.get_wrapper_attr("frame_list")
        assert (env.spec.id, env.spec.kwargs) == ("gymnasium/Pendulum-v1", {"render_mode": "rgb_array"})
        assert [wrapper.name for wrapper in env.spec.additional_wrappers] == ["RenderCollection"]
        assert str(gym.make(env.spec)) == str(env)

    def test_attributes_set_outside_affect_steps(self) -> None:
        env: Any = gym.make("gymnasium/Pendulum-v1")
        env.reset(seed=1)
        env.unwrapped.state = np.zeros(2)

        assert env.step(np.zeros(1))[0].tolist() == [1, 0, 0]

    def test_copy_has_its_own_environment(self) -> None:
        env: Any = gym.make("gymnasium/Pendulum-v1")
        env.reset(seed=1)
        for again in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
            assert again.unwrapped is not env.unwrapped
            assert again.unwrapped.state.tolist() == env.unwrapped.state.tolist()


def test_gymnasium_environment_works_unconverted_in_a_wrapper() -> None:
    env = gym.ObservationWrapper[Any, Any, Any](gymnasium.make("CartPole-v1"))

    assert isinstance(env.observation_space, gymnasium.Space)


def test_gymnasium_vector_form_keeps_its_autoreset_mode() -> None:
    envs = gym.make_vec("gymnasium/CartPole-v1", 3)
    envs.reset(seed=1)

    assert isinstance(envs, GymnasiumVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    envs.close()


def test_reset_options_of_the_caller_are_not_modified() -> None:
    envs = GymnasiumVectorEnv(gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("CartPole-v1")] * 2))
    envs.reset(seed=1)
    options = {"reset_mask": np.array([True, False])}

    envs.reset(options=options)

    assert "reset_mask" in options


def test_gymnasiums_checker_accepts_our_environment() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(KernelEnv(Corridor(render_mode="ansi")), skip_render_check=True)


def test_converted_own_environment_forwards_and_renders() -> None:
    env = KernelEnv(Corridor(render_mode="ansi"))
    env.reset(seed=3)

    assert env.render() == "." * int(env.place)
    assert env.set_wrapper_attr("place", 4.0)
    assert env.kernel_env.place == 4.0
    assert gymnasium.Env in type(env).__bases__


def test_gymnasium_wrappers_work_on_our_environment() -> None:
    env = gymnasium.wrappers.TimeLimit(KernelEnv(Corridor()), 2)
    env.reset(seed=1)

    assert [env.step(0)[3] for _ in range(2)] == [False, True]


def test_our_vector_environment_is_a_gymnasium_vector_environment() -> None:
    envs = KernelVectorEnv(Corridors())
    observations, _ = envs.reset(seed=1)

    assert isinstance(envs.single_observation_space, gymnasium.spaces.Box)
    assert observations in envs.observation_space
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    envs.close()


def test_unpickled_environment_continues() -> None:
    env = pickle.loads(pickle.dumps(GymnasiumEnv(gymnasium.make("Pendulum-v1"))))

    assert env.reset(seed=1)[0].shape == (3,)


def test_spaces_replaced_in_reset_are_visible() -> None:
    class Growing(gymnasium.Env[Any, Any]):
        size = 0

        def reset(self, **options: Any) -> Any:
            self.size += 1
            self.observation_space = gymnasium.spaces.Discrete(self.size)
            self.action_space = gymnasium.spaces.Discrete(self.size + 1)
            return 0, {}

    env = GymnasiumEnv(Growing())
    wrapped = gym.wrappers.TimeLimit(env, 5)
    seen = []
    for _ in range(2):
        wrapped.reset()
        seen.append((env.observation_space, wrapped.action_space))

    assert [(int(item.n), int(other.n)) for item, other in seen] == [(1, 2), (2, 3)]  # type: ignore[attr-defined]
