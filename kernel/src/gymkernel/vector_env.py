"""`VectorEnv`, the base class of vector environments, and functions that check the arguments of their methods."""

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
    """The rule for resetting environments whose episodes have ended; the value of `metadata["autoreset_mode"]`."""

    NEXT_STEP = "NextStep"
    """The step after the end of an episode resets the environment. Its action is ignored and its reward is 0."""
    SAME_STEP = "SameStep"
    """The last step of an episode also resets the environment. It returns the first observation of the next episode,
    and `infos["final_obs"]` contains the final observation of the previous episode."""
    DISABLED = "Disabled"
    """The caller resets environments with `options={"reset_mask": mask}`."""


class VectorEnv(Randomness, Generics, Generic[ObsType, ActType, ArrayType]):
    """The base class of vector environments, which reset and step `num_envs` environments together.

    A subclass sets `num_envs`, `single_observation_space`, `single_action_space`, the spaces of batches
    (`observation_space` and `action_space`), and `metadata` with an "autoreset_mode". It defines `reset` and `step`,
    and, if possible, `render` and `step_masked`. A backend, which creates the environments from functions, also defines
    `close_extras`, and `call`, `get_attr` and `set_attr`, which give access to the environments.

    The first axis of every batch is the environment's index. The infos are a single dictionary: `infos["x"]` is an
    array of all environments' values of "x", and `infos["_x"]` is a mask of the environments that have the key.
    """

    metadata: dict[str, Any] = {}  # noqa: RUF012 - a subclass replaces the dictionary, as in Gymnasium
    spec: EnvSpec | None = None
    render_mode: str | None = None
    closed: bool = False
    observation_space: Space[Any]
    action_space: Space[Any]
    single_observation_space: Space[Any]
    single_action_space: Space[Any]
    num_envs: int

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Start a new episode in every environment, or in the environments of `options["reset_mask"]`.

        Args:
            seed: an integer, which gives the environments the seeds seed, seed + 1, ..., or a sequence with one integer
                or None for each environment.
            options: the options for every environment. "reset_mask" is not passed to the environments, and the
                dictionary is never modified.

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
            The observations, rewards (float64), terminations (bool) and truncations (bool), each with a first axis of
            length `num_envs`, and the infos.
        """
        raise NotImplementedError

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform one action in the masked environments only; the results of other environments are undefined.

        Wrappers that perform several actions per step or end episodes need this method, but not every vector
        environment defines it.

        Args:
            actions: an element of `action_space`.
            mask: the environments to step, bool of shape (num_envs,).

        Raises:
            UnsupportedMode: this vector environment can only step all environments.
        """
        raise UnsupportedMode(
            f"{self} cannot step only some of its environments: {type(self).__name__} has no step_masked"
        )

    def render(self) -> tuple[Any, ...] | None:
        """Return a frame of each environment."""
        raise NotImplementedError

    def close(self, **kwargs: Any) -> None:
        """Close every environment; further calls do nothing.

        Args:
            **kwargs: arguments for `close_extras`, such as `timeout` of `AsyncVectorEnv`.
        """
        if not self.closed:
            self.close_extras(**kwargs)
            self.closed = True

    def close_extras(self, **kwargs: Any) -> None:
        """Release the resources of the subclass; `close` calls this method.

        Args:
            **kwargs: the arguments of `close`.
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
    """Return one seed per environment, from None, an integer (seed, seed + 1, ...), or a sequence of seeds.

    Args:
        seed: the argument that was passed to `reset`.
        num_envs: the number of environments.

    Returns:
        A list with an integer for each environment, or None for an environment whose generator continues.

    Raises:
        ValueError: the sequence has the wrong length.
        gymkernel.error.Error: a seed is not an integer, or is negative.

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
    """Separate "reset_mask" from the other reset options.

    The caller's dictionary is not modified, so that every wrapper sees the mask.

    Args:
        options: the argument that was passed to `reset`.
        num_envs: the number of environments.

    Returns:
        The mask, bool of shape (num_envs,), and the other options. If there is no "reset_mask", None and the
        original options.

    Raises:
        TypeError: the options are not a dictionary, or the mask is not an array of bool.
        ValueError: the mask has the wrong shape, or contains no True.
    """
    if options is not None and not hasattr(options, "keys"):
        raise TypeError(f"Expected options to be a dictionary or None, got {options!r}")
    if options is None or "reset_mask" not in options:
        return None, options
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f'Expected options["reset_mask"] to be a NumPy array of bool, got {mask!r}')
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f'Expected options["reset_mask"] of shape ({num_envs},) with at least one True, got {mask!r}')
    return mask, {key: value for key, value in options.items() if key != "reset_mask"}


def check_mask(mask: Any, num_envs: int) -> None:
    """Raise a ValueError unless `mask` is a valid mask for `step_masked`.

    Args:
        mask: the mask that was passed to `step_masked`.
        num_envs: the number of environments.

    Raises:
        ValueError: the mask is not an array of bool of shape (num_envs,).
    """
    if getattr(mask, "dtype", None) != np.bool_ or mask.shape != (num_envs,):
        raise ValueError(f"Expected a mask of bool for {num_envs} environments (a NumPy array), got {mask!r}")


def episodes_over(envs: str) -> ResetNeeded:
    """Return the error for a step in DISABLED mode after the episodes of some environments have ended.

    Args:
        envs: the environments, as the beginning of the message: "environments 0 and 3".
    """
    return ResetNeeded(
        f"{envs} are done, and autoreset_mode is DISABLED: call "
        'reset(options={"reset_mask": terminations | truncations}) before the next step'
    )
