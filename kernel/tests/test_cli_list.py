"""Tests of the commands `gymkernel list` and `gymkernel info`, and of `gymkernel` without a command."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from gymkernel.cli import inventory
from gymkernel.cli.app import COMMANDS, cli
from gymkernel.cli.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

SHAPES = """
from gymkernel import Env, Space, ops
from gymkernel.space import Field

class Pyramid(Space):
    '''Numbers that pile up.

    More of it.
    '''

    def __init__(self, height=3, seed=None):
        super().__init__((), int, seed)

    def layout(self):
        return (Field.of(int),)

@ops.flatdim.register(Pyramid)
def _flatdim(space):
    return 1

class Climb(Env):
    def __init__(self, height=3):
        self.observation_space = self.action_space = Pyramid(height)

not_a_class = 3
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), prog_name="gymkernel")


def items(*arguments: str) -> dict[str, dict[str, Any]]:
    data = json.loads(run("list", *arguments, "--format", "json").stdout)
    assert data["schema"] == inventory.SCHEMA
    return {item["name"]: item for item in data["items"]}


@pytest.fixture
def shapes(install: Callable[..., Path]) -> None:
    kinds = {"spaces": {"Pyramid": "shapes:Pyramid"}, "envs": {"Climb-v0": "shapes:Climb"}}
    install("acme-shapes", "1.2", modules={"shapes": SHAPES}, **kinds)


def test_overview_shows_every_kind_without_importing_plugins(shapes: None) -> None:
    result = run("list")
    assert result.exit_code == 0
    for line in ("spaces  1, 11 more are known but not installed", "wrappers  0, ", "  Pyramid\n", "  Climb-v0\n"):
        assert line in result.stdout
    assert "shapes" not in sys.modules


def test_overview_fits_one_screen(install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Terminal, "__init__", _narrow(Terminal.__init__))
    names = {f"{'Wide' * (i % 5 + 1)}{i}": "shapes:Pyramid" for i in range(60)}
    kinds = ("spaces", "wrappers", "vector", "vector_wrappers", "utils", "modules", "envs", "commands")
    groups = "".join(f"[gymkernel.{kind}]\n{_lines(names)}" for kind in kinds)
    install("acme-shapes", modules={"shapes": SHAPES}, entry_points=groups)

    lines = run("list").stdout.splitlines()

    assert len(lines) < 28  # leaves room for four more lines
    assert max(map(len, lines)) <= 80
    assert re.search(r"\n  Wide\w+  +Wide\w+  +52 more\nwrappers  60, ", "\n".join(lines))
    assert "and  60 utils, 60 modules, 0 checks" in lines


def _narrow(start: Callable[..., None]) -> Callable[..., None]:
    def begin(terminal: Terminal, stream: Any = None) -> None:
        start(terminal, stream)
        terminal.width = 80

    return begin


def test_names_of_a_kind_are_listed_in_columns(install: Callable[..., Path]) -> None:
    metadata = "Metadata-Version: 2.4\nName: acme-shapes\nVersion: 1.2\nSummary: Solids with: corners\n\nWords.\n"
    names = {f"Solid{i}": "shapes:Pyramid" for i in range(30)}
    install("acme-shapes", modules={"shapes": SHAPES}, metadata=metadata, spaces=names)

    shown = run("list", "spaces").stdout
    assert re.search(r"\n  Solid0 +Solid1 +Solid10 ", shown)
    assert all(name in shown for name in names)
    assert "corners" not in shown

    for output in (run("list", "spaces", "-v").stdout, run("list", "spaces", "solid*").stdout):
        assert re.search(r"\n  Solid7 +Solids with: corners \(acme-shapes 1.2\)\n", output)
    assert items("spaces")["Solid7"]["summary"] == "Solids with: corners"
    assert "shapes" not in sys.modules


