"""The base class of vector environments, and functions that check seeds, options and masks."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, Self

import numpy as np

from gymkernel.env import Randomness
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.infos import add_info
from gymkernel.protocols import ActType, ArrayType, Generics, Info, Mask, ObsType, Options, Seed
from gymkernel.utils import seeding
from gymkernel.wrapper import is_vector_env

if TYPE_CHECKING:
    from gymkernel.space import Space
    from gymkernel.specs import EnvSpec

__all__ = ["AutoresetMode", "VectorEnv", "check_mask", "episodes_over", "reset_mask", "seeds"]


class AutoresetMode(Enum):
    """The time at which a vector environment resets an environment whose episode has ended."""

    NEXT_STEP = "NextStep"
    """The step after the end of an episode resets the environment, ignores the action and returns the reward 0."""
    SAME_STEP = "SameStep"
    """The last step of an episode also resets the environment. This step returns the first observation of the next
    episode, and `infos["final_obs"]` contains the final observation of the previous episode."""
    DISABLED = "Disabled"
    """Environments are never reset automatically. The caller resets them with `options={"reset_mask": mask}`."""


class VectorEnv(Randomness, Generics, Generic[ObsType, ActType, ArrayType]):
    """The base class of vector environments, which reset and step several environments together.

    A subclass sets `num_envs`, `single_observation_space`, `single_action_space`, `observation_space` and
    `action_space` (the spaces of batches), and `metadata` with an "autoreset_mode". It defines `reset` and `step` and,
    if possible, `render` and `step_masked`. A vector backend, which creates its environments by calling the functions
    that are passed to it, also defines `close_extras`, and the methods `call`, `get_attr` and `set_attr`, which access
    the individual environments.

    In a batch, the first axis is the index of the environment. The infos are a single dictionary. `infos["x"]` is an
    array of all environments' values of "x", and `infos["_x"]` is a mask of the environments that have the key "x".
    """

    metadata: dict[str, Any] = {}  # noqa: RUF012 - subclasses replace the dictionary, as in Gymnasium
    spec: EnvSpec | None = None
    render_mode: str | None = None
    closed: bool = False
    observation_space: Space[Any]
    action_space: Space[Any]
    single_observation_space: Space[Any]
    single_action_space: Space[Any]
    num_envs: int

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Start a new episode in every environment, or only in those that `options["reset_mask"]` selects.

        Args:
            seed: the seed of the first environment (the following environments are seeded with seed + 1, ...), a
                sequence with an integer or None for each environment, or None.
            options: the options for every environment. "reset_mask" is not passed to the environments, and the
                dictionary is not modified.

        Returns:
            The batch of observations, and the infos.
        """
        if seed is not None:
            self._np_random, self._np_random_seed = seeding.np_random(seed)  # type: ignore[arg-type]
        return None  # type: ignore[return-value]

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform one action in every environment.

        Args:
            actions: an element of `action_space`.

        Returns:
            The observations, rewards (float64), terminations (bool), truncations (bool) and infos. The first axis of
            each array has length `num_envs`.
        """
        raise NotImplementedError

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform an action only in the environments that the mask selects. The results for the others are undefined.

        This method is optional. Wrappers that perform several actions per step or end episodes need it.

        Args:
            actions: an element of `action_space`.
            mask: the environments to step, a bool array of shape (num_envs,).

        Raises:
            UnsupportedMode: if this vector environment cannot step only some of its environments.
        """
        raise UnsupportedMode(
            f"{self} cannot step only some of its environments: {type(self).__name__} has no step_masked"
        )

    def render(self) -> tuple[Any, ...] | None:
        """Render every environment, and return a frame of each."""
        raise NotImplementedError

    def close(self, **kwargs: Any) -> None:
        """Close all environments. If the vector environment is already closed, do nothing.

        Args:
            **kwargs: arguments for `close_extras`, such as `timeout` of `AsyncVectorEnv`.
        """
        if not self.closed:
            self.close_extras(**kwargs)
            self.closed = True

    def close_extras(self, **kwargs: Any) -> None:
        """Release the resources of a subclass. `close` calls this method.

        Args:
            **kwargs: the arguments that were passed to `close`.
        """

    @property
    def unwrapped(self) -> VectorEnv[Any, Any, Any]:
        """The vector environment inside all wrappers."""
        return self

    def _add_info(self, vector_infos: Info, env_info: Info, env_num: int) -> Info:
        """Add the info of one environment to a batch of infos, and return the batch."""
        return add_info(vector_infos, env_info, env_num, self.num_envs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.spec is None else self.spec.id + ', '}num_envs={self.num_envs})"


