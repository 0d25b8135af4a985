"""Tests that gymkernel's classes inherit from Gymnasium's, and that Gymnasium's functions accept our objects."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import subprocess
import sys
from functools import singledispatch
from textwrap import dedent
from typing import TYPE_CHECKING, Any, get_type_hints

import gymnasium as typed_gymnasium
import numpy as np
import pytest
from gymnasium.envs import registration as their_registration
from gymnasium.spaces import utils as their_single
from gymnasium.vector import utils as their_batched

import gymkernel as typed_gymkernel
from gymkernel import error, ops, plugins, specs
from gymkernel.spaces import Box, Dict, Discrete, Graph, Tuple
from gymkernel_bridge_gymnasium import from_gymnasium, hierarchy

if TYPE_CHECKING:
    import enum

# For a type checker, the classes of the two libraries are unrelated, so both modules get the type `Any`.
gymnasium: Any = typed_gymnasium
gymkernel: Any = typed_gymkernel
single: Any = their_single
batched: Any = their_batched

HOMES = {
    "spaces": gymnasium.spaces,
    "wrappers": gymnasium.wrappers,
    "vector": gymnasium.vector,
    "vector_wrappers": gymnasium.wrappers.vector,
}
INHERITED = {
    "Box": {"_cast_high", "_cast_low"},
    "MultiDiscrete": {"_apply_mask"},
    "Text": {"_validate_mask"},
    "Graph": {"_generate_sample_space"},  # before 1.4
    "AtariPreprocessing": {"_get_obs"},
    "DiscretizeAction": {"_unflatten_index"},
    "DiscretizeObservation": {"_flatten_indices", "_unflatten_index"},
    "HumanRendering": {"_render_frame"},
    "NormalizeReward": {"update_running_mean"},
    "RecordVideo": {"_capture_frame", "_concat_frames", "_get_concat_frame_shape"},
    "AsyncVectorEnv": {"_assert_is_running", "_check_spaces", "_poll_pipe_envs", "_raise_if_errors"},
}
"""Names that an installed class inherits only from Gymnasium, and that gymkernel does not use."""


def counterparts() -> list[Any]:
    """Return each installed class that Gymnasium also has, together with Gymnasium's class."""
    found = []
    for kind, home in HOMES.items():
        for name in plugins.names(kind):
            theirs = vars(home).get(name)
            if inspect.isclass(theirs):
                found.append(pytest.param(plugins.get(kind, name), theirs, id=f"{kind}.{name}"))
    return found


def spaces_to_try() -> list[Any]:
    """Return small spaces of every installed kind."""
    classes = [plugins.get("spaces", name) for name in plugins.names("spaces")]
    return [
        pytest.param(space, id=f"{cls.__name__}-{i}")
        for cls in classes
        if issubclass(cls, gymkernel.Space)
        for i, space in enumerate(cls.test_instances())
    ]


def in_a_process(program: str, **environment: str) -> str:
    """Run a program in a new process, and return its output."""
    command = [sys.executable, "-W", "error", "-c", dedent(program)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("ours, theirs", counterparts())
def test_class_derives_from_its_counterpart(ours: type, theirs: type) -> None:
    assert issubclass(ours, theirs)


@pytest.mark.parametrize("ours, theirs", counterparts())
def test_our_methods_win_over_inherited_ones(ours: type, theirs: type) -> None:
    def home(name: str) -> str:
        return next((cls for cls in ours.__mro__ if name in vars(cls)), object).__module__

    inherited = {name for name in dir(ours) if home(name).startswith("gymnasium")}

    # Gymnasium's vector wrappers contain a private class, and `copyreg` sets `__slotnames__` on each class whose
    # instances it copies.
    assert inherited - {"_SingleEnv", "__slotnames__"} <= INHERITED.get(ours.__name__, set())


@pytest.mark.parametrize("name", [*hierarchy.CORE, "Space"])
def test_base_class_derives_from_its_counterpart(name: str) -> None:
    ours, theirs = getattr(gymkernel, name), getattr(gymnasium, name)

    assert issubclass(ours, theirs)
    assert not any(
        next(cls for cls in ours.__mro__ if attribute in vars(cls)).__module__.startswith("gymnasium")
        for attribute in dir(ours)
    )


@pytest.mark.parametrize("name", hierarchy.VECTOR)
def test_vector_base_class_derives_from_its_counterpart(name: str) -> None:
    assert issubclass(getattr(gymkernel.vector, name), getattr(gymnasium.vector, name))


@pytest.mark.parametrize("name", [name for name, _ in inspect.getmembers(gymnasium.error, inspect.isclass)])
def test_gymnasium_error_catches_ours(name: str) -> None:
    ours = getattr(error, name, None)
    if ours is None or name == "DeprecatedWrapper":  # nothing raises this exception any more
        return

    assert issubclass(ours, getattr(gymnasium.error, name))


def test_reset_needed_is_caught_by_gymnasiums_error() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded):
        gymkernel.make("gymnasium/CartPole-v1").step(0)


