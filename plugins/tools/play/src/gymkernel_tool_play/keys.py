"""Functions that determine the action for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["Keys", "MissingKeysToAction", "actions_of", "keys_of", "keys_or_digits"]

DIGITS: Final = "0123456789"

Keys = dict[tuple[int, ...], Any]
"""A mapping from the sorted codes of keys that are pressed together to an action."""


class MissingKeysToAction(ValueError):  # noqa: N818 - the class has the same name in Gymnasium
    """Raised if neither the caller nor the environment defines an action for any key."""


def keys_of(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """Return the action for each key, keyed by the sorted codes of keys that are pressed together.

    Args:
        env: the environment. If `keys_to_action` is None, its method `get_keys_to_action` is called.
        keys_to_action: the actions, keyed by a string of characters ("ad" means both keys together), by a tuple of
            characters or codes, or by a single code.

    Raises:
        MissingKeysToAction: if neither the caller nor the environment defines keys.
        TypeError: if a key is neither a character nor a code, or `keys_to_action` is not a mapping.

    >>> keys_of(None, {"a": 0, ("d", "w"): 1, (): 2})
    {(97,): 0, (100, 119): 1, (): 2}
    """
    if keys_to_action is None:
        if env.has_wrapper_attr("get_keys_to_action"):
            keys_to_action = env.get_wrapper_attr("get_keys_to_action")()
        if keys_to_action is None:
            raise MissingKeysToAction(
                f"{env} has no get_keys_to_action; pass keys_to_action, for example {{'a': 0, 'd': 1}} "
                '(gymkernel play: --keys \'{"a": 0, "d": 1}\')'
            )
    if not isinstance(keys_to_action, Mapping):
        message = f"Expected keys_to_action to be a dictionary such as {{'a': 0, 'd': 1}}, got {keys_to_action!r}"
        raise TypeError(message)
    actions: Keys = {}
    for keys, action in keys_to_action.items():
        single = isinstance(keys, int)
        actions[tuple(sorted(_code(key) for key in ((keys,) if single else keys)))] = action
    return actions


def actions_of(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """Return the result of `keys_of` after checking that the action space contains every action.

    Args:
        env: the environment.
        keys_to_action: the action for each key, as in `keys_of`.

    Raises:
        ValueError: if the action space does not contain an action.
    """
    actions = keys_of(env, keys_to_action)
    for codes, action in actions.items():
        if action not in env.action_space:
            keys = "".join(map(chr, codes))
            message = f"Expected keys_to_action to contain actions in {env.action_space}, got {action!r} for {keys!r}"
            raise ValueError(message)
    return actions


def keys_or_digits(env: Any, keys_to_action: Mapping[Any, Any] | None = None) -> Keys:
    """Return the result of `actions_of`, or use digits as keys if none are defined and there are at most ten actions.

    Args:
        env: the environment.
        keys_to_action: the action for each key, as in `keys_of`.

    Raises:
        MissingKeysToAction: if no keys are defined, and the action space is not a discrete space of at most ten
            actions.
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