is_vector_env.register(VectorEnv, lambda _: True)


def seeds(seed: Any, num_envs: int) -> list[int | None]:
    """Convert the `seed` argument of `reset` to one seed per environment.

    Args:
        seed: an integer, which is the seed of the first environment (the following environments are seeded with
            seed + 1, ...), a sequence with one seed per environment, or None.
        num_envs: the number of environments.

    Returns:
        A list that contains, for each environment, a seed or None.

    Raises:
        ValueError: if the sequence has the wrong length.
        gymkernel.error.Error: if a seed is not an integer >= 0.

    >>> seeds(7, 3), seeds([5, None], 2)
    ([7, 8, 9], [5, None])
    """
    if seed is None:
        return [None] * num_envs
    if not hasattr(seed, "__len__") or isinstance(seed, bytes | dict | set) or getattr(seed, "ndim", 1) == 0:
        return [seeding.as_seed(seed) + i for i in range(num_envs)]
    if len(seed) != num_envs:
        raise ValueError(f"Expected one seed for each of the {num_envs} environments, got {len(seed)}: {seed!r:.200}")
    return [None if value is None else seeding.as_seed(value) for value in seed]


def reset_mask(options: Options, num_envs: int) -> tuple[Mask | None, Options]:
    """Separate "reset_mask" from the other options of `reset`.

    The dictionary is not modified, so that all wrappers can read the mask.

    Args:
        options: the `options` argument of `reset`.
        num_envs: the number of environments.

    Returns:
        The mask, a bool array of shape (num_envs,), and the remaining options. If the options contain no "reset_mask",
        the result is None and the original options.

    Raises:
        TypeError: if the options are not a dictionary or the mask is not a bool array.
        ValueError: if the mask has the wrong shape or is False everywhere.
    """
    if options is not None and not hasattr(options, "keys"):
        raise TypeError(f"Expected options to be a dictionary or None, got {options!r}")
    if options is None or "reset_mask" not in options:
        return None, options
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f'Expected options["reset_mask"] to be a NumPy array of dtype bool, got {mask!r}')
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f'Expected options["reset_mask"] to have shape ({num_envs},) and a True value, got {mask!r}')
    return mask, {key: value for key, value in options.items() if key != "reset_mask"}


def check_mask(mask: Any, num_envs: int) -> None:
    """Raise an error unless an object is a valid mask for `step_masked`.

    Args:
        mask: the argument that was passed to `step_masked`.
        num_envs: the number of environments.

    Raises:
        ValueError: if the object is not a bool array of shape (num_envs,).
    """
    if getattr(mask, "dtype", None) != np.bool_ or mask.shape != (num_envs,):
        raise ValueError(f"Expected the mask to be a NumPy array of dtype bool and shape ({num_envs},), got {mask!r}")


def episodes_over(envs: str) -> ResetNeeded:
    """Create the error for calling `step` in DISABLED mode after episodes have ended.

    Args:
        envs: the environments, as the beginning of the message, such as "Environments 0 and 3".
    """
    return ResetNeeded(
        f"{envs} are done, and autoreset_mode is DISABLED: call "
        'reset(options={"reset_mask": terminations | truncations}) before the next step'
    )
