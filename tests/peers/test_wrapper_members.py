"""Tests that wrappers and vector environments have the same public attributes and methods as Gymnasium's."""

from __future__ import annotations

import inspect
import sys
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, Recipe
from tests.peers.test_names import assert_fits
from tests.peers.test_vector import environment
from tests.peers.test_wrappers_observation import NAMED, SCREEN, WIDE

import gymkernel

if TYPE_CHECKING:
    from pathlib import Path

LEFT_OUT = {
    "out": "a buffer of their implementation",
    "same_out": "says whether that buffer is needed",
    "stacked_obs": "a buffer of their implementation",
}
"""Public names in Gymnasium that gymkernel does not have, with the reasons."""

NAMED_OTHERWISE = {
    ("DiscretizeAction", "action"): "its argument has the name that `ActionWrapper.action` gives it",
    ("CartPoleVectorEnv", "step"): "its argument has the name that `VectorEnv.step` gives it",
}
TENSORS = {"JaxToNumpy": "jax", "JaxToTorch": "jax", "NumpyToTorch": "torch"}
DOUBLED: dict[str, Any] = {"func": partial(np.multiply, 2)}
BINS, BOXED = {"bins": 3}, {"acted": WIDE}

CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "AddRenderObservation": ({}, {}),
    "AddWhiteNoise": ({"probability_of_noise_per_pixel": 0.5}, {}),
    "AtariPreprocessing": ({}, {}),
    "Autoreset": ({}, {}),
    "ClipAction": ({}, BOXED),
    "ClipReward": ({"min_reward": 0.0}, {}),
    "DelayObservation": ({"delay": 2}, {}),
    "DictInfoToList": ({}, {}),
    "DiscretizeAction": (BINS, BOXED),
    "DiscretizeObservation": (BINS, {}),
    "DtypeObservation": ({"dtype": np.float64}, {}),
    "FilterObservation": ({"filter_keys": ["count"]}, {"observed": NAMED}),
    "FlattenObservation": ({}, {"observed": NAMED}),
    "FrameStackObservation": ({"stack_size": 3}, {}),
    "GrayscaleObservation": ({"keep_dim": True}, {"observed": SCREEN}),
    "HumanRendering": ({}, {}),
    "MaxAndSkipObservation": ({"skip": 2}, {}),
    "NormalizeObservation": ({}, {}),
    "NormalizeReward": ({}, {}),
    "ObstructView": ({"obstructed_pixels_ratio": 0.5, "obstruction_width": 1}, {}),
    "OrderEnforcing": ({}, {}),
    "PassiveEnvChecker": ({}, {}),
    "RecordEpisodeStatistics": ({}, {}),
    "RecordVideo": ({}, {}),
    "RenderCollection": ({}, {}),
    "RepeatAction": ({"num_repeats": 2}, {}),
    "RescaleAction": ({"min_action": 0.0, "max_action": 1.0}, BOXED),
    "RescaleObservation": ({"min_obs": -3.0, "max_obs": 3.0}, {}),
    "ReshapeObservation": ({"shape": (48, 3)}, {"observed": SCREEN}),
    "ResizeObservation": ({"shape": (3, 4)}, {"observed": SCREEN}),
    "StickyAction": ({"repeat_action_probability": 0.5}, {}),
    "TimeAwareObservation": ({}, {"limit": 5}),
    "TimeLimit": ({"max_episode_steps": 3}, {}),
    "TransformAction": ({**DOUBLED, "action_space": None}, {"acted": Recipe("Box", (-1, 1), {"shape": (2,)})}),
    "TransformObservation": ({**DOUBLED, "observation_space": None}, {}),
    "TransformReward": (DOUBLED, {}),
    "VectorizeTransformAction": ({"wrapper": "ClipAction"}, BOXED),
    "VectorizeTransformObservation": ({"wrapper": "FlattenObservation"}, {}),
    "VectorizeTransformReward": ({"wrapper": "ClipReward", "min_reward": 0.0}, {}),
}


