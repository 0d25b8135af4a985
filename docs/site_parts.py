"""Add films, plots, and links from names to the Markdown of the pages.

* ` ```{film} cart-pole ` shows `_static/gallery/cart-pole.mp4` with its still. A name with a folder, such as
  `tutorials/ppo-cart-pole`, is a path below `_static`.
* ` ```{plot} blackjack ` draws the results of `make_outputs.py` or of the benchmarks (plots.py).
* A name in backticks, such as `CartPole-v1`, `TimeLimit` or `gymkernel check`, becomes a link to its page, if any.
  So does the call of a class, such as `TimeLimit(max_episode_steps)`.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

import plots
from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import make_refnode
from sphinx.util.osutil import relative_uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["setup"]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives and the links."""
    app.add_config_value("linked_names", {}, "env", [dict])
    app.add_directive("film", Film)
    app.add_directive("plot", Plot)
    app.add_node(film, html=(_film, None))
    app.add_transform(LinkedNames)
    app.connect("missing-reference", _linked)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class film(nodes.General, nodes.Element):  # noqa: N801 - docutils uses lowercase names for node classes
    """The node of a film. `name` is the name of its files without a suffix, and `alt` describes the film."""


class Film(Directive):
    """The directive that inserts a film of the gallery."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = {"alt": directives.unchanged_required}

    def run(self) -> list[Node]:
        """Return the node of the film."""
        name = self.arguments[0]
        return [film("", name=name, alt=self.options.get("alt", name))]


class Plot(Directive):
    """The directive that inserts a plot."""

    required_arguments = 1

    def run(self) -> list[Node]:
        """Return the drawn plot."""
        return [nodes.raw("", plots.PLOTS[self.arguments[0]](), format="html")]


def _named(text: str) -> str:
    """Return the class of a call, the first two words of a command, or any other literal unchanged."""
    if text.startswith("gymkernel "):
        return " ".join(text.split()[:2])
    name, call, _ = text.partition("(")
    return name.removeprefix("vector.") if call and text.endswith(")") else text


def _film(self: Any, node: film) -> None:
    docname = self.builder.current_docname
    here = self.builder.get_target_uri(docname)
    name = node["name"] if "/" in node["name"] else f"gallery/{node['name']}"
    place = relative_uri(here, "_static/") + name
    self.body.append(
        f'<video class="film" src="{place}.mp4" poster="{place}.png" aria-label="{escape(node["alt"])}" '
        "autoplay loop muted playsinline></video>"
    )
    raise nodes.SkipNode


def _linked(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, literal: nodes.TextElement
) -> nodes.reference | None:
    """Return a link for a name that is not a Python object, such as `CartPole-v1`."""
    docname, anchor = app.config.linked_names.get(node.get("reftarget", ""), ("", ""))
    here = node["refdoc"]
    if not docname or docname == here:
        return None
    if anchor:
        return env.domains["py"].resolve_xref(env, here, app.builder, "obj", anchor, node, literal)
    return make_refnode(app.builder, here, docname, None, literal)


class LinkedNames(SphinxTransform):
    """A transform that turns literals with names from `linked_names` into links."""

    default_priority = 400

    def apply(self, **kwargs: Any) -> None:
        """Wrap the known literals in links."""
        known = self.config.linked_names
        for literal in list(self.document.findall(nodes.literal)):
            docname, anchor = known.get(_named(literal.astext()), ("", ""))
            inside = literal.parent
            while inside is not None and not isinstance(inside, nodes.title | nodes.reference | addnodes.pending_xref):
                inside = inside.parent
            if not docname or docname == self.env.docname or inside is not None:
                continue
            link = addnodes.pending_xref(
                "",
                refdomain="py" if anchor else "",  # without a domain, Sphinx calls `_linked`
                reftype="obj" if anchor else "name",
                reftarget=anchor or _named(literal.astext()),
                refdoc=self.env.docname,
                refexplicit=True,
                refwarn=True,
            )
            literal.replace_self(link)
            link += literal
