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
    def test_what_a_subclass_must_define_is_not_implemented(self) -> None:
        env: Env[Any, Any] = Env()

        for call in (env.step, lambda _: env.render()):
            with pytest.raises(NotImplementedError):
                call(0)

    def test_reset_seeds_the_generator(self) -> None:
        env = Walk()

        env.reset(seed=5)

        assert env.np_random.random() == seeding.np_random(5)[0].random()
        assert env.np_random_seed == 5

    def test_a_reset_without_seed_lets_the_generator_run_on(self) -> None:
        env = Walk()
        env.reset(seed=5)
        env.np_random.random()

        env.reset()

        expected = seeding.np_random(5)[0].random(2)[1]
        assert env.np_random.random() == expected

    def test_numpys_integers_seed_it(self) -> None:
        env = Walk()

        env.reset(seed=np.int64(5))  # type: ignore[arg-type]

        assert (env.np_random_seed, type(env.np_random_seed)) == (5, int)

    def test_the_generator_is_made_at_its_first_use(self) -> None:
        env = Walk()

        first = env.np_random

        assert env.np_random is first
        assert env.np_random_seed is not None
        assert env.np_random_seed >= 0

    def test_a_generator_from_outside_has_the_seed_minus_one(self) -> None:
        env, generator = Walk(), np.random.default_rng(0)

        env.np_random = generator

        assert env.np_random is generator
        assert env.np_random_seed == -1

    def test_asking_for_the_seed_leaves_a_generator_that_was_put_in(self) -> None:
        env, generator = Walk(), np.random.default_rng(0)
        env._np_random = generator

        assert env.np_random_seed == -1
        assert env.np_random is generator

    def test_a_with_statement_closes_it(self) -> None:
        with Walk() as env:
            assert env.closed == 0

        assert env.closed == 1

    def test_a_with_statement_closes_it_after_an_error(self) -> None:
        env = Walk()

        with pytest.raises(KeyError), env:
            raise KeyError

        assert env.closed == 1

    def test_its_name(self) -> None:
        env = Walk()
        assert str(env) == "<Walk instance>"

        env.spec = EnvSpec("Walk-v0")

        assert str(env) == "<Walk<Walk-v0>>"

    def test_it_is_its_own_inside(self) -> None:
        env = Walk()
        assert env.unwrapped is env

    def test_attributes(self) -> None:
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
    def test_missing_type_arguments_are_any(self, cls: Any) -> None:
        given = cls[np.ndarray]

        assert given.__args__ == (np.ndarray, *[Any] * (len(cls.__parameters__) - 1))

    def test_a_subclass_of_fewer_arguments_is_a_class(self) -> None:
        class Images(Env[np.ndarray[Any, Any]]):
            pass

        assert isinstance(Images(), Env)

    def test_too_many_are_an_error(self) -> None:
        with pytest.raises(TypeError, match="Too many"):
            Env[int, int, int]  # type: ignore[misc]


