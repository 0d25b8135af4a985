"""Gymnasium's environments as gymkernel's, with specs and spaces of gymkernel's."""

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
    """An id or a spec, from either or from a spec as JSON."""
    if isinstance(gymnasium_id, str) and gymnasium_id.startswith("{"):
        return TheirSpec.from_json(gymnasium_id)
    return gymnasium_id


def make_gymnasium(gymnasium_id: str | TheirSpec, **kwargs: Any) -> GymnasiumEnv:
    """`gymnasium.make`, as an environment of gymkernel.

    Args:
        gymnasium_id: an id in Gymnasium's registry, a spec of Gymnasium's, or a spec as JSON.
        **kwargs: for `gymnasium.make`: `render_mode`, `max_episode_steps`, and the environment's own.

    >>> make_gymnasium("CartPole-v1").reset(seed=1)[0].shape
    (4,)
    """
    return GymnasiumEnv(gymnasium.make(_spec(gymnasium_id), **kwargs))


def make_gymnasium_vec(gymnasium_id: str | TheirSpec, num_envs: int = 1, **kwargs: Any) -> GymnasiumVectorEnv:
    """`gymnasium.make_vec` with the environment's own vectorised form, as a vector environment of gymkernel.

    Args:
        gymnasium_id: an id in Gymnasium's registry, a spec of Gymnasium's, or one as JSON; it has a vectorised form.
        num_envs: number of environments.
        **kwargs: for `gymnasium.make_vec`, and the environment's own.
    """
    mode = "vector_entry_point"
    return GymnasiumVectorEnv(gymnasium.make_vec(_spec(gymnasium_id), num_envs, vectorization_mode=mode, **kwargs))


class GymnasiumEnv(Forwarding, Wrapper[Any, Any, Any, Any]):
    """A wrapper that makes an environment of Gymnasium's one of gymkernel's; attributes are read and set inside.

    `unwrapped` is the environment inside all wrappers of either library: an instance of its own class.

    Args:
        env: the environment, with whatever wrappers it wears.

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
        """The environment of Gymnasium's, with the wrappers that it has there."""
        return self.env

    if not TYPE_CHECKING:

        @property
        def spec(self) -> EnvSpec | None:
            """That of `make`, which gives it to the innermost environment; else Gymnasium's, as one of gymkernel's."""
            given = getattr(self.unwrapped, "spec", None)
            return given if isinstance(given, EnvSpec) else super().spec

        @spec.setter
        def spec(self, value: EnvSpec | None) -> None:
            self.unwrapped.spec = value

        metadata = forwarded("metadata")
        observation_space = forwarded("observation_space")  # which a reset may change
        action_space = forwarded("action_space")
        _np_random = forwarded("_np_random", innermost=True)
        _np_random_seed = forwarded("_np_random_seed", innermost=True)


class GymnasiumVectorEnv(ForwardingVector, VectorEnv[Any, Any, Any]):
    """A vector environment of Gymnasium's as one of gymkernel's; attributes that it lacks are read and set inside.

    The autoreset mode stays, as a member of gymkernel's enum.

    Args:
        env: the vector environment, with whatever wrappers it wears.

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
            # A pool of EnvPool has the space of one environment in both places.
            setattr(self, name, batch_space(single, env.num_envs) if batched == single else batched)

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
