"""Functions that compare a vector backend with a plain loop over the same environments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any, Final

import numpy as np

from gymkernel import ops
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.cases import Backend, Broken, around, attempt, close_error, expect
from gymkernel_tool_check.definition import Skip
from gymkernel_tool_check.probes.probe_envs import ReferenceVectorEnv
from gymkernel_util_spaces.compare import difference, outline, snapshot
from gymkernel_util_spaces.texts import error_text

__all__ = ["Run", "assert_same", "beside", "calls", "compare", "play", "run"]

STEPS: Final = 14
VALUES: Final = ("observations", "rewards", "terminations", "truncations")
PARTS: Final = (*VALUES, "infos")
CODES: Final = {"NextStep": "GK653", "SameStep": "GK654", "Disabled": "GK655"}
"""The code of the rule that checks the values returned by a vector backend, keyed by autoreset mode."""


def assert_same(seen: Any, expected: Any, where: str = "") -> None:
    """Check that two results have the same types, dtypes, shapes and values.

    Raises:
        AssertionError: if the results differ. The message says where.
    """
    expect(type(seen), type(expected), f"the type at {where}")
    if isinstance(expected, np.ndarray):
        expect(seen.dtype, expected.dtype, f"the dtype at {where}")
        expect(seen.shape, expected.shape, f"the shape at {where}")
        if expected.dtype == object:
            for k, (item, other) in enumerate(zip(seen.flat, expected.flat, strict=True)):
                assert_same(item, other, f"{where}[{k}]")
        else:
            np.testing.assert_array_equal(seen, expected, err_msg=where)
    elif isinstance(expected, dict):
        expect(set(seen), set(expected), f"the keys at {where}")
        for key in expected:
            assert_same(seen[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, tuple | list):
        expect(len(seen), len(expected), f"the length at {where}")
        for k, (item, other) in enumerate(zip(seen, expected, strict=True)):
            assert_same(item, other, f"{where}[{k}]")
    elif not (seen == expected or seen != seen):  # noqa: PLR0124 - NaN counts as equal to NaN
        raise AssertionError(f"expected {expected!r} at {where}, got {seen!r}")


@contextlib.contextmanager
def beside(backend: Backend, env_fns: Sequence[Callable[[], Any]], **kwargs: Any) -> Iterator[tuple[Any, Any]]:
    """Create a vector environment and a plain loop over equal environments, and reset both with the same seed."""
    plain = ReferenceVectorEnv(env_fns, AutoresetMode.NEXT_STEP)
    with backend(env_fns, **kwargs) as envs:
        assert_same(envs.reset(seed=1), plain.reset(seed=1), "reset")
        yield envs, plain


@dataclass(slots=True)
class Run:
    """A record of running a vector backend next to a plain loop.

    Attributes:
        mode: the autoreset mode of the backend.
        variant: the variant of the environments (see `ProbeEnv`).
        mismatch: maps each part of the results that differs to a pair: the first call in which it differs, and a
            description of the difference.
        error: the call that raised and the exception, or None if no call raised.
        overwritten: a call whose observations changed later, with a description of the change, or None if no
            observations changed.
        actions: how a step modified the actions that it received, or "" if no step did.
        beyond: descriptions of violations that only the pytest kit reports.
    """

    mode: str
    variant: str = ""
    mismatch: dict[str, tuple[str, str]] = field(default_factory=dict)
    error: tuple[str, Exception] | None = None
    overwritten: tuple[str, str] | None = None
    actions: str = ""
    beyond: list[str] = field(default_factory=list)

    def broken(self) -> Iterator[Broken]:
        """Yield the violations found while running the backend, at most one per rule."""
        if self.error is not None:
            when, exc = self.error
            message = f"{when} raised {error_text(exc)} (mode {self.mode}, {self.variant})"
            yield self._broken("GK652", message, when, *EVERY_CALL)
        elif "result" in self.mismatch:
            when, detail = self.mismatch["result"]
            yield self._broken("GK652", f"{when}: {detail}", when, *EVERY_CALL)
        yield from self._different()
        if self.overwritten is not None:
            when, detail = self.overwritten
            lines = ("first, _ = envs.reset(seed=11)", "before = repr(first)", "envs.step(envs.action_space.sample())")
            message = f"the observations of {when} changed later: {detail}"
            yield self._broken("GK658", message, "step", *lines, "print(before, first)")
        if self.actions:
            lines = ("envs.reset(seed=1)", "actions = envs.action_space.sample()", "before = repr(actions)")
            message = f"a step changed the actions that were passed to it: {self.actions}"
            yield self._broken("GK663", message, "step", *lines, "envs.step(actions)", "print(before, actions)")
        yield from (Broken("", message) for message in self.beyond[:1])

    def _different(self) -> Iterator[Broken]:
        part = next((part for part in PARTS if part in self.mismatch), None)
        if part is None:
            return
        code = CODES[self.mode] if part in VALUES or self.mode == "SameStep" else "GK657"
        hides = {"GK654", "GK655", "GK657"} if part in VALUES and self.mode == "NextStep" else ()
        when, detail = self.mismatch[part]
        lines = ["print(envs.reset(seed=11))", "envs.action_space.seed(3)", "for _ in range(8):"]
        lines += ["    result = envs.step(envs.action_space.sample())", "    print(result)"]
        if self.mode == "Disabled":
            lines += ["    done = result[2] | result[3]", "    if done.any():"]
            lines += ['        print(envs.reset(options={"reset_mask": done}))']
        message = f"at {when}, in the {part}, {detail}"
        code = code if self.error is None else ""
        yield self._broken(code, message, when, *lines, hides=frozenset(hides), part=part)

    def _broken(self, code: str, message: str, when: str, *lines: str, **more: Any) -> Broken:
        show = around(*lines, mode=self.mode, variant=self.variant)
        return Broken(code, message, when.partition(" ")[0], show, mode=self.mode, **more)


EVERY_CALL: Final = (
    "envs.reset(seed=11)",
    "for _ in range(14):",
    "    print(len(envs.step(envs.action_space.sample())))",
)


def run(
    backend: Backend,
    env_fns: Sequence[Callable[[], Any]],
    mode: str,
    variant: str = "",
    steps: int = STEPS,
    **kwargs: Any,
) -> Run:
    """Run a vector backend next to a plain loop, for a few episodes and with all kinds of resets.

    Args:
        backend: the class of the backend, or a function that creates a vector environment.
        env_fns: functions that create the environments.
        mode: the value of an `AutoresetMode`.
        variant: the variant of the environments, which is stored in the record.
        steps: the number of steps.
        **kwargs: further keyword arguments for the backend.
    """
    reference = ReferenceVectorEnv(env_fns, AutoresetMode(mode))
    found, when, envs = Run(mode, variant), "the constructor", None
    kept: list[tuple[str, Any, Any]] = []
    try:
        envs = backend(env_fns, autoreset_mode=mode, **kwargs)
        if (seen := (getattr(envs, "metadata", None) or {}).get("autoreset_mode")) is not AutoresetMode(mode):
            found.beyond.append(f"expected metadata['autoreset_mode'] to be {AutoresetMode(mode)}, got {seen!r}")
        for when, ask, wanted in calls(reference, found, steps=steps):
            returned = ask(envs)
            compare(found, when, returned, wanted)
            if "result" not in found.mismatch:
                kept.append((when, returned[0], snapshot(returned[0])))
            if not found.mismatch:
                _, other_type = attempt(assert_same, returned, wanted, when)
                found.beyond += [str(other_type)] if other_type is not None else []
    except Skip:
        raise
    except Exception as exc:  # noqa: BLE001 - a backend may raise any exception
        found.error = when, exc
    for when, seen, then in kept if kwargs.get("copy", True) else ():
        if found.overwritten is None and (how := difference(then, seen)):
            found.overwritten = when, how
    if envs is not None:
        close_error(envs)
    return found


def play(backend: Backend, env_fns: Sequence[Callable[[], Any]], mode: str, steps: int = 16, **kwargs: Any) -> None:
    """Check that a vector backend returns the same results as a plain loop, for a few episodes and all kinds of resets.

    Args:
        backend: the class of the backend, or a function that creates a vector environment.
        env_fns: functions that create the environments.
        mode: the value of an `AutoresetMode`.
        steps: the number of steps.
        **kwargs: further keyword arguments for the backend.

    Raises:
        AssertionError: if the results differ.
    """
    found = run(backend, env_fns, mode, steps=steps, **kwargs)
    if broken := list(found.broken()):
        raise AssertionError("\n".join(map(str, broken))) from (found.error and found.error[1])


def calls(
    reference: ReferenceVectorEnv, run: Run, *, steps: int = STEPS, partial: bool = False
) -> Iterator[tuple[str, Callable[[Any], Any], Any]]:
    """Yield, for each call, its description, a function that makes the call, and the result of the plain loop.

    Args:
        reference: the plain loop.
        run: the record to which modified actions are added.
        steps: the number of steps.
        partial: whether to reset some environments in the middle of their episodes.
    """
    space = ops.batch_space(reference.envs[0].action_space, reference.n)
    space.seed(3)
    yield "reset", methodcaller("reset", seed=11), reference.reset(11)
    for k in range(steps):
        if k == 6:
            asked = methodcaller("reset", options={"level": 2})
            yield "reset in between", asked, reference.reset(options={"level": 2})
        mask = np.array(reference.done) & (run.mode == "Disabled")
        if partial and k in {2, 9}:
            mask |= np.arange(reference.n) != k % 2
        if mask.any():
            when = f"reset of {np.flatnonzero(mask).tolist()} by reset_mask before step {k + 1}"
            options = {"reset_mask": mask}
            yield when, methodcaller("reset", options=options), reference.reset(None, {"reset_mask": mask.copy()})
            if "reset_mask" not in options:
                run.beyond.append(f"{when}: expected the caller's options to keep reset_mask")
        action = space.sample()
        before = snapshot(action)
        yield f"step {k + 1}", methodcaller("step", action), reference.step(snapshot(action))
        if found := difference(before, action):
            run.actions = run.actions or found


def compare(run: Run, when: str, returned: Any, wanted: Any) -> None:
    """Compare the results of a call, and record the first difference in each part."""
    if not isinstance(returned, tuple) or len(returned) != len(wanted):
        seen = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else f"a {type(returned).__name__}"
        run.mismatch.setdefault("result", (when, f"expected a tuple of {len(wanted)}, got {seen}"))
        return
    names = PARTS if len(wanted) == 5 else ("observations", "infos")
    for name, seen, expected in zip(names, returned, wanted, strict=True):
        if found := difference(outline(expected), outline(seen)):
            detail = found.replace("was ", "should be ", 1).replace(", then ", ", but is ", 1)
            run.mismatch.setdefault(name, (when, detail))
