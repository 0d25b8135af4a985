"""gymkernel's environments as Gymnasium's, for libraries that ask for `gymnasium.Env` and Gymnasium's spaces."""

from __future__ import annotations

from typing import Any

import gymnasium

from gymkernel_bridge_gymnasium.conversion import to_gymnasium

__all__ = ["KernelEnv", "KernelVectorEnv"]


class KernelEnv(gymnasium.Env[Any, Any]):
    """An environment of gymkernel's as one of Gymnasium's.

    Args:
        env: the environment, with whatever wrappers it wears.
    """

    def __init__(self, env: Any) -> None:
        self.kernel_env = env
        self.observation_space, self.action_space = to_gymnasium(env.observation_space), to_gymnasium(env.action_space)
        self.metadata = env.metadata
        self.render_mode = env.render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; Gymnasium's checker reads the generator from private attributes of this object."""
        result = self.kernel_env.reset(seed=seed, options=options)
        self._np_random = self.kernel_env.np_random
        self._np_random_seed = self.kernel_env.np_random_seed
        return result  # type: ignore[no-any-return]

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act once."""
        return self.kernel_env.step(action)  # type: ignore[no-any-return]

    def render(self) -> Any:
        """Render the environment inside."""
        return self.kernel_env.render()

    def close(self) -> None:
        """Close the environment inside."""
        self.kernel_env.close()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "kernel_env":
            raise AttributeError(name)
        return self.kernel_env.get_wrapper_attr(name)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute of the environment inside."""
        return bool(self.kernel_env.set_wrapper_attr(name, value, force=force))

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.kernel_env}>"


class KernelVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A vector environment of gymkernel's as one of Gymnasium's.

    Args:
        env: the vector environment, with whatever wrappers it wears.
    """

    def __init__(self, env: Any) -> None:
        self.kernel_env = env
        self.num_envs = env.num_envs
        for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
            setattr(self, name, to_gymnasium(getattr(env, name)))
        self.metadata = dict(env.metadata)
        if "autoreset_mode" in self.metadata:
            mode = self.metadata["autoreset_mode"]
            self.metadata["autoreset_mode"] = gymnasium.vector.AutoresetMode(mode.value)
        self.render_mode = env.render_mode

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin episodes."""
        return self.kernel_env.reset(seed=seed, options=options)  # type: ignore[no-any-return]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Act once in every environment."""
        return self.kernel_env.step(actions)  # type: ignore[no-any-return]

    def render(self) -> Any:
        """Return a frame of each environment."""
        return self.kernel_env.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the vector environment inside."""
        self.kernel_env.close(**kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "kernel_env":
            raise AttributeError(name)
        return getattr(self.kernel_env, name)
