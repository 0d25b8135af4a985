"""Check a built site: `python docs/check_site.py FOLDER`, after `sphinx-build`. Exit with 1 if there are problems.

These conditions are checked:

* Every link within the site leads to an existing page and anchor.
* No page needs network access, because scripts, styles, images and films are files of the site.
* Every environment id, space, wrapper, backend and command is on a page that is at most three clicks from the first
  page. The names come from the entry points in this repository.
* An environment id in the text is a link to its page.
* Every page except for decision records has a table, an image, a film, a plot, an example or a list.
* No table cell is blank.
"""

from __future__ import annotations

import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urldefrag

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Page", "names", "problems"]

ROOT: Final = Path(__file__).resolve().parents[1]
LOADED: Final = {"img": "src", "script": "src", "link": "href", "video": "src", "source": "src", "iframe": "src"}
SHOWING: Final = {"table", "img", "video", "svg", "pre", "math", "dl", "ul", "ol"}
HELD: Final = {"img", "video", "svg", "math", "input"}
"""Tags that fill a table cell without text."""
SOURCES: Final = "_modules/"
MADE: Final = ("genindex.html", "py-modindex.html", "search.html", SOURCES)
PROSE: Final = (*MADE, "decisions/")
REACHED: Final = ("environments/", "reference/api/gymkernel.", "reference/api/command.")
FACADES: Final = {"spaces": "gymkernel.spaces", "wrappers": "gymkernel.wrappers", "vector": "gymkernel.vector"}
CLASSES: Final = {**FACADES, "vector_wrappers": "gymkernel.wrappers.vector"}
CLICKS: Final = 3


class Page(HTMLParser):
    """The links, loaded files, anchors and text features of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.shows: set[str] = set()
        self.literals: set[str] = set()
        self.unlinked: set[str] = set()
        self.blank = 0
        self._inside = 0
        self._open: list[str] = []
        self._cell, self._literal = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the links, files and anchors of a tag, and start cells and literals."""
        given = {name: value or "" for name, value in attrs}
        self.ids.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given and given.get("rel") not in {"canonical", "next", "prev", "search"}:
            self.loads.append(given[LOADED[tag]])
        if tag == "article":
            self._inside += 1
        elif self._inside:
            self.shows.add(tag)
        if tag in {"a", "pre", "h1", "h2", "h3", "dt", "code"}:
            self._open.append(tag)
        if tag == "code":
            self._literal = ""
        if tag in {"td", "th"}:
            self._cell = ""
        if tag in HELD:
            self._cell += tag

    def handle_data(self, data: str) -> None:
        """Add text to the current cell and the current literal."""
        self._cell += data.strip()
        self._literal += data

    def handle_endtag(self, tag: str) -> None:
        """Finish the article, a cell, or a literal."""
        if tag == "article":
            self._inside -= 1
        if tag in {"td", "th"} and self._inside:
            self.blank += not self._cell
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag == "code" and self._inside:
            self.literals.add(self._literal)
            if not self._open:
                self.unlinked.add(self._literal)


def names() -> dict[str, set[str]]:
    """Return what this repository provides: "ids" of environments, "classes" by import path, and "commands"."""
    found: dict[str, set[str]] = {"ids": set(), "classes": set(), "commands": {"list", "info"}}  # of the kernel
    for path in ROOT.glob("plugins/*/*/pyproject.toml"):
        points = tomllib.loads(path.read_text(encoding="utf-8"))["project"].get("entry-points", {})
        if "bridges" not in path.parts:  # bridges provide thousands of ids from other libraries
            found["ids"].update(points.get("gymkernel.envs", {}))
        found["commands"].update(points.get("gymkernel.commands", {}))
        classes: dict[str, str] = {}  # a class that two facades provide is documented once
        for kind, facade in CLASSES.items():
            for name, value in points.get(f"gymkernel.{kind}", {}).items():
                classes.setdefault(value, f"{facade}.{name}")
        found["classes"].update(classes.values())
    return found


