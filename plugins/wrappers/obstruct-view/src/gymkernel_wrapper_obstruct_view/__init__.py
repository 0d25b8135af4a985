"""The `ObstructView` wrapper, which covers parts of rendered frames with noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.checks import require_integers
from gymkernel_util_wrappers.render_noise import change_frames, render_noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ObstructView"]


class ObstructView(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that covers random square patches of rendered frames with noise.

    Args:
        env: the environment to wrap. It must render arrays of shape (height, width, 3).
        obstructed_pixels_ratio: the fraction of pixels to cover, in [0, 1). The actual fraction is smaller if patches
            overlap or extend beyond the frame. The random numbers come from the environment's own `np_random`.
        obstruction_width: the side length of a patch in pixels, at least 1.
        is_noise_grayscale: whether to use greyscale noise instead of coloured noise.

    Raises:
        TypeError: if `obstruction_width` is not an integer.
        ValueError: if `obstructed_pixels_ratio` is not in [0, 1) or `obstruction_width` is less than 1.

    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     def render(self):
    ...         return np.zeros((100, 100, 3), np.uint8)
    >>> frame = ObstructView(Dark(), 0.5, 10).render()
    >>> bool(0.2 < (frame > 0).any(-1).mean() < 0.5)
    True
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        obstructed_pixels_ratio: float,
        obstruction_width: int,
        is_noise_grayscale: bool = False,
    ) -> None:
        if not 0 <= obstructed_pixels_ratio < 1:
            raise ValueError(f"ObstructView expects the ratio to be in [0, 1), got {obstructed_pixels_ratio}")
        message = f"ObstructView expects obstruction_width to be an integer of at least 1, got {obstruction_width!r}"
        (width,) = require_integers([obstruction_width], 1, 1, message)
        Wrapper.__init__(self, env)
        self.obstruction_centers_ratio = obstructed_pixels_ratio / width**2
        self.obstruction_width = width
        self.is_noise_grayscale = is_noise_grayscale

    def render(self) -> Any:
        """Render the environment, and add noisy patches to the frame or to all frames in a list.

        Raises:
            TypeError: if the environment does not render arrays of shape (height, width, 3).
        """
        return change_frames(self.env.render(), self._add_patches, "ObstructView")

    def _add_patches(self, frame: NDArray[np.uint8]) -> NDArray[np.uint8]:
        random, (height, width, _) = self.np_random, frame.shape
        centers = random.integers(0, height * width, int(height * width * self.obstruction_centers_ratio))
        before = self.obstruction_width // 2
        after = self.obstruction_width - before
        covered = np.zeros((height, width), np.bool_)
        for row, column in zip(*(index.tolist() for index in np.unravel_index(centers, (height, width))), strict=True):
            covered[max(row - before, 0) : row + after, max(column - before, 0) : column + after] = True
        noise = render_noise(frame.shape, random, self.is_noise_grayscale)
        return np.where(covered[..., None], noise, frame)
