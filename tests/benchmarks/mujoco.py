"""Benchmarks of the MuJoCo environments, as vector environments and as single environments.

The peers of the vector environments are `mujoco.rollout` alone, EnvPool, gymkernel's async backend and Gymnasium's.

Vector steps are measured with the clock, because several threads and processes take part. If the peer's threads belong
to this process, the CPU time is measured too, which other programs on the machine disturb less. All variants take turns
(A B A B), and the best of several rounds counts.

Steps of a single environment are measured in CPU time. Both libraries simulate the same episodes in turns, and the
median of many rounds counts. The share of `mj_step` shows how much of a step is outside the control of either library.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import gymnasium
import mujoco
import numpy as np
from mujoco import rollout

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

    Measurement = Callable[[int], tuple[float, float]]

__all__ = ["run"]

CASES = (
    ("HalfCheetah-v5", 64, 0.9),
    ("HalfCheetah-v5", 8, 0.85),
    ("HalfCheetah-v5", 256, 0.85),
    ("Hopper-v5", 64, 0.85),
    ("Ant-v5", 64, 0.85),
    ("Humanoid-v5", 64, 0.85),
)
"""The environment, the number of environments, and the lowest acceptable speed relative to `mujoco.rollout` alone."""
SINGLE = {"HalfCheetah-v5": 1.2, "Hopper-v5": 1.2, "Ant-v5": None, "Humanoid-v5": None}
"""The single environments, and the lowest acceptable speed relative to Gymnasium, or None."""
THREADS = 2


def run(bench: Bench) -> None:
    """Measure vector steps of the vectorised environments and of their peers."""
    bench.section(f"MuJoCo, {THREADS} threads or processes, time of a vector step by the clock")
    for env_id, n, target in CASES:
        ours = gymkernel.make_vec(env_id, n, num_threads=THREADS)
        steps = _steps(ours)
        _compare(bench, ours, steps, _rollout(ours), target, "rollout")
        if (env_id, n) == ("HalfCheetah-v5", 64):
            own = gymkernel.make_vec(env_id, n, "async", vector_kwargs={"num_workers": THREADS})
            _compare(bench, ours, steps, _steps(own), 1.8, "own async")
            own.close()
            theirs = gymnasium.make_vec(env_id, n, "async")
            _compare(bench, ours, steps, _steps(theirs), 9.0, "gymnasium")
            theirs.close()
            if find_spec("envpool") is not None:
                _compare(bench, ours, steps, _envpool(env_id, n), 0.95, "envpool")
        ours.close()
    bench.section("MuJoCo, CPU time of a step of a single environment")
    for env_id, lowest in SINGLE.items():
        _compare_singles(bench, env_id, lowest)


def _compare_singles(bench: Bench, env_id: str, target: float | None) -> None:
    """Compare a step with Gymnasium's step, and the time of `mj_step` alone with the latter."""
    ours: Any = gymkernel.make(env_id)
    theirs: Any = gymnasium.make(env_id)
    space = theirs.action_space
    shape = (200, *space.shape)
    actions = list(np.random.default_rng(0).uniform(space.low, space.high, shape).astype(np.float32))
    starts = _play(theirs, actions)[1]
    calls = [
        lambda: _play(ours, actions)[0],
        lambda: _play(theirs, actions)[0],
        lambda: _simulate(theirs.unwrapped, actions, starts),
    ]
    own, peer, alone = bench.rounds(calls, 60)
    bench.add(f"{env_id}, 1", (own, peer), target)
    bench.add(f"{env_id}, 1, share of mj_step", (alone, peer), share=True)
    ours.close()
    theirs.close()


def _play(env: Any, actions: list[Any]) -> tuple[float, dict[int, Any]]:
    """Return the CPU time of one step without resets in s, and the states after resets by the number of the step."""
    env.reset(seed=1)
    bare: Any = env.unwrapped
    # The states come from Gymnasium, because reading `data` makes later steps of our environments slower.
    is_peer = isinstance(bare, gymnasium.Env)
    total, starts = 0.0, {0: _state(bare)} if is_peer else dict[int, Any]()
    start = time.process_time()
    for number, action in enumerate(actions, 1):
        if env.step(action)[2]:
            total += time.process_time() - start
            env.reset()
            if is_peer:
                starts[number] = _state(bare)
            start = time.process_time()
    return (total + time.process_time() - start) / len(actions), starts


