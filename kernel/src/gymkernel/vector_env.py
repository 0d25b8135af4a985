"""`VectorEnv`: several environments stepped at once."""

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
    """When an environment of a vector environment begins its next episode; in `metadata["autoreset_mode"]`."""

    NEXT_STEP = "NextStep"
    """The step after the last one resets: its action is not used, its reward is 0."""
    SAME_STEP = "SameStep"
    """The last step resets: its observation is the next episode's first, the last is in `infos["final_obs"]`."""
    DISABLED = "Disabled"
    """The caller resets, with `options={"reset_mask": mask}`."""


class VectorEnv(Randomness, Generics, Generic[ObsType, ActType, ArrayType]):
    """Base of vector environments: `num_envs` environments that are reset and stepped together.

    A subclass sets `num_envs`, `single_observation_space`, `single_action_space`, the batches of these
    (`observation_space`, `action_space`) and `metadata` with its "autoreset_mode", and defines `reset` and `step`. A
    backend, which makes one of functions that make environments, also defines `close_extras`, and `call`, `get_attr`
    and `set_attr`, by which the environments are reached. Where it can, it defines `render` and `step_masked`, too.

    The environments are the leading axis of every batch. Infos are one dictionary: an array per key, and a mask under
    `_key` of who has it.
    """

    metadata: dict[str, Any] = {}  # noqa: RUF012 - subclasses replace it, as this API has it
    spec: EnvSpec | None = None
    render_mode: str | None = None
    closed: bool = False
    observation_space: Space[Any]
    action_space: Space[Any]
    single_observation_space: Space[Any]
    single_action_space: Space[Any]
    num_envs: int

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode in every environment, or in those of `options["reset_mask"]`.

        Args:
            seed: an integer for seed, seed + 1, ...; or one integer or None for each environment.
            options: handed to every environment, without the "reset_mask"; never changed.

        Returns:
            The batch of observations, and the infos.
        """
        if seed is not None:
            self._np_random, self._np_random_seed = seeding.np_random(seed)  # type: ignore[arg-type]
        return None  # type: ignore[return-value]

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in every environment.

        Args:
            actions: an element of `action_space`.

        Returns:
            observations, rewards (float64), terminations (bool), truncations (bool), each with `num_envs` in front,
            and infos.
        """
        raise NotImplementedError

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in the environments of a mask; the others stay as they are, and their results mean nothing.

        Wrappers that act several times, or that end episodes, need it. A vector environment may do without.

        Args:
            actions: an element of `action_space`.
            mask: bool, of shape (num_envs,).

        Raises:
            UnsupportedMode: this vector environment acts in all environments or none.
        """
        raise UnsupportedMode(
            f"{self} cannot step a part of its environments: {type(self).__name__} has no step_masked"
        )

    def render(self) -> tuple[Any, ...] | None:
        """Return a frame of each environment."""
        raise NotImplementedError

    def close(self, **kwargs: Any) -> None:
        """Close every environment, once.

        Args:
            **kwargs: for `close_extras`, such as `timeout` of `AsyncVectorEnv`.
        """
        if not self.closed:
            self.close_extras(**kwargs)
            self.closed = True

    def close_extras(self, **kwargs: Any) -> None:
        """Give back what the subclass holds; called by `close`.

        Args:
            **kwargs: what `close` was given.
        """

    @property
    def unwrapped(self) -> VectorEnv[Any, Any, Any]:
        """The vector environment inside all wrappers."""
        return self

    def _add_info(self, vector_infos: Info, env_info: Info, env_num: int) -> Info:
        """Add the info of one environment to the batch, and return it."""
        return add_info(vector_infos, env_info, env_num, self.num_envs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self.spec is None else self.spec.id + ', '}num_envs={self.num_envs})"


is_vector_env.register(VectorEnv, lambda _: True)


def seeds(seed: Any, num_envs: int) -> list[int | None]:
    """One seed for each environment, from None, an integer (seed, seed + 1, ...), or a sequence.

    Args:
        seed: what `reset` was given.
        num_envs: the number of environments.

    Returns:
        A list with an integer for each environment, or None for one whose generator goes on.

    Raises:
        ValueError: a sequence has another length.
        gymkernel.error.Error: a seed is no integer, or below 0.

    >>> seeds(7, 3), seeds([5, None], 2)
    ([7, 8, 9], [5, None])
    """
    if seed is None:
        return [None] * num_envs
    if not hasattr(seed, "__len__") or isinstance(seed, bytes | dict | set) or getattr(seed, "ndim", 1) == 0:
        return [seeding.as_seed(seed) + i for i in range(num_envs)]
    if len(seed) != num_envs:
        raise ValueError(f"Expected one seed for each of the {num_envs} environments, got {len(seed)}: {seed!r:.200}")
    return [None if one is None else seeding.as_seed(one) for one in seed]


def reset_mask(options: Options, num_envs: int) -> tuple[Mask | None, Options]:
    """Take "reset_mask" out of reset options: the mask, None where all environments are meant, and the other options.

    The caller's dictionary keeps its key, so that every wrapper on the way sees it.

    Args:
        options: what `reset` was given; it is left as it is.
        num_envs: the number of environments.

    Returns:
        The mask, bool of (num_envs,), and the options that are left; without the key, None and the options as they are.

    Raises:
        TypeError: the options are no dictionary, or the mask is no array of bool.
        ValueError: the mask has another shape, or no True in it.
    """
    if options is not None and not hasattr(options, "keys"):
        raise TypeError(f"Expected options to be a dictionary or None, got {options!r}")
    if options is None or "reset_mask" not in options:
        return None, options
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        raise TypeError(f'Expected options["reset_mask"] to be a NumPy array of bool, got {mask!r}')
    if mask.shape != (num_envs,) or not mask.any():
        raise ValueError(f'Expected options["reset_mask"] of shape ({num_envs},) with a True in it, got {mask!r}')
    return mask, {key: value for key, value in options.items() if key != "reset_mask"}


def check_mask(mask: Any, num_envs: int) -> None:
    """Raise a ValueError unless a mask is one of `step_masked`: an array of bool, of shape (num_envs,).

    Args:
        mask: what a caller gave.
        num_envs: the number of environments that it speaks of.

    Raises:
        ValueError: it has another dtype or shape.
    """
    if getattr(mask, "dtype", None) != np.bool_ or mask.shape != (num_envs,):
        raise ValueError(f"Expected a mask of bool for {num_envs} environments (a NumPy array), got {mask!r}")


def episodes_over(envs: str) -> ResetNeeded:
    """The error of a step under DISABLED in environments, named in a text, whose episodes are over.

    Args:
        envs: which they are, as the beginning of a sentence: "environments 0 and 3".
    """
    return ResetNeeded(
        f"{envs} are done, and autoreset_mode is DISABLED: call "
        'reset(options={"reset_mask": terminations | truncations}) before the next step'
    )
