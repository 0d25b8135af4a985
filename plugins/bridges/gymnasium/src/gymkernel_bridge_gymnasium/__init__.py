"""Gymnasium's environments and spaces in gymkernel, and gymkernel's environments in Gymnasium.

Importing this registers gymkernel's ids with Gymnasium; `registration` says under which names. The names here load
where they are first used: what registers the operations on Gymnasium's spaces needs none of them.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec
    from types import FrameType

    from gymkernel_bridge_gymnasium.conversion import from_gymnasium, to_gymnasium
    from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv, make_gymnasium, make_gymnasium_vec
    from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv
    from gymkernel_bridge_gymnasium.registration import register_ids

__all__ = ["GymnasiumEnv", "GymnasiumVectorEnv", "KernelEnv", "KernelVectorEnv", "from_gymnasium", "make_gymnasium"]
__all__ += ["make_gymnasium_vec", "register_ids", "to_gymnasium"]

_HOME = {
    "conversion": ("from_gymnasium", "to_gymnasium"),
    "inward": ("GymnasiumEnv", "GymnasiumVectorEnv", "make_gymnasium", "make_gymnasium_vec"),
    "outward": ("KernelEnv", "KernelVectorEnv"),
    "registration": ("register_ids",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    globals()[name] = found = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return found


_busy = Lock()


def _free() -> None:
    """Have a lock of one's own in a forked process: another thread may hold the parent's in this moment."""
    global _busy  # noqa: PLW0603 - as above
    _busy = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free)


def _imported() -> None:
    """Somebody imports this package: register the ids, unless gymkernel loads a plugin and Gymnasium is not in use.

    A look at the stack tells who asks: gymkernel loads the hook of this package with the first environment it makes,
    and shall not pay the 150 ms that Gymnasium takes; Gymnasium has an id in its hands when it imports a module for it.
    """
    if not _busy.acquire(blocking=False):  # what is imported here imports this package
        return
    try:
        importers = list(_stack())
        if "gymnasium" in sys.modules or "gymkernel.plugins" not in {
            one.f_globals.get("__name__") for one in importers
        }:
            registration = import_module(f"{__name__}.registration")
            registration.register_ids()
            asking = next((one for one in importers if one.f_code is registration.ASKING), None)
            if asking is not None:
                registration.lend(asking.f_locals["env_id"].partition(":")[2])
    finally:
        _busy.release()


def _stack() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - who imports this is not told otherwise
    while frame is not None:
        yield frame
        frame = frame.f_back


class _Package(ModuleType):
    """This package, which notices each of its imports: an import statement asks a module in memory for its spec."""

    @property
    def __spec__(self) -> ModuleSpec | None:  # type: ignore[override]
        _imported()
        return vars(self)["__spec__"]  # type: ignore[no-any-return]


sys.modules[__name__].__class__ = _Package
_imported()
