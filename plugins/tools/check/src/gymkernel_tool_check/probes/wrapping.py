"""A probe that puts a wrapper around small environments and runs a few episodes."""

from __future__ import annotations

import contextlib
import inspect
import tempfile
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from gymkernel import plugins
from gymkernel.env import Env
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.probe_envs import VARIANTS, ProbeEnv, ProbeVectorEnv
from gymkernel_tool_check.probes.space_instances import instances_hook
from gymkernel_tool_check.probes.trace import Recorder, Trace
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.texts import error_text

__all__ = ["SEED", "Form", "WrappedRun", "form_of", "guess_arguments", "same", "single_of", "wrap", "wrapped_runs"]

SEED: Final = 5
STEPS: Final = 14
AROUND: Final = 3
"""The maximum number of environments to wrap, not counting those that the wrapper rejects."""
VARIADIC: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
BY_NAME: Final[dict[str, Any]] = {
    "shape": (8, 8),
    "dtype": np.float64,
    "epsilon": 1e-8,
    "gamma": 0.99,
    **dict.fromkeys(("min_action", "min_obs", "min_reward", "low"), -1.0),
    **dict.fromkeys(("max_action", "max_obs", "max_reward", "high"), 1.0),
    "filter_keys": ["place"],
    "keys": ["place"],
    "key": "place",
    "render_mode": "rgb_array",
}


@dataclass(frozen=True, slots=True)
class Form:
    """A way to create a wrapper: with its classmethod for test instances or with keyword arguments."""

    cls: Any
    hook: str
    kwargs: dict[str, Any]

    def around(self, env: Any) -> Any:
        """Return a wrapper around the environment."""
        return next(iter(getattr(self.cls, self.hook)(env))) if self.hook else self.cls(env, **self.kwargs)

    def expression(self, name: str, env: str) -> str:
        """Return a Python expression that creates the wrapper."""
        if self.hook:
            return f"next(iter({name}.{self.hook}({env})))"
        return f"{name}({', '.join([env, *(f'{key}={value!r}' for key, value in self.kwargs.items())])})"


@dataclass(slots=True)
class WrappedRun:
    """A record of a few episodes in which a wrapper was used around one environment."""

    variant: str
    form: Form
    env: Any
    inner: Any
    trace: Trace
    options: dict[str, Any] = field(default_factory=dict)


def same(value: Any) -> Any:
    """Return the value unchanged. This function is passed to wrappers that require a function."""
    return value


def other_parameters(cls: Any) -> list[inspect.Parameter]:
    """Return the parameters that a wrapper class or function has after the environment."""
    if isinstance(cls, type) and issubclass(cls, Wrapper | VectorWrapper):
        # Before Python 3.11.5, `inspect.signature` of a class without a constructor of its own shows `Wrapper.__new__`.
        return list(inspect.signature(cls.__init__).parameters.values())[2:]
    return list(inspect.signature(cls).parameters.values())[1:]


def guess_arguments(cls: Any, env: Any) -> dict[str, Any]:
    """Guess the values of a constructor's required arguments from their names and types.

    Raises:
        Skip: if no value can be guessed for an argument.
    """
    required = [parameter for parameter in other_parameters(cls) if parameter.default is parameter.empty]
    named = [parameter for parameter in required if parameter.kind not in VARIADIC]
    return {parameter.name: _guess(parameter.name, str(parameter.annotation), env) for parameter in named}


def _guess(name: str, annotation: str, env: Any) -> Any:
    if name.endswith(("observation_space", "action_space")):
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
    raise Skip(f"the checker cannot guess the argument {name!r}; give the wrapper a classmethod test_instances(env)")


def single_of(cls: Any) -> Any:
    """Return the single-environment wrapper that corresponds to a vector wrapper, or None if there is none."""
    single, package = getattr(cls, "single", None), cls.__module__.partition(".")[0]
    for plugin in plugins.providers("wrappers", cls.__name__):
        if plugin.value.replace(":", ".").startswith(f"{package}."):
            single = plugin.load()
    return single if isinstance(single, type) and single is not cls else None


def form_of(cls: Any, env: Any, other: Any = None) -> Form:
    """Return a way to create a wrapper around an environment.

    Args:
        cls: the class of the wrapper.
        env: the environment.
        other: the corresponding vector wrapper or single-environment wrapper, whose test instances are used as examples
            of suitable arguments; None if there is none.
    """
    if hook := instances_hook(cls):
        return Form(cls, hook, {})
    if other is not None and (hook := instances_hook(other)):
        inner = ProbeVectorEnv(env.variant) if isinstance(env, ProbeEnv) else ProbeEnv(env.variant, 0, "rgb_array")
        made = Form(other, hook, {}).around(inner)
        return Form(cls, "", dict(getattr(made, "_saved_kwargs", None) or {}))
    return Form(cls, "", guess_arguments(cls, env))


def wrap(subject: Subject, variant: str) -> tuple[Any, Form]:
    """Return a wrapper around a probe environment, and its `Form`. Exceptions from the constructor propagate."""
    cls: Any = subject.object
    several = subject.kind == "vector_wrappers"
    inner: Any = ProbeVectorEnv(variant) if several else ProbeEnv(variant, render_mode="rgb_array")
    subject.at("the constructor")
    with subject.catching_exit():
        form = form_of(cls, inner, single_of(cls) if several else None)
        return form.around(inner), form


@probe()
def wrapped_runs(subject: Subject) -> list[WrappedRun]:
    """Put the wrapper around several environments that it accepts, and run each of them for a few episodes."""
    if not isinstance(subject.object, type):
        raise Skip("the entry point cannot be loaded (GK911)")
    if issubclass(subject.object, Env) and not issubclass(subject.object, Wrapper):
        raise Skip(f"{subject.object.__name__} is an environment, not a wrapper around one")
    found: list[WrappedRun] = []
    refused = ""
    for variant in VARIANTS:
        made, exc = subject.attempt(wrap, subject, variant)
        if exc is not None:  # a wrapper is allowed to reject some environments
            refused = error_text(exc)
        elif len(found) < AROUND:
            found.append(_run(subject, variant, *made))
    if not found:
        hint = "give it a classmethod test_instances(env)"
        raise Skip(f"the wrapper accepts none of the test environments ({refused}); {hint}")
    return found


def _run(subject: Subject, variant: str, env: Any, form: Form) -> WrappedRun:
    recorder, inner, options = Recorder(subject, env, SEED), env, {"level": 1}
    while inner is not None and not isinstance(inner, ProbeEnv | ProbeVectorEnv):
        inner = getattr(inner, "__dict__", {}).get("env")
    if inner is not None:
        inner.resets.clear()  # the constructor of the wrapper may have reset the environment
    call = recorder.reset(seed=SEED, options=options)
    with contextlib.suppress(Skip):
        for _ in range(STEPS):
            if recorder.trace.stopped:
                break
            call = recorder.step() if subject.kind == "vector_wrappers" or not call.ended else recorder.reset()
    return WrappedRun(variant, form, env, inner, recorder.trace, options)
