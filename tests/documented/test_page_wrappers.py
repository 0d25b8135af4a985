"""Tests of the documentation page from 2022 on wrappers: user-defined wrappers, and every wrapper in the table."""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel.error import ResetNeeded
from gymkernel.spaces import Box, Dict, Discrete
from gymkernel.wrappers import (
    AutoResetWrapper,
    ClipAction,
    EnvCompatibility,
    FilterObservation,
    FlattenObservation,
    FrameStack,
    GrayScaleObservation,
    LazyFrames,
    NormalizeObservation,
    NormalizeReward,
    OrderEnforcing,
    PixelObservationWrapper,
    RecordEpisodeStatistics,
    RescaleAction,
    StepAPICompatibility,
    TimeAwareObservation,
    TimeLimit,
    TransformObservation,
    TransformReward,
    VectorListInfo,
)

KEY = "TimeLimit.truncated"


class Navigation(gym.Env[Any, Any]):
    """An environment in which an agent moves to a target. Episodes end after `length` steps."""

    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - Env declares it in the same way
    observation_space: Any = Dict(agent=Box(-9, 9, (2,)), target=Box(-9, 9, (2,)))
    action_space: Any = Box(-1.0, np.array([1, 2], np.float32))

    def __init__(self, length: int = 4, render_mode: str | None = None) -> None:
        self.length, self.render_mode, self.acted = length, render_mode, list[Any]()

    def see(self) -> dict[str, Any]:
        return {"agent": np.full(2, self.time, np.float32), "target": np.full(2, 5, np.float32)}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return self.see(), {"began": True}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.time += 1
        self.acted.append(action)
        return self.see(), float(self.time), self.time == self.length, False, {"dist": -1.0, "ctrl": -0.5}

    def render(self, shade: int = 0, height: int = 4) -> Any:
        return np.full((height, 6, 3), self.time + shade, np.uint8)


class Images(gym.Env[Any, Any]):
    """An environment whose observations are colour images that become brighter at every step."""

    observation_space = Box(0, 255, (4, 6, 3), np.uint8)
    action_space = Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return self.see(), {}

    def see(self) -> Any:
        return np.full((4, 6, 3), 10 * self.time, np.uint8)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.see(), 1.0, False, False, {}


def heavy(name: str) -> Any:
    """Return a wrapper from a plugin that is installed separately, or skip the test if the plugin is missing."""
    try:
        return getattr(gym.wrappers, name)
    except ImportError as exc:
        return pytest.skip(f"{name} is not installed: {exc}")


class TestLayers:
    def test_repr_shows_the_wrapped_environment(self) -> None:
        base = gym.make("Pendulum-v1", disable_env_checker=True)
        wrapped: Any = RescaleAction(base, min_action=0, max_action=1)
        assert repr(wrapped.action_space) == "Box(0.0, 1.0, (1,), float32)"
        assert repr(wrapped) == "<RescaleAction<TimeLimit<OrderEnforcing<PendulumEnv<Pendulum-v1>>>>>"
        assert wrapped.env is base
        assert repr(wrapped.env) == "<TimeLimit<OrderEnforcing<PendulumEnv<Pendulum-v1>>>>"
        assert type(wrapped.unwrapped).__name__ == "PendulumEnv"

    def test_unwrapped_of_a_bare_environment_is_itself(self) -> None:
        env = Navigation()
        assert env.unwrapped is env


