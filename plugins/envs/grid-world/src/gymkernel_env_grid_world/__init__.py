"""The GridWorld environment from gymkernel's tutorial, in which an agent walks to a target."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.env import Env
from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.specs import EnvSpec
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete

__all__ = ["GRID_WORLD", "GridWorldEnv"]

Observation = dict[str, NDArray[np.int64]]

MOVES = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
"""The change in (x, y) for each of the actions right, up, left and down."""
ARROWS = "→↑←↓"
CELL = 64
PAPER, LINE, TARGET, AGENT = (247, 248, 250), (214, 219, 226), (88, 166, 106), (45, 95, 139)


class GridWorldEnv(Env[Observation, "int | np.integer[Any]"]):
    """An environment in which an agent walks on a grid to a target.

    Action, `Discrete(4)`: 0 right, 1 up, 2 left, 3 down. A move off the grid leaves the agent in place.

    Observation, a `Dict` with the positions "agent" and "target". Each position is an int64 array (x, y), where x is
    counted from the left and y from the bottom.

    Reward: 1 for the step that reaches the target, and otherwise 0.

    Info: "distance", the minimum number of steps to the target.

    Reset: two different positions are sampled uniformly. `options["agent"]` and `options["target"]` set the positions
    instead.

    An episode ends when the agent reaches the target. `TimeLimit`, which `make` adds, truncates episodes after 100
    steps.

    Args:
        size: the number of rows and columns, at least 2.
        render_mode: "rgb_array", "ansi" (text) or None.

    Raises:
        ValueError: if the size is not an integer of at least 2.
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("grid-world/GridWorld-v0", size=4)
    >>> observation, info = env.reset(seed=1, options={"agent": [0, 0], "target": [1, 0]})
    >>> info
    {'distance': 1}
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> observation["agent"], reward, terminated
    (array([1, 0]), 1.0, True)
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 4}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, size: int = 5, render_mode: str | None = None) -> None:
        if isinstance(size, bool) or not hasattr(size, "__index__") or size < 2:
            raise ValueError(f"Expected size to be an integer of at least 2, for an agent and a target, got {size!r}")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnsupportedMode(f"Expected render_mode to be 'rgb_array', 'ansi' or None, got {render_mode!r}")
        self.size, self.render_mode = index(size), render_mode
        self.action_space = Discrete(4)
        places = [Box(0, self.size - 1, (2,), np.int64) for _ in range(2)]
        self.observation_space = Dict({"agent": places[0], "target": places[1]})
        self._agent: NDArray[np.int64] | None = None
        self._target: NDArray[np.int64] = np.zeros(2, np.int64)
        self._last: int | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Reset the environment.

        The options "agent" and "target" set the (x, y) positions.

        Raises:
            ValueError: if a position is off the grid, or if both positions are equal.
        """
        options = options or {}
        positions = {
            name: self._place(name, options[name]) for name in ("agent", "target") if options.get(name) is not None
        }
        if len(positions) == 2 and (positions["agent"] == positions["target"]).all():
            raise ValueError(
                "Expected the agent and the target to have different positions, "
                f"got {positions['agent'].tolist()} for both"
            )
        super().reset(seed=seed)
        agent, target = positions.get("agent"), positions.get("target")
        if agent is None:
            agent = self._draw_place(target)
        self._agent, self._target, self._last = agent, self._draw_place(agent) if target is None else target, None
        return self._observation(agent), self._info(agent)

    def _place(self, name: str, value: Any) -> NDArray[np.int64]:
        place = np.array(value)
        if place.shape != (2,) or place.dtype.kind not in "iu" or not ((place >= 0) & (place < self.size)).all():
            raise ValueError(
                f'Expected options["{name}"] to be a pair (x, y) of integers from 0 to {self.size - 1}, got {value!r}'
            )
        return place.astype(np.int64)

    def _draw_place(self, taken: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Sample a position that is different from the given position, if any."""
        while True:
            place = self.np_random.integers(self.size, size=2)
            if taken is None or (place != taken).any():
                return place

    def step(self, action: int | np.integer[Any]) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Move the agent by one square.

        Raises:
            InvalidAction: if the action space does not contain the action.
            ResetNeeded: if the environment has not been reset yet.
        """
        if action not in self.action_space:
            raise InvalidAction(f"Expected the action 0, 1, 2 or 3, got {action!r} ({type(action).__name__})")
        if self._agent is None:
            raise ResetNeeded("step was called before reset; call reset first to get the initial observation")
        self._last = int(action)
        agent = self._agent = np.clip(self._agent + MOVES[self._last], 0, self.size - 1)
        arrived = bool((agent == self._target).all())
        return self._observation(agent), float(arrived), arrived, False, self._info(agent)

    def _observation(self, agent: NDArray[np.int64]) -> Observation:
        """Return copies of the positions, so that later steps do not change observations that the caller has stored."""
        return {"agent": agent.copy(), "target": self._target.copy()}

    def _info(self, agent: NDArray[np.int64]) -> dict[str, Any]:
        return {"distance": int(np.abs(agent - self._target).sum())}

    def render(self) -> NDArray[np.uint8] | str | None:
        """Render the grid as a uint8 array of shape (64 * size, 64 * size, 3) or, in "ansi" mode, as text."""
        if self._agent is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self.render_mode == "ansi":
            return self._text(self._agent)
        return None if self.render_mode is None else self._picture(self._agent)

    def _text(self, agent: NDArray[np.int64]) -> str:
        rows = [["."] * self.size for _ in range(self.size)]
        for letter, (x, y) in (("T", self._target), ("A", agent)):
            rows[self.size - 1 - y][x] = letter
        last = [] if self._last is None else [ARROWS[self._last]]
        return "\n".join([*(" ".join(row) for row in rows), *last])

    def _picture(self, agent: NDArray[np.int64]) -> NDArray[np.uint8]:
        side = self.size * CELL
        picture = np.full((side, side, 3), PAPER, np.uint8)
        picture[::CELL], picture[:, ::CELL] = LINE, LINE
        left, top = CELL * self._target[0], CELL * (self.size - 1 - self._target[1])
        picture[top + 8 : top + CELL - 7, left + 8 : left + CELL - 7] = TARGET
        x, y = CELL * (agent[0] + 0.5), CELL * (self.size - 0.5 - agent[1])
        row, column = np.ogrid[0.5:side, 0.5:side]
        cover = np.clip(20.5 - np.hypot(column - x, row - y), 0, 1)[
            ..., None
        ]  # 1 inside the disc, and less at its edge
        picture[:] = (picture + cover * (np.array(AGENT) - picture)).round()
        return picture


GRID_WORLD = EnvSpec(
    "grid-world/GridWorld-v0", entry_point=f"{__name__}:GridWorldEnv", max_episode_steps=100, reward_threshold=1.0
)
