"""Test the arguments, the output and the exit status of the command."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import gymkernel_tool_bench.measuring
import gymkernel_tool_bench.targets
from gymkernel_tool_bench import Backend
from gymkernel_tool_bench.command import bench

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture
def run(lab: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs `gymkernel bench` on a simulated environment."""

    def runs(*arguments: str, backends: tuple[Backend, ...] | None = None, **env: Any) -> Result:
        def resolve(target: str, make_kwargs: dict[str, Any] | None = None) -> Any:
            print("an environment prints")  # noqa: T201
            return lab.target(
                *(lab.sync(), lab.workers()) if backends is None else backends, **env, **make_kwargs or {}
            )

        monkeypatch.setattr(gymkernel_tool_bench.targets, "resolve", resolve)
        monkeypatch.setattr(gymkernel_tool_bench.measuring, "Meters", lambda: lab.world.meters)
        return CliRunner().invoke(bench, list(arguments))

    return runs


def test_text_output(run: Any) -> None:
    result = run("toy", "--num-envs", "1,8", "--workers", "2", "--seconds", "0.5")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("toy\n  machine       2 cores")
    assert "make(async, 8, {'num_workers': 2})" in result.stdout


def test_json_output(run: Any) -> None:
    result = run("toy", "--num-envs", "8", "--format", "json", "--seed", "3")
    found = json.loads(result.stdout)
    assert found["schema"] == "gymkernel.bench/1"
    assert set(found) == {
        *("schema", "target", "machine", "seed", "alone", "problem", "cases", "recommendation", "busy", "seconds"),
        *("interrupted", "warnings"),
    }
    assert set(found["machine"]) == {"cores", "python", "kernel", "platform"}
    assert set(found["alone"]) == {
        *("steps_per_second", "step_median", "step_p95", "reset_median", "construct_first", "construct", "cpu_share"),
        "memory_bytes",
    }
    assert set(found["cases"][0]) == {
        *("backend", "num_envs", "workers", "state", "problem", "steps_per_second", "rounds", "ratio_to_alone"),
        *("ratio_to_ideal", "bound", "construct_seconds", "memory_bytes"),
    }
    assert set(found["recommendation"]) == {"backend", "num_envs", "workers", "sentence", "code", "otherwise"}
    assert found["seed"] == 3


@pytest.mark.parametrize("form", ["text", "json"])
def test_output_file_does_not_hide_the_text(run: Any, tmp_path: Path, form: str) -> None:
    path = tmp_path / "report"
    result = run("toy", "--num-envs", "8", "--format", form, "--output", str(path))
    assert "Use async" in result.stdout
    written = path.read_text(encoding="utf-8")
    assert written == result.stdout if form == "text" else json.loads(written)["target"] == "toy"


def test_backends_are_selected_by_either_name(run: Any) -> None:
    found = json.loads(run("toy", "--num-envs", "8", "--backend", "SyncVectorEnv", "--format", "json").stdout)
    assert [case["backend"] for case in found["cases"]] == ["sync"]


def test_environment_arguments_are_passed(run: Any) -> None:
    found = json.loads(run("toy", "--make-kwargs", '{"seconds": 0.5}', "--format", "json", backends=()).stdout)
    assert found["alone"]["step_median"] == pytest.approx(0.5)


def test_output_of_environments_is_dropped(run: Any) -> None:
    assert "an environment prints" not in run("toy", backends=()).output


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--num-envs", "0"], "Expected positive numbers"),
        (["--num-envs", "1;2"], "such as 1,8,64"),
        (["--workers", "many"], "got 'many'"),
        (["--make-kwargs", "{"], "expected a JSON object"),
        (["--make-kwargs", "[1]"], "expected a JSON object"),
        (["--backend", "ray"], "toy has no backend ray here; available: sync, async"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_invalid_arguments_are_usage_errors(run: Any, arguments: list[str], message: str) -> None:
    result = run("toy", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_invalid_target_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    result = CliRunner().invoke(bench, ["nowhere.py:Thing"])
    assert result.exit_code == 2
    assert "there is no file" in result.stderr


def test_exit_status_shows_failures(run: Any, lab: Any) -> None:
    assert run("toy", "--num-envs", "8", backends=(lab.sync(dies_at=2), lab.sync("other"))).exit_code == 1
    assert run("toy", "--num-envs", "8", backends=(lab.sync(dies_at=2),), dies_at=2).exit_code == 2


def test_ctrl_c_writes_partial_results(run: Any, lab: Any) -> None:
    def interrupt(n: int, arguments: dict[str, Any]) -> Any:
        raise KeyboardInterrupt

    result = run("toy", "--num-envs", "8", "--format", "json", backends=(Backend("slow", interrupt),))
    assert result.exit_code == 130
    assert json.loads(result.stdout)["interrupted"] is True


NOISY = """
import os

class Noisy:
    class action_space:
        seed = staticmethod(lambda seed: None)
        sample = staticmethod(lambda: 0)

    def reset(self, seed=None):
        os.write(1, b"noise")
        return 0, {}

    def step(self, action):
        return 0, 0.0, True, False, {}

    def close(self):
        print("noise")
"""


@pytest.mark.slow
def test_terminal_width_is_kept_and_environment_output_is_dropped(tmp_path: Path) -> None:
    pty, fcntl, termios = map(pytest.importorskip, ("pty", "fcntl", "termios"))
    (tmp_path / "noisy_env.py").write_text(NOISY, encoding="utf-8")
    program = "from gymkernel_tool_bench.command import bench; bench()"
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}}
    environment |= {
        "TERM": "xterm",
        "NO_COLOR": "1",
        "GYMKERNEL_DISABLE": "gymkernel-vector-sync,gymkernel-vector-async",
    }
    with os.fdopen(ours, "rb", buffering=0) as screen:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        command = [sys.executable, "-c", program, "noisy_env.py:Noisy"]
        with subprocess.Popen(command, cwd=tmp_path, stdout=theirs, stderr=theirs, env=environment) as process:
            os.close(theirs)
            text = b""
            with contextlib.suppress(OSError):  # on Linux, reading raises OSError when the other end is closed
                while part := screen.read(4096):
                    text += part
        assert process.returncode == 0, text
    lines = [line.rpartition("\x1b[K")[2] for line in text.decode().replace("\r\n", "\n").splitlines()]
    assert "noise" not in "".join(lines)
    assert 40 < max(map(len, lines)) <= 60


def fresh(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_command_is_listed_without_importing_the_measuring_code() -> None:
    program = """
import sys, click
from gymkernel.cli.app import cli
context = click.Context(cli)
assert "bench" in cli.list_commands(context)
assert "gymkernel_tool_bench" not in sys.modules
print(cli.get_command(context, "bench").name, *sorted(sys.modules))
"""
    first, *modules = fresh(program).split()
    assert first == "bench"
    assert "gymkernel_tool_bench.measuring" not in modules
    assert "numpy" not in modules
