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
    """A generator that is made at its first use, for environments single and vectorised."""

    _np_random: np.random.Generator | None = None
    _np_random_seed: int | None = None

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of the environment; `reset(seed=...)` seeds it."""
        if self._np_random is None:
            self._np_random, self._np_random_seed = seeding.np_random()
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1

    @property
    def np_random_seed(self) -> int | None:
        """The seed of the generator; -1 where the generator was put in from outside."""
        if self._np_random_seed is None:
            if self._np_random is not None:
                return -1
            self._np_random, self._np_random_seed = seeding.np_random()
        return self._np_random_seed


class Env(Randomness, Generics, Generic[ObsType, ActType]):
    """An environment: a partially observed Markov decision process that an agent acts in, one step at a time.

    A subclass sets `observation_space` and `action_space` and defines `reset` and `step`; one that renders lists its
    modes in `metadata["render_modes"]`, takes `render_mode` in its constructor and defines `render`.

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

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - subclasses replace it, as this API has it
    render_mode: str | None = None
    spec: EnvSpec | None = None
    observation_space: Space[ObsType]
    action_space: Space[ActType]

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once.

        Args:
            action: an element of `action_space`; never changed.

        Returns:
            observation: an element of `observation_space`, in memory of its own.
            reward: a number.
            terminated: whether a terminal state of the task is reached; its value is zero.
            truncated: whether the episode is cut for another reason, such as a time limit.
            info: whatever else is worth knowing, for logs and debugging.
        """
        raise NotImplementedError

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Begin an episode; a subclass starts with `super().reset(seed=seed)`.

        Args:
            seed: seeds the generator, with an integer >= 0; None lets it run on.
            options: whatever the environment documents; never changed.

        Returns:
            The first observation and an info dictionary.
        """
        if seed is not None:
            self._np_random, self._np_random_seed = seeding.np_random(seed)
        return None  # type: ignore[return-value]

    def render(self) -> Any:
        """Return a picture or text of the state in the mode that the constructor was given."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back windows, files and processes; any number of times."""

    @property
    def unwrapped(self) -> Env[Any, Any]:
        """The environment inside all wrappers."""
        return self

    def has_wrapper_attr(self, name: str) -> bool:
        """Whether the environment or a wrapper around it has an attribute.

        Args:
            name: of the attribute.
        """
        return hasattr(self, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """The attribute of the outermost wrapper, or the environment, that has it.

        Args:
            name: of the attribute, which may be a method.

        Raises:
            AttributeError: nobody has it.
        """
        return getattr(self, name)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set the attribute where it exists; where it does not, on the environment if `force`. Whether it was set.

        Args:
            name: of the attribute.
            value: what it is from now on.
            force: whether to set it where nobody has it.
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
