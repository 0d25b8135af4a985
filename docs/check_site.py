"""Look at a built site: `python docs/check_site.py FOLDER`, after `sphinx-build`. Exits with 1 if something is wrong.

* Every link within the site leads to a page, and to a place on it.
* No page needs a network: scripts, styles, pictures and films are files of the site.
* Every page of an environment, a space, a wrapper, a backend and a command is three clicks from the first at most.
* No page without a table, a picture, a film, a plot, an example or a list; decisions are prose.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag

__all__ = ["Page", "problems"]

LOADED: Final = {"img": "src", "script": "src", "link": "href", "video": "src", "source": "src", "iframe": "src"}
SHOWING: Final = {"table", "img", "video", "svg", "pre", "math", "dl", "ul", "ol"}
SOURCES: Final = "_modules/"
PROSE: Final = ("genindex.html", "py-modindex.html", "search.html", "decisions/", SOURCES)
REACHED: Final = ("environments/", "reference/api/gymkernel.", "reference/api/command.")
CLICKS: Final = 3


class Page(HTMLParser):
    """What a page links to, loads, names, and shows in its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()
        self.shows: set[str] = set()
        self._inside = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a tag."""
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

    def handle_endtag(self, tag: str) -> None:
        """Take note of the end of the text."""
        if tag == "article":
            self._inside -= 1


def problems(folder: Path) -> list[str]:
    """What is wrong with a site, a sentence each."""
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
    near = _near(edges)
    return found + [
        f"{name} is more than {CLICKS} clicks from the first page"
        for name in sorted(pages)
        if name.startswith(REACHED) and name not in near
    ]


def _is_remote(link: str) -> bool:
    return link.startswith(("http:", "https:", "//"))


def _target(page: str, link: str) -> tuple[str | None, str]:
    """The file that a link on a page leads to, and the place in it; None for one that leads elsewhere."""
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
    """The pages that some clicks from the first page reach."""
    near = last = {"index.html"}
    for _ in range(CLICKS):
        last = {target for name in last for target in edges.get(name, ())} - near
        near = near | last
    return near


if __name__ == "__main__":
    told = problems(Path(sys.argv[1]))
    print("\n".join(told) or "every link leads somewhere, and no page needs a network")  # noqa: T201 - a command talks
    sys.exit(bool(told))
