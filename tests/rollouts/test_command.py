"""Tests that `gymkernel rollout --engine` runs environments in parallel and gives the same episodes as without it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from gymkernel_tool_rollout.command import command

POLICY = '''
class Rising:
    """Its actions depend on how many it has chosen in the episode."""

    def __init__(self, env):
        self.n = env.action_space.n

    def reset(self, seed):
        self.count = seed

    def __call__(self, observation):
        self.count += 1
        return self.count % self.n


def lean(observation):
    return int(observation[2] > 0)


def late(observation):
    if abs(observation[2]) > 0.1:
        raise LookupError("too late")
    return 1


def half(observation):
    return 0.5
'''


@pytest.fixture
def report(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "rollout_policies.py").write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "rollout_policies", raising=False)

    def run(*arguments: str, code: int = 0) -> Any:
        result = CliRunner().invoke(command, [*arguments, "--format", "json"])
        assert result.exit_code == code, result.stderr
        found = json.loads(result.stdout) if result.stdout else {}
        return {key: value for key, value in found.items() if not key.startswith(("seconds", "steps_per"))}

    yield run
    sys.modules.pop("rollout_policies", None)


@pytest.mark.parametrize("engine", ["sync", "async"])
@pytest.mark.parametrize(
    "arguments, more",
    [
        (["CartPole-v1", "--policy", "random"], []),
        (["CartPole-v1", "--policy", "rollout_policies.py:lean"], ["--num-envs", "3"]),
        (["CartPole-v1", "--policy", "rollout_policies.py:Rising", "--max-steps", "12"], []),
        (["FrozenLake-v1"], ["--num-envs", "5", "--num-shards", "2"]),
        (["Blackjack-v1"], []),
    ],
)
def test_engine_gives_the_same_episodes(report: Any, arguments: list[str], more: list[str], engine: str) -> None:
    expected = report(*arguments, "--episodes", "30", "--seed", "7")
    found = report(*arguments, "--episodes", "30", "--seed", "7", "--engine", engine, *more)
    assert found.pop("where").endswith(f"engine {engine}")
    assert found == expected


def test_failure_message_is_the_same(report: Any) -> None:
    arguments = ["CartPole-v1", "--policy", "rollout_policies.py:late", "--episodes", "1", "--seed", "7"]
    result = CliRunner().invoke(command, [*arguments, "--engine", "async"])
    expected = CliRunner().invoke(command, arguments)
    assert (result.exit_code, expected.exit_code) == (1, 1)
    last, words = result.stderr.splitlines()[-1], expected.stderr.splitlines()[-1]
    assert last.startswith("Error: the policy failed in episode 0, step 9 (seed 7): LookupError: too late")
    assert words.startswith(last)


def test_lossy_action_is_rejected(report: Any) -> None:
    arguments = ["CartPole-v1", "--policy", "rollout_policies.py:half", "--episodes", "1", "--seed", "7"]
    result = CliRunner().invoke(command, [*arguments, "--engine", "sync"])
    assert result.exit_code == 1
    assert "the policy failed in episode 0, step 1 (seed 7): ValueError: Expected actions of the" in result.stderr
    assert "got dtype float64; choose integers in the policy" in result.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--engine", "threads"], "'threads' is not one of"),
        (["--num-envs", "4"], "need --engine, for example --engine async"),
        (["--engine", "sync", "--video", "a.mp4"], "use only one of the two"),
    ],
)
def test_incompatible_options_are_rejected(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(command, ["CartPole-v1", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
