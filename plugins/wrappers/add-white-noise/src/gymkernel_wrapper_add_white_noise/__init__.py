"""The `AddWhiteNoise` wrapper, which adds noise to rendered frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import InvalidProbability
from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.render_noise import change_frames, render_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AddWhiteNoise"]


class AddWhiteNoise(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that replaces random pixels in rendered frames with noise.

    Args:
        env: the environment to wrap. It must render arrays of shape (height, width, 3).
        probability_of_noise_per_pixel: the probability that a pixel is replaced, in [0, 1). The pixels are selected
            with the environment's own `np_random`.
        is_noise_grayscale: whether to use greyscale noise instead of coloured noise.

    Raises:
        InvalidProbability: if the probability is not in [0, 1).

    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     def render(self):
    ...         return np.zeros((40, 60, 3), np.uint8)
    >>> frame = AddWhiteNoise(Dark(), 0.5).render()
    >>> bool(0.4 < (frame > 0).any(-1).mean() < 0.6)
    True
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        probability_of_noise_per_pixel: float,
        is_noise_grayscale: bool = False,
    ) -> None:
        if not 0 <= probability_of_noise_per_pixel < 1:
            raise InvalidProbability(
                f"AddWhiteNoise expects the probability to be in [0, 1), got {probability_of_noise_per_pixel}"
            )
        Wrapper.__init__(self, env)
        self.probability_of_noise_per_pixel = probability_of_noise_per_pixel
        self.is_noise_grayscale = is_noise_grayscale

    def render(self) -> Any:
        """Render the environment, and add noise to the frame or to all frames in a list.

        Raises:
            TypeError: if the environment does not render arrays of shape (height, width, 3).
        """
        return change_frames(self.env.render(), self._add_noise, "AddWhiteNoise")

    def _add_noise(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        random = self.np_random
        noise = render_noise(frame.shape, random, self.is_noise_grayscale)
        return np.where((random.random(frame.shape[:2]) < self.probability_of_noise_per_pixel)[..., None], noise, frame)
