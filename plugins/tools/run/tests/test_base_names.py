"""Tests of the names of base classes, which some libraries read to recognise an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


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


def test_classes_of_programs_keep_their_bases(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymnasium
        class Maze(gymnasium.Env): ...
        class Deeper(Maze): ...
        print(Maze.__bases__ == (gymnasium.Env,), Deeper.__bases__ == (Maze,), Maze.__module__)
    """) == ["True True __main__"]
