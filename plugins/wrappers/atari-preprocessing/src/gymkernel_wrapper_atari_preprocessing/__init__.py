"""The `AtariPreprocessing` wrapper, which performs the standard preprocessing of observations from Atari games."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsFloat

import cv2
import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike, Info, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_space_box import Box

__all__ = ["AtariPreprocessing"]


class AtariPreprocessing(Wrapper[NDArray[Any], ActType, Any, ActType], RecordConstructorArgs):
    """A wrapper that applies the standard preprocessing for Atari games, as recommended by Machado et al.

    The recommendations are from "Revisiting the Arcade Learning Environment" (2018). An episode begins with a random
    number of no-op actions, and each action is repeated `frame_skip` times. The observation is the elementwise maximum
    of the last two frames, because the console draws some sprites only in every other frame. The result is converted to
    greyscale and resized by area averaging. To stack several observations, add `FrameStackObservation`.

    Args:
        env: an environment from the Arcade Learning Environment (ale-py), created with `frameskip=1`. The wrapper uses
            the attributes `ale`, `np_random`, `get_action_meanings()` and `_frameskip` of `env.unwrapped`.
        noop_max: the maximum number of no-ops at the beginning of an episode, or 0 for none.
        frame_skip: the number of times each action is repeated, at least 1.
        screen_size: the side length of the square observation in pixels, or (width, height).
        terminal_on_life_loss: whether to end the episode when a life is lost, which is not recommended.
        grayscale_obs: whether to convert observations to greyscale.
        grayscale_newaxis: whether greyscale observations have a channel axis of length 1.
        scale_obs: whether to scale observations to float32 values from 0 to 1, instead of uint8 values from 0 to 255.

    Raises:
        TypeError: if the observation space is not a Box.
        ValueError: if an argument is out of range, if the environment skips frames itself, or if its first action is
            not a no-op.

    In this example, `Game` implements everything that the wrapper needs from an Atari environment:

    >>> from types import SimpleNamespace
    >>> from gymkernel import Env
    >>> class Game(Env):
    ...     observation_space = Box(0, 255, (210, 160, 3), np.uint8)
    ...     ale = SimpleNamespace(lives=lambda: 3, getScreenGrayscale=lambda frame: frame.fill(200))
    ...     _frameskip = 1
    ...
    ...     def get_action_meanings(self):
    ...         return ["NOOP", "FIRE"]
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         super().reset(seed=seed)
    ...         return np.zeros((210, 160, 3), np.uint8), {}
    ...
    ...     def step(self, action):
    ...         return np.zeros((210, 160, 3), np.uint8), 1.0, False, False, {}
    >>> env = AtariPreprocessing(Game())
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, observation.dtype
    ((84, 84), dtype('uint8'))
    >>> env.step(0)[1]
    4.0
    """

    def __init__(
        self,
        env: EnvLike[Any, ActType],
        noop_max: int = 30,
        frame_skip: int = 4,
        screen_size: int | Sequence[int] = 84,
        terminal_on_life_loss: bool = False,
        grayscale_obs: bool = True,
        grayscale_newaxis: bool = False,
        scale_obs: bool = False,
    ) -> None:
        width, height = _size(screen_size)
        Wrapper.__init__(self, env)
        _check(env, noop_max, frame_skip)
        self.noop_max, self.frame_skip, self.screen_size = noop_max, frame_skip, (width, height)
        self.terminal_on_life_loss = terminal_on_life_loss
        self.grayscale_obs, self.grayscale_newaxis, self.scale_obs = grayscale_obs, grayscale_newaxis, scale_obs
        frame = env.observation_space.shape[:2] if grayscale_obs else env.observation_space.shape
        self.obs_buffer = [np.zeros(frame, np.uint8), np.zeros(frame, np.uint8)]
        """The last two frames, latest first."""
        self.lives = 0
        self.game_over = False
        channels = () if grayscale_obs and not grayscale_newaxis else (1,) if grayscale_obs else (3,)
        shape = (height, width, *channels)
        self.observation_space = Box(0, 1, shape) if scale_obs else Box(0, 255, shape, np.uint8)

    @property
    def ale(self) -> Any:
        """The emulator of the Arcade Learning Environment."""
        return self.unwrapped.ale  # type: ignore[attr-defined]

    def step(self, action: ActType) -> tuple[NDArray[Any], SupportsFloat, bool, bool, Info]:
        """Repeat the action at most `frame_skip` times, until the episode ends, and return the sum of the rewards."""
        total, last = 0.0, self.frame_skip - 1
        for i in range(self.frame_skip):
            _, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            self.game_over = terminated
            if self.terminal_on_life_loss:
                lives = self.ale.lives()
                self.game_over = terminated = terminated or lives < self.lives
                self.lives = lives
            if terminated or truncated:
                break
            if i >= last - 1:
                self._read_screen(self.obs_buffer[last - i])
        return self._observe(), total, terminated, truncated, info

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[Any], Info]:
        """Reset the environment, and perform a random number of no-ops. If a no-op ends the episode, reset again."""
        _, info = self.env.reset(seed=seed, options=options)
        noops = self.unwrapped.np_random.integers(1, self.noop_max + 1) if self.noop_max else 0
        noop: Any = 0
        for _ in range(noops):
            _, _, terminated, truncated, step_info = self.env.step(noop)
            info.update(step_info)
            if terminated or truncated:
                _, info = self.env.reset(seed=seed, options=options)
        self.lives = self.ale.lives()
        self._read_screen(self.obs_buffer[0])
        self.obs_buffer[1].fill(0)
        return self._observe(), info

    def _read_screen(self, frame: NDArray[np.uint8]) -> None:
        """Write the current screen to an array."""
        if self.grayscale_obs:
            self.ale.getScreenGrayscale(frame)
        else:
            self.ale.getScreenRGB(frame)

    def _observe(self) -> NDArray[Any]:
        last, before = self.obs_buffer
        if self.frame_skip > 1:
            np.maximum(last, before, out=last)
        observation: Any = cv2.resize(last, self.screen_size, interpolation=cv2.INTER_AREA)
        if self.scale_obs:
            observation = observation.astype(np.float32) / 255.0
        return observation[..., None] if self.grayscale_obs and self.grayscale_newaxis else observation  # type: ignore[no-any-return]


def _size(screen_size: Any) -> tuple[int, int]:
    """Return the width and the height."""
    try:
        lengths = [
            operator.index(length)
            for length in (screen_size if hasattr(screen_size, "__len__") else (screen_size, screen_size))
        ]
    except TypeError:
        lengths = []
    if len(lengths) != 2 or min(lengths) < 1:
        message = f"AtariPreprocessing expects screen_size to be one or two integers of at least 1, got {screen_size!r}"
        raise ValueError(message)
    return lengths[0], lengths[1]


def _check(env: Any, noop_max: int, frame_skip: int) -> None:
    space = env.observation_space
    if not (hasattr(space, "low") and hasattr(space, "high")):
        raise TypeError(f"AtariPreprocessing expects the observation space to be a Box of screens, got {space}")
    if frame_skip < 1:
        raise ValueError(f"AtariPreprocessing expects frame_skip to be at least 1, got {frame_skip}")
    if noop_max < 0:
        raise ValueError(f"AtariPreprocessing expects noop_max to be at least 0, got {noop_max}")
    if frame_skip > 1 and (skips := getattr(env.unwrapped, "_frameskip", None)) != 1:
        raise ValueError(
            f"AtariPreprocessing skips frames, and so does the environment (its _frameskip is {skips!r}); make the "
            "environment with frameskip=1"
        )
    if noop_max > 0 and (first := env.unwrapped.get_action_meanings()[0]) != "NOOP":
        raise ValueError(f"AtariPreprocessing expects action 0 to be a no-op, got {first!r}; pass noop_max=0")
