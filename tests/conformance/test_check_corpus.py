"""Test that `gymkernel check` finds the defects in the corpus and reports nothing for its correct environments."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel_tool_check.options import PROFILES
from gymkernel_tool_check.probes.repetition import scrambled_global_generators

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = str(Path(__file__).parent)


def _corpus() -> Any:
    """Import the corpus under the same name as other processes do."""
    sys.path.insert(0, HERE)
    try:
        return importlib.import_module("corpus")
    finally:
        sys.path.remove(HERE)


corpus = _corpus()

OTHERWISE: dict[str, str] = {}
"""Defects that are reported by a rule other than the expected one, each with the code of the rule that reports it."""
SMALL = ["Grid"]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


@pytest.fixture(autouse=True)
def _seeded_global_generators() -> Iterator[None]:
    """Seed `random` and `numpy.random`, because two runs of some environments would agree in one of 16 cases."""
    with scrambled_global_generators(1):
        yield


@pytest.fixture
def ample_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow recorded runs enough time, so that the findings do not depend on the machine's load."""
    for profile, (steps, _) in PROFILES.items():
        monkeypatch.setitem(PROFILES, profile, (steps, 60.0))


@pytest.mark.parametrize("name", SMALL)
def test_sound_environments_have_no_findings(name: str) -> None:
    found = corpus.measure([], {name: corpus.LEGAL[name]})

    assert not found.alarms


@pytest.mark.slow
@pytest.mark.usefixtures("ample_time")
@pytest.mark.parametrize("defect", corpus.DEFECTS, ids=lambda defect: f"{defect.code}-{defect.name}")
def test_defect_is_reported(defect: Any) -> None:
    # on a busy machine, calls that do not hang may need the longer timeout
    for seconds in (3.0, 30.0) if defect.apart else (20.0,):
        found = corpus.measure([defect], {}, timeout=seconds)
        if [*found.named, *found.otherwise] == [defect.name] and not found.noisy:
            break

    assert [*found.named, *found.otherwise] == [defect.name]
    assert set(found.otherwise) == {defect.name} & OTHERWISE.keys()
    assert not found.noisy


@pytest.mark.slow
@pytest.mark.parametrize("name", corpus.LEGAL)
def test_legal_environments_have_no_errors(name: str) -> None:
    assert not corpus.measure([], {name: corpus.LEGAL[name]}).alarms


def test_corpus_is_large_and_has_unique_names() -> None:
    names = [defect.name for defect in corpus.DEFECTS]

    assert len(names) >= 100
    assert len(corpus.LEGAL) >= 56
    assert len(set(names)) == len(names)
    assert all(defect.env.__doc__ for defect in corpus.DEFECTS)
