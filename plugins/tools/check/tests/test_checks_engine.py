"""Tests of how a check is carried out: what can be checked, processes that die, reports, and rules from plugins."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import Env, plugins
from gymkernel_tool_check import catalogue, loading, targets
from gymkernel_tool_check.checks import CheckFailed, Fault, check, probe, rule, rules
from gymkernel_tool_check.cli.results import Results
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.records import SCHEMA, Report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gymkernel_tool_check.checks import Finding

WALK = """
import numpy as np
from gymkernel import Env, Space
from gymkernel.specs import EnvSpec


class Line(Space):
    def sample(self, mask=None, probability=None):
        assert mask is None is probability
        return float(self.np_random.uniform(-1, 1))

    def contains(self, x):
        return isinstance(x, float) and abs(x) <= 1e9

    def __eq__(self, other):
        return isinstance(other, Line)


class Walk(Env):
    '''A walk.'''

    def __init__(self):
        self.observation_space, self.action_space = Line(), Line()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = float(self.np_random.normal()), 0
        return self.place, {}

    def step(self, action):
        self.place += action
        self.time += 1
        self.act()
        return self.place, 0.0, self.time > 8, False, {}

    def act(self):
        pass


class Nan(Walk):
    def act(self):
        self.place = float("nan")


WALK = EnvSpec("Walk-v0", Walk, order_enforce=False, disable_env_checker=True)
"""


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Return a function that writes an environment with the given `act` to a file and returns the class's name."""
    monkeypatch.chdir(tmp_path)

    def write(act: str, method: str = "act(self)") -> str:
        body = dedent(act).strip().replace("\n", "\n        ")
        (tmp_path / "walks.py").write_text(f"{WALK}\n\nclass Odd(Walk):\n    def {method}:\n        {body}\n")
        return "walks.py:Odd"

    return write


def only(report: Report) -> Finding:
    assert len(report.findings) == 1, [str(finding) for finding in report.findings]
    return report.findings[0]


# --- targets


@pytest.mark.slow
def test_file_with_a_class_is_a_target(walk: Callable[[str], str]) -> None:
    report = check(walk("pass"))
    assert report.verdict == "clean"
    assert report.found["class"] == "walks:Odd"
    assert report.measured["steps_per_second"] > 0
    assert report.tried["step"] > 0


@pytest.mark.slow
def test_module_and_class_are_a_target(walk: Callable[[str], str]) -> None:
    walk("pass")
    assert check("walks:Walk").verdict == "clean"


@pytest.mark.slow
@pytest.mark.parametrize("word", ["pack:Pack-v1", "pack:Pack"])
def test_module_before_the_id_can_register_it(walk: Callable[[str], str], tmp_path: Path, word: str) -> None:
    walk("pass")
    (tmp_path / "pack.py").write_text(
        "from gymkernel import register\n\n"
        "register('Pack-v1', 'walks:Walk', order_enforce=False, disable_env_checker=True)\n"
    )
    report = check(word)
    assert (report.failure, report.at_least("error")) == ("", [])
    assert report.found["name"] == "Pack-v1"


def test_finding_has_a_place_and_a_program(walk: Callable[[str], str], tmp_path: Path) -> None:
    walk("pass")
    finding = only(check("walks:Nan", select=["GK4"]))
    assert finding.code == "GK403"
    assert (finding.file, finding.step) == (str(tmp_path / "walks.py"), 1)
    shown = subprocess.run([sys.executable, "-c", finding.reproducer], check=True, capture_output=True, text=True)
    assert shown.stdout == "nan\n"


@pytest.mark.parametrize(
    "target, message",
    [
        ("absent.py:Env", "there is no file absent.py"),
        pytest.param("walks.py:Wlk", "did you mean Walk?", marks=pytest.mark.slow),
        pytest.param(
            "walks.py",
            "walks.py contains several classes; choose one: walks.py:Walk, walks.py:Nan, walks.py:Odd",
            marks=pytest.mark.slow,
        ),
        pytest.param("absent_module:Env", "there is no module absent_module", marks=pytest.mark.slow),
        pytest.param("walks:Wlk", "walks has no Wlk; did you mean Walk?", marks=pytest.mark.slow),
        pytest.param("walks:np", "expected an environment, its class, or a space", marks=pytest.mark.slow),
        pytest.param("Walk-v7", "Environment `Walk` doesn't exist", marks=pytest.mark.slow),
        pytest.param("not a name", "Malformed environment ID", marks=pytest.mark.slow),
    ],
)
def test_missing_target_is_reported(walk: Callable[[str], str], target: str, message: str) -> None:
    walk("pass")
    report = check(target)
    assert message in report.failure
    assert report.verdict == "failure"


