"""Tests that example programs are run before they are shown, and that programs that do not show a defect are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gymkernel.cli.app import cli
from gymkernel_tool_check.cli.reproducing import unshown, verified
from gymkernel_tool_check.findings import Finding

if TYPE_CHECKING:
    from pathlib import Path

TWICE = "for run in range(2):\n    print(run)"


@pytest.mark.parametrize(
    "message, program, status, out, err, why",
    [
        ("it is odd", "print(1)", 0, "1\n", "", ""),
        ("it is odd", "print(1)", 0, "", "", "it printed nothing"),
        ("step raised ValueError: no", "env.step(0)", 1, "", "Traceback\nValueError: no", ""),
        ("step raised ValueError: no", "env.step(0)", 0, "", "", "it raised nothing"),
        ("it is odd", "print(1)", 1, "", "Traceback\nbox.Missing: no box", "it ended with box.Missing: no box"),
        ("two runs differ", TWICE, 0, "a\na\n", "", "it printed the same twice"),
        ("two runs differ", TWICE, 0, "a\nb\n", "", ""),
        ("two runs are the same", TWICE, 0, "a\na\n", "", ""),
    ],
)
def test_exit_of_a_program_is_judged(message: str, program: str, status: int, out: str, err: str, why: str) -> None:
    assert unshown(Finding("GK401", "error", message, reproducer=program), status, out, err) == why


def test_crash_is_reproduced_by_crashing() -> None:
    death = Finding("GK003", "error", "step killed the process (SIGSEGV)", reproducer="env.step(0)")
    assert not unshown(death, -11, "", "")
    assert unshown(death, 0, "1", "") == "it ended without an error"


def test_programs_are_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.py").write_text("value = 7\n")
    programs = [
        "print(1)",
        "pass",
        "from mine import value  # in here\n\nprint(value)",
        "env = ...  # make the environment",
    ]
    found = verified([Finding("GK401", "error", "it is odd", reproducer=text) for text in programs])
    assert [item.unshown for item in found] == ["", "it printed nothing", "", ""]


@pytest.mark.slow
def test_report_says_if_the_program_did_not_reproduce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walks.py").write_text("""
from gymkernel import Env
from gymkernel.spaces import Discrete

CHECKED = "gymkernel_tool_check.process.child" in __import__("sys").modules


class Walk(Env):
    def __init__(self):
        self.observation_space = self.action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 1, {}

    def step(self, action):
        if CHECKED:
            raise RuntimeError("only where it is checked")
        return 1, 0.0, False, False, {}
""")
    shown = CliRunner().invoke(cli, ["check", "walks.py:Walk", "--select", "GK3", "-q"], prog_name="gymkernel").stdout
    assert "only where it is checked" in shown
    assert "when it was run, it did not show this: it raised nothing" in shown
