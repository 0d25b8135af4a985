"""Test that `import gymnasium` imports gymkernel's modules, or Gymnasium's if gymkernel has no such module."""

from __future__ import annotations

import importlib.util
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from gymkernel import plugins
from gymkernel_tool_run import alias

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

without_gymnasium = pytest.mark.skipif(
    importlib.util.find_spec("gymnasium") is not None, reason="this test needs an interpreter without Gymnasium"
)

TOGETHER: dict[str, tuple[str, list[str]]] = {
    "modules are those of gymkernel": (
        """
        import sys, gymkernel, gymkernel.vector.utils
        import gymnasium as gym
        import gymnasium.envs.registration, gymnasium.vector.utils
        from gymnasium.core import Env, Wrapper
        print(gym.Env is Env is gymkernel.Env, gym.vector.utils is gymkernel.vector.utils)
        print(gymnasium.envs.registration is gymkernel.envs.registration, gym.make is gymkernel.make)
        print(gym.registry is gymkernel.registry, gym.__name__, gymkernel.__version__ == gym.__version__)
        print(gymnasium.envs.registration.__spec__.name, gymnasium.envs.registration.__name__)
        print(sys.modules["gymnasium.core"].__package__, gymnasium.spaces.__path__ == gymkernel.spaces.__path__)
        """,
        [
            "True True",
            "True True",
            "True gymnasium False",
            "gymkernel.envs.registration gymkernel.envs.registration",
            "gymkernel True",
        ],
    ),
    "the greeting of pygame is hidden, as by Gymnasium": (
        """
        import os, gymnasium
        print(os.environ["PYGAME_HIDE_SUPPORT_PROMPT"])
        """,
        ["hide"],
    ),
    "the last registered function of an operation is called": (
        """
        from gymnasium.spaces import Discrete
        from gymnasium.vector.utils import iterate

        @iterate.register(Discrete)
        def iterate_discrete(space, items):
            return [*items, int(space.n)]

        print(iterate(Discrete(4), [1, 2]))
        try:
            iterate.register(4, iterate_discrete)
        except TypeError as exc:
            print("Expected a class" in str(exc))
        """,
        ["[1, 2, 4]", "True"],
    ),
    "modules of plugins can be reloaded": (
        """
        import importlib, gymkernel
        import gymnasium.spaces.box
        importlib.reload(gymnasium.spaces.box)
        importlib.reload(gymnasium.spaces)
        importlib.reload(gymkernel)
        print(gymnasium.spaces.box is gymkernel.spaces.box, gymnasium.spaces.box.Box(0, 1, (2,)).shape)
        """,
        ["True (2,)"],
    ),
    "a patched name is patched for all": (
        """
        import gymkernel, gymnasium
        from unittest import mock
        before = gymnasium.make
        with mock.patch("gymnasium.make", return_value=3):
            print(gymnasium.make(), gymkernel.make())
        print(gymnasium.make is gymkernel.make is before)
        gymnasium.make = lambda: 4
        print(gymkernel.make(), "make" in vars(gymnasium), "make" in dir(gymnasium))
        """,
        ["3 3", "True", "4 True True"],
    ),
}
"""Programs that run one after the other in the same process, and the lines that each of them prints."""


def test_programs_print_the_expected_lines(outputs: Callable[[str], list[str]]) -> None:
    runs = [
        f"print('=' + {name!r})\nexec({textwrap.dedent(text)!r}, {{'__name__': '__main__'}})\n"
        for name, (text, _) in TOGETHER.items()
    ]

    parts = "\n".join(outputs("".join(runs))).removeprefix("=").split("\n=")

    found = {name: lines for name, *lines in (part.split("\n") for part in parts)}
    assert found == {name: lines for name, (_, lines) in TOGETHER.items()}


def test_modules_can_be_deleted_and_reloaded(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import sys, importlib, gymkernel
        import gymnasium, gymnasium.core, gymnasium.envs.registration
        importlib.reload(gymnasium)
        importlib.reload(gymnasium.envs.registration)
        for name in [name for name in sys.modules if name.partition(".")[0] == "gymnasium"]:
            del sys.modules[name]
        import gymnasium, gymnasium.core
        print(gymnasium.Env is gymkernel.Env is gymnasium.core.Env)
    """) == ["True"]


def test_threads_may_import_it_first(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import threading
        seen = []
        def work():
            import gymnasium.vector.utils
            from gymnasium.core import Env
            seen.append(Env.__module__)
        threads = [threading.Thread(target=work) for _ in range(8)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
        print(sorted(set(seen)), len(seen))
    """) == ["['gymnasium.core'] 8"]