def classes(module: str) -> list[str]:
    of = import_module(f"gymnasium.{module}")
    return sorted(name for name in of.__all__ if name[0].isupper() and name not in {"ArrayConversion", *TENSORS})


@pytest.fixture(autouse=True)
def _what_theirs_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace moviepy, which Gymnasium's video wrapper needs, with a fake, and run pygame without a display."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    name = "moviepy"
    for part in ("", ".video", ".io", ".ImageSequenceClip"):
        name += part
        monkeypatch.setitem(sys.modules, name, module := ModuleType(name))
        module.__path__ = []
    module.ImageSequenceClip = Clip  # type: ignore[attr-defined]


class Clip:
    """A fake moviepy clip that records the number of frames in each file."""

    written: dict[str, int] = {}  # noqa: RUF012 - all clips share the list, and the test that reads it clears it

    def __init__(self, frames: list[Any], fps: float) -> None:
        self.frames = len(frames)

    def write_videofile(self, path: str, logger: Any = None) -> None:
        Clip.written[path.replace("\\", "/").rpartition("/")[2]] = self.frames


def made(library: Any, name: str, folder: Path, *, vector: bool) -> Any:
    """Return the wrapper, created with its test arguments around a suitable environment."""
    kwargs, inside = CASES[name]
    kwargs, module = dict(kwargs), library.wrappers.vector if vector else library.wrappers
    if name == "RecordVideo":
        kwargs["video_folder"] = str(folder / library.__name__)
    if vector:
        kwargs = {key: value for key, value in kwargs.items() if value is not None}
        if "wrapper" in kwargs:
            kwargs["wrapper"] = getattr(library.wrappers, kwargs["wrapper"])
    if name == "AtariPreprocessing":
        ale_py = pytest.importorskip(
            "ale_py", reason="the games come with ale-py, which has no wheel for some platforms"
        )
        gymnasium.register_envs(ale_py)
        return module.AtariPreprocessing(gymnasium.make("ALE/Breakout-v5", frameskip=1))
    make = partial(inner, library, **inside)
    return getattr(module, name)(library.vector.SyncVectorEnv([make] * 2) if vector else make(), **kwargs)


def inner(library: Any, limit: int | None = None, **options: Any) -> Any:
    env = environment(library, **options)
    env.metadata = {"render_modes": ["rgb_array"], "render_fps": 1000}
    return env if limit is None else library.wrappers.TimeLimit(env, limit)


def public(one: Any) -> set[str]:
    return {name for name in (*dir(type(one)), *vars(one)) if name[0] != "_"}


WRAPPERS = [("wrappers", name) for name in classes("wrappers")]
WRAPPERS += [("wrappers.vector", name) for name in classes("wrappers.vector")]
each = pytest.mark.parametrize("module, name", WRAPPERS)


@pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore:overflow encountered in cast:RuntimeWarning"
)  # emitted by Gymnasium
@each
def test_instance_has_every_public_attribute(module: str, name: str, tmp_path: Path) -> None:
    ours, theirs = (made(library, name, tmp_path, vector=module != "wrappers") for library in LIBRARIES)
    wanted = public(theirs)
    for item in (ours, theirs):
        item.action_space.seed(1)
        item.reset(seed=1)
        item.step(item.action_space.sample())
    wanted |= public(theirs)

    missing = {attribute for attribute in wanted if not hasattr(ours, attribute)}
    for item in (ours, theirs):
        item.close()

    assert missing <= LEFT_OUT.keys()


@each
def test_method_accepts_the_same_arguments(module: str, name: str) -> None:
    ours, theirs = (getattr(import_module(f"{library.__name__}.{module}"), name) for library in LIBRARIES)

    for member, value in inspect.getmembers(theirs, inspect.isfunction):
        if (member[0] != "_" or member == "__init__") and (name, member) not in NAMED_OTHERWISE:
            assert_fits(getattr(ours, member), value)


