"""Tests of `Env` and of wrappers around environments."""

from __future__ import annotations

import copy
import importlib
import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import ActionWrapper, Env, ObservationWrapper, RewardWrapper, Space, Wrapper
from gymkernel.specs import EnvSpec, WrapperSpec
from gymkernel.utils import RecordConstructorArgs, seeding
from gymkernel.vector_env import VectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]
    Step = tuple[Any, Any, bool, bool, dict[str, Any]]

DUPLICATES = pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["deepcopy", "pickle"]
)


class Sized(Space[Any]):
    """A space of arrays with the given length."""

    def __init__(self, size: int) -> None:
        super().__init__((size,), np.float64)


class Walk(Env[Any, Any]):
    """An environment that counts its steps."""

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - as in Gymnasium

    def __init__(self, size: int = 1, render_mode: str | None = None) -> None:
        self.observation_space, self.action_space = Sized(size), Sized(size)
        self.render_mode = render_mode
        self.place = 0
        self.closed = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = 0
        return self.place, {"options": options}

    def step(self, action: Any) -> Step:
        self.place += action
        return self.place, 2.0, False, False, {}

    def render(self) -> str:
        return f"at {self.place}"

    def close(self) -> None:
        self.closed += 1


class Inner(Wrapper[Any, Any, Any, Any]):
    pass


class Middle(Wrapper[Any, Any, Any, Any]):
    pass


class Outer(Wrapper[Any, Any, Any, Any]):
    pass


