"""Environments whose state survives an episode or is shared between instances."""

from __future__ import annotations

import copy
import threading
from typing import Any, ClassVar

import numpy as np

from ..bases import Cards, Cart, Grid, Robot, Screen, Swing
from ..registry import defect


@defect("GK601", "GK602")
class NeverForgetsTheTime(Swing):
    """An environment whose reset does not set the step counter to zero."""

    total = 0

    def truncated(self) -> Any:
        self.total += 1
        return self.total >= self.limit


@defect("GK602")
class Drifts(Robot):
    """An environment whose reset does not clear the wear of the joints."""

    wear = 0.0

    def act(self, action: Any) -> None:
        self.wear += 0.01
        super().act(np.asarray(action) * (1 - min(self.wear, 0.9)))


@defect("GK602")
class RemembersTheTorque(Swing):
    """An environment whose action filter is not reset between episodes."""

    smooth = 0.0

    def act(self, action: Any) -> None:
        self.smooth = 0.9 * self.smooth + 0.1 * float(action[0])
        super().act(np.array([self.smooth]))


@defect("GK602")
class KeepsTheGoal(Grid):
    """An environment whose goal moves, and whose reset does not move it back."""

    def act(self, action: Any) -> None:
        super().act(action)
        if self.terminated():
            self.goal = (self.goal + 1) % 5

    def observe(self) -> Any:
        return np.int64((super().observe() + int(self.goal[0]) * 5) % 25)


@defect("GK611")
class SharedBoard(Grid):
    """An environment that stores its position in the class."""

    where: ClassVar[dict[str, Any]] = {}

    def start(self) -> None:
        super().start()
        self.where["place"] = self.place

    def act(self, action: Any) -> None:
        self.place = self.where["place"]
        super().act(action)
        self.where["place"] = self.place


