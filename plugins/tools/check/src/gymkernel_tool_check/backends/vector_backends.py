"""Running a vector backend beside a plain loop over the same environments."""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
import itertools
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import methodcaller
from pathlib import Path
from typing import Any, Final

import numpy as np

from gymkernel import ops
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.probe_envs import VARIANTS, ProbeEnv, ReferenceVectorEnv
from gymkernel_tool_check.probes.sizes import descriptors, tasks
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, outline, snapshot
from gymkernel_util_spaces.texts import error_text, text_of

__all__ = ["ENVS", "Made", "Run", "calls", "closings", "compare", "failures", "fresh", "left_behind", "made", "runs"]
__all__ += ["seedings"]

ENVS: Final = 3
STEPS: Final = 14
PARTS: Final = ("observations", "rewards", "terminations", "truncations", "infos")


@dataclass(slots=True)
class Made:
    """A backend around a few environments: it, what making it raised, and the environments as a plain loop."""

    env: Any
    error: Exception | None
    reference: ReferenceVectorEnv

    def require(self) -> Any:
        """The backend.

        Raises:
            Skip: it could not be made.
        """
        if self.error is not None:
            raise Skip("it cannot be made (GK650)")
        return self.env


def makers(variant: str = "boxes", n: int = ENVS) -> list[Callable[[], Any]]:
    """Functions that make one environment each."""
    return [functools.partial(ProbeEnv, variant, i) for i in range(n)]


def fresh(subject: Subject, mode: str = "NextStep", variant: str = "boxes", env_fns: Any = None) -> Any:
    """A backend around environments; what the constructor raises is passed on."""
    subject.at("the constructor")
    with subject.catching_exit():
        env = _backend(subject)(makers(variant) if env_fns is None else env_fns, autoreset_mode=mode)
    subject.keep(env)
    return env


def _backend(subject: Subject) -> Any:
    cls: Any = subject.object
    if not isinstance(cls, type):
        raise Skip("the entry point does not load (GK911)")
    names = list(inspect.signature(cls).parameters)
    if not names or names[0] != "env_fns":
        what = "it is no backend, which makes a vector environment of any environments"
        raise Skip(f"its first argument is not env_fns: {what}")
    return cls


@probe()
def made(subject: Subject) -> Made:
    """Make one."""
    _backend(subject)
    reference = ReferenceVectorEnv(makers(), AutoresetMode.NEXT_STEP)
    return Made(*subject.attempt(fresh, subject), reference)


@dataclass(slots=True)
class Run:
    """A run in one mode: where it parts from the plain loop, what it raised, and the batches that changed later.

    `parted` is the call, the part, and how they differ, for each part the first time.
    """

    mode: str
    variant: str
    mismatch: dict[str, tuple[str, str]] = field(default_factory=dict)
    error: tuple[str, Exception] | None = None
    overwritten: tuple[str, str] | None = None
    actions: str = ""


@probe()
def runs(subject: Subject) -> list[Run]:
    """Each mode, and the kinds of spaces that there are, for a few episodes."""
    subject.get(made).require()
    cases = [(mode.value, "boxes") for mode in AutoresetMode] + [("NextStep", variant) for variant in VARIANTS[1:]]
    return [run for mode, variant in cases if (run := _run(subject, mode, variant)) is not None]


def _run(subject: Subject, mode: str, variant: str) -> Run | None:
    try:
        reference = ReferenceVectorEnv(makers(variant), AutoresetMode(mode))
    except ValueError:
        return None  # the spaces of this kind are not installed
    run = Run(mode, variant)
    env, exc = subject.attempt(fresh, subject, mode, variant)
    if exc is not None:
        run.error = "the constructor", exc
        return run
    kept: list[tuple[str, Any, Any]] = []
    for when, ask, wanted in calls(reference, run):
        subject.at(when.partition(" ")[0])
        returned, exc = subject.attempt(ask, env)
        if exc is not None:
            run.error = when, exc
            break
        compare(run, when, returned, wanted)
        kept.append((when, returned[0], snapshot(returned[0])))
    for when, seen, then in kept:
        if run.overwritten is None and (found := difference(then, seen)):
            run.overwritten = when, found
    subject.instances.close_error(env)
    return run


def calls(
    reference: ReferenceVectorEnv, run: Run, *, partial: bool = False
) -> Iterator[tuple[str, Callable[[Any], Any], Any]]:
    """What is asked, and what the plain loop answers; `partial`: some are reset in the middle, in each mode."""
    space = ops.batch_space(reference.envs[0].action_space, reference.n)
    space.seed(3)
    yield "reset", methodcaller("reset", seed=11), reference.reset(11)
    for k in range(STEPS):
        if k == 6:
            asked = methodcaller("reset", options={"level": 2})
            yield "reset in between", asked, reference.reset(options={"level": 2})
        mask = np.array(reference.done) & (run.mode == "Disabled")
        if partial and k in {2, 9}:
            mask |= np.arange(reference.n) != k % 2
        if mask.any():
            when = f"reset of {np.flatnonzero(mask).tolist()} by reset_mask before step {k + 1}"
            asked = methodcaller("reset", options={"reset_mask": mask})
            yield when, asked, reference.reset(None, {"reset_mask": mask.copy()})
        action = space.sample()
        before = snapshot(action)
        yield f"step {k + 1}", methodcaller("step", action), reference.step(snapshot(action))
        if found := difference(before, action):
            run.actions = run.actions or found


