"""Test gymkernel's vector environments as a `VecEnv`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

import gymkernel as gym
from gymkernel.spaces import Box, Dict, Discrete, Text, Tuple
from gymkernel_bridge_gymnasium import GymnasiumEnv, GymnasiumVectorEnv, KernelEnv
from gymkernel_bridge_stable_baselines3 import SB3VecEnv

if TYPE_CHECKING:
    from pathlib import Path


class Stairs(gym.Env[Any, Any]):
    """An environment in which the action is the number of stairs to climb.

    Episodes terminate at the top, and are truncated after five steps.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012
    render_mode = "rgb_array"
    observed: Any = Box(0, 99, (1,))

    def __init__(self, top: int = 3) -> None:
        self.observation_space, self.action_space = self.observed, Discrete(2)
        self.top = top

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps, self.place = 0, float((options or {}).get("start", 0))
        return self.see(), {"begun": self.np_random_seed if seed is not None else -1}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        self.place += float(action)
        return self.see(), 0.5, self.place >= self.top, self.steps == 5, {"steps": self.steps}

    def see(self) -> Any:
        return np.array([self.place], np.float32)

    def render(self) -> Any:
        return np.full((2, 2, 3), self.top, np.uint8)

    def double(self, number: int, plus: int = 0) -> int:
        return 2 * number + plus + self.top


class Views(Stairs):
    """An environment whose observations are dicts."""

    observed = Dict(place=Box(0, 99, (1,)), step=Discrete(9))

    def see(self) -> Any:
        return {"place": super().see(), "step": np.int64(self.steps)}


def vector(mode: str = "SameStep", cls: type[Stairs] = Stairs, n: int = 2, **options: Any) -> Any:
    """Return a gymkernel vector environment that is not one of the backends but works as documented."""
    inside = gymnasium.vector.SyncVectorEnv(
        [lambda: KernelEnv(gym.Wrapper(cls()))] * n, autoreset_mode=gymnasium.vector.AutoresetMode(mode), **options
    )
    return GymnasiumVectorEnv(inside)


modes = pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])


def play(envs: Any, steps: int = 40) -> list[Any]:
    """Return the results of stepping a `VecEnv` with seeded random actions, and the infos from its resets."""
    rng = np.random.default_rng(4)
    envs.seed(7)
    seen: list[Any] = [envs.reset(), [dict(info) for info in envs.reset_infos]]
    for _ in range(steps):
        seen += [*envs.step(rng.integers(2, size=envs.num_envs)), [dict(info) for info in envs.reset_infos]]
    return seen


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return bool(a == b)


@modes
@pytest.mark.parametrize("cls", [Stairs, Views])
def test_vec_env_equals_dummy_vec_env(mode: str, cls: type[Stairs]) -> None:
    reference = DummyVecEnv([lambda: KernelEnv(cls())] * 2)

    assert same(play(SB3VecEnv(vector(mode, cls))), play(reference))


@modes
def test_truncation_is_distinguished_from_termination(mode: str) -> None:
    envs = SB3VecEnv(vector(mode))
    envs.reset()

    infos = [envs.step(np.array([1, 0]))[3] for _ in range(5)]

    assert [info["TimeLimit.truncated"] for info in infos[2]] == [False, False]
    assert infos[2][0]["terminal_observation"] == [3]
    assert "terminal_observation" not in infos[2][1]
    assert [info["TimeLimit.truncated"] for info in infos[4]] == [False, True]


def test_rewards_and_dones_have_the_dtypes_of_buffers() -> None:
    envs = SB3VecEnv(vector())
    envs.reset()

    _, rewards, dones, _ = envs.step(np.zeros(2, np.int64))

    assert (rewards.dtype, dones.dtype) == (np.float32, np.bool_)


def test_seeds_and_options_are_used_once() -> None:
    envs = SB3VecEnv(vector())
    assert envs.seed(5) == [5, 6]
    envs.set_options({"start": 1})

    first, seeds = envs.reset(), [info["begun"] for info in envs.reset_infos]
    second = envs.reset()

    assert (first.tolist(), seeds) == ([[1], [1]], [5, 6])
    assert (second.tolist(), [info["begun"] for info in envs.reset_infos]) == ([[0], [0]], [-1, -1])


def test_options_can_differ_per_environment() -> None:
    envs = SB3VecEnv(vector())
    envs.seed(5)
    envs.set_options([{"start": 1}, {"start": 2}])

    assert envs.reset().tolist() == [[1], [2]]
    assert [info["begun"] for info in envs.reset_infos] == [5, 6]


def test_attributes_are_read_by_index() -> None:
    envs = SB3VecEnv(vector())
    envs.set_attr("top", 9, indices=1)

    assert envs.get_attr("top") == [3, 9]
    assert envs.get_attr("top", 1) == envs.get_attr("top", [-1]) == [9]
    assert envs.env_method("double", 4, plus=1) == [12, 18]


