"""Render the sidebar once, and adapt it to every page.

By default, Sphinx renders the tree of all pages for each page, and furo parses the result. With 400 pages and 200
pages of source code, this took three quarters of the build time. Here, the tree is rendered once, for the first page.
For every other page, the links are made relative to it, and the entries on the path to the page are marked and opened.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

__all__ = ["of_page", "setup"]

FURO: Final = 500
"""The priority at which furo processes a page."""
ENTRY: Final = re.compile(
    r'<li class="toctree-l(?P<level>\d+)(?P<kind>[^"]*)"><a class="reference internal" href="(?P<link>[^"]+)">'
    r"(?P<title>.*?)</a>(?P<box><input )?"
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register functions that run before and after furo processes a page."""
    app.connect("html-page-context", _one_tree, priority=FURO - 100)
    app.connect("html-page-context", _sidebar, priority=FURO + 100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def of_page(tree: str, page: str, relative: Callable[[str], str]) -> str:
    """Return the sidebar of one page.

    Args:
        tree: the sidebar of the first page, as furo created it.
        page: the page as a link from the first page, such as `guides/spaces.html`.
        relative: a function that converts a link of the first page into a link of this page.
    """
    above: list[int] = []
    levels: list[int] = []
    for i, entry in enumerate(ENTRY.finditer(tree)):
        level = int(entry["level"])
        del levels[level - 1 :]
        levels.append(i)
        if entry["link"] == page:
            above = list(levels)
    places = iter(range(len(tree)))

    def entry_of_page(found: re.Match[str]) -> str:
        i = next(places)
        own = bool(above) and i == above[-1]
        kind = (" current" if i in above else "") + found["kind"] + (" current-page" if own else "")
        link = "#" if own else relative(found["link"])
        box = (found["box"] or "") + ('checked="" ' if found["box"] and i in above else "")
        return (
            f'<li class="toctree-l{found["level"]}{kind}"><a class="{"current " if own else ""}reference internal" '
            f'href="{link}">{found["title"]}</a>{box}'
        )

    return ENTRY.sub(entry_of_page, tree)


def _one_tree(app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Pass the same tree to furo for every page, because furo caches its result."""
    if "toctree" in context:
        tree = _first_page_tree(app)
        context["toctree"] = lambda **_: tree


@cache
def _first_page_tree(app: Sphinx) -> str:
    from sphinx.environment.adapters.toctree import global_toctree_for_doc

    options: Any = {"collapse": False, "titles_only": True, "maxdepth": -1, "includehidden": True}
    toctree = global_toctree_for_doc(app.env, app.config.root_doc, app.builder, tags=app.tags, **options)
    builder: Any = app.builder
    return str(builder.render_partial(toctree)["fragment"])


def _sidebar(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    builder: Any = app.builder

    def relative(link: str) -> str:
        from sphinx.util.osutil import relative_uri

        return link if "://" in link else relative_uri(builder.get_target_uri(page), link)

    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = of_page(
            context["furo_navigation_tree"], builder.get_target_uri(page), relative
        )
