"""Tests of the errors that commands report if an environment cannot be created or fails."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import click
import pytest

from gymkernel.error import Error
from gymkernel.utils.targets import environment_errors, find_env, place_of, show_traceback, usage_errors

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
import json

class Broken:
    def __init__(self):
        self.look()

    def look(self):
        raise RuntimeError("it is broken")

def mute():
    raise ValueError

def elsewhere():
    return json.loads("{")
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a file in a new working directory, and return the directory."""
    (tmp_path / "broken_here.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "wrong_here.py").write_text("class Broken\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "broken_here", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    "word, said",
    [
        ("broken_here.py:Broken", r"RuntimeError: it is broken \[broken_here.py:9, look\]"),
        ("broken_here.py:mute", r"ValueError \[broken_here.py:12, mute\]"),
        ("broken_here.py:elsewhere", r"JSONDecodeError: Expecting property .* \[decoder.py:\d+, raw_decode\]"),
        ("broken_here.py:Brokn", r"broken_here.py has no Brokn; did you mean Broken\?"),
        ("wrong_here.py:Broken", r"SyntaxError: expected ':' \(wrong_here.py, line 1\)"),
    ],
)
def test_failing_creation_is_a_usage_error(here: Path, word: str, said: str) -> None:
    with pytest.raises(click.BadParameter) as caught, usage_errors("TARGET"):
        find_env(word).make()
    assert re.fullmatch(said, caught.value.message)
    assert caught.value.param_hint == "TARGET"
    assert caught.value.exit_code == 2


def test_click_exceptions_are_not_changed() -> None:
    for catching in (usage_errors("TARGET"), environment_errors()):
        with pytest.raises(click.UsageError, match=r"^no$"), catching:
            raise click.UsageError("no")


def test_traceback_has_only_the_users_frames(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = find_env("broken_here.py:Broken")
    with pytest.raises(click.ClickException) as caught, environment_errors():
        target.make()
    assert caught.value.exit_code == 1
    assert caught.value.message == "RuntimeError: it is broken [broken_here.py:9, look]"
    frames = re.findall(r'File ".*broken_here.py", line (\d+), in (\w+)', capsys.readouterr().err)
    assert frames[-2:] == [("6", "__init__"), ("9", "look")]


def test_gymkernel_error_has_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(click.ClickException, match=r"^Expected a number$"), environment_errors():
        raise Error("Expected a number")
    show_traceback(ValueError("never raised"))
    assert not capsys.readouterr().err


def test_gymkernel_error_has_no_place() -> None:
    with pytest.raises(Error) as caught:
        find_env("there is none of this name").make()
    assert not place_of(caught.value)