def test_json_option_selects_the_json_format(shapes: None) -> None:
    assert run("list", "spaces", "--json").stdout == run("list", "spaces", "--format", "json").stdout


def test_overview_shows_helpers_and_modules_only_if_broken(install: Callable[..., Path]) -> None:
    paths = {"spaces.pyramid": "shapes", "spaces.sphere": "nothing"}
    groups = "[gymkernel.spaces]\nPyramid = shapes:Pyramid\n[gymkernel.modules]\n" + _lines(paths)
    install("acme-shapes", modules={"shapes": SHAPES}, entry_points=groups)
    install("acme-tool", modules={"acme_tool": ""}, utils={"utils.tool.cut": "acme_tool:cut"})

    assert {name: item["state"] for name, item in items("modules", "spaces.*").items() if item["state"] == "found"} == (
        dict.fromkeys(paths, "found")
    )
    overview = run("list").stdout
    assert "Pyramid" in overview
    assert "pyramid" not in overview
    assert "and  1 utils, 2 modules, 0 checks\none kind: gymkernel list KIND" in overview
    assert "shapes" not in sys.modules

    result = run("list", "--load")

    assert result.exit_code == 1
    assert "ModuleNotFoundError: No module named 'nothing'" in " ".join(result.stdout.split())
    assert "utils.tool.cut" in result.stdout
    assert "spaces.pyramid" not in result.stdout


def _lines(entries: dict[str, str]) -> str:
    return "".join(f"{name} = {value}\n" for name, value in entries.items())


def test_info_describes_modules_and_helpers(install: Callable[..., Path]) -> None:
    install(
        "acme-shapes",
        modules={"shapes": '"""Shapes with corners."""\ndef dig(depth): "Make a hole."'},
        entry_points="[gymkernel.modules]\nspaces.shapes = shapes\n[gymkernel.utils]\nutils.hole.dig = shapes:dig\n",
    )

    assert "Shapes with corners." in run("info", "spaces.shapes").stdout
    assert "dig(depth)" in run("info", "utils.hole.dig").stdout


def test_list_filters_by_kind_and_case_insensitive_glob(shapes: None) -> None:
    assert set(items("spaces", "pyr*")) == {"Pyramid"}
    assert set(items("envs", "CLIMB*")) == {"Climb-v0"}
    assert "Pyramid" in run("list", "pyramid").stdout


def test_pattern_without_matches_is_reported(shapes: None) -> None:
    result = run("list", "spaces", "zzz")
    assert result.exit_code == 1
    assert "nothing matches 'zzz'\n" in result.stderr


@pytest.mark.parametrize(
    "words,suggestion",
    [(["spacs"], "spaces"), (["wrapers"], "wrappers"), (["Piramid"], "Pyramid"), (["envs", "Clim-v0"], "Climb-v0")],
    ids=" ".join,
)
def test_misspelled_kind_or_name_gets_a_suggestion(shapes: None, words: list[str], suggestion: str) -> None:
    result = run("list", *words)
    assert result.exit_code == 1
    assert f"nothing matches {words[-1]!r}; did you mean {suggestion}?" in result.stderr


def test_unknown_kind_is_a_usage_error(shapes: None) -> None:
    result = run("list", "colours", "x*")
    assert result.exit_code == 2
    assert "expected a kind (spaces, wrappers, " in result.stderr


def test_missing_known_plugin_is_listed_with_its_pip_command(install: Callable[..., Path]) -> None:
    install("acme-shapes")
    assert items("spaces")["Box"]["state"] == "missing"
    assert "pip install gymkernel-space-box" in run("list", "spaces").stdout


