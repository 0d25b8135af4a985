"""`FuncEnv`: an environment as functions, whose state the caller keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gymkernel.protocols import Options
    from gymkernel.space import Space

__all__ = ["ActType", "FuncEnv", "ObsType", "Params", "RenderStateType", "RewardType", "StateType", "TerminalType"]

StateType = TypeVar("StateType")
ObsType = TypeVar("ObsType")
ActType = TypeVar("ActType")
RewardType = TypeVar("RewardType")
TerminalType = TypeVar("TerminalType")
RenderStateType = TypeVar("RenderStateType")
Params = TypeVar("Params")


class FuncEnv(Generic[StateType, ObsType, ActType, RewardType, TerminalType, RenderStateType, Params]):
    """Base of environments that are functions: nothing is remembered between two calls, and nothing given is changed.

    A state goes in, another comes out. That makes it easy to search ahead, to go back, to compute many states at once,
    and to compile. A subclass sets both spaces and defines `initial`, `transition`, `observation`, `reward` and
    `terminal`; `FunctionalEnv` and `FunctionalVectorEnv` make environments of the usual form of it.

    Attributes:
        observation_space: the space of observations.
        action_space: the space of actions.
        default_params: what `get_default_params` returns.
        batched: whether the functions, but for `initial`, also take a leading axis of states, actions and next states
            at once, with a list of generators, one for each, for `rng`.

    Args:
        options: attributes to set, such as constants of the class.

    >>> import numpy as np
    >>> from gymkernel.spaces import Discrete
    >>> class Countdown(FuncEnv):
    ...     observation_space, action_space = Discrete(10), Discrete(3)
    ...
    ...     def initial(self, rng, params=None):
    ...         return int(rng.integers(5, 10))
    ...
    ...     def transition(self, state, action, rng, params=None):
    ...         return max(state - action, 0)
    ...
    ...     def observation(self, state, rng, params=None):
    ...         return state
    ...
    ...     def reward(self, state, action, next_state, rng, params=None):
    ...         return -1.0
    ...
    ...     def terminal(self, state, rng, params=None):
    ...         return state == 0
    >>> countdown, rng = Countdown(), np.random.default_rng(1)
    >>> state = countdown.initial(rng)
    >>> [countdown.transition(state, action, rng) for action in range(3)]
    [7, 6, 5]
    """

    observation_space: Space[Any]
    action_space: Space[Any]
    batched: ClassVar[bool] = False

    def __init__(self, options: Options = None) -> None:
        self.__dict__.update(options or {})
        self.default_params = self.get_default_params()

    def initial(self, rng: Any, params: Params | None = None) -> StateType:
        """Draw a first state.

        Args:
            rng: a `numpy.random.Generator`, from which all chance comes.
            params: constants that differ from the default ones.
        """
        raise NotImplementedError

    def transition(self, state: StateType, action: ActType, rng: Any, params: Params | None = None) -> StateType:
        """Return the state that an action leads to; the one given is left as it is.

        Args:
            state: the state before.
            action: an element of `action_space`.
            rng: the source of randomness, a generator of NumPy for the environments here.
            params: the constants; None for `get_default_params()`.
        """
        raise NotImplementedError

    def observation(self, state: StateType, rng: Any, params: Params | None = None) -> ObsType:
        """Return what the agent sees of a state, in memory of its own. Arguments are those of `transition`."""
        raise NotImplementedError

    def reward(
        self, state: StateType, action: ActType, next_state: StateType, rng: Any, params: Params | None = None
    ) -> RewardType:
        """Return the reward of a transition.

        Args:
            state: the state before.
            action: what was done in it.
            next_state: the state after.
            rng: the source of randomness.
            params: the constants; None for `get_default_params()`.
        """
        raise NotImplementedError

    def terminal(self, state: StateType, rng: Any, params: Params | None = None) -> TerminalType:
        """Return whether an episode ends in a state. Arguments are those of `transition`."""
        raise NotImplementedError

    def state_info(self, state: StateType, params: Params | None = None) -> dict[str, Any]:
        """Return what is worth knowing of a state; the info of a reset.

        Args:
            state: the first state of an episode.
            params: the constants; None for `get_default_params()`.
        """
        return {}

    def transition_info(
        self, state: StateType, action: ActType, next_state: StateType, params: Params | None = None
    ) -> dict[str, Any]:
        """Return what is worth knowing of a transition; the info of a step. Arguments are those of `reward`."""
        return {}

    def transform(self, func: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Put `func` of each function in its place, such as one that compiles, counts, or maps over an axis.

        Args:
            func: takes a function of this object, and returns what is to stand in its place.

        >>> import functools
        >>> FuncEnv().transform(functools.cache)
        """
        for name in ("initial", "transition", "observation", "reward", "terminal", "state_info", "transition_info"):
            setattr(self, name, func(getattr(self, name)))

    def render_init(self, params: Params | None = None, **kwargs: Any) -> RenderStateType:
        """Return what drawing needs, a canvas for example.

        Args:
            params: the constants; None for `get_default_params()`.
            **kwargs: what a subclass makes of them, such as the size of the picture.
        """
        raise NotImplementedError

    def render_image(
        self, state: StateType, render_state: RenderStateType, params: Params | None = None
    ) -> tuple[RenderStateType, NDArray[np.uint8]]:
        """Draw a state: return the render state for the next picture, and the picture, uint8 of (height, width, 3).

        Args:
            state: what is drawn.
            render_state: what `render_init` or the last call returned.
            params: the constants; None for `get_default_params()`.
        """
        raise NotImplementedError

    def render_close(self, render_state: RenderStateType, params: Params | None = None) -> None:
        """Give back what drawing took.

        Args:
            render_state: what `render_init` or the last call returned.
            params: the constants; None for `get_default_params()`.
        """

    def get_default_params(self, **kwargs: Any) -> Params | None:
        """Return the constants that hold where none are given.

        Args:
            **kwargs: constants that are to differ, where a subclass takes such.
        """
        return None
