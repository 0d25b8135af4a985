"""Tests that random stacks of wrappers give equal results in both libraries when Gymnasium's known defects are fixed.

`GYMKERNEL_STACKS=20000 pytest tests/peers/test_vector_stacks.py` tries more stacks.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.peers.fixed_gymnasium import FIXES
from tests.peers.stacks import difference, drawn

if TYPE_CHECKING:
    from collections.abc import Callable

STACKS = int(os.environ.get("GYMKERNEL_STACKS", "600"))
CHUNK = 25
quiet = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # of either library


@quiet
@pytest.mark.parametrize("first", range(0, STACKS, CHUNK))
def test_stack_of_wrappers_behaves_the_same(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for fix in FIXES:
        fix(monkeypatch)

    found = {seed: difference(drawn(seed), seed) for seed in range(first, first + CHUNK)}

    assert {f"{seed}: {drawn(seed)}": item for seed, item in found.items() if item is not None} == {}


NEEDED = {
    "float64_statistics": 63,
    "options_unchanged": 0,
    "partial_resets_of_returns": 23,
    "partial_resets_of_observations": 97,
    "no_reward_of_a_reset": 366,
    "observations_in_the_same_step": 25,
    "infos_without_rounding": 31,
    "statistics_in_the_final_info": 16,
    "time_limits_in_infos": 0,
}
"""For each fix, the seed of a stack whose results differ without it. Other versions of Gymnasium may need others."""


@quiet
@pytest.mark.parametrize("missing", FIXES, ids=lambda fix: fix.__name__)
def test_every_declared_difference_is_needed(
    missing: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = NEEDED[missing.__name__]
    with pytest.MonkeyPatch.context() as patch:
        for fix in FIXES:
            fix(patch)
        stack = drawn(seed)
    for fix in FIXES:
        if fix is not missing:
            fix(monkeypatch)

    assert difference(stack, seed) is not None