class TestWrapper:
    @pytest.mark.parametrize("thing", [3, None, Walk, object()])
    def test_what_is_no_environment_is_refused(self, thing: Any) -> None:
        with pytest.raises(TypeError, match=r"Outer expects an environment \(an object with reset and step\), got "):
            Outer(thing)

    def test_calls_go_to_the_environment_inside(self) -> None:
        env, *_, outer = stack(Walk(render_mode="ansi"))

        assert outer.reset(seed=3, options={"a": 1}) == (0, {"options": {"a": 1}})
        assert env.np_random_seed == 3
        assert outer.step(2) == (2, 2.0, False, False, {})
        assert outer.render() == "at 2"
        assert outer.render_mode == "ansi"
        outer.close()
        assert env.closed == 1

    def test_the_environment_inside(self) -> None:
        env, inner, middle, outer = stack()

        assert outer.unwrapped is middle.unwrapped is inner.unwrapped is env
        assert outer.env is middle

    def test_attributes_are_not_handed_on(self) -> None:
        *_, outer = stack()

        with pytest.raises(AttributeError):
            _ = outer.place

    def test_its_name(self) -> None:
        env, *_, outer = stack()
        assert str(outer) == repr(outer) == "<Outer<Middle<Inner<Walk instance>>>>"

        env.spec = EnvSpec("Walk-v0")

        assert str(outer) == "<Outer<Middle<Inner<Walk<Walk-v0>>>>>"
        assert Outer.class_name() == "Outer"

    def test_the_generator_is_that_of_the_environment_inside(self) -> None:
        env, *_, outer = stack()
        outer.reset(seed=3)
        assert outer.np_random is env.np_random
        assert outer.np_random_seed == 3

        outer.np_random = generator = np.random.default_rng(0)

        assert env.np_random is generator
        assert outer.np_random_seed == -1

    def test_it_has_no_generator_of_its_own(self) -> None:
        *_, outer = stack()

        with pytest.raises(AttributeError, match=r"use np_random or unwrapped\._np_random"):
            _ = outer._np_random

    def test_a_with_statement_closes_what_is_inside(self) -> None:
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
    """Tests that wrapping a vector environment creates a vector wrapper of the same name, if one exists."""

    @pytest.fixture
    def forms(self, install: Install) -> Any:
        form = {"Counted": "acme_forms:VectorCounted"}
        wrappers = {"Counted": "acme_forms:Counted", "Plain": "acme_forms:Plain"}
        install("acme", modules={"acme_forms": FORMS}, wrappers=wrappers, vector_wrappers=form)
        return importlib.import_module("acme_forms")

    def test_it_is_made_with_the_same_arguments(self, forms: Any) -> None:
        for made in (forms.Counted(Walks(), 3), forms.Counted(env=Walks(), start=3)):
            assert type(made) is forms.VectorCounted
            assert (made.start, made.num_envs) == (3, 2)

    def test_around_one_environment_nothing_changes(self, forms: Any) -> None:
        made = forms.Counted(Walk(), 3)
        assert type(made) is type(copy.copy(made)) is type(pickle.loads(pickle.dumps(made))) is forms.Counted

    def test_without_a_vector_form_nothing_changes(self, forms: Any) -> None:
        assert type(forms.Plain(Walks())) is forms.Plain

    def test_a_class_of_the_same_name_from_elsewhere_is_left_alone(self, forms: Any) -> None:
        class Counted(Wrapper[Any, Any, Any, Any]):
            pass

        assert type(Counted(Walks())) is Counted


