"""The single-environment version of Taxi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.utils.colorize import colorize
from gymkernel_env_toy_text import taxi_rules
from gymkernel_env_toy_text.tabular import ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT, ARROW_UP, TabularEnv
from gymkernel_env_toy_text.taxi_rules import DEPOTS, MAP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_toy_text.screen import Painter

__all__ = ["MAP", "TaxiEnv"]


class TaxiEnv(TabularEnv):
    """An environment in which a taxi picks up a passenger and drives to the destination.

    The town has 5 by 5 squares, walls that block moves to the east and west, and four depots: red (0), green (1),
    yellow (2) and blue (3). The passenger waits at a depot, and the destination is another depot. (Dietterich,
    "Hierarchical Reinforcement Learning with the MAXQ Value Function Decomposition", Journal of Artificial Intelligence
    Research 13, 2000. Rain and fickle passengers are from section 7.1.) In this map, `|` is a wall:

        +---------+
        |R: | : :G|
        | : | : : |
        | : : : : |
        | | : | : |
        |Y| : |B: |
        +---------+

    In the rain, the taxi moves in the intended direction with probability `rainy_probability`, and to the left or right
    of that direction with half of the remaining probability each. A move into a wall leaves the taxi in place. With
    `fickle_passenger`, the passenger in an episode is fickle with probability `fickle_probability`. When the taxi first
    moves with a fickle passenger on board, the destination changes to one of the other three depots.

    Action, `Discrete(6)`: 0 to 3 drive south, north, east and west. 4 picks the passenger up, and 5 drops the passenger
    off.

    Observation, `Discrete(500)`: ((row * 5 + column) * 5 + passenger) * 4 + destination. The passenger is at a depot or
    in the taxi (4). `encode` and `decode` convert observations. Only 400 of these states can occur during an episode,
    and 4 more can occur at its end.

    Reward: 20 for dropping off the passenger at the destination, -10 for an impossible pick-up or drop-off, and -1 for
    any other step. If the passenger is dropped off at a wrong depot, the reward is -1, and the passenger waits there.

    Info: "prob", the probability of the outcome (ignoring a change of the destination), and "action_mask", an int8
    array of shape (6,) with 1 for each action that changes the state, for `action_space.sample(mask)`.

    `TimeLimit`, which `make` adds, truncates episodes after 200 steps.

    Args:
        render_mode: "human" (a window), "ansi" (text), "rgb_array" or None.
        is_rainy: whether it rains, so that the taxi may move to the side.
        fickle_passenger: whether passengers may be fickle and change the destination.
        rainy_probability: the probability that the taxi moves in the intended direction in the rain.
        fickle_probability: the probability that a passenger is fickle.

    Raises:
        ValueError: if a probability is not between 0 and 1.
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("Taxi-v4")
    >>> observation, info = env.reset(seed=3)
    >>> env.unwrapped.decode(observation), info["action_mask"]
    ((0, 2, 0, 2), array([1, 0, 1, 0, 0, 0], dtype=int8))
    >>> observation, reward, terminated, truncated, info = env.step(5)
    >>> reward
    -10
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012
    ACTIONS = ("South", "North", "East", "West", "Pickup", "Dropoff")
    KEYS = (ARROW_DOWN, ARROW_UP, ARROW_RIGHT, ARROW_LEFT, ord("p"), ord("d"))

    def __init__(
        self,
        render_mode: str | None = None,
        is_rainy: bool = False,
        fickle_passenger: bool = False,
        rainy_probability: float = 0.8,
        fickle_probability: float = 0.3,
    ) -> None:
        for name, value in (("rainy_probability", rainy_probability), ("fickle_probability", fickle_probability)):
            if not 0 <= value <= 1:
                raise ValueError(f"Expected {name} to be a probability between 0 and 1, got {value!r}")
        super().__init__(
            taxi_rules.transitions(rainy_probability if is_rainy else None), taxi_rules.first_states(), render_mode
        )
        self.desc = np.asarray(MAP, dtype="c")
        self.locs = list(DEPOTS)
        self.rainy_probability, self.fickle_probability = rainy_probability, fickle_probability
        self.fickle_passenger = fickle_passenger
        self.fickle_step = False
        self.taxi_orientation = 0
        self._masks = taxi_rules.masks()

    encode = staticmethod(taxi_rules.encode)
    decode = staticmethod(taxi_rules.decode)

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action."""
        moves = [f"drive {name.lower()}" for name in self.ACTIONS[:4]]
        return [*moves, "pick up the passenger", "drop off the passenger"]

    def action_mask(self, state: int) -> NDArray[np.int8]:
        """Return a mask of the actions that change a state, as an int8 array of shape (6,).

        Args:
            state: a number from 0 to 499, such as an observation.

        Returns:
            A new array with 1 for each action that changes the state and 0 for all other actions.
        """
        mask: NDArray[np.int8] = self._masks[state].copy()
        return mask

    def step(self, action: int | np.integer[Any]) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Perform one action. The info contains "prob", the probability of the outcome, and the new "action_mask"."""
        before = self.s
        prob, state, reward, terminated = self._draw_outcome(action)
        if self.fickle_step and before is not None and before // 4 % 5 == 4 and before // 20 != state // 20:
            self.fickle_step = False
            chosen = int(self.np_random.integers(3))
            state += (chosen if chosen < before % 4 else chosen + 1) - state % 4
        self.s = state
        if self.lastaction is not None and self.lastaction < 4:
            self.taxi_orientation = self.lastaction
        if self._shown:
            self.render()
        return state, reward, terminated, False, {"prob": prob, "action_mask": self._masks[state].copy()}

    def _start_episode(self) -> tuple[int, dict[str, Any]]:
        state, _ = super()._start_episode()
        self.fickle_step = self.fickle_passenger and bool(self.np_random.random() < self.fickle_probability)
        self.taxi_orientation = 0
        return state, {"prob": 1.0, "action_mask": self._masks[state].copy()}

    def _text(self) -> str:
        assert self.s is not None  # noqa: S101 - `render` has already checked this
        letters = [list(row) for row in MAP]
        row, column, passenger, destination = self.decode(self.s)

        def mark(place: tuple[int, int], color: str, *, bold: bool = False, highlight: bool = False) -> None:
            line, at = letters[1 + place[0]], 2 * place[1] + 1
            line[at] = colorize(line[at], color, bold, highlight)

        if passenger < 4:
            mark((row, column), "yellow", highlight=True)
            mark(DEPOTS[passenger], "blue", bold=True)
        else:
            inside = letters[1 + row][2 * column + 1]
            letters[1 + row][2 * column + 1] = "_" if inside == " " else inside
            mark((row, column), "green", highlight=True)
        mark(DEPOTS[destination], "magenta")
        last = "" if self.lastaction is None else f"  ({self.ACTIONS[self.lastaction]})"
        return "\n".join([*("".join(line) for line in letters), last]) + "\n"

    def _painter(self) -> Painter:
        from gymkernel_env_toy_text.taxi_render import TaxiPainter

        return TaxiPainter()

    def _scene(self) -> tuple[Any, ...]:
        assert self.s is not None  # noqa: S101 - `render` has already checked this
        return *self.decode(self.s), self.taxi_orientation, self.lastaction
