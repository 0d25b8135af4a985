"""Tests of what `gymkernel check` reads: options, project settings, older reports, and what to check for `--all`."""

from __future__ import annotations

import itertools
import json
import os
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from gymkernel.cli.app import cli
from gymkernel.cli.terminal import Terminal
from gymkernel_tool_check import checking, project, targets
from gymkernel_tool_check.cli.checking import check
from gymkernel_tool_check.cli.overview import Overview
from gymkernel_tool_check.records import Report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

pytestmark = pytest.mark.slow  # each test creates many environments or processes

WALKS = """
from gymkernel import Env, Space



class Line(Space):
    @classmethod
    def test_instances(cls):
        yield cls()

    def sample(self, mask=None, probability=None):
        if mask is not None or probability is not None:
            raise ValueError("no masks")
        return float(self.np_random.uniform(-1, 1))

    def contains(self, x):
        return isinstance(x, float)

    def __eq__(self, other):
        return isinstance(other, Line)

    __hash__ = None


class Walk(Env):
    def __init__(self, length=8):
        self.observation_space, self.action_space, self.length = Line(), Line(), length
        self.place = 0.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = float(self.np_random.normal()), 0
        return self.place, {}

    def step(self, action):
        self.time += 1
        self.place += action
        return self.place, 0.0, self.time >= self.length, False, {}


class Flag(Walk):
    def step(self, action):
        return (*super().step(action)[:3], 0, {})


class Nan(Walk):
    def step(self, action):
        return float("nan"), *super().step(action)[1:]


class Needy(Walk):
    def __init__(self, length):
        super().__init__(length)
"""
QUICK = ("--select", "GK2,GK31,GK40", "--steps", "30")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "walks.py").write_text(WALKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments], prog_name="gymkernel")


def settings(here: Path, text: str) -> None:
    (here / "pyproject.toml").write_text(f"[tool.gymkernel.check]\n{text}")


# --- options


def test_env_args_are_a_json_object() -> None:
    assert run("walks.py:Needy", *QUICK).exit_code == 1
    assert run("walks.py:Needy", *QUICK, "--make-kwargs", '{"length": 3}').exit_code == 0
    for text in ("[3]", "length=3"):
        result = run("walks.py:Needy", "--make-kwargs", text)
        assert result.exit_code == 2
        assert "expected a JSON object" in result.output


def test_env_args_reach_the_constructor() -> None:
    result = run("walks.py:Line", "--make-kwargs", '{"a": 1}')
    assert result.exit_code == 2
    assert "takes no arguments; make_kwargs can only be used" in result.stdout


def test_profiles_change_the_number_of_rules() -> None:
    def rules(*options: str) -> set[str]:
        data = json.loads(run("walks.py:Walk", "--steps", "20", "--format", "json", *options).stdout)
        return {rule["code"] for rule in data["targets"][0]["rules"]}

    fast, default = rules("--fast"), rules()
    assert fast < default


def test_single_instance_and_nondeterministic_options() -> None:
    result = run("walks.py:Walk", "-v", "--single-instance", "--nondeterministic", "--steps", "30")
    assert result.exit_code == 0
    assert "a second instance is needed" in result.stdout
    assert "nondeterministic" in result.stdout


# --- the settings of a project


def test_expected_failures_have_a_reason_and_do_not_fail(here: Path) -> None:
    settings(here, 'expected_failures = { gk314 = "the simulator speaks C" }')
    result = run("walks.py:Flag", *QUICK)
    assert result.exit_code == 0, result.stdout
    assert "expected: the simulator speaks C" in result.stdout
    assert "1 broken as expected" in result.stdout


def test_expectation_that_no_target_uses_is_reported(here: Path) -> None:
    settings(here, 'expected_failures = { GK314 = "the simulator speaks C" }')
    assert "GK006" not in json.dumps(found(run("walks.py:Flag", "walks.py:Walk", *QUICK, "--format", "json")))
    assert "GK006" not in json.dumps(found(run("walks.py:Walk", "walks.py:Flag", *QUICK, "--format", "json")))
    result = run("walks.py:Walk", "walks.py:Nan", *QUICK, "--format", "json", "--ignore", "GK403")
    assert found(result) == {"walks.py:Walk": [], "walks.py:Nan": ["GK006"]}
    assert result.exit_code == 0


def found(result: Result) -> dict[str, list[str]]:
    data = json.loads(result.stdout)
    return {target["target"]: [finding["code"] for finding in target["findings"]] for target in data["targets"]}


