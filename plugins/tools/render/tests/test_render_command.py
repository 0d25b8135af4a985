"""Test the arguments, files, messages and exit status of the command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from gymkernel_tool_render import recording
from gymkernel_tool_render.command import render

if TYPE_CHECKING:
    from click.testing import Result


@pytest.fixture
def run(here: Path) -> Any:
    def runs(*arguments: str) -> Result:
        return CliRunner().invoke(render, list(arguments))

    yield runs
    sys.modules.pop("squares_here", None)


def test_image_file(run: Any) -> None:
    result = run("squares_here:Squares", "--out", "a.png", "--seed", "4")
    assert (result.exit_code, result.stdout) == (0, "a.png: 1 frame of 8x6; 1 episode, 0 steps, seed 4\n")
    assert Path("a.png").exists()


def test_sheet_with_environment_arguments_and_policy(run: Any) -> None:
    arguments = ["--frames", "3", "--make-kwargs", '{"length": 2}', "--policy", "squares_here:two", "--episodes", "2"]
    result = run("squares_here.py:Squares", "--out", "a.png", *arguments)
    assert "3 frames of 8x6 (numbers 0, 2, 5); 2 episodes, 4 steps" in result.stdout


def test_collected_frames_are_written(run: Any) -> None:
    assert run("squares_here:Collected", "--out", "a.png").exit_code == 0


def test_ansi_environment_prints_text(run: Any) -> None:
    result = run("squares_here:Letters", "--steps", "1", "--seed", "0", "--policy", "squares_here:two")
    assert result.stdout == ("episode 0, step 0, seed 0\nat 0\n\nepisode 0, step 1, action 2, reward 2\nat 1\n\n")


def test_modes_of_a_function_target_are_read_from_its_environment(run: Any) -> None:
    assert run("squares_here:made", "--steps", "0").stdout.endswith("at 0\n\n")


def test_images_without_a_terminal(run: Any) -> None:
    result = run("squares_here:Squares")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: Previewing images requires a terminal with at least 256 colours")
    assert "gymkernel render squares_here:Squares --out Squares.png" in result.stderr


def test_failure_prints_traceback_and_kept_frames(run: Any) -> None:
    arguments = ["--make-kwargs", '{"fails_at": 2}', "--seed", "8", "--policy", "squares_here:two"]
    result = run("squares_here:Squares", "--out", "a.png", "--frames", "2", *arguments)
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: step failed in episode 0, step 2 (seed 8, action 2): RuntimeError: the square is")
    assert last.endswith("; a.png contains the frames up to that point")


def test_failing_policy_is_reported(run: Any) -> None:
    result = run("squares_here:Squares", "--out", "a.png", "--steps", "3", "--policy", "squares_here:dividing")
    assert result.exit_code == 1
    assert "Error: the policy failed in episode 0, step 1" in result.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["Nowhere-v0"], "Nowhere"),
        (["squares_here:Nothing", "--out", "a.png"], "Nothing"),
        (["squares_here:Unseen", "--out", "a.png"], "as rgb_array or rgb_array_list: its render modes are human"),
        (["squares_here:Silent"], "its metadata has no render_modes"),
        (["squares_here:Squares", "--mode", "ansi"], "cannot be rendered as ansi: its render modes are rgb_array"),
        (["squares_here:Squares", "--out", "a.bmp"], "Expected a file that ends with .png"),
        (["squares_here:Squares", "--out", "a.mp4", "--frames", "3"], "Expected a .png file for a contact sheet"),
        (["squares_here:Squares", "--frames", "3"], "pass --out FILE.png"),
        (["squares_here:Letters", "--out", "a.png", "--mode", "ansi"], "remove --out"),
        (["squares_here:Squares", "--policy", "rnadom"], "Expected module:name"),
        (["squares_here:Squares", "--out", "a.png", "--policy", "math:pi"], "Expected the policy"),
        (["squares_here:Squares", "--make-kwargs", "[1]"], "JSON object"),
        (["squares_here:Squares", "--make-kwargs", '{"depth": 1}', "--out", "a.png"], "depth"),
    ],
)
def test_unrenderable_target_is_reported(run: Any, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_ctrl_c_ends_cleanly(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(recording, "record", interrupt)
    result = run("squares_here:Squares", "--out", "a.png")
    assert (result.exit_code, result.stderr) == (130, "Interrupted; a.png contains the frames up to that point.\n")
