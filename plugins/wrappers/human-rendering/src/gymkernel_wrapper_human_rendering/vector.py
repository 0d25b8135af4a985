"""`HumanRendering` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.utils import RecordConstructorArgs
from gymkernel.vector import VectorWrapper
from gymkernel_wrapper_human_rendering.window import Window, check, tiled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from gymkernel.vector import VectorEnv

__all__ = ["HumanRendering"]


class HumanRendering(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
    """Show the frames of all environments side by side in a window, after every reset and step.

    Args:
        env: the vector environment inside, with a render mode of arrays, and `metadata["render_fps"]`.
        screen_size: (width, height) of the window in pixels; None for the size of one frame.

    Raises:
        ValueError: another render mode, or no rate.
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], screen_size: tuple[int, int] | None = None) -> None:
        size = None if screen_size is None else (int(screen_size[0]), int(screen_size[1]))
        RecordConstructorArgs.__init__(self, screen_size=size)
        VectorWrapper.__init__(self, env)
        self.metadata = check(self.env)
        self.screen_size = size
        self.window = Window(self.metadata["render_fps"])

    @property
    def render_mode(self) -> str:  # type: ignore[override] # decided here
        """Always human."""
        return "human"

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObsType, dict[str, Any]]:
        """Begin episodes, and show the frames."""
        results = self.env.reset(seed=seed, options=options)
        self._show()
        return results

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, dict[str, Any]]:
        """Act once, and show the frames."""
        results = self.env.step(actions)
        self._show()
        return results

    def step_masked(
        self, actions: ActType, mask: NDArray[np.bool_]
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, dict[str, Any]]:
        """Act once where a mask says, and show the frames of all."""
        results = self.env.step_masked(actions, mask)
        self._show()
        return results

    def _show(self) -> None:
        self.window.show(tiled(self.env.render() or (), self.screen_size))

    def render(self) -> None:
        """Do nothing: what there is to see is shown already."""

    def close(self, **kwargs: Any) -> None:
        """Close the window and the vector environment."""
        self.window.close()
        self.env.close(**kwargs)
