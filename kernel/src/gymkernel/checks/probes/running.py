"""Running episodes, and trying single actions."""

from __future__ import annotations

import contextlib
import copy
import itertools
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.checks.definition import Skip
from gymkernel.checks.trace import Player, action_space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.subject import Subject
    from gymkernel.checks.trace import Call, Trace

__all__ = ["actions", "rollout"]


def rollout(subject: Subject) -> Trace:
    """Episodes up to `steps` steps in all, the first one seeded; an episode that takes half of them is given up."""
    player = Player(subject, subject.env())
    trace, options = player.trace, subject.options
    half = max(1, options.steps // 2)
    deadline = subject.deadline()
    trace.spaces = {name: _frozen(getattr(player.env, name, None)) for name in ("observation_space", "action_space")}
    call = player.reset(seed=options.seed)
    for _ in range(options.steps):
        if trace.stopped or time.perf_counter() > deadline or trace.size > options.memory:
            break
        if call.ended or call.step >= half:
            trace.cut = trace.cut if call.ended else half
            call = player.reset()
            if trace.stopped:
                break
        try:
            call = player.step()
        except Skip as skip:
            trace.stopped = str(skip)
    if not trace.stopped:
        player.reset()
    return trace


def _frozen(space: Any) -> Any:
    """A copy of a space that equals it, None where copies of this space never do."""
    try:
        copied = copy.deepcopy(space)
        return copied if bool(copied == space) else None
    except Exception:  # noqa: BLE001 - a space of somebody else
        return None


def actions(subject: Subject) -> list[tuple[Any, Call]]:
    """The first step of an episode with each of the actions that are worth trying."""
    env = subject.env()
    player, space = Player(subject, env), action_space(env)
    first = player.reset(seed=subject.options.seed)
    if first.error is not None:
        message = "reset does not work (GK203)"
        raise Skip(message)
    if player.masked:
        message = "the actions are masked: not every action of the space is legal"
        raise Skip(message)
    tried: list[tuple[Any, Call]] = []
    deadline = subject.deadline()
    for action in itertools.islice(_worth_trying(space), 64):
        if time.perf_counter() > deadline or player.reset(seed=subject.options.seed).error is not None:
            break
        tried.append((action, player.step(action)))
    return tried


def _worth_trying(space: Any) -> Iterator[Any]:
    """Each value of a small discrete space, the corners of others, and samples."""
    n, start = getattr(space, "n", None), getattr(space, "start", 0)
    if isinstance(n, int | np.integer) and np.ndim(start) == 0 and n <= 48:
        yield from (np.int64(start + i) for i in range(int(n)))
        return
    if callable(getattr(space, "examples", None)):
        with contextlib.suppress(Exception):
            yield from space.examples()
    space.seed(0)
    yield from (space.sample() for _ in range(8))
