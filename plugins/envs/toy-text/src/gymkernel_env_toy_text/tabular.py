"""Problems whose dynamics are a table: finitely many states and actions, and for each pair what may happen."""

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

__all__ = ["Outcomes", "TabularEnv", "Transitions"]

Outcomes = list[tuple[float, int, float, bool]]
"""What may happen: (probability, next state, reward, terminated) each."""
Transitions = dict[int, dict[int, Outcomes]]


class TabularEnv(ToyEnv[int]):
    """Base of environments that follow a table `P`.

    A step draws one number u from [0, 1) and takes the first outcome of `P[state][action]` with which the sum of the
    probabilities exceeds u; a reset draws the first state from `initial_state_distrib` in the same way. Table and
    distribution are read at every step and reset: they may be changed.

    Attributes:
        P: `P[state][action]`, a list of (probability, next state, reward, terminated).
        initial_state_distrib: the probability of every state to be the first, float64.
        s: the state; None before the first reset. It may be set.
        lastaction: the action of the last step; None after a reset.

    Args:
        transitions: the table.
        initial: the distribution of first states.
        render_mode: one of `metadata["render_modes"]`, or None.
    """

    ACTIONS: tuple[str, ...] = ()
    """The names of the actions 0, 1, ...; they stand in the text that "ansi" renders."""

    def __init__(self, transitions: Transitions, initial: NDArray[np.float64], render_mode: str | None) -> None:
        super().__init__(render_mode)
        self.P = transitions
        self.initial_state_distrib = initial
        self.action_space = Discrete(len(self.ACTIONS))
        self.observation_space = Discrete(len(transitions))
        self.s: int | None = None
        self.lastaction: int | None = None

    def step(self, action: int | np.integer[Any]) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Act once; the info has "prob", the probability of what happened. Errors are those of the base."""
        prob, state, reward, terminated = self._drawn(action)
        self.s = state
        if self._shown:
            self.render()
        return state, reward, terminated, False, {"prob": prob}

    def _drawn(self, action: int | np.integer[Any]) -> tuple[float, int, float, bool]:
        """Draw what happens, and remember the action."""
        try:
            chosen = index(action)
            outcomes = self.P[self.s][chosen]  # type: ignore[index] # None is in no table
        except (KeyError, TypeError):
            try:  # 1.0 and numpy.True_ are 1 to a table
                outcomes, chosen = self.P[self.s][action], int(action)  # type: ignore[index]
            except (KeyError, TypeError):
                raise self._refusal(action) from None
        generator = self._np_random
        if generator is None:
            generator = self.np_random
        drawn = generator.random()
        outcome = outcomes[0]
        total = outcome[0]
        if total <= drawn:
            for other in outcomes[1:]:
                total += other[0]
                if total > drawn:
                    outcome = other
                    break
        self.lastaction = chosen
        return outcome

    def _refusal(self, action: Any) -> Exception:
        if self.s is None:
            return ResetNeeded("step was called before reset; call reset first, it returns the first observation")
        if self.s not in self.P:
            return ValueError(f"Expected the state s to be in {self.observation_space}, got {self.s!r}")
        names = ", ".join(f"{i} ({name})" for i, name in enumerate(self.ACTIONS))
        return InvalidAction(f"Expected one of the actions {names}, got {action!r} ({type(action).__name__})")

    def _begun(self) -> tuple[int, dict[str, Any]]:
        state = int(categorical_sample(self.initial_state_distrib, self.np_random))
        self.s, self.lastaction = state, None
        return state, {"prob": 1}

    @property
    def _has_begun(self) -> bool:
        return self.s is not None

    def _scene(self) -> tuple[Any, ...]:
        return self.s, self.lastaction
