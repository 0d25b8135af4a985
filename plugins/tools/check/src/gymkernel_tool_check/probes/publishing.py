"""Probes that read a distribution's metadata and examine what its modules import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from gymkernel import plugins
from gymkernel_tool_check import installed
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import safely
from gymkernel_tool_check.subject import Subject

__all__ = ["FACADES", "SLOW", "Import", "Importing", "Publication", "importing", "provider", "publication", "tree_of"]

FACADES: Final = {
    "gymkernel.spaces": "spaces",
    "gymkernel.wrappers": "wrappers",
    "gymkernel.wrappers.vector": "vector_wrappers",
    "gymkernel.vector": "vector",
}
"""The kernel's modules that re-export plugins, each with the kind of plugin that it re-exports."""
BASELINE: Final = "import importlib.metadata, logging, random, numpy.random, gymkernel.env, gymkernel.vector_env"
REQUIREMENT: Final = re.compile(r"\s*([\w.-]*)\s*(?:\[(.*?)\])?")
SLOW: Final = 2.0
"""The maximum duration of one import in seconds."""
SHARE: Final = 3
"""The time limit for importing all modules, as a multiple of the time limit for a recorded run."""
TIME: Final = re.compile(r"import time:\s+(\d+) \|\s+(\d+) \|(\s+)(\S+)")


@dataclass(frozen=True, slots=True)
class Import:
    """An import statement that runs when its module is imported or used.

    Attributes:
        name: the dotted name of what is imported, such as "numpy.random.Generator".
        file, line: the location of the import statement.
    """

    name: str
    file: str
    line: int


@dataclass(slots=True)
class Publication:
    """The metadata and the imports of an installed distribution.

    Attributes:
        metadata: the core metadata, as a message with headers.
        groups: maps each entry-point group whose name begins with "gymkernel" to the names of its entry points.
        modules: the dotted names of the modules that the entry points refer to.
        requires: the requirements, as written in the metadata.
        needs: the normalized names of the required distributions, including those that extras require.
        files: maps each package to a list of its Python files.
        imports: the imports in these files, except those in a `try` block and those for type checkers only.
    """

    metadata: Any
    groups: dict[str, list[str]]
    modules: list[str]
    requires: list[str]
    needs: set[str]
    files: dict[str, list[Path]]
    imports: list[Import] = field(default_factory=list)


@probe(quick=True)
def publication(subject: Subject) -> Publication:
    """Read the metadata, and the source code of every package that an entry point refers to, without importing it."""
    name = subject.found["distribution"]
    source = installed.distribution(name)
    if source is None:
        raise Skip(f"{name} is not installed")
    points = [point for point in source.entry_points if point.group.startswith("gymkernel")]
    groups: dict[str, list[str]] = {}
    for point in points:
        groups.setdefault(point.group, []).append(point.name)
    modules = sorted({point.value.partition(":")[0].strip() for point in points})
    files = {top: _files(top) for top in sorted({module.partition(".")[0] for module in modules}) if _is_own(top, name)}
    requires = list(source.requires or ())
    needs = {name for need in requires for name in _needed(need)}
    sources = [file for several in files.values() for file in several]
    imports = [Import(name, str(file), line) for file in sources for name, line in _of_node(tree_of(file))]
    return Publication(source.metadata, groups, modules, requires, needs, files, imports)


def _is_own(package: str, name: str) -> bool:
    """Return whether a package is part of this distribution. An entry point may refer to another distribution."""
    providers = installed.providers_of(package)
    return installed.normalize(name) in providers or not any(map(installed.distribution, providers))


def _needed(need: str) -> Iterator[str]:
    """Yield the name of the required distribution and of those that its requested extras require."""
    name, extras = REQUIREMENT.match(need).groups()  # type: ignore[union-attr] # the pattern matches every text
    yield installed.normalize(name)
    other = installed.distribution(name) if extras else None
    for extra in re.findall(r"[\w.-]+", extras or ""):
        for inner in (other and other.requires) or ():
            if re.search(rf"extra\s*==\s*['\"]{re.escape(extra)}['\"]", inner):
                yield from _needed(inner.partition(";")[0])


def _files(package: str) -> list[Path]:
    spec = PathFinder.find_spec(package, sys.path)
    if spec is None:
        return []
    places = spec.submodule_search_locations
    if places is None:
        return [Path(spec.origin)] if spec.origin and spec.origin.endswith(".py") else []
    return sorted(file for place in places for file in Path(place).rglob("*.py") if "tests" not in file.parts)


