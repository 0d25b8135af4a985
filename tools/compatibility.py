"""A script that tests gymkernel with another library: `python tools/compatibility.py NAME [--write]`.

Run the script in the library's tox environment. NAME is "families" (to run tests/foreign), a library that uses
gymkernel's environments, or a library whose environments a bridge creates. With `--write`, the result is stored in
docs/reference/compatibility.json, from which compatibility.md is rendered. Without `--write`, the script only runs the
tests.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

__all__ = ["BRIDGES", "CLIENTS", "RECORD", "families", "main", "page", "render"]

ROOT: Final = Path(__file__).resolve().parents[1]
RECORD: Final = ROOT / "docs" / "reference" / "compatibility.json"
STEPS: Final = ("made", "wrapped", "sync", "async", "checked")
TESTS: Final = {
    "test_environment_is_created": "made",
    "test_environment_works_in_wrappers": "wrapped",
    "test_environment_works_in_sync_backend": "sync",
    "test_environment_works_in_async_backend": "async",
    "test_environment_passes_check": "checked",
}
"""Maps the tests of a family to the steps that they test."""
PYTEST: Final = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "slow or not slow")
SB3: Final = (*PYTEST, "plugins/bridges/stable-baselines3/tests", "tests/recipes/stable_baselines3")
OLD_GYM: Final = (*PYTEST, "-W", "ignore", "plugins/bridges/gym/src", "plugins/bridges/gym/tests", "tests/old_gym")
BRIDGED: Final = (*PYTEST, "tests/bridged")
PETTINGZOO: Final = (*PYTEST, "plugins/bridges/pettingzoo/src", "plugins/bridges/pettingzoo/tests", "tests/multi_agent")
BRIDGE: Final = (*PYTEST, "plugins/bridges/gymnasium", "tests/bridges")


class Client(NamedTuple):
    """A library that uses gymkernel's environments."""

    distribution: str
    runs: tuple[str, ...]
    """The arguments of the Python command that runs the tests."""
    shows: str


CLIENTS: Final = {
    "gymnasium-1.2": Client(
        "gymnasium", BRIDGE, "`make` and `make_vec` by id, wrappers, vector wrappers, Gymnasium's backends"
    ),
    "gymnasium-1.4": Client("gymnasium", BRIDGE, "the same"),
    "stable-baselines3": Client(
        "stable-baselines3", SB3, "PPO with a return above 400 on CartPole, workers, checker, saved models"
    ),
    "cleanrl": Client("torch", ("-m", "tests.recipes.recipe_cleanrl"), "single-file PPO in the style of CleanRL"),
    "torchrl": Client(
        "torchrl", ("-m", "tests.recipes.recipe_torchrl"), "`GymEnv`, `GymWrapper`, a collector, PPO on fragments"
    ),
    "rllib": Client(
        "ray", ("-m", "tests.recipes.recipe_rllib"), "PPO with a `module:id`, also in workers, and PPO on fragments"
    ),
    "tianshou": Client(
        "tianshou", ("-m", "tests.recipes.recipe_tianshou"), "Tianshou's three vector environments, a collector"
    ),
    "skrl": Client("skrl", ("-m", "tests.recipes.recipe_skrl"), "`wrap_env` with single and vector environments"),
}


BRIDGES: Final = {
    "dm-control": Client("dm-control", BRIDGED, "1,000 equal steps of five environments, wrappers, backends, checks"),
    "envpool": Client("envpool", BRIDGED, "the same"),
    "gym-0.21": Client("gym", OLD_GYM, "the same"),
    "gym-0.25": Client("gym", OLD_GYM, "the same, also with `new_step_api`"),
    "gym-0.26": Client("gym", OLD_GYM, "the same, also without a conversion"),
    "pettingzoo": Client(
        "pettingzoo", PETTINGZOO, "1,000 equal steps of seven games, backends, checks, PettingZoo's API and seed tests"
    ),
}
"""Libraries whose environments a bridge creates, and the tests that compare the environments with the originals."""


