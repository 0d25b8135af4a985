"""Pass one library's `EnvSpec` to the other library's `make`."""

import gymnasium

import gymkernel

spec = gymkernel.spec("CartPole-v1")
env = gymnasium.make(spec)
assert env.spec.id == "CartPole-v1"
assert env.spec.max_episode_steps == 500
env.reset(seed=1)
assert isinstance(spec, gymnasium.envs.registration.EnvSpec)
spec = gymnasium.spec("MountainCar-v0")
env = gymkernel.make(spec, max_episode_steps=9)
assert env.spec.max_episode_steps == 9
env.reset(seed=1)
for _ in range(9):
    *_, truncated, info = env.step(0)
assert truncated
again = gymnasium.make(gymkernel.make("Pendulum-v1", g=5.0).spec)
assert again.unwrapped.g == 5.0
again = gymkernel.make(gymnasium.make("Pendulum-v1", g=6.0).spec)
assert again.unwrapped.g == 6.0
envs = gymkernel.make_vec(gymnasium.spec("CartPole-v1"), num_envs=2)
assert envs.reset(seed=1)[0].shape == (2, 4)
