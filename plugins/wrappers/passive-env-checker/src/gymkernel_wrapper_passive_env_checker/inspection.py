"""The checks of `PassiveEnvChecker`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gymkernel_util_compatibility.other_apis import accepts, explain_result
from gymkernel_util_spaces.compare import outline
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
    for name, code in (("seed", "GK201"), ("options", "GK202")):
        if not accepts(env.reset, name):
            message = f"reset of {name_of(env)} takes no {name}; define reset(self, *, seed=None, options=None)"
            raise note_error(code, TypeError(message), env)


def check_reset(result: Any, env: Any, last: Kept | None) -> Kept:
    """Check the result of `reset`, and return the values that the next check needs."""
    observation, info = _unpack(result, "reset", "(observation, info)", "GK203", env)
    _check_info(info, "reset", env, last)
    return Kept(observation, _check_observation(observation, "reset", env, last), info)


def check_step(result: Any, env: Any, last: Kept | None) -> Kept:
    """Check the result of `step`, and return the values that the next check needs."""
    five = "(observation, reward, terminated, truncated, info)"
    observation, reward, terminated, truncated, info = _unpack(result, "step", five, "GK311", env)
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


def _unpack(result: Any, method: str, expected: str, code: str, env: Any) -> tuple[Any, ...]:
    """Return a method's result. Raise an error unless the result is a tuple of as many values as `expected` lists."""
    if isinstance(result, tuple) and len(result) == expected.count(",") + 1:
        return result
    message = f"{method} of {name_of(env)} must return {expected}, got {_description(result)}"
    explained = explain_result(result)
    message += f": {explained}" if explained else ""
    raise note_error(code, TypeError(message), env)


def check_frame(frame: Any, env: Any) -> None:
    """Check that a frame has the type that the render mode requires."""
    modes, name = (env.metadata or {}).get("render_modes", ()), name_of(env)
    if env.render_mode is not None and env.render_mode not in modes:
        message = f"{name} renders {env.render_mode!r}, which is not in its metadata: {list(modes)}"
        warn("GK801", message, env)
    if env.render_mode == "rgb_array":
        good = isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3
        if not good:
            message = f"render of {name} should return a uint8 array (height, width, 3), got {_description(frame)}"
            warn("GK805", message, env)
    elif env.render_mode == "human" and frame is not None:
        message = f"render of {name} in render mode 'human' should return None, got {_description(frame)}"
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
    return outline(observation)


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


def _description(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} values"
    return f"an array of {value.dtype} {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
