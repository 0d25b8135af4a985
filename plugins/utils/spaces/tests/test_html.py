"""Spaces as HTML, for notebooks."""

from __future__ import annotations

from typing import Any

from gymkernel import Space
from gymkernel.utils.html import tree


class TestTree:
    def test_a_leaf_is_escaped_and_cut(self) -> None:
        assert tree("<b>") == "<code>&#x27;&lt;b&gt;&#x27;</code>"
        assert len(tree("x" * 1000)) < 200

    def test_a_space_shows_itself_in_a_notebook(self) -> None:
        class Pair(Space[Any]):
            def parts(self) -> Any:
                return [("left", 1), (2, "<")]

        assert Pair()._repr_html_() == (
            "<details open><summary>Pair</summary><ul><li><b>left</b>: <code>1</code></li>"
            "<li><b>2</b>: <code>&#x27;&lt;&#x27;</code></li></ul></details>"
        )
