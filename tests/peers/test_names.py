"""Tests that gymkernel has every public module and name of Gymnasium, with compatible signatures."""

from __future__ import annotations

import inspect
import itertools
import pkgutil
import re
import subprocess
import sys
import tomllib
import warnings
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any
from unittest import mock

import gymnasium
import pytest

import gymkernel

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*matplotlib is not installed:UserWarning"
)  # gymnasium.utils.play warns
ROOT = Path(__file__).resolve().parents[2]
HEAVY = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["gymkernel"]["sync"]["heavy"]
"""Packages that are not part of the default installation."""
ELSEWHERE = ("envs.box2d", "envs.mujoco", "envs.phys2d", "envs.tabular", "envs.functional_jax_env")
"""Simulators and JAX environments, which the bridge provides."""
PICTURES = re.compile(r"\.[A-Z_]*(PIXEL|SIZE|COLOR|POS|TOP|GAP|OFFSET|ORIGIN)$")
"""Constants for positions in rendered images, which gymkernel does not have because its images are different."""
BESIDES = {
    "core": "SupportsFloat",
    "envs.registration": "_check_version_exists _find_spec ENV_ID_RE current_namespace namespace registry",
    "spaces": "box.Box discrete.Discrete dict.Dict tuple.Tuple utils.flatten",
    "spaces.text": "alphanumeric",
    "utils": "seeding",
    "utils.env_checker": "data_shares_objects",
    "utils.performance": "time",
    "utils.step_api_compatibility": "DoneStepType TerminatedTruncatedStepType",
    "utils.save_video": "capped_cubic_video_schedule save_video",
    "wrappers": "common.TimeLimit vector.FlattenObservation",
    "vector": "async_vector_env.AsyncState utils.misc utils.shared_memory.create_shared_memory vector_env.VectorEnv",
}
"""Other names that programs use: private names, modules, and names that need another library in Gymnasium."""


def public_names() -> dict[str, list[str]]:
    """Return the names in every Gymnasium module that can be imported here: `__all__`, definitions and constants."""
    found = {}
    walk = pkgutil.walk_packages(gymnasium.__path__, "gymnasium.", onerror=lambda _: None)
    for path in ["gymnasium", *(item.name for item in walk)]:
        place = path.partition(".")[2]
        if place.startswith(ELSEWHERE):
            continue
        try:
            with warnings.catch_warnings(action="ignore"):
                module = import_module(path)
        except (ImportError, gymnasium.error.DependencyNotInstalled):
            continue  # the module needs a library that is not installed
        defined = [n for n, value in vars(module).items() if getattr(value, "__module__", None) == path or constant(n)]
        names = {n for n in (*getattr(module, "__all__", ()), *defined) if n == "__version__" or not n.startswith("_")}
        found[place] = sorted(n for n in names if not PICTURES.search(f".{n}"))
    return found


def constant(name: str) -> bool:
    return name.isupper() and name != "TYPE_CHECKING"


BOTH = "gymkernel", "gymnasium"
MODULES = public_names()
NAMES = [(module, name) for module, names in MODULES.items() for name in names]
NAMES += [(module, name) for module, names in BESIDES.items() for name in names.split() if (module, name) not in NAMES]


def found(library: str, module: str, name: str) -> Any:
    """Look up a name in a library. Skip the test if the name needs a plugin or a package that is not installed."""
    try:
        return attrgetter(name)(import_module(f"{library}.{module}".rstrip(".")))
    except gymkernel.error.PluginError as exc:
        if str(exc).endswith(tuple(HEAVY)) or lacks_a_package(exc):
            pytest.skip(f"a heavy plugin or one of its dependencies is not installed: {exc}")
        raise
    except import_module("gymnasium").error.DependencyNotInstalled as exc:
        pytest.skip(f"gymnasium.{module} needs a package that is not installed: {exc}")


def lacks_a_package(exc: BaseException) -> bool:
    cause = exc.__cause__
    return isinstance(cause, ModuleNotFoundError) and not str(cause.name).startswith("gymkernel")


def test_inventory_is_not_empty() -> None:
    assert len(MODULES) > 60
    assert len(NAMES) > 330


