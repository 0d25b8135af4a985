"""Benchmarks of inheriting from Gymnasium's classes: the same process with and without Gymnasium's base classes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.benchmarks.measure import Bench

__all__ = ["run"]

CALLS = {
    "isinstance(env, gymkernel.Env)": "isinstance(env, ours.Env)",
    "isinstance(env, gymnasium.Env)": "isinstance(env, theirs.Env)",
    "isinstance(space, gymkernel.spaces.Box)": "isinstance(space, ours.spaces.Box)",
    "isinstance(space, gymnasium.spaces.Box)": "isinstance(space, theirs.spaces.Box)",
    "isinstance(space, gymnasium.spaces.Dict)": "isinstance(space, theirs.spaces.Dict)",
    "isinstance(envs, gymnasium.vector.VectorEnv)": "isinstance(envs, theirs.vector.VectorEnv)",
    "space.contains": "space.contains(observation)",
    "env.step through make": "env.step(0)",
    "env.observation_space": "env.observation_space",
    "envs.step, 8 environments": "envs.step(actions)",
    "make": "ours.make('CartPole-v1')",
}
PROGRAM = """
import json, sys
import gymnasium as theirs
import gymkernel as ours
from tests.benchmarks.measure import per_call
env = ours.make("CartPole-v1", max_episode_steps=-1, disable_env_checker=True)
env.unwrapped.step = lambda action: (observation, 1.0, False, False, {})
space, (observation, _) = env.observation_space, env.reset(seed=1)
envs = ours.make_vec("CartPole-v1", 8, "sync")
envs.reset(seed=1)
actions = envs.action_space.sample()
calls = json.loads(sys.argv[1])
print(json.dumps({name: per_call(eval("lambda: " + code)) for name, code in calls.items()}))
"""


def run(bench: Bench) -> None:
    """Time processes with and without Gymnasium's classes alternately, and compare the medians."""
    bench.section("One hierarchy of classes, as a share of the time without Gymnasium's bases")
    times: dict[str, list[dict[str, float]]] = {"0": [], "1": []}
    for _ in range(5 if bench.quick else 11):
        for switch, measured in times.items():
            measured.append(_measured(switch))
    for name in CALLS:
        without, joined = (statistics.median(time[name] for time in times[switch]) for switch in ("0", "1"))
        bench.add(name, (joined, without), against="apart", share=True)


def _measured(switch: str) -> dict[str, Any]:
    """Run a new process, and return the duration of each call in seconds."""
    environment = {**os.environ, "GYMKERNEL_GYMNASIUM_BASES": switch}
    command = [sys.executable, "-c", PROGRAM, json.dumps(CALLS)]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found
