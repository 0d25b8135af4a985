"""The output of `gymkernel info gymnasium`, which explains what `import gymnasium` does under `gymkernel run`."""

from __future__ import annotations

import os
import site
from pathlib import Path
from typing import Final

from gymkernel import plugins
from gymkernel_tool_run import alias, installed
from gymkernel_tool_run.children import VARIABLE

__all__ = ["describe_gymnasium"]

START_FILE: Final = "gymkernel_tool_run_start.pth"


def describe_gymnasium() -> tuple[str, list[tuple[str, str]]]:
    """Return a title and the rows of a table about Gymnasium. Each row consists of a label and a text."""
    folder = installed.folder()
    here = "gymkernel's modules" if alias.is_active() else "Gymnasium" if folder else "nothing"
    files = [path for path in (Path(place, START_FILE) for place in _site_folders()) if path.is_file()]
    repair = f"{START_FILE} is missing; run: pip install --force-reinstall gymkernel-tool-run"
    rows = [
        ("installed", str(folder) if folder else "no; run: pip install gymnasium"),
        ("version", f"{installed.version()} in gymnasium.__version__ and in importlib.metadata"),
        ("here", f"in this process, import gymnasium gives {here}"),
        ("with run", "gymkernel run SCRIPT, gymkernel run -m MODULE, or gymkernel.utils.as_gymnasium() in a notebook"),
        (
            "modules",
            "those of gymkernel; what gymkernel lacks comes from Gymnasium's files and uses gymkernel's classes",
        ),
        ("workers", "processes of multiprocessing, joblib and Ray also use gymkernel"),
        (
            "--children",
            f"other Python programs, too: it sets {VARIABLE}, which is {os.environ.get(VARIABLE, 'not set')}",
        ),
        ("start file", str(files[0]) if files else repair),
    ]
    if any(plugin.value.startswith("gymkernel_bridge_gymnasium") for plugin in plugins.plugins("companions")):
        rows.append(("bridge", "installed; it joins the two libraries in other programs and does nothing with run"))
    return "gymnasium (library)", rows


def _site_folders() -> list[str]:
    return [*site.getsitepackages(), site.getusersitepackages()]
