"""What the words after `gymkernel check` mean."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gymkernel import _metadata, error, plugins

__all__ = ["EXPECTED", "FILE", "Target", "TargetError", "everything", "expand"]

EXPECTED = "an environment id, module:Class or path.py:Class"
FILE = re.compile(r"(?P<path>.+\.py)(?::(?P<name>[\w.]+))?")


class TargetError(error.Error):
    """There is nothing of this name to check."""


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to check, found without importing it.

    `form` is "id" (an environment), "plugin" (the name of another kind), "distribution", "object" (`module:Class`) or
    "file".
    """

    text: str
    form: str
    kind: str = "envs"
    name: str = ""
    distribution: str = ""
    version: str = ""


def expand(text: str) -> list[Target]:
    """The targets that a word stands for: several for a distribution. Nothing is imported."""
    if FILE.fullmatch(text):
        return [Target(text, "file")]
    known = [p for p in plugins.plugins() if _metadata.normalize(p.distribution) == _metadata.normalize(text)]
    everything = [plugin for plugin in plugins.plugins() if plugin.state is not plugins.State.DISABLED]
    inside = [plugin for plugin in known if plugin in everything]
    if inside:
        return [_of_distribution(inside[0].distribution, inside[0].version), *(_of_plugin(plugin) for plugin in inside)]
    for plugin in everything:
        if text in {plugin.label, plugin.name} and plugin.kind not in plugins.PLURAL:
            return [_of_plugin(plugin, text)]
    if ":" not in text and not known and (own := _metadata.installed(text)) is not None:
        return [_of_distribution(own.name, own.version)]
    module, colon, _ = text.partition(":")  # gymnasium/package:id is an id
    return [Target(text, "object" if colon and "/" not in module else "id", name=text)]


def everything() -> list[Target]:
    """All that is installed: each distribution with plugins, and what it provides."""
    found = [plugin for plugin in plugins.plugins() if plugin.state is not plugins.State.DISABLED]
    several = {_metadata.normalize(plugin.distribution): plugin for plugin in found}
    whole = [_of_distribution(several[name].distribution, several[name].version) for name in sorted(several)]
    return [*whole, *map(_of_plugin, found)]


def _of_distribution(name: str, version: str) -> Target:
    return Target(name, "distribution", "distributions", name, name, version)


def _of_plugin(plugin: plugins.Plugin, text: str = "") -> Target:
    is_env = plugin.kind == "envs"
    text = text or (plugin.name if is_env else plugin.label)
    form = "id" if is_env else "plugin"
    return Target(text, form, plugin.kind, plugin.name, plugin.distribution, plugin.version)
