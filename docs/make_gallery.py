"""Create the films and stills for the pages of environments: `python docs/make_gallery.py [NAME ...]`.

`gymkernel render` creates a film of several seconds, and a still that is shown before the film and to readers who
have switched films off. The name `readme` creates the animation in the README, which shows several environments side by
side. The program needs `gymkernel-tool-render`, `gymkernel-util-video` and pygame-ce. For the simulated environments,
it also needs `gymkernel-env-box2d`, `gymkernel-env-mujoco` and the variable `MUJOCO_GL=egl`.
tests/repository/test_gallery.py redraws the stills and the first frame of the animation, and compares them.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["FOLDER", "MOSAIC", "PICTURES", "TILES", "Picture", "main", "mosaic"]

DOCS: Final = Path(__file__).resolve().parent
FOLDER: Final = DOCS / "_static" / "gallery"
POLICIES: Final = DOCS / "gallery" / "policies.py"


@dataclass(frozen=True, slots=True)
class Picture:
    """A film of an environment, with its still.

    Attributes:
        env_id: the id of the environment.
        policy: the class in gallery/policies.py that chooses the actions.
        seed: the seed of the first episode.
        steps: the number of steps in the film.
        still: the step that the still shows.
        fps: the frames per second, or None to use the environment's rate.
        make_kwargs: the arguments of the environment.
    """

    env_id: str
    policy: str
    seed: int = 1
    steps: int = 150
    still: int = 20
    fps: int | None = None
    make_kwargs: dict[str, Any] = field(default_factory=dict)


SMALL: Final = {"width": 320, "height": 320}
"""The arguments of the MuJoCo environments, so that films and stills are small files."""
PICTURES: Final = {
    "cart-pole": Picture("CartPole-v1", "Pole", 2, 285, 40),
    "mountain-car": Picture("MountainCar-v0", "Valley", 4, 125, 45),
    "mountain-car-continuous": Picture("MountainCarContinuous-v0", "ValleyForce", 4, 110, 60),
    "pendulum": Picture("Pendulum-v1", "Swing", 8, 150, 20),
    "acrobot": Picture("Acrobot-v1", "Elbow", 3, 120, 60),
    "blackjack": Picture("Blackjack-v1", "Dealer", 10, 16, 1, 2),
    "frozen-lake": Picture("FrozenLake-v1", "Planner", 5, 60, 9),
    "cliff-walking": Picture("CliffWalking-v1", "Planner", 1, 26, 6),
    "taxi": Picture("Taxi-v4", "Planner", 6, 40, 5),
    "grid-world": Picture("grid-world/GridWorld-v0", "Walker", 3, 30, 1, None, {"size": 8}),
    "lunar-lander": Picture("LunarLander-v3", "Lander", 6, 250, 60),
    "bipedal-walker": Picture("BipedalWalker-v3", "Biped", 9, 250, 60),
    "car-racing": Picture("CarRacing-v3", "Driver", 4, 140, 90),
    "ant": Picture("Ant-v5", "Gait", 1, 100, 20, None, SMALL),
    "half-cheetah": Picture("HalfCheetah-v5", "Gait", 1, 120, 20, None, SMALL),
    "hopper": Picture("Hopper-v5", "Gait", 1, 110, 60, 60, SMALL),
    "humanoid": Picture("Humanoid-v5", "Gait", 1, 110, 15, 33, SMALL),
    "humanoid-standup": Picture("HumanoidStandup-v5", "Gait", 1, 120, 15, 33, SMALL),
    "inverted-double-pendulum": Picture("InvertedDoublePendulum-v5", "DoubleBalance", 1, 60, 5, None, SMALL),
    "inverted-pendulum": Picture("InvertedPendulum-v5", "Balance", 1, 100, 5, None, SMALL),
    "pusher": Picture("Pusher-v5", "Push", 1, 60, 10, None, SMALL),
    "reacher": Picture("Reacher-v5", "Reach", 1, 50, 5, 25, SMALL),
    "swimmer": Picture("Swimmer-v5", "Gait", 1, 80, 20, None, SMALL),
    "walker2d": Picture("Walker2d-v5", "Gait", 1, 120, 60, 60, SMALL),
    "functional-cart-pole": Picture("functional/CartPole-v1", "Pole", 7, 200, 60),
    "functional-pendulum": Picture("functional/Pendulum-v1", "Swing", 3, 150, 30),
}
"""The films, by the names of their pages."""


MOSAIC: Final = DOCS / "_static" / "environments.gif"
"""The animation in the README. It is a GIF, because a README cannot show films."""
TILES: Final = "cart-pole", "taxi", "acrobot", "mountain-car", "frozen-lake", "pendulum"
SIZE: Final = 160, 120
"""The size of a tile in pixels."""
FRAMES: Final = 48
EVERY: Final = {"taxi": 3, "frozen-lake": 2}
"""How many frames show the same step of an environment, if this number is not 1."""
STEPS: Final = {"cart-pole": 3, "acrobot": 2, "mountain-car": 2, "pendulum": 2}
"""The number of steps between two frames of an environment, if this number is not 1."""


def main(names: list[str]) -> None:
    """Create the films with the given names, or all films."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not names or "readme" in names:
        from gymkernel.utils.video import VideoWriter

        with VideoWriter(MOSAIC, 8) as writer:
            for frame in mosaic():
                writer.write(frame)
    for name in names or PICTURES:
        if name == "readme":
            continue
        picture = PICTURES[name]
        _render(picture, FOLDER / f"{name}.mp4", picture.steps)
        _render(picture, FOLDER / f"{name}.png", picture.still)


