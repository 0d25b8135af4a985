"""A probe that renders an environment in each of its declared render modes."""

from __future__ import annotations

import contextlib
import io
import operator
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import asks_for_display, is_a, read
from gymkernel_tool_check.probes.making import construct, instance
from gymkernel_tool_check.probes.nondeterminism import repeats
from gymkernel_tool_check.probes.trace import Call, Mismatch, Recorder, first_mismatch
from gymkernel_tool_check.settings import Settings
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import snapshot
from gymkernel_util_spaces.texts import error_text

__all__ = ["Frame", "Mode", "modes_of", "no_display", "rendered_modes"]

STEPS: Final = 12
WATCHED: Final = 2
"""The number of steps in "human" mode. It is small, because drawing in a window is slow."""
THE_END: Final = "the end of an episode"
SCREEN: Final = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "MPLBACKEND": "Agg"}
"""The environment variables that make graphics libraries draw into memory instead of a window."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The value that a call to `render` returned, a copy made immediately after the call, and the printed text."""

    when: str
    frame: Any
    kept: Any
    printed: str


@dataclass(slots=True)
class Mode:
    """A record of what happened in one render mode.

    Attributes:
        name: the name of the render mode, such as "rgb_array".
        refused: the exception that the constructor raised, or None if the environment was created.
        stored: the value of the environment's attribute `render_mode`.
        frames: what `render` returned, in the order of the calls.
        error: when `render` raised an exception, and the exception; None if it raised none.
        failed: the call to reset or step that raised an exception although it works without rendering, or None if no
            call did.
        skipped: why the mode could not be tried, or "" if it was tried.
        mismatch: the first difference from the same run without rendering, or None if the runs agree.
    """

    name: str
    refused: Exception | None = None
    stored: Any = None
    frames: list[Frame] = field(default_factory=list)
    error: tuple[str, Exception] | None = None
    failed: Call | None = None
    skipped: str = ""
    mismatch: Mismatch | None = None


def modes_of(env: Any) -> list[str]:
    """Return the render modes in the environment's metadata that are strings."""
    metadata: Any = read(read(env, "unwrapped", env), "metadata", None)
    modes: Any = metadata.get("render_modes") if is_a(metadata, Mapping) else None
    return [mode for mode in modes if is_a(mode, str)] if is_a(modes, Iterable) else []


@probe()
def rendered_modes(subject: Subject) -> list[Mode]:
    """Create an environment in each declared render mode, and render it after each call of a short run."""
    made = subject.get(construct).require()
    modes = modes_of(made)
    if not modes:
        raise Skip("metadata declares no render modes")
    with contextlib.ExitStack() as stack:
        stack.callback(Settings.now().restore)
        os.environ.update(SCREEN)
        if subject.live is not None:
            if made.render_mode not in modes:
                raise Skip("the existing environment was created without a render mode")
            mode = Mode(made.render_mode, stored=made.render_mode)
            _render_along(subject, made, mode)
            return [mode]
        plain, fails = _plain(subject)
        found = [_try(subject, mode, plain) for mode in dict.fromkeys(modes)]
    for mode in found:
        mode.failed = None if fails else mode.failed  # GK203 and GK317 report this
    return found


def no_display(exc: BaseException) -> str:
    """Return the reason if an exception was caused by a missing display or a missing library; otherwise return ""."""
    if is_a(exc, ImportError) or type(exc).__name__ == "DependencyNotInstalled":
        return f"a library is not installed: {error_text(exc)}"
    return asks_for_display(exc)


def _try(subject: Subject, name: str, plain: list[Call]) -> Mode:
    mode = Mode(name)
    try:
        with subject.trying(name):
            env, exc = subject.attempt(instance, subject, render_mode=name)
            if exc is not None:
                mode.skipped = no_display(exc)
                mode.refused = None if mode.skipped else exc
                return mode
            mode.stored = read(env, "render_mode", None)
            calls = _render_along(subject, env, mode)
            if not mode.error and not mode.skipped:
                mode.mismatch = first_mismatch(plain, calls)
            subject.shut(env)
    except Skip as skip:
        mode.skipped = str(skip)
    return mode


def _render_along(subject: Subject, env: Any, mode: Mode) -> list[Call]:
    """Run two episodes, rendering after each call, and return the calls."""
    recorder = Recorder(subject, env)
    deadline = time.perf_counter() + subject.options.run_seconds / 4
    call = recorder.reset(seed=subject.options.seed)
    steps = WATCHED if mode.name == "human" else STEPS
    for k in range(steps + 1):
        if call.error is not None:
            mode.skipped = no_display(call.error)
            mode.failed = None if mode.skipped else call
            break
        if not _render(subject, env, mode, call.when) or time.perf_counter() > deadline:
            break
        try:
            call = recorder.reset() if call.ended or k == steps - 1 else recorder.step()
        except Skip:
            break
    if mode.frames and not mode.error and not mode.failed and mode.name != "human":
        _render_the_end(recorder, mode, deadline)
    return recorder.trace.good


def _render_the_end(recorder: Recorder, mode: Mode, deadline: float) -> None:
    """Run to the end of an episode and render the final state, in which an object may have left the image."""
    with contextlib.suppress(Skip):
        recorder.play(recorder.subject.options.steps, deadline, one_episode=True)
        call = recorder.trace.calls[-1]
        if call.error is None and call.method == "step" and call.ended:
            _render(recorder.subject, recorder.env, mode, f"{THE_END} ({call.when})")


def _render(subject: Subject, env: Any, mode: Mode, when: str) -> bool:
    out = io.StringIO()
    subject.at("render", subject.options.seed)
    with contextlib.redirect_stdout(out):
        frame, exc = subject.attempt(operator.methodcaller("render"), env)
    if exc is not None:
        mode.skipped = no_display(exc)
        mode.error = None if mode.skipped else (when, exc)
        return False
    mode.frames.append(Frame(when, frame, snapshot(frame), out.getvalue()))
    return True


def _plain(subject: Subject) -> tuple[list[Call], bool]:
    """Run without rendering. Return the calls, or none if runs are not reproducible, and whether a call failed."""
    with contextlib.suppress(Skip):
        recorder = Recorder(subject, subject.env(second=True))
        recorder.reset(seed=subject.options.seed)
        recorder.play(STEPS - 1)
        if recorder.trace.stopped:
            return [], recorder.trace.failed is not None
        recorder.reset()
        return (recorder.trace.good if repeats(subject) else []), False
    return [], False
