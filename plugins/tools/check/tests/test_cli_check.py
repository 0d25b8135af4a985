"""Tests of the output and the exit status of `gymkernel check`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from gymkernel.cli.app import cli
from gymkernel.cli.terminal import Terminal
from gymkernel_tool_check.records import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

WALKS = """
from gymkernel import Env, Space


class Line(Space):
    def sample(self, mask=None, probability=None):
        return float(self.np_random.uniform(-1, 1))

    def contains(self, x):
        return isinstance(x, float)


class Walk(Env):
    gymkernel_expected_failures = {"GK954": "it talks"}

    def __init__(self):
        self.observation_space, self.action_space = Line(), Line()
        print("made")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = float(self.np_random.normal()), 0
        return self.place, {}

    def step(self, action):
        print("step")
        self.time += 1
        return self.place, 0.0, self.time > 8, False, {}


class Flag(Walk):
    def step(self, action):
        return (*super().step(action)[:3], 0, {})
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "walks.py").write_text(WALKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], prog_name="gymkernel")


@pytest.mark.slow
def test_sound_environment_passes_rule_by_rule() -> None:
    result = run("walks.py:Walk", "-v")
    assert result.exit_code == 0, result.output
    for text in (
        "walks:Walk  walks.py:",
        "GK001  the environment can be created",
        "is sound",
        "steps a second",
        "Python 3.",
    ):
        assert text in result.stdout
    assert "\nmade\n" not in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("selected", [("--select", "GK3"), pytest.param((), marks=pytest.mark.slow)])
def test_finding_shows_why_and_fix(selected: tuple[str, ...]) -> None:
    result = run("walks.py:Flag", *selected)
    assert result.exit_code == 1
    for text in (
        "GK314 error  truncated of step 1",
        "why    ",
        "fix    Return bool(terminated)",
        "where  walks.py:",
        "from walks import Flag",
        "walks.py:Flag has 1 error",
    ):
        assert text in result.stdout


@pytest.mark.slow
def test_rules_can_be_ignored() -> None:
    assert run("walks.py:Flag", "--ignore", "GK314").exit_code == 0
    assert run("walks.py:Flag", "--select", "GK2,GK40").exit_code == 0
    result = run("walks.py:Flag", "--select", "GK77")
    assert result.exit_code == 2
    assert "no rule has a code that begins with GK77" in result.output


@pytest.mark.slow
def test_json_on_stdout_is_only_json() -> None:
    result = run("walks.py:Walk", "walks:Flag", "--format", "json", "--seed", "7", "--steps", "20")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert (data["schema"], data["exit_status"]) == (SCHEMA, 1)
    assert [target["verdict"] for target in data["targets"]] == ["clean", "error"]
    finding = data["targets"][1]["findings"][0]
    assert (finding["code"], finding["seed"], finding["step"]) == ("GK314", 7, 1)


@pytest.mark.slow
def test_json_in_a_file_keeps_text_on_the_terminal(here: Path) -> None:
    result = run("walks.py:Walk", "--format", "json", "--output", "report.json")
    assert "is sound" in result.stdout
    assert json.loads((here / "report.json").read_text())["targets"][0]["target"] == "walks.py:Walk"


@pytest.mark.slow
def test_text_report_in_a_file(here: Path) -> None:
    run("walks.py:Walk", "--output", "report.txt")
    assert "walks.py:Walk is sound" in (here / "report.txt").read_text()


@pytest.mark.slow
def test_several_targets_end_with_a_summary() -> None:
    result = run("walks.py:Walk", "walks.py:Flag", "--select", "GK3")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-2:] == ["  ✓ walks.py:Walk  sound", "  ✗ walks.py:Flag  GK314"]


@pytest.mark.parametrize(
    "target", ["NoSuch-v0", *(pytest.param(name, marks=pytest.mark.slow) for name in ("walks.py:Wlk", "absent:Walk"))]
)
def test_missing_target_exits_with_status_2(target: str) -> None:
    assert run(target).exit_code == 2


def test_missing_target_argument_is_a_usage_error() -> None:
    result = run()
    assert result.exit_code == 2
    assert "gymkernel check CartPole-v1" in result.output


def test_rules_are_listed_and_explained() -> None:
    assert "GK205" in run("--list-rules").stdout
    rules = json.loads(run("--list-rules", "--format", "json").stdout)["rules"]
    assert {"code", "severity", "title", "why", "fix", "family"} <= set(rules[0])
    explained = run("--explain", "gk404").stdout
    assert "replay buffers" in explained.lower()
    assert run("--explain", "GK4").exit_code == 2


@pytest.mark.slow
def test_warning_is_shown_without_failing(install: Callable[..., Path]) -> None:
    source = """
    from gymkernel.checks import Fault, rule

    @rule("LAB001", "the environment has a name", why="Logs show it.", fix="Set name.", severity="warning")
    def named(subject, seen):
        yield Fault("expected a name, got none")
    """
    install("lab-checks", modules={"lab_checks": source}, checks={"envs.lab": "lab_checks"})
    result = run("walks.py:Walk", "--select", "LAB")
    assert result.exit_code == 0
    assert "LAB001 warning  expected a name, got none" in result.stdout
    assert run("walks.py:Walk", "--select", "LAB", "--severity", "warning").exit_code == 1
    assert "LAB001 warning  " not in run("walks.py:Walk", "--select", "LAB", "--severity", "error").stdout


def in_a_terminal(*arguments: str, **environment: str) -> str:
    pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")
    code = f"import sys; sys.argv[1:] = {list(arguments)!r}; from gymkernel.cli import main; main()"
    parent, child = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen([sys.executable, "-c", code], stdout=child, env=variables)
    os.close(child)
    shown = b""
    while True:
        try:
            chunk = os.read(parent, 4096)
        except OSError:
            break
        if not chunk:
            break
        shown += chunk
    process.wait()
    os.close(parent)
    return shown.decode()


@pytest.mark.slow
def test_terminal_gets_colour_and_a_progress_line() -> None:
    shown = in_a_terminal("check", "walks.py:Walk", "--select", "GK1")
    assert "\x1b[32m" in shown
    assert re.search("\r\x1b\\[K\x1b\\[2m  .* GK101 ", shown)


@pytest.mark.slow
def test_no_color_is_respected() -> None:
    shown = in_a_terminal("check", "walks.py:Walk", "--select", "GK1", NO_COLOR="1")
    assert "\x1b[32m" not in shown
    assert "\r\x1b[K" in shown


def test_stream_with_limited_encoding_gets_ascii(here: Path) -> None:
    with (here / "out.txt").open("w", encoding="ascii") as stream:
        terminal = Terminal(stream)
        terminal.write(f"{terminal.sign('✓', '+')} naïve")
    assert (here / "out.txt").read_text() == "+ na?ve\n"


@pytest.mark.slow
def test_space_report_shows_instances_and_a_program() -> None:
    result = run("walks.py:Line", "-v")
    assert result.exit_code == 1
    for text in (
        "space        Line",
        "class        walks:Line",
        "trying       <walks.Line object",
        "✓ GK701  every sample is an element of the space",
        "the space has no layout (GK75",
        "GK721 error  the space is not equal to its copy; it has no __eq__",
        "from walks import Line",
        "print(space == twin, space != twin)  # True False",
        "walks.py:Line has 1 error, 1 warning",
    ):
        assert text in result.stdout


def test_space_rule_is_explained() -> None:
    result = run("--explain", "GK722")
    assert result.exit_code == 0
    assert "Compare the space with the other test instances of the class." in result.stdout
