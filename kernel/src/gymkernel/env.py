"""`Env`: an environment with the five-value step API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, SupportsFloat

from gymkernel.protocols import ActType, Generics, Info, ObsType
from gymkernel.utils import seeding

if TYPE_CHECKING:
    import numpy as np

    from gymkernel.space import Space
    from gymkernel.specs import EnvSpec

__all__ = ["Env", "Randomness"]


class Randomness:
    """The base class of `Env` and `VectorEnv`, which creates a random number generator when it is first needed."""

    _np_random: np.random.Generator | None = None
    _np_random_seed: int | None = None

    @property
    def np_random(self) -> np.random.Generator:
        """The environment's random number generator, which `reset(seed=...)` seeds."""
        if self._np_random is None:
            self._np_random, self._np_random_seed = seeding.np_random()
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1

    @property
    def np_random_seed(self) -> int | None:
        """The seed of the random number generator, or -1 if the caller assigned the generator."""
        if self._np_random_seed is None:
            if self._np_random is not None:
                return -1
            self._np_random, self._np_random_seed = seeding.np_random()
        return self._np_random_seed


class Env(Randomness, Generics, Generic[ObsType, ActType]):
    """An environment: a partially observed Markov decision process in which an agent acts step by step.

    A subclass sets `observation_space` and `action_space` and defines `reset` and `step`. A subclass that renders also
    lists its modes in `metadata["render_modes"]`, accepts `render_mode` in its constructor and defines `render`.

    >>> class Countdown(Env[int, int]):
    ...     def reset(self, *, seed=None, options=None):
    ...         super().reset(seed=seed)
    ...         self.left = int(self.np_random.integers(2, 5))
    ...         return self.left, {}
    ...
    ...     def step(self, action):
    ...         self.left -= 1
    ...         return self.left, 1.0, self.left == 0, False, {}
    >>> with Countdown() as env:
    ...     observation, info = env.reset(seed=7)
    ...     observation, reward, terminated, truncated, info = env.step(0)
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - a subclass replaces the dictionary, as in Gymnasium
    render_mode: str | None = None
    spec: EnvSpec | None = None
    observation_space: Space[ObsType]
    action_space: Space[ActType]

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Perform one action.

        Args:
            action: an element of `action_space`, which is never modified.

        Returns:
            observation: an element of `observation_space`. Later steps never overwrite its memory.
            reward: a number.
            terminated: whether the environment reached a terminal state, whose value is zero.
            truncated: whether the episode was ended for another reason, such as a time limit.
            info: additional data for logs and debugging.
        """
        raise NotImplementedError

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Start a new episode. A subclass calls `super().reset(seed=seed)` first.

        Args:
            seed: the seed for the random number generator, an integer >= 0; None to leave the generator's state
                unchanged.
            options: options specific to the environment, which never modifies the dictionary.

        Returns:
            The first observation and an info dictionary.
        """
        if seed is not None:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
        return None  # type: ignore[return-value]

    def render(self) -> Any:
        """Return an image or text that shows the current state, in the render mode passed to the constructor."""
        raise NotImplementedError

    def close(self) -> None:
        """Release windows, files and processes. This method may be called several times."""

    @property
    def unwrapped(self) -> Env[Any, Any]:
        """The environment inside all wrappers."""
        return self

    def has_wrapper_attr(self, name: str) -> bool:
        """Return whether the environment or one of its wrappers has the attribute.

        Args:
            name: the name of the attribute.
        """
        return hasattr(self, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """Return the attribute of the outermost wrapper that has it, or of the environment.

        Args:
            name: the name of the attribute, which may be a method.

        Raises:
            AttributeError: neither a wrapper nor the environment has the attribute.
        """
        return getattr(self, name)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute on the outermost wrapper that has it, or on the environment.

        Args:
            name: the name of the attribute.
            value: the new value.
            force: whether to create the attribute on the environment if neither a wrapper nor the environment has it.

        Returns:
            Whether the attribute was set.
        """
        if force or hasattr(self, name):
            setattr(self, name, value)
            return True
        return False

    def __str__(self) -> str:
        return f"<{type(self).__name__} instance>" if self.spec is None else f"<{type(self).__name__}<{self.spec.id}>>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
