"""GK91x: what a distribution provides through its entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel import error, plugins
from gymkernel_tool_check.definition import Fault, Skip, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.subject import Subject

__all__ = ["loads", "sole_provider"]


def plugin_of(subject: Subject) -> plugins.Plugin:
    """The entry point that is checked."""
    if subject.plugin is None:
        raise Skip("it is not provided by an installed distribution")
    found: plugins.Plugin = subject.plugin
    return found


@rule(
    "GK911",
    "the entry point loads, and names what its kind asks for",
    why="A broken entry point fails where the name is first used, on the machine of a user.",
    mend="Let the entry point name an importable class, and declare every dependency of its module.",
    kind="plugins",
    profile="fast",
)
def loads(subject: Subject, seen: Any) -> Iterator[Fault]:
    """Load it; a class is asked for where the kind has classes."""
    plugin = plugin_of(subject)
    try:
        plugin.load()
    except error.PluginError as exc:
        yield Fault(str(exc), "class")


@rule(
    "GK912",
    "one distribution provides the name",
    why="Where two do, nobody can use it.",
    mend="Uninstall one, or choose another name.",
    kind="plugins",
    profile="fast",
)
def sole_provider(subject: Subject, seen: Any) -> Iterator[Fault]:
    """Count the live providers of a name of which there may be but one."""
    plugin = plugin_of(subject)
    others = [one for one in plugins.providers(plugin.kind, plugin.name) if one is not plugin]
    if others and plugin.kind not in plugins.PLURAL:
        who = ", ".join(f"{one.distribution} {one.version}" for one in others)
        yield Fault(f"{plugin.label} is provided by {who} as well", "class")
