"""The probe that creates the spaces examined by the rules about spaces."""

from __future__ import annotations

import functools
import itertools
import warnings
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel.space import Space
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.subject import Subject

__all__ = ["SpaceInstances", "instances_hook", "is_space_class", "quiet", "space_instances"]

MOST: Final = 64
quiet: Final = functools.partial(warnings.catch_warnings, action="ignore")
"""Creates a context manager that suppresses the warnings that spaces issue for unusual arguments."""


@dataclass(slots=True)
class SpaceInstances:
    """The spaces examined by the rules about spaces.

    Attributes:
        spaces: instances of the space class, or just the existing space.
        made_twice: equal instances, created for comparison, or None for an existing space.
        programs: for each space, a line of Python that creates it and assigns it to `space`.
        error: the exception that was raised when the spaces were created, or None if they were created.
    """

    spaces: list[Any]
    made_twice: list[Any] | None = None
    programs: list[str] = field(default_factory=list)
    error: Exception | None = None


def is_space_class(cls: Any) -> bool:
    """Return whether a class has the methods `sample` and `contains`."""
    return isinstance(cls, type) and all(callable(getattr(cls, name, None)) for name in ("sample", "contains"))


@probe()
def space_instances(subject: Subject) -> SpaceInstances:
    """Return the existing space, or create test instances of the space class."""
    if subject.live is not None:
        return SpaceInstances([subject.live])
    cls = subject.object
    if cls is None:
        raise Skip("the entry point cannot be loaded (GK911)")
    if not is_space_class(cls):
        raise Skip(f"{getattr(cls, '__name__', cls)} is not a space")
    name = subject.recipe.value
    hook = instances_hook(cls)
    make = getattr(cls, hook) if hook else lambda: [cls()]
    subject.at("the constructor")
    try:
        with subject.catching_exit(), quiet():
            spaces, made_twice = (list(itertools.islice(make(), MOST)) for _ in range(2))
    except Exception as exc:  # noqa: BLE001 - GK700 reports the exception
        return SpaceInstances([], error=exc)
    programs = [f"space = [*{name}.{hook}()][{k}]" if hook else f"space = {name}()" for k in range(len(spaces))]
    return SpaceInstances(spaces, made_twice, programs)


def instances_hook(cls: Any) -> str:
    """Return "test_instances" if the class has a classmethod of this name that creates test instances, otherwise "".

    An inherited classmethod is ignored if the class defines its own constructor.
    """
    own = [base for base in cls.__mro__ if base is not object and base is not Space]
    last = next((k for k, base in enumerate(own) if "__init__" in vars(base)), len(own))
    known = {name for base in own[: last + 1] for name in vars(base)}
    return "test_instances" if "test_instances" in known else ""
