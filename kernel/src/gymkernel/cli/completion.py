"""Shell completion for the kinds and names of plugins. It reads only metadata and imports no plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel import plugins
from gymkernel.cli import inventory
from gymkernel.utils.printable import printable

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

__all__ = ["kinds", "names", "names_of_kind"]


def _matching(words: set[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    printables = (word for word in sorted(words) if word == printable(word))  # control characters cannot be typed
    return [CompletionItem(word) for word in printables if word.lower().startswith(incomplete.lower())]


def _distributions() -> set[str]:
    return {plugin.distribution for plugin in plugins.plugins()}


def kinds(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a kind of plugin, which is the first argument of `gymkernel list`."""
    return _matching(set(inventory.KINDS), incomplete)


def names_of_kind(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a plugin of the kind that precedes it on the command line."""
    kind = ctx.params.get("kind")
    if kind == "plugins":
        return _matching(_distributions(), incomplete)
    return _matching(set(plugins.names(kind)), incomplete) if kind in inventory.KINDS else []


def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a plugin of any kind, or of a distribution."""
    words = {name for kind in inventory.PLUGIN_KINDS for name in plugins.names(kind)} | _distributions()
    return _matching(words, incomplete)
