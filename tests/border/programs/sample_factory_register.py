"""Register our environments with Sample Factory, and step them through its preprocessing layer."""

import gymnasium
from sample_factory.algo.utils.env_info import extract_env_info
from sample_factory.algo.utils.make_env import make_env_func_batched
from sample_factory.cfg.arguments import parse_full_cfg, parse_sf_args
from sample_factory.envs.env_utils import register_env

import gymkernel


def make_cartpole(full_env_name, cfg=None, env_config=None, render_mode=None):
    return gymkernel.make("CartPole-v1", render_mode=render_mode)


register_env("our_cartpole", make_cartpole)
parser, _ = parse_sf_args(["--env=our_cartpole", "--device=cpu"])
cfg = parse_full_cfg(parser, ["--env=our_cartpole", "--device=cpu"])
env = make_env_func_batched(cfg, env_config=None)
info = extract_env_info(env, cfg)
assert isinstance(info.action_space, gymnasium.spaces.Discrete)
assert isinstance(info.obs_space, gymnasium.spaces.Dict)
obs, infos = env.reset(seed=1)
assert obs["obs"].shape == (1, 4)
obs, rewards, terminated, truncated, infos = env.step([1])
assert float(rewards[0]) == 1
