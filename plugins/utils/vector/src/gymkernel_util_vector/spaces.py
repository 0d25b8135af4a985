"""Functions that determine the common spaces of environments and that split batches of actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gymkernel import plugins
from gymkernel.ops import batch_differing_spaces, batch_space, is_space_dtype_shape_equiv
from gymkernel_util_compatibility.other_apis import explain_space
from gymkernel_util_spaces.texts import text_of

__all__ = ["check_observation_mode", "common_spaces", "split_actions"]


def common_spaces(spaces: Sequence[Any], mode: Any = "same", kind: str = "observation") -> tuple[Any, Any]:
    """Return the batch space and the single space for a vector environment.

    Args:
        spaces: the space of each environment.
        mode: the argument `observation_mode` of a vector environment: "same" if all spaces are equal, "different" if
            only their bounds differ, or a tuple (batched space, single space).
        kind: "observation" or "action", for error messages.

    Raises:
        RuntimeError: if the spaces do not match. The message contains the indices of the environments.
        NotImplementedError: if no operations are registered for the class of the spaces.
        ValueError: if the mode is unknown.
        TypeError: if the mode is a tuple that does not consist of two spaces.

    >>> from gymkernel import Space
    >>> common_spaces([Space(), 7])
    Traceback (most recent call last):
    RuntimeError: Expected one observation space, got ... from environment 0 and 7 from environment 1; if only ...
    """
    check_observation_mode(mode)
    single = mode[1] if isinstance(mode, tuple) else spaces[0]
    if mode == "same":
        hint = "; if only their bounds differ, pass observation_mode='different'" if kind == "observation" else ""
        _assert_all_match(spaces, single, lambda space: space == single, f"one {kind} space", hint)
    else:
        expected = f"{kind} spaces of one shape and dtype"
        _assert_all_match(spaces, single, lambda space: _is_equivalent(space, single), expected, "")
    if isinstance(mode, tuple):
        return mode
    try:
        return batch_space(single, len(spaces)) if mode == "same" else batch_differing_spaces(list(spaces)), single
    except NotImplementedError as exc:
        if explained := explain_space(single) or _explain_gymnasium_space(single):
            raise NotImplementedError(f"{exc}; {explained}") from exc
        raise


def _explain_gymnasium_space(space: Any) -> str:
    """Name the bridge to Gymnasium if a space comes from Gymnasium and the bridge is not installed."""
    is_foreign = any(base.__module__ == "gymnasium.spaces.space" for base in type(space).__mro__)
    if not is_foreign or plugins.providers("modules", "utils.gymnasium"):
        return ""
    return "it is a Gymnasium space, which gymkernel-bridge-gymnasium converts (pip install gymkernel-bridge-gymnasium)"


def check_observation_mode(mode: Any) -> None:
    """Check the argument `observation_mode` of a backend before any worker is started.

    Args:
        mode: the value of the argument.

    Raises:
        ValueError: if the mode is unknown.
        TypeError: if the mode is a tuple that does not consist of two spaces.
    """
    if isinstance(mode, tuple):
        if len(mode) != 2 or not all(hasattr(space, "sample") for space in mode):
            raise TypeError(f"Expected observation_mode to be a tuple (batched space, single space), got {mode!r}")
    elif not (isinstance(mode, str) and mode in {"same", "different"}):
        message = f"Expected observation_mode to be 'same', 'different' or (batched space, single space), got {mode!r}"
        raise ValueError(message)


def split_actions(iterate: Callable[[Any, Any], Any], action_space: Any, actions: Any, n: int) -> list[Any]:
    """Check the number of actions in a batch, and split the batch into one action for each environment.

    Args:
        iterate: the function that performs the operation `iterate` for the action space.
        action_space: the space of the batch.
        actions: the batch of actions.
        n: the number of environments that are stepped.

    Raises:
        TypeError, ValueError: if the batch is not an element of the action space, or if the number of actions is wrong.
    """
    try:
        items = list(iterate(action_space, actions))
    except (TypeError, ValueError, IndexError) as exc:
        kind = TypeError if isinstance(exc, TypeError) else ValueError
        raise kind(f"Expected actions for {n} environments from {action_space}, got {text_of(actions)}") from exc
    if len(items) != n:
        message = f"Expected {n} actions, one for each environment, got {len(items)}: {text_of(actions)}"
        raise ValueError(message)
    return items


def _assert_all_match(
    spaces: Sequence[Any], single: Any, matches: Callable[[Any], bool], expected: str, hint: str
) -> None:
    wrong = [i for i, space in enumerate(spaces) if space is not single and not matches(space)]
    if wrong:
        source = "environment 0" if single is spaces[0] else "observation_mode"
        which = f"environment {wrong[0]}" if len(wrong) == 1 else f"environments {', '.join(map(str, wrong))}"
        raise RuntimeError(f"Expected {expected}, got {single} from {source} and {spaces[wrong[0]]} from {which}{hint}")


def _is_equivalent(space: Any, single: Any) -> bool:
    """Return whether elements of both spaces fit into the same batch.

    If elements are not stored in arrays, batches are tuples, which can contain any element.
    """
    try:
        return bool(is_space_dtype_shape_equiv(space, single))
    except NotImplementedError:
        return True
