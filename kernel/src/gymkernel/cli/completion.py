"""What a shell offers when the tab key is pressed; read from metadata, nothing is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel import plugins
from gymkernel.cli import inventory
from gymkernel.utils.printable import printable

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

__all__ = ["kinds", "names", "names_of_kind"]


def _fitting(words: set[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    typed = (word for word in sorted(words) if word == printable(word))  # nobody can type the others
    return [CompletionItem(word) for word in typed if word.lower().startswith(incomplete.lower())]


def _distributions() -> set[str]:
    return {plugin.distribution for plugin in plugins.plugins()}


def kinds(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The kinds that `list` takes."""
    return _fitting(set(inventory.KINDS), incomplete)


def names_of_kind(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of the kind that was typed before."""
    kind = ctx.params.get("kind")
    if kind == "plugins":
        return _fitting(_distributions(), incomplete)
    return _fitting(set(plugins.names(kind)), incomplete) if kind in inventory.KINDS else []


def names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Every name of every kind, and the distributions."""
    return _fitting(
        {name for kind in inventory.PLUGIN_KINDS for name in plugins.names(kind)} | _distributions(), incomplete
    )
