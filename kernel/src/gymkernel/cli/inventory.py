"""What is installed, known and missing, or broken, as plain records; nothing is imported but metadata."""

import fnmatch
from importlib.util import find_spec
from typing import Any, Final

from gymkernel import _metadata, error, plugins
from gymkernel.third_party import ENVS, MODULES

__all__ = ["KINDS", "PLUGIN_KINDS", "SCHEMA", "items", "problem", "record"]

PLUGIN_KINDS: Final = ("spaces", "wrappers", "vector", "vector_wrappers", "utils", "modules", "envs", "commands")
KINDS: Final = (*PLUGIN_KINDS, "checks", "plugins")
"""The words that `gymkernel list` takes."""
SCHEMA: Final = "gymkernel.list/1"

Item = dict[str, Any]


def items(kind: str, pattern: str = "*") -> list[Item]:
    """Records of everything of a kind whose name fits a pattern; "plugins" are all kinds of entry points."""
    kinds = plugins.KINDS if kind == "plugins" else (kind,)
    found = [record(plugin) for one in kinds for plugin in plugins.plugins(one)]
    if kind != "plugins":
        found += [_missing(kind, name, distribution) for name, distribution in plugins.missing(kind).items()]
        if kind == "envs" and pattern != "*":
            found += _third_party(pattern)
        fitting = [item for item in found if _fits(item["name"], pattern)]
        return sorted(
            fitting, key=lambda item: (item["state"] == "missing", item["name"].lower(), item["distribution"])
        )
    return [i for i in found if _fits(i["distribution"], pattern) or _fits(i["name"], pattern)]


def _fits(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name.lower(), pattern.lower())


def record(plugin: plugins.Plugin) -> Item:
    """What is known of an entry point."""
    state, trouble = problem(plugin)
    known = {"version": plugin.version, "entry_point": plugin.value, "problem": trouble or None}
    known |= {"summary": plugin.summary or None, "requires": f"gymkernel{plugin.requires}" if plugin.requires else None}
    return _item(plugin.kind, plugin.name, state, plugin.distribution, **known)


def problem(plugin: plugins.Plugin) -> tuple[str, str]:
    """The state of an entry point, and what is wrong with it and what mends it."""
    if plugin.state is plugins.State.DISABLED:
        return "disabled", plugin.problem()
    if plugin.state is plugins.State.BROKEN:
        return "incomplete" if plugin.extra else "broken", plugin.problem()
    if _metadata.excludes(plugin.requires, plugins.kernel_version()):
        needs = f"it needs gymkernel{plugin.requires} and {plugins.kernel_version()} is installed"
        return "incompatible", f"{needs}; run: pip install --upgrade gymkernel {plugin.distribution}"
    if plugin.kind not in plugins.PLURAL and len(plugins.providers(plugin.kind, plugin.name)) > 1:
        try:
            plugins.get(plugin.kind, plugin.name)
        except error.PluginConflict as exc:
            return "conflict", str(exc)
    return plugin.state.value, ""


def _missing(kind: str, name: str, distribution: str) -> Item:
    return _item(kind, name, "missing", distribution, problem=f"it is not installed; run: pip install {distribution}")


def _item(kind: str, name: str, state: str, distribution: str, **known: str | None) -> Item:
    found = {"kind": kind, "name": name, "state": state, "distribution": distribution}
    return found | dict.fromkeys(("version", "requires", "entry_point", "problem", "summary")) | known


def _third_party(pattern: str) -> list[Item]:
    """Records of the ids of other packages that fit a pattern, and of the families that an id fits."""
    bridge = next(iter(plugins.providers("companions", "gymnasium")), None)
    glob = any(mark in pattern for mark in "*?[")
    found = {}
    for known, extra in ENVS.items():
        name = pattern if "*" in known and not glob else known
        if _fits(known, pattern) or (not glob and _fits(pattern, known)):
            found[name] = _missing("envs", name, extra)
            if bridge is not None and find_spec(MODULES[extra]) is not None:
                there = {"distribution": bridge.distribution, "version": bridge.version, "problem": None}
                found[name] |= {"state": "found", **there}
    return list(found.values())
