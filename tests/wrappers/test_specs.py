"""Tests that a wrapped environment that is created again from the JSON of its spec behaves the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel import plugins
from gymkernel.envs.registration import EnvSpec

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("CartPole-v1", "TimeLimit", {"max_episode_steps": np.int64(7)}),
    ("CartPole-v1", "OrderEnforcing", {}),
    ("CartPole-v1", "PassiveEnvChecker", {}),
    ("CartPole-v1", "Autoreset", {"autoreset_mode": gym.vector.AutoresetMode.SAME_STEP}),
    ("CartPole-v1", "RecordEpisodeStatistics", {"buffer_length": 5, "stats_key": "seen"}),
    ("CartPole-v1", "ClipReward", {"max_reward": 0.5}),
    ("CartPole-v1", "NormalizeReward", {"gamma": 0.5}),
    ("CartPole-v1", "StickyAction", {"repeat_action_probability": 0.5, "repeat_action_duration": (1, 3)}),
    ("CartPole-v1", "RepeatAction", {"num_repeats": 2}),
    ("CliffWalking-v1", "RenderCollection", {"pop_frames": False}),
    ("CartPole-v1", "AddWhiteNoise", {"probability_of_noise_per_pixel": 0.5}),
    ("CartPole-v1", "ObstructView", {"obstructed_pixels_ratio": 0.5, "obstruction_width": np.int64(3)}),
    ("Pendulum-v1", "ClipAction", {}),
    ("Pendulum-v1", "RescaleAction", {"min_action": np.array([-1.0]), "max_action": np.float32(1)}),
    ("Pendulum-v1", "DiscretizeAction", {"bins": np.array([5])}),
]


def played(env: Any) -> list[Any]:
    env.action_space.seed(4)
    results = [env.reset(seed=3)[0]]
    for _ in range(4):
        observation, *rest, _ = env.step(env.action_space.sample())
        results += [observation, *rest]
    return results


@pytest.mark.parametrize("env_id, name, kwargs", CASES, ids=[name for _, name, _ in CASES])
def test_spec_from_json_is_equal(env_id: str, name: str, kwargs: dict[str, Any]) -> None:
    inside = gym.make(env_id, render_mode="ansi" if env_id == "CliffWalking-v1" else None)
    env = getattr(gym.wrappers, name)(inside, **kwargs)

    again = gym.make(EnvSpec.from_json(env.spec.to_json()))

    assert str(again) == str(env) or name in {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker"}
    assert again.spec == env.spec
    assert all(np.array_equal(item, other) for item, other in zip(played(again), played(env), strict=True))


def test_attributes_are_found_through_all_wrappers() -> None:
    env = gym.wrappers.ClipReward(gym.wrappers.StickyAction(gym.make("CartPole-v1"), 0.25), max_reward=0.5)

    assert env.get_wrapper_attr("repeat_action_probability") == 0.25
    assert env.set_wrapper_attr("repeat_action_probability", 0.0)
    assert env.env.repeat_action_probability == 0.0  # type: ignore[attr-defined]
    assert not env.has_wrapper_attr("nothing")


NOT_IN_GYMNASIUM = {"EnvCompatibility", "LazyFrames", "NotebookRendering", "StepAPICompatibility", "VectorListInfo"}


@pytest.mark.parametrize("name", sorted(set(plugins.names("wrappers")) - NOT_IN_GYMNASIUM))
def test_recording_wrappers_are_recognized(name: str) -> None:
    assert issubclass(plugins.get("wrappers", name), gym.utils.RecordConstructorArgs)