@defect("GK612", "GK502")
class OneGeneratorForAll(Cart):
    """An environment whose class has one generator, which each reset seeds."""

    shared: ClassVar[np.random.Generator] = np.random.default_rng(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        if seed is not None:
            type(self).shared = np.random.default_rng(seed)
        return super().reset(seed=seed)

    def start(self) -> None:
        self.state = self.shared.uniform(-0.05, 0.05, 4)


@defect("GK613")
class SeedsEverything(Cart):
    """An environment whose reset seeds the global random number generators."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        import random

        random.seed(seed)
        return super().reset(seed=seed)


@defect("GK615")
class ChangesTheFolder(Grid):
    """An environment that changes the working directory and never changes it back."""

    def start(self) -> None:
        import os
        import tempfile

        os.chdir(tempfile.gettempdir())
        super().start()


@defect("GK615")
class SetsVariables(Screen):
    """An environment that sets an environment variable of the process."""

    def prepare(self) -> None:
        import os

        os.environ["SDL_VIDEODRIVER"] = f"dummy{len(os.environ.get('SDL_VIDEODRIVER', ''))}"
        super().prepare()


@defect("GK618")
class OneInfo(Robot):
    """An environment that returns the same dictionary as every info."""

    def prepare(self) -> None:
        super().prepare()
        self.info_to_return: dict[str, Any] = {}

    def info(self) -> Any:
        self.info_to_return["distance"] = self.distance()
        return self.info_to_return


@defect("GK618")
class OneListInTheInfo(Grid):
    """An environment whose info contains a list that grows during the episode."""

    def start(self) -> None:
        super().start()
        self.path: list[Any] = []

    def info(self) -> Any:
        self.path.append(tuple(int(x) for x in self.place))
        return {"path": self.path}


@defect("GK821")
class ClosesOnce(Cart):
    """An environment whose second close fails, because the window no longer exists."""

    def prepare(self) -> None:
        super().prepare()
        self.window: Any = object()

    def close(self) -> None:
        del self.window


class File:
    """A file that has to be closed."""

    def close(self) -> None:
        """Close the file."""


@defect("GK822")
class ClosesWhatIsOpen(Screen):
    """An environment whose close fails before the first reset, because reset opens the file."""

    def start(self) -> None:
        super().start()
        self.file = File()

    def close(self) -> None:
        self.file.close()


@defect("GK823")
class ClosesForAll(Swing):
    """An environment whose close shuts down a simulator that all instances share."""

    simulator: ClassVar[dict[str, bool]] = {}

    def prepare(self) -> None:
        super().prepare()
        self.simulator["open"] = True

    def act(self, action: Any) -> None:
        if not self.simulator["open"]:
            raise RuntimeError("the simulator is closed")
        super().act(action)

    def close(self) -> None:
        self.simulator["open"] = False


@defect("GK808")
class OneFrame(Screen):
    """An environment that returns the same array as every frame."""

    def prepare(self) -> None:
        super().prepare()
        self.frame = np.zeros((24, 24, 3), np.uint8)

    def render(self) -> Any:
        self.frame[:] = self.picture()
        return self.frame if self.render_mode == "rgb_array" else None


@defect("GK807")
class DrawsWhileRendering(Screen):
    """An environment that consumes a random number when it renders."""

    def render(self) -> Any:
        noise = int(self.np_random.integers(3))
        return np.clip(self.picture().astype(int) + noise, 0, 255).astype(np.uint8) if self.render_mode else None


@defect("GK805")
class FloatFrames(Screen):
    """An environment whose frames contain values from 0 to 1."""

    def render(self) -> Any:
        return self.picture() / 255 if self.render_mode == "rgb_array" else None


@defect("GK806")
class NoFrames(Screen):
    """An environment whose metadata declares rgb_array mode, although render returns None."""

    def render(self) -> Any:
        return None


@defect("GK804")
class ForgetsTheMode(Screen):
    """An environment whose constructor does not store the render mode."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__()
        self.mode = render_mode

    def render(self) -> Any:
        return self.picture() if self.mode == "rgb_array" else None


@defect("GK803")
class RefusesItsModes(Screen):
    """An environment whose constructor rejects a declared render mode."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 30}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None) -> None:
        if render_mode == "ansi":
            raise ValueError("no such mode")
        super().__init__(render_mode)


@defect("GK801")
class OldMetadata(Screen):
    """An environment whose metadata uses the old keys."""

    metadata: dict[str, Any] = {"render.modes": ["rgb_array"], "video.frames_per_second": 30}  # noqa: RUF012


@defect("GK902")
class CopyIsTheSame(Cards):
    """An environment whose copies share the hand of cards."""

    def prepare(self) -> None:
        super().prepare()
        self.table: list[int] = []

    def start(self) -> None:
        super().start()
        self.table.clear()

    def act(self, action: Any) -> None:
        super().act(action)
        self.table.append(int(action))

    def reward(self) -> Any:
        return float(sum(self.table))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        twin = copy.copy(self)
        twin._np_random = copy.deepcopy(self._np_random)
        return twin


@defect("GK951")
class KeepsEverything(Screen):
    """An environment that stores every image that it has returned."""

    def prepare(self) -> None:
        super().prepare()
        self.history: list[Any] = []

    def observe(self) -> Any:
        picture = super().observe()
        self.history.append(picture.copy())
        return picture


@defect("GK952")
class OpensFiles(Cart):
    """An environment that opens a log file in each reset and never closes any."""

    def prepare(self) -> None:
        super().prepare()
        self.logs: list[Any] = []

    def start(self) -> None:
        import os

        super().start()
        self.logs.append(os.open(os.devnull, os.O_RDONLY))

    def close(self) -> None:
        import os

        while self.logs:
            os.close(self.logs.pop())


@defect("GK953")
class StartsThreads(Grid):
    """An environment that starts a thread in each reset."""

    def prepare(self) -> None:
        super().prepare()
        self.stop = threading.Event()

    def start(self) -> None:
        super().start()
        threading.Thread(target=self.stop.wait, daemon=True).start()

    def close(self) -> None:
        self.stop.set()
