"""Pass one library's `AutoresetMode` to the other library, and compare the members of both enums."""

import gymnasium
import numpy as np

import gymkernel

pairs = list(zip(gymnasium.vector.AutoresetMode, gymkernel.vector.AutoresetMode))
assert all(a == b and b == a and not a != b and hash(a) == hash(b) for a, b in pairs)
for theirs, ours in pairs:
    for vector, mode in ((gymkernel.vector.SyncVectorEnv, theirs), (gymnasium.vector.SyncVectorEnv, ours)):
        envs = vector([lambda: gymkernel.make("CartPole-v1")] * 2, autoreset_mode=mode)
        assert envs.metadata["autoreset_mode"] == theirs
        assert envs.metadata["autoreset_mode"] == ours
        wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(gymkernel.wrappers.vector.ClipReward(envs, 0, 1))
        wrapped.reset(seed=1)
        for _ in range(5):
            obs, *_ = wrapped.step(np.array([0, 1]))
        assert obs.shape == (2, 4)
        assert theirs in {ours} and ours in {theirs}