class _Outcomes:
    """A pytest plugin that records, for each step and family, whether all tests passed."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, bool]] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        name, bracket, rest = report.nodeid.rpartition("::")[2].partition("[")
        step = TESTS.get(name)
        if not bracket or step is None or (report.passed and report.when != "call"):
            return
        family = next(item for item in families() if rest.rstrip("]").endswith(item))
        steps = self.found.setdefault(family, {})
        steps[step] = steps.get(step, True) and bool(report.passed)


def families() -> dict[str, tuple[str, str, str]]:
    """Return the id, package and description of each environment family in tests/foreign, without importing tests."""
    tree = ast.parse((ROOT / "tests" / "foreign" / "families.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Family"]
    found = {}
    for call in calls:
        name, *about = (ast.literal_eval(argument) for argument in call.args[:4])
        found[name] = (about[0], about[1], about[2])
    return dict(sorted(found.items(), key=lambda item: (-len(item[0]), item[0])))


def _run_families() -> tuple[int, dict[str, Any]]:
    import pytest

    sys.path.insert(0, str(ROOT))
    outcomes = _Outcomes()
    status = int(pytest.main([*PYTEST[2:], str(ROOT / "tests" / "foreign")], plugins=[outcomes]))
    known = families()
    version = importlib.metadata.version
    found = sorted(outcomes.found.items())
    return status, {name: {"version": version(known[name][1]), **steps} for name, steps in found}


def _run_client(name: str) -> tuple[int, dict[str, Any]]:
    client = (CLIENTS | BRIDGES)[name]
    status = subprocess.run([sys.executable, *client.runs], cwd=ROOT, check=False).returncode
    packages = (client.distribution,) if name in BRIDGES else (client.distribution, "gymnasium")
    installed = {item: importlib.metadata.version(item) for item in packages}
    versions = {key: version.partition("+")[0] for key, version in installed.items()}  # without "+cpu"
    with_gymnasium = {} if name in BRIDGES else {"gymnasium": versions["gymnasium"]}
    return status, {"version": versions[client.distribution], **with_gymnasium, "works": status == 0}


def _mark(works: bool | None) -> str:
    return "" if works is None else "yes" if works else "**no**"


def render(record: dict[str, Any]) -> str:
    """Return the text of compatibility.md."""
    lines = [
        "# Compatibility",
        "",
        "This page is generated from test results by `python tools/compatibility.py NAME --write`.",
        "",
        "## Third-party environments",
        "",
        "Every environment runs without conversion, with Gymnasium's spaces. The last columns are tests: *made*",
        "creates it with `gymkernel.make`, *wrapped* adds wrappers, *sync* and *async* compare each step with",
        "Gymnasium's own vector environment, and *checked* runs a complete `gymkernel check`.",
        "",
        f"| family | environment | package | feature | {' | '.join(STEPS)} |",
        "| --- " * (4 + len(STEPS)) + "|",
    ]
    for name, (env_id, distribution, example) in sorted(families().items()):
        seen = record["families"].get(name, {})
        marks = " | ".join(_mark(seen.get(step)) for step in STEPS)
        lines.append(f"| {name} | `{env_id}` | {distribution} {seen.get('version', '')} | {example} | {marks} |")
    lines += [
        "",
        "The wrapper `mo_gymnasium.wrappers.LinearReward` converts vector rewards to numbers. MO-Gymnasium's own",
        "vector environment keeps the vectors, as does `make_vec`. stable-retro allows only one emulator per process.",
        "",
        "## Libraries that accept gymkernel's environments",
        "",
        "| tox environment | version | with Gymnasium | tested programs | works |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, client in CLIENTS.items():
        seen = record["clients"].get(name, {})
        package = f"{client.distribution} {seen.get('version', '')}".strip()
        works = _mark(seen.get("works"))
        environment = f"recipe-{name}" if f"tests.recipes.recipe_{name}" in client.runs else name
        lines.append(f"| {environment} | {package} | {seen.get('gymnasium', '')} | {client.shows} | {works} |")
    lines += [
        "",
        "## Libraries whose environments a bridge creates",
        "",
        "| tox environment | version | tests | pass |",
        "| --- | --- | --- | --- |",
    ]
    for name, client in BRIDGES.items():
        seen = record["bridges"].get(name, {})
        package = f"{client.distribution} {seen.get('version', '')}".strip()
        lines.append(f"| {name} | {package} | {client.shows} | {_mark(seen.get('works'))} |")
    return "\n".join([*lines, ""])


def page() -> Path:
    """Return the path of compatibility.md."""
    return RECORD.with_suffix(".md")


def main() -> int:
    """Run the tests for the given name. With `--write`, record the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["families", *CLIENTS, *BRIDGES])
    parser.add_argument("--write", action="store_true", help="record the result for the documentation")
    arguments = parser.parse_args()
    families_asked = arguments.name == "families"
    status, result = _run_families() if families_asked else _run_client(arguments.name)
    if arguments.write:
        record: dict[str, Any] = {"families": {}, "clients": {}, "bridges": {}}
        record |= json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
        if families_asked:
            record["families"] = result
        else:
            record["bridges" if arguments.name in BRIDGES else "clients"][arguments.name] = result
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        page().write_text(render(record), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
