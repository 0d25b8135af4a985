"""Call Gymnasium's utilities for play, seeding, EzPickle, videos and the old step API with our environments."""

import glob
import os
import pickle
import tempfile

os.environ["SDL_VIDEODRIVER"] = "dummy"
from gymnasium.utils import EzPickle, RecordConstructorArgs, seeding
from gymnasium.utils.play import PlayableGame
from gymnasium.utils.save_video import save_video
from gymnasium.utils.step_api_compatibility import step_api_compatibility

import gymkernel as gym

env = gym.make("MountainCar-v0", render_mode="rgb_array")
env.reset(seed=1)
game = PlayableGame(env, {(ord("a"),): 0, (ord("d"),): 2})
assert game.video_size == (600, 400)
assert len(step_api_compatibility(env.step(1), output_truncation_bool=False)) == 4
frames = gym.wrappers.RenderCollection(gym.make("CartPole-v1", render_mode="rgb_array"))
frames.reset(seed=1)
[frames.step(0) for _ in range(3)]
folder = tempfile.mkdtemp()
save_video(frames.render(), folder, fps=10)
assert glob.glob(folder + "/*.mp4")


class Small(gym.Wrapper, RecordConstructorArgs):
    def __init__(self, env, size):
        RecordConstructorArgs.__init__(self, size=size)
        gym.Wrapper.__init__(self, env)


assert Small(gym.make("CartPole-v1"), 3).spec.additional_wrappers[-1].kwargs == {"size": 3}


class Room(gym.Env, EzPickle):
    def __init__(self, size=3):
        EzPickle.__init__(self, size)
        self.size = size


assert pickle.loads(pickle.dumps(Room(5))).size == 5
generator, seed = seeding.np_random(3)
env.unwrapped.np_random = generator
assert env.unwrapped.np_random is generator