class TestYourOwn:
    @pytest.mark.parametrize("place", [gym, gym.wrappers])
    def test_custom_action_wrapper(self, place: Any) -> None:
        class DiscreteActions(place.ActionWrapper):  # type: ignore[misc]
            def __init__(self, env: Any, disc_to_cont: list[Any]) -> None:
                super().__init__(env)
                self.disc_to_cont = disc_to_cont
                self.action_space = Discrete(len(disc_to_cont))

            def action(self, act: Any) -> Any:
                return self.disc_to_cont[act]

        moves = [np.array(move) for move in ([1, 0], [-1, 0], [0, 1], [0, -1])]
        env: Any = DiscreteActions(Navigation(), moves)
        env.reset()
        env.step(1)
        assert repr(env.action_space) == "Discrete(4)"
        assert env.unwrapped.acted == [moves[1]]

    @pytest.mark.parametrize("place", [gym, gym.wrappers])
    def test_custom_observation_wrapper(self, place: Any) -> None:
        class RelativePosition(place.ObservationWrapper):  # type: ignore[misc]
            def __init__(self, env: Any) -> None:
                super().__init__(env)
                self.observation_space = Box(shape=(2,), low=-np.inf, high=np.inf)

            def observation(self, obs: Any) -> Any:
                return obs["target"] - obs["agent"]

        env: Any = RelativePosition(Navigation())
        assert env.reset()[0].tolist() == [5, 5]
        assert env.step(0)[0].tolist() == [4, 4]
        assert env.step(0)[0] in env.observation_space

    @pytest.mark.parametrize("place", [gym, gym.wrappers])
    def test_custom_reward_wrapper(self, place: Any) -> None:
        class ClipReward(place.RewardWrapper):  # type: ignore[misc]
            def __init__(self, env: Any, min_reward: float, max_reward: float) -> None:
                super().__init__(env)
                self.min_reward, self.max_reward = min_reward, max_reward
                self.reward_range = (min_reward, max_reward)

            def reward(self, reward: Any) -> Any:
                return np.clip(reward, self.min_reward, self.max_reward)

        env: Any = ClipReward(Navigation(), 0, 2)
        env.reset()
        assert [env.step(0)[1] for _ in range(4)] == [1, 2, 2, 2]
        assert env.reward_range == (0, 2)

    def test_custom_wrapper(self) -> None:
        class Weighted(gym.Wrapper[Any, Any, Any, Any]):
            def __init__(self, env: Any, dist: float, ctrl: float) -> None:
                super().__init__(env)
                self.dist, self.ctrl = dist, ctrl
                self.metadata = {"render_modes": ["ansi"]}
                self.action_space = Discrete(7)
                self.reward_range = (-10, 0)

            def step(self, action: Any) -> Any:
                observation, _, terminated, truncated, info = self.env.step(action)
                reward = self.dist * info["dist"] + self.ctrl * info["ctrl"]
                return observation, reward, terminated, truncated, info

            def render(self) -> str:
                return "drawn"

        env: Any = Weighted(Navigation(), 2, 4)
        env.reset()
        assert env.step(0)[1] == -4
        assert (env.render(), env.metadata, env.action_space, env.reward_range) == (
            "drawn",
            {"render_modes": ["ansi"]},
            Discrete(7),
            (-10, 0),
        )
        assert env.env.metadata == Navigation.metadata


class TestAutoReset:
    def test_last_step_returns_the_first_observation_of_the_next_episode(self) -> None:
        env: Any = AutoResetWrapper(Navigation(length=2))
        env.reset()
        assert env.step(0)[4] == {"dist": -1.0, "ctrl": -0.5}
        observation, reward, terminated, truncated, info = env.step(0)
        assert observation["agent"].tolist() == [0, 0]
        assert (reward, terminated or truncated) == (2.0, True)
        assert info["began"] is True
        assert info["terminal_observation"]["agent"].tolist() == [2, 2]
        assert info["terminal_info"] == {"dist": -1.0, "ctrl": -0.5}
        assert env.step(0)[0]["agent"].tolist() == [1, 1]

    def test_time_limit_of_the_spec_is_inside(self) -> None:
        env: Any = gym.make("CartPole-v1", autoreset=True, max_episode_steps=3)
        env.reset(seed=1)
        *_, truncated, info = [env.step(0) for _ in range(3)][-1]
        assert (truncated, info["terminal_info"][KEY]) == (True, True)

    def test_truncation_resets_too(self) -> None:
        env: Any = AutoResetWrapper(TimeLimit(Navigation(length=9), 2))
        env.reset()
        flags = [env.step(0)[2:4] for _ in range(6)]
        assert flags == [(False, False), (False, True)] * 3

    def test_make_adds_autoreset_on_request(self) -> None:
        assert "AutoReset" not in str(gym.make("CartPole-v1"))
        env = gym.make("CartPole-v1", autoreset=True)
        assert isinstance(env, AutoResetWrapper)
        assert str(gym.make(env.spec)) == str(env)  # type: ignore[arg-type]
        env.reset(seed=1)
        for _ in range(50):
            observation, reward, terminated, truncated, info = env.step(0)
            assert reward == 1
            assert ("terminal_observation" in info) is (terminated or truncated)
        assert abs(observation).max() < 5