@pytest.mark.parametrize("name", ["observation_space", "action_space", "metadata"])
class TestForwarded:
    """Tests that a wrapper's spaces and metadata come from the nearest layer that defines them."""

    def other(self, name: str, number: int = 7) -> Any:
        return {"render_fps": number} if name == "metadata" else Sized(number)

    def test_it_is_that_of_the_environment(self, name: str) -> None:
        env, *layers = stack()

        assert all(getattr(layer, name) is getattr(env, name) for layer in layers)

    def test_one_that_the_environment_is_given_later_is_seen(self, name: str) -> None:
        env, *layers = stack()
        for layer in layers:
            getattr(layer, name)

        setattr(env, name, new := self.other(name))

        assert all(getattr(layer, name) is new for layer in layers)

    def test_one_that_the_environment_has_not_yet_is_seen_when_it_has(self, name: str) -> None:
        if name == "metadata":
            pytest.skip("a class always has metadata")
        env, *_, outer = stack()
        delattr(env, name)
        assert not hasattr(outer, name)

        setattr(env, name, new := self.other(name))

        assert getattr(outer, name) is new

    def test_one_that_a_layer_between_is_given_later_is_seen_outside_and_not_inside(self, name: str) -> None:
        env, inner, middle, outer = stack()
        before = getattr(outer, name)

        setattr(middle, name, new := self.other(name))

        assert getattr(outer, name) is getattr(middle, name) is new
        assert getattr(inner, name) is getattr(env, name) is before

    def test_that_of_the_outermost_layer_counts(self, name: str) -> None:
        _, inner, _, outer = stack()
        setattr(inner, name, self.other(name, 1))

        setattr(outer, name, new := self.other(name, 2))

        assert getattr(outer, name) is new

    def test_none_gives_it_back(self, name: str) -> None:
        env, _, middle, outer = stack()
        setattr(middle, name, self.other(name))
        assert getattr(outer, name) is not getattr(env, name)

        setattr(middle, name, None)

        assert getattr(outer, name) is getattr(env, name)

    def test_stacks_do_not_mix(self, name: str) -> None:
        one, *_, of_one = stack()
        two, *_, of_two = stack()
        assert getattr(of_one, name) is getattr(one, name)

        setattr(of_two, name, self.other(name))

        assert getattr(of_one, name) is getattr(one, name)
        assert getattr(two, name) is not getattr(of_two, name)

    def test_a_property_of_a_subclass_counts(self, name: str) -> None:
        other = self.other(name)
        changing = type("Changing", (Wrapper,), {name: property(lambda self: other)})

        assert getattr(Outer(Middle(changing(Walk()))), name) is other

    def test_a_property_of_a_subclass_may_ask_the_base(self, name: str) -> None:
        class Asking(Wrapper[Any, Any, Any, Any]):
            pass

        setattr(Asking, name, property(lambda self: getattr(super(Asking, self), name)))
        env = Walk()

        assert getattr(Outer(Asking(env)), name) is getattr(env, name)

    def test_a_class_attribute_of_a_subclass_counts(self, name: str) -> None:
        other = self.other(name)
        fixed = type("Fixed", (Wrapper,), {name: other})

        assert getattr(Outer(fixed(Walk())), name) is other

    def test_an_underscored_class_attribute_of_a_subclass_counts(self, name: str) -> None:
        other = self.other(name)
        fixed = type("Fixed", (Wrapper,), {f"_{name}": other})

        assert getattr(fixed(Walk()), name) is other
        assert getattr(Outer(fixed(Walk())), name) is other

    @DUPLICATES
    def test_a_copy_is_a_stack_by_itself(self, name: str, duplicate: Callable[[Any], Any]) -> None:
        *_, outer = stack()
        getattr(outer, name)

        twin = duplicate(outer)
        setattr(twin.unwrapped, name, new := self.other(name))

        assert getattr(twin, name) is new
        assert getattr(outer, name) is not new

    @DUPLICATES
    def test_a_copy_does_not_trust_what_was_out_of_date(self, name: str, duplicate: Callable[[Any], Any]) -> None:
        _, _, middle, outer = stack()
        getattr(outer, name)
        setattr(middle, name, self.other(name))

        twin = duplicate(outer)

        assert getattr(twin, name) is getattr(twin.env, name)


