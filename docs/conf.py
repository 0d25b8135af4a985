"""Configure Sphinx. To build, run `sphinx-build -W docs docs/_build/html` in an environment that has the workspace."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import uninstalled

uninstalled.show()

import reference_pages
import tutorial_files

import gymkernel

reference_pages.write(Path(__file__).resolve().parent)
tutorial_files.write()

project = "gymkernel"
author = project_copyright = "gymkernel contributors"
release = version = gymkernel.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "docstrings"]
extensions += ["search_index", "sidebar", "site_parts", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["_build", "tutorials/thermostat"]
default_role = "py:obj"  # a known name in single backticks becomes a link
suppress_warnings = ["ref.python"]  # several modules define a `Report`, but unknown names are still reported

html_theme = "furo"
html_title = f"gymkernel {release}"  # the version label in the sidebar of every page
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
pygments_dark_style = "github-dark"  # the default style underlines text that is not a link
html_css_files = ["custom.css"]
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
PROJECT = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
html_theme_options = {
    "source_repository": PROJECT["urls"]["Source"],
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": ["view", "edit"],
    "footer_icons": [{"name": "repository", "url": PROJECT["urls"]["Source"], "html": "Repository", "class": ""}],
}
html_js_files = ["films.js"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True  # do not copy the output of an example
linked_names = reference_pages.linked_names()
html_copy_source = False

myst_enable_extensions = ["deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3

autodoc_default_options = {"show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
maximum_signature_line_length = 90
napoleon_use_ivar = True
napoleon_use_rtype = False
python_use_unqualified_type_names = True
