"""Record videos with either library's RecordVideo around environments of either library."""

import glob
import tempfile

import gymnasium

import gymkernel

for outer in (gymkernel, gymnasium):
    for inner in (gymkernel, gymnasium):
        folder = tempfile.mkdtemp()
        env = inner.make("CartPole-v1", render_mode="rgb_array")
        env = outer.wrappers.RecordEpisodeStatistics(env)
        env = outer.wrappers.RecordVideo(env, video_folder=folder, name_prefix="eval", episode_trigger=lambda x: True)
        for episode in range(2):
            obs, info = env.reset(seed=episode)
            done = False
            while not done:
                obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
                done = terminated or truncated
            assert info["episode"]["l"] > 5
        env.close()
        assert sorted(name.rpartition("/")[2] for name in glob.glob(folder + "/*.mp4")) == [
            "eval-episode-0.mp4",
            "eval-episode-1.mp4",
        ]
