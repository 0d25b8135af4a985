"""Tests that `MujocoVectorEnv` gives the same results as a plain loop over environments, bit for bit, in every mode."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from mujoco_models import Reference, crawler, random_actions

import gymkernel as gym
from gymkernel.error import ClosedEnvironmentError, InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.specs import EnvSpec
from gymkernel_env_mujoco.simulations import BatchedSimulations, ThreadedSimulations
from gymkernel_env_mujoco.threads import default_threads

N = 5
MODES = "NextStep", "SameStep", "Disabled"
KINDS = {"batch": {}, "threads": {"post_constraint": True}}


def equal(first: Any, second: Any) -> None:
    """Check that the arrays in two results are equal and have the same dtypes."""
    for one, other in zip(first, second, strict=False):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_results_equal_those_of_a_loop(kind: str, mode: str, threads: int) -> None:
    task = crawler(**KINDS[kind])
    envs = task.make_vec(N, max_episode_steps=20, autoreset_mode=mode, num_threads=threads)
    loop, actions = Reference(task, N, 20, mode), random_actions(1, N)
    equal([envs.reset(seed=3)[0]], [loop.reset(3)])
    ended = 0
    for _ in range(60):
        action = actions()
        results = envs.step(action)
        equal(results[:4], loop.step(action))
        over = results[2] | results[3]
        ended += int(results[2].sum())
        if mode == "Disabled" and over.any():
            equal([envs.reset(options={"reset_mask": over})[0]], [loop.reset(None, over)])
    assert ended
    expected = BatchedSimulations if kind == "batch" else ThreadedSimulations
    assert isinstance(envs.simulations, expected)
    envs.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("kind", KINDS)
def test_masked_steps_and_partial_resets_equal_those_of_a_loop(kind: str, mode: str) -> None:
    task, rng = crawler(**KINDS[kind]), np.random.default_rng(0)
    envs = task.make_vec(N, max_episode_steps=15, autoreset_mode=mode, num_threads=2)
    loop, actions = Reference(task, N, 15, mode), random_actions(2, N)
    equal([envs.reset(seed=8)[0]], [loop.reset(8)])
    for step in range(60):
        action, mask = actions(), rng.random(N) < 0.6
        equal(envs.step_masked(action, mask)[:4], loop.step(action, mask))
        if step % 10 == 9:
            equal([envs.reset(seed=step, options={"reset_mask": ~mask})[0]], [loop.reset(step, ~mask)])
    envs.close()


@pytest.mark.parametrize("kind", KINDS)
def test_same_step_infos_have_the_final_observation_and_info(kind: str) -> None:
    task = crawler(**KINDS[kind])
    envs = task.make_vec(N, max_episode_steps=4, autoreset_mode="SameStep", num_threads=1)
    others = task.make_vec(N, max_episode_steps=4, autoreset_mode="NextStep", num_threads=1)
    actions = random_actions(1, N)
    envs.reset(seed=0)
    others.reset(seed=0)
    for _ in range(4):
        action = actions()
        _, _, _, truncated, infos = envs.step(action)
        final, _, _, _, final_infos = others.step(action)
    assert truncated.all()
    np.testing.assert_array_equal(np.stack(infos["final_obs"]), final)
    np.testing.assert_array_equal(infos["final_info"]["velocity"], final_infos["velocity"])
    assert infos["final_info"]["TimeLimit.truncated"].all()
    *_, start_infos = others.step(actions())
    np.testing.assert_array_equal(infos["x"], start_infos["x"])
    envs.close()
    others.close()


def test_infos_of_steps_do_not_change_later() -> None:
    envs = crawler().make_vec(N, num_threads=1)
    _, infos = envs.reset(seed=0)
    before = infos["x"].copy()
    envs.step(np.ones((N, 2), np.float32))
    np.testing.assert_array_equal(infos["x"], before)
    envs.close()


def test_copy_false_returns_the_same_array_again() -> None:
    envs = crawler().make_vec(N, num_threads=1, copy=False)
    first, _ = envs.reset(seed=0)
    second, *_ = envs.step(np.ones((N, 2), np.float32))
    assert second is first
    envs.close()


def test_a_spec_with_the_task_makes_the_vector_form_by_default() -> None:
    spec = EnvSpec("Crawler-v0", vector_entry_point=crawler().make_vec, max_episode_steps=7)
    envs: Any = gym.make_vec(spec, 3, num_threads=2)
    assert (envs.num_envs, envs.max_episode_steps, envs.num_threads) == (3, 7, 2)
    envs.close()


def test_wrong_arguments_and_calls_raise_clear_errors() -> None:
    task = crawler()
    with pytest.raises(ValueError, match="Expected num_threads to be an integer of at least 1, got 0"):
        task.make_vec(2, num_threads=0)
    with pytest.raises(ValueError, match="Expected num_envs"):
        task.make_vec(0)
    with pytest.raises(UnsupportedMode, match="vectorization_mode='sync' supports"):
        task.make_vec(2, render_mode="human")
    envs = task.make_vec(2)
    with pytest.raises(ResetNeeded, match="never reset"):
        envs.step(np.zeros((2, 2)))
    envs.reset(seed=1)
    with pytest.raises(InvalidAction, match=r"shape \(2, 2\), got float64 of shape \(3,\)"):
        envs.step(np.zeros(3))
    envs.close()
    envs.close()
    with pytest.raises(ClosedEnvironmentError, match="call make_vec again"):
        envs.step(np.zeros((2, 2)))


def test_a_process_that_shares_the_cores_uses_one_thread_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert default_threads() == 1
    monkeypatch.delenv("OMP_NUM_THREADS")
    monkeypatch.setattr("gymkernel_env_mujoco.threads.cores", lambda: 6)
    assert default_threads() == default_threads(os.getpid()) == 6
    assert default_threads(os.getppid()) == 1
    monkeypatch.setattr("multiprocessing.parent_process", object)
    assert default_threads() == 1


FORK = """
import os, sys
import numpy as np
from mujoco_models import crawler, random_actions

def roll(envs):
    actions = random_actions(4, envs.num_envs)
    return np.concatenate([envs.step(actions())[0] for _ in range(10)])

envs = crawler(post_constraint=sys.argv[1] == "threads").make_vec(4, num_threads=2)
envs.reset(seed=1)
roll(envs)
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, roll(envs).tobytes())
    if sys.argv[2] == "close":
        envs.close()
    sys.exit(0)
own = roll(envs).tobytes()
other = b""
while len(other) < len(own):
    other += os.read(read, len(own))
assert os.wait()[1] == 0
print(own == other, len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
@pytest.mark.parametrize("end", ["close", "exit"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_forked_process_continues_with_its_own_threads(kind: str, end: str) -> None:
    folder = os.path.dirname(__file__)  # noqa: PTH120 - the folder of the module `mujoco_models`
    done = subprocess.run(
        [sys.executable, "-c", FORK, kind, end], capture_output=True, text=True, timeout=60, cwd=folder, check=False
    )
    assert (done.returncode, done.stdout.split()[0]) == (0, "True"), done.stderr


@pytest.mark.parametrize("name", ["call", "envs", "get_attr", "set_attr"])
def test_error_for_methods_of_single_environments_names_the_backend_that_has_them(name: str) -> None:
    envs = gym.make_vec("HalfCheetah-v5", 2)

    assert not hasattr(envs, name)
    with pytest.raises(AttributeError, match=r"pass vectorization_mode='sync' to make_vec$"):
        getattr(envs, name)
