"""The wrapper returns the mean reward instead of one reward per environment."""

from gymkernel.vector import VectorRewardWrapper


class Wrong(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards.mean()


class Right(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards - rewards.mean()
