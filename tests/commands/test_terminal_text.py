"""Tests that all commands remove control characters from the text of environments, files and errors."""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from gymkernel import plugins
from gymkernel.utils.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
USED = {"bench", "check", "new", "render", "rollout"}
EVERY_COMMAND = pytest.mark.skipif(
    not {*plugins.names("commands")} >= USED or "Discrete" not in plugins.names("spaces"),
    reason="the test needs all commands and a space, which the tox environment of a single command does not install",
)
EVIL = "\x1b[31mEVIL\x1b]0;title\x07\x9b2J\u202egpj\x7f\r"
"""Control characters that set colours or the title, clear the screen, reverse text, or return to the line's start."""
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN = re.compile("\x1b\\[[0-9;]*m|\r\x1b\\[K|\x1b\\[K|\x1b\\[J|\x1b\\[\\d+A\r|\x1b\\[\\?25[lh]")
"""Control sequences that the commands themselves write in order to show colours, update lines and redraw images."""
MAZE = """
import gymkernel as gym

EVIL = {evil!r}


class Odd(gym.spaces.Discrete):
    def __repr__(self):
        return f"Odd{{EVIL}}"


class Maze(gym.Env):
    metadata = {{"render_modes": ["ansi"], "render_fps": 1000}}

    def __init__(self, render_mode=None):
        self.observation_space, self.action_space = Odd(3), Odd(2)
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return 0, {{EVIL: EVIL}}

    def step(self, action):
        self.steps += 1
        if self.steps == {fails_at}:
            raise {error}(EVIL)
        return {observation}, 1.0, self.steps == 5, False, {{}}

    def render(self):
        return "\\x1b[41mgoal\\x1b[0m" + EVIL
"""


def files(folder: Path) -> None:
    """Write files with environments: one that works, one that returns an invalid value, and two that raise errors."""
    good: dict[str, object] = {"evil": EVIL, "fails_at": -1, "error": "ValueError", "observation": "0"}
    changes: dict[str, dict[str, object]] = {
        f"maze{EVIL.replace('/', '')}.py": {},
        "wrong.py": {"observation": "EVIL"},
        "raises.py": {"fails_at": 3},
        "reports.py": {"fails_at": 3, "error": "gym.error.Error"},
    }
    for name, change in changes.items():
        (folder / name).write_text(MAZE.format(**(good | change)), encoding="utf-8")
    (folder / "broken.py").write_text(f"raise ImportError({EVIL!r})", encoding="utf-8")


def commands() -> Iterator[list[str]]:
    for file in (f"maze{EVIL}.py", "wrong.py", "raises.py", "reports.py", "broken.py"):
        yield ["check", file, "--fast", "--steps", "20"]
        yield ["render", file, "--steps", "4"]
        yield ["rollout", file, "--episodes", "2"]
    yield ["bench", "raises.py", "--seconds", "0.1", "--num-envs", "1", "--backend", "sync"]
    for words in (["new", "wrapper"], ["render"], ["check"], ["info"], ["rollout", "CartPole-v1", "--policy"]):
        yield [*words, EVIL]
    yield ["rollout", "CartPole-v1", "--make-kwargs", EVIL]
    yield ["rollout", f"no_module{EVIL}:Maze"]


def on_a_terminal(words: list[str], folder: Path) -> str:
    """Run a command in a pseudo-terminal, and return everything that it wrote to the terminal."""
    import pty

    leader, follower = pty.openpty()
    variables = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "100", "LINES": "30"}
    variables.pop("NO_COLOR", None)
    with subprocess.Popen(
        [sys.executable, "-m", "gymkernel", *words],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        cwd=folder,
        env=variables,
    ):
        os.close(follower)
        written = b""
        with contextlib.suppress(OSError):  # reading fails after the last process has closed the terminal
            while part := os.read(leader, 65536):
                written += part
    os.close(leader)
    return written.decode(errors="replace").replace("\r\n", "\n")


def of_others(written: str, *, drawn: bool) -> list[str]:
    """Return the control sequences that the commands did not write. Colours that an environment renders are allowed."""
    return ACTS.findall(OWN.sub("", written if drawn else written.replace("\x1b[31mEVIL", "\x07")))


@EVERY_COMMAND
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("words", list(commands()), ids=lambda words: printable(" ".join(words)).replace("\\", ""))
def test_command_prints_no_foreign_control_characters(tmp_path: Path, words: list[str]) -> None:
    files(tmp_path)

    written = on_a_terminal(words, tmp_path)

    assert of_others(written, drawn=words[0] == "render") == []
    assert "EVIL" in written or "--fast" in words or words[0] in {"rollout", "new", "bench"}, written


@EVERY_COMMAND
@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "junit", "sarif", "github", "html"])
def test_report_keeps_the_text_without_control_characters(tmp_path: Path, form: str) -> None:
    files(tmp_path)
    words = ["check", "wrong.py", "raises.py", f"maze{EVIL}.py", "--format", form, "--fast", "--steps", "20"]
    ended = subprocess.run(
        [sys.executable, "-m", "gymkernel", *words], capture_output=True, cwd=tmp_path, check=False, timeout=300
    )
    text = ended.stdout.decode().replace("\r\n", "\n")

    assert ACTS.findall(text) == []
    assert "EVIL" in text
    if form in {"json", "sarif"}:
        assert EVIL.strip() in _strings(json.loads(text))
    if form == "junit":
        ET.fromstring(text)  # noqa: S314 - this command wrote the report


def _strings(value: Any) -> str:
    if isinstance(value, dict):
        return "".join(_strings(item) for pair in value.items() for item in pair)
    return "".join(map(_strings, value)) if isinstance(value, list) else str(value)


BOUNDARY = {
    "kernel/src/gymkernel/cli/terminal.py": "the boundary itself",
    "kernel/src/gymkernel/plugins.py": "the trace, made printable",
    "kernel/src/gymkernel/specs.py": "made printable",
    "plugins/envs/box2d/src/gymkernel_env_box2d/car_racing.py": "numbers of the track, if the caller asks for them",
    "plugins/envs/box2d/src/gymkernel_env_box2d/lunar_heuristic.py": "numbers, in a demonstration",
    "plugins/tools/check/src/gymkernel_tool_check/probes/other_processes.py": "a pipe between processes",
    "plugins/tools/render/src/gymkernel_tool_render/preview.py": "pictures, and text made printable",
    "plugins/tools/rollout/src/gymkernel_tool_rollout/command.py": "JSON, also into a file",
    "plugins/wrappers/record-video/src/gymkernel_wrapper_record_video/recording.py": "made printable",
}
"""Source files that write directly to standard output or standard error, each with the reason why this is safe."""


def test_all_output_passes_the_escaping_function() -> None:
    sources = [*ROOT.glob("kernel/src/**/*.py"), *ROOT.glob("plugins/*/*/src/**/*.py")]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if re.search(r"\b(print|echo|secho|write)\b", text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in WRITERS
    }

    assert len(sources) > 100
    assert found == set(BOUNDARY)


WRITERS = {"print", "click.echo", "click.secho", "stream.write", "terminal.stream.write", "self.stream.write"}
WRITERS |= {"sys.stdout.write", "sys.stderr.write"}