def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a file, or of an empty module if the file cannot be read."""
    return safely(lambda: ast.parse(file.read_text(encoding="utf-8")), default=ast.Module([], []))


def _of_node(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the imports below a node, except those in a `try` block and those for type checkers only."""
    if isinstance(node, ast.Try) and any(_catches_imports(handler) for handler in node.handlers):
        blocks: tuple[str, ...] = ("orelse", "finalbody")
    elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
        blocks = ("orelse",)
    else:
        blocks = ("body", "handlers", "orelse", "finalbody", "cases")
    if isinstance(node, ast.Import):
        yield from ((alias.name, node.lineno) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
    for block in blocks:
        for child in getattr(node, block, ()):
            yield from _of_node(child)


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = "ImportError" if handler.type is None else ast.unparse(handler.type)
    return any(name in caught for name in ("ImportError", "ModuleNotFoundError", "Exception"))


@dataclass(frozen=True, slots=True)
class Importing:
    """The effects of importing a module.

    Attributes:
        packages: maps each imported package, except NumPy and gymkernel, to its import time in seconds.
        printed: the text that was printed.
        seeded: the names of the global random number generators whose state changed.
    """

    packages: dict[str, float]
    printed: str
    seeded: list[str]

    @property
    def seconds(self) -> float:
        """The total import time in seconds."""
        return sum(self.packages.values())


IMPORT: Final = """
import sys
sys.path[:] = {path!r}
{baseline}
states = lambda: {{"random": random.getstate(), "numpy.random": repr(numpy.random.get_state())}}
for module in {modules!r}:
    before = states()
    for stream in (sys.stdout, sys.stderr):
        print("import time: begin", module, file=stream, flush=True)
    try:
        __import__(module)
    except BaseException:
        end = "failed"
    else:
        end = " ".join(["done", *(name for name, state in states().items() if state != before[name])])
    for stream in (sys.stdout, sys.stderr):
        print("\\nimport time: end", end, file=stream, flush=True)
"""
PART: Final = re.compile(r"import time: begin (\S+)\n(.*?)(?:\nimport time: end (.*?)\n|\Z)", re.DOTALL)


@probe(last=True)
def importing(subject: Subject) -> dict[str, Importing]:
    """Import the modules that the entry points refer to, one after another, in a new interpreter.

    NumPy and gymkernel are imported first, so that they do not count towards the import time. If a module kills the
    interpreter, the remaining modules are imported in a new one. No further module is imported when the time is up.
    Slow modules are imported a second time, and the shorter time counts, because bytecode compilation or a busy machine
    may have slowed down the first import.
    """
    found = _imported(subject, subject.get(publication).modules)
    slow = [module for module, result in found.items() if result.seconds > SLOW]
    for module, again in _imported(subject, slow).items():
        if again.seconds < found[module].seconds:
            found[module] = replace(found[module], packages=again.packages)
    return found


def _imported(subject: Subject, modules: Sequence[str]) -> dict[str, Importing]:
    found, waiting = dict[str, Importing](), [*modules]
    deadline = time.monotonic() + SHARE * subject.options.run_seconds
    while waiting and time.monotonic() < deadline:
        subject.at("the import")
        code = IMPORT.format(path=sys.path, baseline=BASELINE, modules=waiting)
        command = [sys.executable, "-X", "importtime", "-c", code]
        # the output goes to files, because a process that the module starts could keep a pipe open
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            subprocess.run(command, stdout=out, stderr=err, check=False)  # noqa: S603 - a program of this package
            out.seek(0)
            err.seek(0)
            printed = {module: text for module, text, _ in PART.findall(out.read())}
            parts = PART.findall(err.read())
        for module, text, end in parts:
            state, *seeded = end.split() or ["failed"]  # reported as GK911
            if state == "done":
                lines = [line for line in text.splitlines() if line and not line.startswith("import time:")]
                shown = "\n".join([*printed.get(module, "").splitlines(), *lines])
                found[module] = Importing(_seconds(text), shown, seeded)
        waiting = waiting[max(len(parts), 1) :]
    return found


def _seconds(text: str) -> dict[str, float]:
    """Return the import time of each package in seconds, as reported by `python -X importtime`."""
    packages: dict[str, float] = {}
    for own, _, _, name in TIME.findall(text):
        package = name.partition(".")[0]
        packages[package] = packages.get(package, 0.0) + int(own) / 1e6
    return packages


def provider(name: str) -> str | None:
    """Return the distribution that provides a re-exported name such as `gymkernel.spaces.Box`, or None."""
    module, _, last = name.rpartition(".")
    if module in FACADES:
        return _distribution_of(FACADES[module], last)
    path = name.removeprefix("gymkernel.")
    above = path
    while above and _distribution_of("modules", above) is None:
        above = above.rpartition(".")[0]
    return _distribution_of("modules", above) or _distribution_of("utils", path)


def _distribution_of(kind: str, name: str) -> str | None:
    installed_by = next(iter(plugins.providers(kind, name)), None)
    return plugins.missing(kind).get(name) if installed_by is None else installed_by.distribution