@pytest.mark.parametrize("module", MODULES)
def test_module_exists(module: str) -> None:
    try:
        found("gymkernel", module, "__name__")
    except ModuleNotFoundError as exc:
        pytest.fail(str(exc))


@pytest.mark.parametrize("module, name", NAMES)
def test_name_exists_and_has_the_same_kind(module: str, name: str) -> None:
    ours, theirs = found("gymkernel", module, name), found("gymnasium", module, name)
    assert inspect.isclass(ours) == inspect.isclass(theirs)
    assert not inspect.isclass(ours) or ours.__name__ == theirs.__name__
    assert callable(ours) == callable(theirs)
    if inspect.isclass(theirs) and issubclass(theirs, Exception):
        bases = {base.__name__ for base in theirs.__mro__}
        assert bases <= {base.__name__ for base in ours.__mro__}


def parameters(function: Any) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(function).parameters.values() if p.name not in {"self", "cls"}]


ENCODER = {"save_video": "fps"}
"""The keyword that programs pass to `save_video`.

Gymnasium passes all other keywords to moviepy, which gymkernel does not use.
"""


def assert_fits(ours: Any, theirs: Any) -> None:
    """Assert that every call that Gymnasium's signature accepts is also valid here, with the same meaning."""
    mine = {p.name: p for p in parameters(ours)}
    swallows = any(p.kind is p.VAR_KEYWORD for p in mine.values())
    position = 0
    for parameter in parameters(theirs):
        if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
            further = any(p.kind is parameter.kind for p in mine.values())
            assert further or ENCODER.get(theirs.__name__) in mine, f"{parameter} is missing in {mine}"
            continue
        assert parameter.name in mine or swallows, f"{parameter} is missing in {list(mine)}"
        fitting = mine.get(parameter.name)
        if fitting is None:
            continue
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            assert list(mine).index(parameter.name) == position, f"{parameter} is not argument {position}"
            assert fitting.kind is not parameter.KEYWORD_ONLY
        assert (fitting.default is inspect.Parameter.empty) <= (parameter.default is inspect.Parameter.empty), parameter
        simple = None, bool, int, float, str, tuple
        if isinstance(parameter.default, simple[1:]) or parameter.default is None:
            assert fitting.default == parameter.default, f"{fitting}, not {parameter}"
        position += 1


CALLABLES = [(module, name) for module, name in NAMES if module not in {"error", "core"} and name != "registry"]


@pytest.mark.parametrize("module, name", CALLABLES)
def test_signature_is_compatible(module: str, name: str) -> None:
    ours, theirs = found("gymkernel", module, name), found("gymnasium", module, name)
    if not callable(theirs):
        return
    try:
        inspect.signature(theirs)
    except (TypeError, ValueError):
        return
    if inspect.isclass(theirs) and hasattr(theirs, "__members__"):
        values = [{name: member.value for name, member in item.__members__.items()} for item in (ours, theirs)]
        assert values[0] == values[1]
        return
    if name not in {"VectorEnv", "Env", "RNG", "RandomNumberGenerator", "ObsType", "ActType"}:
        assert_fits(ours, theirs)


CLASSES = [("", "Env"), ("", "Wrapper"), ("", "Space"), ("vector", "VectorEnv"), ("vector", "VectorWrapper")]
CLASSES += [("vector", "SyncVectorEnv"), ("spaces", "Box"), ("spaces", "Discrete"), ("spaces", "MultiDiscrete")]
CLASSES += [
    ("spaces", "Tuple"),
    ("wrappers", "TimeLimit"),
    ("wrappers", "OrderEnforcing"),
    ("envs.registration", "EnvSpec"),
]
CLASSES += [
    ("vector", "VectorObservationWrapper"),
    ("vector", "VectorActionWrapper"),
    ("vector", "VectorRewardWrapper"),
]


@pytest.mark.parametrize("module, name", CLASSES)
def test_public_members_exist_and_are_compatible(module: str, name: str) -> None:
    ours, theirs = found("gymkernel", module, name), found("gymnasium", module, name)
    for member, value in inspect.getmembers(theirs):
        if member.startswith("_"):
            continue
        assert hasattr(ours, member), member
        if inspect.isfunction(value):
            assert_fits(getattr(ours, member), value)


