"""Keep decision records and internal modules out of the search index."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["is_hidden", "setup"]

HIDDEN: Final = re.compile(
    r"decisions/|reference/(assets|checked-environments)$"
    r"|reference/api/module\.gymkernel\.(forwarding|infos|making|registration|specs|suggestions|third_party|utils\.printable)$"
)


def is_hidden(page: str) -> bool:
    """Return whether the search leaves out a page.

    Args:
        page: the name of a document, such as "decisions/0001-microkernel".

    >>> is_hidden("decisions/0001-microkernel"), is_hidden("guides/spaces")
    (True, False)
    """
    return HIDDEN.match(page) is not None


def setup(app: Sphinx) -> dict[str, bool]:
    """Exclude the hidden pages and their objects from the search."""
    app.connect("doctree-read", _mark)
    app.connect("env-check-consistency", _hide_objects)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _mark(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    if is_hidden(page):
        app.env.metadata[page]["nosearch"] = "true"


def _hide_objects(app: Sphinx, env: BuildEnvironment) -> None:
    domain: Any = env.domains["py"]
    get_objects = domain.get_objects

    def visible() -> Iterator[tuple[str, str, str, str, str, int]]:
        return (entry for entry in get_objects() if not is_hidden(entry[3]))

    domain.get_objects = visible
