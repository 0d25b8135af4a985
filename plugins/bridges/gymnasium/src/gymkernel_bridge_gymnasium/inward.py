"""Functions and classes that turn Gymnasium environments into gymkernel environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec as TheirSpec

from gymkernel.ops import batch_space
from gymkernel.specs import EnvSpec
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.wrapper import Wrapper, adopt
from gymkernel_bridge_gymnasium.forwarding import Forwarding, ForwardingVector, forwarded
from gymkernel_bridge_gymnasium.specs import spec_from_gymnasium

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"]


def _spec(gymnasium_id: str | TheirSpec) -> str | TheirSpec:
    """Parse a spec in JSON. Return an id or any other spec unchanged."""
    if isinstance(gymnasium_id, str) and gymnasium_id.startswith("{"):
        return TheirSpec.from_json(gymnasium_id)
    return gymnasium_id


def make_gymnasium(gymnasium_id: str | TheirSpec, **kwargs: Any) -> GymnasiumEnv:
    """Call `gymnasium.make`, and convert the result to a gymkernel environment.

    Args:
        gymnasium_id: an id in Gymnasium's registry, a Gymnasium spec, or a spec in JSON.
        **kwargs: keyword arguments for `gymnasium.make`, such as `render_mode`, `max_episode_steps` and the
            environment's own arguments.

    >>> make_gymnasium("CartPole-v1").reset(seed=1)[0].shape
    (4,)
    """
    return GymnasiumEnv(gymnasium.make(_spec(gymnasium_id), **kwargs))


def make_gymnasium_vec(gymnasium_id: str | TheirSpec, num_envs: int = 1, **kwargs: Any) -> GymnasiumVectorEnv:
    """Call `gymnasium.make_vec`, and convert the result to a gymkernel vector environment.

    Args:
        gymnasium_id: an id in Gymnasium's registry, a Gymnasium spec, or a spec in JSON. The environment must provide
            its own vector environment.
        num_envs: the number of environments.
        **kwargs: keyword arguments for `gymnasium.make_vec`, including the environment's own arguments.
    """
    mode = "vector_entry_point"
    return GymnasiumVectorEnv(gymnasium.make_vec(_spec(gymnasium_id), num_envs, vectorization_mode=mode, **kwargs))


class GymnasiumEnv(Forwarding, Wrapper[Any, Any, Any, Any]):
    """A wrapper that turns a Gymnasium environment into a gymkernel environment and forwards attributes.

    `unwrapped` is the environment inside all wrappers of both libraries.

    Args:
        env: a Gymnasium environment, with or without wrappers.

    >>> env = GymnasiumEnv(gymnasium.make("Pendulum-v1"))
    >>> env.spec.id, env.spec.max_episode_steps, env.max_torque, type(env.unwrapped).__name__
    ('gymnasium/Pendulum-v1', 200, 2.0, 'PendulumEnv')
    """

    _inside = "env"
    _spec_of = staticmethod(spec_from_gymnasium)
    env: Any

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        adopt(env)
        super().__init__(env)

    def __str__(self) -> str:
        return str(self.env)

    @property
    def gymnasium_env(self) -> Any:
        """The Gymnasium environment, including its Gymnasium wrappers."""
        return self.env

    if not TYPE_CHECKING:

        @property
        def spec(self) -> EnvSpec | None:
            """The spec that `make` has set on the innermost environment or, by default, Gymnasium's converted spec."""
            spec = getattr(self.unwrapped, "spec", None)
            return spec if isinstance(spec, EnvSpec) else super().spec

        @spec.setter
        def spec(self, value: EnvSpec | None) -> None:
            self.unwrapped.spec = value

        metadata = forwarded("metadata")
        # The spaces are forwarded, because a reset may change them.
        observation_space = forwarded("observation_space")
        action_space = forwarded("action_space")
        _np_random = forwarded("_np_random", innermost=True)
        _np_random_seed = forwarded("_np_random_seed", innermost=True)


class GymnasiumVectorEnv(ForwardingVector, VectorEnv[Any, Any, Any]):
    """A gymkernel vector environment that wraps a Gymnasium vector environment and forwards unknown attributes.

    The autoreset mode stays the same, but becomes a member of gymkernel's enum.

    Args:
        env: a Gymnasium vector environment, with or without wrappers.

    >>> envs = GymnasiumVectorEnv(gymnasium.make_vec("Pendulum-v1", 2))
    >>> envs.reset(seed=1)[0].shape, envs.metadata["autoreset_mode"]
    ((2, 3), <AutoresetMode.NEXT_STEP: 'NextStep'>)
    """

    _inside = "gymnasium_env"
    _spec_of, _modes = staticmethod(spec_from_gymnasium), AutoresetMode
    gymnasium_env: Any

    def __init__(self, env: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        adopt(env)
        self.gymnasium_env, self.num_envs = env, env.num_envs
        for name in ("observation_space", "action_space"):
            batched = getattr(env, name)
            single = getattr(env, f"single_{name}", batched)
            setattr(self, f"single_{name}", single)
            # In EnvPool's vector environments, both attributes contain the space of a single environment.
            setattr(self, name, batch_space(single, env.num_envs) if batched == single else batched)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start episodes. Pass a copy of the options, because Gymnasium removes the reset mask from them."""
        return self.gymnasium_env.reset(seed=seed, options=None if options is None else dict(options))  # type: ignore[no-any-return]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Step every environment."""
        return self.gymnasium_env.step(actions)  # type: ignore[no-any-return]

    def render(self) -> Any:
        """Render every environment and return the frames."""
        return self.gymnasium_env.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the wrapped vector environment."""
        self.gymnasium_env.close(**kwargs)
