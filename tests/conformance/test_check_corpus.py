"""What `gymkernel check` says of a corpus of defects that people write, and of what is unusual and right."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from gymkernel_tool_check.options import PROFILES

HERE = str(Path(__file__).parent)


def _corpus() -> Any:
    """The corpus, by the name by which other processes import it, too."""
    sys.path.insert(0, HERE)
    try:
        return importlib.import_module("corpus")
    finally:
        sys.path.remove(HERE)


corpus = _corpus()

OTHERWISE: dict[str, str] = {}
"""Defects that are told of under another name than the best one, with that name."""
SMALL = ["Grid"]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give recorded runs all the time they need: what a rule finds is not to depend on how busy a machine is."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))


@pytest.mark.parametrize("name", SMALL)
def test_the_sound_environments_are_left_alone(name: str) -> None:
    found = corpus.measure([], {name: corpus.LEGAL[name]})

    assert not found.alarms


@pytest.mark.slow
@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("one", corpus.DEFECTS, ids=lambda one: f"{one.code}-{one.name}")
def test_a_defect_is_named(one: Any) -> None:
    for seconds in (3.0, 30.0) if one.apart else (20.0,):  # a busy machine needs more for what does not hang
        found = corpus.measure([one], {}, timeout=seconds)
        if [*found.named, *found.otherwise] == [one.name] and not found.noisy:
            break

    assert [*found.named, *found.otherwise] == [one.name]
    assert set(found.otherwise) == {one.name} & OTHERWISE.keys()
    assert not found.noisy


@pytest.mark.slow
@pytest.mark.parametrize("name", corpus.LEGAL)
def test_what_is_legal_is_left_alone(name: str) -> None:
    assert not corpus.measure([], {name: corpus.LEGAL[name]}).alarms


def test_the_corpus_is_large_and_its_names_are_unique() -> None:
    names = [one.name for one in corpus.DEFECTS]

    assert len(names) >= 100
    assert len(corpus.LEGAL) >= 56
    assert len(set(names)) == len(names)
    assert all(one.env.__doc__ for one in corpus.DEFECTS)
