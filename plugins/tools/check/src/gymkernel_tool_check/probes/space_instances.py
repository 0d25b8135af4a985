"""`space_instances`: the spaces that the rules about spaces try."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel.space import Space
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.subject import Subject

__all__ = ["SpaceInstances", "instances_hook", "is_space_class", "quiet", "space_instances"]

MOST: Final = 64


@dataclass(slots=True)
class SpaceInstances:
    """The spaces that the rules try.

    Attributes:
        spaces: the spaces, of one class.
        made_twice: the same, made a second time; None where they cannot be made.
        programs: for each a line of Python that makes it as `space`, for reproducers.
        error: what making them raised.
    """

    spaces: list[Any]
    made_twice: list[Any] | None = None
    programs: list[str] = field(default_factory=list)
    error: Exception | None = None


def is_space_class(cls: Any) -> bool:
    """Whether instances of a class can be drawn from and tested for."""
    return isinstance(cls, type) and all(callable(getattr(cls, name, None)) for name in ("sample", "contains"))


@probe()
def space_instances(subject: Subject) -> SpaceInstances:
    """The one space that there is, or those that its class makes for the purpose."""
    if subject.live is not None:
        return SpaceInstances([subject.live])
    cls = subject.object
    if cls is None:
        raise Skip("the entry point does not load (GK911)")
    if not is_space_class(cls):
        raise Skip(f"{getattr(cls, '__name__', cls)} is no space")
    name = subject.recipe.value
    hook = instances_hook(cls)
    make = getattr(cls, hook) if hook else lambda: [cls()]
    subject.at("the constructor")
    try:
        with subject.catching_exit(), quiet():
            spaces, made_twice = (list(itertools.islice(make(), MOST)) for _ in range(2))
    except Exception as exc:  # noqa: BLE001 - told as GK700
        return SpaceInstances([], error=exc)
    programs = [f"space = [*{name}.{hook}()][{k}]" if hook else f"space = {name}()" for k in range(len(spaces))]
    return SpaceInstances(spaces, made_twice, programs)


def instances_hook(cls: Any) -> str:
    """Return the name of the classmethod by which a class makes instances to try: "test_instances", or "" for none.

    The classmethod of a base class does not count if the class has a constructor of its own.
    """
    own = [base for base in cls.__mro__ if base is not object and base is not Space]
    last = next((k for k, base in enumerate(own) if "__init__" in vars(base)), len(own))
    known = {name for base in own[: last + 1] for name in vars(base)}
    return "test_instances" if "test_instances" in known else ""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without the warnings of a space that is asked strange things."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
