"""Test how the environment to measure is found, and the code that creates its vector environment."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import gymkernel
from gymkernel import plugins
from gymkernel_tool_bench import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SOURCE = """
import gymkernel
from gymkernel.specs import EnvSpec

class Maze(gymkernel.Env):
    def __init__(self, size=3):
        self.size = size

def small():
    return Maze(1)

SPEC = EnvSpec("lab/Maze-v3", Maze, order_enforce=False, disable_env_checker=True)
NUMBER = 3
"""


class Sync:
    def __init__(self, env_fns: list[Callable[[], Any]]) -> None:
        self.envs = [make() for make in env_fns]


class Farm(Sync):
    def __init__(self, env_fns: list[Callable[[], Any]], *, num_workers: int = 1) -> None:
        super().__init__(env_fns)
        self.num_workers = num_workers


@pytest.fixture(autouse=True)
def backends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a backend without workers, a backend with workers, and a backend that cannot be imported."""
    there = {"FarmVectorEnv": Farm, "RottenVectorEnv": None, "SyncVectorEnv": Sync}
    other_names, other = (
        plugins.names,
        plugins.get,
    )  # other installed packages, such as bridges, still get their own plugins

    def get(kind: str, name: str) -> Any:
        if kind != "vector":
            return other(kind, name)
        if there[name] is None:
            raise gymkernel.error.BrokenPlugin("vector.RottenVectorEnv of rotten cannot be loaded")
        return there[name]

    monkeypatch.setattr(plugins, "names", lambda kind: sorted(there) if kind == "vector" else other_names(kind))
    monkeypatch.setattr(plugins, "get", get)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "labyrinth.py"
    path.write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    yield path
    sys.modules.pop("labyrinth", None)


def test_class_in_a_file(file: Path) -> None:
    assert type(resolve(f"{file}:Maze").make()).__name__ == "Maze"


def test_class_in_a_module_of_the_working_directory(file: Path) -> None:
    assert resolve("labyrinth:Maze", {"size": 7}).make().size == 7


def test_function_as_target(file: Path) -> None:
    assert resolve("labyrinth:small").make().size == 1


def test_spec_as_target(file: Path) -> None:
    target = resolve("labyrinth:SPEC")
    assert target.make().unwrapped.size == 3
    assert target.code("sync", 4, {}).endswith('envs = gym.make_vec(SPEC, num_envs=4, vectorization_mode="sync")')


def test_backends_are_the_installed_ones_with_their_options(file: Path) -> None:
    backends = {backend.name: backend for backend in resolve("labyrinth:Maze").backends}
    assert list(backends) == ["rotten", "sync", "farm"]
    assert backends["farm"].takes_workers
    assert not backends["sync"].takes_workers
    assert "cannot be loaded" in backends["rotten"].problem


def test_backend_creates_the_requested_number(file: Path) -> None:
    backends = {backend.name: backend for backend in resolve("labyrinth:Maze", {"size": 2}).backends}
    envs = backends["farm"].make(4, {"num_workers": 2})
    assert [env.size for env in envs.envs] == [2, 2, 2, 2]
    assert envs.num_workers == 2


def test_code_of_a_class_recreates_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = resolve(f"{file}:Maze", {"size": 5}).code("farm", 8, {"num_workers": 2})
    assert code == (
        "from gymkernel.vector import FarmVectorEnv\nfrom labyrinth import Maze\n\n"
        "envs = FarmVectorEnv([lambda: Maze(size=5)] * 8, num_workers=2)"
    )
    namespace: dict[str, Any] = {"FarmVectorEnv": Farm}
    exec(code.partition("\n")[2], namespace)  # noqa: S102 - the test runs the generated code
    assert [env.size for env in namespace["envs"].envs] == [5] * 8


class Registered:
    """An environment that does not inherit from `Env`."""

    spec = None

    @property
    def unwrapped(self) -> Any:
        return self

    def reset(self, **_: Any) -> None: ...

    def step(self, action: Any) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def registered() -> Iterator[None]:
    bare = {"order_enforce": False, "disable_env_checker": True}
    gymkernel.register("lab/Hall-v0", Registered, vector_entry_point=Registered, **bare)  # type: ignore[arg-type]
    gymkernel.register("lab/Yard-v0", Registered, **bare)  # type: ignore[arg-type]
    yield
    del gymkernel.registry["lab/Hall-v0"], gymkernel.registry["lab/Yard-v0"]


@pytest.mark.usefixtures("registered")
def test_vectorised_form_of_an_id_is_first() -> None:
    assert next(backend.name for backend in resolve("lab/Hall-v0").backends) == "vector_entry_point"
    assert "vector_entry_point" not in [backend.name for backend in resolve("lab/Yard-v0").backends]


@pytest.mark.usefixtures("registered")
def test_code_of_an_id_calls_make_vec() -> None:
    code = resolve("lab/Hall-v0", {"size": 5, "name": "west"}).code("async", 64, {"num_workers": 2})
    assert code == (
        'import gymkernel as gym\n\nenvs = gym.make_vec("lab/Hall-v0", num_envs=64, vectorization_mode="async", '
        'vector_kwargs={"num_workers": 2}, size=5, name="west")'
    )


@pytest.mark.parametrize(
    "target, message",
    [
        ("missing.py:Maze", "there is no file"),
        ("labyrinth.py:Maz", "labyrinth.py has no Maz; did you mean Maze?"),
        ("labyrinth:NUMBER", "to be an environment class or a function, got 3"),
        ("nowhere_at_all:Maze", "there is no module nowhere_at_all"),
        ("NoSuchThing-v0", "Environment `NoSuchThing` doesn.t exist"),
    ],
)
def test_target_that_is_not_an_environment_raises(file: Path, target: str, message: str) -> None:
    with pytest.raises(gymkernel.error.Error, match=message):
        resolve(target)


def test_file_named_like_an_imported_module_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "json.py").write_text(SOURCE, encoding="utf-8")
    with pytest.raises(gymkernel.error.Error, match="rename the file"):
        resolve(f"{tmp_path / 'json.py'}:Maze")