@without_gymnasium
def test_without_gymnasium_versions_exist_and_errors_contain_the_command(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymnasium
        from importlib import metadata
        print(gymnasium.__version__ == metadata.version("gymnasium"), gymnasium.__version__.split(".")[0])
        for name in ("gymnasium.envs.mujoco", "gymnasium.no_such_module"):
            try:
                __import__(name)
            except ImportError as exc:
                print("pip install" in str(exc))
        print(hasattr(gymnasium, "no_such_name"), hasattr(gymnasium.core, "_no_such_name"))
        try:
            gymnasium.no_such_name
        except AttributeError as exc:
            print("pip install gymnasium" in str(exc))
    """) == ["True 1", "True", "True", "False False", "True"]


@pytest.mark.parametrize(
    "values, is_own",
    [([], True), (["gymnasium.envs.mujoco"], False), (["gymnasium.envs.mujoco", "gymkernel_env_mujoco"], True)],
)
def test_module_of_a_plugin_takes_precedence_over_that_of_the_bridge(
    values: list[str], is_own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [SimpleNamespace(value=value) for value in values]
    monkeypatch.setattr(plugins, "providers", lambda kind, path: found)

    assert alias._is_own("envs.mujoco") is is_own


@pytest.mark.usefixtures("library")
def test_names_that_only_gymnasium_has_find_files_beside_their_module(
    library: Path, outputs: Callable[[str], list[str]]
) -> None:
    with Path(library, "core.py").open("a", encoding="utf-8") as core:
        core.write("\n\ndef place():\n    return __file__\n")

    assert outputs("import gymnasium.core\nprint(gymnasium.core.place())") == [str(library / "core.py")]


@pytest.mark.usefixtures("library")
def test_other_modules_are_executed_from_gymnasiums_files(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymkernel, gymnasium, pickle
        import gymnasium.envs.walker.two_legs as module
        print(issubclass(module.Walker, gymkernel.Env), module.__name__, module.gym is gymnasium)
        print(pickle.loads(pickle.dumps(module.Walker)) is module.Walker, gymnasium.envs.walker.Walker is module.Walker)
        print(gymnasium.__version__, gymnasium.__file__.endswith("__init__.py"), gymnasium.LATER)
    """) == ["True gymnasium.envs.walker.two_legs True", "True True", "1.9.7 True 5"]


@pytest.mark.usefixtures("library")
def test_files_beside_gymnasiums_file_are_found(library: Path, outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import importlib, importlib.resources, importlib.util, pkgutil, gymnasium
        spec = importlib.util.find_spec("gymnasium")
        print(spec.origin, spec.submodule_search_locations == gymnasium.__path__, gymnasium.__spec__ is spec)
        importlib.reload(gymnasium)
        print(gymnasium.__file__, gymnasium.__version__, gymnasium.__path__)
        print(b"class Walker" in pkgutil.get_data("gymnasium", "envs/walker/two_legs.py"))
        print(importlib.resources.files("gymnasium").joinpath("envs", "walker").is_dir())
    """) == [
        f"{library / '__init__.py'} True True",
        f"{library / '__init__.py'} 1.9.7 {[str(library)]}",
        "True",
        "True",
    ]


@pytest.mark.usefixtures("library")
def test_names_that_only_gymnasium_has_use_gymkernels_classes(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        import gymkernel, numpy
        from gymnasium.core import _Private, copy_of, np, registration, TYPE_CHECKING
        import gymnasium.core
        print(issubclass(_Private, gymkernel.Env), _Private().double(), _Private.__module__, np is numpy)
        print(gymnasium.core._Private is _Private, gymnasium.core.Env is gymkernel.Env, copy_of.__name__, TYPE_CHECKING)
        print(registration is gymkernel.envs.registration, hasattr(gymnasium.core, "_no_such_name"))
    """) == ["True 4 gymnasium.core True", "True True deepcopy False", "True False"]


