"""`EnvView`: the environment that a wrapper of single environments gets around a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec
    from gymkernel.vector_env import VectorEnv

__all__ = ["EnvView", "batch_axes"]


class EnvView:
    """A single environment, or the batch of all environments, as a wrapper sees it in a vector environment.

    Args:
        envs: the vector environment, which provides the attributes.
        index: the index of the environment; None for all environments, whose observations, actions or rewards then come
            as a batch.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any], index: int | None = None) -> None:
        self.envs, self.index = envs, index
        # SuperSuit keeps the spaces of one environment under the plain names.
        single = "single_" if hasattr(envs, "single_observation_space") else ""
        self.observation_space = getattr(envs, f"{single}observation_space")
        self.action_space = getattr(envs, f"{single}action_space")
        self.unwrapped = self

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the vector environment."""
        return self.envs.metadata

    @property
    def spec(self) -> EnvSpec | None:
        """The spec of the vector environment."""
        return self.envs.spec

    @property
    def render_mode(self) -> str | None:
        """The render mode of the environments."""
        return self.envs.render_mode

    @property
    def np_random(self) -> Any:
        """The generator of the environment, or a tuple with the generators of all environments of a batch."""
        return self._select(self.envs.np_random)

    @property
    def np_random_seed(self) -> Any:
        """The seed of the environment, or a tuple with the seeds of all environments of a batch."""
        return self._select(self.envs.np_random_seed)

    def _select(self, values: Any) -> Any:
        return values[self.index] if isinstance(values, tuple) and self.index is not None else values

    def render(self) -> Any:
        """Return the frame of the environment, or an array of all frames."""
        frames = self.envs.render()
        if self.index is None or frames is None:
            return frames if frames is None else np.stack(frames)
        return frames[self.index]

    def reset(self, *, seed: Any = None, options: Any = None) -> NoReturn:
        """Raise a TypeError, because only the vector environment can be reset.

        Args:
            seed: ignored.
            options: ignored.
        """
        raise TypeError(_refusal("reset"))

    def step(self, action: Any) -> NoReturn:
        """Raise a TypeError, because only the vector environment can be stepped.

        Args:
            action: ignored.
        """
        raise TypeError(_refusal("step"))

    def close(self) -> None:
        """Do nothing, because only the vector environment can be closed."""


def _refusal(method: str) -> str:
    return f"a wrapper that is vectorized defines observation, action or reward, and on_reset; it calls no {method}"


def batch_axes(env: Any) -> tuple[int, ...]:
    """Return the leading axes of the arrays that a wrapper gets from `env`: `(num_envs,)` for batches, otherwise `()`.

    Args:
        env: the environment that was passed to the wrapper.
    """
    return (env.envs.num_envs,) if isinstance(env, EnvView) and env.index is None else ()