def _state(env: Any) -> tuple[Any, Any]:
    return env.data.qpos.copy(), env.data.qvel.copy()


def _simulate(env: Any, actions: list[Any], starts: dict[int, Any]) -> float:
    """Return the CPU time in s that `mj_step` takes for one step of the same episodes."""
    model, data, frame_skip = env.model, env.data, env.frame_skip
    total, start = 0.0, time.process_time()
    for number, action in enumerate(actions):
        if number in starts:
            total += time.process_time() - start
            mujoco.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = starts[number]
            mujoco.mj_forward(model, data)
            start = time.process_time()
        data.ctrl[:] = action
        mujoco.mj_step(model, data, frame_skip)
    return (total + time.process_time() - start) / len(actions)


def _compare(bench: Bench, envs: Any, ours: Measurement, peer: Measurement, target: float, name: str) -> None:
    """Measure our steps and the steps of a peer in turns. Other peers are closed, because idle workers may spin."""
    count = max(3, 1500 // envs.num_envs)
    times: tuple[list[tuple[float, float]], list[tuple[float, float]]] = [], []
    for _ in range(4 if bench.quick else 12):
        for taken, steps in zip(times, (ours, peer), strict=True):
            taken.append(steps(count))
    title = f"{envs.spec.id}, {envs.num_envs}"
    best = [[min(column) for column in zip(*taken, strict=True)] for taken in times]
    bench.add(title, (best[0][0], best[1][0]), target, against=name)
    if name in {"rollout", "envpool"}:
        bench.add(f"{title}, CPU time", (best[0][1], best[1][1]), against=name)


def _clock(step: Callable[[int], Any]) -> Measurement:
    """Return a function that makes several steps, and returns the time and the CPU time of one step in s."""
    step(0)

    def measure(count: int) -> tuple[float, float]:
        start, start_cpu = time.perf_counter(), time.process_time()
        for i in range(count):
            step(i)
        return (time.perf_counter() - start) / count, (time.process_time() - start_cpu) / count

    return measure


def _actions(envs: Any) -> Any:
    space = envs.single_action_space
    shape = (32, envs.num_envs, *space.shape)
    return np.random.default_rng(0).uniform(space.low, space.high, shape).astype(np.float32)


def _steps(envs: Any) -> Measurement:
    envs.reset(seed=1)
    actions = _actions(envs)
    return _clock(lambda i: envs.step(actions[i % 32]))


def _rollout(ours: Any) -> Measurement:
    """Step states and actions of our environments with `mujoco.rollout`, without observations, rewards or resets.

    The states are recorded, because environments that are never reset would lie on the floor. `mujoco.rollout` starts
    the solver without the result of the previous step, so its results differ from those of a loop in the last bits.
    """
    model, frame_skip, n = ours.task.model, ours.task.frame_skip, ours.num_envs
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS.value)
    states, actions = np.zeros((32, n, size)), _actions(ours)
    ours.reset(seed=1)
    for state, action in zip(states, actions, strict=True):
        state[:, 1 : 1 + model.nq], state[:, 1 + model.nq : 1 + model.nq + model.nv] = ours.data.qpos, ours.data.qvel
        ours.step(action)
    controls = np.repeat(actions[:, :, None], frame_skip, 2).astype(np.float64)
    datas, pool = [mujoco.MjData(model) for _ in range(THREADS)], rollout.Rollout(nthread=THREADS)
    return _clock(lambda i: pool.rollout(model, datas, states[i % 32], controls[i % 32]))


def _envpool(env_id: str, n: int) -> Measurement:
    import envpool

    envs = envpool.make_gymnasium(env_id, num_envs=n, num_threads=THREADS, seed=1)
    envs.reset()
    space = envs.action_space
    actions = np.random.default_rng(0).uniform(space.low, space.high, (32, n, *space.shape))
    return _clock(lambda i: envs.step(actions[i % 32]))
