"""Tests that the images and films on the pages about environments are up to date and small."""

from __future__ import annotations

import ctypes.util
import importlib
import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymkernel as gym

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "_static" / "gallery"
OPENGL = any(map(ctypes.util.find_library, ("EGL", "OSMesa")))
SIMULATED = [
    env_id
    for name in ("box2d", "mujoco")
    for env_id in tomllib.loads((ROOT / "plugins" / "envs" / name / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["entry-points"]["gymkernel.envs"]
]
ROW = re.compile(r"^\| (\d[^|]*) \| ([^|]+) \| ([^|]*)\| ([^|]+) \|$", re.MULTILINE)
"""A row of a table with the part, the quantity, the unit and the limits."""


@pytest.fixture(autouse=True)
def _scripts_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (ROOT / "docs", ROOT / "docs" / "gallery"):
        monkeypatch.syspath_prepend(str(place))


def _pictures() -> dict[str, Any]:
    found: dict[str, Any] = importlib.import_module("make_gallery").PICTURES
    return found


def _names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.png"))


def test_every_environment_has_a_film_and_a_still() -> None:
    ids = [
        env_id
        for path in ROOT.glob("plugins/envs/*/pyproject.toml")
        for env_id in tomllib.loads(path.read_text(encoding="utf-8"))["project"]["entry-points"]["gymkernel.envs"]
    ]
    installed = [picture.env_id for picture in _pictures().values() if picture.env_id in gym.registry]
    shown = {str(gym.spec(env_id).entry_point) for env_id in installed}

    assert {str(gym.spec(env_id).entry_point) for env_id in ids if env_id in gym.registry} == shown
    assert {path.name for path in FOLDER.iterdir()} == {
        f"{name}.{kind}" for name in _pictures() for kind in ("mp4", "png")
    }


def test_images_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}

    assert max(sizes.values()) < 150_000
    assert sum(sizes.values()) < 2_000_000


@pytest.mark.parametrize("name", _names())
def test_stills_equal_current_frames(name: str) -> None:
    pygame = pytest.importorskip("pygame", reason="the images are drawn with it")
    picture = _pictures()[name]
    if picture.env_id not in gym.registry:
        pytest.skip(f"the plugin of {picture.env_id} is not installed")
    if picture.make_kwargs == importlib.import_module("make_gallery").SMALL and not OPENGL:
        pytest.skip("MuJoCo draws with EGL or OSMesa, and neither is installed")
    env = gym.make(picture.env_id, render_mode="rgb_array", **picture.make_kwargs)
    policy = getattr(importlib.import_module("policies"), picture.policy)(env)
    observation, _ = env.reset(seed=picture.seed)
    env.render()  # MuJoCo's free camera keeps the place at which it looks in the first image
    for _ in range(picture.still):
        observation, _, terminated, truncated, _ = env.step(policy(observation))
        assert not terminated, "the still shows the first episode"
        assert not truncated
    drawn: Any = env.render()
    kept = np.swapaxes(pygame.surfarray.array3d(pygame.image.load(FOLDER / f"{name}.png")), 0, 1)
    env.close()

    assert drawn.shape == kept.shape
    assert np.abs(drawn.astype(int) - kept.astype(int)).mean() < 1, "run docs/make_gallery.py"


def test_readme_film_starts_with_current_frames() -> None:
    pygame = pytest.importorskip("pygame", reason="the images are drawn with it")
    gallery: Any = importlib.import_module("make_gallery")
    kept = np.swapaxes(pygame.surfarray.array3d(pygame.image.load(gallery.MOSAIC)), 0, 1)
    drawn = next(gallery.mosaic())

    assert gallery.MOSAIC.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text(encoding="utf-8")
    assert gallery.MOSAIC.stat().st_size < 600_000
    assert drawn.shape == kept.shape
    assert np.abs(drawn.astype(int) - kept.astype(int)).mean() < 4, "run docs/make_gallery.py readme"


def _make(env_id: str) -> Any:
    if env_id not in gym.registry:
        pytest.skip(f"the plugin of {env_id} is not installed")
    return gym.make(env_id)


def _rows(env: Any, label: str) -> dict[int, tuple[str, str, str]]:
    """Return the quantity, the unit and the limits of each number in the docstring's tables of actions or observations.

    No number has more than one row.
    """
    maker = type(env.unwrapped)
    doc = inspect.getdoc(getattr(maker, "task_class", maker)) or ""
    rest = doc.partition(f"\n{label}, `")[2]
    section = re.split(r"^(?:Observation|Reward)\b", rest, maxsplit=1, flags=re.MULTILINE)[0]
    found: dict[int, tuple[str, str, str]] = {}
    for parts, quantity, unit, limits in ROW.findall(section):
        for part in parts.split(", "):
            first, _, last = part.partition(" to ")
            for index in range(int(first), int(last or first) + 1):
                assert index not in found
                found[index] = quantity, unit.strip(), limits
    return found


def _bounds(limits: str) -> tuple[float, float]:
    if limits == "none":
        return -np.inf, np.inf
    low, _, high = limits.removeprefix("±").partition(" to ")
    numbers = [float(number.replace("π", "") or 1) * (np.pi if "π" in number else 1) for number in (low, high or low)]
    return (-numbers[0], numbers[0]) if limits.startswith("±") else (numbers[0], numbers[1])


@pytest.mark.parametrize("env_id", SIMULATED)
def test_tables_describe_every_observation(env_id: str) -> None:
    with _make(env_id) as env:
        space = env.observation_space
        rows = _rows(env, "Observation")

    assert sorted(rows) == list(range(space.shape[0] if len(space.shape) == 1 else 0))
    if "box2d" in str(env.spec.entry_point):
        for index, (_, _, limits) in rows.items():
            assert (space.low[index], space.high[index]) == pytest.approx(_bounds(limits))


@pytest.mark.parametrize("env_id", SIMULATED)
def test_tables_describe_every_action(env_id: str) -> None:
    with _make(env_id) as env:
        space, rows = env.action_space, _rows(env, "Action")
        if isinstance(space, gym.spaces.Discrete):
            assert len(env.unwrapped.get_action_meanings()) == space.n
            return

    assert sorted(rows) == list(range(space.shape[0]))
    for index, (_, unit, limits) in rows.items():
        assert unit
        assert (space.low[index], space.high[index]) == pytest.approx(_bounds(limits))
