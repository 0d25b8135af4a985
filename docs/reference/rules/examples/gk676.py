"""In NEXT_STEP mode, the vector wrapper adds a bonus in the step that starts an episode, but single wrappers do not."""

from gymkernel import RewardWrapper
from gymkernel.vector import VectorizedRewardWrapper, VectorRewardWrapper


class Bonus(RewardWrapper):
    batched = True

    def reward(self, reward):
        return reward + 1.0


class Wrong(VectorRewardWrapper):
    single = Bonus

    def rewards(self, rewards):
        return rewards + 1.0


class Right(VectorizedRewardWrapper):
    single = Bonus
