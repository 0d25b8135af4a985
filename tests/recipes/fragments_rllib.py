"""Train RLlib's learners on gymkernel's fragments, converted to RLlib's episodes, instead of using RLlib's runners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME

from gymkernel.rollouts import collect

if TYPE_CHECKING:
    from ray.rllib.core.rl_module import RLModule

    from gymkernel.rollouts import Fragment


class ModulePolicy:
    """A policy that calls an RLlib module. Its extras contain the values that RLlib's learners need for each step."""

    def __init__(self, module: RLModule) -> None:
        self.module = module

    def start(self, envs: Any, seed: int) -> None:
        """Prepare the policy in a shard: use a single thread and the shard's seed."""
        torch.set_num_threads(1)
        torch.manual_seed(seed)

    def __call__(self, observations: Any) -> Any:
        """Sample an action for each environment from the module's distribution."""
        with torch.no_grad():
            found = self.module.forward_exploration({"obs": torch.from_numpy(observations)})["action_dist_inputs"]
        distribution = self.module.get_exploration_action_dist_cls().from_logits(found)
        actions = distribution.sample()
        return actions.numpy(), {"action_logp": distribution.logp(actions).numpy(), "action_dist_inputs": found.numpy()}


def episodes_of(fragment: Fragment) -> list[SingleAgentEpisode]:
    """Return the episodes, and parts of episodes, of all environments in a fragment."""
    rows, n = fragment["rewards"].shape
    stops: list[list[tuple[int, Any]]] = [[] for _ in range(n)]
    for (time, env), final in zip(fragment["episode_ends"], fragment["final_observations"], strict=True):
        stops[env].append((time + 1, final))
    episodes = []
    for env, ends in enumerate(stops):
        begin = 0
        for end, last in [*ends, (rows, fragment["last_observations"][env])]:
            if end > begin:
                part = slice(begin, end), env
                episodes.append(
                    SingleAgentEpisode(
                        observations=[*fragment["observations"][part], last],
                        actions=[*fragment["actions"][part]],
                        rewards=[*fragment["rewards"][part]],
                        terminated=bool(fragment["terminations"][end - 1, env]),
                        truncated=bool(fragment["truncations"][end - 1, env]),
                        extra_model_outputs={name: [*extra[part]] for name, extra in fragment["extras"].items()},
                        len_lookback_buffer=0,
                    )
                )
            begin = end
    return episodes


def train(engine: str, rounds: int) -> list[float]:
    """Train PPO with RLlib's learners on two shards, and return the mean return of each round."""
    config = (
        PPOConfig()
        .environment("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1")  # for the spaces
        .env_runners(num_env_runners=0)
        .training(lr=1e-3, minibatch_size=256, num_epochs=6, vf_clip_param=1e9)
        .debugging(seed=1)
    )
    algorithm = config.build_algo()
    learners, steps, means = algorithm.learner_group, 0, []

    def policy() -> ModulePolicy:
        algorithm.env_runner_group.sync_weights(from_worker_or_learner_group=learners, inference_only=True)
        return ModulePolicy(algorithm.get_module())

    with collect(
        "CartPole-v1", policy(), num_envs=16, num_shards=2, fragment_length=128, seed=1, engine=engine
    ) as fragments:
        for _ in range(rounds):
            ready = [next(fragments) for _ in range(2)]
            steps += sum(item.num_steps for item in ready)
            learners.update(
                episodes=[episode for item in ready for episode in episodes_of(item)],
                timesteps={NUM_ENV_STEPS_SAMPLED_LIFETIME: steps},
                num_epochs=config.num_epochs,
                minibatch_size=config.minibatch_size,
                shuffle_batch_per_epoch=True,
            )
            fragments.update(policy())
            means.append(float(np.concatenate([item["episode_returns"] for item in ready]).mean()))
    algorithm.stop()
    return means


def main() -> None:
    """Check that the episodes are complete and that training on them works."""

    def count(observations: Any) -> Any:
        actions = np.arange(len(observations)) % 2
        return actions, {"doubled": 2 * observations}

    (fragment,) = collect("CartPole-v1", count, num_envs=3, num_steps=300, fragment_length=100, seed=1)
    episodes = episodes_of(fragment)
    assert sum(len(episode) for episode in episodes) == 300
    assert sum(episode.is_done for episode in episodes) == len(fragment["episode_ends"]) > 3
    assert sorted(episode.get_return() for episode in episodes if episode.is_done) == sorted(
        fragment["episode_returns"]
    )
    for episode in episodes:
        observations = episode.get_observations()
        assert len(observations) == len(episode) + 1
        assert all(
            np.array_equal(2 * observations[k], episode.get_extra_model_outputs("doubled", k))
            for k in range(len(episode))
        )
        assert episode.is_terminated == (abs(observations[-1][2]) > np.pi * 12 / 180 or abs(observations[-1][0]) > 2.4)

    means = train("ray", rounds=12)
    print(f"PPO by RLlib's learners on fragments: mean return {means[0]:.0f}, then {means[-1]:.0f}")
    assert means[0] < 40
    assert max(means) > 150


if __name__ == "__main__":
    main()
