"""The wrapper returns one mean reward for all environments instead of one reward for each."""

from gymkernel.vector import VectorRewardWrapper


class Wrong(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards.mean()


class Right(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards - rewards.mean()
