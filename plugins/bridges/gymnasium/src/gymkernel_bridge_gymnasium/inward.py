"""Gymnasium's environments as gymkernel's, with a spec and `unwrapped` of their own; their spaces stay as they are."""

from __future__ import annotations

from typing import Any

import gymnasium

from gymkernel import Env
from gymkernel.vector import AutoresetMode, VectorEnv

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"]


def make_gymnasium(gymnasium_id: str, **kwargs: Any) -> GymnasiumEnv:
    """`gymnasium.make`, as an environment of gymkernel.

    >>> make_gymnasium("CartPole-v1").reset(seed=1)[0].shape
    (4,)
    """
    return GymnasiumEnv(gymnasium.make(gymnasium_id, **kwargs))


def make_gymnasium_vec(gymnasium_id: str, num_envs: int = 1, **kwargs: Any) -> GymnasiumVectorEnv:
    """`gymnasium.make_vec` with the environment's own vectorised form, as a vector environment of gymkernel."""
    mode = "vector_entry_point"
    return GymnasiumVectorEnv(gymnasium.make_vec(gymnasium_id, num_envs, vectorization_mode=mode, **kwargs))


class _Forwarding:
    """Hands on what it does not have itself to the environment of Gymnasium's that it holds."""

    gymnasium_env: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "gymnasium_env":
            raise AttributeError(name)
        env = self.gymnasium_env
        return env.get_wrapper_attr(name) if hasattr(env, "get_wrapper_attr") else getattr(env, name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.gymnasium_env}>"

    __str__ = __repr__


class GymnasiumEnv(_Forwarding, Env[Any, Any]):
    """An environment of Gymnasium's as one of gymkernel's; attributes that it lacks are those of the one inside.

    Args:
        env: the environment, with whatever wrappers it wears.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self.gymnasium_env = env
        self.observation_space, self.action_space = env.observation_space, env.action_space  # type: ignore[assignment]
        self.metadata = env.metadata

    @property
    def render_mode(self) -> str | None:  # type: ignore[override]
        """The render mode of the environment inside."""
        return self.gymnasium_env.render_mode  # type: ignore[no-any-return]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        return self.gymnasium_env.reset(seed=seed, options=options)  # type: ignore[no-any-return]

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act once."""
        return self.gymnasium_env.step(action)  # type: ignore[no-any-return]

    def render(self) -> Any:
        """Render the environment inside."""
        return self.gymnasium_env.render()

    def close(self) -> None:
        """Close the environment inside."""
        self.gymnasium_env.close()

    @property
    def np_random(self) -> Any:
        """The generator of the environment inside."""
        return self.gymnasium_env.unwrapped.np_random

    @np_random.setter
    def np_random(self, value: Any) -> None:
        self.gymnasium_env.unwrapped.np_random = value

    @property
    def np_random_seed(self) -> int | None:
        """The seed of the environment inside."""
        return self.gymnasium_env.unwrapped.np_random_seed  # type: ignore[no-any-return]

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute of the environment inside."""
        return bool(self.gymnasium_env.set_wrapper_attr(name, value, force=force))


class GymnasiumVectorEnv(_Forwarding, VectorEnv[Any, Any, Any]):
    """A vector environment of Gymnasium's as one of gymkernel's.

    Args:
        env: the vector environment, with whatever wrappers it wears.
    """

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        self.gymnasium_env = env
        for name in (
            "observation_space",
            "action_space",
            "single_observation_space",
            "single_action_space",
            "num_envs",
        ):
            setattr(self, name, getattr(env, name))
        self.metadata = dict(env.metadata)
        if "autoreset_mode" in self.metadata:
            self.metadata["autoreset_mode"] = AutoresetMode(self.metadata["autoreset_mode"].value)
        self.render_mode = env.render_mode

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin episodes; the options are copied, since Gymnasium takes the reset mask out of them."""
        return self.gymnasium_env.reset(seed=seed, options=None if options is None else dict(options))  # type: ignore[no-any-return]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act once in every environment."""
        return self.gymnasium_env.step(actions)  # type: ignore[no-any-return]

    def render(self) -> Any:
        """Return a frame of each environment."""
        return self.gymnasium_env.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the vector environment inside."""
        self.gymnasium_env.close(**kwargs)