@pytest.mark.parametrize(
    "kwargs, state, problem",
    [
        ({"modules": {"odd": "import absent_simulator"}}, "broken", "pip install absent-simulator"),
        ({"modules": {"odd": "1 / 0"}}, "broken", "ZeroDivisionError"),
        ({"modules": {"odd": "X = 1"}}, "broken", "has no attribute 'Odd'"),
        ({"modules": {"odd": "Odd = 1"}}, "broken", "must refer to a class"),
        ({"requires": "gymkernel>=99"}, "broken", "needs gymkernel>=99"),
    ],
)
def test_load_option_shows_broken_and_working_plugins(
    shapes: None, install: Callable[..., Path], kwargs: dict[str, Any], state: str, problem: str
) -> None:
    install("odd-space", spaces={"Odd": "odd:Odd"}, **kwargs)
    result = run("list", "spaces", "--load")
    assert result.exit_code == 1
    assert state in result.stdout
    assert problem in " ".join(result.stdout.split())
    assert "\n  Pyramid\n" in result.stdout
    assert items("spaces", "--load")["Pyramid"]["state"] == "loaded"


@pytest.mark.parametrize(
    "module",
    ["import Box2D", "try:\n    import Box2D\nexcept ImportError as e:\n    raise ValueError('reraised') from e"],
)
def test_plugin_without_its_environment_package_is_incomplete(
    monkeypatch: pytest.MonkeyPatch, install: Callable[..., Path], module: str
) -> None:
    monkeypatch.setitem(sys.modules, "Box2D", None)  # simulates that the package is not installed
    install("acme", modules={"odd": module}, entry_points="[gymkernel.modules]\nenvs.odd = odd\n")
    assert items("modules")["envs.odd"]["state"] == "found"
    odd = items("modules", "--load")["envs.odd"]
    assert odd["state"] == "incomplete"
    assert (
        odd["problem"] == 'gymkernel.envs.odd needs Box2D, which is not installed; run: pip install "gymkernel[box2d]"'
    )
    assert run("list", "modules", "--load").exit_code == 0


def test_plugin_for_a_newer_kernel_is_listed_but_not_loaded(install: Callable[..., Path]) -> None:
    install("odd-space", requires="gymkernel>=99", spaces={"Odd": "odd:Odd"})
    odd = items("spaces")["Odd"]
    assert odd["state"] == "incompatible"
    assert "pip install --upgrade gymkernel odd-space" in odd["problem"]


def test_disabled_and_conflicting_plugins_are_marked(
    install: Callable[..., Path], disable: Callable[..., None]
) -> None:
    for name in ("acme", "zorg", "off"):
        install(name, modules={name: SHAPES}, spaces={"Off" if name == "off" else "Pyramid": f"{name}:Pyramid"})
    disable("off")
    found = items("spaces")
    assert found["Off"]["state"] == "disabled"
    assert found["Pyramid"]["state"] == "conflict"
    assert "GYMKERNEL_DISABLE=" in found["Pyramid"]["problem"]
    assert run("list", "spaces").exit_code == 0
    assert run("list", "spaces", "--load").exit_code == 1


def test_unreadable_distribution_is_reported(install: Callable[..., Path]) -> None:
    install("odd", metadata=b"Version: 1\n\n", spaces={"Odd": "odd:Odd"})
    result = run("list")
    assert result.exit_code == 0
    assert "cannot be read" in result.stdout


def test_overview_shows_broken_hooks(install: Callable[..., Path]) -> None:
    install("odd", hooks={"odd": "absent_module"})
    with pytest.warns(UserWarning, match=r"hooks of odd 1.0 are skipped|hooks\.odd of odd 1.0 .* is not called"):
        result = run("list", "--load")
    assert result.exit_code == 1
    assert "others" in result.stdout


def test_matrix_distinguishes_registered_derived_and_absent(shapes: None) -> None:
    assert "--load shows the operations of each space" in run("list", "spaces").stdout
    data = json.loads(run("list", "spaces", "--load", "--format", "json").stdout)
    operations = data["operations"]["Pyramid"]
    assert (operations["flatdim"], operations["flatten"], operations["iterate"]) == ("registered", "derived", "absent")
    result = run("list", "spaces", "--load")
    assert "registered" in result.stdout
    assert "write_to_shared_memory" in result.stdout


