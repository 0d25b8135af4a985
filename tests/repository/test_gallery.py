"""Tests that the images and films on the pages about environments are up to date and small."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gymkernel as gym

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "_static" / "gallery"


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
    shown = {str(gym.spec(picture.env_id).entry_point) for picture in _pictures().values()}

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
    env = gym.make(picture.env_id, render_mode="rgb_array", **picture.make_kwargs)
    policy = getattr(importlib.import_module("policies"), picture.policy)(env)
    observation, _ = env.reset(seed=picture.seed)
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
