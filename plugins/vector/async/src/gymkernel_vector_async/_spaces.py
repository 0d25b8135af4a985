"""The observation spaces of a vector environment, from those of its environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.spaces.utils import is_space_dtype_shape_equiv
from gymkernel.vector.utils import batch_differing_spaces, batch_space
from gymkernel_vector_async._errors import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["action_space", "observation_spaces"]


def observation_spaces(spaces: Sequence[Any], mode: Any) -> tuple[Any, Any]:
    """(batched, single) for an observation mode; a RuntimeError names the environments that do not fit.

    Args:
        spaces: that of each environment; equal ones are one object.
        mode: "same", "different", or a tuple (batched space, single space).
    """
    single = spaces[0]
    if isinstance(mode, tuple):
        if len(mode) != 2 or not all(hasattr(space, "sample") for space in mode):
            message = f"Expected observation_mode to be a tuple (batched space, single space), got {mode!r}"
            raise TypeError(message)
        single = mode[1]
    if mode == "same":
        _refuse(spaces, single, lambda space: space == single, "one observation space", _HINT)
        return batch_space(single, len(spaces)), single
    _refuse(spaces, single, lambda space: _equivalent(space, single), "observation spaces of one shape and dtype", "")
    if isinstance(mode, tuple):
        return mode
    return batch_differing_spaces(list(spaces)), single


_HINT = "; where they differ in their bounds alone, pass observation_mode='different'"


def action_space(spaces: Sequence[Any]) -> Any:
    """The action space of all environments; a RuntimeError names those that have another."""
    _refuse(spaces, spaces[0], lambda space: space == spaces[0], "one action space", "")
    return spaces[0]


def _refuse(spaces: Sequence[Any], single: Any, fits: Callable[[Any], bool], expected: str, hint: str) -> None:
    wrong = [i for i, space in enumerate(spaces) if space is not single and not fits(space)]
    if wrong:
        source = "environment 0" if single is spaces[0] else "observation_mode"
        message = f"Expected {expected}, got {single} from {source} and {spaces[wrong[0]]} from {names(wrong)}{hint}"
        raise RuntimeError(message)


def check_mode(mode: Any) -> None:
    """Refuse an observation mode that does not exist, before anything is started."""
    if not isinstance(mode, tuple) and mode not in {"same", "different"}:
        message = f"Expected observation_mode to be 'same', 'different' or (batched space, single space), got {mode!r}"
        raise ValueError(message)


def _equivalent(space: Any, single: Any) -> bool:
    """Whether elements of both fit one batch; spaces without arrays are batched as tuples, in which everything fits."""
    try:
        return bool(is_space_dtype_shape_equiv(space, single))
    except NotImplementedError:
        return True
