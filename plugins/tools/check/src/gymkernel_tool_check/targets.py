"""Functions that find the targets of `gymkernel check` without importing them."""

from __future__ import annotations

from dataclasses import dataclass

from gymkernel import plugins
from gymkernel_tool_check import installed
from gymkernel_util_tools.target_lookup import TargetError, parse

__all__ = ["Target", "TargetError", "disabled_by", "everything", "expand"]


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a check, and what is known about the target before it is imported.

    Attributes:
        text: the name that the user gave.
        origin: what the name refers to: "id" (an environment), "plugin" (another kind of plugin), "distribution",
            "object" ("module:Class") or "file" ("path.py:Class").
        kind: the kind of target, such as "envs" or "spaces".
        name: the id of the environment, the name of the plugin, or the name of the distribution.
        distribution: the distribution that provides the target, if it is known.
        version: the version of the distribution, if it is known.
    """

    text: str
    origin: str
    kind: str = "envs"
    name: str = ""
    distribution: str = ""
    version: str = ""


def expand(text: str) -> list[Target]:
    """Return the targets that a name refers to. A distribution refers to everything that it provides."""
    origin = parse(text).origin
    if origin == "file":
        return [Target(text, "file")]
    known = [p for p in plugins.plugins() if installed.normalize(p.distribution) == installed.normalize(text)]
    everything = [plugin for plugin in plugins.plugins() if plugin.state is not plugins.State.DISABLED]
    inside = [plugin for plugin in known if plugin in everything]
    if inside:
        return [_of_distribution(inside[0].distribution, inside[0].version), *(_of_plugin(plugin) for plugin in inside)]
    for plugin in everything:
        if text in {plugin.label, plugin.name} and plugin.kind not in plugins.PLURAL:
            return [_of_plugin(plugin, text)]
    if ":" not in text and not known and (own := installed.distribution(text)) is not None:
        return [_of_distribution(own.name, own.version)]
    return [Target(text, origin, name=text)]


def disabled_by(text: str) -> str:
    """Return an error message if a name refers to a plugin that GYMKERNEL_DISABLE disables, otherwise "".

    Args:
        text: the name of a plugin, with or without its kind, or the name of a distribution.
    """
    for plugin in plugins.plugins():
        names = {plugin.name, plugin.label, installed.normalize(plugin.distribution)}
        if plugin.state is plugins.State.DISABLED and names & {text, installed.normalize(text)}:
            return f"{text} is not checked, because {plugin.problem()}"
    return ""


def everything() -> list[Target]:
    """Return all installed targets: every distribution that contains plugins, and everything that it provides."""
    found = [plugin for plugin in plugins.plugins() if plugin.state is not plugins.State.DISABLED]
    several = {installed.normalize(plugin.distribution): plugin for plugin in found}
    whole = [_of_distribution(several[name].distribution, several[name].version) for name in sorted(several)]
    return [*whole, *map(_of_plugin, found)]


def _of_distribution(name: str, version: str) -> Target:
    return Target(name, "distribution", "distributions", name, name, version)


def _of_plugin(plugin: plugins.Plugin, text: str = "") -> Target:
    is_env = plugin.kind == "envs"
    text = text or (plugin.name if is_env else plugin.label)
    origin = "id" if is_env else "plugin"
    return Target(text, origin, plugin.kind, plugin.name, plugin.distribution, plugin.version)
