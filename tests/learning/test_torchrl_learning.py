"""Tests that TorchRL collects and learns the same on the Box2D and MuJoCo plugins as on Gymnasium's environments."""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium
import pytest
import torch
from tests.learning.forms import VECTORISED, make_same_step
from tests.recipes.torch_policy import ActorCritic
from torch import nn

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # TorchRL imports its own deprecated classes
    from tensordict.nn import (
        NormalParamExtractor,
        ProbabilisticTensorDictModule,
        ProbabilisticTensorDictSequential,
        TensorDictModule,
    )
    from torchrl.collectors import Collector
    from torchrl.envs import GymEnv, GymWrapper
    from torchrl.envs.utils import RandomPolicy, check_env_specs
    from torchrl.modules import TanhNormal
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE

torch.set_num_threads(1)
ENV_IDS = "LunarLander-v3", "BipedalWalker-v3", "HalfCheetah-v5", "Hopper-v5"
NUM_ENVS = 3
NUM_BATCHES = 3


def by_id(env_id: str) -> Any:
    return GymEnv(env_id, categorical_action_encoding=True)


def wrap(env: Any) -> Any:
    return GymWrapper(env, categorical_action_encoding=True)


def vector_of_gymnasium(env_id: str) -> Any:
    functions = [partial(gymnasium.make, env_id)] * NUM_ENVS
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    return wrap(gymnasium.vector.SyncVectorEnv(functions, autoreset_mode=mode))


SINGLE: dict[str, Callable[[str], Any]] = {
    "GymWrapper": lambda env_id: wrap(gymkernel.make(env_id)),
    "GymEnv": lambda env_id: by_id(f"gymkernel_bridge_gymnasium:gymkernel/{env_id}"),
}


def collected(env: Any, policy: Any, num_frames: int = 300) -> Iterator[Any]:
    """Yield the batches of a collector, with fixed seeds."""
    torch.manual_seed(3)
    env.set_seed(7)  # before the collector is created, because its constructor resets the environment
    collector = Collector(
        env,
        policy,
        frames_per_batch=num_frames,
        total_frames=NUM_BATCHES * num_frames,
        auto_register_policy_transforms=False,  # the policies have no state, and without this TorchRL warns
    )
    yield from collector
    collector.shutdown()


def batches(env: Any) -> list[Any]:
    """Return the batches that a random policy collects."""
    return [batch.clone() for batch in collected(env, RandomPolicy(env.action_spec))]


def assert_same_batches(ours: list[Any], theirs: list[Any], *, with_ends: bool = True) -> None:
    """Check that all values of all batches are equal, and that some episodes ended."""
    assert len(ours) == len(theirs) == NUM_BATCHES
    for mine, other in zip(ours, theirs, strict=True):
        assert set(mine.keys(True, True)) == set(other.keys(True, True))
        for key, value in other.items(True, True):
            assert mine[key].dtype == value.dtype, key
            assert torch.equal(mine[key], value), key
    assert with_ends == any(batch["next", "done"].any() for batch in ours)


@pytest.mark.parametrize("env_id", ENV_IDS)
@pytest.mark.parametrize("make", SINGLE.values(), ids=SINGLE)
def test_collector_returns_the_same_batches(make: Callable[[str], Any], env_id: str) -> None:
    ours = make(env_id)
    check_env_specs(ours)
    theirs = by_id(env_id)
    check_env_specs(theirs)

    assert_same_batches(batches(ours), batches(theirs), with_ends=env_id != "HalfCheetah-v5")


@pytest.mark.parametrize(
    "env_id, mode",
    [
        ("LunarLander-v3", "sync"),
        ("BipedalWalker-v3", "async"),
        ("HalfCheetah-v5", "async"),
        ("HalfCheetah-v5", VECTORISED),
        ("Hopper-v5", VECTORISED),
    ],
)
def test_collector_returns_the_same_batches_from_a_vector_environment(env_id: str, mode: str) -> None:
    ours = batches(wrap(make_same_step(env_id, NUM_ENVS, mode)))
    theirs = batches(vector_of_gymnasium(env_id))

    assert_same_batches(ours, theirs, with_ends=env_id != "HalfCheetah-v5")


def networks(env: Any) -> tuple[Any, Any]:
    """Return an actor, whose actions are discrete or continuous, and a critic."""
    about = env.observation_spec["observation"]
    is_discrete = env.action_spec.dtype == torch.int64
    outputs = env.action_spec.n if is_discrete else 2 * env.action_spec.shape[-1]
    module = ActorCritic(about.shape[-1], outputs).to(about.dtype)
    scores = module.scores if is_discrete else nn.Sequential(module.scores, NormalParamExtractor())
    names = ["logits"] if is_discrete else ["loc", "scale"]
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(scores, ["observation"], names),
        ProbabilisticTensorDictModule(
            names,
            ["action"],
            distribution_class=torch.distributions.Categorical if is_discrete else TanhNormal,
            default_interaction_type="random",
            return_log_prob=True,
        ),
    )
    return actor, TensorDictModule(module.values, ["observation"], ["state_value"])


def learn(env: Any) -> tuple[list[Any], list[Any]]:
    """Train PPO with a collector, and return the rewards of all batches and the parameters after each batch."""
    torch.manual_seed(4)
    actor, critic = networks(env)
    advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2)
    parameters = list(loss.parameters())
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    rewards, found = [], [nn.utils.parameters_to_vector(parameters).clone()]
    for batch in collected(env, actor, num_frames=150):
        advantages(batch)
        steps = batch.reshape(-1)
        for rows in torch.randperm(len(steps)).split(100):
            parts = loss(steps[rows])
            optimizer.zero_grad()
            (parts["loss_objective"] + parts["loss_entropy"] + parts["loss_critic"]).backward()
            optimizer.step()
        rewards.append(batch["next", "reward"].clone())
        found.append(nn.utils.parameters_to_vector(parameters).detach().clone())
    return rewards, found


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_ppo_learns_the_same(env_id: str) -> None:
    rewards, parameters = learn(wrap(gymkernel.make(env_id)))
    their_rewards, their_parameters = learn(by_id(env_id))

    assert len(rewards) == len(their_rewards) == NUM_BATCHES
    assert all(map(torch.equal, rewards, their_rewards))
    assert all(map(torch.equal, parameters, their_parameters))
    assert not torch.equal(parameters[-2], parameters[-1])