def compare(run: Run, when: str, returned: Any, wanted: Any) -> None:
    """Note where what was returned is not what was wanted, the first time for each part."""
    if not isinstance(returned, tuple) or len(returned) != len(wanted):
        seen = f"a tuple of {len(returned)}" if isinstance(returned, tuple) else f"a {type(returned).__name__}"
        run.mismatch.setdefault("result", (when, f"expected a tuple of {len(wanted)}, got {seen}"))
        return
    names = PARTS if len(wanted) == 5 else ("observations", "infos")
    for name, seen, expected in zip(names, returned, wanted, strict=True):
        if found := difference(outline(expected), outline(seen)):
            detail = found.replace("was ", "should be ", 1).replace(", then ", ", and is ", 1)
            run.mismatch.setdefault(name, (when, detail))


@probe()
def seedings(subject: Subject) -> list[tuple[Any, str]]:
    """Seeds of each form, and what is wrong with what comes of them; wrong ones that are taken."""
    subject.get(made).require()
    found: list[tuple[Any, str]] = []
    env, reference = fresh(subject), ReferenceVectorEnv(makers(), AutoresetMode.NEXT_STEP)
    for seed in (7, [5, 9, 5], [5, 9, 1]):
        subject.at("reset")
        seen, exc = subject.attempt(methodcaller("reset", seed=seed), env)
        if exc is not None:
            found.append((seed, f"raised {error_text(exc)}"))
        elif wrong := difference(reference.reset(seed)[0], seen[0]):
            found.append((seed, f"gives other observations than the environments one by one: {wrong}"))
    with contextlib.suppress(Exception):
        env.reset(seed=[1, 2])
        found.append(([1, 2], f"is taken, though there are {ENVS} environments"))
    return found


@dataclass(slots=True)
class Closings:
    """What came of closing twice, of calls after it, and which environments were not closed by it."""

    error: tuple[str, Exception] | None = None
    after: str = ""
    left_open: list[int] = field(default_factory=list)


class ClosingEnv(ProbeEnv):
    """Tells by a file that it was closed, in whatever process."""

    def __init__(self, folder: str, number: int) -> None:
        super().__init__("boxes", number)
        self.file = Path(folder, str(number))

    def close(self) -> None:
        """Make the file."""
        super().close()
        self.file.touch()


@probe()
def closings(subject: Subject) -> Closings:
    """Close after a step, twice; then reset and step."""
    subject.get(made).require()
    folder = tempfile.mkdtemp()
    seen = Closings()
    env = fresh(subject, env_fns=[functools.partial(ClosingEnv, folder, i) for i in range(ENVS)])
    with contextlib.suppress(Exception):
        _use(env)
    for which in ("close", "the second close"):
        if seen.error is None and (exc := subject.instances.close_error(env)) is not None:
            seen.error = which, exc
    seen.left_open = [i for i in range(ENVS) if not Path(folder, str(i)).exists()]
    shutil.rmtree(folder, ignore_errors=True)
    asked = {"reset": methodcaller("reset"), "step": methodcaller("step", env.action_space.sample())}
    for name, ask in asked.items():
        _, exc = subject.attempt(ask, env)
        if exc is None:
            seen.after = seen.after or f"{name} after close works, as if nothing had been closed"
        elif "clos" not in error_text(exc).lower() and not seen.after:
            seen.after = f"{name} after close raised {error_text(exc)}, which does not say that it is closed"
    return seen


def _use(env: Any, steps: int = 1) -> None:
    env.reset(seed=1)
    for _ in range(steps):
        env.step(env.action_space.sample())


def _refuse() -> Any:
    raise LookupError("no licence for this environment")


@probe()
def failures(subject: Subject) -> list[str]:
    """What is wrong with the errors: of a constructor, of a step, and of no environments at all."""
    subject.get(made).require()
    found: list[str] = []
    _, exc = subject.attempt(fresh, subject, env_fns=[*makers(), _refuse])
    if exc is None:
        found.append("an environment whose constructor raises LookupError is taken")
    elif "no licence for this environment" not in _told(exc):
        seen = f"{type(exc).__name__}, without its message"
        found.append(f"an environment whose constructor raises LookupError: {seen}")
    env = fresh(subject, env_fns=[*makers(n=2), functools.partial(_failing, 2)])
    _, exc = subject.attempt(_use, env, steps=4)
    if exc is None:
        found.append("an environment whose step raises ArithmeticError goes on")
    elif "the probe environment fails at this step" not in _told(exc):
        found.append(f"an environment whose step raises ArithmeticError: {error_text(exc)}, without its message")
    if late := subject.instances.close_error(env):
        found.append(f"close after an environment failed raised {error_text(late)}")
    return found


def _failing(number: int) -> Any:
    env = ProbeEnv("boxes", number)
    env.fail_after(2)
    return env


def _told(exc: BaseException | None) -> str:
    """The messages of an exception and of its causes."""
    if exc is None:
        return ""
    inner = exc.__cause__ or (None if exc.__suppress_context__ else exc.__context__)
    return f"{error_text(exc)} {text_of(getattr(exc, '__notes__', ''), 10_000)} {_told(inner)}"


@probe()
def left_behind(subject: Subject) -> list[str]:
    """What is open, or runs, after one was closed that was not there after the one before."""
    subject.get(made).require()
    open_files, running = [], []
    for _ in range(4):
        with subject.instances.untracked():
            env = fresh(subject)
            with contextlib.suppress(Exception):
                _use(env)
            subject.instances.close_error(env)
        del env
        gc.collect()
        time.sleep(0.02)  # for processes that are on their way out
        open_files.append(len(descriptors() or ()))
        running.append(tasks())
    found = []
    if all(b > a for a, b in itertools.pairwise(open_files)):
        found.append(f"{open_files[-1] - open_files[-2]} more open files")
    if all(len(b) > len(a) for a, b in itertools.pairwise(running)):
        new = [name for key, name in running[-1].items() if key not in running[0]]
        found.append(f"{len(running[-1]) - len(running[-2])} more threads or processes (the last: {new[-1]})")
    return found