class TestFrameStack:
    @pytest.mark.parametrize("compress", [False, True])
    def test_observations_are_the_last_frames(self, compress: bool) -> None:
        if compress:
            pytest.importorskip("lz4")
        env: Any = FrameStack(Images(), num_stack=4, lz4_compress=compress)
        first = env.reset()[0]
        assert isinstance(first, LazyFrames)
        assert np.asarray(first)[:, 0, 0, 0].tolist() == [0, 0, 0, 0]
        for _ in range(5):
            last = env.step(0)[0]
        stacked = np.asarray(last)
        assert stacked[:, 0, 0, 0].tolist() == [20, 30, 40, 50]
        assert stacked in env.observation_space
        assert (len(last), last.shape, last.dtype) == (4, (4, 4, 6, 3), np.uint8)
        assert np.array_equal(last[0], stacked[0])
        assert np.array_equal(last[-1], stacked[-1])
        assert np.array_equal(last[1:3], stacked[1:3])
        assert np.array_equal(last[:], stacked)
        assert np.array_equal([*last], stacked)
        assert np.asarray(last, dtype=np.float32).dtype == np.float32
        assert (last == stacked).all()
        assert (last == last[:]).all()

    def test_earlier_observations_are_not_modified(self) -> None:
        env: Any = FrameStack(Images(), 3)
        seen = [env.reset()[0], env.step(0)[0], env.step(0)[0]]
        assert [np.asarray(item)[:, 0, 0, 0].tolist() for item in seen] == [[0, 0, 0], [0, 0, 10], [0, 10, 20]]

    def test_lazy_frames_can_be_created_and_pickled(self) -> None:
        frames = pickle.loads(pickle.dumps(LazyFrames([np.zeros(3), np.ones(3)])))
        assert frames[1].tolist() == [1, 1, 1]
        assert frames.shape == (2, 3)

    def test_frame_stack_works_on_vector_environments(self) -> None:
        envs: Any = FrameStack(gym.make_vec("CartPole-v1", 3, "sync"), 2)
        observations = envs.reset(seed=1)[0]
        assert [frames.shape for frames in observations] == [(2, 4)] * 3
        assert np.asarray(observations) in envs.observation_space


