"""Train PPO on a cluster of two nodes, which are simulated on this machine.

python -m tests.rollouts.ppo_cluster          40 rounds on two nodes, with the same returns as ppo_numpy.py
python -m tests.rollouts.ppo_cluster 12       fewer rounds

To use several machines, start the cluster with `ray start --head` on one machine and `ray start --address=...` on the
others, and replace `two_nodes()` with `ray.init("auto")`.
"""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import ray
from ray.cluster_utils import Cluster
from tests.rollouts import ppo_numpy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.rollouts import Fragment

cloudpickle.register_pickle_by_value(ppo_numpy)  # the other machines do not have this file


class AgentWithPlace(ppo_numpy.Agent):
    """An agent that also returns the node of the cluster on which it acts."""

    def start(self, envs: Any, seed: int) -> None:
        """Prepare the agent in a shard, and record on which node of the cluster the shard runs."""
        super().start(envs, seed)
        self.node = ray.get_runtime_context().get_node_id()[:8]

    def __call__(self, observations: Any) -> Any:
        """Choose actions, and return the node as an additional array."""
        actions, extras = super().__call__(observations)
        return actions, {**extras, "node": np.full(len(actions), self.node)}


@contextlib.contextmanager
def two_nodes() -> Iterator[None]:
    """Start a cluster with a head node, which runs no environments, and two nodes that can run one shard each."""
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    try:
        for _ in range(2):
            cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        ray.init(cluster.address, log_to_driver=False)
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()


def train(rounds: int) -> Iterator[tuple[float, list[Fragment]]]:
    """Train in this program's cluster: a process on each node collects fragments, and this process learns from them."""
    return ppo_numpy.train("ray", rounds, shards=2, agent=AgentWithPlace(), resources={"CPU": 1})


if __name__ == "__main__":
    with two_nodes():
        for number, (mean, fragments) in enumerate(train(int(sys.argv[1]) if len(sys.argv) > 1 else 40)):
            nodes = [str(fragment["extras"]["node"][0, 0]) for fragment in fragments]
            print(f"round {number:2}: mean return {mean} on nodes {' and '.join(nodes)}", flush=True)
