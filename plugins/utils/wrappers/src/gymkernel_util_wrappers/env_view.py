"""`EnvView`: the environment that a single environment's wrapper receives in a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec
    from gymkernel.vector_env import VectorEnv

__all__ = ["EnvView", "batch_axes"]


class EnvView:
    """A view of a vector environment that looks like a single environment to a wrapper.

    Args:
        envs: the vector environment whose attributes are shown.
        index: the index of the environment. None shows all environments, for a wrapper that processes batches.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any], index: int | None = None) -> None:
        self.envs, self.index = envs, index
        # SuperSuit stores the spaces of a single environment without the prefix "single_".
        single = "single_" if hasattr(envs, "single_observation_space") else ""
        self.observation_space = getattr(envs, f"{single}observation_space")
        self.action_space = getattr(envs, f"{single}action_space")
        self.unwrapped = self

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the vector environment's metadata."""
        return self.envs.metadata

    @property
    def spec(self) -> EnvSpec | None:
        """Return the vector environment's spec."""
        return self.envs.spec

    @property
    def render_mode(self) -> str | None:
        """Return the environments' render mode."""
        return self.envs.render_mode

    @property
    def np_random(self) -> Any:
        """Return the environment's random number generator, or a tuple of all environments' generators."""
        return self._select(self.envs.np_random)

    @property
    def np_random_seed(self) -> Any:
        """Return the environment's seed, or a tuple of all environments' seeds."""
        return self._select(self.envs.np_random_seed)

    def _select(self, values: Any) -> Any:
        return values[self.index] if isinstance(values, tuple) and self.index is not None else values

    def render(self) -> Any:
        """Return the environment's frame, or an array of all environments' frames."""
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
    return f"a vectorized wrapper defines observation, action or reward, and on_reset; it cannot call {method}"


def batch_axes(env: Any) -> tuple[int, ...]:
    """Return the shape of the batch axes: `(num_envs,)` if `env` is a view of all environments, otherwise `()`.

    Args:
        env: the environment that was passed to the wrapper.
    """
    return (env.envs.num_envs,) if isinstance(env, EnvView) and env.index is None else ()
