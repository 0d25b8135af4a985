"""Tests that run cells in a real Jupyter kernel and check their outputs.

The tox environment `notebooks` installs the required packages.
"""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest

pytest.importorskip("ipykernel", reason="the tox environment `notebooks` installs it")
nbclient = pytest.importorskip("nbclient", reason="the tox environment `notebooks` installs it")
nbformat = pytest.importorskip("nbformat", reason="it comes with nbclient")

CELL = '</td><td style="text-align:left">'
BEGIN = "import gymkernel as gym"


def outputs(*cells: str) -> list[list[Any]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120).execute()
    return [cell.outputs for cell in notebook.cells]


def html(output: Any) -> str:
    return str(output.data["text/html"])


def test_human_mode_shows_one_frame_per_cell_that_steps() -> None:
    first, made, one, ten, nothing = outputs(
        BEGIN,
        "env = gym.make('CartPole-v1', render_mode='human')",
        "env.reset(seed=1);",
        "for action in [0, 1] * 5: env.step(action)",
        "env.close()",
    )
    assert (first, made, nothing) == ([], [], [])
    [before], [after] = one, ten
    for output in (before, after):
        assert b64decode(output.data["image/png"]).startswith(b"\x89PNG")
    assert before.data["image/png"] != after.data["image/png"]


def test_environment_shows_spaces_and_frame() -> None:
    *_, fresh, reset = outputs(
        BEGIN, "env = gym.make('FrozenLake-v1', render_mode='rgb_array')", "env", "env.reset(seed=1); env"
    )
    assert "<b>FrozenLake-v1</b>" in html(fresh[0])
    assert "Discrete(16)" in html(fresh[0])
    assert "OrderEnforcing" in html(fresh[0])
    assert "<img" not in html(fresh[0])
    assert html(reset[0]).count("<img") == 1


def test_collected_frames_are_shown_as_a_film() -> None:
    *_, shown, popped = outputs(
        BEGIN,
        "env = gym.make('CartPole-v1', render_mode='rgb_array_list')",
        "env.reset(seed=1)\nfor _ in range(5): env.step(0)",
        "env",
        "env.render()",
    )
    for output in (shown[0], popped[0]):
        assert html(output).count('type="range"') == 1
        assert 'max="5"' in html(output)


def test_spaces_and_vector_environments_are_shown() -> None:
    *_, space, envs = outputs(
        BEGIN,
        "gym.spaces.Dict(a=gym.spaces.Discrete(2), b=gym.spaces.Box(0, 1, (2,)))",
        "gym.make_vec('CartPole-v1', num_envs=3, vectorization_mode='sync')",
    )
    assert "<summary>Dict</summary>" in html(space[0])
    assert f"environments{CELL}3" in html(envs[0])
