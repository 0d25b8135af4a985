"""`EnvView`: what a wrapper of one environment gets around a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec
    from gymkernel.vector_env import VectorEnv

__all__ = ["EnvView", "batch_axes"]


class EnvView:
    """What a wrapper gets for its environment around a vector environment: one environment of it, or the batch.

    Args:
        envs: the vector environment; what it has and a single environment has not is asked of it.
        index: the environment of it that is seen; None for all of them, whose observations, actions or rewards then
            come as a batch.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any], index: int | None = None) -> None:
        self.envs, self.index = envs, index
        # A vector environment of SuperSuit has the spaces of one environment under the plain names alone.
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
        """The generator of the environment; of all of them, where there is one for each, a tuple."""
        return self._own(self.envs.np_random)

    @property
    def np_random_seed(self) -> Any:
        """The seed of the environment; of all of them, where there is one for each, a tuple."""
        return self._own(self.envs.np_random_seed)

    def _own(self, values: Any) -> Any:
        return values[self.index] if isinstance(values, tuple) and self.index is not None else values

    def render(self) -> Any:
        """The frame of the environment, or an array of all frames."""
        frames = self.envs.render()
        if self.index is None or frames is None:
            return frames if frames is None else np.stack(frames)
        return frames[self.index]

    def reset(self, *, seed: Any = None, options: Any = None) -> NoReturn:
        """Refuse: the vector environment is reset, not this.

        Args:
            seed: is not looked at.
            options: are not looked at.
        """
        raise TypeError(_refusal("reset"))

    def step(self, action: Any) -> NoReturn:
        """Refuse: the vector environment is stepped, not this.

        Args:
            action: is not looked at.
        """
        raise TypeError(_refusal("step"))

    def close(self) -> None:
        """Do nothing: the vector environment is closed, not this."""


def _refusal(method: str) -> str:
    return f"a wrapper that is vectorized defines observation, action or reward, and on_reset; it calls no {method}"


def batch_axes(env: Any) -> tuple[int, ...]:
    """The axes in front of what a wrapper gets from `env`: `(num_envs,)` where it gets batches, else `()`.

    Args:
        env: what the wrapper was given as its environment.
    """
    return (env.envs.num_envs,) if isinstance(env, EnvView) and env.index is None else ()
