"""The pages of the reference that follow the code: one for each public module of the kernel, one for each plugin.

`conf.py` calls `write` before a build, so that a new module or plugin has its page without being listed anywhere.
"""

from __future__ import annotations

import importlib
import inspect
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import rule_pages
from sphinx.pycode import ModuleAnalyzer

import gymkernel
from gymkernel import plugins
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT: Final = Path(__file__).resolve().parents[1]
KERNEL: Final = ROOT / "kernel" / "src"
FACADES: Final = {"spaces": "gymkernel.spaces", "wrappers": "gymkernel.wrappers", "vector": "gymkernel.vector"}
FACADES["vector_wrappers"] = "gymkernel.wrappers.vector"


def write(folder: Path) -> None:
    """Write the pages into `folder` and those of the rules beside it, and take away those of what is no more."""
    _write(folder, {**kernel_pages(), **plugin_pages(), "environments": environments_page()})
    _write(folder.parent / "rules", rule_pages.pages())


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
    """A page for each module of the kernel that others may use: not for the insides of the commands."""
    pages = {}
    for path in sorted(KERNEL.rglob("*.py")):
        parts = path.relative_to(KERNEL).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not any(part.startswith("_") or part == "cli" for part in name.split(".")):
            pages[f"kernel.{name}"] = _module_page(importlib.import_module(name))
    return pages


def plugin_pages() -> dict[str, str]:
    """A page for each plugin: its README, and what its entry points name where it is installed."""
    pages = {}
    for path in sorted(ROOT.glob("plugins/*/*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        text, members = [f"# {project['name']}", ""], []
        described: set[str] = set()
        if path.with_name("README.md").is_file():
            readme = f"../../../{path.parent.relative_to(ROOT).as_posix()}/README.md"
            text = ["```{include} " + readme, "```", ""]
        for kind, entries in _entry_points(project).items():
            if not set(entries) <= set(plugins.names(kind)):
                continue  # heavy, and left out of the environment that builds this
            if kind in FACADES:
                first = [name for name, value in entries.items() if value not in described]  # a class may be in two
                described.update(entries.values())
                members += _rst("autoclass", [f"{FACADES[kind]}.{name}" for name in first], "members")
            if kind == "utils" and path.parent.parent.name == "utils":
                things = {f"gymkernel.{name}": plugins.get(kind, name) for name in entries}
                members += _rst("autoclass", [name for name, one in things.items() if inspect.isclass(one)], "members")
                members += _rst("autofunction", [name for name, one in things.items() if inspect.isfunction(one)])
            if kind == "envs":
                package = importlib.import_module(project["name"].replace("-", "_"))
                classes = [name for name in package.__all__ if inspect.isclass(getattr(package, name))]
                members += _rst("autoclass", [f"{package.__name__}.{name}" for name in classes], "members")
            if kind == "modules" and path.parent.parent.name == "tools":
                for place in entries:
                    members += _module_of_plugin(f"gymkernel.{place}")
        text += ["## Reference", "", *members] if members else []
        pages[f"plugin.{path.parent.parent.name}.{path.parent.name}"] = "\n".join(text) + "\n"
    return pages


def _module_of_plugin(name: str) -> list[str]:
    """What a module of a plugin offers, under the path that people import."""
    module = importlib.import_module(name)
    offered = {one: getattr(module, one) for one in module.__all__}
    text = [f"### {name}", "", *_rst("py:module", [name])]
    text += _rst("autofunction", [f"{name}.{one}" for one, thing in offered.items() if inspect.isroutine(thing)])
    return text + _rst(
        "autoclass", [f"{name}.{one}" for one, thing in offered.items() if inspect.isclass(thing)], "members"
    )


def environments_page() -> str:
    """A table of the environments of this repository, from their specs and their spaces."""
    head = ["environment", "observations", "actions", "steps", "solved at", "vectorised form", "plugin"]
    rows = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for path in sorted(ROOT.glob("plugins/envs/*/pyproject.toml")):
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for env_id in _entry_points(project).get("envs", {}):
            cells = " | ".join(_environment(env_id, path.parent.name))
            rows.append(f"| {cells} |")
    table = "\n".join(rows)
    return f"""# Environments

The environments of the plugins in this repository. Others come from packs that anyone publishes: `gymkernel list envs`
shows what is installed where you are.

{table}

Steps: after that many, `make` truncates an episode. Solved at: the mean return at which the task counts as solved.
Vectorised form: whether `make_vec` has one of the environment's own.
"""


def _environment(env_id: str, plugin: str) -> Iterator[str]:
    yield f"`{env_id}`"
    if env_id not in gymkernel.registry:
        yield from ("", "", "", "", "", f"[{plugin}](plugin.envs.{plugin}.md)")
        return
    spec = gymkernel.spec(env_id)
    with gymkernel.make(env_id) as env:
        for space in (env.observation_space, env.action_space):
            yield f"`{' '.join(str(space).split())}`"
    yield str(spec.max_episode_steps or "no limit")
    yield "-" if spec.reward_threshold is None else f"{spec.reward_threshold:g}"
    yield "no" if spec.vector_entry_point is None else "yes"
    yield f"[{plugin}](plugin.envs.{plugin}.md)"


def _entry_points(project: dict[str, Any]) -> dict[str, Any]:
    points = project.get("entry-points", {})
    return {kind: points[f"gymkernel.{kind}"] for kind in plugins.KINDS if f"gymkernel.{kind}" in points}


def _module_page(module: ModuleType) -> str:
    """What a module defines, in full and in its order; what it offers from elsewhere, as links."""
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
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def _rst(directive: str, names: list[str], *options: str) -> list[str]:
    """Directives of reStructuredText, the language of docstrings, inside of Markdown."""
    lines = ["```{eval-rst}"]
    for name in names:
        lines += [f".. {directive}:: {name}", *(f"   :{o}" if ":" in o else f"   :{o}:" for o in options), ""]
    return [*lines, "```", ""]
