"""A script that generates ("stamps") the parts of this workspace's files that must agree with each other.

    python tools/sync.py            write every stamped part
    python tools/sync.py --check    write nothing, list the stale parts, and exit with 1 if there are any
    python tools/sync.py --upgrade  also pin the newest third-party versions in requirements-dev.txt

People write a plugin's name, description, dependencies and entry points. The root pyproject.toml defines the version,
the licence, the Python versions, the build backend and the version bounds between distributions. The capabilities of
plugins go into the stubs of the facades, the table of known capabilities, the kernel's extras, the meta distribution
and the README. Measured figures go into the README and into the guides on performance and on rollouts.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import rollout_figures
from figures import FigureError, performance_tables, ranges_table, readme_table
from toml_edit import Toml, parse
from wrapper_stubs import StubError, packages, source, stubs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PACKAGE: Final = "kernel/src/gymkernel"
KINDS: Final = {
    "spaces": "space",
    "utils": "util",
    "wrappers": "wrapper",
    "vector": "vector",
    "envs": "env",
    "bridges": "bridge",
    "tools": "tool",
}
FACADES: Final = {"spaces": "spaces", "wrappers": "wrappers", "vector_wrappers": "wrappers.vector", "vector": "vector"}
"""Maps each kind of plugin to the path below `gymkernel` that provides its names."""
WRITTEN_STUBS: Final = {"kernel/src/gymkernel/making.pyi"}
"""Hand-written stubs. Their signatures for type checkers differ from those in the modules."""
PLACES: Final = "utils", "modules"
"""The kinds of plugins whose names are themselves paths below `gymkernel`."""
CAPABILITIES: Final = (*FACADES, "utils", "modules", "envs", "commands")
BRIDGE: Final = "gymkernel-bridge-gymnasium"
"""The package that creates the environments of other packages, unless the settings of an extra name another bridge."""
THIRD_PARTY: Final = '''"""Environment ids of other packages, used only for unknown ids; stamped by tools/sync.py."""

from __future__ import annotations

from typing import Final

__all__ = ["BRIDGES", "ENVS", "MODULES", "REGISTERING"]

_IDS: Final[dict[str, str]] = {}

ENVS: Final = {{env_id: extra for extra, ids in _IDS.items() for env_id in ids.split()}}
"""What to pass to `pip install`, keyed by environment id or by a pattern for ids."""

MODULES: Final[dict[str, str]] = {}
"""The top-level module that each extra installs. With the bridge to Gymnasium, importing it registers environments."""

BRIDGES: Final[dict[str, str]] = dict.fromkeys(_IDS, "{}") | {}
"""The distribution that each extra installs to create the environments of the other package."""

REGISTERING: Final[dict[str, str]] = {}
"""The module that registers a package's environments, if importing the package itself does not register them."""
'''
STUB: Final = "# stamped by tools/sync.py\n\n{text}\n"
"""The contents of a stub. There are almost a hundred stubs in the kernel's wheel, so the first line is short."""
WIDTH: Final = 116
"""The maximum length of a line inside a block that is indented by one level."""
# The keys that every distribution copies from the root, each with the key after which it is inserted.
SHARED: Final = {
    "version": "name",
    "readme": "description",
    "requires-python": "readme",
    "license": "requires-python",
    "license-files": "license",
    "authors": "license-files",
    "keywords": "authors",
    "classifiers": "keywords",
    "urls": "classifiers",
}
RULES: Final = "plugins/tools/check/src/gymkernel_tool_check/rules/table.csv"
ROLLOUT_GUIDE: Final = "docs/guides/rollout-performance.md"


class SyncError(Exception):
    """Raised if there is a problem that a person must fix. The message explains how to fix it."""


@dataclass(frozen=True)
class Member:
    """A distribution in the workspace, except for the root: its folder, and its pyproject.toml as text and parsed."""

    folder: str
    kind: str | None  # None for the kernel
    text: str
    project: dict[str, Any]

    @functools.cached_property
    def name(self) -> str:
        """The name of the distribution."""
        return str(self.project.get("name", ""))

    @property
    def package(self) -> str:
        """The name of the import package."""
        return self.name.replace("-", "_")

    def entries(self, kind: str) -> dict[str, str]:
        """Return the entry points of one kind, as a mapping from names to `module:attribute` strings."""
        found: dict[str, str] = self.project.get("entry-points", {}).get(f"gymkernel.{kind}", {})
        return found


@dataclass(frozen=True)
class Workspace:
    """The checkout: the root pyproject.toml, as text and parsed, and all member distributions."""

    root: Path
    text: str
    data: dict[str, Any]
    members: list[Member]

    @functools.cached_property
    def light(self) -> list[Member]:
        """The members that `gymkernel-all` installs, starting with the kernel."""
        heavy = self.heavy
        return [member for member in self.members if member.name not in heavy]

    @functools.cached_property
    def heavy(self) -> set[str]:
        """The names of the distributions that `gymkernel-all` does not install."""
        return set(self.data["tool"]["gymkernel"]["sync"]["heavy"])

    @property
    def heavy_extras(self) -> set[str]:
        """The extras of light distributions that `gymkernel[full]` does not install, in the form `name[extra]`."""
        return set(self.data["tool"]["gymkernel"]["sync"].get("heavy-extras", []))

    @functools.cached_property
    def full(self) -> list[Member]:
        """The members that the kernel's extra `full` installs, which are all light members and some heavy ones."""
        wanted = set(self.data["tool"]["gymkernel"]["sync"]["full"])
        return [member for member in self.members[1:] if member in self.light or member.name in wanted]

    @property
    def third_party(self) -> dict[str, dict[str, Any]]:
        """The kernel's extras that install environments of other packages, mapped to their settings."""
        found: dict[str, dict[str, Any]] = self.data["tool"]["gymkernel"].get("third-party", {})
        return found

    @functools.cached_property
    def bounds(self) -> str:
        """The range of versions that the distributions in this workspace require of each other."""
        major, minor, *_ = self.data["project"]["version"].split(".")
        return f">={major}.{minor},<{int(major) + 1}"

    def read(self, path: str) -> str:
        """Return the text of a file that has stamped parts."""
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise SyncError(f"{path} does not exist, but contains stamped parts; create it") from None


@dataclass(frozen=True, slots=True)
class Face:
    """A facade of the kernel, as read from its file. Type checkers read only the stub next to the file."""

    file: str  # relative to the root
    imports: dict[str, str]  # maps the names that the file re-exports to `module:attribute`
    unnamed: list[str]  # imports that are only used in annotations
    functions: dict[str, str]  # the signature of each function
    inside: list[str]  # the package's modules that have their own files

    @property
    def names(self) -> list[str]:
        """The public names that the file itself defines or re-exports."""
        return [*self.imports, *self.functions]


def load(root: Path) -> Workspace:
    """Read the root, the kernel and every plugin.

    Raises:
        SyncError: if a folder is not a plugin, or if a setting names an unknown distribution or extra.
    """
    folders: list[tuple[str, str | None]] = [("kernel", None)]
    strays = [
        f"plugins/{kind} is not a kind ({', '.join(KINDS)}); move its plugins or remove the folder"
        for kind in _folders(root / "plugins")
        if kind not in KINDS
    ]
    for kind in KINDS:
        for name in _folders(root / "plugins" / kind):
            path = f"plugins/{kind}/{name}"
            if (root / path / "pyproject.toml").is_file():
                folders.append((path, kind))
            else:
                strays.append(f"{path} has no pyproject.toml, so uv refuses to work; write one or run: rm -r {path}")
    if strays:
        raise SyncError("\n".join(strays))
    members = [_member(root, path, kind) for path, kind in folders]
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    workspace = Workspace(root, text, parse(text), members)
    settings = workspace.data["tool"]["gymkernel"]["sync"]
    if unknown := workspace.heavy - {member.name for member in members}:
        named = ", ".join(sorted(unknown))
        raise SyncError(f"tool.gymkernel.sync.heavy lists {named}, which does not exist; remove it from the list")
    known = {
        f"{member.name}[{extra}]" for member in members for extra in member.project.get("optional-dependencies", {})
    }
    if unknown := workspace.heavy_extras - known:
        named = ", ".join(sorted(unknown))
        raise SyncError(
            f"tool.gymkernel.sync.heavy-extras lists {named}, which does not exist; remove it from the list"
        )
    if unknown := set(settings["full"]) - workspace.heavy:
        raise SyncError(
            f"tool.gymkernel.sync.full lists {', '.join(sorted(unknown))}, which is not heavy; remove it from the list"
        )
    return workspace


def _member(root: Path, folder: str, kind: str | None) -> Member:
    text = (root / folder / "pyproject.toml").read_text(encoding="utf-8")
    member = Member(folder, kind, text, parse(text).get("project", {}))
    _validate(member)
    return member


def _folders(path: Path) -> list[str]:
    children = path.iterdir() if path.is_dir() else ()
    return sorted(child.name for child in children if child.is_dir() and not child.name.startswith((".", "__")))


def _validate(member: Member) -> None:
    """Check the hand-written parts of pyproject.toml that stamping depends on."""
    path = f"{member.folder}/pyproject.toml"
    name = "gymkernel" if member.kind is None else f"gymkernel-{KINDS[member.kind]}-{Path(member.folder).name}"
    if member.name != name:
        raise SyncError(f"{path} has the name {member.name!r}; expected the name {name!r} for this folder")
    if not member.project.get("description"):
        raise SyncError(f"{path} has no description; write one line, which the README's table also shows")
    needed = [Requirement(dependency).name.replace("-", "_") for dependency in member.project.get("dependencies", [])]
    for group, entries in member.project.get("entry-points", {}).items():
        # A module path may also refer to a module in another package that the plugin depends on.
        packages = [member.package, *(needed if group == "gymkernel.modules" else [])]
        for entry, value in entries.items():
            if value.partition(":")[0].partition(".")[0] not in packages:
                raise SyncError(f"{path}: {entry!r} of {group} is {value!r}, which is outside {member.package}")


def stamp(workspace: Workspace, *, upgrade: bool = False, offline: bool = False) -> dict[str, str | None]:
    """Return what each stamped file should contain, keyed by its path, or None for files to remove."""
    wanted: dict[str, str | None] = {
        f"{member.folder}/pyproject.toml": _project(workspace, member) for member in workspace.members
    }
    wanted["pyproject.toml"] = _root(workspace)
    version = f'__version__ = "{workspace.data["project"]["version"]}"'
    start = f"{PACKAGE}/__init__.py"
    wanted[start] = re.sub(r"^__version__ = .*$", version, workspace.read(start), flags=re.MULTILINE)
    wanted[f"{PACKAGE}/_known.py"] = _known_module(_known(workspace))
    wanted[f"{PACKAGE}/third_party.py"] = _third_party_module(workspace)
    wanted |= _paths(workspace)
    readme = _between(workspace.read("README.md"), "README.md", "figures", _figures(workspace, readme_table))
    readme = _between(readme, "README.md", "plugins", _table(workspace))
    wanted["README.md"] = re.sub(r"\d+(?= rules with codes)", str(_count_rules(workspace)), readme)
    guide = "docs/guides/performance.md"
    performance = _between(workspace.read(guide), guide, "figures", _figures(workspace, performance_tables))
    wanted[guide] = _between(performance, guide, "ranges", _figures(workspace, ranges_table))
    wanted[ROLLOUT_GUIDE] = _rollout_guide(workspace)
    wanted |= {f"{member.folder}/LICENSE": workspace.read("LICENSE") for member in workspace.members}
    wanted["requirements-dev.txt"] = _requirements(workspace, upgrade=upgrade, offline=offline)
    return wanted


def _count_rules(workspace: Workspace) -> int:
    """Return the number of rules in the table, not counting its header."""
    return len(workspace.read(RULES).splitlines()) - 1


def _paths(workspace: Workspace) -> dict[str, str | None]:
    """Return the stubs for the paths that plugins provide, and None for each stub that is no longer needed.

    If a path has a Python file, it is a facade. Its stub contains both the names from this file and those from plugins.
    """
    modules, names = _offered(workspace)
    faces, folders = _faces(workspace), packages(workspace.root)
    wanted: dict[str, str | None] = {}
    resolved: dict[str, str] = {}
    # A wrapper in both packages, such as VectorListInfo, is declared only for `wrappers.vector`, as are its bases.
    for path in (FACADES["vector_wrappers"], FACADES["wrappers"]):
        declared = {
            name: value
            for name, value in names[path].items()
            if value.endswith(f":{name}") and value not in resolved and source(folders, value.partition(":")[0])
        }
        resolved |= {value: f"gymkernel.{path}._installed:{name}" for name, value in declared.items()}
        try:
            written = stubs(workspace.root, path, declared)
        except StubError as exc:
            raise SyncError(str(exc)) from None
        wanted |= {f"{PACKAGE}/{path.replace('.', '/')}/{file}": text for file, text in written.items()}
    names = {path: {name: resolved.get(value, value) for name, value in own.items()} for path, own in names.items()}
    for path in sorted({*names, *faces}):
        own = names.get(path, {})
        below = [child.rpartition(".")[2] for child in sorted(names) if child.rpartition(".")[0] == path]
        if path not in faces and (file := _written(workspace, path)):
            seen = "is no facade" if (workspace.root / file).is_file() else "does not exist"
            raise SyncError(
                f"{file} {seen}, so {', '.join(own or below)} would not be found there; add these lines to it:\n"
                '__getattr__, __dir__ = facade(__name__, "utils", globals())'
            )
        if path in faces:
            wanted[f"{faces[path].file}i"] = _face_stub(path, faces[path], own, below)
        else:
            lines = _imports((name, f"gymkernel.{path}:{name}") for name in below)
            if path in modules:
                lines += [f"from {modules[path]} import *"]
                own = {value.rpartition(":")[2]: value for value in resolved if value.startswith(f"{modules[path]}:")}
                own = {name: resolved[value] for name, value in own.items()}
            lines += _imports(own.items())
            is_package = any(other.startswith(f"{path}.") for other in names)
            file = f"{PACKAGE}/{path.replace('.', '/')}{'/__init__' if is_package else ''}.pyi"
            wanted[file] = STUB.format(text="\n".join(lines))
    found = [file.relative_to(workspace.root).as_posix() for file in (workspace.root / PACKAGE).rglob("*.pyi")]
    return wanted | dict.fromkeys(sorted(set(found) - wanted.keys() - WRITTEN_STUBS))


def _faces(workspace: Workspace) -> dict[str, Face]:
    """Return the facades, keyed by their paths below `gymkernel`."""
    package = workspace.root / PACKAGE
    found = {}
    for file in sorted(package.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if any(map(_makes_a_facade, tree.body)):
            path = ".".join(file.relative_to(package).with_suffix("").parts).removesuffix(".__init__")
            found[path] = _face(file, file.relative_to(workspace.root).as_posix(), tree.body)
    return found


def _makes_a_facade(node: ast.stmt) -> bool:
    """Return whether a statement is `__getattr__, __dir__ = facade(...)`."""
    value = node.value if isinstance(node, ast.Assign) else None
    return isinstance(value, ast.Call) and ast.unparse(value.func) == "facade"


def _face(path: Path, file: str, body: list[ast.stmt]) -> Face:
    """Read a facade.

    Raises:
        SyncError: if the file contains a statement that a stub cannot express.
    """
    face = Face(file, {}, [], {}, [])
    for node in body:
        if isinstance(node, ast.ImportFrom):
            face.imports.update({name.asname or name.name: f"{node.module}:{name.name}" for name in node.names})
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            face.unnamed.extend(ast.unparse(child) for child in node.body)
        elif isinstance(node, ast.FunctionDef):
            node.body = [ast.Expr(ast.Constant(...))]
            face.functions[node.name] = ast.unparse(node)
        elif not isinstance(node, ast.Expr) and not _makes_a_facade(node):
            raise SyncError(
                f"{file}, line {node.lineno}: a facade may only import names, define functions and call facade(), "
                "because its stub can show nothing else; move other code into a module, and import it from there"
            )
    for name in ("annotations", "TYPE_CHECKING", "facade"):
        face.imports.pop(name, None)
    if path.stem == "__init__":
        modules = {module.stem for module in path.parent.glob("*.py")}
        modules |= {module.parent.name for module in path.parent.glob("*/*.py")}
        face.inside.extend(sorted(module for module in modules if not module.startswith("_")))
    return face


def _face_stub(path: str, face: Face, own: dict[str, str], below: list[str]) -> str:
    """Return the stub of a facade, with the names from its file and from plugins, and its submodules."""
    if taken := sorted({*face.names, *face.inside} & own.keys()):
        raise SyncError(f"{face.file} defines {taken[0]} and therefore hides {own[taken[0]]}; rename one of the two")
    inside = {name: f"gymkernel.{path}:{name}" for name in (*below, *face.inside) if name not in face.names}
    # To resolve circular imports, mypy reads the code outside TYPE_CHECKING blocks first, even in a stub.
    provided = [indent(line, "    ") for line in _imports((inside | own).items())]
    listed = [f'    "{name}",' for name in sorted({*face.names, *own}) if not name.startswith("_")]
    parts = [
        "\n".join(["from typing import TYPE_CHECKING", *face.unnamed, *_imports(face.imports.items())]),
        "\n".join(["if TYPE_CHECKING:", *(provided or ["    pass"])]),
        "\n".join(["__all__ = [", *listed, "]"]),
        *face.functions.values(),
    ]
    return STUB.format(text="\n\n".join(parts))


def _offered(workspace: Workspace) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the module of each module path, and the names that every path, including each parent path, provides."""
    modules: dict[str, str] = {}
    names: dict[str, dict[str, str]] = {path: {} for path in FACADES.values()}
    for member in workspace.members:
        own = {path: module for path, module in member.entries("modules").items() if _is_own(member, module)}
        modules = member.entries("modules") | modules | own
        for kind, path in FACADES.items():
            names[path] |= member.entries(kind)
        for entry, value in member.entries("utils").items():
            path, _, name = entry.rpartition(".")
            names.setdefault(path, {})[name] = value
    for path in sorted(modules):
        if path in names:
            raise SyncError(f"{path} is the module {modules[path]}, so {', '.join(names[path])} cannot be added to it")
        if file := _written(workspace, path):
            raise SyncError(
                f"{path} is the module {modules[path]}, but {file} has the same path; remove one of the two"
            )
        names[path] = {}
    above = {path.rsplit(".", depth)[0] for path in names for depth in range(1, path.count(".") + 1)}
    return modules, {path: names.get(path, {}) for path in sorted(above | names.keys())}


def _written(workspace: Workspace, path: str) -> str:
    """Return the hand-written file for a path, relative to the root, or an empty string if there is none."""
    files = [f"{PACKAGE}/{path.replace('.', '/')}{end}" for end in ("/__init__.py", ".py")]
    found = [file for file in files if (workspace.root / file).is_file()]
    return files[0] if path in FACADES.values() else "".join(found[:1])


def _project(workspace: Workspace, member: Member) -> str:
    """Return a member's pyproject.toml with the values that the root defines.

    The kernel's extras list the light plugins of each kind, and the requirements for environments of other packages.
    """
    root = workspace.data
    toml = Toml(member.text)
    for key, after in SHARED.items():
        toml.set("project", key, root["project"][key], after)
    if member.kind is None:
        own = member.project.get("optional-dependencies", {})
        stamped = {*KINDS, "all", "full", *workspace.third_party}
        extras = {name: needs for name, needs in own.items() if name not in stamped}
        for plugin in workspace.light[1:]:
            extras.setdefault(str(plugin.kind), []).append(plugin.name + workspace.bounds)
        extras["all"] = [plugin.name + workspace.bounds for plugin in workspace.light[1:]]
        extras["full"] = [_with_extras(plugin, workspace.heavy_extras) + workspace.bounds for plugin in workspace.full]
        for extra, family in workspace.third_party.items():
            creator = family.get("plugin") or family.get("bridge", BRIDGE)
            extras[extra] = [creator + workspace.bounds, *family["requires"]]
        toml.fill("project.optional-dependencies", extras)
    else:
        first_party = "|".join(re.escape(other.name) for other in workspace.members)
        bound = re.compile(rf'(?<!name = )"((?:{first_party})(?:\[[^"]*\])?)\s*(?:[<>=!~][^"]*)?"')
        toml = Toml(bound.sub(rf'"\1{workspace.bounds}"', toml.text))
    toml.fill("build-system", root["build-system"])
    return toml.text


def _with_extras(member: Member, heavy: set[str]) -> str:
    """Return a distribution's name with all of its light extras, such as `gymkernel-tool-rollout[plot,video]`."""
    own = member.project.get("optional-dependencies", {})
    extras = ",".join(sorted(extra for extra in own if f"{member.name}[{extra}]" not in heavy))
    return f"{member.name}[{extras}]" if extras else member.name


def _root(workspace: Workspace) -> str:
    """Return the root pyproject.toml with stamped dependencies, sources, mypy paths and folders that pytest skips."""
    toml = Toml(workspace.text)
    toml.set("project", "dependencies", [member.name + workspace.bounds for member in workspace.light])
    toml.fill("tool.uv.sources", {member.name: {"workspace": True} for member in workspace.members})
    skipped = [
        folder for folder in workspace.data["tool"]["pytest"]["norecursedirs"] if not folder.startswith("plugins/")
    ]
    skipped += [member.folder for member in workspace.members if member not in workspace.light]
    toml.set("tool.pytest", "norecursedirs", skipped)
    sources = ["tools", "plugins/tools/check/tests", *(f"{member.folder}/src" for member in workspace.members)]
    toml.set("tool.mypy", "mypy_path", [f"$MYPY_CONFIG_FILE_DIR/{source}" for source in sources])
    return toml.text


def _is_own(member: Member, module: str) -> bool:
    """Return whether a module belongs to a plugin, and not to another package whose module the plugin re-exports."""
    return module.partition(".")[0] == member.package


def _known(workspace: Workspace) -> dict[str, dict[str, str]]:
    """Return the distribution that provides each capability, by kind and name. Each name has only one provider.

    Modules from another package are mapped to the extra that also installs this package. Environments that another
    package provides under the same id are left out: without the plugin, such an id refers to the other package.
    If a plugin and a bridge provide the same module, the plugin's own module takes precedence, as in the registry.
    """
    known: dict[str, dict[str, str]] = {kind: {} for kind in CAPABILITIES}
    for member in workspace.members:
        for kind, names in known.items():
            for name, value in member.entries(kind).items():
                if name in names and kind == "modules" and not _is_own(member, value):
                    continue
                if name in names:
                    raise SyncError(f"{kind}.{name} is provided by {names[name]} and {member.name}; rename one of them")
                names[name] = member.name
    for extra, family in workspace.third_party.items():
        for env_id in family["envs"].split():
            known["envs"].pop(env_id, None)
        for path in family.get("paths", ()):
            if path not in known["modules"]:
                raise SyncError(
                    f"tool.gymkernel.third-party.{extra} has {path}, which no plugin provides; remove it from the list"
                )
            known["modules"][path] = f'"gymkernel[{extra}]"'
    return {kind: dict(sorted(names.items())) for kind, names in known.items()}


def _known_module(known: dict[str, dict[str, str]]) -> str:
    lines = [
        '"""The distribution of each first-party plugin; stamped by tools/sync.py."""\n',
        "from __future__ import annotations\n",
        "from typing import Final\n",
        '__all__ = ["KNOWN"]\n',
    ]
    both = {name: distribution for name, distribution in known["wrappers"].items() if _is_in_both(name, known)}
    lines += [
        f"_BOTH: Final[dict[str, str]] = {_mapping(both)}",
        '"""The wrappers that are both for single environments and for vector environments."""\n',
        "KNOWN: Final[dict[str, dict[str, str]]] = {",
    ]
    for kind, names in known.items():
        shared = ["        **_BOTH,"] if both and kind in {"wrappers", "vector_wrappers"} else []
        own = {name: distribution for name, distribution in names.items() if not (shared and name in both)}
        entries = [*shared, *(f"    {line}" for line in _mapping(own).splitlines()[1:-1])]
        lines += [f'    "{kind}": {{', *entries, "    },"] if entries else [f'    "{kind}": {{}},']
    return "\n".join([*lines, "}"]) + "\n"


def _is_in_both(name: str, known: dict[str, dict[str, str]]) -> bool:
    """Return whether one distribution provides wrappers of this name for single and for vector environments."""
    return known["wrappers"][name] == known["vector_wrappers"].get(name)


def _third_party_module(workspace: Workspace) -> str:
    """Return the source of the module with the tables of third-party environments. Each id belongs to one extra."""
    envs: dict[str, str] = {}
    families = {f'"gymkernel[{extra}]"': family for extra, family in workspace.third_party.items()}
    for requirement, family in families.items():
        for env_id in family["envs"].split():
            if env_id in envs:
                raise SyncError(
                    f"{env_id} is listed for both {envs[env_id]} and {requirement}; remove it from one of them"
                )
            envs[env_id] = requirement
    modules = {requirement: family["module"] for requirement, family in families.items()}
    bridges = {requirement: family["bridge"] for requirement, family in families.items() if "bridge" in family}
    registering = {family["module"]: family["registering"] for family in families.values() if "registering" in family}
    ids = [f'    {key!r}: """\n{_paragraph(family["envs"])}\n    """,' for key, family in families.items()]
    tables = _mapping(modules), BRIDGE, _mapping(bridges), _mapping(registering)
    return THIRD_PARTY.format("\n".join(["{", *ids, "}"]), *tables)


def _paragraph(words: str) -> str:
    return indent(fill(words, WIDTH - 4, break_long_words=False, break_on_hyphens=False).strip(), " " * 8)


def _mapping(table: dict[str, str]) -> str:
    """Return the source code of a dict, formatted in ruff's style."""
    quoted = [[repr(word) if '"' in word else f'"{word}"' for word in row] for row in table.items()]
    return "\n".join(["{", *(f"    {key}: {value}," for key, value in quoted), "}"])


def _imports(entries: Iterable[tuple[str, str]]) -> list[str]:
    """Return import lines in ruff's order: by module, with constants before classes and classes before functions."""
    return [_import(name, value) for name, value in sorted(entries, key=_order)]


def _order(entry: tuple[str, str]) -> tuple[str, int, str, str]:
    module, _, attribute = entry[1].partition(":")
    kind = 0 if attribute.isupper() else 1 if attribute[:1].isupper() else 2
    return module, kind, attribute.lower(), entry[0]


def _import(name: str, value: str) -> str:
    module, _, attribute = value.partition(":")
    line = f"from {module} import {attribute} as {name}"
    return line if len(line) <= WIDTH else f"from {module} import (\n    {attribute} as {name},\n)"


def _between(text: str, path: str, name: str, lines: list[str]) -> str:
    """Replace the lines between the start and end markers with the given name."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    block = re.compile(rf"^{re.escape(start)}$.*?^{re.escape(end)}$", re.DOTALL | re.MULTILINE)
    found = block.search(text)
    if found is None:
        raise SyncError(f"{path} has no lines {start!r} and {end!r}; add both lines around the stamped part")
    return text[: found.start()] + "\n".join([start, *lines, end]) + text[found.end() :]


def _figures(workspace: Workspace, table: Callable[[str], list[str]]) -> list[str]:
    """Return a table of benchmark results."""
    try:
        return table(workspace.read("docs/benchmarks.json"))
    except FigureError as exc:
        raise SyncError(str(exc)) from exc


def _rollout_guide(workspace: Workspace) -> str:
    """Return the rollout guide with its tables of measured figures."""
    text = workspace.read(ROLLOUT_GUIDE)
    rollouts, growth = (json.loads(workspace.read(f"docs/{name}.json")) for name in ("rollouts", "growth"))
    try:
        blocks = rollout_figures.blocks(rollouts, growth)
    except KeyError as exc:
        message = f"docs/rollouts.json or docs/growth.json has no {exc}; to measure again, run: tox run -e bench-ray"
        raise SyncError(message) from exc
    for name, lines in blocks.items():
        text = _between(text, ROLLOUT_GUIDE, name, lines)
    return text


def _table(workspace: Workspace) -> list[str]:
    summary = f"<summary>All {len(workspace.members) - 1} plugins, and what each provides</summary>"
    rows = ["<details>", summary, "", "| plugin | provides | what it is | comes with |", "| --- | --- | --- | --- |"]
    for member in workspace.members:
        offered = [name for kind in CAPABILITIES if kind not in PLACES for name in member.entries(kind)]
        offered += [] if member.kind == "utils" else _places(member, offered)
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(offered))  # both versions of a wrapper share a name
        if member.kind == "utils":
            named = [f"in `{place}`: {', '.join(f'`{name}`' for name in own)}" for place, own in _by_place(member)]
            names = "; ".join([*named, *(f"`{path}`" for path in member.entries("modules"))]) or f"`{member.package}`"
        if member.kind == "tools":
            names = ", ".join(f"`gymkernel {name}`" for name in member.entries("commands"))
        if member.kind:
            comes = "all, full" if member in workspace.light else "full" if member in workspace.full else "its name"
            rows.append(f"| [{member.name}]({member.folder}) | {names} | {member.project['description']} | {comes} |")
    return [*rows, "", "</details>"]


def _by_place(member: Member) -> list[tuple[str, list[str]]]:
    """Return the modules that contain a member's helpers, with the names of the helpers."""
    found: dict[str, list[str]] = {}
    for entry in member.entries("utils"):
        place, _, name = entry.rpartition(".")
        found.setdefault(place, []).append(name)
    return list(found.items())


def _places(member: Member, offered: list[str]) -> list[str]:
    """Return the paths of a member's helpers.

    The result contains no path inside another path in the result, and no path whose helpers are all in `offered`.
    """
    parts = [name.rpartition(".") for name in member.entries("utils")]
    places = {place for place, _, name in parts if name not in offered}
    places |= {path for path in member.entries("modules") if path.partition(".")[0] not in FACADES.values()}
    return sorted(place for place in places if not any(place.startswith(f"{other}.") for other in places))


def _requirements(workspace: Workspace, *, upgrade: bool, offline: bool) -> str:
    """Return the text of requirements-dev.txt: editable installs of the members, and pins for all other packages.

    New versions are resolved only if the existing pins do not satisfy the requirements or `upgrade` is set.
    """
    path = workspace.root / "requirements-dev.txt"
    old = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    pins = [line for line in old if re.match(r"[\w.-]+==", line)]
    needed = sorted(_third_party(workspace))
    missing = [requirement for requirement in needed if not _pinned(Requirement(requirement), pins)]
    if offline and missing:
        raise SyncError(
            f"requirements-dev.txt has no pin that satisfies {', '.join(missing)}; run: python tools/sync.py"
        )
    if missing or upgrade:
        pins = _compile(needed, [] if upgrade else pins, workspace.data["project"]["requires-python"])
    heading = (
        "# Made by tools/sync.py: what the tests need, for pip alone, in an environment that is activated:\n"
        "# pip install uv_build && pip install --no-build-isolation -r requirements-dev.txt\n"
        "# Without that option, pip installs uv_build again for every line below, which takes minutes."
    )
    editable = [f"-e ./{member.folder}" for member in workspace.light]
    return "\n".join([heading, *editable, "-e .", *pins]) + "\n"


def _third_party(workspace: Workspace) -> set[str]:
    """Return the third-party requirements of the light members and the dependency group `test`."""
    asked = [*workspace.data["dependency-groups"]["test"]]
    for member in workspace.light:
        asked += member.project.get("dependencies", [])
    return {requirement for requirement in asked if not requirement.startswith("gymkernel")}


def _pinned(requirement: Requirement, pins: Iterable[str]) -> bool:
    name = canonicalize_name(requirement.name)
    found = [pin.specifier for pin in map(Requirement, pins) if canonicalize_name(pin.name) == name]
    versions = [next(iter(specifier)).version for specifier in found]
    return bool(found) and all(requirement.specifier.contains(version, prereleases=True) for version in versions)


def _compile(requirements: list[str], pins: list[str], python: str) -> list[str]:
    """Resolve versions for every platform and Python version with uv, keeping existing pins if possible."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise SyncError("uv is needed to find the versions for requirements-dev.txt; run: python3 -m pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "pins.txt")
        output.write_text("\n".join(pins), encoding="utf-8")
        command = [uv, "pip", "compile", "--quiet", "--universal", "--no-header", "--no-annotate"]
        command += ["--python-version", python.removeprefix(">="), "--output-file", str(output), "-"]
        subprocess.run(command, input="\n".join(requirements), text=True, check=True, stdout=subprocess.DEVNULL)
        return output.read_text(encoding="utf-8").splitlines()


def main(root: Path, arguments: list[str]) -> int:
    """Stamp all files or, with `--check`, check them. Return the exit code: 0 unless a part is stale."""
    parser = argparse.ArgumentParser(prog="tools/sync.py", description="Stamp the parts of files that must agree.")
    parser.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if a part is stale")
    parser.add_argument("--upgrade", action="store_true", help="also pin the newest third-party versions")
    options = parser.parse_args(arguments)
    try:
        wanted = stamp(load(root), upgrade=options.upgrade, offline=options.check)
    except SyncError as error:
        print(f"tools/sync.py: {error}", file=sys.stderr)
        return 1
    stale = {path: text for path, text in wanted.items() if not _holds(root / path, text)}
    for path, text in stale.items():
        print(f"{path} is stale" if options.check else f"{'removed' if text is None else 'stamped'} {path}")
        if not options.check:
            _put(root / path, text)
    if stale and options.check:
        print("to fix this, run: python tools/sync.py", file=sys.stderr)
        return 1
    return 0


def _holds(path: Path, text: str | None) -> bool:
    return (path.read_text(encoding="utf-8") if path.is_file() else None) == text


def _put(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(__file__).resolve().parents[1], sys.argv[1:]))
