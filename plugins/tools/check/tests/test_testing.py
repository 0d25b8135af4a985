"""Tests of `gymkernel.testing`: pytest tests for whole packages, and rules that work without pytest."""

from __future__ import annotations

import json
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest
from click.testing import CliRunner

from gymkernel import Env, Space
from gymkernel.cli.app import cli
from gymkernel.testing import (
    check_space,
    conformance,
    membership_is_always_decided,
    parametrize_checks,
    samples_are_elements,
)
from gymkernel_tool_check import catalogue
from gymkernel_tool_check.checks import CheckFailed, rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gymkernel.testing import Case

MODULE = """
import numpy as np
from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec

class Coin(Space):
    def sample(self, mask=None, probability=None):
        assert mask is None is probability
        return int(self.np_random.integers(2))

    def contains(self, x):
        return isinstance(x, int) and x in (0, 1)

    def __eq__(self, other):
        return isinstance(other, Coin)

class Die(Coin):
    def sample(self, mask=None, probability=None):
        return super().sample()

    def contains(self, x):
        return x in (0, 1)

    def __eq__(self, other):
        return isinstance(other, Die)

class Toss(Env):
    def __init__(self):
        self.observation_space, self.action_space = Coin(), Coin()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return action, 0.0, bool(self.np_random.random() < 0.2), False, {}

TOSS = EnvSpec("acme/Toss-v0", Toss, order_enforce=False, disable_env_checker=True)
"""


class Coin(Space[int]):
    def sample(self, mask: Any = None, probability: Any = None) -> int:
        return int(self.np_random.integers(2))

    def contains(self, x: Any) -> bool:
        return isinstance(x, int) and x in {0, 1}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Coin)

    __hash__ = None  # type: ignore[assignment]


class Odd(Coin):
    def sample(self, mask: Any = None, probability: Any = None) -> int:
        return 2 * super().sample() + 1

    def contains(self, x: Any) -> bool:
        return bool(np.asarray(x).sum() < 2)


@pytest.fixture
def acme(install: Callable[..., Path]) -> None:
    install(
        "acme-games",
        modules={"acme_games": MODULE},
        spaces={"Coin": "acme_games:Coin", "Die": "acme_games:Die"},
        envs={"acme/Toss-v0": "acme_games:TOSS"},
    )


def outcomes(test: Any) -> dict[str, str]:
    """Return the outcome of each test case of a parametrized test, keyed by id."""
    found = {}
    for case in test.pytestmark[0].args[1]:
        try:
            test(*case.values)
        except pytest.skip.Exception as exc:
            found[case.id] = f"skipped: {exc.msg}"
        except pytest.xfail.Exception as exc:
            found[case.id] = f"expected: {exc.msg}"
        except pytest.fail.Exception as exc:
            found[case.id] = f"failed: {exc.msg}"
        else:
            found[case.id] = "passed"
    return found


@pytest.mark.usefixtures("acme")
class TestADistribution:
    @pytest.mark.slow
    def test_distribution_gives_a_test_per_rule_and_target(self) -> None:
        found = outcomes(conformance("acme-games"))

        assert {name.rpartition("-")[0] for name in found} == {
            "acme-games",
            "spaces.Coin",
            "spaces.Die",
            "acme/Toss-v0",
        }
        assert {f"spaces.Coin-{rule.code}" for rule in rules("spaces")} <= set(found)
        usual = [rule for rule in rules("envs") if rule.profile != "thorough" and not rule.compat]
        assert {f"acme/Toss-v0-{item.code}" for item in usual} <= set(found)
        failed = {name: text for name, text in found.items() if text.startswith("failed")}
        assert list(failed) == ["acme-games-GK918", "spaces.Die-GK703"]  # GK918: NumPy is not declared
        assert "fix: Check the type" in failed["spaces.Die-GK703"]
        assert "acme_games.py:" in failed["spaces.Die-GK703"]
        assert "space = Die()" in failed["spaces.Die-GK703"]
        assert found["spaces.Coin-GK751"] == "skipped: the space has no layout"

    @pytest.mark.slow
    def test_failures_can_be_expected_with_a_reason(self) -> None:
        found = outcomes(conformance("acme-games", expected_failures={"gk703": "it is a game"}))

        assert found["spaces.Die-GK703"].startswith("expected: it is a game (contains(")
        assert found["expected-failures"] == "passed"

    @pytest.mark.slow
    def test_unused_expected_failure_fails(self) -> None:
        expected = {"GK703": "it is a game", "GK704": "luck"}
        found = outcomes(conformance("acme-games", expected_failures=expected, select=["GK703", "GK704"]))

        assert found["expected-failures"] == "failed: expected to fail, but passed: GK704; remove them"

    @pytest.mark.slow
    def test_rules_are_selected_by_code(self) -> None:
        found = outcomes(conformance("acme-games", select=["GK70"], ignore=["GK703"]))

        assert "spaces.Coin-GK701" in found
        assert "spaces.Die-GK703" not in found
        assert "spaces.Die-GK721" not in found

    def test_collecting_tests_imports_no_target(self) -> None:
        conformance("acme-games")

        assert "acme_games" not in sys.modules