def test_plugins_are_grouped_by_distribution(shapes: None) -> None:
    result = run("list", "plugins", "acme*")
    assert "acme-shapes 1.2  needs gymkernel>=0.1,<1" in result.stdout
    assert "spaces.Pyramid" in result.stdout


def test_rule_packs_are_listed_without_an_import(install: Callable[..., Path]) -> None:
    install("acme-rules", modules={"acme_rules": "1 / 0"}, checks={"envs.acme": "acme_rules"})
    result = run("list", "checks", "envs.*")
    assert "envs.acme  (acme-rules 1.0)" in result.stdout
    assert "acme_rules" not in sys.modules
    assert items("checks")["envs.acme"]["state"] == "found"
    assert "ZeroDivisionError" in run("list", "checks", "--load").stdout


def test_hooks_add_lines_even_if_another_hook_is_broken(shapes: None, install: Callable[..., Path]) -> None:
    good = """
    from gymkernel.hooks import hookimpl

    @hookimpl
    def gymkernel_report_lines():
        return ["simulator 3.1"]
    """
    bad = good.replace('return ["simulator 3.1"]', "raise OSError")
    install("lab-good", modules={"lab_good": good}, hooks={"good": "lab_good"})
    install("lab-bad", modules={"lab_bad": bad}, hooks={"bad": "lab_bad"})
    with pytest.warns(UserWarning, match="lab-bad:bad failed: OSError"):
        assert "simulator 3.1" in run("list", "--load").stdout


def test_greeting_recommends_only_installed_commands(install: Callable[..., Path]) -> None:
    bare = run()
    install("acme-tools", commands={"check": "acme_tools:check", "bench": "acme_tools:bench"})
    result = run()

    assert bare.exit_code == result.exit_code == 0
    assert re.findall(r"^  gymkernel (\w+)", bare.stdout, re.MULTILINE) == ["info", "list"]
    assert re.findall(r"^  gymkernel (\w+)", result.stdout, re.MULTILINE) == ["bench", "check", "info", "list"]
    assert "gymkernel COMMAND --help explains a command" in result.stdout


def test_version_and_help(shapes: None) -> None:
    assert run("--version").stdout.startswith("gymkernel 0.")
    for name in COMMANDS:
        assert name in run("--help").stdout
        assert run(name, "--help").exit_code == 0
    misspelled = run("lst")
    assert misspelled.exit_code == 2
    assert "there is no command lst; did you mean list?" in misspelled.stderr


# --- info


def test_info_describes_a_space(shapes: None) -> None:
    result = run("info", "Pyramid")
    assert result.exit_code == 0
    for text in (
        "acme-shapes 1.2",
        "shapes:Pyramid",
        "shapes.py:",
        "Pyramid(height=3, seed=None)",
        "Numbers that pile up.",
    ):
        assert text in result.stdout
    assert "More of it" not in result.stdout
    assert "flatdim" in result.stdout
    assert run("info", "spaces.Pyramid").stdout == result.stdout


def test_info_describes_an_environment(shapes: None) -> None:
    result = run("info", "Climb-v0")
    assert "Climb(height=3)" in result.stdout
    assert "order_enforce=True" in result.stdout
    assert run("info", "Climb").stdout == result.stdout


def test_info_describes_a_distribution(shapes: None) -> None:
    data = json.loads(run("info", "Acme_Shapes", "--format", "json").stdout)
    assert data["found"][0]["version"] == "1.2"


def test_info_describes_broken_missing_and_unknown_names(install: Callable[..., Path]) -> None:
    install("odd-space", modules={"odd": "1 / 0"}, spaces={"Odd": "odd:Odd"})
    assert "broken" in run("info", "Odd").stdout
    assert "pip install gymkernel-space-box" in run("info", "Box").stdout
    unknown = run("info", "Bxo")
    assert unknown.exit_code == 2
    assert "did you mean Box" in unknown.stderr


