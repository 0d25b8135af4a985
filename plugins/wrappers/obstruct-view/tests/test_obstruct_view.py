"""Tests of `ObstructView`, in particular the covered fraction and the noise."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.wrappers import ObstructView


class Red(Env[Any, Any]):
    """An environment that renders a red frame."""

    render_mode = "rgb_array"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def render(self) -> Any:
        return np.full((80, 100, 3), (255, 0, 0), np.uint8)


def rendered(env: Any, seed: int = 3) -> Any:
    env.reset(seed=seed)
    return env.render()


def covered(frame: Any) -> Any:
    return (frame != (255, 0, 0)).any(-1)


def test_patches_are_squares_of_the_width() -> None:
    inside = covered(rendered(ObstructView(Red(), 0.01, 5)))

    rows, columns = np.flatnonzero(inside.any(1)), np.flatnonzero(inside.any(0))
    assert 0 < inside.sum() <= 3 * 25
    assert all((np.diff(np.flatnonzero(inside[row])) == 1).sum() >= 2 for row in rows)
    assert len(columns) <= 15


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.5])
def test_covered_area_is_limited_by_the_ratio(ratio: float) -> None:
    frame = rendered(ObstructView(Red(), ratio, 4))

    assert ratio * 0.7 <= covered(frame).mean() <= ratio
    assert frame.dtype == np.uint8


def test_noise_can_be_grey() -> None:
    frame = rendered(ObstructView(Red(), 0.3, 4, is_noise_grayscale=True))
    noise = frame[covered(frame)]

    assert frame.dtype == np.uint8
    assert (noise == noise[:, :1]).all()


def test_noise_follows_the_environments_seed() -> None:
    env = ObstructView(Red(), 0.3, 4)

    assert np.array_equal(rendered(env, 1), rendered(env, 1))
    assert not np.array_equal(rendered(env, 1), rendered(env, 2))


@pytest.mark.parametrize("ratio", [-0.1, 1.0, np.nan])
def test_invalid_ratio_is_rejected(ratio: float) -> None:
    with pytest.raises(ValueError, match=r"^ObstructView expects the ratio to be in \[0, 1\), got"):
        ObstructView(Red(), ratio, 4)


@pytest.mark.parametrize("width", [0, -1, 1.5, None], ids=repr)
def test_invalid_width_is_rejected(width: Any) -> None:
    kind = ValueError if isinstance(width, int) else TypeError
    with pytest.raises(kind, match=r"^ObstructView expects obstruction_width to be an integer of at least 1, got"):
        ObstructView(Red(), 0.5, width)


def test_wrapper_is_recreated_from_spec_and_json() -> None:
    kwargs = json.loads(json.dumps(ObstructView(Red(), 0.5, np.int64(4))._saved_kwargs))  # type: ignore[arg-type]

    assert ObstructView(Red(), **kwargs).obstruction_width == 4