ENVIRONMENTS = [(module, name) for module, name in NAMES if module.startswith("envs.") and name.endswith("Env")]


@pytest.mark.parametrize("module, name", ENVIRONMENTS)
def test_environment_imported_by_path_behaves_the_same(module: str, name: str) -> None:
    envs = [found(library, module, name)() for library in BOTH]
    actions = envs[1].action_space
    actions.seed(3)
    assert type(envs[0]).__name__ == name
    assert plain(envs[0].reset(seed=1)[0]) == plain(envs[1].reset(seed=1)[0])
    for action in [actions.sample() for _ in range(5)]:
        (mine, *_), (their, *_) = envs[0].step(action), envs[1].step(action)
        assert plain(mine) == plain(their)
        if "Vector" not in name and _[1]:
            break


def plain(observation: Any) -> Any:
    return observation.tolist() if hasattr(observation, "tolist") else observation


def test_random_map_imported_by_path_is_the_same() -> None:
    drawn = [found(library, "envs.toy_text.frozen_lake", "generate_random_map")(6, 0.7, 5) for library in BOTH]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("package", ["envs.classic_control", "envs.toy_text"])
def test_star_import_includes_every_name(package: str) -> None:
    names: dict[str, Any] = {}
    exec(f"from gymkernel.{package} import *", names)  # noqa: S102 - the test runs the statement
    assert set(import_module(f"gymnasium.{package}").__all__) <= names.keys()


def test_private_names_used_by_other_packages_exist() -> None:
    for library in (import_module("gymkernel"), import_module("gymnasium")):
        env, envs = library.make("CartPole-v1"), library.make_vec("CartPole-v1", 2, "sync")
        env.reset(seed=1)
        assert env.unwrapped._np_random is env.np_random
        assert env.observation_space._shape == (4,)
        assert env.observation_space._np_random is None
        assert env._saved_kwargs == {"max_episode_steps": 500}
        assert env.env._disable_render_order_enforcing is False
        assert list(envs._add_info({}, {"a": 1}, 1)) == ["a", "_a"]


def test_every_public_top_level_name_is_listed() -> None:
    assert set(gymnasium.__all__) <= set(dir(gymkernel))


def test_patching_at_a_path_affects_the_code() -> None:
    import_module("gymkernel.utils.performance")  # the fake clock must not affect pytest, which also reads the time
    clock = mock.Mock(**{"time.side_effect": itertools.count()})
    with mock.patch("gymkernel.utils.performance.time", clock):
        rate = import_module("gymkernel").utils.performance.benchmark_step(gymkernel.make("CartPole-v1"), 5)
    assert 0 < rate < 10


def test_constants_are_the_same() -> None:
    for module, names in MODULES.items():
        for name in filter(constant, names):
            theirs, ours = found("gymnasium", module, name), found("gymkernel", module, name)
            if isinstance(theirs, list | tuple):
                assert list(ours) == list(theirs), (module, name)
            elif isinstance(theirs, int | float | str | dict):
                assert ours == theirs, (module, name)


HELD = """
import sys, warnings
from importlib import import_module
warnings.simplefilter("ignore")
package = import_module(sys.argv[1])
for name in sys.argv[2:]:
    try:
        print(name if hasattr(package, name) else "")
    except ImportError:  # of a heavy plugin that is not installed
        pass
"""
"""A program that prints which modules are attributes of a package without being imported explicitly."""
PACKAGES = [
    "",
    "envs",
    "envs.classic_control",
    "envs.toy_text",
    "spaces",
    "utils",
    "vector",
    "vector.utils",
    "wrappers",
]


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_submodules_are_attributes_without_an_import(package: str) -> None:
    inside = [name for place, _, name in (module.rpartition(".") for module in MODULES if module) if place == package]
    held = []
    for library in BOTH:
        command = [sys.executable, "-c", HELD, f"{library}.{package}".rstrip("."), *inside]
        held.append(set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()))
    assert held[1] - held[0] <= {name for name in inside if not find(package, name)}


def find(package: str, name: str) -> bool:
    """Return whether a module can be imported, which is true if the plugin that provides it is installed."""
    try:
        import_module(".".join(filter(None, ("gymkernel", package, name))))
    except gymkernel.error.PluginError:
        return False
    return True
