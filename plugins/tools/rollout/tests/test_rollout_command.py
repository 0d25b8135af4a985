"""Test the arguments, the output and the exit status of the command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from gymkernel_tool_rollout.command import command

if TYPE_CHECKING:
    from click.testing import Result


@pytest.fixture
def run(here: Path) -> Any:
    return lambda *arguments: CliRunner().invoke(command, list(arguments))


def test_text_output(run: Any) -> None:
    result: Result = run("count_here:Count", "--episodes", "3", "--seed", "0", "--policy", "count_here:two")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "count_here:Count\n  policy    count_here:two\n  episodes  3 (seeds 0 to 2), 3 term"
    )


def test_json_on_stdout_is_only_json(run: Any) -> None:
    result = run(
        "count_here.py:Count", "--episodes", "3", "--seed", "0", "--policy", "count_here:Rising", "--format", "json"
    )
    found = json.loads(result.stdout)
    assert [episode["return"] for episode in found["episodes"]] == [0.0, 1.0, 3.0]
    assert (found["env"], found["policy"]) == ("count_here.py:Count", "count_here:Rising")
    assert "a reset" in result.stderr


def test_report_is_written_to_a_file(run: Any) -> None:
    result = run("count_here:Count", "--output", "deep/report.json", "--format", "json")
    assert (result.exit_code, result.stdout) == (0, "")
    assert len(json.loads(Path("deep/report.json").read_text(encoding="utf-8"))["episodes"]) == 10


def test_chart_is_printed(run: Any) -> None:
    assert "returns by episode" in run("count_here:Count", "--plot").stdout


def test_plot_is_written(run: Any) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot")
    assert run("count_here:Count", "--plot", "a.png").exit_code == 0
    assert Path("a.png").read_bytes()[1:4] == b"PNG"


def test_plot_without_matplotlib_is_rejected_before_running(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = run("count_here:Count", "--plot", "a.png")
    assert result.exit_code == 2
    assert "pip install 'gymkernel-tool-rollout[plot]'" in result.stderr
    assert "a reset" not in result.stderr


def test_failure_is_printed_after_earlier_episodes(run: Any) -> None:
    arguments = ["--make-kwargs", '{"fails_at": 5}', "--seed", "0", "--policy", "count_here:two"]
    result = run("count_here:Count", "--format", "json", *arguments)
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert len(found["episodes"]) == 2
    assert found["problem"].startswith("step failed in episode 2, step 2 (seed 2, action 2): RuntimeError: out of numb")
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1] == f"Error: {found['problem']}"


def test_ctrl_c_shows_partial_results(run: Any) -> None:
    result = run("count_here:Count", "--seed", "0", "--policy", "count_here:interrupting")
    assert result.exit_code == 130
    assert result.stdout.endswith("Interrupted: 1 of 10 episodes.\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["Nowhere-v0"], "Nowhere"),
        (["count_here:Nothing"], "Nothing"),
        (["count_here:Count", "--policy", "rnadom"], "Expected module:name"),
        (["count_here:Count", "--policy", "count_here:nothing"], "nothing"),
        (["count_here:Count", "--policy", "math:pi"], "Expected the policy"),
        (["count_here:Count", "--plot", "a.doc"], "ends with .png"),
        (["--plot", "count_here:Count"], "pass --plot after the target"),
        (["count_here:Count", "--episodes", "0"], "0 is not in the range"),
        (["count_here:Count", "--make-kwargs", "3"], "JSON object"),
    ],
)
def test_invalid_targets_are_reported(run: Any, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