def test_target_can_have_its_own_settings(here: Path) -> None:
    settings(
        here,
        """
        ignore = ["GK314"]
        targets."*:Needy" = { make-kwargs = { length = 4 } }
        targets."walks.py:Nan".expected-failures = { GK403 = "the sensor drops out" }
        """,
    )
    assert run("walks.py:Flag", "walks.py:Needy", "walks.py:Nan", *QUICK).exit_code == 0


def test_command_line_overrides_settings(here: Path) -> None:
    settings(here, 'ignore = ["GK314"]\nseverity = "error"')
    assert run("walks.py:Flag", "--select", "GK31", "--ignore", "GK2").exit_code == 1


def test_project_severity_is_used(here: Path) -> None:
    settings(here, 'severity = "warning"\nexpected_failures = { GK314 = "why" }')
    assert run("walks.py:Walk", *QUICK).exit_code == 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("ignored = []", "unknown key 'ignored' in [tool.gymkernel.check]; expected one of compat, expected_failures"),
        ("ignore = 'GK1'", "ignore in [tool.gymkernel.check] must be a list, got 'GK1'"),
        ("severity = 'bad'", "must be one of info, warning, error"),
        ("targets.x.steps = 3", "unknown key 'steps' in [tool.gymkernel.check.targets."),
        ("= 3", "cannot be read"),
    ],
)
def test_invalid_settings_are_rejected(here: Path, text: str, message: str) -> None:
    settings(here, text)
    result = run("walks.py:Walk")
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())


def test_project_settings_come_from_the_target_or_the_folder(
    here: Path, install: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    install("acme-walks", modules={"acme_walks": WALKS}, spaces={"Line": "acme_walks:Line"})
    (here / "inner").mkdir()
    (here / "inner" / "other.py").write_text(WALKS)
    settings(here, 'severity = "info"')
    (here / "inner" / "pyproject.toml").write_text('[tool.gymkernel.check]\nseverity = "error"')

    def severity(text: str) -> str | None:
        return project.project_of(targets.expand(text)[-1]).severity

    assert severity("walks.py:Walk") == "info"
    assert severity("inner/other.py:Walk") == "error"
    assert severity("walks:Walk") == "info"
    assert severity("spaces.Line") == "info"
    monkeypatch.chdir(here / "inner")
    assert severity("spaces.Line") == "error"
    assert severity("../walks.py:Walk") == "info"


# --- older reports


def test_diff_shows_only_new_findings(here: Path) -> None:
    run("walks.py:Flag", *QUICK, "--format", "json", "--output", "old.json")
    assert run("walks.py:Flag", *QUICK, "--diff", "old.json").exit_code == 0
    body = (here / "walks.py").read_text().replace("self.place += action", "self.place += action * float('nan')")
    (here / "walks.py").write_text(body)
    result = run("walks.py:Flag", *QUICK, "--diff", "old.json", "--format", "json")
    assert result.exit_code == 1
    assert found(result) == {"walks.py:Flag": ["GK403"]}
    assert [item["code"] for item in json.loads(result.stdout)["targets"][0]["expected"]] == ["GK314"]


def test_known_findings_stay_known_in_later_reports(here: Path) -> None:
    run("walks.py:Flag", *QUICK, "--format", "json", "--output", "1.json")
    run("walks.py:Flag", *QUICK, "--format", "json", "--diff", "1.json", "--output", "2.json")
    assert run("walks.py:Flag", *QUICK, "--diff", "2.json").exit_code == 0


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "gymkernel.check/1"}'])
def test_diff_with_an_invalid_report_is_rejected(here: Path, text: str) -> None:
    (here / "old.json").write_text(text)
    result = run("walks.py:Flag", "--diff", "old.json")
    assert result.exit_code == 2
    assert "is not a report" in result.output


# --- everything


def test_all_option_prints_a_line_per_target_and_a_matrix(install: Callable[..., Path]) -> None:
    source = WALKS + "\nfrom gymkernel.specs import EnvSpec\nFLAG = EnvSpec('Flag-v0', Flag, order_enforce=False)\n"
    install(
        "acme-walks",
        modules={"acme_walks": source},
        spaces={"Line": "acme_walks:Line"},
        envs={"Flag-v0": "acme_walks:FLAG"},
    )
    result = run("--all", *QUICK)
    assert result.exit_code == 1
    shown = [line.split() for line in result.stdout.splitlines()]
    for line in (["✓", "acme-walks", "sound"], ["✓", "spaces.Line", "sound"], ["✗", "Flag-v0", "GK314"]):
        assert line in shown
    assert ["┌", "GK314", "terminated", "and", "truncated", "are", "booleans"] in shown
    assert ["Flag-v0", "✗"] in shown


