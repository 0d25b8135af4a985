"""Make the pictures of the environments' pages: `python docs/make_gallery.py [NAME ...]`.

Each is made by `gymkernel render`: a film of some seconds, and a still picture that is shown before it and where films
are not wanted. Needs `gymkernel-tool-render`, `gymkernel-util-video` and pygame-ce. A test renders the stills again and
compares (tests/repository/test_gallery.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

__all__ = ["FOLDER", "PICTURES", "Picture", "main"]

DOCS: Final = Path(__file__).resolve().parent
FOLDER: Final = DOCS / "_static" / "gallery"
POLICIES: Final = DOCS / "gallery" / "policies.py"


@dataclass(frozen=True, slots=True)
class Picture:
    """What is filmed.

    Attributes:
        env_id: the environment.
        policy: the class in gallery/policies.py that acts.
        seed: of the first episode.
        steps: of the film.
        still: of the still picture.
        fps: frames per second; None takes the environment's.
        make_kwargs: arguments of the environment.
    """

    env_id: str
    policy: str
    seed: int = 1
    steps: int = 150
    still: int = 20
    fps: int | None = None
    make_kwargs: dict[str, Any] = field(default_factory=dict)


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
    "functional-cart-pole": Picture("functional/CartPole-v1", "Pole", 7, 200, 60),
    "functional-pendulum": Picture("functional/Pendulum-v1", "Swing", 3, 150, 30),
}
"""The pictures, by the names of the pages that show them."""


def main(names: list[str]) -> None:
    """Make some pictures, or all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        picture = PICTURES[name]
        _render(picture, FOLDER / f"{name}.mp4", picture.steps)
        _render(picture, FOLDER / f"{name}.png", picture.still)


def _render(picture: Picture, file: Path, steps: int) -> None:
    command = [sys.executable, "-m", "gymkernel", "render", picture.env_id, "--out", str(file)]
    command += ["--policy", f"{POLICIES}:{picture.policy}", "--seed", str(picture.seed), "--steps", str(steps)]
    command += ["--make-kwargs", json.dumps(picture.make_kwargs)]
    if picture.fps and file.suffix == ".mp4":
        command += ["--fps", str(picture.fps)]
    subprocess.run(command, check=True)  # noqa: S603 - written above


if __name__ == "__main__":
    main(sys.argv[1:])
