"""What `PassiveEnvChecker` does, one call at a time, under the names that users of this API expect.

They are those of `gymkernel.utils.passive_env_checker`, which is how programs import them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from gymkernel import logger
from gymkernel_wrapper_passive_env_checker import inspection

__all__ = ["check_action_space", "check_obs", "check_observation_space", "check_space", "data_shares_objects"]
__all__ += ["env_data_reuse_passive_checker", "env_render_passive_checker", "env_reset_passive_checker"]
__all__ += ["env_step_passive_checker"]

EXACT: Final = 1000
"""How much work may be spent on finding out whether arrays that interleave have a byte in common."""
ATOMS: Final = (bool, int, float, complex, str, bytes, type(None), np.generic)


def env_reset_passive_checker(env: Any, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
    """Reset an environment, look at its signature and at what comes back, and return that.

    Args:
        env: the environment.
        **kwargs: `seed` and `options`.

    Raises:
        TypeError: `reset` does not take, or does not return, what the API asks for.
    """
    inspection.check_reset_signature(env)
    result = env.reset(**kwargs)
    inspection.check_reset(result, env, None)
    return result  # type: ignore[no-any-return]


def env_step_passive_checker(env: Any, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
    """Step an environment, look at what comes back, and return that.

    Args:
        env: an environment that was reset.
        action: an element of its action space.

    Raises:
        TypeError: `step` does not return what the API asks for.
    """
    result = env.step(action)
    inspection.check_step(result, env, None)
    return result  # type: ignore[no-any-return]


def env_render_passive_checker(env: Any) -> Any:
    """Render an environment, look at its metadata and at the picture, and return that.

    Args:
        env: an environment that was reset.

    Returns:
        What its `render` returned.
    """
    metadata = getattr(env, "metadata", None) or {}
    name = type(getattr(env, "unwrapped", env)).__name__
    if not metadata.get("render_modes"):
        logger.warn(f'the metadata of {name} declare no render modes; expected {{"render_modes": ["rgb_array", ...]}}')
    elif metadata.get("render_fps") is None and env.render_mode is not None:
        logger.warn(f"the metadata of {name} say no render_fps, the pictures that there are in a second")
    frame = env.render()
    inspection.check_frame(frame, env)
    return frame


def check_obs(obs: Any, observation_space: Any, method_name: str) -> None:
    """Warn of an observation that is not in its space, with what keeps it out.

    Args:
        obs: the observation.
        observation_space: the space that it should be in.
        method_name: what returned it, for the message.
    """
    if not observation_space.contains(obs):
        from gymkernel_util_spaces.membership import explain

        reason = explain(observation_space, obs) or "contains says no"
        logger.warn(f"the observation that {method_name} returns is not in the observation space: {reason}")


def check_space(space: Any, space_type: str, check_box_space_fn: Callable[[Any], None]) -> None:
    """Look at a space and at those inside of it: each is one, and has elements.

    Args:
        space: the space, of any library.
        space_type: what it is for ("observation", "action"), for messages.
        check_box_space_fn: called with every Box.

    Raises:
        TypeError: it is no space.
        ValueError: it is empty: no element, or no space inside.
    """
    if isinstance(space, type) or not (hasattr(space, "contains") and hasattr(space, "sample")):
        raise TypeError(f"the {space_type} space must be a space, got {space!r} ({type(space).__name__})")
    if isinstance(getattr(space, "low", None), np.ndarray):
        check_box_space_fn(space)
    n = getattr(space, "nvec", getattr(space, "n", None))
    if n is not None and np.any(np.asarray(n) <= 0):
        raise ValueError(f"every number of the {space_type} space must be positive, got {space}")
    parts = getattr(space, "spaces", None)
    if parts is not None and not len(parts):
        raise ValueError(f"the {space_type} space has no space inside: {space}")
    for part in parts.values() if isinstance(parts, dict) else parts or ():
        check_space(part, space_type, check_box_space_fn)


def check_observation_space(
    space: Any, *, space_type: str = "observation", check_box_space_fn: Callable[[Any], None] | None = None
) -> None:
    """Look at an observation space; warn of a Box whose elements cannot differ. Errors are those of `check_space`.

    Args:
        space: the space, of any library.
        space_type: what it is for, for messages.
        check_box_space_fn: called with every Box, in place of what looks at its bounds.
    """
    check_space(space, space_type, check_box_space_fn or (lambda box: _check_box(box, space_type)))


def check_action_space(
    space: Any, *, space_type: str = "action", check_box_space_fn: Callable[[Any], None] | None = None
) -> None:
    """As `check_observation_space`, of an action space; arguments are those of `check_observation_space`."""
    check_observation_space(space, space_type=space_type, check_box_space_fn=check_box_space_fn)


def _check_box(box: Any, space_type: str) -> None:
    same = np.asarray(box.low) == np.asarray(box.high)
    if same.size and same.all():
        logger.warn(f"low equals high in the {space_type} space {box}: it has a single element")
    if np.any(np.asarray(box.low) > np.asarray(box.high)):
        raise ValueError(f"low is above high in the {space_type} space {box}")


def data_shares_objects(data_1: Any, data_2: Any) -> bool:
    """Whether two values have an object in common that can be changed: a dict, a list, or the memory of an array.

    Args:
        data_1: an observation or an info.
        data_2: another one.

    >>> import numpy as np
    >>> x = np.zeros(2)
    >>> data_shares_objects({"a": x}, {"a": x[:1]}), data_shares_objects({"a": x}, {"a": x.copy()})
    (True, False)
    """
    if isinstance(data_1, ATOMS) or isinstance(data_2, ATOMS):
        return False
    if isinstance(data_1, np.ndarray) and isinstance(data_2, np.ndarray):
        return bool(np.may_share_memory(data_1, data_2, max_work=EXACT))  # type: ignore[arg-type]
    if isinstance(data_1, dict) and isinstance(data_2, dict):
        return data_1 is data_2 or any(data_shares_objects(data_1[key], data_2[key]) for key in data_1.keys() & data_2)
    if isinstance(data_1, tuple | list) and isinstance(data_2, tuple | list):
        same = data_1 is data_2 and isinstance(data_1, list)
        return same or any(data_shares_objects(a, b) for a, b in zip(data_1, data_2, strict=False))
    return False


def env_data_reuse_passive_checker(
    previous_data: tuple[Any, dict[str, Any]], data: tuple[Any, dict[str, Any]], previous_source: str, source: str
) -> None:
    """Warn of two calls whose observations or infos share an object, which a later write would change in both.

    Args:
        previous_data: (observation, info) of the earlier call.
        data: the same of the later call.
        previous_source: what the earlier call was, for the message, such as "reset".
        source: what the later call was.
    """
    for name, before, after in zip(("observation", "info"), previous_data, data, strict=True):
        if data_shares_objects(before, after):
            logger.warn(
                f"the {name}s of {previous_source} and of {source} share an object: what changes the second may change "
                f"what was kept of the first; return a copy"
            )
