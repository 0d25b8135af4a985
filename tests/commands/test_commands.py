"""Tests that every installed command starts in a new process, works, and ends cleanly in every situation.

The commands are those of the installed entry points. The tests run with the tests of the checkout, and in the tox
environment of each wheel that has a command, with only the wheel's dependencies, the kernel and pytest.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import click
import pytest

from gymkernel import plugins
from gymkernel.cli.app import cli

if TYPE_CHECKING:
    from collections.abc import Sequence

WALKS = """
import sys
import time
from pathlib import Path

import numpy as np

from gymkernel import Env, Space


class Line(Space):
    def __init__(self):
        super().__init__((), np.float64)

    def sample(self, mask=None, probability=None):
        return float(self.np_random.uniform(-1, 1))

    def contains(self, x):
        return isinstance(x, float)


class Walk(Env):
    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 200}

    def __init__(self, render_mode=None):
        self.observation_space, self.action_space = Line(), Line()
        self.render_mode = render_mode

    def get_keys_to_action(self):
        return {"a": -1.0, "d": 1.0}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = float(self.np_random.normal()), 0
        return self.place, {}

    def step(self, action):
        self.place, self.time = self.place + action, self.time + 1
        return self.place, 0.0, self.time > 8, False, {}

    def render(self):
        if self.render_mode == "ansi":
            return f"at {self.place:.1f}\\n"
        pygame = sys.modules.get("pygame")
        if self.time == 8 and pygame is not None and pygame.display.get_init():
            pygame.event.post(pygame.event.Event(pygame.QUIT))  # as who plays: closes the window
        return np.full((6, 8, 3), 10 * self.time, np.uint8)


def broken():
    raise RuntimeError("it is broken")


class Unmade(Walk):
    def __init__(self, render_mode=None):
        broken()


class Unreset(Walk):
    def reset(self, *, seed=None, options=None):
        broken()


class Unstepped(Walk):
    def step(self, action):
        broken()


class Unclosed(Walk):
    def close(self):
        broken()


class Endless(Walk):
    def step(self, action):
        Path("began").touch()
        for _ in range(1000):
            time.sleep(0.05)
        return super().step(action)
"""
ONE = "from walks import Walk as Base\n\nclass Walk(Base):\n    pass\n"
WORDS = {"target": "walks.py:Walk", "targets": "walks.py:Walk", "name": "Box"}
"""Values for arguments, keyed by the names of the arguments."""
SAID = {"new": ["space", "AcmeCompass"], "run": ["-m", "platform"]}
"""The arguments for commands that parse their own arguments."""
PROGRAMS = {"run"}
"""Commands whose output and exit status are those of the user's program."""
OPTIONS = {"bench": ("--seconds", "0.01", "--num-envs", "1"), "check": ("--fast",)}
"""The options that make commands which measure speed finish quickly."""

LONG = {
    "bench": OPTIONS["bench"],
    "render": ("--out", "walk.png", "--steps", "30"),
    "rollout": ("--episodes", "30"),
}
"""Commands that show a progress bar, each with arguments that make the command take some time."""


def commands() -> dict[str, click.Command]:
    """Return the installed commands by name."""
    context = click.Context(cli)
    found = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def words(name: str) -> list[str]:
    """Return arguments for which a command succeeds."""
    if name in SAID:
        return SAID[name]
    arguments = [param for param in COMMANDS[name].params if isinstance(param, click.Argument)]
    return [WORDS[str(argument.name)] for argument in arguments if argument.required or argument.name in WORDS]


COMMANDS = commands()
ACTING = [name for name in COMMANDS if "walks.py:Walk" in words(name)]
each = pytest.mark.parametrize("command", COMMANDS)
each_with_an_environment = pytest.mark.parametrize("command", ACTING)
SCRIPT = str(Path(sys.executable).parent / "gymkernel")
SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new working directory that contains files with environments that have never been imported."""
    (tmp_path / "walks.py").write_text(WALKS, encoding="utf-8")
    (tmp_path / "one.py").write_text(ONE, encoding="utf-8")
    (tmp_path / "unread.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def surroundings(*, screen: bool = True) -> dict[str, str]:
    """Return the environment variables of a machine with a virtual display, or of a machine without any display."""
    plain = {name: value for name, value in os.environ.items() if name not in SCREEN}
    return {**plain, "SDL_VIDEODRIVER": "dummy"} if screen else plain


def run(*arguments: str, screen: bool = True, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command in a new process with a time limit, and check that its output shows no line of gymkernel's code."""
    whole = [sys.executable, "-m", "gymkernel", *arguments]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    ended = subprocess.run(
        whole, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL, env=surroundings(screen=screen), **streams
    )
    assert_no_code_of_ours(f"{ended.stdout or ''}{ended.stderr or ''}")
    return ended


