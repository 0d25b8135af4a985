"""Probes that run the test cases for vector backends on behalf of the rules of `gymkernel check`."""

from __future__ import annotations

import functools
import inspect
from typing import Any

from gymkernel_tool_check.backends.cases import Broken
from gymkernel_tool_check.backends.every_case import EVERY_CASE
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.subject import Subject

__all__ = ["closings", "failures", "left_behind", "made", "runs", "seedings"]


class Announced:
    """A proxy for a vector environment that announces each call, so that the checker can report a hang or a crash."""

    def __init__(self, subject: Subject, envs: Any) -> None:
        self._subject, self._envs = subject, envs

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._envs, name)
        return functools.partial(self._call, name, found) if name in {"reset", "step"} else found

    def _call(self, name: str, function: Any, *arguments: Any, **keywords: Any) -> Any:
        self._subject.at(name)
        with self._subject.catching_exit():
            return function(*arguments, **keywords)

    def close(self) -> None:
        """Close the vector environment, unless `close` is known to hang."""
        if (exc := self._subject.close_error(self._envs)) is not None:
            raise exc


def _fresh(subject: Subject, *arguments: Any, **keywords: Any) -> Announced:
    return Announced(subject, subject.create(subject.object, *arguments, **keywords))


def _run(subject: Subject, *codes: str) -> list[Broken]:
    """Run the test cases for the given rules, and return the violations."""
    if not isinstance(subject.object, type):
        raise Skip("the entry point cannot be loaded (GK911)")
    if next(iter(inspect.signature(subject.object).parameters), "") != "env_fns":
        raise Skip("the first argument is not env_fns, so the class cannot run environments that the user passes")
    backend = functools.partial(_fresh, subject)
    return [deviation for case in EVERY_CASE if set(case.codes) & set(codes) for deviation in case.broken(backend)]


def _run_if_made(subject: Subject, *codes: str) -> list[Broken]:
    if any(deviation.code == "GK650" for deviation in subject.get(made)):
        raise Skip("the vector environment cannot be created (GK650)")
    return _run(subject, *codes)


@probe()
def made(subject: Subject) -> list[Broken]:
    """Run the test cases that create a vector environment and read its spaces and attributes."""
    return _run(subject, "GK650") or _run(subject, "GK651", "GK661")


@probe()
def runs(subject: Subject) -> list[Broken]:
    """Run the test cases that play some episodes in each autoreset mode, with each kind of space."""
    broken = _run_if_made(subject, "GK653")
    # GK657 reports wrong infos in all modes
    if ("infos", "NextStep") in {(deviation.part, deviation.mode) for deviation in broken}:
        broken = [deviation for deviation in broken if (deviation.part, deviation.mode) != ("infos", "SameStep")]
    return broken


@probe()
def seedings(subject: Subject) -> list[Broken]:
    """Run the test cases that reset a vector environment with every kind of seed."""
    return _run_if_made(subject, "GK656")


@probe()
def closings(subject: Subject) -> list[Broken]:
    """Run the test cases that close a vector environment and then call its methods."""
    return _run_if_made(subject, "GK659")


@probe()
def failures(subject: Subject) -> list[Broken]:
    """Run the test cases with environments whose constructor or step raises an exception."""
    return _run_if_made(subject, "GK660")


@probe()
def left_behind(subject: Subject) -> list[Broken]:
    """Run the test cases that check what is left behind after several vector environments have been closed."""
    with subject.untracked():
        return _run_if_made(subject, "GK662")
