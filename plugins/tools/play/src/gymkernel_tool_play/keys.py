"""Which keys mean which action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Keys", "MissingKeysToAction", "keys_of", "keys_or_digits"]

DIGITS: Final = "0123456789"

Keys = dict[tuple[int, ...], Any]
"""An action for keys pressed together, by their sorted codes."""


class MissingKeysToAction(Exception):  # noqa: N818 - the name is that of the API followed here
    """Nobody says which keys mean which action."""


def keys_of(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """The actions of an environment by the codes of the keys that are pressed together.

    Args:
        env: asked for `get_keys_to_action()` where no keys are given.
        keys_to_action: by a string of characters ("ad" is both pressed), or a tuple of characters or codes.

    Raises:
        MissingKeysToAction: none are given, and the environment has none.
        TypeError: a key of another kind, or no mapping.
        ValueError: an action that the environment does not have.

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
        if env is not None and action not in env.action_space:
            message = f"Expected keys_to_action to have actions of {env.action_space}, got {action!r} for {keys!r}"
            raise ValueError(message)
        single = isinstance(keys, int)
        found[tuple(sorted(_code(key) for key in ((keys,) if single else keys)))] = action
    return found


def keys_or_digits(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """As `keys_of`; where nobody has any keys, the digit of each of at most ten numbered actions.

    Raises:
        MissingKeysToAction: none are given, the environment has none, and its actions are not up to ten numbers.
    """
    try:
        return keys_of(env, keys_to_action)
    except MissingKeysToAction:
        space = env.action_space
        first, n = int(getattr(space, "start", 0)), int(getattr(space, "n", 0) if space.shape == () else 0)
        if not 0 < n <= len(DIGITS):
            raise
        return keys_of(env, {DIGITS[i]: first + i for i in range(n)})


def _code(key: Any) -> int:
    if isinstance(key, str) and len(key) == 1:
        return ord(key)
    if isinstance(key, int):
        return key
    raise TypeError(f"Expected keys as characters or as codes such as pygame.K_LEFT, got {key!r}")
