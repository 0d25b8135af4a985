"""Tests that the compatibility page matches the record, and that the record covers all tested libraries."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import compatibility

ROOT = Path(__file__).resolve().parents[2]


def record() -> Any:
    return json.loads(compatibility.RECORD.read_text(encoding="utf-8"))


def test_page_is_generated_from_the_record() -> None:
    assert compatibility.page().read_text(encoding="utf-8") == compatibility.render(record())


@pytest.mark.parametrize("family", compatibility.families())
def test_every_family_was_run_through_every_step(family: str) -> None:
    assert set(record()["families"][family]) == {"version", *compatibility.STEPS}


def test_every_step_of_a_family_is_a_test() -> None:
    tests = (ROOT / "tests" / "foreign" / "test_foreign.py").read_text(encoding="utf-8")
    names = set(re.findall(r"^def (test_\w+)", tests, re.MULTILINE))

    assert names >= set(compatibility.TESTS)
    assert tuple(compatibility.TESTS.values()) == compatibility.STEPS


@pytest.mark.parametrize("client", compatibility.CLIENTS)
def test_every_client_was_run(client: str) -> None:
    assert record()["clients"][client]["version"]


@pytest.mark.parametrize("bridge", compatibility.BRIDGES)
def test_every_bridge_was_run(bridge: str) -> None:
    assert record()["bridges"][bridge]["works"]


def test_clients_recipes_and_tox_environments_match() -> None:
    written = (ROOT / "tox.ini").read_text(encoding="utf-8")
    recipes = {path.stem.removeprefix("recipe_") for path in (ROOT / "tests" / "recipes").glob("recipe_*.py")}

    assert recipes <= set(compatibility.CLIENTS)
    assert re.search(r"\[testenv:recipe-\{" + ",".join(sorted(recipes)) + r"\}\]", written)
    assert "[testenv:stable-baselines3]" in written
    assert "[testenv:gymnasium-{1.2,1.4}]" in written
    assert "[testenv:gym-{0.21,0.25,0.26}]" in written