class Duck:
    """An environment that has only the required attributes and methods, and no base class."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as in Gymnasium
    render_mode = None
    observation_space = action_space = None
    label = "duck"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: Any) -> Step:
        return action, 1.0, False, False, {}

    def render(self) -> None: ...
    def close(self) -> None: ...


def stack(env: Any = None) -> tuple[Any, Any, Any, Any]:
    """Return an environment and three wrappers, from the inside to the outside."""
    env = Walk() if env is None else env
    inner = Inner(env)
    middle = Middle(inner)
    return env, inner, middle, Outer(middle)


class TestEnv:
    def test_methods_of_the_base_class_raise_not_implemented(self) -> None:
        env: Env[Any, Any] = Env()

        for call in (env.step, lambda _: env.render()):
            with pytest.raises(NotImplementedError):
                call(0)

    def test_reset_seeds_the_generator(self) -> None:
        env = Walk()

        env.reset(seed=5)

        assert env.np_random.random() == seeding.np_random(5)[0].random()
        assert env.np_random_seed == 5

    def test_reset_without_seed_keeps_the_generator(self) -> None:
        env = Walk()
        env.reset(seed=5)
        env.np_random.random()

        env.reset()

        expected = seeding.np_random(5)[0].random(2)[1]
        assert env.np_random.random() == expected

    def test_numpy_integers_are_valid_seeds(self) -> None:
        env = Walk()

        env.reset(seed=np.int64(5))  # type: ignore[arg-type]

        assert (env.np_random_seed, type(env.np_random_seed)) == (5, int)

    def test_generator_is_created_at_first_use(self) -> None:
        env = Walk()

        first = env.np_random

        assert env.np_random is first
        assert env.np_random_seed is not None
        assert env.np_random_seed >= 0

    def test_assigned_generator_has_seed_minus_one(self) -> None:
        env, generator = Walk(), np.random.default_rng(0)

        env.np_random = generator

        assert env.np_random is generator
        assert env.np_random_seed == -1

    def test_reading_the_seed_keeps_an_assigned_generator(self) -> None:
        env, generator = Walk(), np.random.default_rng(0)
        env._np_random = generator

        assert env.np_random_seed == -1
        assert env.np_random is generator

    def test_with_statement_closes_the_environment(self) -> None:
        with Walk() as env:
            assert env.closed == 0

        assert env.closed == 1

    def test_with_statement_closes_the_environment_after_an_error(self) -> None:
        env = Walk()

        with pytest.raises(KeyError), env:
            raise KeyError

        assert env.closed == 1

    def test_str_contains_the_class_name(self) -> None:
        env = Walk()
        assert str(env) == "<Walk instance>"

        env.spec = EnvSpec("Walk-v0")

        assert str(env) == "<Walk<Walk-v0>>"

    def test_unwrapped_returns_the_environment_itself(self) -> None:
        env = Walk()
        assert env.unwrapped is env

    def test_attributes_are_read_and_set(self) -> None:
        env = Walk()

        assert env.has_wrapper_attr("place")
        assert not env.has_wrapper_attr("speed")
        assert env.get_wrapper_attr("place") == 0
        assert env.set_wrapper_attr("speed", 3, force=False) is False
        assert not hasattr(env, "speed")
        assert env.set_wrapper_attr("speed", 3) is True
        assert env.get_wrapper_attr("speed") == 3


class TestGenerics:
    @pytest.mark.parametrize("cls", [Env, Wrapper, ObservationWrapper, ActionWrapper, RewardWrapper])
    def test_missing_type_arguments_become_any(self, cls: Any) -> None:
        given = cls[np.ndarray]

        assert given.__args__ == (np.ndarray, *[Any] * (len(cls.__parameters__) - 1))

    def test_generic_subclass_with_fewer_arguments_is_a_class(self) -> None:
        class Images(Env[np.ndarray[Any, Any]]):
            pass

        assert isinstance(Images(), Env)

    def test_too_many_type_arguments_raise(self) -> None:
        with pytest.raises(TypeError, match="Too many"):
            Env[int, int, int]  # type: ignore[misc]


class TestWrapper:
    @pytest.mark.parametrize("thing", [3, None, Walk, object()])
    def test_wrapping_a_non_environment_is_rejected(self, thing: Any) -> None:
        with pytest.raises(TypeError, match=r"Outer expects an environment \(an object with reset and step\), got "):
            Outer(thing)

    def test_calls_reach_the_wrapped_environment(self) -> None:
        env, *_, outer = stack(Walk(render_mode="ansi"))

        assert outer.reset(seed=3, options={"a": 1}) == (0, {"options": {"a": 1}})
        assert env.np_random_seed == 3
        assert outer.step(2) == (2, 2.0, False, False, {})
        assert outer.render() == "at 2"
        assert outer.render_mode == "ansi"
        outer.close()
        assert env.closed == 1

    def test_unwrapped_returns_the_innermost_environment(self) -> None:
        env, inner, middle, outer = stack()

        assert outer.unwrapped is middle.unwrapped is inner.unwrapped is env
        assert outer.env is middle

    def test_attributes_are_not_forwarded(self) -> None:
        *_, outer = stack()

        with pytest.raises(AttributeError):
            _ = outer.place

    def test_str_contains_the_class_name(self) -> None:
        env, *_, outer = stack()
        assert str(outer) == repr(outer) == "<Outer<Middle<Inner<Walk instance>>>>"

        env.spec = EnvSpec("Walk-v0")

        assert str(outer) == "<Outer<Middle<Inner<Walk<Walk-v0>>>>>"
        assert Outer.class_name() == "Outer"

    def test_generator_is_that_of_the_wrapped_environment(self) -> None:
        env, *_, outer = stack()
        outer.reset(seed=3)
        assert outer.np_random is env.np_random
        assert outer.np_random_seed == 3

        outer.np_random = generator = np.random.default_rng(0)

        assert env.np_random is generator
        assert outer.np_random_seed == -1

    def test_wrapper_has_no_own_generator(self) -> None:
        *_, outer = stack()

        with pytest.raises(AttributeError, match=r"use np_random or unwrapped\._np_random"):
            _ = outer._np_random

    def test_with_statement_closes_the_wrapped_environment(self) -> None:
        env, *_, outer = stack()
        with outer as entered:
            assert entered is outer
        assert env.closed == 1


FORMS = """
    from gymkernel import Wrapper
    from gymkernel.vector_wrapper import VectorWrapper

    class Counted(Wrapper):
        def __init__(self, env, start=0):
            super().__init__(env)

    class Plain(Wrapper): pass

    class VectorCounted(VectorWrapper):
        def __init__(self, env, start=0):
            super().__init__(env)
            self.start = start
