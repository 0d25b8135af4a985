"""Classes that turn gymkernel environments into Gymnasium environments, for libraries that require `gymnasium.Env`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np

from gymkernel.infos import final_rows, objects, with_final
from gymkernel_bridge_gymnasium.conversion import element_converter, from_gymnasium, to_gymnasium
from gymkernel_bridge_gymnasium.forwarding import SPACES, Forwarding, ForwardingVector, forwarded
from gymkernel_bridge_gymnasium.specs import spec_to_gymnasium

__all__ = ["KernelEnv", "KernelVectorEnv"]


class Outward(Forwarding):
    """A base class with the members that `KernelEnv` and `KernelVectorEnv` have in common.

    Args:
        env: the gymkernel environment or vector environment.
    """

    _inside = "kernel_env"
    _spec_of = staticmethod(spec_to_gymnasium)
    kernel_env: Any
    _from_kernel: Any = None
    """The converter of observations; None if they are the same in both libraries."""
    _to_kernel: Any = None
    """The converter of actions; None if they are the same in both libraries."""

    def __init__(self, env: Any) -> None:
        self.kernel_env = env
        for name in SPACES:
            if hasattr(env, name):
                setattr(self, name, to_gymnasium(getattr(env, name)))
        self._from_kernel = element_converter(env.observation_space, to_gymnasium)
        self._to_kernel = element_converter(env.action_space, from_gymnasium)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode or, in a vector environment, episodes in all environments that the options select."""
        observation, info = self.kernel_env.reset(seed=seed, options=options)
        return observation if self._from_kernel is None else self._from_kernel(observation), info

    def render(self) -> Any:
        """Render the wrapped environment or, in a vector environment, every environment."""
        return self.kernel_env.render()


class KernelEnv(Outward, gymnasium.Env[Any, Any]):
    """A Gymnasium environment that wraps a gymkernel environment and forwards unknown attributes.

    The spaces are converted to Gymnasium's spaces. Observations and actions are unchanged, except for graphs.

    Args:
        env: a gymkernel environment, with or without wrappers.

    Raises:
        TypeError: if a space cannot be converted. The message shows how to register a conversion.

    >>> import gymkernel
    >>> env = KernelEnv(gymkernel.make("gymnasium/Pendulum-v1"))
    >>> isinstance(env, gymnasium.Env), env.observation_space.shape, env.spec.id
    (True, (3,), 'gymkernel-gymnasium/Pendulum-v1')
    >>> env.g = 9.0
    >>> env.kernel_env.unwrapped.g
    9.0
    """

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step the environment."""
        result = self.kernel_env.step(action if self._to_kernel is None else self._to_kernel(action))
        return result if self._from_kernel is None else (self._from_kernel(result[0]), *result[1:])

    def close(self) -> None:
        """Close the wrapped environment."""
        self.kernel_env.close()

    if not TYPE_CHECKING:
        metadata = forwarded("metadata")
        _np_random = forwarded("_np_random", innermost=True)  # Gymnasium's checker reads its state
        _np_random_seed = forwarded("_np_random_seed", innermost=True)


class KernelVectorEnv(Outward, ForwardingVector, gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A Gymnasium vector environment that wraps a gymkernel vector environment and forwards unknown attributes.

    The autoreset mode stays the same, but becomes a member of Gymnasium's enum.

    Args:
        env: a gymkernel vector environment, with or without wrappers.

    Raises:
        TypeError: if a space cannot be converted. The message shows how to register a conversion.

    >>> import gymkernel
    >>> envs = KernelVectorEnv(gymkernel.make_vec("gymnasium/CartPole-v1", 3))
    >>> envs.reset(seed=1)[0] in envs.observation_space
    True
    >>> envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    True
    >>> envs.close()
    """

    _modes = gymnasium.vector.AutoresetMode

    def __init__(self, env: Any) -> None:
        self.num_envs = env.num_envs
        super().__init__(env)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every environment."""
        result = self.kernel_env.step(actions if self._to_kernel is None else self._to_kernel(actions))
        return result if self._from_kernel is None else self._convert(*result)

    def _convert(self, observations: Any, *rest: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Convert the observations and the final observations of episodes."""
        rewards, terminations, truncations, infos = rest
        rows = final_rows(self.kernel_env, infos, terminations, truncations)
        if rows is not None:
            convert: Any = element_converter(self.kernel_env.single_observation_space, to_gymnasium)
            final = {int(i): convert(infos["final_obs"][i]) for i in np.flatnonzero(rows)}
            infos = with_final(infos, rows, objects(self.num_envs, final))
        return self._from_kernel(observations), rewards, terminations, truncations, infos

    def close_extras(self, **kwargs: Any) -> None:
        """Close the wrapped vector environment."""
        self.kernel_env.close(**kwargs)
