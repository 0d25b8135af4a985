"""Use ids and specs: versions, JSON, wrappers in specs, copies, errors."""

import copy
import pickle

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec, WrapperSpec, namespace, parse_env_id, register, registry

env = gym.make("CartPole-v1", max_episode_steps=12, disable_env_checker=True)
env = gym.wrappers.TimeAwareObservation(env)
spec = env.spec
print(spec.id, spec.max_episode_steps, spec.kwargs, [w.name for w in spec.additional_wrappers])
again = gym.make(EnvSpec.from_json(spec.to_json()))
print(again.spec == spec, again.observation_space == env.observation_space, type(again).__name__)
print(gym.make(pickle.loads(pickle.dumps(spec))).spec == spec, copy.deepcopy(spec) == spec)
print(parse_env_id("ns/Name-v3"), parse_env_id("Name"))
for wrong in ("CartPole-v999", "CartPol-v1", "nowhere/CartPole-v1", "CartPole-v", "Blackjack-v0"):
    try:
        gym.make(wrong)
    except gym.error.Error as error:
        print(wrong, type(error).__name__)
with namespace("programs"):
    register("Own-v0", entry_point="gymnasium.envs.classic_control:CartPoleEnv", reward_threshold=3.0)
register("programs/Own-v1", entry_point=lambda **kw: gym.make("CartPole-v1", **kw).unwrapped, nondeterministic=True)
print(sorted(name for name in registry if name.startswith("programs/")))
print(gym.make("programs/Own-v1").spec.version, gym.spec("programs/Own-v0").reward_threshold)
print(gym.make("programs/Own-v1").unwrapped.spec.nondeterministic)
made = gym.make("CartPole-v1", additional_wrappers=()) if False else gym.make("CartPole-v1")
print(made, made.unwrapped, made.spec.order_enforce, made.has_wrapper_attr("_elapsed_steps"))
envs = gym.make_vec("CartPole-v1", 2, vectorization_mode="sync", vector_kwargs={"autoreset_mode": "SameStep"})
print(envs.spec.id, envs.spec.kwargs, envs.metadata["autoreset_mode"])
print(WrapperSpec("x", "y:z", {}).name)