def _render(picture: Picture, file: Path, steps: int) -> None:
    command = [sys.executable, "-m", "gymkernel", "render", picture.env_id, "--out", str(file)]
    command += ["--policy", f"{POLICIES}:{picture.policy}", "--seed", str(picture.seed), "--steps", str(steps)]
    command += ["--make-kwargs", json.dumps(picture.make_kwargs)]
    if picture.fps and file.suffix == ".mp4":
        command += ["--fps", str(picture.fps)]
    subprocess.run(command, check=True)  # noqa: S603 - the command is written above


def mosaic() -> Iterator[NDArray[np.uint8]]:
    """Yield the frames of the README's animation, which has three columns of tiles."""
    films = [_tiles(name) for name in TILES]
    for _ in range(FRAMES):
        tiles = [next(film) for film in films]
        yield np.vstack([np.hstack(tiles[i : i + 3]) for i in range(0, len(tiles), 3)])


def _tiles(name: str) -> Iterator[NDArray[np.uint8]]:
    """Yield the frames of one environment in an endless loop."""
    import gymkernel as gym

    if str(POLICIES.parent) not in sys.path:
        sys.path.append(str(POLICIES.parent))
    policies, picture = importlib.import_module(POLICIES.stem), PICTURES[name]
    env = gym.make(picture.env_id, render_mode="rgb_array", **picture.make_kwargs)
    policy, seed, ended = getattr(policies, picture.policy)(env), picture.seed, True
    observation: Any = None
    while True:
        for _ in range(STEPS.get(name, 1)):
            if ended:
                observation, _ = env.reset(seed=seed)
                ended = False
                break
            observation, _, terminated, truncated, _ = env.step(policy(observation))
            ended = terminated or truncated
        drawn: Any = env.render()
        for _ in range(EVERY.get(name, 1)):
            yield _fitted(drawn)


def _fitted(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Centre a frame in a tile on a white background."""
    import pygame

    height, width = picture.shape[:2]
    scale = min((SIZE[0] - 8) / width, (SIZE[1] - 8) / height)
    size = round(width * scale), round(height * scale)
    surface = pygame.transform.smoothscale(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), size)
    tile = np.full((SIZE[1], SIZE[0], 3), 255, np.uint8)
    left, top = (SIZE[0] - size[0]) // 2, (SIZE[1] - size[1]) // 2
    tile[top : top + size[1], left : left + size[0]] = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    return tile


if __name__ == "__main__":
    main(sys.argv[1:])
