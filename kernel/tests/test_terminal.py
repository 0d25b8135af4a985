"""Tests that control characters in untrusted text never reach the terminal."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import plugins, specs
from gymkernel.cli import terminal
from gymkernel.cli.app import cli, show_warnings_in_a_line
from gymkernel.cli.terminal import Terminal, columns, echo, table
from gymkernel.utils.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, 0x61C, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
ACTS = re.compile(f"[{''.join(map(re.escape, map(chr, CONTROLS)))}]")
HOSTILE = "".join(map(chr, CONTROLS))
EVIL = "\x1b[31mEVIL\x1b]0;title\x07\x9b2J\u202egpj\x7f"
"""A text with control sequences that change colours and the window title, erase the screen and reverse characters."""

CHARACTERS = st.one_of(st.characters(), st.sampled_from(HOSTILE + "a \udc80"))
texts = st.lists(st.one_of(st.text(CHARACTERS), st.just("\x1b[31m"))).map("".join)


class Screen(io.StringIO):
    """A fake terminal that supports colours."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Screen()


def test_control_characters_are_escaped_like_in_json() -> None:
    texts = {number: f"a{chr(number)}b" for number in CONTROLS}

    escaped = {number: printable(text) for number, text in texts.items()}
    assert escaped == {number: f"a\\u{number:04x}b" for number in CONTROLS}
    assert {number: printable(text, keep=chr(number)) for number, text in texts.items()} == texts


@given(texts)
def test_escaping_is_idempotent(text: str) -> None:
    once = printable(text)

    assert not ACTS.search(once)
    assert printable(once) == once
    once.encode()  # must not fail for a file name with lone surrogates


@given(st.dictionaries(texts, texts), st.booleans())
def test_json_output_keeps_its_meaning(values: dict[str, str], plain: bool) -> None:
    text = json.dumps(values, ensure_ascii=plain, indent=2)

    assert json.loads(printable(text, keep="\n")) == values


@given(texts)
def test_only_our_own_colour_codes_are_printed(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm-256color")
        patch.delenv("NO_COLOR", raising=False)
        stream = Screen()
        shown = Terminal(stream)
    shown.write(text)
    shown.write(shown.paint(text, "red", bold=True))
    shown.write(f"{shown.paint(text, dim=True)}{text}")
    for line in [*shown.wrap(text, text, 8), *table([(text, text)]), *columns([text, "b"], 40, 2)]:
        shown.write(line)

    written = stream.getvalue()
    for own in ("\x1b[31m", "\x1b[1m", "\x1b[2m", "\x1b[0m", "\n"):
        written = written.replace(own, "")
    assert not ACTS.search(written)
    assert stream.getvalue().count("\x1b[31m") == bool(text)


def test_progress_lines_are_escaped(screen: Screen) -> None:
    shown = Terminal(screen)

    shown.write_live(EVIL)

    assert screen.getvalue() == f"\r\x1b[K{printable(EVIL)}"


def test_table_cell_is_one_line() -> None:
    assert table([("a\nb", "c"), ("d", "e")]) == ["  a\\u000ab  c", "  d         e"]


def test_multiline_text_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    echo("one\n\ttwo\r\x1b[2J")

    assert capsys.readouterr().out == "one\n\ttwo\\u000d\\u001b[2J\n"


def test_printed_specs_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    specs.shown(f"one\n{EVIL}", disable_print=False)

    assert capsys.readouterr().out == f"one\n{printable(EVIL)}\n"


def test_traces_are_escaped(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GYMKERNEL_TRACE", "1")

    plugins.trace(f"loaded {EVIL}")

    assert capsys.readouterr().err == f"gymkernel: loaded {printable(EVIL)}\n"


def hostile(install: Callable[..., Path]) -> None:
    """Install distributions with control characters in all fields of the metadata and in error messages."""
    metadata = f"Metadata-Version: 2.1\nName: acme-{{}}{EVIL}\nVersion: 1{EVIL}\nSummary: a summary{EVIL}\n{{}}\n\n"
    names = {"spaces": "Torus", "wrappers": "Turn", "vector": "Many", "utils": "utils.x"}
    names |= {"envs": "Maze-v0", "commands": "greet", "checks": "envs.acme", "hooks": "acme", "adapters": "a.B"}
    points = {kind: {name + EVIL: f"acme_bad{EVIL}:thing{EVIL}"} for kind, name in names.items()}
    points["spaces"] |= {"Twice": "acme_bad:thing", "Bad": "acme_bad:thing"}
    source = f"raise ValueError({EVIL!r})"
    install("acme-one", modules={"acme_bad": source}, metadata=metadata.format("one", ""), **points)
    install("acme-two", metadata=metadata.format("two", ""), spaces={"Twice": "acme_bad:thing"})
    needs = metadata.format("three", f"Requires-Dist: gymkernel>=99{EVIL}")
    install("acme-three", metadata=needs, spaces={"Later": "acme_bad:thing"}, commands={"later": "acme_bad:thing"})
    install(f"acme-four{EVIL.replace('/', '')}", metadata="no name", spaces={"Lost": "acme_bad:thing"})


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        *(
            ["list", kind, *more]
            for kind in ("spaces", "envs", "plugins", "checks")
            for more in ([], ["-v"], ["--load"])
        ),
        ["list"],
        ["list", "--load"],
        ["list", "--load", "--json"],
        ["list", "--json"],
        ["list", f"*{EVIL}*"],
        ["list", "spaces", EVIL],
        ["list", EVIL, EVIL],
        ["info", "Bad"],
        ["info", "Twice"],
        ["info", f"Torus{EVIL}"],
        ["info", f"Maze-v0{EVIL}"],
        ["info", f"greet{EVIL}"],
        ["info", f"acme-one{EVIL}"],
        ["info", f"acme-one{EVIL}", "--format", "json"],
        ["info", EVIL],
        [f"greet{EVIL}"],
        [EVIL],
        [f"--{EVIL}"],
        ["list", f"--{EVIL}"],
    ],
    ids=lambda words: printable(" ".join(words)).replace("\\", ""),
)
def test_no_command_prints_raw_control_characters(
    install: Callable[..., Path], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile(install)
    monkeypatch.setenv("GYMKERNEL_TRACE", "1")
    monkeypatch.setattr(terminal, "_encodes", lambda *_: True)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        show_warnings_in_a_line()

        result = CliRunner().invoke(cli, words, prog_name="gymkernel", color=True)

    assert result.exception is None or isinstance(result.exception, SystemExit)

    assert "Traceback" not in result.output
    assert not ACTS.search(re.sub("[\n\t]", "", result.output))
    if "json" in words or "--json" in words:
        json.loads(result.stdout)


def test_json_contains_escaped_entry_point_names(install: Callable[..., Path]) -> None:
    hostile(install)

    items = json.loads(CliRunner().invoke(cli, ["list", "spaces", "--json"]).stdout)["items"]

    assert f"Torus{ascii(EVIL)[1:-1]}" in {item["name"] for item in items}
    assert f"acme-one{EVIL}" in {item["distribution"] for item in items}


def test_internal_failures_are_escaped(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from gymkernel.cli import main

    def fail(*_: object) -> None:
        raise RuntimeError(EVIL)

    monkeypatch.setattr(plugins, "plugins", fail)
    monkeypatch.setattr(sys, "argv", ["gymkernel", "list"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    assert printable(EVIL) in capsys.readouterr().err
