"""Run the checkers of both libraries on environments of both libraries."""

import warnings

import gymnasium
from gymnasium.utils.env_checker import check_env

import gymkernel

warnings.simplefilter("ignore")
for env_id in ("CartPole-v1", "Pendulum-v1", "MountainCarContinuous-v0", "FrozenLake-v1", "Blackjack-v1"):
    check_env(gymkernel.make(env_id).unwrapped, skip_render_check=True)
    check_env(gymnasium.make(env_id).unwrapped, skip_render_check=True)
    gymkernel.utils.env_checker.check_env(gymnasium.make(env_id).unwrapped, skip_render_check=True)
    gymkernel.utils.env_checker.check_env(gymkernel.make(env_id).unwrapped, skip_render_check=True)
check_env(gymkernel.make("CartPole-v1", render_mode="rgb_array").unwrapped)
gymnasium.utils.passive_env_checker.check_action_space(gymkernel.spaces.Discrete(2))
gymnasium.utils.passive_env_checker.check_observation_space(gymkernel.spaces.Dict(a=gymkernel.spaces.Box(0, 1, (2,))))
