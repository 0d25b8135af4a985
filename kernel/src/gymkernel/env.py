"""The base class of environments, whose `step` returns five values."""

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
    """A base class with a random number generator, which is created when it is first used."""

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
        """The seed of the random number generator, or -1 if the generator was assigned to `np_random`."""
        if self._np_random_seed is None:
            if self._np_random is not None:
                return -1
            self._np_random, self._np_random_seed = seeding.np_random()
        return self._np_random_seed


class Env(Randomness, Generics, Generic[ObsType, ActType]):
    """The base class of environments, in which an agent observes the state and performs one action per step.

    A subclass sets `observation_space` and `action_space` and defines `reset` and `step`. To support rendering, it also
    lists the render modes in `metadata["render_modes"]`, accepts a constructor argument `render_mode` and defines
    `render`.

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

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - subclasses replace the dictionary, as in Gymnasium
    render_mode: str | None = None
    spec: EnvSpec | None = None
    observation_space: Space[ObsType]
    action_space: Space[ActType]

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Perform one action.

        Args:
            action: an element of `action_space`. The environment must not modify it.

        Returns:
            observation: an element of `observation_space`. Later steps must not overwrite its memory.
            reward: a number.
            terminated: whether the environment reached a terminal state, whose value is zero.
            truncated: whether the episode was cut off for another reason, such as a time limit.
            info: additional data for logging and debugging.
        """
        raise NotImplementedError

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Start a new episode. In a subclass, call `super().reset(seed=seed)` first.

        Args:
            seed: an integer >= 0 that seeds the random number generator, or None to continue with the current state of
                the generator.
            options: options that are specific to the environment. The environment must not modify the dictionary.

        Returns:
            The first observation and an info dictionary.
        """
        if seed is not None:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
        return None  # type: ignore[return-value]

    def render(self) -> Any:
        """Render the current state in the render mode that was passed to the constructor."""
        raise NotImplementedError

    def close(self) -> None:
        """Release all resources, such as windows, files and processes. It is safe to call this method repeatedly."""

    @property
    def unwrapped(self) -> Env[Any, Any]:
        """The environment inside all wrappers."""
        return self

    def has_wrapper_attr(self, name: str) -> bool:
        """Return whether the environment or one of its wrappers has an attribute.

        Args:
            name: the name of the attribute.
        """
        return hasattr(self, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """Look up an attribute in the wrappers, from the outside to the inside, and in the environment.

        Args:
            name: the name of an attribute or method.

        Raises:
            AttributeError: if neither a wrapper nor the environment has the attribute.
        """
        return getattr(self, name)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute on the outermost wrapper that has the attribute, or on the environment.

        Args:
            name: the name of the attribute.
            value: the new value.
            force: whether to create the attribute on the environment if it does not exist anywhere.

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
