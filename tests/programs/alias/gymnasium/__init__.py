"""An alias package for tests. If its folder is on the import path, programs that import gymnasium use gymkernel.

Every module path below `gymnasium` refers to the module with the same path below `gymkernel`, without a table of names.
Only the simulators are Gymnasium's own files, which also import `gymnasium`.
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Any

import gymkernel

if TYPE_CHECKING:
    from types import ModuleType


SIMULATORS = "gymnasium.envs.box2d", "gymnasium.envs.mujoco"


class _Alias(MetaPathFinder, Loader):
    """An import finder and loader that loads `gymkernel.x.y` for the name `gymnasium.x.y`."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name.startswith(SIMULATORS):
            folder = importlib.metadata.distribution("gymnasium").locate_file(name.rpartition(".")[0].replace(".", "/"))
            return PathFinder.find_spec(name, [str(folder)])
        return ModuleSpec(name, self) if name.startswith("gymnasium.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module("gymkernel" + spec.name.removeprefix("gymnasium"))
        self._specs: dict[str, Any] = {**getattr(self, "_specs", {}), spec.name: module.__spec__}
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own `__spec__`, which importing the module under its alias has replaced."""
        if module.__spec__ is not None:
            module.__spec__ = self._specs.pop(module.__spec__.name)


def _register_simulators() -> None:
    """Register the ids of the simulators by running the register calls in Gymnasium's source."""
    text = importlib.metadata.distribution("gymnasium").locate_file("gymnasium/envs/__init__.py").read_text("utf-8")
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.keywords]
    for given in ({keyword.arg: keyword.value for keyword in call.keywords} for call in calls):
        entry_point = given.get("entry_point")
        if isinstance(entry_point, ast.Constant) and entry_point.value.startswith(SIMULATORS):
            gymkernel.register(**{name: ast.literal_eval(value) for name, value in given.items() if name})


sys.meta_path.insert(0, _Alias())
sys.modules[__name__] = gymkernel
_register_simulators()
# Packages that register environments through Gymnasium's entry points register them here.
for entry_point in importlib.metadata.entry_points(group="gymnasium.envs"):
    if not entry_point.value.startswith("gymkernel_"):
        entry_point.load()()
