"""Benchmarks of RLlib's env runners (the new API) against `gymkernel.rollouts` on Ray, in one process and one cluster.

Both sides have two single-threaded actors and 64 environments, and deliver fragments of 128 steps per environment to a
program that ignores their contents. If a step takes 100 us, gymkernel delivers fragments of 64 steps. If a step takes
1 ms, RLlib delivers fragments of 64 steps, and gymkernel delivers fragments of 16 steps.

* **gymkernel** collects fragments. A shard starts its next fragment while the program receives the previous one.
* **RLlib** has two `SingleAgentEnvRunner` actors, each with 32 environments in Gymnasium's synchronous vector
  environment, in an `EnvRunnerGroup` that is sampled with `synchronous_parallel_sample`, as RLlib's algorithms do. The
  steps are counted as in RLlib's episodes, which leave out the steps that only reset an environment.
* **RLlib, two requests each** has the same actors without a group. The program keeps two requests per actor in flight,
  so that no actor waits. No RLlib algorithm does this, so the row shows an upper bound.
* **The policy** of the rows named after a workload computes two scores from four numbers. The action is the index of
  the higher score, and the score itself is an extra. The policy uses NumPy for gymkernel and torch for RLlib, without
  exploration. In the rows "with RLlib's network", both sides use PPO's default network in torch with one thread: two
  layers of 256 units, and a sampled action with its log-probability.
* **Environments** are Gymnasium's for RLlib. For gymkernel, CartPole is Gymnasium's environment through the bridge, and
  the other environments are the same class with each library's `Env` as its base.
"""

from __future__ import annotations

import importlib
import logging
import os
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from tests.benchmarks.processor_time import Stopwatch
from tests.benchmarks.rollouts import (
    ENVS,
    LENGTH,
    SHARDS,
    WEIGHTS,
    Collected,
    Cost,
    PlainLoops,
    policy,
    report,
    start_ray,
    turns,
    workloads,
)
from tests.benchmarks.vector_async import THEIRS, maker

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench
    from tests.benchmarks.rollouts import Contender, Workload

__all__ = ["Runners", "TorchPolicy", "run"]

NAMES = (THEIRS, "100 us of work", "1 ms of work, exponential")
DEFAULT_TARGET = 7.0
"""The target speed-up over RLlib, where RLlib uses its default network and gymkernel uses the small policy."""
IN_FLIGHT = 2
"""The number of outstanding requests per runner."""
TIMES, ROUNDS = 2, 2
"""As in `tests.benchmarks.rollouts`, but with fewer rounds, because creating runners takes a long time."""
NETWORK = "with RLlib's network"
EACH = ENVS // SHARDS


def run(bench: Bench) -> None:
    """Measure all workloads if RLlib is installed."""
    for module in ("ray.rllib", "torch"):
        try:
            importlib.import_module(module)
        except ImportError as exc:
            print(f"\nRLlib: not installed ({exc}); run: pip install 'ray[rllib]' torch")
            return
    logging.getLogger("ray").setLevel(logging.ERROR)
    os.environ["OMP_NUM_THREADS"] = "1"  # the actors of both libraries read this variable
    cluster = start_ray()
    bench.section(f"Rollouts on Ray and RLlib's env runners: {ENVS} environments, time of one step")
    for name, workload in workloads(NAMES).items():
        costs = compare(bench, name, workload)
        if name == THEIRS:
            default = compare(bench, name, replace(workload, seconds=workload.seconds * 3), network=True)
            walls = costs["Ray"].wall, default["RLlib"].wall
            bench.add(f"{name}, times RLlib with its network", walls, DEFAULT_TARGET, against="RLlib")
    cluster.shutdown()


def compare(bench: Bench, name: str, workload: Workload, *, network: bool = False) -> dict[str, Cost]:
    """Measure all contenders of a workload alternately, and return their costs."""
    config = configured(maker(gymnasium, name), min(4 * workload.rows, LENGTH), network=network)
    ours = TorchPolicy() if network else policy
    theirs = 3 if workload.rows == LENGTH else 1
    contenders: dict[str, Callable[[], Contender]] = {
        "ideal": partial(PlainLoops, workload, ours),
        "Ray": partial(Collected, workload, ours, engine="ray"),
        "RLlib": partial(Group, config, theirs),
        "RLlib, two requests each": partial(Runners, config, theirs),
    }
    costs = turns(contenders, *((1, 1) if bench.quick else (TIMES, ROUNDS)))
    if network:
        name = f"{name} {NETWORK}"
    walls = costs["Ray"].wall, costs["RLlib"].wall
    processors = costs["Ray"].processor.total, costs["RLlib"].processor.total
    bench.add(f"{name}, times RLlib, wall", walls, against="RLlib")
    bench.add(f"{name}, times RLlib, processor", processors, against="RLlib")
    report(bench, name, costs)
    return costs


