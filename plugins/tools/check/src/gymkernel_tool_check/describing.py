"""Saying what a target turns out to be, and how it died."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.utils.compare import short
from gymkernel_tool_check import events, installed
from gymkernel_tool_check.builtin_rules.making import last_line
from gymkernel_tool_check.deaths import death
from gymkernel_tool_check.definition import Died, Skip
from gymkernel_tool_check.introspect import innermost
from gymkernel_tool_check.probes.making import construct
from gymkernel_tool_check.space_rules import quiet, space_instances

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_tool_check.events import Event
    from gymkernel_tool_check.subject import Subject

__all__ = ["describe", "tell_death"]


def describe(subject: Subject, emit: Callable[[Event], None]) -> None:
    """Say what the target is once it is made, and which failures its classes declare."""
    if subject.kind == "envs":
        emit(events.Made(_describe(subject, emit)))
    elif subject.kind == "spaces":
        emit(events.Made(_describe_spaces(subject, emit)))
    emit(events.Declared(subject.declared))


def tell_death(subject: Subject, died: Died) -> events.Died:
    """The event of a target that tried to end the process, where that could be held up."""
    place = last_line(died.__cause__ or died)
    return events.Died(death(died.moment, str(died), place, str(subject.recipe)))


def _describe(subject: Subject, emit: Callable[[Event], None]) -> dict[str, Any]:
    """What the environment turns out to be, once it is made."""
    try:
        made = subject.get(construct)
    except Died as died:
        emit(tell_death(subject, died))
        return {}
    except Skip:
        return {}
    env = made.env
    if env is None:
        return {}
    inner, wrappers, layer = innermost(env), [], env
    while layer is not getattr(env, "unwrapped", env) and hasattr(layer, "env"):
        wrappers.append(type(layer).__name__)
        layer = layer.env
    file, line = subject.where("class") or (None, None)
    spaces = {name: " ".join(repr(getattr(env, name, None)).split()) for name in ("observation_space", "action_space")}
    cls = f"{type(inner).__module__}:{type(inner).__qualname__}"
    limit = getattr(getattr(env, "spec", None), "max_episode_steps", None)
    package = type(inner).__module__.partition(".")[0]
    version = None if "distribution" in subject.found else installed.version(package)
    provided = {} if version is None else {"distribution": installed.normalize(package), "version": version}
    return {
        **provided,
        "class": cls,
        "file": file,
        "line": line,
        "wrappers": wrappers,
        "max_episode_steps": limit,
        **spaces,
        "numpy": np.__version__,
    }


def _describe_spaces(subject: Subject, emit: Callable[[Event], None]) -> dict[str, Any]:
    """Which spaces are tried."""
    try:
        spaces = subject.get(space_instances).spaces
    except Died as died:
        emit(tell_death(subject, died))
        return {}
    except Skip:
        return {}
    shown = []
    for space in spaces:
        with contextlib.suppress(Exception), quiet():  # GK724 tells of it
            shown.append(short(space))
    file, line = subject.where("class") or (None, None)
    cls = type(spaces[0]) if spaces else subject.object
    name = f"{cls.__module__}:{cls.__qualname__}"
    return {"class": name, "file": file, "line": line, "spaces": shown, "numpy": np.__version__}