def test_all_option_without_plugins_checks_nothing(disable: Callable[..., None]) -> None:
    disable("*")
    assert CliRunner().invoke(check, ["--all"]).exit_code == 0


def test_output_of_a_target_is_in_no_format(here: Path) -> None:
    body = (here / "walks.py").read_text().replace("self.time += 1", "self.time += 1; print('<noise>', flush=True)")
    (here / "walks.py").write_text(body)
    for form in ("text", "json", "junit", "sarif", "html", "github"):
        result = run("walks.py:Flag", *QUICK, "--format", form)
        assert "<noise>" not in result.output
        assert result.exit_code == 1
    assert os.environ.get("TMPDIR") is None or "gymkernel-check" not in os.environ["TMPDIR"]


# --- the option --quiet


def test_quiet_prints_only_findings_and_the_verdict() -> None:
    sound, broken = run("walks.py:Walk", *QUICK, "-q"), run("walks.py:Flag", *QUICK, "-q")

    assert sound.stdout.startswith("walks.py:Walk is sound")
    assert broken.stdout.startswith("walks.py:Flag has 1 error")
    assert "\nGK314 error  " in broken.stdout
    assert "steps a second" not in sound.stdout + broken.stdout
    assert "✓" not in sound.stdout + broken.stdout


def test_each_skip_reason_is_printed_once(here: Path) -> None:
    text = (here / "walks.py").read_text()
    (here / "alone.py").write_text(text.replace("def __init__(self):", "made = 0\n\n    def __init__(self):", 1))
    shown = run("alone.py:Walk", "-v", "--single-instance", "--budget", "60").stdout
    reason = "a second instance is needed, but --single-instance forbids it"

    assert " ".join(shown.split()).count(reason) == 1
    assert "rules)" in shown.partition("\nskipped\n")[2]


def test_non_environment_error_is_one_sentence() -> None:
    result = run("json:JSONDecoder")

    assert result.exit_code == 2
    assert "it is not an environment but a JSONDecoder, which has neither reset nor step" in result.stdout
    assert len(result.stdout.splitlines()) < 5


def test_vector_environment_is_rejected_with_a_sentence(here: Path) -> None:
    (here / "many.py").write_text("""
class Many:
    num_envs = 4
    single_action_space = 'Discrete(2)'
    def reset(self, *, seed=None, options=None): ...
    def step(self, actions): ...
def make(): return Many()
""")
    result = run("many.py:make")

    assert result.exit_code == 2
    assert "it is a vector environment (Many)" in " ".join(result.stdout.split())


@pytest.mark.slow
def test_budget_is_spent_on_the_first_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check with a fake clock that advances by the same amount whenever it is read, before each group of rules."""
    looks = itertools.count()
    monkeypatch.setattr(checking, "time", SimpleNamespace(perf_counter=lambda: 0.05 * next(looks)))
    result = run("walks.py:Walk", "--budget", "0.2", "--format", "json")
    (report,) = json.loads(result.stdout)["targets"]
    late = [item["code"] for item in report["skipped"] if "the budget of 0.2 s was spent" in item["reason"]]

    assert late[-1] >= "GK9"
    assert "GK001" in report["passed"]
    assert next(looks) > 5


def test_progress_bar_shows_the_remaining_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    now, written = [0.0], list[str]()
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    terminal = Terminal()
    terminal.unicode, terminal.live = False, True
    monkeypatch.setattr(terminal, "write_live", written.append)
    view = Overview(terminal, ["a", "b", "c", "d"], "warning")
    for name in ("a", "b"):
        view.begin(name)
    now[0] = 30.0
    report = Report("a")
    report.passed.append("GK001")
    view.finish(report)

    assert written[-1] == "  #####...............  1 of 4, about 1:30 left  b"


def test_interrupt_ends_parallel_checks(install: Callable[..., Path]) -> None:
    source = (
        WALKS
        + "\nfrom gymkernel.specs import EnvSpec\n"
        + "".join(f"ENV{i} = EnvSpec('Flag-v{i}', Flag, order_enforce=False)\n" for i in range(4))
    )
    install("acme-walks", modules={"acme_walks": source}, envs={f"Flag-v{i}": f"acme_walks:ENV{i}" for i in range(4)})
    begun: list[str] = []

    def begin(self: Any, name: str) -> None:
        begun.append(name)
        self.running.append(name)
        if len(begun) > 2:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Overview, "begin", begin)
        result = run("--all", *QUICK)
    assert result.exit_code == 130
    assert "interrupted" in result.output
