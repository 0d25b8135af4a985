"""An option type and shell completion that several commands share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gymkernel.cli import completion

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["Arguments", "complete_targets"]


class Arguments(click.ParamType[dict[str, Any]]):
    """The type of a command-line option whose value is a JSON object.

    Args:
        example: an example of a valid value, which error messages show.

    >>> Arguments().convert('{"size": 3}', None, None)
    {'size': 3}
    """

    name = "JSON"

    def __init__(self, example: str = '{"size": 3}') -> None:
        self.example = example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """Parse the value as a JSON object.

        Raises:
            click.BadParameter: if the value is not a JSON object.
        """
        if isinstance(value, dict):
            return value
        try:
            arguments = json.loads(value)
        except ValueError as exc:
            self.fail(f"expected a JSON object such as {self.example}, got {value!r}: {exc}", param, ctx)
        if not isinstance(arguments, dict):
            self.fail(f"expected a JSON object such as {self.example}, got {value!r}", param, ctx)
        return arguments


def complete_targets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return shell completions for a target: the names of installed plugins and packages, or files.

    The targets themselves are not imported.

    Args:
        ctx: click's context for the command.
        param: the argument to complete.
        incomplete: the text that the user has typed so far.
    """
    from click.shell_completion import CompletionItem

    names = [] if "/" in incomplete or incomplete.startswith(".") else completion.names(ctx, param, incomplete)
    return names or [CompletionItem(incomplete, type="file")]  # bash cannot show files together with other completions