class TestSpaces:
    @pytest.mark.parametrize("space", spaces_to_try())
    def test_gymnasium_functions_accept_our_spaces(self, space: Any) -> None:
        assert isinstance(space, getattr(gymnasium.spaces, type(space).__name__, gymnasium.Space))
        batch = batched.batch_space(space, 2)
        assert isinstance(batch, gymnasium.Space)
        elements = [space.sample(), space.sample()]
        together = batched.concatenate(space, elements, batched.create_empty_array(space, 2))
        assert len(list(batched.iterate(batch, together))) == 2
        assert single.flatten_space(space) == ops.flatten_space(space)
        flat = single.flatten(space, elements[0])
        assert space.contains(single.unflatten(space, flat))

    @pytest.mark.parametrize("space", spaces_to_try())
    def test_our_spaces_can_be_pickled_and_copied(self, space: Any) -> None:
        for copied in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space), copy.copy(space)):
            assert type(copied) is type(space)
            assert copied == space

    @pytest.mark.parametrize("name", ["Box", "Discrete", "Dict", "Tuple", "Graph"])
    def test_other_kinds_are_not_instances(self, name: str) -> None:
        others = [s.values[0] for s in spaces_to_try() if type(s.values[0]).__name__ != name]

        assert not any(isinstance(space, getattr(gymnasium.spaces, name)) for space in others)

    def test_gymnasium_composite_can_contain_our_spaces(self) -> None:
        mixed = gymnasium.spaces.Dict({"a": Box(0, 1, (2,)), "b": Discrete(3)}, seed=1)

        assert single.flatdim(mixed) == 5
        assert single.flatten(mixed, mixed.sample()).shape == (5,)
        assert batched.batch_space(mixed, 2)["a"].shape == (2, 2)

    def test_custom_space_with_a_layout_works_in_both(self) -> None:
        class Angle(typed_gymkernel.Space[Any]):
            def draw(self) -> Any:
                return self.np_random.uniform(-1, 1, size=1)

            def contains(self, x: Any) -> bool:
                return isinstance(x, np.ndarray) and x.shape == (1,)

            def layout(self) -> Any:
                return (gymkernel.spaces.Field.of(float, (1,)),)

        angle = Angle(seed=1)

        assert isinstance(angle, gymnasium.Space)
        assert single.flatdim(angle) == ops.flatdim(angle) == 1
        assert single.flatten(angle, np.array([0.5])) == ops.flatten(angle, np.array([0.5])) == [0.5]
        assert single.flatdim(gymnasium.spaces.Tuple([angle, Discrete(2)])) == 3
        assert len(batched.concatenate(angle, [np.array([0.5])] * 2, batched.create_empty_array(angle, 2))) == 2

    def test_graph_elements_belong_to_both(self) -> None:
        ours, theirs = (
            Graph(Box(0, 1, (2,)), None, seed=1),
            gymnasium.spaces.Graph(gymnasium.spaces.Box(0, 1, (2,)), None),
        )

        assert ours.sample() in theirs
        assert theirs.sample() in ours


