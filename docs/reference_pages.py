"""Write the generated pages: environments, spaces, wrappers, backends, commands, and the modules of the kernel.

`conf.py` calls `write` before a build, so that each new module, plugin or environment gets a page automatically. A page
is named after the import path of its content, such as `gymkernel.spaces.Box`, not after the distribution.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import env_pages
import reference_tables
import rule_pages
from sphinx.pycode import ModuleAnalyzer

from gymkernel import plugins
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["PUBLIC", "linked_names", "write"]

ROOT: Final = Path(__file__).resolve().parents[1]
KERNEL: Final = ROOT / "kernel" / "src"
FACADES: Final = {"spaces": "gymkernel.spaces", "wrappers": "gymkernel.wrappers", "vector": "gymkernel.vector"}
FACADES["vector_wrappers"] = "gymkernel.wrappers.vector"
DESCRIBED: Final = (*FACADES, "utils")
LAST: Final = "This package is a plugin for gymkernel"
"""The last line of most READMEs, which addresses visitors of the package index."""
GUIDES: Final = {"list": "command-line", "info": "command-line", "check": "checking", "bench": "benchmarks"} | {
    "new": "write-a-plugin"
}
PLAYING: Final = dict.fromkeys(("render", "rollout", "play"), "playing-and-recording")
"""The guide that explains each command."""
PUBLIC: Final[dict[Any, str]] = {}
"""The objects that plugins provide, with their import paths. `docstrings.py` shows base classes by these paths."""


def write(docs: Path) -> None:
    """Write all pages below `docs`, and remove generated pages that are no longer needed."""
    found = env_pages.environments()
    _write(docs / "reference" / "api", {**kernel_pages(), **plugin_pages(found), **reference_tables.pages()})
    _write(docs / "reference" / "rules", rule_pages.pages())
    _write(docs / "environments", env_pages.pages(found))


def linked_names() -> dict[str, tuple[str, str]]:
    """Return the link target of each name in backticks: a document, or an object that autodoc documents."""
    links: dict[str, tuple[str, str]] = {}
    for kind in ("vector_wrappers", "wrappers", "vector", "spaces"):
        for name in plugins.names(kind):
            links[name] = links[f"gym.{kind}.{name}"] = links[f"{FACADES[kind]}.{name}"] = (
                "-",
                f"{FACADES[kind]}.{name}",
            )
    links.update({env_id: (page, "") for env_id, page in env_pages.ids(env_pages.environments()).items()})
    links.update({f"gymkernel {name}": (f"guides/{guide}", "") for name, guide in {**GUIDES, **PLAYING}.items()})
    return links


def _write(folder: Path, pages: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.glob("*.md"):
        if path.stem not in pages:
            path.unlink()


def kernel_pages() -> dict[str, str]:
    """Return a page for each public module of the kernel, except for the implementation of the commands."""
    pages = {}
    for path in sorted(KERNEL.rglob("*.py")):
        parts = path.relative_to(KERNEL).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not any(part.startswith("_") or part == "cli" for part in name.split(".")):
            pages[f"module.{name}"] = _module_page(importlib.import_module(name))
    return pages


def plugin_pages(found: list[env_pages.Environment]) -> dict[str, str]:
    """Return a page for each plugin, with its README and the objects of its entry points."""
    pages = {}
    for path in sorted(ROOT.glob("plugins/*/*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        kind, folder = path.parent.parent.name, path.parent.name
        title, file = _title(project, kind, folder)
        text = [f"# {title}", ""]
        readme = path.with_name("README.md")
        text += ["```{include} " + f"../../../{readme.relative_to(ROOT).as_posix()}", ":start-line: 1"]
        text += [":end-before: " + LAST] if LAST in readme.read_text(encoding="utf-8") else []
        text += ["```", ""]
        if kind == "envs":
            text += _environments(project, folder, found)
        members = _members(project, kind)
        text += ["## Reference", "", *members] if members else []
        text += [f"Distribution: `{project['name']}` {project['version']}.", ""]
        pages[file] = "\n".join(text) + "\n"
    return pages


def _title(project: dict[str, Any], kind: str, folder: str) -> tuple[str, str]:
    """Return the title of a plugin's page and the name of its file."""
    entries = _entry_points(project)
    if kind == "tools":
        return f"gymkernel {folder}", f"command.{folder}"
    if kind in {"spaces", "wrappers", "vector"}:
        camel = folder.replace("-", "").lower()
        groups = ("spaces", "wrappers", "vector", "vector_wrappers")
        named = [(group, name) for group in groups for name in entries.get(group, {})]
        main, name = min(named, key=lambda pair: (pair[1].lower() != camel, pair[1] in reference_tables.FORMERLY))
        return f"{FACADES[main]}.{name}", f"{FACADES[main]}.{name}"
    if kind == "envs":
        place = next(iter(entries.get("modules", {})), "")
        return (f"gymkernel.{place}" if place else project["name"].replace("-", "_")), f"envs.{folder}"
    if kind == "bridges":
        place = next(name for name in entries["modules"] if name.startswith("utils."))
        return f"gymkernel.{place}", f"bridge.{folder}"
    places = {name.rpartition(".")[0] for name in entries.get("utils", {})} | set(entries.get("modules", {}))
    names = [f"gymkernel.{place}" for place in sorted(places)] or [project["name"].replace("-", "_")]
    return ", ".join(names[:2]) + (", ..." if len(names) > 2 else ""), f"helpers.{folder}"


