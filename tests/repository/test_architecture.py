"""Tests of the rules that this repository's packages must follow. The tests read the source code."""

from __future__ import annotations

import ast
import graphlib
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, packages_distributions
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tests.repository.statements import statements

import sync
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from gymkernel.envs.registration import EnvSpec

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "kernel" / "src" / "gymkernel"
LAYER = {"kernel": 0, "spaces": 1, "utils": 2, "wrappers": 3, "vector": 3, "envs": 4, "bridges": 5, "tools": 6}
WHEEL_BUDGET = 137_000
"""The maximum size of the kernel's wheel in bytes. Most of the wheel consists of docstrings."""
KERNEL_BUDGET = 2800
"""The maximum number of lines of code in the kernel, including its command line (see decision 16)."""


@dataclass(frozen=True)
class Distribution:
    """A distribution of this repository, as described by its pyproject.toml."""

    folder: Path
    name: str
    layer: str
    needs: frozenset[str]
    may_need: frozenset[str]
    envs: tuple[EntryPoint, ...]

    @property
    def package(self) -> str:
        return self.name.replace("-", "_")

    @property
    def modules(self) -> list[Path]:
        return sorted((self.folder / "src").rglob("*.py"))


def read(folder: Path) -> Distribution:
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [need for needs in project.get("optional-dependencies", {}).values() for need in needs]
    return Distribution(
        folder,
        project["name"],
        folder.name if folder.name == "kernel" else folder.parent.name,
        names(project.get("dependencies", [])),
        names(optional) if folder.name != "kernel" else frozenset(own for own in names(optional) if own not in FIRST),
        tuple(
            EntryPoint(env_id, value, "gymkernel.envs")
            for env_id, value in project.get("entry-points", {}).get("gymkernel.envs", {}).items()
        ),
    )


def names(requirements: list[str]) -> frozenset[str]:
    return frozenset(canonicalize_name(Requirement(requirement).name) for requirement in requirements)


FIRST = {distribution for known in KNOWN.values() for distribution in known.values()}
DISTRIBUTIONS = [read(path.parent) for path in sorted(ROOT.glob("*/pyproject.toml"))]
DISTRIBUTIONS += [read(path.parent) for path in sorted(ROOT.glob("plugins/*/*/pyproject.toml"))]
FACADES = {
    f"gymkernel.{path}.{name}": distribution
    for kind, path in sync.FACADES.items()
    for name, distribution in KNOWN[kind].items()
}
FACADES |= {f"gymkernel.{name}": distribution for kind in sync.PLACES for name, distribution in KNOWN[kind].items()}
BACKENDS = {name.removesuffix("VectorEnv").lower(): distribution for name, distribution in KNOWN["vector"].items()}
"""The distribution of each backend, by the backend's name in `make_vec`."""
PROVIDERS = packages_distributions()
UNINSTALLED = {"cv2": "opencv-python-headless"}
"""The distributions of imported packages that are not installed here and whose distributions have other names."""
PACKAGES = {distribution.package for distribution in DISTRIBUTIONS} - {"gymkernel"}
BY_NAME = {distribution.name: distribution for distribution in DISTRIBUTIONS}
each = pytest.mark.parametrize("distribution", [pytest.param(item, id=item.name) for item in DISTRIBUTIONS])


def imports(module: Path) -> frozenset[str]:
    """Return the dotted names of the modules that a module imports at run time, without imports for type checkers."""
    return _imports(module)[0]


def all_imports(module: Path) -> frozenset[str]:
    """Return the dotted names of the modules that a module imports, including imports for type checkers."""
    return _imports(module)[0] | _imports(module)[1]


