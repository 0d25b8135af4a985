"""Tests of `NotebookRendering` with a simulated notebook. The tests in `tests/notebooks` use real notebooks."""

from __future__ import annotations

import copy
import pickle
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel import Env
from gymkernel.wrappers import NotebookRendering


class Grey(Env[int, int]):
    """An environment that renders the step number as a shade of grey."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 10_000}  # noqa: RUF012 - as in `Env`

    def __init__(self, render_mode: str | None = "rgb_array") -> None:
        self.render_mode, self.time = render_mode, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        self.time = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.time += 1
        return self.time, 0.0, False, False, {}

    def render(self) -> Any:
        picture = np.full((2, 2, 3), self.time, np.uint8)
        return [picture, picture + 1] if self.render_mode == "rgb_array_list" else picture


class Notebook:
    """A simulation of those parts of IPython that the wrapper uses."""

    def __init__(self) -> None:
        self.execution_count = 1
        self.kernel = object()
        self.cells: list[list[bytes]] = []

    def display(self, shown: Any, display_id: bool) -> Any:
        assert display_id
        cell = [shown.data]
        self.cells.append(cell)
        return SimpleNamespace(update=lambda more: cell.append(more.data))


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    served = Notebook()
    display = SimpleNamespace(display=served.display, Image=SimpleNamespace)
    modules = {"IPython": SimpleNamespace(get_ipython=lambda: served), "IPython.display": display, "ipykernel": None}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    return served


def test_each_frame_replaces_the_previous_frame(notebook: Notebook) -> None:
    env = NotebookRendering(Grey())
    env.reset()
    for _ in range(3):
        env.step(0)
    (cell,) = notebook.cells
    assert len(set(cell)) == len(cell) == 4
    assert all(data.startswith(b"\x89PNG") for data in cell)


def test_every_cell_that_steps_has_its_frame(notebook: Notebook) -> None:
    env = NotebookRendering(Grey())
    env.reset()
    notebook.execution_count = 2
    env.step(0)
    env.step(0)
    assert [len(cell) for cell in notebook.cells] == [1, 2]


def test_last_of_several_frames_is_shown(notebook: Notebook) -> None:
    env = NotebookRendering(Grey("rgb_array_list"))
    env.reset()
    assert env.picture[0, 0, 0] == 1


def test_nothing_is_shown_outside_a_notebook() -> None:
    env = NotebookRendering(Grey())
    env.reset()
    env.step(0)
    assert env.picture[0, 0, 0] == 1
    assert env.render_mode == "human"
    assert env.metadata["render_modes"] == ["rgb_array", "human"]
    assert Grey.metadata["render_modes"] == ["rgb_array"]


def test_copy_has_its_own_frame(notebook: Notebook) -> None:
    env = NotebookRendering(Grey())
    env.reset()
    copy.deepcopy(env).step(0)
    pickle.loads(pickle.dumps(env)).step(0)
    assert [len(cell) for cell in notebook.cells] == [1, 1, 1]


@pytest.mark.parametrize("mode", [None, "human", "ansi"])
def test_other_render_modes_are_rejected(mode: str | None) -> None:
    with pytest.raises(ValueError, match=r"render mode rgb_array or rgb_array_list, got"):
        NotebookRendering(Grey(mode))
