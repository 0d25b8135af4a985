"""Make plugins that are not installed look installed for the documentation.

The dependencies of these plugins are heavy (numba, torch, JAX, video, simulators), but a page needs only signatures and
docstrings. The source of each plugin is added to the import path together with the metadata that an installer would
write. Missing modules are replaced by stand-ins, whose attributes are all classes that accept any arguments.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
import tomllib
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from gymkernel import plugins

__all__ = ["show"]

ROOT: Final = Path(__file__).resolve().parents[1]
SHOWN: Final = ("envs", "tools", "utils", "vector", "wrappers")
HEAVY: Final = (
    "Box2D",
    "ale_py",
    "array_api_compat",
    "av",
    "cv2",
    "glfw",
    "jax",
    "mujoco",
    "numba",
    "pygame",
    "ray",
    "torch",
)
MISSING: Final = [name for name in HEAVY if find_spec(name) is None]


def show() -> None:
    """Register the plugins with `gymkernel.plugins`."""
    folder = Path(tempfile.mkdtemp(prefix="documented-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    known = {plugin.distribution for plugin in plugins.plugins()}
    for file in sorted(path for kind in SHOWN for path in ROOT.glob(f"plugins/{kind}/*/pyproject.toml")):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        if project["name"] not in known:
            _pretend(folder, project)
            sys.path.append(str(file.parent / "src"))
    sys.path.append(str(folder))
    sys.meta_path.append(_Missing())
    plugins.refresh()


class _AnyAttributes(type):
    """A metaclass whose classes have every attribute, such as the members of an enumeration."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _AnyAttributes(name, (_Anything,), {"__module__": cls.__module__})


class _Anything(metaclass=_AnyAttributes):
    """The result of any call of a missing library. As a decorator, it returns the decorated object unchanged."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and callable(args[0]) and not kwargs else super().__new__(cls)

    def __call__(self, thing: Any = None, *args: Any, **kwargs: Any) -> Any:
        return thing


class _StandIn(ModuleType):
    """A stand-in for a missing module."""

    __path__: list[str] = []  # noqa: RUF012 - ModuleType declares it in the same way

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = _AnyAttributes(name, (_Anything,), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class _Missing(MetaPathFinder, Loader):
    """A finder and loader for the missing modules."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in MISSING else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, because a stand-in has no code."""


def _pretend(folder: Path, project: dict[str, Any]) -> None:
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    lines = []
    for group, entries in project.get("entry-points", {}).items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