@pytest.mark.parametrize(
    "first",
    [
        "gymnasium",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("gymnasium.envs.toy_text", "gymkernel.spaces.box")),
    ],
)
def test_modules_that_are_reached_by_attributes_have_these_names(
    first: str, library: Path, outputs: Callable[[str], list[str]]
) -> None:
    paths = ["core", "spaces.box", "vector.utils", "envs.classic_control.cartpole", "envs.toy_text.taxi"]
    for path in paths:
        file = library.joinpath(*path.split(".")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name("__init__.py").touch()
        file.write_text("import math as mathematics\n", encoding="utf-8")

    assert outputs(f"""
        import {first}, gymnasium
        print({", ".join(f"gymnasium.{path}.mathematics.pi > 3" for path in paths)})
    """) == ["True True True True True"]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    "before",
    [
        "",
        *(pytest.param(line, marks=pytest.mark.slow) for line in ("import gymnasium.vector", "import gymkernel.core")),
    ],
)
def test_names_that_only_gymnasium_has_are_found_without_an_import_of_their_module(
    before: str, outputs: Callable[[str], list[str]]
) -> None:
    assert outputs(f"""
        {before}
        import gymnasium
        print(gymnasium.core._Private.__name__, gymnasium.vector.async_vector_env.helper(), gymnasium.vector.LIMIT)
    """) == ["_Private 3 7"]


@pytest.mark.usefixtures("library")
def test_an_operation_that_only_gymnasium_has_knows_all_its_classes(outputs: Callable[[str], list[str]]) -> None:
    assert outputs("""
        from gymnasium.core import convert
        print(convert((1, 2.5, (3,))), len(convert.registry))
    """) == ["[2, 5.0, [6]] 4"]


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("name", [pytest.param("gymkernel", marks=pytest.mark.slow), "gymnasium"])
def test_the_ids_of_gymnasium_are_registered(name: str, outputs: Callable[[str], list[str]]) -> None:
    assert outputs(f"""
        import {name} as gym
        print([name for name in gym.registry if name.startswith("Walker")], gym.spec("Walker-v2").max_episode_steps)
        env = gym.make("Walker-v2")
        print(env.reset(seed=1)[0] in env.observation_space, type(env.unwrapped).__module__)
        try:
            gym.make("Walker-v1")
        except ImportError as exc:
            print(exc)
    """) == ["['Walker-v1', 'Walker-v2'] 3", "True gymnasium.envs.walker.two_legs", "it has moved"]


def test_the_package_that_registers_an_id_is_imported(tmp_path: Path, outputs: Callable[[str], list[str]]) -> None:
    registration = 'import gymnasium\ngymnasium.register("FlappyBird-v0", "gymnasium:Env", max_episode_steps=7)\n'
    (tmp_path / "flappy_bird_gymnasium.py").write_text(registration, encoding="utf-8")

    assert outputs("""
        import sys
        import gymnasium as gym
        print("flappy_bird_gymnasium" in sys.modules)
        print(gym.spec("FlappyBird-v0").max_episode_steps)
        try:
            gym.spec("MiniWorld-Hallway-v0")
        except gym.error.Error as exc:
            print(exc)
    """) == ["False", "7", 'MiniWorld-Hallway-v0 is not installed; run: pip install "gymkernel[miniworld]"']


def test_it_is_an_error_if_gymnasium_is_already_imported(
    library: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (library / "__init__.py").write_text("", encoding="utf-8")

    result = python("-c", "import gymnasium, gymkernel.utils; gymkernel.utils.as_gymnasium()")

    assert result.returncode == 1
    assert "call gymkernel.utils.as_gymnasium() on the first line" in result.stderr


def test_further_calls_do_nothing(python: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    program = """
from gymkernel.utils import as_gymnasium
as_gymnasium()
import gymnasium, sys
finders = list(sys.meta_path)
as_gymnasium()
print(gymnasium.make.__module__, finders == sys.meta_path)
"""
    assert python("-c", program).stdout == "gymkernel.making True\n"


def test_nothing_changes_for_other_programs(
    library: Path, python: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (library / "__init__.py").write_text("", encoding="utf-8")

    result = python("-c", "import gymkernel, gymnasium; print(gymnasium.__file__)")

    assert result.stdout.strip() == str(library / "__init__.py")


def test_star_imports_give_the_names_that_gymnasium_exports(library: Path, outputs: Callable[[str], list[str]]) -> None:
    texts = {"__init__.py": '__all__ = ["make", "spaces"]', "vector/__init__.py": '__all__ = [\n    "VectorEnv",\n]'}
    for name, text in texts.items():
        (library / name).write_text(f'__version__ = "1.9.7"\n{text}\n', encoding="utf-8")
    assert outputs("""
        from gymnasium import *
        from gymnasium.vector import *
        print(sorted(name for name in globals() if not name.startswith("__")), make.__module__)
    """) == ["['VectorEnv', 'make', 'spaces'] gymkernel.making"]
