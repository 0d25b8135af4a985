"""Functions that find the files of an installed Gymnasium without importing it."""

from __future__ import annotations

import ast
import os
import re
import sys
from importlib import metadata
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Final

from gymkernel import plugins

__all__ = [
    "EMULATED_VERSION",
    "NAME",
    "entry_points",
    "exported",
    "file",
    "folder",
    "is_provided_by_a_plugin",
    "module_spec",
    "source",
    "version",
]

NAME: Final = "gymnasium"
EMULATED_VERSION: Final = "1.4.0"
"""The version that programs see if Gymnasium is not installed: the newest version whose API gymkernel provides."""

_folder: list[str] = []


def folder() -> str | None:
    """Return the folder of the installed Gymnasium, or None if it is not installed."""
    if not _folder:
        for finder in sys.meta_path:
            find = None if _is_own_finder(finder) else getattr(finder, "find_spec", None)
            spec = None if find is None else find(NAME, None)
            if spec is not None and spec.loader is not None and spec.submodule_search_locations:
                _folder.append(spec.submodule_search_locations[0])
                break
    return _folder[0] if _folder else None


def _is_own_finder(finder: object) -> bool:
    """Return whether an import finder belongs to gymkernel."""
    module = getattr(finder, "__module__", None) or type(finder).__module__
    return module.partition(".")[0] in {"gymkernel", "gymkernel_tool_run"}


def module_spec(name: str) -> ModuleSpec | None:
    """Return the spec of a module in Gymnasium's files, or None if Gymnasium has no such module.

    Args:
        name: the full name of the module, such as "gymnasium.envs.box2d".
    """
    root = folder()
    if root is None:
        return None
    parents = name.split(".")[1:-1]
    spec = PathFinder.find_spec(name, [str(Path(root, *parents))])
    return spec if spec is not None and spec.loader is not None else None


def version() -> str:
    """Return the version of the installed Gymnasium, or the version that programs see if Gymnasium is not installed."""
    match = re.search(r"""^__version__ = ["']([^"']+)""", source(NAME) or "", re.MULTILINE)
    return match[1] if match else EMULATED_VERSION


def emulated_distributions(name: str | None) -> list[metadata.Distribution]:
    """Return metadata for programs that look up Gymnasium's version, unless Gymnasium is installed.

    Args:
        name: the name of the requested distribution; None if all distributions are requested.
    """
    if name is None or name.lower() != NAME:
        return []
    context = metadata.DistributionFinder.Context(name=NAME)
    return [] if any(metadata.MetadataPathFinder.find_distributions(context)) else [EmulatedDistribution()]


class EmulatedDistribution(metadata.Distribution):
    """The metadata that programs see if Gymnasium is not installed: its name and a version."""

    def read_text(self, filename: str) -> str | None:
        """Return the text of the file METADATA, or None for any other file.

        Args:
            filename: the name of the file.
        """
        return f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {EMULATED_VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Return the path of a file of the distribution.

        Args:
            path: the path relative to the folder of installed packages.
        """
        return Path(__file__).parents[1] / path


def entry_points(group: str) -> list[metadata.EntryPoint]:
    """Return the entry points in a group, except for those of gymkernel's own distributions.

    Args:
        group: the name of the group, such as "gymnasium.envs".
    """
    return [point for point in metadata.entry_points(group=group) if not point.value.startswith("gymkernel_")]


def file(name: str) -> str | None:
    """Return the path of a module in Gymnasium's files, or None if Gymnasium has no such module.

    Args:
        name: the full name of the module, such as "gymnasium.core".
    """
    root = folder()
    path = Path(root or "", *name.split(".")[1:])
    files = (path / "__init__.py", path.with_suffix(".py")) if root is not None else ()
    return next((str(file) for file in files if file.is_file()), None)


def source(name: str) -> str | None:
    """Return the source code of a module in Gymnasium's files, or None if Gymnasium has no such module.

    Args:
        name: the full name of the module, such as "gymnasium.core".
    """
    path = file(name)
    return None if path is None else Path(path).read_text("utf-8")


def exported(name: str) -> list[str] | None:
    """Return the names that `from module import *` imports from a module in Gymnasium's files.

    If the module does not list these names, return None.

    Args:
        name: the full name of the module, such as "gymnasium.vector".
    """
    match = re.search(r"^__all__ = (\[[^]]*])", source(name) or "", re.MULTILINE)
    names: list[str] | None = None if match is None else ast.literal_eval(match[1])
    return names


def is_provided_by_a_plugin(path: str) -> bool:
    """Return whether a plugin, and not only the bridge to Gymnasium, provides a module.

    Args:
        path: the path of the module below `gymkernel`, such as "envs.mujoco".
    """
    return any(not plugin.value.startswith(f"{NAME}.") for plugin in plugins.providers("modules", path))