"""


class Walks(VectorEnv[Any, Any, Any]):
    """A vector environment with two environments."""

    num_envs = 2

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        return [0, 0], {}

    def step(self, actions: Any) -> Any:
        return actions, [0, 0], [False, False], [False, False], {}


class TestVectorForms:
    """Tests that wrapping a vector environment creates the vector wrapper with the same name, if there is one."""

    @pytest.fixture
    def forms(self, install: Install) -> Any:
        form = {"Counted": "acme_forms:VectorCounted"}
        wrappers = {"Counted": "acme_forms:Counted", "Plain": "acme_forms:Plain"}
        install("acme", modules={"acme_forms": FORMS}, wrappers=wrappers, vector_wrappers=form)
        return importlib.import_module("acme_forms")

    def test_vector_form_is_created_with_the_same_arguments(self, forms: Any) -> None:
        for made in (forms.Counted(Walks(), 3), forms.Counted(env=Walks(), start=3)):
            assert type(made) is forms.VectorCounted
            assert (made.start, made.num_envs) == (3, 2)

    def test_single_environment_gets_the_single_form(self, forms: Any) -> None:
        made = forms.Counted(Walk(), 3)
        assert type(made) is type(copy.copy(made)) is type(pickle.loads(pickle.dumps(made))) is forms.Counted

    def test_wrapper_without_vector_form_stays_a_wrapper(self, forms: Any) -> None:
        assert type(forms.Plain(Walks())) is forms.Plain

    def test_unrelated_class_with_the_same_name_is_ignored(self, forms: Any) -> None:
        class Counted(Wrapper[Any, Any, Any, Any]):
            pass

        assert type(Counted(Walks())) is Counted


@pytest.mark.parametrize("name", ["observation_space", "action_space", "metadata"])
class TestForwarded:
    """Tests that a wrapper's spaces and metadata come from the nearest layer that defines them."""

    def other(self, name: str, number: int = 7) -> Any:
        return {"render_fps": number} if name == "metadata" else Sized(number)

    def test_forwarded_attribute_has_a_docstring(self, name: str) -> None:
        expected = f"`{name}` of this wrapper or, by default, of the wrapped environment."

        assert getattr(Wrapper, name).__doc__ == expected

    def test_forwarded_value_is_that_of_the_environment(self, name: str) -> None:
        env, *layers = stack()

        assert all(getattr(layer, name) is getattr(env, name) for layer in layers)

    def test_spec_set_later_is_visible(self, name: str) -> None:
        env, *layers = stack()
        for layer in layers:
            getattr(layer, name)

        setattr(env, name, new := self.other(name))

        assert all(getattr(layer, name) is new for layer in layers)

    def test_value_added_later_is_visible(self, name: str) -> None:
        if name == "metadata":
            pytest.skip("a class always has metadata")
        env, *_, outer = stack()
        delattr(env, name)
        assert not hasattr(outer, name)

        setattr(env, name, new := self.other(name))

        assert getattr(outer, name) is new

    def test_value_set_on_a_middle_layer_is_visible_outside_only(self, name: str) -> None:
        env, inner, middle, outer = stack()
        before = getattr(outer, name)

        setattr(middle, name, new := self.other(name))

        assert getattr(outer, name) is getattr(middle, name) is new
        assert getattr(inner, name) is getattr(env, name) is before

    def test_outermost_layer_wins(self, name: str) -> None:
        _, inner, _, outer = stack()
        setattr(inner, name, self.other(name, 1))

        setattr(outer, name, new := self.other(name, 2))

        assert getattr(outer, name) is new

    def test_setting_none_restores_the_inner_value(self, name: str) -> None:
        env, _, middle, outer = stack()
        setattr(middle, name, self.other(name))
        assert getattr(outer, name) is not getattr(env, name)

        setattr(middle, name, None)

        assert getattr(outer, name) is getattr(env, name)

    def test_stacks_are_independent(self, name: str) -> None:
        one, *_, of_one = stack()
        two, *_, of_two = stack()
        assert getattr(of_one, name) is getattr(one, name)

        setattr(of_two, name, self.other(name))

        assert getattr(of_one, name) is getattr(one, name)
        assert getattr(two, name) is not getattr(of_two, name)

    def test_property_of_a_subclass_wins(self, name: str) -> None:
        other = self.other(name)
        changing = type("Changing", (Wrapper,), {name: property(lambda self: other)})

        assert getattr(Outer(Middle(changing(Walk()))), name) is other

    def test_property_of_a_subclass_can_call_super(self, name: str) -> None:
        class Asking(Wrapper[Any, Any, Any, Any]):
            pass

        setattr(Asking, name, property(lambda self: getattr(super(Asking, self), name)))
        env = Walk()

        assert getattr(Outer(Asking(env)), name) is getattr(env, name)

    def test_class_attribute_of_a_subclass_wins(self, name: str) -> None:
        other = self.other(name)
        fixed = type("Fixed", (Wrapper,), {name: other})

        assert getattr(Outer(fixed(Walk())), name) is other

    def test_private_class_attribute_of_a_subclass_wins(self, name: str) -> None:
        other = self.other(name)
        fixed = type("Fixed", (Wrapper,), {f"_{name}": other})

        assert getattr(fixed(Walk()), name) is other
        assert getattr(Outer(fixed(Walk())), name) is other

    @DUPLICATES
    def test_copy_is_independent(self, name: str, duplicate: Callable[[Any], Any]) -> None:
        *_, outer = stack()
        getattr(outer, name)

        twin = duplicate(outer)
        setattr(twin.unwrapped, name, new := self.other(name))

        assert getattr(twin, name) is new
        assert getattr(outer, name) is not new

    @DUPLICATES
    def test_copy_of_a_stale_stack_is_up_to_date(self, name: str, duplicate: Callable[[Any], Any]) -> None:
        _, _, middle, outer = stack()
        getattr(outer, name)
        setattr(middle, name, self.other(name))

        twin = duplicate(outer)

        assert getattr(twin, name) is getattr(twin.env, name)