def _members(project: dict[str, Any], kind: str) -> list[str]:
    text: list[str] = []
    described: set[str] = set()
    for group, entries in _entry_points(project).items():
        if group in FACADES:
            first = [name for name, value in entries.items() if value not in described]  # a class may be in two groups
            described.update(entries.values())
            text += _rst("autoclass", [f"{FACADES[group]}.{name}" for name in first], "members")
            for name in first:
                PUBLIC.setdefault(plugins.get(group, name), f"{FACADES[group]}.{name}")
        if group == "utils" and kind == "utils":
            things = {f"gymkernel.{name}": plugins.get(group, name) for name in entries}
            text += _rst("autoclass", [name for name, thing in things.items() if inspect.isclass(thing)], "members")
            text += _rst("autofunction", [name for name, thing in things.items() if inspect.isfunction(thing)])
        if group == "modules" and kind in {"tools", "utils"}:
            others = {
                id(plugins.get(key, name))
                for key, names in _entry_points(project).items()
                if key in DESCRIBED
                for name in names
            }
            others |= {id(plugins.get("utils", name)) for name in plugins.names("utils") if name.startswith("vector.")}
            places = {module: place for place, module in reversed(entries.items())}
            for place in reversed(places.values()):
                text += _module_of_plugin(f"gymkernel.{place}", others)
                module = importlib.import_module(f"gymkernel.{place}")
                others |= {id(getattr(module, item)) for item in module.__all__}
    if kind == "utils" and not text:
        text += [line for name in _public_modules(project) for line in _module_of_plugin(name, set())]
    return text


def _public_modules(project: dict[str, Any]) -> list[str]:
    """Return the modules of a distribution that other plugins may import, in alphabetical order."""
    package = importlib.import_module(project["name"].replace("-", "_"))
    inside = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    names = [item.name for item in inside if not item.ispkg and "._" not in item.name]
    return [name for name in names if hasattr(importlib.import_module(name), "__all__")]


