"""`common_spaces`: the space of all environments of a vector environment, and its batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gymkernel.ops import batch_differing_spaces, batch_space, is_space_dtype_shape_equiv
from gymkernel_util_compatibility.other_apis import explain_space
from gymkernel_util_spaces.texts import text_of

__all__ = ["check_observation_mode", "common_spaces", "split_actions"]


def common_spaces(spaces: Sequence[Any], mode: Any = "same", kind: str = "observation") -> tuple[Any, Any]:
    """(batched space, single space) of several environments.

    Args:
        spaces: that of each environment.
        mode: "same" where all are equal, "different" where they differ in their bounds alone, or a tuple (batched
            space, single space); the `observation_mode` of vector environments.
        kind: "observation" or "action", for messages.

    Raises:
        RuntimeError: spaces that do not go together, with the environments that do not fit.
        NotImplementedError: the class of the spaces is unknown.
        ValueError: another mode.
        TypeError: a tuple of something else.

    >>> from gymkernel import Space
    >>> common_spaces([Space(), 7])
    Traceback (most recent call last):
    RuntimeError: Expected one observation space, got ... from environment 0 and 7 from environment 1; where ...
    """
    check_observation_mode(mode)
    single = mode[1] if isinstance(mode, tuple) else spaces[0]
    if mode == "same":
        hint = "; where they differ in their bounds alone, pass observation_mode='different'"
        _refuse(
            spaces, single, lambda space: space == single, f"one {kind} space", hint if kind == "observation" else ""
        )
    else:
        _refuse(spaces, single, lambda space: _equivalent(space, single), f"{kind} spaces of one shape and dtype", "")
    if isinstance(mode, tuple):
        return mode
    try:
        return batch_space(single, len(spaces)) if mode == "same" else batch_differing_spaces(list(spaces)), single
    except NotImplementedError as exc:
        if explained := explain_space(single):
            raise NotImplementedError(f"{exc}; {explained}") from exc
        raise


def check_observation_mode(mode: Any) -> None:
    """Refuse what is no mode of `common_spaces`, for a backend that wants to know before it starts anything.

    Args:
        mode: "same", "different", or (batched space, single space).

    Raises:
        ValueError: a mode that does not exist.
        TypeError: a tuple of something else than two spaces.
    """
    if isinstance(mode, tuple):
        if len(mode) != 2 or not all(hasattr(space, "sample") for space in mode):
            raise TypeError(f"Expected observation_mode to be a tuple (batched space, single space), got {mode!r}")
    elif not (isinstance(mode, str) and mode in {"same", "different"}):
        message = f"Expected observation_mode to be 'same', 'different' or (batched space, single space), got {mode!r}"
        raise ValueError(message)


def split_actions(iterate: Callable[[Any, Any], Any], action_space: Any, actions: Any, n: int) -> list[Any]:
    """Return the action of each environment; the number of actions is checked before any environment acts.

    Args:
        iterate: the operation for the class of the action space.
        action_space: of the batch.
        actions: the batch.
        n: number of environments that act.

    Raises:
        TypeError, ValueError: the batch is none of the action space, or has another number of actions.
    """
    try:
        items = list(iterate(action_space, actions))
    except (TypeError, ValueError, IndexError) as exc:
        kind = TypeError if isinstance(exc, TypeError) else ValueError
        raise kind(f"Expected actions for {n} environments, of {action_space}, got {text_of(actions)}") from exc
    if len(items) != n:
        message = f"Expected {n} actions, one for each environment, got {len(items)}: {text_of(actions)}"
        raise ValueError(message)
    return items


def _refuse(spaces: Sequence[Any], single: Any, fits: Callable[[Any], bool], expected: str, hint: str) -> None:
    wrong = [i for i, space in enumerate(spaces) if space is not single and not fits(space)]
    if wrong:
        source = "environment 0" if single is spaces[0] else "observation_mode"
        which = f"environment {wrong[0]}" if len(wrong) == 1 else f"environments {', '.join(map(str, wrong))}"
        raise RuntimeError(f"Expected {expected}, got {single} from {source} and {spaces[wrong[0]]} from {which}{hint}")


def _equivalent(space: Any, single: Any) -> bool:
    """Whether elements of both fit one batch; spaces without arrays are batched as tuples, in which everything fits."""
    try:
        return bool(is_space_dtype_shape_equiv(space, single))
    except NotImplementedError:
        return True