class TestOfObservations:
    @pytest.mark.parametrize("keep_dim, shape", [(False, (4, 6)), (True, (4, 6, 1))])
    def test_gray_scale(self, keep_dim: bool, shape: tuple[int, ...]) -> None:
        env: Any = GrayScaleObservation(Images(), keep_dim=keep_dim)
        assert env.observation_space == Box(0, 255, shape, np.uint8)
        assert env.reset()[0] in env.observation_space
        assert GrayScaleObservation(Images()).keep_dim is False

    def test_filter(self) -> None:
        for keys in (["agent"], ("agent",), {"agent"}, iter(["agent"]), {"agent": 1}.keys()):
            env: Any = FilterObservation(Navigation(), filter_keys=keys)
            assert list(env.observation_space) == list(env.reset()[0]) == ["agent"]

    def test_filter_of_none_has_no_effect(self) -> None:
        env: Any = FilterObservation(Navigation())
        assert env.observation_space == Navigation.observation_space
        assert list(env.reset()[0]) == ["agent", "target"]

    def test_flatten(self) -> None:
        env: Any = FlattenObservation(Navigation())
        assert env.observation_space.shape == (4,)
        assert env.reset()[0].tolist() == [0, 0, 5, 5]

    def test_normalize(self) -> None:
        env: Any = NormalizeObservation(FlattenObservation(Navigation(length=1000)), epsilon=1e-8)
        env.reset()
        seen = np.array([env.step(0)[0] for _ in range(900)])
        assert abs(seen[-1][:2]).max() < 3
        assert abs(seen[:, 2:]).max() < 1e-2  # these numbers are constant, so their normalised values are about 0

    def test_resize(self) -> None:
        wrapper = heavy("ResizeObservation")
        for shape, size in ((84, (84, 84, 3)), ((8, 9), (8, 9, 3))):
            env = wrapper(Images(), shape)
            assert env.observation_space == Box(0, 255, size, np.uint8)
            assert env.reset()[0].shape == size

    def test_time_aware_with_and_without_a_limit(self) -> None:
        for inside, high in ((FlattenObservation(Navigation()), np.inf), (gym.make("CartPole-v1"), 500)):
            env: Any = TimeAwareObservation(inside)
            (size,) = inside.observation_space.shape  # type: ignore[misc]
            assert (env.observation_space.shape, env.observation_space.high[-1]) == ((size + 1,), high)
            seen = [env.reset(seed=1)[0], *(env.step(env.action_space.sample())[0] for _ in range(3))]
            assert [item[-1] for item in seen] == [0, 1, 2, 3]
            assert all(item in env.observation_space for item in seen)

    @pytest.mark.parametrize("name", ["f", "func", None])
    def test_transform(self, name: str | None) -> None:
        def double(seen: Any) -> Any:
            return {key: 2 * value for key, value in seen.items()}

        wrap: Any = TransformObservation
        env = wrap(Navigation(), double) if name is None else wrap(Navigation(), **{name: double})
        env.reset()
        assert env.step(0)[0]["agent"].tolist() == [2, 2]
        assert env.observation_space is Navigation.observation_space

    def test_atari_preprocessing_has_the_documented_arguments(self) -> None:
        found = inspect.signature(heavy("AtariPreprocessing").__init__).parameters
        wanted = {"noop_max": 30, "frame_skip": 4, "screen_size": 84, "terminal_on_life_loss": False}
        wanted |= {"grayscale_obs": True, "grayscale_newaxis": False, "scale_obs": False}
        assert list(found)[2:9] == list(wanted)
        assert {name: found[name].default for name in wanted} == wanted


class TestPixels:
    def test_pixels_alone(self) -> None:
        env: Any = PixelObservationWrapper(Navigation(render_mode="rgb_array"))
        assert env.observation_space == Dict(pixels=Box(0, 255, (4, 6, 3), np.uint8))
        env.reset()
        observation = env.step(0)[0]
        assert list(observation) == ["pixels"]
        assert (observation["pixels"] == 1).all()

    def test_pixels_beside_the_observation(self) -> None:
        env: Any = PixelObservationWrapper(Navigation(render_mode="rgb_array"), pixels_only=False)
        assert set(env.observation_space) == {"agent", "target", "pixels"}
        assert env.reset()[0] in env.observation_space
        cart: Any = PixelObservationWrapper(gym.make("CartPole-v1", render_mode="rgb_array"), pixels_only=False)
        assert set(cart.reset(seed=1)[0]) == {"state", "pixels"}
        assert cart.reset(seed=1)[0] in cart.observation_space

    def test_several_pixel_keys_with_render_arguments(self) -> None:
        env: Any = PixelObservationWrapper(
            OrderEnforcing(Navigation(render_mode="rgb_array")),
            render_kwargs={"dark": {"shade": 9}, "high": {"height": 8}},
            pixel_keys=("dark", "high", "plain"),
        )
        frames = env.reset()[0]
        assert {key: frame.shape for key, frame in frames.items()} == {
            "dark": (4, 6, 3),
            "high": (8, 6, 3),
            "plain": (4, 6, 3),
        }
        assert (frames["dark"].max(), frames["plain"].max()) == (9, 0)
        assert frames in env.observation_space

    def test_pixels_of_vector_environments(self) -> None:
        inside = [partial(Navigation, render_mode="rgb_array")] * 2
        envs: Any = PixelObservationWrapper(gym.vector.SyncVectorEnv(inside), pixels_only=False)
        assert envs.reset()[0]["pixels"].shape == (2, 4, 6, 3)
        assert envs.reset()[0] in envs.observation_space


