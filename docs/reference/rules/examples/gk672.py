"""One mean reward for all environments is no reward for each."""

from gymkernel.vector import VectorRewardWrapper


class Wrong(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards.mean()


class Right(VectorRewardWrapper):
    def rewards(self, rewards):
        return rewards - rewards.mean()
