"""Sphinx: `sphinx-build -W docs docs/_build/html`, in an environment where the workspace is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent))

import reference_pages

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

reference_pages.write(Path(__file__).resolve().parent / "reference" / "api")

project = "gymkernel"
author = "gymkernel contributors"
release = version = gymkernel.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"gymkernel {release}"
html_copy_source = False
pygments_style = "friendly"
default_role = "py:obj"  # a name in single backticks is a link where it can be one

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_default_options = {"show-inheritance": True}
autodoc_preserve_defaults = True
maximum_signature_line_length = 90
napoleon_use_ivar = True
napoleon_use_rtype = False
python_use_unqualified_type_names = True

COLON = "\N{MODIFIER LETTER COLON}"


def setup(app: Sphinx) -> None:
    """Keep napoleon from reading the sentence below an attribute as `type: description`."""

    def swap(old: str, new: str) -> Callable[..., None]:
        def replace(_app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
            if what in {"attribute", "data", "property"}:
                lines[:] = [line.replace(old, new) for line in lines]

        return replace

    app.connect("autodoc-process-docstring", swap(":", COLON), priority=400)  # napoleon is at 500
    app.connect("autodoc-process-docstring", swap(COLON, ":"), priority=600)