def assert_no_code_of_ours(shown: str) -> None:
    frames = re.findall(r'^ *File "(.*)", line \d+', shown, re.MULTILINE)
    assert all(Path(frame).name in {"walks.py", "unread.py"} for frame in frames), shown


def test_commands_exist() -> None:
    assert {"info", "list"} <= set(COMMANDS)


@each
def test_command_starts_and_works(command: str) -> None:
    ended = run(command, *words(command), *OPTIONS.get(command, ()))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.strip()


@each
@pytest.mark.slow
def test_command_without_a_screen_works_or_says_what_is_missing(command: str) -> None:
    ended = run(command, *words(command), *OPTIONS.get(command, ()), screen=False)
    assert ended.returncode == 0 or (ended.returncode == 2 and "no screen" in ended.stderr), ended.stderr


@pytest.mark.slow
@each
def test_command_has_help(command: str) -> None:
    ended = run(command, "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"Usage: gymkernel {command} ")


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_is_complete_at_any_width(command: str | None) -> None:
    def written(width: int) -> str:
        group = click.Context(cli, info_name="gymkernel", terminal_width=width)
        if command is None:
            return cli.get_help(group)
        context = click.Context(COMMANDS[command], info_name=command, parent=group, terminal_width=width)
        return COMMANDS[command].get_help(context)

    whole = "".join(written(1000).split())
    for width in range(60, 121, 4):
        text = written(width)
        assert "".join(text.split()) == whole
        assert max(map(len, text.splitlines())) <= width


def test_help_shows_the_whole_summary_of_every_command() -> None:
    shown = " ".join(cli.get_help(click.Context(cli, info_name="gymkernel", terminal_width=60)).split())
    summaries = {plugin.name: plugin.summary for plugin in plugins.plugins("commands")}
    for name in COMMANDS:
        assert name in {"info", "list"} or f"{name} {summaries[name]}" in shown


@pytest.mark.slow
@each
def test_wrong_option_is_reported(command: str) -> None:
    ended = run(command, "--no-such-option")
    assert ended.returncode == 2
    assert "--no-such-option" in ended.stderr


@pytest.mark.slow
@each_with_an_environment
def test_missing_target_is_reported(command: str) -> None:
    ended = run(command)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"Usage: gymkernel {command} ")


@each_with_an_environment
@pytest.mark.parametrize(
    "word, sentence",
    [
        ("Wlak-v0", "Environment `Wlak` doesn't exist. Register it, or see `gymkernel list envs`"),
        ("walks:Wlak", "walks has no Wlak; did you mean Walk?"),
        ("walks.py", "walks.py contains several classes; choose one: walks.py:Walk, walks.py:Unmade"),
    ],
)
@pytest.mark.slow
def test_every_command_reports_missing_targets_alike(command: str, word: str, sentence: str) -> None:
    ended = run(command, word)
    assert ended.returncode == 2
    assert sentence in ended.stdout + ended.stderr


@each_with_an_environment
@pytest.mark.parametrize("word", ["walks:Walk", "one.py"])
@pytest.mark.slow
def test_every_command_accepts_the_same_targets(command: str, word: str) -> None:
    ended = run(command, word, *OPTIONS.get(command, ()))
    assert ended.returncode == 0, ended.stdout + ended.stderr


@each_with_an_environment
@pytest.mark.parametrize("word", ["walks.py:Unmade", "walks.py:Unreset", "walks.py:Unstepped", "walks.py:Unclosed"])
@pytest.mark.slow
def test_broken_environment_is_reported_with_its_line(command: str, word: str) -> None:
    ended = run(command, word, *(OPTIONS.get(command, ()) if command != "check" else ("--steps", "30")))
    assert ended.returncode in {1, 2}, ended.stdout + ended.stderr
    assert "RuntimeError: it is broken" in ended.stdout + ended.stderr
    assert re.search(r"walks\.py:\d+", ended.stdout + ended.stderr)


@each_with_an_environment
@pytest.mark.slow
def test_unimportable_file_is_reported(command: str) -> None:
    ended = run(command, "unread.py:Walk", *OPTIONS.get(command, ()))
    assert ended.returncode in {1, 2}, ended.stdout + ended.stderr
    assert "ZeroDivisionError: division by zero" in ended.stdout + ended.stderr


@each_with_an_environment
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="only POSIX terminals send Ctrl-C to a process group")
@pytest.mark.slow
def test_ctrl_c_ends_the_command_and_its_processes(command: str, here: Path) -> None:
    whole = [sys.executable, "-m", "gymkernel", command, "walks.py:Endless", *OPTIONS.get(command, ())]
    started = subprocess.Popen(
        whole,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=surroundings(),
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell lets background jobs ignore SIGINT
    )
    try:
        wait_for(here / "began", started)
        os.killpg(started.pid, signal.SIGINT)
        stdout, stderr = started.communicate(timeout=60)
    finally:
        started.kill()
    assert started.returncode == 130, stderr
    assert "nterrupted" in stdout + stderr
    assert_no_code_of_ours(stdout + stderr)
    assert "KeyboardInterrupt" not in stdout + stderr
    assert is_gone(started.pid)


