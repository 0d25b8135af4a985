"""Tests that a script with asynchronous environments prints the same output with both libraries."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
SCRIPT = '''
import dataclasses, enum, os, pickle, sys, typing
import numpy as np
import gymnasium
import {library} as gym
from {library}.vector import AsyncVectorEnv

METHOD = sys.argv[1]


class Phase(enum.Enum):
    BEGIN = 1
    END = 2


@dataclasses.dataclass
class Point:
    x: int


class Env(gym.Env):
    def __init__(self, kind="plain", tag=""):
        self.observation_space = gym.spaces.Box(0, 9, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.kind, self.tag = kind, tag

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.low, INFOS[self.kind](self, options)

    def step(self, action):
        return self.observation_space.low, 1.0, False, False, {{"tag": self.tag}}


class Theirs(gymnasium.Env):
    observation_space, action_space = gymnasium.spaces.Box(0, 9, (2,), np.float32), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return self.observation_space.low, {{"tag": "theirs"}}

    def step(self, action):
        return self.observation_space.low, 1.0, False, False, {{}}


def unpickled(env, options):
    found = pickle.loads(options["pickled"])
    return {{"found": repr(found), "same": isinstance(found, Point), "itself": found}}


def main_module(env, options):
    import __main__
    return {{
        "x": __main__.Point(3).x,
        "name": __main__.__name__,
        "file": os.path.basename(__main__.__file__),
        "guarded": hasattr(__main__, "GUARDED"),
        "missing": hasattr(__main__, "nothing_of_the_kind"),
        "same": __main__.Point is Point,
        "object": __main__.Point(4),
        "phase": __main__.Phase.END,
    }}


def raising(env, options):
    raise LookupError("lost", env.tag)


INFOS = {{
    "plain": lambda env, options: {{"tag": env.tag}},
    "unpickled": unpickled,
    "main": main_module,
    "objects": lambda env, options: {{"phase": Phase.END, "point": Point(3), "kind": Point}},
    "options": lambda env, options: {{"same": options["point"] == Point(3) and options["phase"] is Phase.END}},
    "raising": raising,
}}
gym.register("Class-v0", entry_point=Env, kwargs={{"tag": "class"}})
gym.register("lab/Text-v3", entry_point="__main__:Env", kwargs={{"tag": "text"}})
gym.register("lab/Text-v1", entry_point="__main__:Env", kwargs={{"tag": "old"}})
gym.register("Lambda-v0", entry_point=lambda **kwargs: Env(tag="lambda"))
gymnasium.register("Theirs-v0", entry_point=Theirs)


def shown(value):
    if isinstance(value, np.ndarray):
        return [shown(one) for one in value]
    if isinstance(value, (Phase, Point)):
        return repr(value), type(value) is Phase or type(value) is Point, value == Point(3), value is Phase.END
    return value.item() if isinstance(value, np.generic) else value


def report(fn, **options):
    """The infos of a reset and of a step."""
    try:
        envs = AsyncVectorEnv([fn] * 2, context=METHOD)
        try:
            infos = [envs.reset(seed=3, options=options or None)[1], envs.step(np.array([0, 1]))[-1]]
        finally:
            envs.close()
        return [sorted((key, shown(value)) for key, value in info.items()) for info in infos]
    except LookupError:
        return "a LookupError"


if __name__ == "__main__":
    GUARDED = True
    pickled = pickle.dumps(Point(3))
    for name in sys.argv[2:]:
        options = {{"point": Point(3), "phase": Phase.END}} if name == "options" else {{"pickled": pickled}}
        print(name, report(lambda: Env(name), **options))
    for env_id in ("Class-v0", "lab/Text-v3", "lab/Text-v1", "Lambda-v0"):
        print(env_id, report(lambda: gym.make(env_id)))
    print(report(lambda: gymnasium.make("Theirs-v0")), report(lambda: gym.make({theirs!r})))
'''
EVERYWHERE = ["plain", "unpickled", "main", "raising"]


def printed(library: str, folder: Path, *arguments: str) -> str:
    script = folder / f"of_{library}.py"
    theirs = "Theirs-v0" if library == "gymnasium" else "gymnasium/Theirs-v0"
    script.write_text(SCRIPT.format(library=library, theirs=theirs), encoding="utf-8")
    command = [sys.executable, "-W", "ignore", str(script), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.replace(script.name, "script.py")


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_script_prints_the_same(method: str, tmp_path: Path) -> None:
    kinds = [*EVERYWHERE, "objects", "options"] if method == "fork" else EVERYWHERE
    theirs = printed("gymnasium", tmp_path, method, *kinds)
    assert theirs.count("\n") == len(kinds) + 5
    assert printed("gymkernel", tmp_path, method, *kinds) == theirs


@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_objects_of_a_script_return_under_spawn(method: str, tmp_path: Path) -> None:
    forked = printed("gymnasium", tmp_path, "fork", "objects", "options")
    assert printed("gymkernel", tmp_path, method, "objects", "options") == forked
