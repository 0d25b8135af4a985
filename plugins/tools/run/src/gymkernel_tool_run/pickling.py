"""Functions that pickle gymkernel's spaces in such a way that programs without gymkernel can load the pickles.

Saved models contain pickled spaces. A program that runs under `gymkernel run` pickles a space under the name of
Gymnasium's class, such as `gymnasium.spaces.Box`, and with the attributes of Gymnasium's class. When such a pickle is
loaded under `gymkernel run`, the name refers to gymkernel's class, whose `__setstate__` accepts these attributes.
Spaces of other classes, such as a program's subclasses of `Box`, are pickled as usual.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import numpy as np

from gymkernel_tool_run import installed

__all__ = ["watched_modules"]

SPACES: Final = {
    "gymkernel_space_box": "Box",
    "gymkernel_space_dict": "Dict",
    "gymkernel_space_discrete": "Discrete",
    "gymkernel_space_graph": "Graph",
    "gymkernel_space_multi_binary": "MultiBinary",
    "gymkernel_space_multi_discrete": "MultiDiscrete",
    "gymkernel_space_one_of": "OneOf",
    "gymkernel_space_sequence": "Sequence",
    "gymkernel_space_text": "Text",
    "gymkernel_space_tuple": "Tuple",
}
"""Maps each module that defines a space to the name of the space's class."""
ATTRIBUTES: Final = {
    "Box": ("low_repr", "high_repr"),
    "Dict": ("sort_keys",),
    "Graph": ("batch_node_space", "batch_edge_space"),
    "Sequence": ("stack", "stacked_feature_space"),
}
"""Attributes that Gymnasium's classes have, but that are not always in the pickled state of gymkernel's spaces."""
BOUNDS: Final = ("low", "high", "bounded_below", "bounded_above")


def watched_modules() -> dict[str, Callable[[ModuleType], None]]:
    """Return the function to call when a module that defines a space is imported, keyed by module name."""
    return dict.fromkeys(SPACES, _change_pickles)


def _change_pickles(module: ModuleType) -> None:
    """Make `pickle` store a module's spaces under Gymnasium's class name if Gymnasium is installed."""
    if installed.folder() is None:
        return
    name = SPACES[module.__name__]
    create = _Create(getattr(module, name), name)

    def reduce(space: Any) -> tuple[Any, ...]:
        return create, (), _state(space, name)

    copyreg.pickle(getattr(module, name), reduce)


class _Create:
    """A function that creates an empty space, and whose pickle refers to Gymnasium's class instead of gymkernel's.

    Args:
        kind: gymkernel's class.
        name: the name of the class in `gymnasium.spaces`.
    """

    def __init__(self, kind: type, name: str) -> None:
        self._kind = kind
        self._class = _Reference(_Reference(None, f"{installed.NAME}.spaces"), name)

    def __call__(self) -> Any:
        """Create a space without attributes. Only `copy.copy` calls this method, because it does not pickle objects."""
        return object.__new__(self._kind)

    def __reduce__(self) -> tuple[Any, ...]:
        # Python itself stores this function in pickles with protocol 1.
        return partial, (vars(copyreg)["_reconstructor"], self._class, object, None)


class _Reference:
    """An object that is pickled in place of a module or a class, and is unpickled as that module or class.

    Args:
        module: a reference to the module that contains the class; None for a reference to a module.
        name: the name of the module or class.
    """

    def __init__(self, module: _Reference | None, name: str) -> None:
        self._module, self._name = module, name

    def __reduce__(self) -> tuple[Any, ...]:
        return (import_module, (self._name,)) if self._module is None else (getattr, (self._module, self._name))


def _state(space: Any, name: str) -> dict[str, Any]:
    """Return the attributes to pickle: those of Gymnasium's class, and those that the program has added."""
    own = space.__reduce_ex__(4)[2]
    state = {key: value for key, value in own.items() if not key.startswith("_")}
    for key in ("_shape", "dtype", "_np_random", *ATTRIBUTES.get(name, ())):
        if hasattr(space, key):  # only a Sequence with stack=True has stacked_feature_space
            state[key] = getattr(space, key)
    state["_np_random"] = _portable(state["_np_random"])
    if name == "Box":
        state.update((bound, np.broadcast_to(own[bound], space.shape)) for bound in BOUNDS)
        state["_is_read"] = False  # nothing else refers to the arrays of the unpickled space
    if name == "Text":
        del state["charset"]
        letters = space.character_list
        state.update(_char_set=frozenset(letters), _char_list=letters, _char_str=space.characters)
        state["_char_index"] = {letter: np.int32(index) for index, letter in enumerate(letters)}
    return state


def _portable(generator: np.random.Generator | None) -> np.random.Generator | None:
    """Replace a generator whose pickle would refer to gymkernel with a NumPy generator in the same state."""
    if generator is None or isinstance(generator.bit_generator.seed_seq, np.random.SeedSequence):
        return generator
    bits = type(generator.bit_generator)(0)
    bits.state = generator.bit_generator.state
    return np.random.Generator(bits)