class TestOfActions:
    def test_clip(self) -> None:
        env: Any = ClipAction(Navigation())
        env.reset()
        env.step(np.array([-5, 5], np.float32))
        assert env.unwrapped.acted[0].tolist() == [-1, 2]

    @pytest.mark.parametrize("low, high", [(0, 1), (np.array([0, 0], np.float32), np.array([1, 1], np.float32))])
    def test_rescale(self, low: Any, high: Any) -> None:
        env: Any = RescaleAction(Navigation(), low, high)
        env.reset()
        env.step(np.array([0.5, 1], np.float32))
        assert np.allclose(env.unwrapped.acted[0], [0, 2])
        assert env.action_space == Box(0, 1, (2,))


class TestOfRewards:
    def test_normalize(self) -> None:
        env: Any = NormalizeReward(Navigation(length=500), gamma=0.9, epsilon=1e-8)
        env.reset()
        rewards = [env.step(0)[1] for _ in range(400)]
        assert 0 < rewards[-1] < 10

    @pytest.mark.parametrize("name", ["f", "func"])
    def test_transform(self, name: str) -> None:
        for env in (
            TransformReward[Any, Any](Navigation(), lambda reward: 0.5 * reward),  # type: ignore[operator]
            TransformReward[Any, Any](Navigation(), **{name: lambda reward: 0.5 * reward}),
        ):
            env.reset()
            assert env.step(0)[1] == 0.5


class TestOfEpisodes:
    def test_order_is_enforced(self) -> None:
        with pytest.raises(ResetNeeded):
            OrderEnforcing(Navigation()).step(0)

    def test_statistics_are_in_infos_and_queues(self) -> None:
        env: Any = RecordEpisodeStatistics(Navigation(length=2), deque_size=3)
        for number in range(5):
            env.unwrapped.length = 2 + number
            env.reset()
            for _ in range(2 + number):
                info = env.step(0)[4]
            assert (info["episode"]["r"], info["episode"]["l"]) == (sum(range(3 + number)), 2 + number)
        assert (list(env.length_queue), list(env.return_queue)) == ([4, 5, 6], [10, 15, 21])
        assert RecordEpisodeStatistics(Navigation()).return_queue.maxlen == 100

    def test_default_limit_is_that_of_the_id(self) -> None:
        env: Any = TimeLimit(gym.make("CartPole-v1").unwrapped, None)
        assert env.spec.max_episode_steps == 500

    def test_limit_truncates_and_sets_the_info(self) -> None:
        env: Any = TimeLimit(Navigation(length=9), max_episode_steps=2)
        env.reset()
        assert KEY not in env.step(0)[4]
        _, _, terminated, truncated, info = env.step(0)
        assert (terminated, truncated, info[KEY]) == (False, True, True)

    def test_terminated_episode_is_not_truncated(self) -> None:
        sooner, together = TimeLimit(Navigation(2), 5), TimeLimit(Navigation(2), 2)
        infos = []
        for env in (sooner, together):
            env.reset()
            env.step(0)
            infos.append(env.step(0)[4])
        assert [info.get(KEY) for info in infos] == [None, False]

    def test_limit_of_none_is_that_of_the_spec(self) -> None:
        inside = Navigation(length=9)
        inside.spec = gym.envs.registration.EnvSpec("Navigation-v0", Navigation, max_episode_steps=3)
        env = TimeLimit(inside)
        env.reset()
        assert [env.step(0)[3] for _ in range(3)] == [False, False, True]

    def test_videos(self, tmp_path: Any) -> None:
        wrapper = heavy("RecordVideo")
        make = partial(Navigation, render_mode="rgb_array")
        env = wrapper(make(), str(tmp_path), lambda episode: episode == 1, None, 0, "trial")
        for _ in range(3):
            env.reset()
            for _ in range(4):
                env.step(0)
        env.close()
        assert [path.name for path in tmp_path.glob("*.mp4")] == ["trial-episode-1.mp4"]

    def test_videos_with_a_length_span_episodes(self, tmp_path: Any) -> None:
        wrapper = heavy("RecordVideo")
        env = wrapper(
            Navigation(2, render_mode="rgb_array"),
            video_folder=str(tmp_path),
            step_trigger=lambda step: step == 1,
            video_length=5,
        )
        for _ in range(5):
            env.reset()
            env.step(0)
            env.step(0)
        env.close()
        (video,) = tmp_path.glob("*.mp4")
        assert video.name == "rl-video-step-1.mp4"