def test_class_object_and_environment_are_valid_targets() -> None:
    class Still(Env[Any, Any]):
        observation_space = action_space = Coin()

    ids = {case.id for target in (Coin, Coin(), Still) for case in conformance(target).pytestmark[0].args[1]}  # type: ignore[attr-defined]
    assert {"Coin-GK701", "test_class_object_and_environment_are_valid_targets.<locals>.Still-GK201"} <= ids
    assert outcomes(conformance(Coin, select=["GK701"]))["Coin-GK701"] == "passed"


def test_advice_can_fail_the_test() -> None:
    assert outcomes(conformance(Coin, select=["GK709"]))["Coin-GK709"] == "passed"
    found = outcomes(conformance(Coin, select=["GK709"], severity="warning"))
    assert found["Coin-GK709"].startswith("failed: GK709 warning")


@pytest.mark.slow
def test_uninstalled_target_fails_with_its_name() -> None:
    found = outcomes(conformance("acme-absent", select=["GK001"]))
    assert all("acme-absent" in text and text.startswith("failed") for text in found.values())


def test_unknown_code_raises_immediately() -> None:
    with pytest.raises(catalogue.UnknownCodeError, match="GK799"):
        conformance(Coin, expected_failures={"GK799": "?"})


@pytest.mark.slow
def test_one_line_in_a_test_module_is_enough(tmp_path: Path) -> None:
    (tmp_path / "acme.py").write_text(MODULE)
    (tmp_path / "test_acme.py").write_text(
        dedent(
            """
            from gymkernel.testing import conformance

            test_coin = conformance("acme:Coin", ignore=["GK724"])
            test_die = conformance("acme:Die", expected_failures={"GK703": "it is a game"})
            test_toss = conformance("acme:Toss", select=["GK2"])
            """
        )
    )
    run = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "test_acme.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout
    assert "PASSED test_acme.py::test_coin[acme:Coin-GK701]" in done.stdout
    assert "XFAIL test_acme.py::test_die[acme:Die-GK703] - it is a game" in done.stdout
    assert "PASSED test_acme.py::test_die[expected-failures]" in done.stdout
    assert "PASSED test_acme.py::test_toss[acme:Toss-GK201]" in done.stdout
    assert "GK724]" not in done.stdout.partition("test_die")[0]


