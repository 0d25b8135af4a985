"""The checks of `PassiveEnvChecker`."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np

from gymkernel_util_compatibility.other_apis import explain_result
from gymkernel_wrapper_passive_env_checker.findings import note_error, warn

__all__ = ["Kept", "check_frame", "check_reset", "check_reset_signature", "check_step", "name_of"]

KINDS = {"value": "GK401", "dtype": "GK402", "nan": "GK403", "structure": "GK405"}
"""The code of the rule for each reason why an observation is not in the observation space."""
NUMBERS = (int, float, np.integer, np.floating)
FLAGS = (bool, np.bool_)


class Kept(NamedTuple):
    """The results of an earlier call, and a copy of the observation that was made at that time."""

    observation: Any
    copied: Any
    info: Any


def name_of(env: Any) -> str:
    """Return the class name of the innermost environment."""
    return type(env.unwrapped if hasattr(env, "unwrapped") else env).__name__


def check_reset_signature(env: Any) -> None:
    """Check that `reset` accepts `seed` and `options`."""
    try:
        parameters = inspect.signature(env.reset).parameters
    except (TypeError, ValueError):
        return
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    for name in ("seed", "options"):
        if name not in parameters:
            message = f"reset of {name_of(env)} takes no {name}; define reset(self, *, seed=None, options=None)"
            raise note_error("GK201" if name == "seed" else "GK202", TypeError(message), env)


def check_reset(result: Any, env: Any, last: Kept | None) -> Kept:
    """Check the result of `reset`, and return the values that the next check needs."""
    if _length(result) != 2:
        message = (
            f"reset of {name_of(env)} must return (observation, info), got {_description(result)}{_explanation(result)}"
        )
        raise note_error("GK203", TypeError(message), env)
    observation, info = result
    _check_info(info, "reset", env, last)
    return Kept(observation, _check_observation(observation, "reset", env, last), info)


def check_step(result: Any, env: Any, last: Kept | None) -> Kept:
    """Check the result of `step`, and return the values that the next check needs."""
    if _length(result) != 5:
        message = (
            f"step of {name_of(env)} must return (observation, reward, terminated, truncated, info), "
            f"got {_description(result)}{_explanation(result)}"
        )
        raise note_error("GK311", TypeError(message), env)
    observation, reward, terminated, truncated, info = result
    scalar = isinstance(reward, np.ndarray) and reward.shape == () and reward.dtype.kind in "iufb"
    if not isinstance(reward, NUMBERS) and not scalar:
        message = f"the reward of {name_of(env)} should be a number, got {reward!r} ({type(reward).__name__})"
        warn("GK312", message, env)
    elif not isinstance(reward, int) and not np.isfinite(reward):
        message = f"the reward of {name_of(env)} is {reward}; a single such value makes training fail"
        warn("GK313", message, env)
    for name, flag in (("terminated", terminated), ("truncated", truncated)):
        if not isinstance(flag, FLAGS):
            warn("GK314", f"{name} of {name_of(env)} should be a bool, got {flag!r} ({type(flag).__name__})", env)
    _check_info(info, "step", env, last)
    return Kept(observation, _check_observation(observation, "step", env, last), info)


def _explanation(result: Any) -> str:
    explained = explain_result(result)
    return f": {explained}" if explained else ""


def check_frame(frame: Any, env: Any) -> None:
    """Check that a frame has the type that the render mode requires."""
    modes = (env.metadata or {}).get("render_modes", ())
    if env.render_mode is not None and env.render_mode not in modes:
        message = f"{name_of(env)} renders {env.render_mode!r}, which is not in its metadata: {list(modes)}"
        warn("GK801", message, env)
    if env.render_mode == "rgb_array":
        good = isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3
        if not good:
            message = (
                f"render of {name_of(env)} should return a uint8 array (height, width, 3), got {_description(frame)}"
            )
            warn("GK805", message, env)
    elif env.render_mode == "human" and frame is not None:
        message = f"render of {name_of(env)} in render mode 'human' should return None, got {_description(frame)}"
        warn("GK811", message, env)


def _check_info(info: Any, method: str, env: Any, last: Kept | None) -> None:
    if not isinstance(info, dict):
        message = (
            f"the info that {method} of {name_of(env)} returns must be a dict, got {info!r} ({type(info).__name__})"
        )
        raise note_error("GK204" if method == "reset" else "GK315", TypeError(message), env)
    if last is not None and info is last.info:
        message = (
            f"{method} of {name_of(env)} returns the dictionary of an earlier info again, so that every stored info "
            "would change; return a new dictionary"
        )
        warn("GK618", message, env)


def _check_observation(observation: Any, method: str, env: Any, last: Kept | None) -> Any:
    """Check an observation, and return a copy of its arrays."""
    if not env.observation_space.contains(observation):
        from gymkernel_util_spaces.membership import mismatch  # needed only if there is a problem

        found = mismatch(env.observation_space, observation)
        reason = None if found is None else found.message
        message = f"the observation that {method} of {name_of(env)} returns is not in its observation_space: {reason}"
        warn(KINDS["value" if found is None else found.kind], message, env)
    if last is not None and _reuses(observation, last.observation, last.copied):
        message = (
            f"{method} of {name_of(env)} returns the memory of an earlier observation again, so that a buffer would "
            "contain the same observation many times; return a copy"
        )
        warn("GK404", message, env)
    return _copy(observation)


def _reuses(new: Any, old: Any, copied: Any) -> bool:
    """Return whether an array reuses the memory of an earlier array.

    The result is True if both arrays occupy the same memory or if the new array has overwritten part of the earlier
    array. Arrays that overlap in any other way, such as sliding windows over the frames of an episode, are allowed.
    """
    if isinstance(new, np.ndarray) and isinstance(old, np.ndarray):
        if not new.flags.writeable or not np.may_share_memory(new, old, max_work=1000):  # type: ignore[arg-type]
            return False
        same = new is old or new.__array_interface__ == old.__array_interface__
        return same or not np.array_equal(old, copied, equal_nan=old.dtype.kind in "fc")
    if isinstance(new, dict) and isinstance(old, dict):
        return any(_reuses(new[key], old[key], copied[key]) for key in new.keys() & copied.keys() & old.keys())
    if isinstance(new, tuple) and isinstance(old, tuple):
        return any(_reuses(*parts) for parts in zip(new, old, copied, strict=False))
    return False


def _copy(observation: Any) -> Any:
    """Copy all arrays in an observation, but no other objects."""
    if isinstance(observation, np.ndarray):
        return observation.copy()
    if isinstance(observation, dict):
        return {key: _copy(part) for key, part in observation.items()}
    return tuple(map(_copy, observation)) if isinstance(observation, tuple) else observation


def _length(value: Any) -> int:
    return len(value) if isinstance(value, tuple) else -1


def _description(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} values"
    return f"an array of {value.dtype} {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