class TestWrapperAttributes:
    def test_they_are_found_over_several_layers(self) -> None:
        _, inner, _, outer = stack()
        inner.speed = 4

        assert outer.has_wrapper_attr("speed")
        assert outer.get_wrapper_attr("speed") == 4
        assert outer.get_wrapper_attr("place") == 0

    def test_the_outermost_counts(self) -> None:
        env, inner, _, outer = stack()
        env.speed, inner.speed = 1, 2

        assert outer.get_wrapper_attr("speed") == 2

    def test_an_absent_one_is_an_attribute_error_with_the_stack(self) -> None:
        *_, outer = stack()

        assert not outer.has_wrapper_attr("speed")
        with pytest.raises(AttributeError, match=r"wrapper of <Outer<Middle.* nor the environment itself .* 'speed'"):
            outer.get_wrapper_attr("speed")

    def test_it_is_set_where_it_is(self) -> None:
        env, _, middle, outer = stack()
        middle.speed = 1

        assert outer.set_wrapper_attr("speed", 5) is True
        assert outer.set_wrapper_attr("place", 9) is True

        assert (middle.speed, env.place) == (5, 9)
        assert "speed" not in vars(outer)
        assert "place" not in vars(outer)

    def test_a_new_one_is_set_on_the_wrapper_that_was_asked(self) -> None:
        env, _, _, outer = stack()

        assert outer.set_wrapper_attr("speed", 5) is True

        assert outer.speed == 5
        assert not hasattr(env, "speed")

    def test_a_new_one_is_not_set_without_force(self) -> None:
        *_, outer = stack()

        assert outer.set_wrapper_attr("speed", 5, force=False) is False
        assert not outer.has_wrapper_attr("speed")

    def test_what_an_environment_holds_is_not_the_environment(self) -> None:
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

    def test_calls_and_attributes(self) -> None:
        duck, *_, outer = stack(Duck())

        assert outer.reset() == (0, {})
        assert outer.step(4)[0] == 4
        assert outer.metadata is duck.metadata
        assert outer.unwrapped is duck
        assert outer.spec is None
        assert outer.has_wrapper_attr("label")
        assert not outer.has_wrapper_attr("colour")
        assert outer.get_wrapper_attr("label") == "duck"

    def test_attributes_are_set_where_they_are(self) -> None:
        duck, *_, outer = stack(Duck())

        assert outer.set_wrapper_attr("label", "goose") is True
        assert outer.set_wrapper_attr("colour", "white", force=False) is False

        assert duck.label == "goose"

    def test_a_wrapper_of_another_library_may_be_between(self) -> None:
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
    def test_there_is_none_where_the_environment_has_none(self) -> None:
        assert Outer(Walk()).spec is None

    def test_a_wrapper_that_records_its_arguments_is_in_it(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0", kwargs={"size": 1})

        spec = Scaled(env, factor=3.0).spec

        assert spec is not None
        assert spec.additional_wrappers == (WrapperSpec("Scaled", f"{__name__}:Scaled", {"factor": 3.0}),)
        assert (spec.id, spec.kwargs) == ("Walk-v0", {"size": 1})
        assert env.spec.additional_wrappers == ()

    def test_one_whose_arguments_have_no_names_is_in_it_without_them(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0")

        spec = Nameless(Scaled(env), 3.0).spec

        assert spec is not None
        kwargs = [(w.name, w.kwargs) for w in spec.additional_wrappers]
        assert kwargs == [("Scaled", {"factor": 1.0}), ("Nameless", None)]

    def test_it_is_the_same_each_time(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0")
        outer = Outer(Middle(env))

        assert outer.spec is outer.spec

    def test_one_that_the_environment_is_given_later_is_seen(self) -> None:
        env = Walk()
        env.spec = EnvSpec("Walk-v0")
        outer = Outer(Middle(env))
        assert outer.spec is not None

        env.spec = EnvSpec("Other-v0")

        assert outer.spec.id == "Other-v0"

    def test_a_wrapper_may_put_itself_into_a_field(self) -> None:
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

    def test_the_spec_of_a_wrapper(self) -> None:
        assert Scaled.wrapper_spec(factor=2) == WrapperSpec("Scaled", f"{__name__}:Scaled", {"factor": 2})


class TestKinds:
    """Tests that each base class of wrappers changes only its own kind of value."""

    def test_observations(self) -> None:
        class Negative(ObservationWrapper[Any, Any, Any]):
            def observation(self, observation: Any) -> Any:
                return -1 - observation

        env = Negative(Walk())

        assert env.reset(options={"a": 1}) == (-1, {"options": {"a": 1}})
        assert env.step(2) == (-3, 2.0, False, False, {})

    def test_actions(self) -> None:
        class Doubled(ActionWrapper[Any, Any, Any]):
            def action(self, action: Any) -> Any:
                return action * 2

        env = Doubled(Walk())

        assert env.reset() == (0, {"options": None})
        assert env.step(2) == (4, 2.0, False, False, {})

    def test_rewards(self) -> None:
        env = Scaled(Walk())

        assert env.reset() == (0, {"options": None})
        assert env.step(2) == (2, 4.0, False, False, {})

    @pytest.mark.parametrize("base", [ObservationWrapper, ActionWrapper, RewardWrapper])
    def test_what_a_subclass_must_define_is_not_implemented(self, base: Any) -> None:
        with pytest.raises(NotImplementedError):
            base(Walk()).step(0)
