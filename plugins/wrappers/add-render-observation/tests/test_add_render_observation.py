"""Tests of `AddRenderObservation` and `PixelObservationWrapper`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Wrapper
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Box, Dict
from gymkernel.wrappers import AddRenderObservation, PixelObservationWrapper

STATE, PIXELS = Box(-1, 1, (2,)), Box(0, 255, (4, 6, 3), np.uint8)


class Glows(Env[Any, Any]):
    """An environment that renders the step number as the brightness of a frame."""

    def __init__(self, space: Any = STATE, mode: str | None = "rgb_array", frame: Any = None) -> None:
        self.observation_space, self.render_mode, self.frame = space, mode, frame
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.time = 10
        return self.see(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.see(), 0.0, False, False, {}

    def see(self) -> Any:
        state = np.zeros(2, np.float32)
        return {"pose": state} if isinstance(self.observation_space, Dict) else state

    def render(self) -> Any:
        return np.full((4, 6, 3), self.time, np.uint8) if self.frame is None else self.frame


def test_frame_replaces_the_observation() -> None:
    env = AddRenderObservation(Glows())
    assert env.observation_space == PIXELS
    assert (env.reset()[0].max(), env.step(0)[0].max()) == (10, 11)


def test_frame_is_added_beside_the_observation() -> None:
    env = AddRenderObservation(Glows(), render_only=False)
    assert env.observation_space == Dict({"state": STATE, "pixels": PIXELS})
    observation = env.reset()[0]
    assert observation in env.observation_space
    assert observation["pixels"].max() == 10


def test_dict_observation_gets_a_key() -> None:
    env = AddRenderObservation(Glows(Dict(pose=STATE)), render_only=False, render_key="screen")
    assert env.observation_space == Dict({"pose": STATE, "screen": PIXELS})
    assert env.reset()[0] in env.observation_space


def test_keys_can_be_chosen() -> None:
    env = AddRenderObservation(Glows(), render_only=False, render_key="screen", obs_key="body")
    assert list(env.reset()[0]) == ["body", "screen"]


def test_key_can_be_none() -> None:
    env = AddRenderObservation(Glows(), render_only=False, obs_key=None)  # type: ignore[arg-type]
    assert set(env.reset()[0]) == {None, "pixels"}


@pytest.mark.parametrize("mode", [None, "human"])
def test_render_mode_without_frames_is_rejected(mode: str | None) -> None:
    with pytest.raises(ValueError, match=r"^AddRenderObservation expects a render mode that returns arrays, got"):
        AddRenderObservation(Glows(mode=mode))


def test_non_array_frames_are_rejected() -> None:
    with pytest.raises(
        TypeError, match=r"^AddRenderObservation expects render to return an array, got list in render mode"
    ):
        AddRenderObservation(Glows(mode="rgb_array_list", frame=[]))


def test_existing_key_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"^AddRenderObservation expects an unused render_key, got 'pose' of"):
        AddRenderObservation(Glows(Dict(pose=STATE)), render_only=False, render_key="pose")


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Glows()
    env.spec = EnvSpec("Glows-v0", entry_point=Glows)
    spec = AddRenderObservation(env).spec
    assert spec is not None
    wanted = {"render_only": True, "render_key": "pixels", "obs_key": "state"}
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == wanted


class Zooms(Glows):
    """An environment that counts its resets and can render larger frames."""

    resets = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self.resets += 1
        return super().reset(seed=seed, options=options)

    def render(self, zoom: int = 1) -> Any:
        return np.full((4 * zoom, 6 * zoom, 3), self.time, np.uint8)


def test_pixels_only_gives_a_dict_with_one_key() -> None:
    env: Any = PixelObservationWrapper(Glows())
    assert env.observation_space == Dict(pixels=PIXELS)
    assert list(env.reset()[0]) == ["pixels"]
    assert env.step(0)[0]["pixels"].max() == 11


def test_pixels_are_added_beside_the_observation() -> None:
    for space, names in ((STATE, {"state"}), (Dict(pose=STATE), {"pose"})):
        env: Any = PixelObservationWrapper(Glows(space), pixels_only=False)
        assert set(env.observation_space) == {"pixels"} | names
        assert env.reset()[0] in env.observation_space


def test_every_pixel_key_has_its_own_arguments() -> None:
    inside = Zooms()
    env: Any = PixelObservationWrapper(Wrapper(inside), True, {"near": {"zoom": 2}}, ("far", "near"))
    assert env.observation_space["near"].shape == (8, 12, 3)
    assert {key: frame.shape for key, frame in env.reset()[0].items()} == {"far": (4, 6, 3), "near": (8, 12, 3)}
    assert inside.resets == 2  # a single reset to determine the sizes of all frames


def test_float_frames_have_no_bounds() -> None:
    depths = np.full((2, 2), 7.5, np.float32)
    env: Any = PixelObservationWrapper(Glows(frame=depths))
    assert env.observation_space["pixels"] == Box(-np.inf, np.inf, (2, 2), np.float32)
    assert env.reset()[0] in env.observation_space


@pytest.mark.parametrize(
    "env, options, message",
    [
        (Glows(mode=None), {}, r"^PixelObservationWrapper expects a render mode that returns arrays, got None"),
        (Glows(), {"pixel_keys": ()}, r"expects pixel_keys to contain one or more different keys, got \(\)$"),
        (Glows(), {"pixel_keys": "pixels"}, r"expects pixel_keys to contain one or more different keys, got 'pixels'$"),
        (Glows(), {"pixel_keys": ("a", "a")}, r"one or more different keys, got"),
        (Glows(), {"render_kwargs": {"other": {}}}, r"for keys in pixel_keys, \['pixels'\], got \['other'\]$"),
        (Glows(), {"pixel_keys": ("state",), "pixels_only": False}, r"unused pixel_keys, got \['state'\]"),
        (Glows(Dict(pixels=STATE)), {"pixels_only": False}, r"unused pixel_keys, got \['pixels'\]"),
    ],
)
def test_invalid_pixel_arguments_are_rejected(env: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PixelObservationWrapper(env, **options)


def test_pixel_wrapper_is_recreated_from_spec_and_json() -> None:
    env = PixelObservationWrapper[Any](Zooms(), False, {"near": {"zoom": 2}}, ("far", "near"))
    again = PixelObservationWrapper[Any](Zooms(), **json.loads(json.dumps(env._saved_kwargs)))
    assert again.observation_space == env.observation_space
