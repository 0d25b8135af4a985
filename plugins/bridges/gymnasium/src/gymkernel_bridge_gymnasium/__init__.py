"""Gymnasium's environments and spaces in gymkernel, and gymkernel's environments in Gymnasium.

Importing this registers gymkernel's ids with Gymnasium, when that is imported; `registration` says under which names.
The names here load where they are first used: what registers the operations on Gymnasium's spaces needs none of them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

    from gymkernel_bridge_gymnasium.environments import from_gymnasium, to_gymnasium
    from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv, make_gymnasium, make_gymnasium_vec
    from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv
    from gymkernel_bridge_gymnasium.registration import register_ids

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "KernelEnv", "KernelVectorEnv", "from_gymnasium", "make_gymnasium"]
__all__ += ["make_gymnasium_vec", "register_ids", "to_gymnasium"]

_HOME = {
    "environments": ("from_gymnasium", "to_gymnasium"),
    "inward": ("GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"),
    "outward": ("KernelEnv", "KernelVectorEnv"),
    "registration": ("register_ids",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return found


class _AfterGymnasium:
    """Finds Gymnasium once for whoever imports it later than this package, and has the ids registered with it then."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != "gymnasium":
            return None
        others = (finder for finder in sys.meta_path if finder is not cls)
        found = next((spec for one in others if (spec := one.find_spec(fullname, path, target))), None)
        if found is not None and found.loader is not None:
            found.loader = _RegisteringLoader(found.loader)
        return found


class _RegisteringLoader(Loader):
    """Loads Gymnasium with the loader that it has, and registers the ids."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None  # noqa: S101 - the import system sets it
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if _AfterGymnasium in sys.meta_path:
            sys.meta_path.remove(_AfterGymnasium)
        import_module(f"{__name__}.registration")


# gymkernel loads a hook of this package with the first environment it makes: without the 150 ms that Gymnasium takes.
if "gymnasium" in sys.modules:
    import_module(f"{__name__}.registration")
else:
    sys.meta_path.insert(0, _AfterGymnasium)
