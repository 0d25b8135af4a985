"""Test that, with `on_error="restart"`, each lost episode is reported exactly once, for every kind of request.

The module `episode_ledger` describes the contract. These tests apply it to every backend that restarts workers.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.conformance.episode_ledger import Ledger, Program, Script, makers

from gymkernel import plugins
from gymkernel.vector.utils import iterate
from gymkernel_tool_check.backends.players import SPACES, players

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
"""The kinds of requests with the environments that they affect, which always include environment 1."""
N, LENGTH = 4, 3
QUICK_WAYS = {
    "raises": [("step", "reset some"), ("send", "masked")],
    "ends": [("masked", "send"), ("reset some", "step")],
}
"""The requests during and after each kind of failure that are tested in every mode; slow tests try all combinations."""
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
    """Run a program. Return its ledger and the number of lost episodes that were reported."""
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
    """Return a script of failures, and the requests that cause the failures.

    Environment 1 fails in its second step or in its second reset, and then in the next reset, the next constructor and
    the next first step. The later requests find the episodes that the other environments of the worker lost.
    """
    resets = sum(way.startswith("reset") for way in (before, during))
    moment = (0, resets, 0) if during.startswith("reset") else (0, resets, 2 - resets)
    script: Script = {1: {moment: kind, (1, 0, 0): kind, (2, -1, -1): kind, (3, -1, 1): kind, (4, 1, 0): kind}}
    later = itertools.chain.from_iterable([WAYS[after], *WAYS.values()] for _ in range(2))
    return script, [WAYS[before], WAYS[during], *later]


@needs_async
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["raises", "ends"])
def test_lost_episode_is_reported_once(kind: str, mode: str, tmp_path: Path) -> None:
    for during, after in QUICK_WAYS[kind]:
        script, requests = programs(kind, "step", during, after)
        _, losses = run("AsyncVectorEnv", mode, script, requests, tmp_path / during, num_workers=2, context="fork")
        assert losses >= 2


@needs_async
@pytest.mark.slow
@pytest.mark.limit(600)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["raises", "ends"])
def test_lost_episode_is_reported_once_for_any_requests(kind: str, mode: str, tmp_path: Path) -> None:
    for k, ways in enumerate(itertools.product(WAYS, repeat=3), MODES.index(mode)):
        script, requests = programs(kind, *ways)
        variant = list(VARIANTS.values())[k % len(VARIANTS)]
        _, losses = run("AsyncVectorEnv", mode, script, requests, tmp_path / str(k), context="fork", **variant)
        assert losses >= 2, (ways, variant)


def play_at_random(program: Program, rng: np.random.Generator, kill: Any) -> None:
    """Make random requests, and kill worker processes at random moments."""
    envs, ledger = program.envs, program.ledger
    for _ in range(40):
        how = str(rng.choice(["step", "masked", "send", "reset", "overlapping"]))
        ids = sorted(rng.choice(N, size=int(rng.integers(1, N + 1)), replace=False).tolist())
        if rng.random() < 0.15:
            kill()
        if how != "overlapping":
            program.request(how, range(N) if how == "step" else ids, rng.integers(1, 3, 2).tolist())
            continue
        pending: dict[int, int] = {}
        for _ in range(12):
            free = [i for i in range(N) if i not in pending and not (ledger.mode == "Disabled" and ledger.done[i])]
            if free and rng.random() < 0.6:
                chosen = rng.permutation(free)[: rng.integers(1, len(free) + 1)].tolist()
                actions = rng.integers(0, 1000, len(chosen))
                envs.send(actions, chosen)
                pending.update(zip(chosen, actions.tolist(), strict=True))
            if rng.random() < 0.1:
                kill()
            if pending and rng.random() < 0.6:
                results = envs.recv(int(rng.integers(1, len(pending) + 1)))
                ledger.rows(results[5], pending, results)
                for i in results[5].tolist():
                    del pending[i]
        if pending:
            results = envs.recv()
            ledger.rows(results[5], pending, results)


def random_script(rng: np.random.Generator, kinds: Sequence[str]) -> Script:
    """Return a script with a few random failures for each environment, in its first lives and in later constructors."""

    def moment() -> Any:
        life, episode, step = int(rng.integers(6)), int(rng.integers(-1, 3)), int(rng.integers(3))
        return (life, -1, -1) if life and rng.random() < 0.2 else (life, episode, step)

    return {i: {moment(): str(rng.choice(kinds)) for _ in range(int(rng.integers(4)))} for i in range(N)}


def run_at_random(seed: int, folder: Path) -> int:
    """Run one random program, and return the number of lost episodes that were reported."""
    rng = np.random.default_rng(seed)
    mode, variant = str(rng.choice(MODES)), VARIANTS[str(rng.choice(list(VARIANTS)))]
    kinds = ["raises"] if variant.get("parent_steps") else ["raises", "ends"]  # "ends" would end the test process
    script = random_script(rng, kinds)
    ledger = Ledger(mode, N, LENGTH, script, folder)
    options: Any = {"max_restarts": None, "timeout": 100, "context": "fork", **variant}

    def kill() -> None:
        with contextlib.suppress(ProcessLookupError):  # the process has already ended
            os.kill(int(rng.choice([process.pid for process in envs.processes])), signal.SIGKILL)

    with plugins.get("vector", "AsyncVectorEnv")(
        makers(N, LENGTH, script, folder), on_error="restart", autoreset_mode=mode, **options
    ) as envs:
        program = Program(envs, ledger)
        program.request("reset", range(N))
        play_at_random(program, rng, kill)
    return int(ledger.restarts.sum())


QUICK = {("Box", "NextStep"), ("Text", "SameStep")}
SPACE_CASES = [
    pytest.param(name, k, mode, marks=() if (name, mode) in QUICK else pytest.mark.slow)
    for name, kinds in SPACES.items()
    for k in range(len(kinds))
    for mode in MODES
]


def rows(envs: Any, batch: Any) -> list[Any]:
    """Split a batch into a list of observations, unless this is impossible because the space is empty (Tuple([]))."""
    return list(iterate(envs.observation_space, batch)) or [envs.single_observation_space.sample()] * envs.num_envs


@needs_async
@pytest.mark.parametrize("name, kind, mode", SPACE_CASES)
def test_final_observation_survives_in_every_space(kit: Any, name: str, kind: int, mode: str) -> None:
    fns = players(SPACES[name][kind], SPACES["Discrete"][0], n=3)
    with plugins.get("vector", "AsyncVectorEnv")(
        fns, on_error="restart", autoreset_mode=mode, num_workers=1, context="fork"
    ) as envs:
        envs.reset(seed=1)
        envs.action_space.seed(1)
        last = rows(envs, envs.step(envs.action_space.sample())[0])
        os.kill(envs.processes[0].pid, signal.SIGKILL)
        actions = envs.action_space.sample()
        envs.send(actions)
        observations, _, _, truncations, infos, ids = envs.recv()
        assert truncations.all()
        assert infos["env_restarted"].all()
        for k, i in enumerate(ids.tolist()):
            shown = infos["final_obs"][k] if mode == "SameStep" else rows(envs, observations)[k]
            kit.assert_same(shown, last[i], "the last observation")


@needs_async
def test_random_programs_with_killed_workers(tmp_path: Path) -> None:
    assert run_at_random(0, tmp_path) > 0


@needs_async
@pytest.mark.slow
@pytest.mark.limit(600)
@pytest.mark.parametrize("first", range(1, 101, 50))
def test_many_random_programs_with_killed_workers(first: int, tmp_path: Path) -> None:
    losses = 0
    for seed in range(first, first + 50):
        folder = tmp_path / str(seed)
        folder.mkdir()
        losses += run_at_random(seed, folder)
    assert losses > 100


@pytest.mark.ray
@pytest.mark.limit(600)
@pytest.mark.usefixtures("ray_cluster")
@pytest.mark.skipif("RayVectorEnv" not in plugins.names("vector"), reason="gymkernel-vector-ray is not installed")
@pytest.mark.parametrize(
    "mode, during",
    [
        ("NextStep", "send"),
        ("NextStep", "reset some"),
        ("SameStep", "masked"),
        ("SameStep", "send"),
        ("Disabled", "step"),
        ("Disabled", "send all"),
    ],
)
def test_exited_actors_lose_no_report(mode: str, during: str, tmp_path: Path) -> None:
    after = list(WAYS)[(list(WAYS).index(during) + 1 + MODES.index(mode)) % len(WAYS)]
    for kind, folder in (("raises", tmp_path / "raises"), ("ends", tmp_path / "ends")):
        script, requests = programs(kind, "step", during, after)
        _, losses = run(
            "RayVectorEnv", mode, script, requests, folder, num_workers=2, start_timeout=500, max_restarts=None
        )
        assert losses >= 2
