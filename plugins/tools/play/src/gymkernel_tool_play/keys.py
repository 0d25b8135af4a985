"""Which keys mean which action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Keys", "MissingKeysToAction", "keys_of"]

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
        TypeError: a key of another kind.

    >>> keys_of(None, {"a": 0, ("d", "w"): 1, (): 2})
    {(97,): 0, (100, 119): 1, (): 2}
    """
    if keys_to_action is None:
        if env.has_wrapper_attr("get_keys_to_action"):
            keys_to_action = env.get_wrapper_attr("get_keys_to_action")()
        else:
            message = (
                f"{env} has no get_keys_to_action: pass keys_to_action, for example {{'a': 0, 'd': 1}} "
                '(gymkernel play: --keys \'{"a": 0, "d": 1}\')'
            )
            raise MissingKeysToAction(message)
    found: Keys = {}
    for keys, action in keys_to_action.items():
        single = isinstance(keys, int)
        found[tuple(sorted(_code(key) for key in ((keys,) if single else keys)))] = action
    return found


def _code(key: Any) -> int:
    if isinstance(key, str) and len(key) == 1:
        return ord(key)
    if isinstance(key, int):
        return key
    message = f"Expected keys as characters or as codes such as pygame.K_LEFT, got {key!r}"
    raise TypeError(message)
