"""Tests of the HTML with which notebooks display spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space, Wrapper
from gymkernel.vector import VectorEnv
from gymkernel_util_spaces.html import shown, tree


class TestTree:
    def test_leaf_is_escaped_and_truncated(self) -> None:
        assert tree("<b>") == "<code>&#x27;&lt;b&gt;&#x27;</code>"
        assert len(tree("x" * 1000)) < 200

    def test_space_has_a_notebook_representation(self) -> None:
        class Pair(Space[Any]):
            def parts(self) -> Any:
                return [("left", 1), (2, "<")]

        assert Pair()._repr_html_() == (
            "<details open><summary>Pair</summary><ul><li><b>left</b>: <code>1</code></li>"
            "<li><b>2</b>: <code>&#x27;&lt;&#x27;</code></li></ul></details>"
        )


class Box(Space[Any]):
    """A space that accepts any value."""

    def __repr__(self) -> str:
        return "Box(<1>)"


class Maze(Env[Any, Any]):
    """An environment that renders a given frame."""

    metadata = {"render_modes": ["rgb_array", "ansi"], "render_fps": 5}  # noqa: RUF012 - Env declares it without ClassVar
    observation_space = action_space = Box()

    def __init__(self, rendered: Any, render_mode: str | None = "rgb_array") -> None:
        self.rendered, self.render_mode = rendered, render_mode

    def render(self) -> Any:
        if isinstance(self.rendered, Exception):
            raise self.rendered
        return self.rendered


CELL = '</td><td style="text-align:left">'
PICTURE = np.zeros((2, 3, 3), np.uint8)


class TestEnvironments:
    def test_card_shows_id_layers_and_spaces(self) -> None:
        html = str(Wrapper(Maze(None, None))._repr_html_())
        assert html.startswith("<div><b>Maze</b>")
        assert f"observation{CELL}<code>Box(&lt;1&gt;)" in html
        assert f"action{CELL}<code>Box(" in html
        assert f"layers{CELL}Wrapper, Maze" in html
        assert "<img" not in html

    def test_card_shows_the_current_frame(self) -> None:
        assert str(Maze(PICTURE)._repr_html_()).count("<img") == 1
        assert "<pre>a &lt; b</pre>" in str(Maze("a < b", "ansi")._repr_html_())

    def test_collected_frames_are_shown_as_a_film_and_kept(self) -> None:
        env = Maze([PICTURE, PICTURE], "rgb_array_list")
        assert "setInterval(next, 200)" in str(env._repr_html_())

        class Collecting(Wrapper[Any, Any, Any, Any]):
            def render(self) -> Any:
                raise AssertionError("the frames would be gone")

        collecting = Collecting(env)
        collecting.frame_list = [PICTURE, PICTURE]  # type: ignore[attr-defined]
        assert "setInterval(next, 200)" in str(Wrapper(collecting)._repr_html_())

    def test_unrenderable_environment_shows_the_rest(self) -> None:
        html = str(Maze(RuntimeError("not reset"))._repr_html_())
        assert "observation" in html
        assert "<img" not in html

    @pytest.mark.parametrize("many", [False, True], ids=["one", "several"])
    @pytest.mark.parametrize("rendered", [None, RuntimeError("no mode"), AssertionError("rendered")], ids=repr)
    def test_nothing_is_rendered_without_a_render_mode(self, many: bool, rendered: Any) -> None:
        class Silent(VectorEnv[Any, Any, Any] if many else Env):  # type: ignore[misc]
            num_envs, render_mode, drawn = 3, None, 0
            single_observation_space = single_action_space = observation_space = action_space = Box()

            def render(self) -> Any:
                self.drawn += 1  # without a render mode, a vector environment would warn here
                return rendered

        env = Silent()

        assert str(env._repr_html_()).endswith("</table></div>")
        assert env.drawn == 0

    @pytest.mark.parametrize("frames, pictures, texts", [((None,) * 3, 0, 0), ((PICTURE, None, "a<b"), 1, 1)])
    def test_results_of_vector_rendering_are_shown(self, frames: Any, pictures: int, texts: int) -> None:
        class Mazes(VectorEnv[Any, Any, Any]):
            num_envs, render_mode = 3, "human"
            single_observation_space = single_action_space = observation_space = action_space = Box()

            def render(self) -> Any:
                return frames

        html = str(Mazes()._repr_html_())

        assert "None" not in html
        assert (html.count("<img"), html.count("<pre>")) == (pictures, texts)

    def test_human_mode_shows_no_frame(self) -> None:
        assert "None" not in str(Maze(None, "human")._repr_html_())

    def test_vector_frames_are_tiled_and_counted(self) -> None:
        class Mazes(VectorEnv[Any, Any, Any]):
            num_envs, render_mode = 3, "rgb_array"
            single_observation_space = single_action_space = observation_space = action_space = Box()

            def render(self) -> Any:
                return (PICTURE,) * 3

        html = str(Mazes()._repr_html_())
        assert f"environments{CELL}3" in html
        assert html.count("<img") == 3


@pytest.mark.parametrize("frames", [["one", "<two>"], [PICTURE.astype(float)]])
def test_frames_that_are_not_images_are_shown_as_text(frames: Any) -> None:
    assert shown(frames).count("<pre>") == len(frames)
