"""The `NotebookRendering` wrapper, which shows rendered frames in a notebook cell."""

from __future__ import annotations

import sys
import time
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.wrapper import Wrapper

__all__ = ["NotebookRendering"]

MODES = ("rgb_array", "rgb_array_list")


class NotebookRendering(Wrapper[ObsType, ActType, ObsType, ActType]):
    """A wrapper that renders a frame after each reset and step, and shows the frames in a notebook cell.

    In a notebook, `make` adds this wrapper for `render_mode="human"`. Each frame replaces the previous frame in the
    output of the cell that is running. Outside a notebook, nothing is shown.

    Args:
        env: the wrapped environment, whose render mode must be "rgb_array" or "rgb_array_list". Its
            `metadata["render_fps"]` determines the number of frames per second. The default is 30.

    Raises:
        ValueError: if the environment has a different render mode.

    >>> import numpy as np
    >>> from gymkernel import Env
    >>> class Dark(Env):
    ...     render_mode = "rgb_array"
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def render(self):
    ...         return np.zeros((40, 60, 3), np.uint8)
    >>> env = NotebookRendering(Dark())
    >>> env.reset(), env.render_mode
    ((0, {}), 'human')
    """

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        Wrapper.__init__(self, env)
        if self.env.render_mode not in MODES:
            raise ValueError(
                f"NotebookRendering expects an environment with render mode {' or '.join(MODES)}, got "
                f"{self.env.render_mode!r}"
            )
        metadata = dict(self.env.metadata)
        modes = list(metadata.get("render_modes", ()))
        metadata["render_modes"] = modes if "human" in modes else [*modes, "human"]
        self.metadata = metadata
        self.picture: Any = None
        """The most recent frame that was shown."""
        self._shown_at = float("-inf")
        self._cell: tuple[Any, Any] = (None, None)

    @property
    def render_mode(self) -> str:  # type: ignore[override] # read-only
        """Always "human" in this wrapper."""
        return "human"

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment, and show the first frame of the episode."""
        result = self.env.reset(seed=seed, options=options)
        self._show()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment, and show a frame."""
        result = self.env.step(action)
        self._show()
        return result

    def render(self) -> None:
        """Do nothing, because all frames have already been shown."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_cell": (None, None)}

    def _show(self) -> None:
        frame: Any = self.env.render()
        self.picture = frame[-1] if isinstance(frame, list) else frame
        shell = _shell()
        if shell is None:
            return
        from gymkernel_util_spaces.pictures import encode_png

        left = self._shown_at + 1 / (self.metadata.get("render_fps") or 30) - time.perf_counter()
        if left > 0:
            time.sleep(left)
        display = sys.modules["IPython.display"]
        shown = display.Image(data=encode_png(self.picture, level=1), format="png")
        count, handle = self._cell
        if handle is None or count != shell.execution_count:
            self._cell = shell.execution_count, display.display(shown, display_id=True)
        else:
            handle.update(shown)
        self._shown_at = time.perf_counter()


def _shell() -> Any:
    """Return the IPython shell if the program runs in a notebook, otherwise None."""
    python = sys.modules.get("IPython")
    shell = None if python is None or "ipykernel" not in sys.modules else python.get_ipython()
    return shell if shell is not None and hasattr(shell, "kernel") else None
