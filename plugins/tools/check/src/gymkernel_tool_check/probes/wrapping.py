"""Putting a wrapper around small environments, and running them."""

from __future__ import annotations

import contextlib
import inspect
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.env import Env
from gymkernel.wrapper import Wrapper
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import error_text
from gymkernel_tool_check.probe_envs import VARIANTS, ProbeEnv, ProbeVectorEnv
from gymkernel_tool_check.space_rules import instances_hook
from gymkernel_tool_check.trace import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.subject import Subject
    from gymkernel_tool_check.trace import Trace

__all__ = ["SEED", "WrappedRun", "guess_arguments", "same", "wrap", "wrapped_runs"]

SEED: Final = 5
STEPS: Final = 14
AROUND: Final = 3
"""Environments around which it is tried at most, of those that it accepts."""
BY_NAME: Final[dict[str, Any]] = {
    "shape": (8, 8),
    "dtype": np.float64,
    "epsilon": 1e-8,
    "gamma": 0.99,
    "min_action": -1.0,
    "max_action": 1.0,
    "min_obs": -1.0,
    "max_obs": 1.0,
    "min_reward": -1.0,
    "max_reward": 1.0,
    "low": -1.0,
    "high": 1.0,
    "filter_keys": ["place"],
    "keys": ["place"],
    "key": "place",
    "render_mode": "rgb_array",
}


@dataclass(slots=True)
class WrappedRun:
    """A wrapper around one environment, and a run of it."""

    variant: str
    kwargs: dict[str, Any]
    env: Any
    inner: Any
    trace: Trace
    options: dict[str, Any] = field(default_factory=dict)


def same(value: Any) -> Any:
    """What a function that is asked for does: nothing."""
    return value


def guess_arguments(cls: Any, env: Any) -> dict[str, Any]:
    """Values for the arguments of a constructor that have no defaults, by their names and types.

    Raises:
        Skip: nobody can know.
    """
    found: dict[str, Any] = {}
    parameters = list(inspect.signature(cls).parameters.values())[1:]
    for one in parameters:
        if one.default is not one.empty or one.kind in {one.VAR_POSITIONAL, one.VAR_KEYWORD}:
            continue
        found[one.name] = _guess(one.name, str(one.annotation), env)
    return found


def _guess(name: str, annotation: str, env: Any) -> Any:
    if name.endswith("observation_space"):
        return getattr(env, name)
    if name.endswith("action_space"):
        return getattr(env, name)
    if name in BY_NAME:
        return BY_NAME[name]
    if "Callable" in annotation or name in {"f", "func", "function", "fn", "transform"}:
        return same
    if name.endswith(("folder", "path", "directory")):
        return tempfile.mkdtemp()
    for type_name, value in (("bool", True), ("int", 3), ("float", 0.5), ("str", "place")):
        if type_name in annotation:
            return value
    raise Skip(f"the checker knows no value for its argument {name!r}; give it a classmethod test_instances(env)")


def wrap(subject: Subject, variant: str) -> tuple[Any, dict[str, Any]]:
    """The wrapper around a probe environment, and its arguments; what the constructor raises is passed on."""
    cls: Any = subject.object
    inner: Any = (
        ProbeVectorEnv(variant) if subject.kind == "vector_wrappers" else ProbeEnv(variant, render_mode="rgb_array")
    )
    subject.at("the constructor")
    with subject.catching_exit():
        if hook := instances_hook(cls):
            return next(iter(getattr(cls, hook)(inner))), {}
        kwargs = guess_arguments(cls, inner)
        return cls(inner, **kwargs), kwargs


@probe()
def wrapped_runs(subject: Subject) -> list[WrappedRun]:
    """The wrapper around some of the environments that it accepts, each reset and stepped for a few episodes."""
    if not isinstance(subject.object, type):
        raise Skip("the entry point does not load (GK911)")
    if issubclass(subject.object, Env) and not issubclass(subject.object, Wrapper):
        raise Skip(f"{subject.object.__name__} is an environment around something else, not a wrapper")
    found: list[WrappedRun] = []
    refused = ""
    for variant in VARIANTS:
        try:
            env, kwargs = wrap(subject, variant)
        except Skip:
            raise
        except Exception as exc:  # noqa: BLE001 - it may well refuse some
            refused = f"{error_text(exc)}"
            continue
        if len(found) < AROUND:
            found.append(_run(subject, variant, env, kwargs))
    if not found:
        raise Skip(
            f"it accepts none of the environments that are tried ({refused}); give it a classmethod test_instances(env)"
        )
    return found


def _run(subject: Subject, variant: str, env: Any, kwargs: dict[str, Any]) -> WrappedRun:
    recorder = Recorder(subject, env, SEED)
    options = {"level": 1}
    call = recorder.reset(seed=SEED, options=options)
    with contextlib.suppress(Skip):
        for _ in range(STEPS):
            if recorder.trace.stopped:
                break
            call = recorder.step() if subject.kind == "vector_wrappers" or not call.ended else recorder.reset()
    return WrappedRun(variant, kwargs, env, _inside(env), recorder.trace, options)


def _inside(env: Any) -> Any:
    for layer in _layers(env):
        if isinstance(layer, ProbeEnv | ProbeVectorEnv):
            return layer
    return None


def _layers(env: Any) -> Iterator[Any]:
    while env is not None:
        yield env
        env = getattr(env, "__dict__", {}).get("env")