@cache
def _imports(module: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a module imports at run time, and those that it imports for type checkers."""
    everything = list(statements(ast.parse(module.read_text(encoding="utf-8")).body))
    blocks = [one for one in everything if isinstance(one, ast.If) and ast.unparse(one.test).endswith("TYPE_CHECKING")]
    typed = {inner for block in blocks for inner in statements(block.body)}
    at_run_time = (node for node in everything if node not in typed)
    return frozenset(chain.from_iterable(map(_names, at_run_time))), frozenset(chain.from_iterable(map(_names, typed)))


def _names(node: ast.AST) -> list[str]:
    """Return the dotted names that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


@cache
def provider(package: str) -> str:
    """Return the name of the distribution that provides a package, or the package's name if it is not installed."""
    installed = PROVIDERS.get(package, [package])[0]
    return UNINSTALLED.get(package) or canonicalize_name(installed)


def imported(distribution: Distribution) -> set[str]:
    """Return the distributions that the source code imports, including plugins that are imported through facades.

    Imports for type checkers count only for first-party distributions, because a type checker needs these.
    """
    found = {name for module in distribution.modules for name in imports(module)}
    typed = {name.partition(".")[0] for module in distribution.modules for name in all_imports(module)} & PACKAGES
    packages = {name.partition(".")[0] for name in found} - sys.stdlib_module_names | typed
    paths = {name.rsplit(".", above)[0] for name in found for above in range(name.count(".") + 1)}
    behind = {FACADES[path] for path in paths & FACADES.keys()}
    return ({provider(package) for package in packages} | behind) - {distribution.name}


def asked_by_id(distribution: Distribution) -> set[str]:
    """Return the distributions that provide the environments whose ids the source code uses."""
    calls = [
        node
        for module in distribution.modules
        if "spec(" in (text := module.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "spec"
    ]
    ids = {str(argument.value) for call in calls for argument in call.args if isinstance(argument, ast.Constant)}
    return {KNOWN["envs"][env_id] for env_id in ids & KNOWN["envs"].keys()} - {distribution.name}


def asked_by_backend(distribution: Distribution) -> set[str]:
    """Return the distributions that provide the backends whose short names the source code uses."""
    if LAYER[distribution.layer] <= LAYER["vector"]:
        return set()
    texts = [module.read_text(encoding="utf-8") for module in distribution.modules]
    modules = [ast.parse(text) for text in texts if "make_vec" in text]
    return named_in_calls(modules, {"make_vec"}, BACKENDS) - {distribution.name}


def shown_by_a_bridge(distribution: Distribution) -> set[str]:
    """Return the distributions that the examples in a bridge's README need, because these are what users run first."""
    if distribution.layer != "bridges":
        return set()
    text = (distribution.folder / "README.md").read_text(encoding="utf-8")
    blocks = [ast.parse(block) for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]
    imports = [node for block in blocks for node in ast.walk(block) if isinstance(node, ast.ImportFrom)]
    homes = {distribution.package, *(path for path, owner in FACADES.items() if owner == distribution.name)}
    public = {alias.name for item in imports if item.module in homes for alias in item.names}
    return named_in_calls(blocks, public, KNOWN["envs"] | BACKENDS)


def named_in_calls(trees: list[ast.Module], functions: set[str], names: dict[str, str]) -> set[str]:
    """Return the distributions whose names are passed as arguments to the given functions."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    calls = [item for item in nodes if isinstance(item, ast.Call) and getattr(item.func, "id", "") in functions]
    arguments = [part for call in calls for keyword in (*call.args, *call.keywords) for part in ast.walk(keyword)]
    return {
        names[argument.value]
        for argument in arguments
        if isinstance(argument, ast.Constant) and argument.value in names
    }


def asked_of_make(distribution: Distribution) -> set[str]:
    """Return the distributions of the wrappers that `make` adds to the environments of a distribution."""
    asked = set()
    for entry in distribution.envs:
        spec = loaded(distribution, entry)
        wrappers = {
            "TimeLimit": spec.max_episode_steps is not None,
            "OrderEnforcing": spec.order_enforce,
            "PassiveEnvChecker": not spec.disable_env_checker,
        }
        asked |= {KNOWN["wrappers"][name] for name, wanted in wrappers.items() if wanted}
        asked |= {provider(str(wrapper.entry_point).partition(".")[0]) for wrapper in spec.additional_wrappers}
    return asked


def loaded(distribution: Distribution, entry: EntryPoint) -> EnvSpec:
    """Return the spec of an entry point.

    The spec of a heavy distribution is loaded from its source, and its modules are removed afterwards. Otherwise other
    tests would find the modules and conclude that the distribution is installed.
    """
    package = entry.module.partition(".")[0]
    installed = PathFinder.find_spec(package) is not None
    sys.path.append(str(distribution.folder / "src"))
    try:
        spec: EnvSpec = entry.load()
    finally:
        sys.path.pop()
        if not installed:
            for name in [name for name in sys.modules if name.partition(".")[0] == package]:
                del sys.modules[name]
    return spec


def test_loading_a_spec_does_not_install_its_package() -> None:
    for distribution in DISTRIBUTIONS:
        for entry in distribution.envs:
            package = entry.module.partition(".")[0]
            loaded(distribution, entry)
            assert package not in sys.modules or PathFinder.find_spec(package)


@each
def test_distribution_declares_exactly_its_requirements(distribution: Distribution) -> None:
    used = imported(distribution) | asked_of_make(distribution) | asked_by_id(distribution)
    used |= asked_by_backend(distribution) | shown_by_a_bridge(distribution)
    if distribution.layer != "kernel":
        used.add("gymkernel")  # the kernel is needed to find the plugin, even if the plugin imports nothing from it
    assert sorted(used - distribution.may_need) == sorted(distribution.needs)


def test_distributions_depend_only_on_lower_layers() -> None:
    wrong = [
        f"{distribution.name} ({distribution.layer}) needs {other.name} ({other.layer})"
        for distribution in DISTRIBUTIONS
        for other in (BY_NAME[name] for name in distribution.needs & BY_NAME.keys())
        if not (
            LAYER[other.layer] < LAYER[distribution.layer]
            or distribution.layer == other.layer in {"spaces", "envs", "bridges", "utils"}
            or (distribution.layer == "spaces" and other.layer == "utils" and is_below_spaces(other))
        )
    ]
    assert not wrong


def is_below_spaces(distribution: Distribution) -> bool:
    """Return whether a helper distribution depends only on the kernel, so that spaces may depend on it."""
    return not distribution.needs & (BY_NAME.keys() - {"gymkernel"})


def test_distributions_have_no_dependency_cycle() -> None:
    graphlib.TopologicalSorter({distribution.name: distribution.needs for distribution in DISTRIBUTIONS}).prepare()


def test_modules_have_no_import_cycle() -> None:
    for distribution in DISTRIBUTIONS:
        graphlib.TopologicalSorter(import_graph(distribution)).prepare()


def import_graph(distribution: Distribution) -> dict[str, set[str]]:
    """Return the imports between the modules of a distribution, without imports for type checkers."""
    source = distribution.folder / "src"
    modules = {
        ".".join(module.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): module
        for module in distribution.modules
    }
    graph: dict[str, set[str]] = {name: set() for name in modules}
    for name, module in modules.items():
        for imported_name in imports(module):
            paths = (imported_name.rsplit(".", above)[0] for above in range(imported_name.count(".") + 1))
            graph[name] |= {next((path for path in paths if path in modules), name)} - {name}
    return graph


def test_one_module_each_reads_metadata() -> None:
    readers = {
        module
        for distribution in DISTRIBUTIONS
        for module in distribution.modules
        for name in imports(module)
        if f"{name}.".startswith(("importlib_metadata.", "importlib.metadata."))
    }
    assert sorted(f"{module.parent.name}/{module.name}" for module in readers) == [
        "gymkernel/_metadata.py",
        "gymkernel_tool_check/installed.py",
        "gymkernel_tool_run/installed.py",
    ]
    assert [module.name for module in readers if module.is_relative_to(KERNEL)] == ["_metadata.py"]


def test_kernel_stays_within_its_line_budget() -> None:
    lines = {
        str(module.relative_to(KERNEL)): code_lines(module.read_text(encoding="utf-8"))
        for module in sorted(KERNEL.rglob("*.py"))
    }
    total = sum(lines.values())
    print(f"the kernel has {total} of at most {KERNEL_BUDGET} lines of code")
    assert total <= KERNEL_BUDGET, (
        f"the kernel has {total} lines of code, but only {KERNEL_BUDGET} are allowed: {lines}"
    )


def code_lines(text: str) -> int:
    """Return the number of lines of code, not counting comments, docstrings and stamped parts."""
    tree = ast.parse(text)
    if "stamped by tools/sync.py" in (ast.get_docstring(tree) or ""):
        return 0
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = {row for token in tokens if token.type not in silent for row in range(token.start[0], token.end[0] + 1)}
    return len(found - left_out)


@pytest.mark.slow
def test_kernel_wheel_stays_within_its_size_budget(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "uv",
        "build",
        "--quiet",
        "--wheel",
        "--out-dir",
        str(tmp_path),
        str(ROOT / "kernel"),
    ]
    subprocess.run(build, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < WHEEL_BUDGET


def test_code_lines_exclude_comments_and_docstrings() -> None:
    text = '''"""A module."""

# a comment
import os  # and one behind code

LIMIT = 3
"""What the name means."""


def where(
    name: str,
) -> str:
    """Say where."""
    return os.path.join(name, """a text
of two lines""")
'''
    assert code_lines(text) == 7
    assert code_lines('"""Names; stamped by tools/sync.py."""\nKNOWN = 1\n') == 0


def upward(text: str) -> list[str]:
    """Return the plugin modules and names that a kernel module mentions, even in imports for type checkers."""
    found = set(re.findall(r"\bgymkernel_\w+", text)) & PACKAGES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names if is_above(alias.name))
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name for name in names if is_above(name))
    return sorted(found)


def is_above(name: str) -> bool:
    """Return whether an imported name belongs to a plugin, directly or through a documented path or a facade."""
    paths = {name.rsplit(".", above)[0] for above in range(name.count(".") + 1)}
    return name.startswith("gymkernel_") or any(FACADES.get(path, "gymkernel") != "gymkernel" for path in paths)


def test_kernel_names_no_plugin_module() -> None:
    found = {str(path.relative_to(KERNEL)): upward(path.read_text(encoding="utf-8")) for path in KERNEL.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "text, found",
    [
        ("from gymkernel_space_box import Box", ["gymkernel_space_box", "gymkernel_space_box.Box"]),
        ("import gymkernel_acme.inside as inside", ["gymkernel_acme.inside"]),
        ("if TYPE_CHECKING:\n    from gymkernel_acme import Acme", ["gymkernel_acme.Acme"]),
        ("def f():\n    import numpy, gymkernel_acme", ["gymkernel_acme"]),
        ("from gymkernel.spaces import Space, Box", ["gymkernel.spaces.Box"]),
        ("import gymkernel.spaces.box", ["gymkernel.spaces.box"]),
        ("from gymkernel.wrappers.common import TimeLimit", ["gymkernel.wrappers.common.TimeLimit"]),
        ('load("gymkernel_space_box")', ["gymkernel_space_box"]),
        ('"""As `gymkernel_space_box` does."""', ["gymkernel_space_box"]),
        ('call_hook("gymkernel_env_created", "gymkernel-space-box")', []),
        ("from gymkernel.vector.vector_env import VectorEnv", []),
        ("from gymkernel.spaces import Space, utils", []),
    ],
)
def test_names_of_plugin_modules_are_found(text: str, found: list[str]) -> None:
    assert upward(text) == found
