"""A reset of the environments that are done resets all environments."""

from gymkernel.vector import SyncVectorEnv, VectorEnv


class Right(VectorEnv):
    def __init__(self, env_fns, autoreset_mode="NextStep"):
        self.envs = SyncVectorEnv(env_fns, autoreset_mode=autoreset_mode)
        self.num_envs, self.metadata = self.envs.num_envs, self.envs.metadata
        self.observation_space, self.action_space = self.envs.observation_space, self.envs.action_space
        self.single_observation_space = self.envs.single_observation_space
        self.single_action_space = self.envs.single_action_space

    def reset(self, *, seed=None, options=None):
        return self.envs.reset(seed=seed, options=options)

    def step(self, actions):
        return self.envs.step(actions)

    def call(self, name, *arguments):
        return self.envs.call(name, *arguments)

    def get_attr(self, name):
        return self.envs.get_attr(name)

    def set_attr(self, name, values):
        self.envs.set_attr(name, values)

    def close_extras(self, **kwargs):
        self.envs.close()


class Wrong(Right):
    def reset(self, *, seed=None, options=None):
        options = {key: value for key, value in (options or {}).items() if key != "reset_mask"}
        return super().reset(seed=seed, options=options or None)
