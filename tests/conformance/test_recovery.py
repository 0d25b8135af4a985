"""What `on_error="restart"` reports: each lost episode exactly once, whichever way of requesting a step finds the loss.

The contract is in `episode_ledger`. These tests hold every backend to it that starts workers again.
"""

from __future__ import annotations

import itertools
import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import plugins
from tests.conformance.episode_ledger import Ledger, Program, Script, makers

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MODES = ["NextStep", "SameStep", "Disabled"]
Request = tuple[str, list[int], list[int]]
WAYS: dict[str, Request] = {
    "step": ("step", [0, 1, 2, 3], []),
    "masked": ("masked", [0, 1], []),
    "send": ("send", [0, 1], [1]),
    "send all": ("send", [0, 1, 2, 3], [1, 1]),
    "reset some": ("reset", [1, 3], []),
}
"""How something is requested, and of which environments; environment 1 is always among them."""
N, LENGTH = 4, 3
VARIANTS: dict[str, dict[str, Any]] = {
    "two workers": {"num_workers": 2},
    "one worker": {"num_workers": 1},
    "messages": {"num_workers": 2, "shared_memory": False, "ring": 3},
    "parent steps": {"num_workers": 1, "parent_steps": True},
}
needs_async = pytest.mark.skipif(
    "AsyncVectorEnv" not in plugins.names("vector"), reason="gymkernel-vector-async is not installed"
)
needs_ray = [pytest.mark.ray, pytest.mark.limit(600), pytest.mark.usefixtures("ray_cluster")]


def run(
    backend: str, mode: str, script: Script, requests: Sequence[Request], folder: Path, **kwargs: Any
) -> tuple[Ledger, int]:
    """Run a program, and return its ledger and the number of failures of the script that happened."""
    folder.mkdir()
    ledger = Ledger(mode, N, LENGTH, script, folder)
    with plugins.get("vector", backend)(
        makers(N, LENGTH, script, folder), on_error="restart", autoreset_mode=mode, **kwargs
    ) as envs:
        program = Program(envs, ledger)
        program.request("reset", range(N))
        for request in requests:
            program.request(*request)
    return ledger, int(ledger.restarts.sum())


def programs(kind: str, before: str, during: str, after: str) -> tuple[Script, list[Request]]:
    """Return failures and the requests that find them.

    Environment 1 fails in its second step or in its second reset, and then in the reset and in the first step that
    follow. What comes after finds what the other environments of the worker lost.
    """
    resets = sum(way.startswith("reset") for way in (before, during))
    moment = (0, resets, 0) if during.startswith("reset") else (0, resets, 2 - resets)
    script: Script = {1: {moment: kind, (1, 0, 0): kind, (2, -1, 1): kind, (3, 1, 0): kind}}
    later = itertools.chain.from_iterable([WAYS[after], *WAYS.values()] for _ in range(2))
    return script, [WAYS[before], WAYS[during], *later]


CASES = list(itertools.product(["raises", "ends"], WAYS, WAYS, WAYS))


@needs_async
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["raises", "ends"])
def test_a_lost_episode_is_reported_once(kind: str, mode: str, tmp_path: Path) -> None:
    for during, after in (("step", "send"), ("masked", "step"), ("send", "reset some"), ("reset some", "masked")):
        script, requests = programs(kind, "step", during, after)
        _, losses = run("AsyncVectorEnv", mode, script, requests, tmp_path / during, num_workers=2, context="fork")
        assert losses >= 2


@needs_async
@pytest.mark.slow
@pytest.mark.limit(600)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mode", MODES)
def test_a_lost_episode_is_reported_once_whatever_was_requested_before_and_after(
    mode: str, variant: str, tmp_path: Path
) -> None:
    for case in CASES:
        script, requests = programs(*case)
        folder = tmp_path / " ".join(case)
        _, losses = run("AsyncVectorEnv", mode, script, requests, folder, context="fork", **VARIANTS[variant])
        assert losses >= 2, case