@pytest.mark.slow
def test_failing_import_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "needy.py").write_text("import absent_simulator\n")
    for target in ("needy:Arm", "needy.py:Arm"):
        finding = only(check(target))
        assert finding.code == "GK001"
        assert "absent_simulator" in finding.message
        assert finding.place == f"{tmp_path / 'needy.py'}:1"


@pytest.mark.slow
def test_installed_environment_is_a_target(install: Callable[..., Path]) -> None:
    install("acme-walks", modules={"acme_walks": WALK}, envs={"Walk-v0": "acme_walks:WALK"})
    report = check("Walk-v0")
    assert report.verdict == "clean"
    assert (report.found["distribution"], report.found["version"]) == ("acme-walks", "1.0")
    assert {"GK911", "GK912"} <= set(report.passed)
    assert check("Walk").found["name"] == "Walk-v0"


@pytest.mark.slow
def test_distribution_includes_everything_it_provides(install: Callable[..., Path]) -> None:
    install(
        "acme-walks",
        modules={"acme_walks": WALK},
        envs={"Walk-v0": "acme_walks:WALK"},
        spaces={"Line": "acme_walks:Line", "Curve": "acme_walks:Curve"},
    )
    found = targets.expand("Acme_Walks")
    assert [item.text for item in found] == ["acme-walks", "spaces.Curve", "spaces.Line", "Walk-v0"]
    with pytest.raises(ValueError, match="4 targets"):
        check("acme-walks")
    assert check("spaces.Line").verdict == "clean"
    finding = only(check("spaces.Curve"))
    assert finding.code == "GK911"
    assert "acme-walks" in finding.message


@pytest.mark.slow
def test_missing_extra_is_not_a_finding(install: Callable[..., Path]) -> None:
    absent = "raise ModuleNotFoundError(\"No module named 'Box2D'\", name='Box2D')\n"
    install("acme-walks", modules={"acme_walks": absent}, spaces={"Line": "acme_walks:Line"})

    report = check("spaces.Line")
    assert not report.findings
    assert 'run: pip install "gymkernel[box2d]"' in report.skipped["GK911"]


@pytest.mark.slow
def test_two_providers_are_a_finding(install: Callable[..., Path]) -> None:
    for name in ("acme", "zorg"):
        install(name, modules={name: WALK}, spaces={"Line": f"{name}:Line"})
    report = check("Line")
    assert only(report).code == "GK912"


# --- dying processes


@pytest.mark.slow
def test_hang_is_a_finding_with_its_line(walk: Callable[[str], str], tmp_path: Path) -> None:
    target = walk("""
        while self.time > 3:
            pass
    """)
    for seconds in (1, 30):  # on a busy machine, calls that do not hang take longer
        report = check(target, timeout=seconds, select=["GK317"])
        if [item.step for item in report.findings] == [4]:
            break
    finding = only(report)
    assert finding.code == "GK003"
    assert finding.message == f"step did not return in {seconds} s at step 4 of episode 1 (seed 123)"
    assert finding.file == str(tmp_path / "walks.py")


