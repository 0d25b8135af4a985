"""A probe that detects changes to process-wide settings when an environment is created, used and closed."""

from __future__ import annotations

import contextlib
import io
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.trace import Recorder, action_space
from gymkernel_tool_check.settings import Settings, state
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short

__all__ = ["Change", "Changes", "global_state"]

STEPS = 60


@dataclass(frozen=True, slots=True)
class Change:
    """A process-wide setting that a call changed.

    Attributes:
        what: the name of the setting.
        detail: a description of the change.
        phase: the call that changed the setting: "the constructor", "reset", "step" or "close".
    """

    what: str
    detail: str
    phase: str


Changes = defaultdict[str, list[Change]]
"""The changes to each group of settings. Printed text is recorded in the group "print"."""


@probe()
def global_state(subject: Subject) -> Changes:
    """Use one instance so that all lazy imports have run, restore the settings, and then watch another instance."""
    with _within(subject.settings):
        _use(subject, lambda _: None)
    with _within(subject.settings) as out:
        watch = _Watch(out)
        _use(subject, watch)
    return watch.changes


class _Watch:
    """A recorder that is called after each call to the environment and records which settings have changed."""

    def __init__(self, out: io.StringIO) -> None:
        self.changes: Changes = defaultdict(list)
        self.out, self.last = out, state()

    def __call__(self, phase: str) -> None:
        now = state()
        for aspect, what in {**self.last, **now}:
            before, after = (values.get((aspect, what)) for values in (self.last, now))
            if before != after:
                self._tell(aspect, Change(what, _describe_change(before, after), phase))
        self.last = now
        if text := self.out.getvalue():
            self._tell("print", Change("stdout", short(text.strip()), phase))
            self.out.seek(0)
            self.out.truncate()

    def _tell(self, aspect: str, change: Change) -> None:
        known = self.changes[aspect]
        if change.phase and (change.what, change.phase) not in {(other.what, other.phase) for other in known}:
            known.append(change)


def _use(subject: Subject, watch: Callable[[str], None]) -> None:
    """Create an environment, run a few episodes, and close it."""
    env = subject.env()
    watch("the constructor")
    recorder = Recorder(subject, env)
    with contextlib.suppress(Skip):
        space = action_space(env)
        space.seed(subject.options.seed)
        space.sample()
    watch("")  # ignore changes that the space made
    deadline = time.perf_counter() + subject.options.run_seconds / 4
    call = recorder.reset(seed=subject.options.seed)
    watch("reset")
    for _ in range(min(STEPS, subject.options.steps)):
        if recorder.trace.stopped or time.perf_counter() > deadline:
            break
        if call.ended:
            call = recorder.reset()
            watch("reset")
            continue
        try:
            action = recorder.sample()
        except Skip:
            break
        watch("")
        call = recorder.step(action)
        watch("step")
    if subject.live is None and not subject.options.single_instance:
        subject.shut(env)
        watch("close")


def _describe_change(before: Any, after: Any) -> str:
    if isinstance(before, list) and isinstance(after, list):
        new = [item for item in after if item not in before]
        return f"{short(new[0], 80)} was added" if new else f"{len(before) - len(after)} of {len(before)} were removed"
    if isinstance(before, dict) and isinstance(after, dict):
        name = next(key for key in after if after[key] != before.get(key))
        return f"{name} was {before.get(name)!r}, then {after[name]!r}"
    if after is None:
        return "it was removed"
    return f"it was {short(before)}, then {short(after)}" if before is not None else f"it was set to {short(after)}"


@contextlib.contextmanager
def _within(settings: Settings) -> Iterator[io.StringIO]:
    """Apply settings for the duration of a block, and restore the current settings afterwards.

    The block receives the stream to which standard output is redirected.
    """
    before = Settings.now()
    settings.restore()
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            yield out
    finally:
        before.restore()