@pytest.mark.slow
def test_space_rules_work_without_pytest() -> None:
    program = """
    import sys
    from gymkernel import Space
    from gymkernel.testing import SPACE_RULES, samples_are_elements
    class One(Space):
        def sample(self, mask=None, probability=None):
            return 1
        def contains(self, x):
            return x == 2
    print([fault.message for fault in samples_are_elements(One())], "pytest" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", dedent(program)], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("['sample number 1 is not in the space: 1 (int) is not an element of <__main__.One")
    assert done.stdout.endswith("False\n")


def test_space_rule_yields_findings() -> None:
    assert not list(samples_are_elements(Coin()))
    assert [fault.method for fault in samples_are_elements(Odd())] == ["contains"]
    assert [fault.method for fault in membership_is_always_decided(Odd())] == ["contains"]


def test_all_space_rules_run_at_once() -> None:
    assert check_space(Coin(), ignore=["GK709"]).verdict == "clean"
    with pytest.raises(CheckFailed, match=r"breaks 2 rules of the API for spaces:\n  GK701 .*"):
        check_space(Odd(), select=["GK701", "GK703"])


@pytest.mark.usefixtures("acme")
class TestParametrizedChecks:
    def test_test_function_gets_a_check_per_rule_and_target(self) -> None:
        @parametrize_checks("acme/Toss-v0", Coin, select=["GK20", "GK70"], steps=20)
        def function(check: Case) -> None:
            seen.append((check.target, check.code, check.rule["severity"]))
            check()

        seen: list[tuple[str, str, str]] = []
        found = outcomes(function)

        assert ("acme/Toss-v0", "GK201", "error") in seen
        assert ("Coin", "GK701", "error") in seen
        assert set(found.values()) <= {"passed"} | {text for text in found.values() if text.startswith("skipped")}

    @pytest.mark.slow
    def test_findings_are_available_to_the_test(self) -> None:
        found = {case.values[0].code: case.values[0] for case in _cases("spaces.Die")}

        assert [finding.code for finding in found["GK703"].findings] == ["GK703"]
        assert found["GK701"].findings == []
        assert repr(found["GK701"]) == "spaces.Die-GK701"

    def test_failures_declared_by_a_class_are_expected(self) -> None:
        class Known(Odd):
            gymkernel_expected_failures: ClassVar[dict[str, str]] = {"GK703": "it is a game"}

        assert outcomes(conformance(Known, select=["GK703"]))[f"{Known.__qualname__}-GK703"].startswith(
            "expected: it is a game (contains("
        )

    @pytest.mark.parametrize("base", [Odd, Coin])
    def test_possible_failures_may_be_absent(self, base: type[Coin]) -> None:
        class Known(base):  # type: ignore[misc,valid-type]
            gymkernel_possible_failures: ClassVar[dict[str, str]] = {"GK703": "it is a game"}

        found = outcomes(conformance(Known, select=["GK703", "GK006"]))
        result = found.pop(f"{Known.__qualname__}-GK703")

        assert result.startswith("expected: it is a game (contains(" if base is Odd else "passed")
        assert set(found.values()) <= {"passed"}

    @pytest.mark.slow
    def test_failures_declared_by_a_project_are_expected(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        text = '[tool.gymkernel.check.targets."spaces.*"]\nexpected_failures = { GK703 = "it is a game" }\n'
        (tmp_path / "pyproject.toml").write_text(text)

        found = outcomes(conformance("acme-games", select=["GK703"]))

        assert found["spaces.Die-GK703"].startswith("expected: it is a game")
        assert found["expected-failures"] == "passed"

    @pytest.mark.slow
    def test_project_settings_select_rules_and_severity(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        text = '[tool.gymkernel.check]\nselect = ["GK70", "GK72"]\nignore = ["GK703"]\nseverity = "warning"\n'
        (tmp_path / "pyproject.toml").write_text(text)

        found = outcomes(conformance("spaces.Die"))
        command = CliRunner().invoke(cli, ["check", "spaces.Die", "--format", "json"])

        (report,) = json.loads(command.stdout)["targets"]
        failed = {name.partition("-")[2] for name, what in found.items() if what.startswith("failed")}
        assert failed == {finding["code"] for finding in report["findings"]} == {"GK709"}
        assert not {"spaces.Die-GK703", "spaces.Die-GK744"} & found.keys()

    def test_options_are_passed_to_the_check(self) -> None:
        quick = {case.id for case in _cases("acme/Toss-v0", profile="fast")}

        assert quick < {case.id for case in _cases("acme/Toss-v0")}


def _cases(*targets: Any, **options: Any) -> list[Any]:
    @parametrize_checks(*targets, **options)
    def function(check: Case) -> None:
        check()

    return list(function.pytestmark[0].args[1])  # type: ignore[attr-defined]
