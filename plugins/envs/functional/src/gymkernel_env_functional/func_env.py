"""The class `FuncEnv`, a base class for environments that are written as functions of a state."""

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
    """A base class for environments that are written as pure functions.

    The functions have no side effects and do not modify their arguments. For example, `transition` takes a state and
    returns a new state. This makes it easy to plan ahead, to return to an earlier state, to step many states at once,
    and to compile the functions. A subclass sets both spaces and defines `initial`, `transition`, `observation`,
    `reward` and `terminal`. `FunctionalEnv` and `FunctionalVectorEnv` turn the functions into an `Env` and a
    `VectorEnv`.

    Attributes:
        observation_space: the space of a single observation.
        action_space: the space of a single action.
        default_params: the result of `get_default_params`.
        batched: whether all functions except `initial` also accept batches, which are states, actions and next states
            with an additional leading axis. For a batch, `rng` is a list with a random number generator for each state.

    Args:
        options: a dictionary of attributes to set on this object, such as physical constants, or None.

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
        """Sample an initial state.

        Args:
            rng: a random number generator, usually a `numpy.random.Generator`. It must be the only source of
                randomness.
            params: the parameters of the environment, or None to use `get_default_params()`.
        """
        raise NotImplementedError

    def transition(self, state: StateType, action: ActType, rng: Any, params: Params | None = None) -> StateType:
        """Return the next state without modifying the current state.

        Args:
            state: the current state.
            action: an element of `action_space`.
            rng: a random number generator. `CartPoleFunctional` and `PendulumFunctional` expect a NumPy generator.
            params: the parameters of the environment, or None to use `get_default_params()`.
        """
        raise NotImplementedError

    def observation(self, state: StateType, rng: Any, params: Params | None = None) -> ObsType:
        """Return the observation of a state. It must not share memory with the state.

        The arguments are the same as for `transition`.
        """
        raise NotImplementedError

    def reward(
        self, state: StateType, action: ActType, next_state: StateType, rng: Any, params: Params | None = None
    ) -> RewardType:
        """Return the reward of a transition.

        Args:
            state: the state before the step.
            action: the action that is performed in this state.
            next_state: the state after the step.
            rng: a random number generator.
            params: the parameters of the environment, or None to use `get_default_params()`.
        """
        raise NotImplementedError

    def terminal(self, state: StateType, rng: Any, params: Params | None = None) -> TerminalType:
        """Return whether an episode ends in a state. The arguments are the same as for `transition`."""
        raise NotImplementedError

    def state_info(self, state: StateType, params: Params | None = None) -> dict[str, Any]:
        """Return the info for a reset to the given state.

        Args:
            state: the initial state of an episode.
            params: the parameters of the environment, or None to use `get_default_params()`.
        """
        return {}

    def transition_info(
        self, state: StateType, action: ActType, next_state: StateType, params: Params | None = None
    ) -> dict[str, Any]:
        """Return the info for a step. The arguments are the same as for `reward`."""
        return {}

    def transform(self, func: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replace each function with `func(function)`, for example to compile it or to map it over an axis.

        Args:
            func: a function that takes a method of this object and returns the replacement.

        >>> import functools
        >>> FuncEnv().transform(functools.cache)
        """
        for name in ("initial", "transition", "observation", "reward", "terminal", "state_info", "transition_info"):
            setattr(self, name, func(getattr(self, name)))

    def render_init(self, params: Params | None = None, **kwargs: Any) -> RenderStateType:
        """Create the initial render state, for example a canvas.

        Args:
            params: the parameters of the environment, or None to use `get_default_params()`.
            **kwargs: options of a subclass, such as the size of the image.
        """
        raise NotImplementedError

    def render_image(
        self, state: StateType, render_state: RenderStateType, params: Params | None = None
    ) -> tuple[RenderStateType, NDArray[np.uint8]]:
        """Render a state.

        Args:
            state: the state to draw.
            render_state: the result of `render_init`, or the render state that the previous call returned.
            params: the parameters of the environment, or None to use `get_default_params()`.

        Returns:
            The render state for the next call, and the image, which is a uint8 array of shape (height, width, 3).
        """
        raise NotImplementedError

    def render_close(self, render_state: RenderStateType, params: Params | None = None) -> None:
        """Release the resources of a render state.

        Args:
            render_state: the result of `render_init`, or the render state that the previous call returned.
            params: the parameters of the environment, or None to use `get_default_params()`.
        """

    def get_default_params(self, **kwargs: Any) -> Params | None:
        """Return the default parameters of the environment.

        Args:
            **kwargs: parameters that differ from the defaults, if a subclass accepts them.
        """
        return None