@pytest.mark.parametrize("command", [name for name in LONG if name in COMMANDS])
@pytest.mark.slow
def test_long_commands_show_progress_on_a_terminal(command: str, here: Path) -> None:
    pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")
    whole = [sys.executable, "-m", "gymkernel", command, "walks.py:Walk", *LONG[command]]
    plain = subprocess.run(whole, capture_output=True, text=True, check=True)
    assert "\r" not in plain.stdout + plain.stderr

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "80"}
    with os.fdopen(ours, "rb", buffering=0) as screen:
        started = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment)
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # this is how Linux reports a closed terminal
            while part := screen.read(4096):
                shown += part
        stdout, _ = started.communicate(timeout=60)
    assert started.returncode == 0, shown
    drawn = shown.decode().split("\r\x1b[K")
    assert any(re.match(r"[█▏▎▍▌▋▊▉#.·]+ +\d+%  ", line) for line in drawn), drawn
    assert not drawn[-1].strip()
    assert "\x1b" not in stdout


def is_gone(group: int) -> bool:
    """Return whether a process group ends in time. The limit suits a busy machine, but is too short for `Endless`."""
    for _ in range(1500):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def wait_for(file: Path, process: subprocess.Popen[str]) -> None:
    while not file.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@each
@pytest.mark.parametrize("both", [False, True], ids=["stdout", "stdout and stderr"])
@pytest.mark.slow
def test_closed_output_pipe_ends_the_command(command: str, both: bool) -> None:
    work = [command, *words(command), *OPTIONS.get(command, ())]
    for arguments in [[command, "--help"], *([] if command in PROGRAMS else [work])]:
        ended = unread(arguments, both=both)
        assert ended.returncode == 141, ended.stderr
        assert not ended.stderr


def unread(arguments: Sequence[str], *, both: bool) -> subprocess.CompletedProcess[str]:
    """Run a command whose standard output, or both output streams, are pipes that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return run(*arguments, stdout=writing, stderr=writing if both else subprocess.PIPE)
    finally:
        os.close(writing)


class TestTheGroup:
    """Tests of `gymkernel` without a command."""

    @pytest.mark.slow
    def test_misspelled_command_gets_a_suggestion(self) -> None:
        ended = run("chekc")
        assert ended.returncode == 2
        assert ended.stderr.endswith("Error: there is no command chekc; did you mean check?\n")

    @pytest.mark.slow
    def test_unknown_command_error_points_to_the_list(self) -> None:
        assert run("xyzzy").stderr.endswith("Error: there is no command xyzzy; gymkernel --help lists all commands\n")

    def test_script_equals_the_module(self) -> None:
        shown = [
            subprocess.run([*start, "--help"], capture_output=True, text=True, check=True).stdout
            for start in ([SCRIPT], [sys.executable, "-m", "gymkernel"])
        ]
        assert len(set(shown)) == 1
        assert all(f"\n  {name}" in shown[0] for name in COMMANDS)

    @pytest.mark.slow
    @pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
    def test_closed_output_pipe_ends_the_command(self, arguments: list[str]) -> None:
        ended = unread(arguments, both=False)
        assert (ended.returncode, ended.stderr) == (141, "")

    @pytest.mark.slow
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_completion_scripts_exist_for_shells(self, shell: str) -> None:
        if shell == "bash" and which("bash") is None:
            pytest.skip("click needs bash for completion")
        ended = complete(f"{shell}_source")
        assert ended.returncode == 0, ended.stderr
        assert "_GYMKERNEL_COMPLETE" in ended.stdout

    @pytest.mark.slow
    def test_commands_are_completed(self) -> None:
        ended = complete("bash_complete", COMP_WORDS="gymkernel ", COMP_CWORD="1")
        assert {line.partition(",")[2] for line in ended.stdout.splitlines()} >= set(COMMANDS)

    @pytest.mark.slow
    def test_nothing_is_completed_after_an_unknown_command(self) -> None:
        ended = complete("bash_complete", COMP_WORDS="gymkernel chekc ", COMP_CWORD="2")
        assert (ended.returncode, ended.stderr) == (0, "")


def complete(instruction: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Return the reply to a shell's completion request."""
    variables = {**os.environ, "_GYMKERNEL_COMPLETE": instruction, **more}
    return subprocess.run([SCRIPT], capture_output=True, text=True, check=False, env=variables)
