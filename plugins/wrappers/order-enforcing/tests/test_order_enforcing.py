"""Tests of `OrderEnforcing`, in particular the errors before the first reset."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import gymkernel as gym
from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.error import ResetNeeded
from gymkernel.wrappers import OrderEnforcing


class Lamp(Env[int, int]):
    """An environment whose observation and frame are the last action."""

    render_mode = "ansi"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.state = 0
        return 0, {"seed": seed, "options": options}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.state = action
        return action, 1.0, False, False, {}

    def render(self) -> str:
        return f"lamp {getattr(self, 'state', 'new')}"


class TestOrder:
    def test_step_before_reset_is_rejected(self) -> None:
        lamp = Lamp()

        with pytest.raises(ResetNeeded, match=r"^Cannot call env\.step\(\) before calling env\.reset\(\)$"):
            OrderEnforcing(lamp).step(1)

        assert not hasattr(lamp, "state")

    def test_render_before_reset_is_rejected_with_a_hint(self) -> None:
        with pytest.raises(
            ResetNeeded, match=r"^Cannot call `env\.render\(\)` before .* `disable_render_order_enforcing=True`"
        ):
            OrderEnforcing(Lamp()).render()

    def test_render_before_reset_can_be_allowed(self) -> None:
        assert OrderEnforcing(Lamp(), disable_render_order_enforcing=True).render() == "lamp new"

    def test_calls_after_reset_pass_unchanged(self) -> None:
        env = OrderEnforcing(Lamp())

        assert env.reset(seed=3, options={"a": 1}) == (0, {"seed": 3, "options": {"a": 1}})
        assert env.step(5) == (5, 1.0, False, False, {})
        assert env.render() == "lamp 5"

    def test_has_reset_is_reported(self) -> None:
        env = OrderEnforcing(Lamp())
        before = env.has_reset

        env.reset()

        assert (before, env.has_reset) == (False, True)

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    def test_copy_keeps_has_reset(self, duplicate: Any) -> None:
        env = OrderEnforcing(Lamp())
        env.reset()

        assert duplicate(env).step(2)[0] == 2

    def test_non_environment_is_rejected(self) -> None:
        with pytest.raises(TypeError, match=r"OrderEnforcing expects an environment .* got <class"):
            OrderEnforcing(Lamp)  # type: ignore[arg-type]


class TestSpec:
    def env(self) -> OrderEnforcing[int, int]:
        env = Lamp()
        env.spec = EnvSpec("Lamp-v1", Lamp, order_enforce=False, disable_env_checker=True)
        return OrderEnforcing(env)

    def test_order_enforcing_is_a_field_of_the_spec(self) -> None:
        env = self.env()

        assert env.spec is not None
        assert env.spec.order_enforce is True
        assert env.spec.additional_wrappers == ()
        assert env.env.spec.order_enforce is False  # type: ignore[union-attr]

    def test_spec_recreates_the_wrapper(self) -> None:
        spec = self.env().spec

        again = gym.make(spec)  # type: ignore[arg-type]

        assert isinstance(again, OrderEnforcing)
        assert again.spec == spec

    def test_spec_is_none_without_an_inner_spec(self) -> None:
        assert OrderEnforcing(Lamp()).spec is None

    def test_arguments_are_recorded(self) -> None:
        env = OrderEnforcing(Lamp(), disable_render_order_enforcing=True)

        assert env._saved_kwargs == {"disable_render_order_enforcing": True}
        assert env._disable_render_order_enforcing is True
