"""Stamps what must agree between the files of this workspace.

    python tools/sync.py            write every stamped part
    python tools/sync.py --check    write nothing, name what is stale, exit with 1 if anything is
    python tools/sync.py --upgrade  also take the newest third-party versions into requirements-dev.txt

People write a plugin's name, description, dependencies and entry points. The version, the licence, the Python versions,
the build backend and the bounds between distributions come from the root's pyproject.toml. What plugins offer goes into
the facades, the table of known capabilities, the kernel's extras, the meta distribution and the README.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from toml_edit import Toml

if TYPE_CHECKING:
    from collections.abc import Iterable

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
FACADES: Final = {
    "spaces": "spaces/__init__.py",
    "wrappers": "wrappers/__init__.py",
    "vector_wrappers": "wrappers/vector.py",
    "vector": "vector/__init__.py",
}
CAPABILITIES: Final = (*FACADES, "utils", "envs", "commands")
STAMP: Final = "# stamped by tools/sync.py", "# end of stamp"
# A module of names of the kind "utils" that nobody wrote by hand.
MODULE: Final = '''"""`gymkernel.{module}`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

{modules}

if TYPE_CHECKING:
    {imports}__all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
'''
HEADING: Final = rf'"""`gymkernel[.\w]+`: names that plugins provide, .*\n\n{STAMP[0]}\n'
"""What such a module begins with."""
WIDTH: Final = 116
"""Characters of a line in a block that is indented once."""
# What the root decides for every distribution, and after which key it stands.
SHARED: Final = {
    "version": "name",
    "readme": "description",
    "requires-python": "readme",
    "license": "requires-python",
    "authors": "license",
}


class SyncError(Exception):
    """Something that only a person can mend; the message says how."""


@dataclass(frozen=True, slots=True)
class Member:
    """One distribution of the workspace below the root: its folder and its pyproject.toml, as text and as data."""

    folder: str
    kind: str | None  # None for the kernel
    text: str
    project: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the distribution."""
        return str(self.project.get("name", ""))

    @property
    def package(self) -> str:
        """The name one imports."""
        return self.name.replace("-", "_")

    def entries(self, kind: str) -> dict[str, str]:
        """What it offers of one kind: name to `module:attribute`."""
        found: dict[str, str] = self.project.get("entry-points", {}).get(f"gymkernel.{kind}", {})
        return found


@dataclass(frozen=True, slots=True)
class Workspace:
    """The checkout, read once: the root's pyproject.toml, as text and as data, and the members."""

    root: Path
    text: str
    data: dict[str, Any]
    members: list[Member]

    @property
    def light(self) -> list[Member]:
        """The members that come with `gymkernel-all`, the kernel first."""
        return [member for member in self.members if member.name not in self.heavy]

    @property
    def heavy(self) -> set[str]:
        """The distributions that come by name only."""
        return set(self.data["tool"]["gymkernel"]["sync"]["heavy"])

    @property
    def bounds(self) -> str:
        """Which versions of one distribution another one here accepts."""
        major, minor, *_ = self.data["project"]["version"].split(".")
        return f">={major}.{minor},<{int(major) + 1}"

    def read(self, path: str) -> str:
        """The text of a file in which something is stamped."""
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise SyncError(f"{path} does not exist; write it, since a part of it is stamped") from None


def load(root: Path) -> Workspace:
    """Read the root, the kernel and every plugin; a folder that is no plugin is an error that names the remedy."""
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
    workspace = Workspace(root, text, tomllib.loads(text), members)
    if unknown := workspace.heavy - {member.name for member in members}:
        raise SyncError(f"tool.gymkernel.sync.heavy names {', '.join(sorted(unknown))}, which is not here; take it out")
    return workspace


def _member(root: Path, folder: str, kind: str | None) -> Member:
    text = (root / folder / "pyproject.toml").read_text(encoding="utf-8")
    member = Member(folder, kind, text, tomllib.loads(text).get("project", {}))
    _validate(member)
    return member


def _folders(path: Path) -> list[str]:
    children = path.iterdir() if path.is_dir() else ()
    return sorted(child.name for child in children if child.is_dir() and not child.name.startswith((".", "__")))


def _validate(member: Member) -> None:
    """What people own and nothing can be stamped without."""
    path = f"{member.folder}/pyproject.toml"
    name = "gymkernel" if member.kind is None else f"gymkernel-{KINDS[member.kind]}-{Path(member.folder).name}"
    if member.name != name:
        raise SyncError(f"{path} names {member.name!r}; a distribution in that folder is {name!r}")
    if not member.project.get("description"):
        raise SyncError(f"{path} has no description; write one line, which the README's table shows too")
    for group, entries in member.project.get("entry-points", {}).items():
        for entry, value in entries.items():
            if value.partition(":")[0].partition(".")[0] != member.package:
                raise SyncError(f"{path}: {entry!r} of {group} is {value!r}, which is not in {member.package}")


def stamp(workspace: Workspace, *, upgrade: bool = False, offline: bool = False) -> dict[str, str | None]:
    """The wanted text of every stamped file, by path from the root; None for a file that nothing belongs into."""
    wanted: dict[str, str | None] = {
        f"{member.folder}/pyproject.toml": _project(workspace, member) for member in workspace.members
    }
    wanted["pyproject.toml"] = _root(workspace)
    version = f'__version__ = "{workspace.data["project"]["version"]}"'
    start = f"{PACKAGE}/__init__.py"
    wanted[start] = re.sub(r"^__version__ = .*$", version, workspace.read(start), flags=re.MULTILINE)
    wanted[f"{PACKAGE}/_known.py"] = _known_module(_known(workspace.members))
    for kind, module in FACADES.items():
        entries = [entry for member in workspace.members for entry in member.entries(kind).items()]
        imports = _imports(entries) or ["pass"]
        path = f"{PACKAGE}/{module}"
        wanted[path] = _between(path, workspace, *STAMP, imports)
    wanted |= _helper_modules(workspace)
    wanted["README.md"] = _between("README.md", workspace, "<!-- plugins -->", "<!-- /plugins -->", _table(workspace))
    wanted["requirements-dev.txt"] = _requirements(workspace, upgrade=upgrade, offline=offline)
    return wanted


def _helper_modules(workspace: Workspace) -> dict[str, str | None]:
    """The modules of names of the kind "utils", and None for those that nobody offers names for any more."""
    helpers = _helpers(workspace)
    wanted: dict[str, str | None] = {}
    for module, names in helpers.items():
        inside = sorted(other for other in helpers if other.rpartition(".")[0] == module)
        path = _path(workspace, module, is_package=bool(inside))
        imports = _imports(names.items())
        if _is_written_by_hand(workspace.root / path):
            wanted[path] = _between(path, workspace, *STAMP, imports)
        else:
            block = "\n    ".join(imports) + "\n\n    " if imports else ""
            wanted[path] = MODULE.format(module=module, modules=_modules(inside), imports=block)
    for file in sorted((workspace.root / PACKAGE).rglob("*.py")):
        path = file.relative_to(workspace.root).as_posix()
        if path not in wanted and re.match(HEADING, file.read_text(encoding="utf-8")):
            wanted[path] = None
    return wanted


def _modules(names: list[str]) -> str:
    """The imports of modules inside of a package, and of what all such modules need."""
    parts = [name.rpartition(".") for name in names]
    lines = [f"from gymkernel.{package} import {name} as {name}" for package, _, name in parts]
    return "\n".join(sorted([*lines, "from gymkernel.plugins import facade"]))


def _helpers(workspace: Workspace) -> dict[str, dict[str, str]]:
    """The names of the kind "utils", by the module that has them, which is a part of the name.

    A package above such a module that nobody wrote is one of them, with or without names of its own.
    """
    found: dict[str, dict[str, str]] = {}
    for member in workspace.members:
        for entry, value in member.entries("utils").items():
            module, _, name = entry.rpartition(".")
            found.setdefault(module, {})[name] = value
    for module in list(found):
        parts = module.split(".")
        for above in (".".join(parts[:depth]) for depth in range(1, len(parts))):
            if not _is_written_by_hand(workspace.root / _path(workspace, above, is_package=True)):
                found.setdefault(above, {})
    return found


def _path(workspace: Workspace, module: str, *, is_package: bool) -> str:
    path = f"{PACKAGE}/{module.replace('.', '/')}"
    whole = is_package or _is_written_by_hand(workspace.root / path / "__init__.py")
    return f"{path}/__init__.py" if whole else f"{path}.py"


def _is_written_by_hand(path: Path) -> bool:
    return path.is_file() and not re.match(HEADING, path.read_text(encoding="utf-8"))


def _project(workspace: Workspace, member: Member) -> str:
    """A member's pyproject.toml with what the root decides; the kernel's extras name the light plugins of each kind."""
    root = workspace.data
    toml = Toml(member.text)
    for key, after in SHARED.items():
        toml.set("project", key, root["project"][key], after)
    if member.kind is None:
        own = member.project.get("optional-dependencies", {})
        extras = {name: needs for name, needs in own.items() if name not in {*KINDS, "all"}}
        for plugin in workspace.light[1:]:
            extras.setdefault(str(plugin.kind), []).append(plugin.name + workspace.bounds)
        extras["all"] = [plugin.name + workspace.bounds for plugin in workspace.light[1:]]
        toml.fill("project.optional-dependencies", extras)
    else:
        first_party = "|".join(re.escape(other.name) for other in workspace.members)
        bound = re.compile(rf'(?<!name = )"({first_party})\s*(?:[<>=!~][^"]*)?"')
        toml = Toml(bound.sub(rf'"\1{workspace.bounds}"', toml.text))
    toml.fill("build-system", root["build-system"])
    return toml.text


def _root(workspace: Workspace) -> str:
    """The root's own lists: what the meta distribution needs, where uv and mypy find members, what pytest skips."""
    toml = Toml(workspace.text)
    toml.set("project", "dependencies", [member.name + workspace.bounds for member in workspace.light])
    toml.fill("tool.uv.sources", {member.name: {"workspace": True} for member in workspace.members})
    skipped = [
        folder for folder in workspace.data["tool"]["pytest"]["norecursedirs"] if not folder.startswith("plugins/")
    ]
    skipped += [member.folder for member in workspace.members if member not in workspace.light]
    toml.set("tool.pytest", "norecursedirs", skipped)
    sources = ["tools", "kernel/tests", *(f"{member.folder}/src" for member in workspace.members)]
    toml.set("tool.mypy", "mypy_path", [f"$MYPY_CONFIG_FILE_DIR/{source}" for source in sources])
    return toml.text


def _known(members: Iterable[Member]) -> dict[str, dict[str, str]]:
    """Which distribution provides each capability, by kind; one name has one provider."""
    known: dict[str, dict[str, str]] = {kind: {} for kind in CAPABILITIES}
    for member in members:
        for kind, names in known.items():
            for name in member.entries(kind):
                if name in names:
                    raise SyncError(f"{kind}.{name} is offered by {names[name]} and {member.name}; rename one of them")
                names[name] = member.name
    return {kind: dict(sorted(names.items())) for kind, names in known.items()}


def _known_module(known: dict[str, dict[str, str]]) -> str:
    lines = [
        '"""Which distribution provides each first-party capability; stamped by tools/sync.py."""\n',
        "from __future__ import annotations\n",
        "from typing import Final\n",
        '__all__ = ["KNOWN"]\n',
        "KNOWN: Final[dict[str, dict[str, str]]] = {",
    ]
    for kind, names in known.items():
        entries = [f'        "{name}": "{distribution}",' for name, distribution in names.items()]
        lines += [f'    "{kind}": {{', *entries, "    },"] if entries else [f'    "{kind}": {{}},']
    return "\n".join([*lines, "}"]) + "\n"


def _imports(entries: Iterable[tuple[str, str]]) -> list[str]:
    """The imports in the order that ruff wants: by module, constants before classes before functions."""
    return [_import(name, value) for name, value in sorted(entries, key=_order)]


def _order(entry: tuple[str, str]) -> tuple[str, int, str, str]:
    module, _, attribute = entry[1].partition(":")
    kind = 0 if attribute.isupper() else 1 if attribute[:1].isupper() else 2
    return module, kind, attribute.lower(), entry[0]


def _import(name: str, value: str) -> str:
    module, _, attribute = value.partition(":")
    line = f"from {module} import {attribute} as {name}"
    return line if len(line) <= WIDTH else f"from {module} import (\n        {attribute} as {name},\n    )"


def _between(path: str, workspace: Workspace, start: str, end: str, lines: list[str]) -> str:
    """The text of a file with these lines between two markers, indented as the first marker is."""
    block = re.compile(rf"^([ \t]*){re.escape(start)}$.*?^[ \t]*{re.escape(end)}$", re.DOTALL | re.MULTILINE)
    text = workspace.read(path)
    found = block.search(text)
    if found is None:
        raise SyncError(f"{path} has no lines {start!r} and {end!r}; write both where the stamped part belongs")
    body = "\n".join(found[1] + line for line in [start, *lines, end])
    return text[: found.start()] + body + text[found.end() :]


def _table(workspace: Workspace) -> list[str]:
    rows = ["| plugin | provides | what it is |", "| --- | --- | --- |"]
    for member in workspace.members:
        offered = [name for kind in CAPABILITIES if kind != "utils" for name in member.entries(kind)]
        offered += [] if member.kind == "utils" else _places(member)
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(offered))  # a wrapper and its vector form have one name
        if member.kind == "utils":
            names = "; ".join(
                f"in `{place}`: {', '.join(f'`{name}`' for name in own)}" for place, own in _by_place(member)
            )
        if member.kind == "tools":
            names = ", ".join(f"`gymkernel {name}`" for name in member.entries("commands"))
        if member.kind:
            rows.append(f"| [{member.name}]({member.folder}) | {names} | {member.project['description']} |")
    return rows


def _by_place(member: Member) -> list[tuple[str, list[str]]]:
    """The modules that have the helpers of a member, with their names."""
    found: dict[str, list[str]] = {}
    for entry in member.entries("utils"):
        place, _, name = entry.rpartition(".")
        found.setdefault(place, []).append(name)
    return list(found.items())


def _places(member: Member) -> list[str]:
    """The modules that have the helpers of a member, without those that are inside of others."""
    modules = {name.rpartition(".")[0] for name in member.entries("utils")}
    return sorted(one for one in modules if not any(one.startswith(f"{other}.") for other in modules))


def _requirements(workspace: Workspace, *, upgrade: bool, offline: bool) -> str:
    """Editable lines for what is here, pins for the rest; new pins are only sought when the old ones do not do."""
    path = workspace.root / "requirements-dev.txt"
    old = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    pins = [line for line in old if re.match(r"[\w.-]+==", line)]
    needed = sorted(_third_party(workspace))
    missing = [requirement for requirement in needed if not _pinned(Requirement(requirement), pins)]
    if offline and missing:
        raise SyncError(f"requirements-dev.txt pins nothing that suits {', '.join(missing)}; run: python tools/sync.py")
    if missing or upgrade:
        pins = _compile(needed, [] if upgrade else pins, workspace.data["project"]["requires-python"])
    heading = "# Made by tools/sync.py: what the tests need, for pip alone (pip install -r requirements-dev.txt)"
    editable = [f"-e ./{member.folder}" for member in workspace.light]
    return "\n".join([heading, *editable, "-e .", *pins]) + "\n"


def _third_party(workspace: Workspace) -> set[str]:
    """What the light members and the group `test` ask for that is not made here."""
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
    """Ask uv for versions that go together, on every platform and Python; those pinned already stay where they can."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        raise SyncError("uv finds the versions for requirements-dev.txt; run: python3 -m pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "pins.txt")
        output.write_text("\n".join(pins), encoding="utf-8")
        command = [uv, "pip", "compile", "--quiet", "--universal", "--no-header", "--no-annotate"]
        command += ["--python-version", python.removeprefix(">="), "--output-file", str(output), "-"]
        subprocess.run(command, input="\n".join(requirements), text=True, check=True, stdout=subprocess.DEVNULL)
        return output.read_text(encoding="utf-8").splitlines()


def main(root: Path, arguments: list[str]) -> int:
    """Stamp, or check the stamps; the exit code is 0 when nothing is left to mend."""
    parser = argparse.ArgumentParser(prog="tools/sync.py", description="Stamp what must agree between the files here.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if anything is stale")
    parser.add_argument("--upgrade", action="store_true", help="take the newest third-party versions")
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
        print("to mend it, run: python tools/sync.py", file=sys.stderr)
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
