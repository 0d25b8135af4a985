"""The checks of `PassiveEnvChecker` as functions with the same names as in Gymnasium.

Programs import these functions from `gymkernel.utils.passive_env_checker`.
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
"""The argument `max_work` of `numpy.shares_memory`, which limits the search in arrays whose memory is interleaved."""


def env_reset_passive_checker(env: Any, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
    """Reset an environment, check the parameters and the result of `reset`, and return the result.

    Args:
        env: the environment.
        **kwargs: the arguments for `reset`: `seed` and `options`.

    Raises:
        TypeError: if the parameters or the result of `reset` violate the API.
    """
    inspection.check_reset_signature(env)
    result = env.reset(**kwargs)
    inspection.check_reset(result, env, None)
    return result  # type: ignore[no-any-return]


def env_step_passive_checker(env: Any, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
    """Step an environment, and check and return the result.

    Args:
        env: an environment that has been reset.
        action: an element of the environment's action space.

    Raises:
        TypeError: if the result of `step` violates the API.
    """
    result = env.step(action)
    inspection.check_step(result, env, None)
    return result  # type: ignore[no-any-return]


def env_render_passive_checker(env: Any) -> Any:
    """Render an environment, check its metadata and the frame, and return the frame.

    Args:
        env: an environment that has been reset.

    Returns:
        The result of `render`.
    """
    metadata = getattr(env, "metadata", None) or {}
    name = type(getattr(env, "unwrapped", env)).__name__
    if not metadata.get("render_modes"):
        logger.warn(f'the metadata of {name} contain no render modes; add {{"render_modes": ["rgb_array", ...]}}')
    elif metadata.get("render_fps") is None and env.render_mode is not None:
        logger.warn(f"the metadata of {name} have no render_fps, the number of frames per second")
    frame = env.render()
    inspection.check_frame(frame, env)
    return frame


def check_obs(obs: Any, observation_space: Any, method_name: str) -> None:
    """If an observation is not in the observation space, issue a warning that explains why.

    Args:
        obs: the observation.
        observation_space: the space that should contain the observation.
        method_name: the method that returned the observation, such as "step", for the warning.
    """
    if not observation_space.contains(obs):
        from gymkernel_util_spaces.membership import explain

        reason = explain(observation_space, obs) or "contains returned False"
        logger.warn(f"the observation that {method_name} returns is not in the observation space: {reason}")


def check_space(space: Any, space_type: str, check_box_space_fn: Callable[[Any], None]) -> None:
    """Check that an object is a space and is not empty. Also check its inner spaces.

    Args:
        space: the space, which may come from any library.
        space_type: the purpose of the space, "observation" or "action", for messages.
        check_box_space_fn: a function that is called with every Box.

    Raises:
        TypeError: if the object is not a space.
        ValueError: if the space has no elements or a composite space contains no spaces.
    """
    if isinstance(space, type) or not (hasattr(space, "contains") and hasattr(space, "sample")):
        raise TypeError(f"the {space_type} space must be a space, got {space!r} ({type(space).__name__})")
    if isinstance(getattr(space, "low", None), np.ndarray):
        check_box_space_fn(space)
    n = getattr(space, "nvec", getattr(space, "n", None))
    if n is not None and np.any(np.asarray(n) <= 0):
        raise ValueError(f"all sizes in the {space_type} space must be positive, got {space}")
    parts = getattr(space, "spaces", None)
    if parts is not None and not len(parts):
        raise ValueError(f"the {space_type} space contains no spaces: {space}")
    for part in parts.values() if isinstance(parts, dict) else parts or ():
        check_space(part, space_type, check_box_space_fn)


def check_observation_space(
    space: Any, *, space_type: str = "observation", check_box_space_fn: Callable[[Any], None] | None = None
) -> None:
    """Check an observation space in the same way as `check_space`.

    If a Box has only one element, a warning is issued.

    Args:
        space: the space, which may come from any library.
        space_type: the purpose of the space, for messages.
        check_box_space_fn: a function that is called with every Box, or None to check the bounds of every Box.
    """
    check_space(space, space_type, check_box_space_fn or (lambda box: _check_box(box, space_type)))


def check_action_space(
    space: Any, *, space_type: str = "action", check_box_space_fn: Callable[[Any], None] | None = None
) -> None:
    """Check an action space. The arguments are the same as for `check_observation_space`."""
    check_observation_space(space, space_type=space_type, check_box_space_fn=check_box_space_fn)


def _check_box(box: Any, space_type: str) -> None:
    same = np.asarray(box.low) == np.asarray(box.high)
    if same.size and same.all():
        logger.warn(f"the {space_type} space {box} has only one element, because low equals high")
    if np.any(np.asarray(box.low) > np.asarray(box.high)):
        raise ValueError(f"low must not be greater than high in the {space_type} space {box}")


def data_shares_objects(data_1: Any, data_2: Any) -> bool:
    """Return whether two values share a dictionary, a list, or the memory of an array.

    Args:
        data_1: an observation or an info dictionary.
        data_2: another observation or info dictionary.

    >>> import numpy as np
    >>> x = np.zeros(2)
    >>> data_shares_objects({"a": x}, {"a": x[:1]}), data_shares_objects({"a": x}, {"a": x.copy()})
    (True, False)
    """
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
    """Warn if the observations or infos of two calls share an object, so that changing one may change the other.

    Args:
        previous_data: the (observation, info) of the earlier call.
        data: the (observation, info) of the later call.
        previous_source: the method that was called earlier, such as "reset", for the warning.
        source: the method that was called later, for the warning.
    """
    for name, before, after in zip(("observation", "info"), previous_data, data, strict=True):
        if data_shares_objects(before, after):
            logger.warn(
                f"the {name}s of {previous_source} and of {source} share an object, so that changing the second may "
                f"change the first; return a copy"
            )
