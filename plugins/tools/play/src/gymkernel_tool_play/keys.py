"""Which keys mean which action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Keys", "MissingKeysToAction", "actions_of", "keys_of", "keys_or_digits"]

DIGITS: Final = "0123456789"

Keys = dict[tuple[int, ...], Any]
"""An action for keys pressed together, by their sorted codes."""


class MissingKeysToAction(ValueError):  # noqa: N818 - the name is that of the API followed here
    """Neither the caller nor the environment says which keys mean which action."""


def keys_of(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """Return the actions by the sorted codes of the keys that are pressed together.

    Args:
        env: the environment, whose `get_keys_to_action()` is called if no keys are given.
        keys_to_action: the actions by a string of characters ("ad" is both pressed), by a tuple of characters or codes,
            or by one code.

    Raises:
        MissingKeysToAction: no keys are given, and the environment has none.
        TypeError: a key is neither a character nor a code, or `keys_to_action` is no mapping.

    >>> keys_of(None, {"a": 0, ("d", "w"): 1, (): 2})
    {(97,): 0, (100, 119): 1, (): 2}
    """
    if keys_to_action is None:
        if env.has_wrapper_attr("get_keys_to_action"):
            keys_to_action = env.get_wrapper_attr("get_keys_to_action")()
        if keys_to_action is None:
            raise MissingKeysToAction(
                f"{env} has no get_keys_to_action: pass keys_to_action, for example {{'a': 0, 'd': 1}} "
                '(gymkernel play: --keys \'{"a": 0, "d": 1}\')'
            )
    if not isinstance(keys_to_action, Mapping):
        message = f"Expected keys_to_action to be a dictionary such as {{'a': 0, 'd': 1}}, got {keys_to_action!r}"
        raise TypeError(message)
    found: Keys = {}
    for keys, action in keys_to_action.items():
        single = isinstance(keys, int)
        found[tuple(sorted(_code(key) for key in ((keys,) if single else keys)))] = action
    return found


def actions_of(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """Return what `keys_of` returns, after a check that the environment can take every action.

    Raises:
        ValueError: an action is not an element of the environment's action space.
    """
    found = keys_of(env, keys_to_action)
    for codes, action in found.items():
        if action not in env.action_space:
            keys = "".join(map(chr, codes))
            message = f"Expected keys_to_action to have actions of {env.action_space}, got {action!r} for {keys!r}"
            raise ValueError(message)
    return found


def keys_or_digits(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """Return what `actions_of` returns; if no keys are known, return a digit for each of at most ten numbered actions.

    Raises:
        MissingKeysToAction: no keys are given, the environment has none, and its actions are not up to ten numbers.
    """
    try:
        return actions_of(env, keys_to_action)
    except MissingKeysToAction:
        space = env.action_space
        first, n = int(getattr(space, "start", 0)), int(getattr(space, "n", 0) if space.shape == () else 0)
        if not 0 < n <= len(DIGITS):
            raise
        return actions_of(env, {DIGITS[i]: first + i for i in range(n)})


def _code(key: Any) -> int:
    if isinstance(key, str) and len(key) == 1:
        return ord(key)
    if isinstance(key, int):
        return key
    raise TypeError(f"Expected keys as characters or as codes such as pygame.K_LEFT, got {key!r}")