class Coin(typed_gymnasium.Space[str]):
    """A third-party space that inherits from Space alone."""

    def __init__(self, sides: tuple[str, ...] = ("heads", "tails"), seed: int | None = None) -> None:
        super().__init__(None, str, seed)
        self.sides = sides

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return self.sides[int(self.np_random.integers(len(self.sides)))]

    def contains(self, x: Any) -> bool:
        return x in self.sides

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coin) and self.sides == other.sides

    __hash__ = None  # type: ignore[assignment]


class Unit(typed_gymnasium.spaces.Box):
    """A third-party subclass of Box with an additional method."""

    def middle(self) -> Any:
        return (self.low + self.high) / 2


class Choice(typed_gymnasium.spaces.Discrete):
    """A third-party subclass of Discrete."""


class Pair(typed_gymnasium.spaces.Tuple):  # type: ignore[type-arg]
    """A third-party subclass of Tuple."""


THIRD_PARTY = [Coin(), Unit(0, 1, (2,)), Choice(3, start=2), Pair([Coin(), gymnasium.spaces.Discrete(2)])]


class TestDuals:
    """Tests that a converted third-party space is an instance of both its own class and gymkernel's class."""

    @pytest.mark.parametrize("space", THIRD_PARTY, ids=lambda space: type(space).__name__)
    def test_converted_space_has_all_classes_and_the_same_stream(self, space: Any) -> None:
        space.seed(3)

        dual = from_gymnasium(space)

        assert isinstance(dual, type(space))
        assert isinstance(dual, gymkernel.Space)
        assert dual == space
        assert space == dual
        assert repr(dual.sample()) == repr(space.sample())
        assert dual.sample() in dual

    def test_subclass_of_a_known_kind_keeps_its_methods(self) -> None:
        dual: Any = from_gymnasium(Unit(0, 1, (2,)))

        assert issubclass(type(dual), Box)
        assert dual.middle().tolist() == [0.5, 0.5]
        assert ops.flatdim(dual) == 2

    def test_parts_are_converted(self) -> None:
        dual = from_gymnasium(Pair([Coin(), gymnasium.spaces.Discrete(2)]))

        assert isinstance(dual, Tuple)
        assert isinstance(dual[0], Coin)
        assert isinstance(dual[1], Discrete)

    @pytest.mark.parametrize("space", THIRD_PARTY, ids=lambda space: type(space).__name__)
    def test_converted_space_can_be_pickled_and_copied(self, space: Any) -> None:
        dual = from_gymnasium(space)

        for copied in (pickle.loads(pickle.dumps(dual)), copy.deepcopy(dual), copy.copy(dual)):
            assert type(copied) is type(dual)
            assert copied == dual


class Corridor(typed_gymnasium.Env[Any, Any]):
    """A user's environment, written for Gymnasium."""

    def __init__(self, length: int = 3) -> None:
        self.length = length
        self.observation_space = gymnasium.spaces.Dict({"place": gymnasium.spaces.Discrete(length), "coin": Coin()})
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.place = 0
        return {"place": self.place, "coin": "heads"}, {}

    def step(self, action: Any) -> Any:
        self.place = min(max(self.place + (1 if action else -1), 0), self.length - 1)
        return {"place": self.place, "coin": "tails"}, 1.0, self.place == self.length - 1, False, {}


@pytest.fixture
def corridor() -> Any:
    """Register a user's environment, and return its id."""
    gymkernel.register("Corridor-v0", Corridor, max_episode_steps=9)
    yield "Corridor-v0"
    del gymkernel.registry["Corridor-v0"]


