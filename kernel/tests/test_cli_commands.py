"""Tests of subcommands from plugins (entry points in the group `gymkernel.commands`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gymkernel._known import KNOWN
from gymkernel.cli.app import cli

if TYPE_CHECKING:
    from collections.abc import Callable

    Install = Callable[..., None]

SOURCE = """
import click

@click.command("greet")
def greet():
    "Say hello."
    click.echo("hello")
"""


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, words)
    return result.exit_code, result.output


def test_plugin_command_runs(install: Install) -> None:
    install("acme-greet", modules={"acme_greet": SOURCE}, commands={"greet": "acme_greet:greet"})

    assert run("greet") == (0, "hello\n")


@pytest.mark.parametrize("summary, line", [("Summary: Greets the world", "Greets the world"), ("", "acme_greet:")])
def test_help_shows_the_summary_from_metadata(install: Install, summary: str, line: str) -> None:
    metadata = f"Metadata-Version: 2.4\nName: acme-greet\nVersion: 1.0\n{summary}\n\nWords.\n"
    install("acme-greet", modules={"acme_greet": "1 / 0"}, metadata=metadata, commands={"greet": "acme_greet:greet"})

    assert f"greet  {line}" in run("--help")[1]


def test_broken_command_is_reported_and_others_work(install: Install) -> None:
    install("acme-bad", modules={"acme_bad": "1 / 0"}, commands={"bad": "acme_bad:bad"})

    code, output = run("bad")

    assert code == 2
    assert "commands.bad of acme-bad" in output
    assert "ZeroDivisionError" in output
    assert "cannot be loaded" in run("--help")[1]
    assert run("list", "commands")[0] == 0


def test_entry_point_that_is_not_a_command_is_rejected(install: Install) -> None:
    install("acme-odd", modules={"acme_odd": "odd = 3"}, commands={"odd": "acme_odd:odd"})

    code, output = run("odd")

    assert code == 2
    assert "must be a click command" in output


def test_missing_known_command_names_its_pip_command(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, "commands", {"paint": "gymkernel-tool-paint"})

    assert "pip install gymkernel-tool-paint" in run("paint")[1]


def test_command_that_needs_a_missing_plugin_names_its_pip_command(install: Install) -> None:
    source = SOURCE.replace('click.echo("hello")', "from gymkernel.spaces import Box")
    install("acme-greet", modules={"acme_greet": source}, commands={"greet": "acme_greet:greet"})

    code, output = run("greet")

    assert code == 2
    assert output == "Error: spaces.Box is not installed; run: pip install gymkernel-space-box\n"