def test_crash_is_a_finding_and_the_check_continues(walk: Callable[[str], str]) -> None:
    report = check(walk("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))
    finding = only(report)
    assert finding.code == "GK003"
    assert "SIGSEGV" in finding.message
    assert "(GK003)" in report.skipped["GK401"]
    assert {"GK206", "GK212"} <= set(report.passed)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["import sys; sys.exit(0)", "import os; os._exit(0)"])
def test_exit_is_a_finding_even_with_status_0(walk: Callable[[str], str], way: str) -> None:
    assert only(check(walk(way))).code == "GK003"


@pytest.mark.slow
def test_crashing_constructor_ends_the_check(walk: Callable[..., str]) -> None:
    finding = only(check(walk("import os; os._exit(3)", "__init__(self)")))
    assert finding.message == "the constructor ended the process with status 3"


@pytest.mark.slow
def test_import_that_exits_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exits.py").write_text("raise SystemExit(0)\n")
    assert only(check("exits.py:Env")).code == "GK003"


@pytest.mark.slow
def test_output_and_input_of_an_environment_are_isolated(walk: Callable[[str], str]) -> None:
    report = check(
        walk("""
            import os, sys
            print('{"event": "end"}')
            print("@step|1|1", file=sys.stderr)
            os.write(1, b"x" * 100_000)
            assert sys.stdin.read() == ""
        """)
    )
    assert {finding.code for finding in report.findings} <= {"GK954"}  # the environment prints


@pytest.mark.slow
def test_leftover_processes_are_killed(walk: Callable[..., str], tmp_path: Path) -> None:
    target = walk(
        """
        import subprocess, sys
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        with open("pids", "a") as file:
            print(process.pid, file=file)
        super().__init__()
        """,
        "__init__(self)",
    )
    assert check(target, select=["GK001"]).verdict == "clean"
    for pid in (tmp_path / "pids").read_text().split():
        for _ in range(300):
            state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout
            if state.strip()[:1] in {"", "Z"}:
                break
            time.sleep(0.1)
        else:
            pytest.fail(f"process {pid} is still there: {state}")


# --- rules and reports


def test_rules_are_selected_by_code_prefix() -> None:
    chosen = [item.code for item in catalogue.chosen(rules("envs"), Options(("gk2", "GK401"), ("GK205",)))]
    assert {"GK201", "GK401", *catalogue.ALWAYS} - {"GK700"} <= set(chosen)
    assert "GK700" in [item.code for item in catalogue.chosen(rules("spaces"), Options(("GK72",)))]
    assert not {"GK205", "GK402"} & set(chosen)


def test_unknown_code_is_rejected() -> None:
    with pytest.raises(ValueError, match="begins with GK77"):
        check(Env, select=["GK77"])


def test_every_rule_has_an_explanation() -> None:
    for item in rules():
        assert item.title.split()[0] not in {"The", "A", "An", "It", "Every", "No"}
        assert not item.title.endswith(".")
        assert item.why.endswith(".")
        assert item.fix.endswith((".", ";", "None."))
        assert item.severity in {"error", "warning", "info"}
        assert item.heading != "more rules"


def divides(subject: Any, seen: Any) -> Any:
    raise ZeroDivisionError


def asks_for_more(subject: Any, seen: Any) -> Any:
    yield Fault(f"it weighs {subject.options.weight}")


FAILING: dict[str, list[tuple[Any, str]]] = {
    "GK005": [(divides, "ZeroDivisionError"), (asks_for_more, "AttributeError")]
}


@pytest.mark.parametrize("function, name", FAILING["GK005"])
def test_failing_rule_is_a_checker_failure_and_others_run(
    monkeypatch: pytest.MonkeyPatch, function: Any, name: str
) -> None:
    broken = rule("LAB001", "the laboratory is open", why="It must.", fix="Open it.")(function)
    plain = catalogue.rules
    monkeypatch.setattr(catalogue, "rules", lambda kind=None: [broken, *plain(kind)])
    report = check(Env)
    assert f"LAB001 (the laboratory is open) raised {name}" in report.findings[-1].message
    assert (report.findings[-1].code, report.findings[-1].severity) == ("GK005", "info")
    assert report.checker_failures == report.findings[-1:]
    assert report.skipped["LAB001"] == "the rule failed (GK005)"
    assert "GK101" in {finding.code for finding in report.findings}


@pytest.mark.slow
def test_plugin_adds_rules(install: Callable[..., Path], walk: Callable[[str], str]) -> None:
    source = """
    from gymkernel.checks import Fault, rule

    @rule("LAB001", "the environment has a name", why="Logs show it.", fix="Set name.", severity="warning")
    def named(subject, seen):
        if not hasattr(subject.env(), "name"):
            yield Fault("expected a name, got none", "reset", show="print(env.name)")
    """
    install("lab-checks", modules={"lab_checks": source}, checks={"envs.lab": "lab_checks"})
    finding = only(check(walk("pass")))
    assert (finding.code, finding.severity) == ("LAB001", "warning")
    assert finding.reproducer.endswith("print(env.name)")


def test_fast_profile_has_the_rules_of_quick_probes() -> None:
    texts = {"why": "Because.", "fix": "Fix it."}
    quick = rule("LAB001", "it is so", probe=probe(quick=True)(repr), **texts)(lambda *_: ())
    slow = rule("LAB002", "it is so", probe=probe()(repr), **texts)(lambda *_: ())
    undeclared = rule("LAB003", "it is so", probe=repr, **texts)(lambda *_: ())

    assert [item.profile for item in (quick, slow, undeclared)] == ["fast", "default", "default"]


def test_probe_runs_once() -> None:
    calls = []
    subject = loading.subject_of(Env, Options())

    def undeclared(subject: Any) -> int:
        calls.append(subject)
        return len(calls)

    declared = probe()(undeclared)

    assert [subject.get(item) for item in (undeclared, declared, undeclared)] == [1, 1, 1]


def test_fault_is_frozen_and_has_defaults() -> None:
    assert Fault("a") == Fault("a", method="", show="")


def test_report_as_json_and_as_an_exception() -> None:
    report = check(Env)
    data = json.loads(report.to_json())
    assert data["schema"] == SCHEMA
    assert data["targets"][0]["verdict"] == "error"
    assert {"code", "message", "file", "line", "reproducer", "why", "fix"} <= set(data["targets"][0]["findings"][0])
    with pytest.raises(CheckFailed, match="GK101 observation_space and action_space are missing") as caught:
        report.raise_for_errors()
    assert caught.value.report is report


def test_non_environment_is_rejected() -> None:
    with pytest.raises(targets.TargetError, match="expected an environment"):
        check(3)


def test_kernel_does_not_import_the_checker() -> None:
    code = (
        "import sys, gymkernel; gymkernel.Env; print(sorted(m for m in sys.modules if 'checks' in m or 'click' in m))"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout == "[]\n"


def test_disabled_plugins_are_not_targets(install: Callable[..., Path], disable: Callable[..., None]) -> None:
    install("acme-walks", modules={"acme_walks": WALK}, envs={"Walk-v0": "acme_walks:WALK"})
    disable("acme-walks")
    assert plugins.plugins("envs")[0].state is plugins.State.DISABLED
    assert targets.expand("acme-walks")[0].origin == "id"


@pytest.mark.parametrize("word", ["acme-walks", "*", "envs.Walk-v0, spaces.Line"])
@pytest.mark.parametrize("target", ["Walk-v0", "Walk", "acme-walks", "Acme_Walks", "spaces.Line", "Line"])
def test_disabled_target_error_names_the_setting(
    install: Callable[..., Path], disable: Callable[..., None], word: str, target: str
) -> None:
    install("acme-walks", modules={"acme_walks": WALK}, envs={"Walk-v0": "acme_walks:WALK"}, spaces={"Line": "x:Line"})
    disable(word)

    (found,) = targets.expand(target)
    with pytest.raises(targets.TargetError) as caught:
        loading.load(found, Options())

    shown = re.search(r"of acme-walks is disabled by GYMKERNEL_DISABLE=(\S+); remove this entry", str(caught.value))
    assert shown is not None
    assert shown[1] in word.split(", ")


@pytest.mark.slow
def test_space_check_does_not_import_environment_rules() -> None:
    code = """
import sys
from gymkernel.checks import check
from gymkernel.space import Space
check(Space)
print(*sorted(name for name in sys.modules if "_tool_check.rules." in name))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert "space_values" in loaded
    assert not loaded & {"observation", "step", "reset", "rendering", "wrapping", "vectors", "publishing"}


def fails_together(subject: Any, seen: Any) -> Any:
    subject.options.weight()


def test_failures_at_one_place_are_one_note_with_its_own_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    several = [rule(f"LAB00{k}", "it is open", why="It must.", fix="Open it.")(fails_together) for k in (1, 2)]
    plain = catalogue.rules
    monkeypatch.setattr(catalogue, "rules", lambda kind=None: [*several, *plain(kind)])

    class Still(Env[Any, Any]):
        pass

    report = check(Still, select=["LAB"])
    only_notes = Results([Report("Still", findings=report.checker_failures)])
    with_errors = Results([report])

    assert [failure.message.partition(" raised ")[0] for failure in report.checker_failures] == [
        "LAB001 (it is open), LAB002"
    ]
    assert (only_notes.status, with_errors.status) == (3, 1 if len(report.findings) > 1 else 3)
    assert only_notes.shown(only_notes.reports[0]) == report.checker_failures