class TestWrapperAttributes:
    def test_attribute_is_found_through_several_layers(self) -> None:
        _, inner, _, outer = stack()
        inner.speed = 4

        assert outer.has_wrapper_attr("speed")
        assert outer.get_wrapper_attr("speed") == 4
        assert outer.get_wrapper_attr("place") == 0

    def test_outermost_attribute_wins(self) -> None:
        env, inner, _, outer = stack()
        env.speed, inner.speed = 1, 2

        assert outer.get_wrapper_attr("speed") == 2

    def test_missing_attribute_error_shows_the_stack(self) -> None:
        *_, outer = stack()

        assert not outer.has_wrapper_attr("speed")
        with pytest.raises(AttributeError, match=r"wrapper of <Outer<Middle.* nor the environment itself .* 'speed'"):
            outer.get_wrapper_attr("speed")

    def test_attribute_is_set_on_the_layer_that_has_it(self) -> None:
        env, _, middle, outer = stack()
        middle.speed = 1

        assert outer.set_wrapper_attr("speed", 5) is True
        assert outer.set_wrapper_attr("place", 9) is True

        assert (middle.speed, env.place) == (5, 9)
        assert "speed" not in vars(outer)
        assert "place" not in vars(outer)

    def test_new_attribute_is_set_on_the_outermost_wrapper(self) -> None:
        env, _, _, outer = stack()

        assert outer.set_wrapper_attr("speed", 5) is True

        assert outer.speed == 5
        assert not hasattr(env, "speed")

    def test_new_attribute_requires_force(self) -> None:
        *_, outer = stack()

        assert outer.set_wrapper_attr("speed", 5, force=False) is False
        assert not outer.has_wrapper_attr("speed")

    def test_attributes_of_an_env_held_in_a_field_are_not_searched(self) -> None:
        class Adapter(Walk):
            """An environment that, like many adapters, stores another library's environment in the attribute `env`."""

            def __init__(self) -> None:
                super().__init__()
                self.env = type("Theirs", (), {"physics": 1})()

        outer = Outer(Adapter())

        assert not outer.has_wrapper_attr("physics")
        with pytest.raises(AttributeError):
            outer.get_wrapper_attr("physics")


class TestDuckTyped:
    """Tests that a wrapper accepts an environment of any class."""

    def test_calls_and_attributes_reach_a_duck_typed_environment(self) -> None:
        duck, *_, outer = stack(Duck())

        assert outer.reset() == (0, {})
        assert outer.step(4)[0] == 4
        assert outer.metadata is duck.metadata
        assert outer.unwrapped is duck
        assert outer.spec is None
        assert outer.has_wrapper_attr("label")
        assert not outer.has_wrapper_attr("colour")
        assert outer.get_wrapper_attr("label") == "duck"

    def test_attributes_are_set_on_the_layer_that_has_them(self) -> None:
        duck, *_, outer = stack(Duck())

        assert outer.set_wrapper_attr("label", "goose") is True
        assert outer.set_wrapper_attr("colour", "white", force=False) is False

        assert duck.label == "goose"

    def test_foreign_wrapper_can_be_in_the_middle(self) -> None:
        class Theirs(Duck):
            def __init__(self, env: Any) -> None:
                self.env = env

            @property
            def unwrapped(self) -> Any:
                return self.env

        walk = Walk()
        outer: Any = Outer(Theirs(walk))

        assert outer.unwrapped is walk
        assert outer.get_wrapper_attr("place") == 0