class TestEnvironments:
    def test_gymnasium_environments_have_spaces_of_both_libraries(self) -> None:
        env = gymkernel.make("gymnasium/CartPole-v1")

        assert isinstance(env.action_space, Discrete)
        assert isinstance(env.action_space, gymnasium.spaces.Discrete)
        assert isinstance(env.observation_space, Box)
        assert env.action_space == Discrete(2)
        assert Discrete(2) == env.action_space
        assert isinstance(env.unwrapped.action_space, Discrete)

    @pytest.mark.parametrize("mode", ["sync", "async"])
    def test_gymnasium_vector_environments_have_spaces_of_both_libraries(self, mode: str, corridor: str) -> None:
        with gymkernel.make_vec(corridor, 2, mode) as envs:
            assert isinstance(envs.single_action_space, Discrete)
            assert isinstance(envs.single_observation_space["coin"], Coin)
            assert isinstance(envs.single_observation_space["coin"], gymkernel.Space)
            observations, _ = envs.reset(seed=1)
            assert observations["coin"] == ("heads", "heads")

    @pytest.mark.parametrize("backend", ["SyncVectorEnv", "AsyncVectorEnv"])
    def test_function_environments_have_spaces_of_both_libraries(self, backend: str) -> None:
        with getattr(gymkernel.vector, backend)([lambda: gymnasium.make("CartPole-v1")] * 2) as envs:
            assert isinstance(envs.single_action_space, Discrete)
            assert isinstance(envs.observation_space, Box)

    def test_user_environment_keeps_its_random_stream(self, corridor: str) -> None:
        ours, theirs = gymkernel.make(corridor), Corridor()
        for env in (ours, theirs):
            env.action_space.seed(5)

        assert isinstance(ours.observation_space, Dict)
        assert [ours.action_space.sample() for _ in range(9)] == [theirs.action_space.sample() for _ in range(9)]

    def test_read_only_spaces_are_not_replaced(self) -> None:
        class Fixed(Corridor):
            action_space = property(lambda self: gymnasium.spaces.Discrete(2), lambda self, value: None)

        gymkernel.register("Fixed-v0", Fixed)
        try:
            assert gymkernel.make("Fixed-v0").action_space == gymnasium.spaces.Discrete(2)
        finally:
            del gymkernel.registry["Fixed-v0"]

    @pytest.mark.parametrize("cls", [gymnasium.wrappers.FlattenObservation, gymnasium.wrappers.RecordEpisodeStatistics])
    def test_gymnasium_wrappers_accept_our_environments(self, cls: Any) -> None:
        env = cls(gymkernel.make("gymnasium/CartPole-v1"))

        observation, _ = env.reset(seed=1)
        assert observation in env.observation_space
        assert isinstance(env.spec, gymnasium.envs.registration.EnvSpec)

    @pytest.mark.parametrize("mode", ["sync", "async"])
    def test_make_vec_accepts_gymnasium_wrappers(self, mode: str) -> None:
        wrappers = [gymnasium.wrappers.FlattenObservation]
        with gymkernel.make_vec("gymnasium/CartPole-v1", 2, mode, wrappers=wrappers) as envs:
            assert envs.reset(seed=1)[0].shape == (2, 4)

    @pytest.mark.parametrize("backend", ["SyncVectorEnv", "AsyncVectorEnv"])
    @pytest.mark.parametrize("shared", [True, False])
    def test_gymnasium_vector_environments_accept_ours(self, backend: str, shared: bool, corridor: str) -> None:
        options = {"shared_memory": False} if backend == "AsyncVectorEnv" else {}
        made = getattr(gymnasium.vector, backend)([lambda: gymkernel.make(corridor)] * 2, **options)
        try:
            observations, _ = made.reset(seed=1)
            assert observations["place"].tolist() == [0, 0]
            made.step(made.action_space.sample())
        finally:
            made.close()

    @pytest.mark.parametrize("name", ["RecordEpisodeStatistics", "NormalizeObservation", "NormalizeReward"])
    def test_gymnasium_vector_wrappers_accept_ours(self, name: str) -> None:
        envs = getattr(gymnasium.wrappers.vector, name)(gymkernel.make_vec("gymnasium/CartPole-v1", 2, "sync"))

        envs.reset(seed=1)
        assert envs.step(np.array([0, 1]))[0].shape == (2, 4)
        envs.close()

    def test_specs_work_in_the_other_make(self) -> None:
        ours, theirs = gymkernel.spec("gymnasium/CartPole-v1"), gymnasium.spec("CartPole-v1")

        assert gymnasium.make(ours).reset(seed=1)[0].tolist() == gymkernel.make(theirs).reset(seed=1)[0].tolist()
        with gymkernel.make_vec(theirs, 2) as envs:
            assert envs.num_envs == 2

    def test_wrapper_specs_belong_to_both(self) -> None:
        assert issubclass(specs.WrapperSpec, their_registration.WrapperSpec)


