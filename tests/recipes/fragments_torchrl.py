"""Convert fragments to the data layout of TorchRL's collectors, and train PPO with TorchRL's losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from tests.recipes.torch_policy import ActorCritic, TorchPolicy
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper
from torchrl.envs.utils import RandomPolicy
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import gymkernel
from gymkernel.rollouts import collect
from gymkernel.utils.gymnasium import to_gymnasium
from gymkernel.vector import SyncVectorEnv

if TYPE_CHECKING:
    from gymkernel.rollouts import Fragment


def tensordict_of(fragment: Fragment) -> TensorDict:
    """Convert a fragment to TorchRL's layout: environment axis first, then time, with the step results under "next"."""
    following = np.concatenate([fragment["observations"][1:], fragment["last_observations"][None]])
    times, envs = fragment["episode_ends"].T
    following[times, envs] = fragment["final_observations"]

    def tensor(array: Any) -> torch.Tensor:
        return torch.from_numpy(array.swapaxes(0, 1).copy())

    reward, terminated, truncated = (
        tensor(fragment[name])[..., None] for name in ("rewards", "terminations", "truncations")
    )
    outcome = {
        "observation": tensor(following),
        "reward": reward.float(),
        "done": terminated | truncated,
        "terminated": terminated,
        "truncated": truncated,
    }
    start = {name: torch.zeros_like(terminated) for name in ("done", "terminated", "truncated")}
    columns = {
        "observation": tensor(fragment["observations"]),
        "action": tensor(fragment["actions"]),
        "action_log_prob": tensor(fragment["extras"]["log_probs"]),
    }
    return TensorDict({**columns, **start, "next": outcome}, batch_size=reward.shape[:2])


def train(engine: str, rounds: int) -> list[float]:
    """Train PPO with `TorchPolicy` in two shards, and return the mean return of each round."""
    torch.manual_seed(1)
    module = ActorCritic()
    scores = TensorDictModule(module.scores, ["observation"], ["logits"])
    drawn = ProbabilisticTensorDictModule(["logits"], ["action"], distribution_class=torch.distributions.Categorical)
    actor = ProbabilisticTensorDictSequential(scores, drawn)
    critic = TensorDictModule(module.values, ["observation"], ["state_value"])
    advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, normalize_advantage=True)
    optimizer = torch.optim.Adam(module.parameters(), lr=3e-3)
    found = []
    with collect(
        "CartPole-v1", TorchPolicy(module), num_envs=16, num_shards=2, fragment_length=128, seed=1, engine=engine
    ) as fragments:
        for _ in range(rounds):
            ready = [next(fragments) for _ in range(2)]
            batch = torch.cat([tensordict_of(item) for item in ready])
            advantages(batch)
            steps = batch.reshape(-1)
            for _ in range(4):
                for rows in torch.randperm(len(steps)).split(256):
                    parts = loss(steps[rows])
                    optimizer.zero_grad()
                    (parts["loss_objective"] + parts["loss_entropy"] + parts["loss_critic"]).backward()
                    optimizer.step()
            fragments.update(TorchPolicy(module))
            found.append(float(np.concatenate([item["episode_returns"] for item in ready]).mean()))
    return found


def layout(batch: TensorDict) -> dict[Any, Any]:
    """Return the shape and the dtype of each key."""
    return {key: (tuple(value.shape), value.dtype) for key, value in batch.items(True, True)}


def collected(rows: int) -> TensorDict:
    """Return a batch from TorchRL's own collector with two environments, for comparison."""
    envs = GymWrapper(
        to_gymnasium(SyncVectorEnv([lambda: gymkernel.make("CartPole-v1")] * 2, autoreset_mode="SameStep")),
        categorical_action_encoding=True,
    )
    collector = Collector(envs, RandomPolicy(envs.action_spec), frames_per_batch=2 * rows, total_frames=2 * rows)
    batch: TensorDict = next(iter(collector))
    collector.shutdown()
    return batch


def main() -> None:
    """Check that the layout equals TorchRL's, and that training works and gives the same results with each engine."""
    policy = TorchPolicy(ActorCritic())
    (fragment,) = collect("CartPole-v1", policy, num_envs=2, num_steps=200, fragment_length=100, seed=1)
    ours, theirs = tensordict_of(fragment), layout(collected(100))
    assert set(theirs) - set(layout(ours)) == {("collector", "traj_ids")}
    assert all(theirs.get(key, ours) == about for key, about in layout(ours).items() if key != "action_log_prob")
    followed = ours["next", "observation"][:, :-1] == ours["observation"][:, 1:]
    assert torch.equal(
        followed.all(2), ~ours["next", "done"][:, :-1, 0]
    )  # the next observation is in the next row, or it is the last observation of the episode
    assert len(fragment["episode_ends"]) > 2

    means = train("async", rounds=20)
    print(f"PPO by TorchRL on fragments: mean return {means[0]:.0f}, then {means[-1]:.0f}")
    assert means[0] < 40
    assert sum(means[-3:]) / 3 > 100
    assert means[:4] == train("sync", rounds=4)


if __name__ == "__main__":
    main()
