"""Register a user's grid with one library, and create it with the other."""

from minigrid.core.grid import Grid
from minigrid.core.mission import MissionSpace
from minigrid.core.world_object import Goal
from minigrid.minigrid_env import MiniGridEnv
from minigrid.wrappers import FullyObsWrapper, ImgObsWrapper

import gymkernel as gym


class Corridor(MiniGridEnv):
    def __init__(self, size=6, **kwargs):
        super().__init__(MissionSpace(mission_func=lambda: "walk on"), grid_size=size, max_steps=50, **kwargs)

    def _gen_grid(self, width, height):
        self.grid = Grid(width, height)
        self.grid.wall_rect(0, 0, width, height)
        self.put_obj(Goal(), width - 2, 1)
        self.agent_pos, self.agent_dir, self.mission = (1, 1), 0, "walk on"


gym.register("Corridor-v0", entry_point=Corridor)
env = ImgObsWrapper(FullyObsWrapper(gym.make("Corridor-v0", size=7)))
env.reset(seed=1)
for _ in range(4):
    obs, reward, terminated, truncated, _ = env.step(2)
assert terminated and 0 < reward <= 1
assert obs.shape == (7, 7, 3)