def _environments(project: dict[str, Any], folder: str, found: list[env_pages.Environment]) -> list[str]:
    """Return links to the pages of the environments, and the documentation of the vectorised forms."""
    text: list[str] = ["## Environments", "", "| environment | ids |", "| --- | --- |"]
    for item in found:
        ids = ", ".join(f"`{env_id}`" for env_id, owner in item.plugins.items() if owner == folder)
        if ids:
            text.append(f"| [{item.title}](../../environments/{item.name}.md) | {ids} |")
    package = importlib.import_module(project["name"].replace("-", "_"))
    place = next(iter(_entry_points(project).get("modules", {})), "")
    home = f"gymkernel.{place}" if place else package.__name__
    shown = {item.offered for item in found}
    names = [name for name in package.__all__ if _is_code(getattr(package, name)) and f"{home}.{name}" not in shown]
    for name in names:
        PUBLIC.setdefault(getattr(package, name), f"{home}.{name}")
    text += ["", "## Reference", ""] if names else [""]
    text += _rst(
        "autoclass", [f"{home}.{name}" for name in names if inspect.isclass(getattr(package, name))], "members"
    )
    return text + _rst("autofunction", [f"{home}.{n}" for n in names if not inspect.isclass(getattr(package, n))])


def _module_of_plugin(name: str, others: set[int]) -> list[str]:
    """Document what a module of a plugin offers, except for the objects in `others`, under its import path."""
    module = importlib.import_module(name)
    offered = {item: getattr(module, item) for item in module.__all__ if id(getattr(module, item)) not in others}
    text = [f"### {name}", "", *_rst("py:module", [name])]
    text += _rst("autofunction", [f"{name}.{key}" for key, thing in offered.items() if inspect.isroutine(thing)])
    return text + _rst(
        "autoclass", [f"{name}.{key}" for key, thing in offered.items() if inspect.isclass(thing)], "members"
    )


def _entry_points(project: dict[str, Any]) -> dict[str, Any]:
    points = project.get("entry-points", {})
    return {kind: points[f"gymkernel.{kind}"] for kind in plugins.KINDS if f"gymkernel.{kind}" in points}


def _module_page(module: ModuleType) -> str:
    """Document the objects that a module defines, in source order, and list its re-exports as links."""
    analyzer = ModuleAnalyzer.for_module(module.__name__)
    described = {name for owner, name in analyzer.find_attr_docs() if not owner}
    own, elsewhere = [], []
    for name in getattr(module, "__all__", _defined(module)):
        thing = getattr(module, name)
        home = getattr(thing, "__module__", None) or module.__name__
        if inspect.ismodule(thing) or name.startswith("__"):
            continue
        if name in described or (_is_code(thing) and home == module.__name__):
            own.append(name)
        elif home.startswith("gymkernel.") and home != module.__name__:
            role = f"{{py:obj}}`{name} <{home}.{getattr(thing, '__qualname__', name)}>`"
            elsewhere.append(f"* {role if _is_code(thing) else f'`{name}`'}: {_first_line(thing)}")
    own.sort(key=lambda name: analyzer.tagorder.get(name, len(analyzer.tagorder)))
    text = [f"# {module.__name__}", ""]
    text += _rst("automodule", [module.__name__], *([f"members: {', '.join(own)}"] if own else []))
    for kind, facade in FACADES.items():
        if facade == module.__name__:
            provided = [name for name in plugins.names(kind) if name in KNOWN.get(kind, {})]
            links = [f"* {{py:obj}}`{facade}.{name}`: {_first_line(plugins.get(kind, name))}" for name in provided]
            text += ["## From plugins", "", *links, ""]
    if elsewhere:
        text += ["## Names from elsewhere" if own else "## Names", "", *elsewhere, ""]
    return "\n".join(text) + "\n"


def _defined(module: ModuleType) -> list[str]:
    return [n for n, o in vars(module).items() if n[0] != "_" and getattr(o, "__module__", None) == module.__name__]


def _is_code(thing: Any) -> bool:
    return inspect.isclass(thing) or inspect.isroutine(thing)


def _first_line(thing: Any) -> str:
    return re.sub(r"\s+", " ", (inspect.getdoc(thing) or "").partition("\n\n")[0])


def _rst(directive: str, names: list[str], *options: str) -> list[str]:
    """Return reStructuredText directives, the language of docstrings, inside Markdown."""
    if not names:
        return []
    lines = ["```{eval-rst}"]
    for name in names:
        lines += [f".. {directive}:: {name}", *(f"   :{o}" if ":" in o else f"   :{o}:" for o in options), ""]
    return [*lines, "```", ""]
