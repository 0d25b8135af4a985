"""Tests that listing, help and completion import no plugin, so that code runs only when the user requests it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gymkernel import plugins
from gymkernel.cli import inventory

if TYPE_CHECKING:
    from pathlib import Path

LISTS = [
    ["list", *kind, *pattern, *form]
    for kind in ([], *([item] for item in inventory.KINDS))
    for pattern in ([], ["*acme*"])
    for form in ([], ["-v"], ["--json"])
]
COMMANDS = [
    [],
    ["--help"],
    ["--version"],
    *LISTS,
    ["list", "--format", "json"],
    ["list", "envs", "Lunar*"],
    ["list", "--help"],
    ["list", "--no-such-option"],
    ["info", "--help"],
    ["info", "acme-all"],
    ["info", "acme-all", "--format", "json"],
    ["no-such-command"],
]
"""Command lines that import no plugin."""
WORDS = [[""], ["ac"], ["--"], ["list", ""], ["list", "--"], ["info", ""], ["info", "Acme"], ["acme-absent", ""]]
WORDS += [["list", kind, ""] for kind in inventory.KINDS]
"""Beginnings of command lines to complete, which import no plugin."""
TARGETS = [["check", ""], ["check", "Acme"], ["render", "Acme"], ["rollout", "Acme"], ["bench", "Acme"]]
"""The words before the cursor for plugins' commands, which import the command and call hook plugins."""
CALLS = [
    "plugins.plugins()",
    "[(plugins.names(kind), plugins.missing(kind)) for kind in plugins.KINDS]",
    "[plugins.providers(one.kind, one.name) for one in plugins.plugins()]",
    "[dir(module) for module in (gym, gym.spaces, gym.wrappers, gym.vector, gym.envs, gym.utils)]",
    "(list(gym.registry), len(gym.registry), 'acme/Maze-v0' in gym.registry)",
]
"""Python code that imports no plugin."""
IN_ONE_PROCESS = """
import contextlib, io, json, sys
import gymkernel as gym
from click.shell_completion import ShellComplete
from gymkernel import plugins
from gymkernel.cli.app import cli

def new(*before):
    return [one for one in sys.modules if one.startswith(("acme_", "gymkernel_")) and not one.startswith(before)]

commands, words, targets, calls = json.loads(sys.argv[1])
found = {}
for call in calls:
    eval(call)
    found[call] = new()
for one in commands:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        with contextlib.suppress(SystemExit):
            cli.main(list(one), prog_name="gymkernel")
    found["gymkernel " + " ".join(one)] = new()
for one in words + targets:
    ShellComplete(cli, {}, "gymkernel", "").get_completions(one[:-1], one[-1])
    needed = ["gymkernel_tool_", "gymkernel_util_tools", "gymkernel_util_compatibility", "acme_hooks"]
    used = needed if one in targets else []
    found["gymkernel " + " ".join(one) + "<TAB>"] = new(*used)
print(json.dumps(found))
"""


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Return a folder with a distribution that has one entry point in each group.

    Each of its modules writes a file when it is imported.
    """
    info = tmp_path / "acme_all-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: acme-all\nVersion: 1.0\nSummary: Everything there is\n"
    )
    groups = {kind: f"acme_{kind}" for kind in plugins.KINDS}
    (info / "entry_points.txt").write_text(
        "".join(
            f"[gymkernel.{kind}]\n{name} = {module}:thing\nAcmeOther = {module}:other\n"
            for (kind, module), name in zip(groups.items(), _names(), strict=True)
        )
    )
    for module in groups.values():
        (tmp_path / f"{module}.py").write_text(
            f"from pathlib import Path\nPath(r'{tmp_path}', '{module}.imported').touch()\nthing = other = None\n"
        )
    return tmp_path


def _names() -> list[str]:
    special = {"envs": "acme/Maze-v0", "commands": "acme-greet", "modules": "spaces.acme", "utils": "utils.acme_help"}
    return [special.get(kind, "Acme") for kind in plugins.KINDS]


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def test_distribution_with_every_kind_is_listed_without_import(acme: Path) -> None:
    asked = json.dumps([COMMANDS, WORDS, TARGETS, CALLS])
    ended = subprocess.run(
        [sys.executable, "-c", IN_ONE_PROCESS, asked],
        env=_environment(acme),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=acme,
    )

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert {asked: modules for asked, modules in found.items() if modules} == {}
    assert {path.stem for path in acme.glob("*.imported")} <= {"acme_hooks"}  # because of TARGETS


def test_import_of_the_distribution_would_be_noticed(acme: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "gymkernel", "list", "--load", "--json"],
        env=_environment(acme),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=acme,
    )

    assert ended.returncode == 1, ended.stderr
    left = {path.stem.removeprefix("acme_") for path in acme.glob("*.imported")}
    assert left == set(plugins.KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_listing_in_a_fresh_process(acme: Path, words: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "gymkernel", *words],
        env=_environment(acme),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=acme,
    )

    assert "Traceback" not in ended.stderr
    assert {path.stem for path in acme.glob("*.imported")} == set()


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize("words", WORDS + TARGETS, ids=" ".join)
def test_each_completion_in_a_fresh_process(acme: Path, words: list[str], shell: str) -> None:
    line = {"COMP_WORDS": " ".join(["gymkernel", *words]), "COMP_CWORD": words[-1] if shell == "fish" else len(words)}
    variables = {"_GYMKERNEL_COMPLETE": f"{shell}_complete", **{name: str(value) for name, value in line.items()}}
    ended = subprocess.run(
        [sys.executable, "-m", "gymkernel"],
        env={**_environment(acme), **variables},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        cwd=acme,
    )

    assert "Traceback" not in ended.stderr
    assert {path.stem for path in acme.glob("*.imported")} <= ({"acme_hooks"} if words in TARGETS else set())