class TestOfVectorEnvironments:
    def test_infos_as_a_list(self) -> None:
        envs: Any = VectorListInfo(gym.vector.make("FrozenLake-v1", num_envs=3, asynchronous=False))
        _, infos = envs.reset(seed=1)
        assert [list(info) for info in infos] == [["prob"]] * 3
        infos = envs.step(np.array([0, 1, 2]))[4]
        assert [type(info) for info in infos] == [dict] * 3

    def test_vector_list_info_is_outside_of_statistics(self) -> None:
        """Wrap a single environment and a vector environment in `RecordEpisodeStatistics`."""
        envs = gym.vector.make("CartPole-v1", num_envs=2, asynchronous=False, max_episode_steps=3)
        recorded: Any = RecordEpisodeStatistics(envs, deque_size=5)  # this creates the vector wrapper
        listed: Any = VectorListInfo(recorded)
        listed.reset(seed=1)
        for _ in range(3):
            infos = listed.step(np.array([0, 1]))[4]
        assert [(info["episode"]["r"], info["episode"]["l"]) for info in infos] == [(3, 3), (3, 3)]


class Legacy:
    """An environment for Gym before 0.26: no base class, no seed in reset, and four values from step."""

    metadata = {"render.modes": ["human", "rgb_array"]}  # noqa: RUF012 - the old API declared it in the same way
    observation_space = Box(0, 9, (1,))
    action_space = Discrete(3)
    rendered = 0

    def __repr__(self) -> str:
        return "Legacy"

    def seed(self, seed: int | None = None) -> list[int | None]:
        self.seeded = seed
        return [seed]

    def reset(self) -> Any:
        self.time = 0
        return np.zeros(1, np.float32)

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        self.time += 1
        return np.full(1, self.time, np.float32), 1.0, self.time == 3 or action == 2, {KEY: action == 2}

    def render(self, mode: str = "human") -> Any:
        self.rendered += 1
        return np.zeros((2, 2, 3), np.uint8) if mode == "rgb_array" else None

    def close(self) -> None:
        self.closed = True


class TestOldEnvironments:
    def test_four_values_become_five(self) -> None:
        env: Any = StepAPICompatibility(Legacy())  # type: ignore[arg-type]
        env.env.reset()
        assert env.step(0)[1:] == (1.0, False, False, {})
        assert env.step(2)[1:] == (1.0, False, True, {})

    def test_five_values_become_four(self) -> None:
        env: Any = StepAPICompatibility(TimeLimit(Navigation(9), 1), output_truncation_bool=False)
        env.reset()
        assert env.step(0)[1:] == (1.0, True, {"dist": -1.0, "ctrl": -0.5, KEY: True})

    def test_old_environment_is_converted(self) -> None:
        env: Any = EnvCompatibility(Legacy())
        observation, info = env.reset(seed=7, options={"ignored": True})
        assert (observation.tolist(), info, env.env.seeded) == ([0], {}, 7)
        assert env.step(0)[1:] == (1.0, False, False, {})
        assert env.step(2)[1:] == (1.0, False, True, {})
        env.close()
        assert env.env.closed
        assert env.unwrapped is env

    def test_human_mode_renders_every_step(self) -> None:
        env: Any = EnvCompatibility(Legacy(), render_mode="human")
        env.reset()
        env.step(0)
        assert env.env.rendered == 2

    def test_make_applies_the_conversion(self) -> None:
        spec = gym.envs.registration.EnvSpec("Legacy-v0", Legacy, max_episode_steps=2)  # type: ignore[arg-type]
        env: Any = gym.make(spec, apply_api_compatibility=True, render_mode="rgb_array")
        assert isinstance(env.unwrapped, EnvCompatibility)
        assert env.reset(seed=3)[1] == {}
        assert env.render().shape == (2, 2, 3)
        assert [env.step(0)[2:4] for _ in range(2)] == [(False, False), (False, True)]
        assert str(gym.make(env.spec)) == str(env)