def problems(folder: Path, provided: dict[str, set[str]] | None = None) -> list[str]:
    """Return the problems of a site, each as a sentence.

    Args:
        folder: the folder of the built site.
        provided: the result of `names`; by default, no name has to be on the site.
    """
    pages = {
        path.relative_to(folder).as_posix(): Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")
    }
    found, edges = [], dict[str, set[str]]()
    for name, page in sorted(pages.items()):
        edges[name] = set()
        for link in page.links if not name.startswith(SOURCES) else ():
            target, anchor = _target(name, link)
            if target is None:
                continue
            edges[name].add(target)
            if target not in pages and not (folder / target).is_file():
                found.append(f"{name} links to {link}, which is not there")
            elif anchor and target in pages and anchor not in pages[target].ids:
                found.append(f"{name} links to {link}, and there is no such place on that page")
        found += [f"{name} loads {link} over the network" for link in page.loads if _is_remote(link)]
        if not name.startswith(PROSE) and not page.shows & SHOWING:
            found.append(f"{name} has no table, picture, example or list")
        if page.blank and not name.startswith(MADE):
            found.append(f"{name} has {page.blank} blank cells")
    near = _near(edges)
    found += [
        f"{name} is more than {CLICKS} clicks from the first page"
        for name in sorted(pages)
        if name.startswith(REACHED) and name not in near
    ]
    return found + list(_absent({name: page for name, page in pages.items() if name in near}, pages, provided or {}))


def _absent(near: dict[str, Page], pages: dict[str, Page], provided: dict[str, set[str]]) -> Iterator[str]:
    """Yield the names that are missing from the near pages, and the ids that are not links."""
    places = set().union(*(page.ids for name, page in near.items() if not name.startswith(MADE)))
    literals = set().union(*(page.literals for page in near.values()))
    homes = set().union(*(page.literals for name, page in near.items() if name.startswith("environments/")))
    for name in sorted(provided.get("classes", set()) - places):
        yield f"the class {name} is on no page that is {CLICKS} clicks from the first or less"
    for name in sorted(provided.get("ids", set()) - homes):
        yield f"the environment {name} is on no page of the gallery"
    for name in sorted(provided.get("commands", ())):
        if not any(f"{literal} ".startswith(f"gymkernel {name} ") for literal in literals):
            yield f"the command gymkernel {name} is on no page that is {CLICKS} clicks from the first or less"
    for place, page in sorted(pages.items()):
        own = page.literals if place.startswith("environments/") else set()
        for name in sorted(page.unlinked & provided.get("ids", set()) - own):
            yield f"{place} has {name}, which is no link"


def _is_remote(link: str) -> bool:
    return link.startswith(("http:", "https:", "//"))


def _target(page: str, link: str) -> tuple[str | None, str]:
    """Return the file and the anchor of a link, or None as the file if the link leads to another site."""
    if _is_remote(link) or link.startswith(("mailto:", "data:", "javascript:")):
        return None, ""
    file, anchor = urldefrag(link)
    parts = [*page.split("/")[:-1], *unquote(file).split("/")] if file else page.split("/")
    steps: list[str] = []
    for part in parts:
        if part == "..":
            steps = steps[:-1]
        elif part not in {"", "."}:
            steps.append(part)
    return "/".join(steps), unquote(anchor)


def _near(edges: dict[str, set[str]]) -> set[str]:
    """Return the pages that are at most `CLICKS` clicks from the first page."""
    near = last = {"index.html"}
    for _ in range(CLICKS):
        last = {target for name in last for target in edges.get(name, ())} - near
        near = near | last
    return near


if __name__ == "__main__":
    found = problems(Path(sys.argv[1]), names())
    print("\n".join(found) or "the site has no broken link, no missing name and no page that needs a network")  # noqa: T201 - a command prints its result
    sys.exit(bool(found))