class TestEnums:
    @pytest.mark.parametrize("ours, theirs", hierarchy.ENUMS, ids=["AutoresetMode", "VectorizeMode"])
    def test_enum_members_are_equal_and_accepted(self, ours: type[enum.Enum], theirs: type[enum.Enum]) -> None:
        for mine in ours:
            other = theirs(mine.value)
            assert isinstance(mine, theirs)
            assert mine == other
            assert other == mine
            assert hash(mine) == hash(other)
            assert theirs(mine) is other
            assert ours(other) is mine
            assert pickle.loads(pickle.dumps(mine)) is mine
            assert mine != mine.value
        assert list(ours) != list(reversed(theirs))

    @pytest.mark.parametrize("backend", ["SyncVectorEnv", "AsyncVectorEnv"])
    def test_mode_is_accepted_by_the_other_librarys_backend(self, backend: str) -> None:
        def make() -> Any:
            return gymkernel.make("gymnasium/CartPole-v1")

        for library, mode in (
            (gymkernel.vector, gymnasium.vector.AutoresetMode.SAME_STEP),
            (gymnasium.vector, gymkernel.vector.AutoresetMode.SAME_STEP),
        ):
            envs = getattr(library, backend)([make], autoreset_mode=mode)
            assert envs.metadata["autoreset_mode"] == mode
            envs.close()

    def test_make_vec_accepts_gymnasiums_mode(self) -> None:
        with gymkernel.make_vec("gymnasium/CartPole-v1", 2, gymnasium.VectorizeMode.SYNC) as envs:
            assert envs.num_envs == 2


class TestUsersClasses:
    def test_subclasses_behave_as_before(self) -> None:
        class Mine(typed_gymkernel.Env[int, int]):
            pass

        @singledispatch
        def kind(thing: Any) -> str:
            return "other"

        kind.register(gymkernel.Env, lambda thing: "ours")
        kind.register(gymnasium.Env, lambda thing: "theirs")

        assert issubclass(Mine, gymnasium.Env)
        assert kind(Mine()) == "ours"
        assert kind(Corridor()) == "theirs"
        assert get_type_hints(Mine.step)["return"] is not None

    def test_class_with_our_base_first_works(self) -> None:
        class Both(typed_gymkernel.Wrapper, typed_gymnasium.Wrapper):  # type: ignore[misc]
            pass

        assert Both(gymkernel.make("gymnasium/CartPole-v1")).reset(seed=1)[0].shape == (4,)

    def test_class_with_gymnasiums_base_first_raises(self) -> None:
        with pytest.raises(TypeError, match="consistent method resolution"):
            type("Both", (gymnasium.Wrapper, gymkernel.Wrapper), {})


IMPORTS = [
    "import gymnasium, gymkernel",
    "import gymkernel, gymnasium",
    "import gymkernel.spaces, gymkernel.wrappers; gymkernel.spaces.Box; gymkernel.Env; import gymnasium",
    "import gymkernel; mine = gymkernel.make('CartPole-v1') if False else None; import gymnasium",
    "import gymkernel as k; k.make_vec; k.vector.SyncVectorEnv; k.wrappers.TimeLimit; k.spaces.Dict; import gymnasium",
]


