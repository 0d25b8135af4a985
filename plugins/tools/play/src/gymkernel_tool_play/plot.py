"""The `PlayPlot` class, which plots quantities, such as rewards, during a game."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from gymkernel.error import DependencyNotInstalled

__all__ = ["PlayPlot"]


class PlayPlot:
    """A set of live plots of quantities, such as rewards, during a game. Pass its `callback` method to `play`.

    Args:
        callback: a function that returns a number for each plot. It is called with (obs_t, obs_tp1, action, rew,
            terminated, truncated, info).
        horizon_timesteps: how many of the most recent steps to show.
        plot_names: the titles of the plots.

    Attributes:
        data: the numbers that each plot shows, oldest first.

    Raises:
        DependencyNotInstalled: if matplotlib is not installed.
    """

    def __init__(
        self, callback: Callable[..., Sequence[float]], horizon_timesteps: int, plot_names: Sequence[str]
    ) -> None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as exc:
            message = "PlayPlot requires matplotlib; run: pip install 'gymkernel-tool-play[plot]'"
            raise DependencyNotInstalled(message) from exc
        self.data_callback = callback
        self.horizon_timesteps, self.plot_names = horizon_timesteps, list(plot_names)
        self.t = 0
        self.data = [deque[float](maxlen=horizon_timesteps) for _ in self.plot_names]
        self.figure, axes = plt.subplots(len(self.plot_names), squeeze=False)
        self.axes = axes[:, 0]
        self._pyplot = plt
        self._points: list[Any] = [None] * len(self.plot_names)
        for axis, name in zip(self.axes, self.plot_names, strict=True):
            axis.set_title(name)
        plt.show(block=False)

    def callback(
        self, obs_t: Any, obs_tp1: Any, action: Any, rew: float, terminated: bool, truncated: bool, info: Any
    ) -> None:
        """Add the numbers of a step to the plots and redraw the plots.

        Args:
            obs_t: the observation before the step.
            obs_tp1: the observation after the step.
            action: the action of the step, as an element of the action space.
            rew: the reward of the step.
            terminated: whether the step terminated the episode.
            truncated: whether the step truncated the episode.
            info: the info of the step.

        Raises:
            ValueError: if the function did not return exactly one number per plot.
        """
        values = self.data_callback(obs_t, obs_tp1, action, rew, terminated, truncated, info)
        if len(values) != len(self.data):
            raise ValueError(f"Expected one number for each of {self.plot_names}, got {len(values)} numbers")
        for line, value in zip(self.data, values, strict=True):
            line.append(float(value))
        self.t += 1
        steps = range(self.t - len(self.data[0]), self.t) if self.data else range(0)
        for k, axis in enumerate(self.axes):
            if self._points[k] is not None:
                self._points[k].remove()
            self._points[k] = axis.scatter(list(steps), list(self.data[k]), c="tab:blue", s=6)
            axis.set_xlim(steps.start, steps.start + self.horizon_timesteps)
        self.figure.canvas.draw_idle()
        self._pyplot.pause(0.000001)