def test_missing_attribute_raises() -> None:
    envs = SB3VecEnv(vector())

    assert envs.has_attr("top")
    assert not envs.has_attr("bottom")


def test_unsupported_indices_raise() -> None:
    with pytest.raises(AttributeError, match=r"can only call methods of all environments.*use gymkernel's sync"):
        SB3VecEnv(vector()).env_method("double", 4, indices=[0])


def test_env_is_wrapped_finds_wrappers() -> None:
    envs = SB3VecEnv(vector())

    assert envs.env_is_wrapped(gym.Wrapper) == [True, True]
    assert envs.env_is_wrapped(Monitor, indices=[0]) == [False]


def test_frames_are_tiled() -> None:
    envs = SB3VecEnv(vector())

    assert [image.shape for image in envs.get_images()] == [(2, 2, 3)] * 2
    assert envs.render().shape == (4, 2, 3)


def test_returned_arrays_are_not_reused() -> None:
    envs = SB3VecEnv(vector("NextStep", copy=False))
    first = envs.reset()
    kept = first.copy()

    envs.step(np.ones(2, np.int64))

    assert np.array_equal(first, kept)


@modes
def test_sb3_wrappers_work(mode: str) -> None:
    envs = VecNormalize(VecMonitor(SB3VecEnv(vector(mode))))
    envs.reset()
    infos = [envs.step(np.ones(2, np.int64))[3] for _ in range(3)][-1]

    assert infos[0]["episode"]["l"] == 3
    assert infos[0]["episode"]["r"] == 1.5


def test_closing_closes_the_inner_vector_environment() -> None:
    inside = vector()
    SB3VecEnv(inside).close()

    assert inside.closed


class Inner(gym.vector.VectorEnv[Any, Any, Any]):
    """A vector environment that contains no individual environments."""

    num_envs = 2
    gravity = 3.0
    single_observation_space, single_action_space = Box(0, 9, (1,)), Discrete(2)
    metadata = {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}  # noqa: RUF012


def test_vectorised_form_returns_its_attributes_for_all() -> None:
    envs = SB3VecEnv(Inner())
    envs.set_attr("gravity", 4.0)

    assert envs.get_attr("gravity") == [4.0, 4.0]
    assert envs.env_is_wrapped(gym.Wrapper) == [False, False]
    with pytest.raises(AttributeError, match="has a single gravity for all of its environments; set it without"):
        envs.set_attr("gravity", 5.0, indices=0)
    with pytest.raises(AttributeError, match="contains no individual environments"):
        envs.env_method("reset_model")


class Talking(Stairs):
    observed = Text(4)


class Nested(Stairs):
    observed = Dict(a=Tuple([Discrete(2)]))


@pytest.mark.parametrize("cls, where", [(Talking, r"not Text"), (Nested, r"not Tuple.* under 'a'")])
def test_unsupported_observations_error_names_a_wrapper(cls: type[Stairs], where: str) -> None:
    env = Inner()
    env.single_observation_space = cls.observed

    with pytest.raises(TypeError, match=rf"{where}.*FlattenObservation"):
        SB3VecEnv(env)


def test_non_vector_environment_is_rejected() -> None:
    with pytest.raises(TypeError, match="Expected a gymkernel vector environment"):
        SB3VecEnv(Stairs())


def test_next_step_gymnasium_form_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"does not support reset masks.*use a backend instead"):
        SB3VecEnv(gym.make_vec("gymnasium/CartPole-v1", 2))


def test_unknown_autoreset_mode_is_rejected() -> None:
    env = Inner()
    env.metadata = {}

    with pytest.raises(ValueError, match="has no autoreset mode"):
        SB3VecEnv(env)


def test_sb3_checker_accepts_a_single_environment() -> None:
    check_env(KernelEnv(Stairs()), warn=False, skip_render_check=False)


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_model_is_saved_and_loaded_without_gymkernel(algorithm: Any, tmp_path: Path) -> None:
    more = {"n_steps": 16, "batch_size": 16} if algorithm is PPO else {"learning_starts": 8}
    model = algorithm("MlpPolicy", SB3VecEnv(vector()), seed=1, device="cpu", **more)
    model.learn(64)
    model.save(tmp_path / "model")
    code = (
        "import sys; sys.modules['gymkernel'] = sys.modules['gymkernel_bridge_gymnasium'] = None\n"
        f"from stable_baselines3 import {algorithm.__name__} as A\n"
        f"model = A.load({str(tmp_path / 'model')!r}, device='cpu')\n"
        "print(model.predict([2.0], deterministic=True)[0], model.observation_space)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.split(maxsplit=1)[1].strip() == "Box(0.0, 99.0, (1,), float32)", done.stderr


def test_inner_gymnasium_environment_behaves_the_same() -> None:
    ours = DummyVecEnv([lambda: KernelEnv(GymnasiumEnv(gymnasium.make("CartPole-v1")))] * 2)
    theirs = DummyVecEnv([lambda: gymnasium.make("CartPole-v1")] * 2)

    assert same(play(ours), play(theirs))
