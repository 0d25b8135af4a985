"""Tests that Gymnasium's spaces are converted if the author of a gymkernel environment or wrapper uses them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces as theirs

import gymkernel
from gymkernel import spaces as ours


class Shared(theirs.Space[int]):
    """A space that is equal only to itself."""

    def sample(self, mask: Any = None, probability: Any = None) -> int:
        return 1

    def contains(self, x: Any) -> bool:
        return bool(x == 1)


class Mixed(gymkernel.Env[Any, Any]):
    """A gymkernel environment with spaces from both libraries."""

    observation_space: Any = ours.Dict(a=theirs.Box(0, 1, (2,)), b=ours.Tuple([theirs.Discrete(3), ours.Discrete(2)]))
    action_space: Any = theirs.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return {"a": np.zeros(2, np.float32), "b": (0, 1)}, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return self.reset()[0], 1.0, False, False, {}


class Alone(Mixed):
    """An environment whose instances share a third-party space."""

    observation_space: Any = Shared((), np.int64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return 1, {}


class Keeping(gymkernel.Wrapper[Any, Any, Any, Any]):
    """A gymkernel wrapper that sets its action space to one of Gymnasium's spaces."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.action_space = theirs.Discrete(2)  # type: ignore[assignment] # as users write it


class VectorKeeping(gymkernel.vector.VectorWrapper):
    """A gymkernel vector wrapper that sets its action space to one of Gymnasium's spaces."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.single_action_space = theirs.Discrete(2)  # type: ignore[assignment] # as users write it


SPEC: Any = gymkernel.envs.registration.EnvSpec("Mixed-v0", entry_point=Mixed)


def test_make_converts_spaces_at_every_depth() -> None:
    env: Any = gymkernel.make(SPEC)

    assert isinstance(env.action_space, ours.Discrete)
    assert isinstance(env.unwrapped.action_space, ours.Discrete)
    assert isinstance(env.observation_space["a"], ours.Box)
    assert isinstance(env.observation_space["b"][0], ours.Discrete)
    assert env.observation_space == Mixed.observation_space


@pytest.mark.parametrize("backend", [gymkernel.vector.SyncVectorEnv, gymkernel.vector.AsyncVectorEnv])
def test_backends_convert_spaces(backend: Any) -> None:
    envs = backend([Mixed] * 2)

    assert isinstance(envs.single_action_space, ours.Discrete)
    assert isinstance(envs.single_observation_space["a"], ours.Box)
    envs.close()


def test_environments_that_share_a_space_share_its_conversion() -> None:
    first, second = (gymkernel.make(gymkernel.envs.registration.EnvSpec("Alone-v0", entry_point=Alone)) for _ in "12")

    assert isinstance(first.observation_space, ours.Space)
    assert isinstance(first.observation_space, Shared)
    assert first.observation_space is second.observation_space
    gymkernel.vector.SyncVectorEnv([Alone] * 2).close()


def test_our_wrapper_converts_a_space_that_it_sets() -> None:
    assert isinstance(Keeping(gymkernel.make("gymnasium/CartPole-v1")).action_space, ours.Discrete)
    envs: Any = gymkernel.make_vec("gymnasium/CartPole-v1", 2, vectorization_mode="sync")
    assert isinstance(VectorKeeping(envs).single_action_space, ours.Discrete)
    envs.close()


def test_our_wrapper_converts_the_inner_spaces() -> None:
    wrapped: Any = Keeping(gymnasium.make("CartPole-v1"))
    assert isinstance(wrapped.observation_space, ours.Box)
    envs: Any = VectorKeeping(gymnasium.make_vec("CartPole-v1", 2))
    assert isinstance(envs.observation_space, ours.Box)
    assert isinstance(envs.single_observation_space, ours.Box)
    envs.close()


def test_spaces_set_in_a_reset_are_converted() -> None:
    from gymkernel_bridge_gymnasium.highway import convert_new_spaces

    class Road(gymnasium.Env[Any, Any]):
        def define_spaces(self) -> None:
            self.observation_space = self.action_space = theirs.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            self.define_spaces()
            return 1, {}

    convert_new_spaces(Road)
    road = Road()
    road.reset()

    assert isinstance(road.observation_space, ours.Discrete)
    assert isinstance(road.action_space, ours.Discrete)


def test_reward_space_is_converted() -> None:
    class Objectives(gymnasium.Env[Any, Any]):
        observation_space = action_space = theirs.Discrete(2)

        def __init__(self) -> None:
            self.reward_space = theirs.Box(0, 1, (2,))

    spec = gymkernel.envs.registration.EnvSpec("Objectives-v0", entry_point=Objectives)

    assert isinstance(gymkernel.make(spec).unwrapped.reward_space, ours.Box)  # type: ignore[attr-defined]


class TestNamedBases:
    """Tests of the direct base classes of our classes, which functions such as skrl's `wrap_env` read."""

    @pytest.mark.parametrize("name", ["Env", "Wrapper", "ObservationWrapper", "Space"])
    def test_subclass_of_a_base_class_has_both_bases(self, name: str) -> None:
        base: Any = getattr(gymkernel, name)
        derived = type("Derived", (base,), {})

        assert derived.__bases__ == (base, getattr(gymnasium, name))

    def test_order_of_bases_is_kept(self) -> None:
        class Mixin:
            pass

        class Derived(gymkernel.Env[Any, Any], Mixin):
            pass

        assert Derived.__mro__.index(gymnasium.Env) < Derived.__mro__.index(Mixin)
        assert Derived.__bases__ == (gymkernel.Env, gymnasium.Env, Mixin)

    def test_base_that_would_change_the_order_is_not_added(self) -> None:
        class Theirs(gymnasium.Wrapper[Any, Any, Any, Any]):
            pass

        class Derived(gymkernel.Wrapper[Any, Any, Any, Any], Theirs):  # type: ignore[misc]
            pass

        assert Derived.__bases__ == (gymkernel.Wrapper, Theirs)

    def test_our_vectorised_environment_has_gymnasiums_base(self) -> None:
        envs: Any = gymkernel.make_vec("CartPole-v1", 2, vectorization_mode="vector_entry_point")

        assert gymnasium.vector.VectorEnv in type(envs).__bases__
        envs.close()
