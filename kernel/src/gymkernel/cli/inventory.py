"""Functions that describe installed, missing and broken plugins, using only their metadata."""

import fnmatch
from importlib.util import find_spec
from typing import Any, Final

from gymkernel import _metadata, error, plugins
from gymkernel.third_party import BRIDGES, ENVS, MODULES

__all__ = ["KINDS", "KIND_WORDS", "PLUGIN_KINDS", "SCHEMA", "items", "problem", "record"]

PLUGIN_KINDS: Final = ("spaces", "wrappers", "vector", "vector_wrappers", "utils", "modules", "envs", "commands")
WORDS: Final = ("space", "wrapper", "vector backend", "vector wrapper", "helper", "module", "environment", "command")
KIND_WORDS: Final = dict(zip(PLUGIN_KINDS, WORDS, strict=True))
KINDS: Final = (*PLUGIN_KINDS, "checks", "plugins")
"""The kinds of plugins that `gymkernel list` accepts."""
SCHEMA: Final = "gymkernel.list/1"

Item = dict[str, Any]


def items(kind: str, pattern: str = "*") -> list[Item]:
    """Return the records of all plugins of a kind whose names match a pattern. "plugins" selects all kinds."""
    kinds = plugins.KINDS if kind == "plugins" else (kind,)
    records = [record(plugin) for k in kinds for plugin in plugins.plugins(k)]
    if kind != "plugins":
        records += [_missing(kind, name, distribution) for name, distribution in plugins.missing(kind).items()]
        if kind == "envs":
            records += [item for item in _third_party(pattern) if not plugins.providers("envs", item["name"])]
        matches = [item for item in records if _matches(item["name"], pattern)]
        return sorted(matches, key=lambda i: (i["state"] == "missing", i["name"].lower(), i["distribution"]))
    return [i for i in records if _matches(i["distribution"], pattern) or _matches(i["name"], pattern)]


def _matches(name: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(name.lower(), pattern.lower())


def record(plugin: plugins.Plugin) -> Item:
    """Return the record of a plugin."""
    state, trouble = problem(plugin)
    data = {"version": plugin.version, "entry_point": plugin.value, "problem": trouble or None}
    data |= {"summary": plugin.summary or None, "requires": f"gymkernel{plugin.requires}" if plugin.requires else None}
    return _item(plugin.kind, plugin.name, state, plugin.distribution, **data)


def problem(plugin: plugins.Plugin) -> tuple[str, str]:
    """Return the state of a plugin, and a message that explains what is wrong with the plugin and how to fix it."""
    if plugin.state is plugins.State.DISABLED:
        return "disabled", plugin.problem()
    if plugin.state is plugins.State.BROKEN:
        return "incomplete" if plugin.extra else "broken", plugin.problem()
    if _metadata.excludes(plugin.requires, plugins.kernel_version()):
        needs = f"it needs gymkernel{plugin.requires}, but {plugins.kernel_version()} is installed"
        return "incompatible", f"{needs}; run: pip install --upgrade gymkernel {plugin.distribution}"
    if plugin.kind not in plugins.PLURAL and len(plugins.providers(plugin.kind, plugin.name)) > 1:
        try:
            plugins.get(plugin.kind, plugin.name)
        except error.PluginConflict as exc:
            return "conflict", str(exc)
    return plugin.state.value, ""


def _missing(kind: str, name: str, distribution: str) -> Item:
    return _item(kind, name, "missing", distribution, problem=f"it is not installed; run: pip install {distribution}")


def _item(kind: str, name: str, state: str, distribution: str, **fields: str | None) -> Item:
    item = {"kind": kind, "name": name, "state": state, "distribution": distribution}
    return item | dict.fromkeys(("version", "requires", "entry_point", "problem", "summary")) | fields


def _third_party(pattern: str) -> list[Item]:
    """Return records for the matching environment ids of third-party packages. "*" selects installed families only."""
    bridges = {p.distribution: p for p in plugins.plugins("hooks") if p.state is not plugins.State.DISABLED}
    is_glob = any(character in pattern for character in "*?[")
    records = {}
    for known, extra in ENVS.items():
        name = pattern if "*" in known and not is_glob else known
        if name not in records and (_matches(known, pattern) or (not is_glob and _matches(pattern, known))):
            records[name] = _missing("envs", name, extra)
            if (bridge := bridges.get(BRIDGES[extra])) is not None and find_spec(MODULES[extra]) is not None:
                source = {"distribution": bridge.distribution, "version": bridge.version, "problem": None}
                records[name] |= {"state": "found", **source}
    return [i for i in records.values() if pattern != "*" or ("*" in i["name"] and i["state"] == "found")]
