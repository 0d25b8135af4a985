"""Tests that the PPO example from the guide learns and gives the same returns with all engines."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def ppo(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the example under the name by which its processes also import it."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    yield importlib.import_module("ppo_numpy")
    sys.modules.pop("ppo_numpy", None)


@pytest.mark.slow
def test_ppo_learns_the_same_with_every_engine(ppo: Any) -> None:
    here, there = ([mean for mean, _ in ppo.train(engine, rounds=12)] for engine in ("sync", "async"))
    assert here == there
    assert here[0] < 40
    assert sum(here[-3:]) / 3 > 80


@pytest.mark.slow
def test_ppo_solves_the_environment(ppo: Any) -> None:
    assert max(mean for mean, _ in ppo.train("async", rounds=40)) > 475