NAMES = [
    *("AutoResetWrapper", "EnvCompatibility", "FrameStack", "GrayScaleObservation", "PixelObservationWrapper"),
    *("StepAPICompatibility", "VectorListInfo"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_old_name_works_and_names_the_new_one(name: str) -> None:
    found = getattr(importlib.import_module("gymkernel.wrappers"), name)
    text = " ".join((found.__doc__ or "").split())
    assert "2022" in text or "before version 0.26" in text
    assert found.__name__ == name


REQUIRED = inspect.Parameter.empty
TABLE: dict[str, dict[str, Any]] = {
    "AutoResetWrapper": {},
    "ClipAction": {},
    "FilterObservation": {"filter_keys": None},
    "FlattenObservation": {},
    "FrameStack": {"num_stack": REQUIRED, "lz4_compress": False},
    "GrayScaleObservation": {"keep_dim": False},
    "NormalizeReward": {"gamma": 0.99, "epsilon": 1e-8},
    "NormalizeObservation": {"epsilon": 1e-8},
    "OrderEnforcing": {},
    "PixelObservationWrapper": {"pixels_only": True, "render_kwargs": None, "pixel_keys": ("pixels",)},
    "TimeAwareObservation": {},
    "TimeLimit": {"max_episode_steps": None},
}
BASES = {"Observation": "Filter Flatten GrayScale TimeAware Transform", "Action": "Clip Rescale", "Reward": "Transform"}


@pytest.mark.parametrize("name", TABLE)
def test_documented_arguments_come_first(name: str) -> None:
    found = inspect.signature(getattr(gym.wrappers, name)).parameters
    wanted = {"env": REQUIRED, **TABLE[name]}
    assert {name: found[name].default for name in list(found)[: len(wanted)]} == wanted


@pytest.mark.parametrize(
    "name, base",
    [(f"{name}{kind}", f"{kind}Wrapper") for kind, names in BASES.items() for name in names.split()],
)
def test_wrapper_has_the_documented_type(name: str, base: str) -> None:
    wrapper = getattr(gym.wrappers, name)
    pictures = TransformObservation(Images(), lambda seen: {"seen": seen}, Dict(seen=Images.observation_space))
    made: dict[str, tuple[Any, list[Any]]] = {
        "FilterObservation": (pictures, [["seen"]]),
        "TransformObservation": (Images(), [np.copy]),
        "TransformReward": (Images(), [abs]),
        "RescaleAction": (Navigation(), [0, 1]),
        "ClipAction": (Navigation(), []),
        "TimeAwareObservation": (gym.make("CartPole-v1"), []),
    }
    inside, arguments = made.get(name, (Images(), []))
    assert isinstance(wrapper(inside, *arguments), getattr(gym, base))


ARGUMENTS: list[tuple[Any, dict[str, Any]]] = [
    (AutoResetWrapper, {}),
    (FrameStack, {"num_stack": 2, "lz4_compress": False}),
    (GrayScaleObservation, {"keep_dim": True}),
    (StepAPICompatibility, {"output_truncation_bool": True}),
    (RecordEpisodeStatistics, {"deque_size": 7}),
    (TimeAwareObservation, {}),
]


@pytest.mark.parametrize("wrapper, options", ARGUMENTS)
def test_spec_with_an_old_name_recreates_the_wrapper(wrapper: Any, options: dict[str, Any]) -> None:
    env = Images()
    env.spec = gym.envs.registration.EnvSpec(
        "Images-v0", f"{__name__}:Images", order_enforce=False, disable_env_checker=True
    )
    made = wrapper(env, **options)
    again = gym.make(gym.envs.registration.EnvSpec.from_json(made.spec.to_json()))
    assert type(again) is wrapper
    assert again.spec == made.spec
    assert json.loads(made.spec.to_json())["additional_wrappers"][0]["name"] == wrapper.__name__
