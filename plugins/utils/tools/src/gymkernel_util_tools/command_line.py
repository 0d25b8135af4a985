"""Options and completion that the commands share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gymkernel.cli import completion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Arguments", "complete_targets"]


class Arguments(click.ParamType[dict[str, Any]]):
    """The type of an option whose value is a JSON object; errors show the example.

    Args:
        example: what such an object looks like.

    >>> Arguments().convert('{"size": 3}', None, None)
    {'size': 3}
    """

    name = "JSON"

    def __init__(self, example: str = '{"size": 3}') -> None:
        self.example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """The object.

        Raises:
            click.BadParameter: the text is no JSON object.
        """
        if isinstance(value, dict):
            return value
        try:
            found = json.loads(value)
        except ValueError as exc:
            self.fail(f"expected a JSON object such as {self.example}, got {value!r}: {exc}", param, ctx)
        if not isinstance(found, dict):
            self.fail(f"expected a JSON object such as {self.example}, got {value!r}", param, ctx)
        return found


def complete_targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What a shell offers for a target: installed names, distributions, and files; nothing is imported.

    Args:
        ctx: the command so far, as click knows it.
        param: the argument that is completed.
        incomplete: what was typed of it.
    """
    from click.shell_completion import CompletionItem

    found = [] if "/" in incomplete or incomplete.startswith(".") else completion.names(ctx, param, incomplete)
    return found or [CompletionItem(incomplete, type="file")]  # bash offers files only where there is nothing else