def test_info_describes_a_vectorization_mode(install: Callable[..., Path]) -> None:
    install("acme-farm", modules={"farm": "class FarmVectorEnv: ..."}, vector={"FarmVectorEnv": "farm:FarmVectorEnv"})
    shown = run("info", "farm").stdout
    assert shown == run("info", "FarmVectorEnv").stdout
    assert shown.startswith("FarmVectorEnv (vector backend)")
    assert 'make_vec(..., vectorization_mode="farm")' in shown
    assert "pip install gymkernel-vector-async" in run("info", "async").stdout
    assert "did you mean farm" in run("info", "frm").stderr


def test_info_describes_vectorized_entry_points(install: Callable[..., Path]) -> None:
    assert "none installed" in run("info", "vector_entry_point").stdout
    spec = """
    from gymkernel.specs import EnvSpec

    SPEC = EnvSpec("Farm-v0", vector_entry_point="farm:Many")
    """
    install("acme-farm", modules={"farm": spec}, envs={"Farm-v0": "farm:SPEC"})
    shown = run("info", "vector_entry_point").stdout
    assert "Farm-v0" in shown
    assert "environment's own vectorised form" in shown


def test_info_of_a_rule_points_to_the_checker() -> None:
    result = run("info", "gk404")
    assert result.exit_code == 2
    assert "gk404 is unknown; gymkernel check --explain GK404 explains a rule" in result.stderr


# --- the process


@pytest.mark.parametrize("shell, words", [("bash", "list sp"), ("zsh", "list sp"), ("fish", "list sp")])
def test_kinds_are_completed_in_every_shell(shell: str, words: str) -> None:
    environment = {"_GYMKERNEL_COMPLETE": f"{shell}_complete", "COMP_WORDS": f"gymkernel {words}", "COMP_CWORD": "2"}
    if shell == "fish":
        environment["COMP_CWORD"] = "sp"
    code = "from gymkernel.cli import main; main()"
    shown = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "spaces" in shown.stdout


def test_completion_of_names_reads_only_metadata(shapes: None) -> None:
    from gymkernel.cli import completion

    assert [item.value for item in completion.names(None, None, "py")] == ["Pyramid"]  # type: ignore[arg-type]
    assert "acme-shapes" in [item.value for item in completion.names(None, None, "acme")]  # type: ignore[arg-type]
    assert "shapes" not in sys.modules


def test_list_imports_neither_numpy_nor_env_nor_plugins() -> None:
    code = """
import sys
from gymkernel.cli.app import cli
cli(["list"], standalone_mode=False)
heavy = {"numpy", "pluggy", "multiprocessing", "unittest"} & sys.modules.keys()
ours = ("gymkernel_", "gymkernel.env", "gymkernel.checks", "gymkernel.space", "gymkernel.specs")
print(sorted(heavy), [name for name in sys.modules if name.startswith(ours)])
"""
    without_hooks = {**os.environ, "GYMKERNEL_DISABLE": "gymkernel-bridge-gymnasium"}  # this plugin implements a hook
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=without_hooks)
    assert shown.stdout.splitlines()[-1] == "[] []"


def test_internal_failure_exits_with_status_2(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "from gymkernel.cli import app, main; app.cli = None; main()"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert shown.returncode == 2


@pytest.mark.parametrize("module", ["checks", "testing", "utils.env_checker"])
def test_missing_checker_names_its_pip_command(install: Callable[..., Path], module: str) -> None:
    result = run("check", "CartPole-v1")

    assert result.exit_code == 2
    assert "gymkernel check is not installed; run: pip install gymkernel-tool-check" in result.stderr
    with pytest.raises(ImportError, match="pip install gymkernel-tool-check"):
        importlib.import_module(f"gymkernel.{module}").check_env  # noqa: B018 - accessing the missing name raises an error