class TestImports:
    @pytest.mark.parametrize("imports", IMPORTS)
    def test_import_order_does_not_matter(self, imports: str) -> None:
        program = f"""
            {imports}
            import gymnasium, gymkernel
            print(
                issubclass(gymkernel.spaces.Dict, gymnasium.spaces.Dict),
                issubclass(gymkernel.Env, gymnasium.Env),
                issubclass(gymkernel.wrappers.TimeLimit, gymnasium.wrappers.TimeLimit),
                issubclass(gymkernel.vector.SyncVectorEnv, gymnasium.vector.SyncVectorEnv),
                issubclass(gymkernel.error.ResetNeeded, gymnasium.error.ResetNeeded),
                gymkernel.vector.AutoresetMode.DISABLED == gymnasium.vector.AutoresetMode.DISABLED,
                isinstance(gymkernel.spaces.GraphInstance(1, 2, 3), gymnasium.spaces.GraphInstance),
            )
        """

        assert in_a_process(program) == " ".join(["True"] * 7)

    def test_subclass_defined_before_the_import_behaves_the_same(self) -> None:
        program = """
            import gymkernel
            class Before(gymkernel.Env): pass
            class BoxBefore(gymkernel.spaces.Box): pass
            import gymnasium
            class After(gymkernel.Env): pass
            print(issubclass(Before, gymnasium.Env), issubclass(After, gymnasium.Env))
            print(isinstance(BoxBefore(0, 1), gymnasium.spaces.Box))
        """

        assert in_a_process(program).split() == ["True"] * 3

    def test_environment_variable_disables_the_bases(self) -> None:
        program = """
            import gymkernel, gymnasium
            print(issubclass(gymkernel.Env, gymnasium.Env), "gymkernel/CartPole-v1" in gymnasium.registry)
            env = gymkernel.make("gymnasium/CartPole-v1")
            print(type(env.action_space).__module__.partition(".")[0])
        """

        printed = in_a_process(program, GYMKERNEL_GYMNASIUM_BASES="0").split()
        assert printed[0] == "False"
        assert printed[2] == "gymnasium"

    def test_importing_gymnasium_loads_none_of_our_spaces(self) -> None:
        program = """
            import gymkernel, gymnasium, sys
            print([name for name in sys.modules if name.startswith("gymkernel_space_")])
        """

        assert in_a_process(program) == "[]"

    def test_class_with_the_wrong_order_leaves_a_clean_state(self) -> None:
        program = """
            import os, warnings
            os.environ["GYMKERNEL_GYMNASIUM_BASES"] = "0"
            import gymkernel, gymnasium
            class Both(gymnasium.Env, gymkernel.Env): pass
            before = gymkernel.Env.__bases__, gymkernel.Space.__bases__, gymkernel.error.ResetNeeded.__bases__
            from gymkernel_bridge_gymnasium import hierarchy
            with warnings.catch_warnings(record=True, action="always") as seen:
                hierarchy.join()
            after = gymkernel.Env.__bases__, gymkernel.Space.__bases__, gymkernel.error.ResetNeeded.__bases__
            print(before == after, hierarchy.is_joined(), "Both: write gymkernel's class" in str(seen[0].message))
        """

        assert in_a_process(program) == "True False True"

    @pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
    def test_workers_agree(self, method: str) -> None:
        program = f"""
            import gymkernel, gymnasium
            class Probe(gymkernel.Wrapper):
                def reset(self, **options):
                    observation, info = self.env.reset(**options)
                    return observation, {{"both": isinstance(self, gymnasium.Wrapper)}}
            if __name__ == "__main__":
                make = lambda: Probe(gymkernel.make("gymnasium/CartPole-v1"))
                with gymkernel.vector.AsyncVectorEnv([make] * 2, context={method!r}) as envs:
                    print(envs.reset(seed=1)[1]["both"].tolist())
        """

        assert in_a_process(program) == "[True, True]"