class Scaled(RewardWrapper[Any, Any], RecordConstructorArgs):
    def __init__(self, env: Any, factor: float = 1.0) -> None:
        RecordConstructorArgs.__init__(self, factor=factor)
        Wrapper.__init__(self, env)

    def reward(self, reward: Any) -> Any:
        return reward * 2


class Nameless(Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: Any, *factors: float) -> None:
        super().__init__(env)


class TestSpec:
    def test_spec_is_none_if_the_environment_has_none(self) -> None:
        assert Outer(Walk()).spec is None

    def test_recorded_wrapper_is_in_the_spec(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0", kwargs={"size": 1})

        spec = Scaled(env, factor=3.0).spec

        assert spec is not None
        assert spec.additional_wrappers == (WrapperSpec("Scaled", f"{__name__}:Scaled", {"factor": 3.0}),)
        assert (spec.id, spec.kwargs) == ("Walk-v0", {"size": 1})
        assert env.spec.additional_wrappers == ()

    def test_wrapper_with_unnamed_arguments_is_listed_without_them(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0")

        spec = Nameless(Scaled(env), 3.0).spec

        assert spec is not None
        kwargs = [(w.name, w.kwargs) for w in spec.additional_wrappers]
        assert kwargs == [("Scaled", {"factor": 1.0}), ("Nameless", None)]

    def test_spec_is_cached(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0")
        outer = Outer(Middle(env))

        assert outer.spec is outer.spec

    def test_spec_set_later_is_visible(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0")
        outer = Outer(Middle(env))
        assert outer.spec is not None

        env.spec = EnvSpec("Other-v0")

        assert outer.spec.id == "Other-v0"

    def test_wrapper_can_record_itself_in_a_spec_field(self) -> None:
        class Limited(Wrapper[Any, Any, Any, Any]):
            def update_spec(self, spec: EnvSpec) -> EnvSpec:
                updated = copy.copy(spec)
                updated.max_episode_steps = 10
                return updated

        env = Walk()
        env.spec = EnvSpec("Walk-v0")

        spec = Limited(env).spec

        assert spec is not None
        assert (spec.max_episode_steps, spec.additional_wrappers) == (10, ())

    def test_wrapper_spec_has_name_entry_point_and_kwargs(self) -> None:
        assert Scaled.wrapper_spec(factor=2) == WrapperSpec("Scaled", f"{__name__}:Scaled", {"factor": 2})


class TestKinds:
    """Tests that each base class for wrappers changes only one kind of value, such as rewards."""

    def test_observation_wrapper_transforms_observations(self) -> None:
        class Negative(ObservationWrapper[Any, Any, Any]):
            def observation(self, observation: Any) -> Any:
                return -1 - observation

        env = Negative(Walk())

        assert env.reset(options={"a": 1}) == (-1, {"options": {"a": 1}})
        assert env.step(2) == (-3, 2.0, False, False, {})

    def test_action_wrapper_transforms_actions(self) -> None:
        class Doubled(ActionWrapper[Any, Any, Any]):
            def action(self, action: Any) -> Any:
                return action * 2

        env = Doubled(Walk())

        assert env.reset() == (0, {"options": None})
        assert env.step(2) == (4, 2.0, False, False, {})

    def test_reward_wrapper_transforms_rewards(self) -> None:
        env = Scaled(Walk())

        assert env.reset() == (0, {"options": None})
        assert env.step(2) == (2, 4.0, False, False, {})

    @pytest.mark.parametrize("base", [ObservationWrapper, ActionWrapper, RewardWrapper])
    def test_methods_of_the_base_class_raise_not_implemented(self, base: Any) -> None:
        with pytest.raises(NotImplementedError):
            base(Walk()).step(0)