OTHERS = [("vector", name) for name in ("VectorEnv", "SyncVectorEnv", "AsyncVectorEnv")]
OTHERS.append(("envs.classic_control.cartpole", "CartPoleVectorEnv"))


@pytest.mark.parametrize("module, name", OTHERS)
def test_vector_env_method_accepts_the_same_arguments(module: str, name: str) -> None:
    ours, theirs = (getattr(import_module(f"{library.__name__}.{module}"), name) for library in LIBRARIES)

    for member, value in inspect.getmembers(theirs, inspect.isfunction):
        if member[0] != "_":
            assert hasattr(ours, member), member
        if member[0] != "_" and (name, member) not in NAMED_OTHERWISE:
            assert_fits(getattr(ours, member), value)


@pytest.mark.parametrize("name, package", TENSORS.items())
@pytest.mark.parametrize("module", ["wrappers", "wrappers.vector"])
def test_tensor_wrapper_has_every_public_attribute(module: str, name: str, package: str) -> None:
    pytest.importorskip(package, reason=f"{name} needs {package}, which `tox run -e arrays` installs")
    ours, theirs = (getattr(import_module(f"{library.__name__}.{module}"), name) for library in LIBRARIES)

    assert {member for member in dir(theirs) if member[0] != "_"} <= set(dir(ours))


def test_statistics_seed_can_be_positional() -> None:
    first = []
    for library in LIBRARIES:
        envs = library.make_vec("CartPole-v1", 2, "sync")
        first.append(library.wrappers.vector.RecordEpisodeStatistics(envs).reset(123)[0])

    assert np.array_equal(*first)


TRIGGERS: list[dict[str, Any]] = [
    {"step_trigger": lambda step: step % 7 == 2},
    {"step_trigger": lambda step: step % 5 == 0, "video_length": 3},
    {"step_trigger": lambda step: step == 4, "video_length": 9, "name_prefix": "late"},
    {"episode_trigger": lambda episode: episode % 2 == 1},
    {"episode_trigger": lambda episode: episode in {1, 2}, "video_length": 4},
    {"episode_trigger": lambda episode: episode == 2, "step_trigger": lambda step: step == 0},
    {},
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("vector", [False, True], ids=["single", "vector"])
@pytest.mark.parametrize("kwargs", TRIGGERS, ids=lambda kwargs: "-".join(kwargs) or "default")
def test_triggers_select_the_same_frames(kwargs: dict[str, Any], vector: bool, tmp_path: Path) -> None:
    """Compare the video files, their lengths, and the wrappers' counters after every step."""
    results: list[Any] = []
    for library in LIBRARIES:
        folder = tmp_path / library.__name__
        module = library.wrappers.vector if vector else library.wrappers
        inside = library.vector.SyncVectorEnv([partial(filmed, library)] * 2) if vector else filmed(library)
        env = module.RecordVideo(inside, str(folder), **kwargs)
        counters = []
        env.reset(seed=3)
        for _ in range(25):
            done = env.step(np.ones(2, np.int64) if vector else 1)[2:4]
            counters.append((env.recording, len(env.recorded_frames), env.step_id, env.episode_id))
            if not vector and any(done):
                env.reset()
        env.close()
        shown = (env.video_length, env.name_prefix, env.frames_per_sec, env.step_trigger, env.render_history)
        results.append((counters, shown, written(folder) if library is gymkernel else dict(Clip.written)))
        Clip.written.clear()

    assert results[0] == results[1]


def filmed(library: Any) -> Any:
    env = inner(library)
    env.render = lambda: np.zeros((16, 16, 3), np.uint8)  # the smallest size that the encoder accepts
    return env


def written(folder: Path) -> dict[str, int]:
    av = import_module("av")
    lengths = {}
    for path in sorted(folder.iterdir()):
        with av.open(str(path)) as video:
            lengths[path.name] = sum(1 for _ in video.decode(video=0))
    return lengths
