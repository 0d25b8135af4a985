"""Random stacks of wrappers do the same in both libraries, once the documented defects of theirs are mended.

`GYMKERNEL_STACKS=20000 pytest tests/peers/test_vector_stacks.py` hunts for longer.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.peers.mended import MENDS
from tests.peers.stacks import difference, drawn

if TYPE_CHECKING:
    from collections.abc import Callable

STACKS = int(os.environ.get("GYMKERNEL_STACKS", "600"))
CHUNK = 25
quiet = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")  # of either, on other grounds


@quiet
@pytest.mark.parametrize("first", range(0, STACKS, CHUNK))
def test_a_stack_does_the_same(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for mend in MENDS:
        mend(monkeypatch)

    found = {seed: difference(drawn(seed), seed) for seed in range(first, first + CHUNK)}

    assert {f"{seed}: {drawn(seed)}": one for seed, one in found.items() if one is not None} == {}


NEEDED = {
    "float64_statistics": 63,
    "options_left_alone": 0,
    "partial_resets_of_returns": 23,
    "partial_resets_of_observations": 97,
    "no_reward_of_a_reset": 366,
    "observations_in_the_same_step": 25,
    "infos_hold_all": 31,
    "statistics_in_the_final_info": 16,
    "limits_are_told": 0,
}
"""A stack that differs without the mend; with another version of theirs, perhaps, another one."""


@quiet
@pytest.mark.parametrize("missing", MENDS, ids=lambda mend: mend.__name__)
def test_every_mend_is_needed(missing: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch) -> None:
    seed = NEEDED[missing.__name__]
    with pytest.MonkeyPatch.context() as patch:
        for mend in MENDS:
            mend(patch)
        stack = drawn(seed)
    for mend in MENDS:
        if mend is not missing:
            mend(monkeypatch)

    assert difference(stack, seed) is not None