class TorchPolicy:
    """The computation of RLlib's default PPO policy with exploration."""

    def __init__(self) -> None:
        self._network: Any = None
        self._torch: Any = None

    def start(self, envs: Any, seed: int) -> None:
        import torch

        torch.set_num_threads(1)
        torch.manual_seed(seed)
        layer, bend = torch.nn.Linear, torch.nn.Tanh
        self._network = torch.nn.Sequential(layer(4, 256), bend(), layer(256, 256), bend(), layer(256, 2))
        self._torch = torch

    def __call__(self, observations: Any) -> Any:
        if self._network is None:
            self.start(None, 1)
        with self._torch.no_grad():
            scores = self._network(self._torch.from_numpy(observations))
            chosen = self._torch.distributions.Categorical(logits=scores)
            actions = chosen.sample()
            return actions.numpy(), {"values": chosen.log_prob(actions).numpy()}


def configured(make: Any, rows: int, *, network: bool) -> Any:
    """Return the configuration of RLlib's env runners.

    Args:
        make: a function that creates a Gymnasium environment.
        rows: the number of time steps in a fragment.
        network: whether the runners use RLlib's default module with exploration.
    """
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    config: Any = PPOConfig().environment(env=lambda _: make()).debugging(seed=1)
    config.env_runners(num_env_runners=SHARDS, num_envs_per_env_runner=EACH, rollout_fragment_length=rows)
    config.env_runners(num_cpus_per_env_runner=0)  # the runners keep running while the other side is measured
    if not network:
        config.env_runners(explore=False).rl_module(rl_module_spec=RLModuleSpec(module_class=_module_class()))
    return config


class Group:
    """RLlib's env runners in a group, sampled as RLlib's algorithms do.

    Args:
        config: the configuration of the runners.
        fragments: the number of fragments that each runner delivers per turn.
    """

    def __init__(self, config: Any, fragments: int) -> None:
        from ray.rllib.env.env_runner_group import EnvRunnerGroup
        from ray.rllib.execution.rollout_ops import synchronous_parallel_sample

        self._group = EnvRunnerGroup(config=config, local_env_runner=False, num_env_runners=SHARDS)
        self._sample, self._fragments = synchronous_parallel_sample, fragments

    def _asked(self) -> int:
        episodes = self._sample(worker_set=self._group, _uses_new_env_runners=True)
        return sum(len(episode) for episode in episodes)

    def measure(self) -> Cost:
        self._asked()
        began, processor, steps = time.perf_counter(), Stopwatch(), 0
        for _ in range(self._fragments):
            steps += self._asked()
        return Cost((time.perf_counter() - began) / steps, processor.elapsed() * (1 / steps))

    def close(self) -> None:
        self._group.stop()


class Runners:
    """RLlib's env runners as actors, with two requests in flight for each.

    Args:
        config: the configuration of the runners.
        fragments: the number of fragments that each runner delivers per turn.
    """

    def __init__(self, config: Any, fragments: int) -> None:
        import ray
        from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

        made: Any = ray.remote(SingleAgentEnvRunner).options(num_cpus=0)
        self._ray, self._fragments = ray, fragments
        self._actors = [made.remote(config=config, worker_index=k + 1, num_workers=SHARDS) for k in range(SHARDS)]

    def measure(self) -> Cost:
        """Return the cost of a step, without each runner's first fragment. All runners stay busy until the end."""
        ray, fragments, steps = self._ray, self._fragments, 0
        left = dict.fromkeys(self._actors, fragments + 2 - IN_FLIGHT)
        waiting = {actor.sample.remote(): actor for _ in range(IN_FLIGHT) for actor in self._actors}
        for n in range(SHARDS * (fragments + 1)):
            if n == SHARDS:
                began, processor = time.perf_counter(), Stopwatch()
            (ready,), _ = ray.wait(list(waiting))
            actor, episodes = waiting.pop(ready), ray.get(ready)
            if left[actor]:
                left[actor] -= 1
                waiting[actor.sample.remote()] = actor
            if n >= SHARDS:
                steps += sum(len(episode) for episode in episodes)
        cost = Cost((time.perf_counter() - began) / steps, processor.elapsed() * (1 / steps))
        ray.get(list(waiting))
        return cost

    def close(self) -> None:
        for actor in self._actors:
            self._ray.kill(actor)


def _module_class() -> Any:
    import torch
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.torch import TorchRLModule

    class Scores(TorchRLModule):  # type: ignore[misc]
        def setup(self) -> None:
            self.weights = torch.from_numpy(WEIGHTS.astype(np.float32))

        def _forward(self, batch: Any, **kwargs: Any) -> Any:
            best = (batch[Columns.OBS] @ self.weights).max(1)
            return {Columns.ACTIONS: best.indices, "values": best.values}

    return Scores
