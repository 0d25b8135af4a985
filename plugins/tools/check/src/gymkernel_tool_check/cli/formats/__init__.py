"""The output formats for files and other programs. Each format is a module with a `render` function."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from gymkernel.cli.terminal import LINES
from gymkernel.utils.printable import printable

if TYPE_CHECKING:
    from gymkernel_tool_check.cli.results import Results

__all__ = ["FORMATS", "render"]

FORMATS: Final = ("text", "json", "junit", "sarif", "github", "html")


def render(report_format: str, results: Results) -> str:
    """Return the results in any format except text. Control characters are escaped as in JSON."""
    text: str = import_module(f"gymkernel_tool_check.cli.formats.{report_format}").render(results)
    return printable(text, LINES)
