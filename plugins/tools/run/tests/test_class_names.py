"""Tests of the names of classes, which programs print and store, and by which libraries recognise environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_base_classes_have_gymnasiums_names_and_are_found_by_them(outputs: Callable[[str], list[str]]) -> None:
    assert (
        outputs("""
        import pickle
        import gymnasium
        from gymnasium import vector
        for home, kinds in ((gymnasium, ""), (vector, "Vector")):
            for name in ("Env", "Wrapper", "ObservationWrapper", "ActionWrapper", "RewardWrapper"):
                cls = getattr(home, kinds + name)
                module = __import__(cls.__module__, fromlist=[name])
                assert getattr(module, cls.__qualname__) is cls is pickle.loads(pickle.dumps(cls))
                print(cls.__module__)
    """)
        == ["gymnasium.core"] * 5 + ["gymnasium.vector.vector_env"] * 5
    )


def test_every_environment_has_a_direct_base_with_gymnasiums_name(outputs: Callable[[str], list[str]]) -> None:
    assert (
        outputs("""
        import gymnasium
        made = [gymnasium.make(id) for id in ("CartPole-v1", "Taxi-v4")]
        made += [env.unwrapped for env in made]
        made += [gymnasium.make_vec("CartPole-v1", 2, vectorization_mode=mode) for mode in (None, "sync", "async")]
        for env in made:
            names = [str(base) for base in type(env).__bases__]
            print(sum(name.startswith("<class 'gymnasium.") for name in names))
            env.close()
    """)
        == ["1"] * 7
    )


@pytest.mark.usefixtures("library")
def test_operations_find_the_adapters_of_a_renamed_space_class(
    tmp_path: Path, outputs: Callable[[str], list[str]]
) -> None:
    (tmp_path / "gymnasium" / "spaces").mkdir(exist_ok=True)
    (tmp_path / "gymnasium" / "spaces" / "__init__.py").touch()
    (tmp_path / "gymnasium" / "spaces" / "space.py").write_text("class Space:\n    pass\n", encoding="utf-8")

    assert outputs("""
        import gymnasium as gym
        from gymnasium.vector.utils import batch_space, iterate

        class Words(gym.Space):
            def __init__(self):
                super().__init__()

            def contains(self, x):
                return isinstance(x, str)

            def sample(self, mask=None, probability=None):
                return "word"

        words = batch_space(Words(), 2)
        print(gym.Space.__module__, type(words).__name__, words.sample(), list(iterate(words, ("a", "b"))))
    """) == ["gymnasium.spaces.space Tuple ('word', 'word') ['a', 'b']"]


def test_classes_of_programs_keep_their_bases(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymnasium
        class Maze(gymnasium.Env): ...
        class Deeper(Maze): ...
        print(Maze.__bases__ == (gymnasium.Env,), Deeper.__bases__ == (Maze,), Maze.__module__)
    """) == ["True True __main__"]


def test_classes_have_the_names_of_the_classes_in_gymnasiums_files(
    library: Path, outputs: Callable[[str], list[str]]
) -> None:
    for name, classes in {
        "spaces/box": "Box",
        "wrappers/common": "TimeLimit",
        "vector/vector_env": "VectorEnv",
    }.items():
        path = library / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"class {classes}:\n    pass\n", encoding="utf-8")
    assert outputs("""
        import pickle, sys
        import gymnasium as gym
        env = gym.make("MountainCar-v0")
        for cls in (gym.Env, gym.spaces.Box, type(env), gym.vector.VectorEnv, gym.spaces.Discrete):
            loaded = gym.Env and sys.modules[cls.__module__]  # cloudpickle needs the module
            print(cls.__module__, getattr(loaded, cls.__name__) is cls is pickle.loads(pickle.dumps(cls)))
    """) == [
        "gymnasium.core True",
        "gymnasium.spaces.box True",
        "gymnasium.wrappers.common True",
        "gymnasium.vector.vector_env True",
        "gymkernel_space_discrete True",
    ]


@pytest.mark.usefixtures("library")
def test_a_class_whose_program_has_only_imported_gymnasium_is_pickled_by_name(
    outputs: Callable[[str], list[str]],
) -> None:
    assert outputs("""
        import cloudpickle
        import gymnasium as gym
        print(cloudpickle.loads(cloudpickle.dumps(gym.Env)) is gym.Env, len(cloudpickle.dumps(gym.Env)) < 100)
    """) == ["True True"]
