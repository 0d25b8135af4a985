"""A base class for environments that are defined by a table of the possible outcomes of each action in each state."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel_env_toy_text.single import ToyEnv
from gymkernel_env_toy_text.utils import categorical_sample
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ARROW_DOWN", "ARROW_LEFT", "ARROW_RIGHT", "ARROW_UP", "Outcomes", "TabularEnv", "Transitions"]

Outcomes = list[tuple[float, int, float, bool]]
"""The type of the possible outcomes of an action in a state."""
Transitions = dict[int, dict[int, Outcomes]]


ARROW_RIGHT, ARROW_LEFT, ARROW_DOWN, ARROW_UP = range(1073741903, 1073741907)
"""The codes of the arrow keys in pygame 2."""


class TabularEnv(ToyEnv[int]):
    """A base class for single environments whose dynamics are defined by a table `P`.

    A step samples a number u from [0, 1) and takes the first outcome in `P[state][action]` whose cumulative probability
    exceeds u. A reset samples the initial state from `initial_state_distrib` in the same way. Every step reads the
    table, and every reset reads the initial distribution, so a program can change both at any time.

    Attributes:
        P: the table, in which `P[state][action]` is a list of tuples (probability, next state, reward, terminated).
        initial_state_distrib: a float64 array with the probability that each state is the initial state.
        s: the current state, or None before the first reset. Programs may set this attribute.
        lastaction: the action in the most recent step, or None after a reset.

    Args:
        transitions: the table `P`.
        initial: the probability that each state is the initial state.
        render_mode: one of `metadata["render_modes"]`, or None.
    """

    ACTIONS: tuple[str, ...] = ()
    """The names of the actions, which are shown in "ansi" mode."""

    KEYS: tuple[int, ...] = ()
    """The key code for each action. The keys are letters or pygame 2's arrow keys."""

    def __init__(self, transitions: Transitions, initial: NDArray[np.float64], render_mode: str | None) -> None:
        super().__init__(render_mode)
        self.P = transitions
        self.initial_state_distrib = initial
        self.action_space = Discrete(len(self.ACTIONS))
        self.observation_space = Discrete(len(transitions))  # type: ignore[assignment] # states are Python integers
        self.s: int | None = None
        self.lastaction: int | None = None

    def step(self, action: int | np.integer[Any]) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Perform one action. The info contains "prob", the probability of the outcome."""
        prob, state, reward, terminated = self._draw_outcome(action)
        self.s = state
        if self._shown:
            self.render()
        return state, reward, terminated, False, {"prob": prob}

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action for each key in `play`."""
        return {(key,): action for action, key in enumerate(self.KEYS)}

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action."""
        return [f"move {name.lower()}" for name in self.ACTIONS]

    def _draw_outcome(self, action: int | np.integer[Any]) -> tuple[float, int, float, bool]:
        """Sample the outcome of an action, and store the action."""
        try:
            chosen = index(action)
            outcomes = self.P[self.s][chosen]  # type: ignore[index] # None is not in the table
        except (KeyError, TypeError):
            try:  # as keys of a dictionary, 1.0 and numpy.True_ are equal to 1
                outcomes, chosen = self.P[self.s][action], int(action)  # type: ignore[index]
            except (KeyError, TypeError):
                raise self._refusal(action) from None
        generator = self._np_random
        if generator is None:
            generator = self.np_random
        number = generator.random()
        outcome = outcomes[0]
        total = outcome[0]
        if total <= number:
            for other in outcomes[1:]:
                total += other[0]
                if total > number:
                    outcome = other
                    break
        self.lastaction = chosen
        return outcome

    def _refusal(self, action: Any) -> Exception:
        if self.s is None:
            return ResetNeeded("step was called before reset; call reset first to get the initial observation")
        if self.s not in self.P:
            return ValueError(f"Expected the state s to be in {self.observation_space}, got {self.s!r}")
        names = ", ".join(f"{i} ({name})" for i, name in enumerate(self.ACTIONS))
        return InvalidAction(f"Expected one of the actions {names}, got {action!r} ({type(action).__name__})")

    def _start_episode(self) -> tuple[int, dict[str, Any]]:
        state = int(categorical_sample(self.initial_state_distrib, self.np_random))
        self.s, self.lastaction = state, None
        return state, {"prob": 1}

    @property
    def _has_state(self) -> bool:
        return self.s is not None

    def _scene(self) -> tuple[Any, ...]:
        return self.s, self.lastaction
