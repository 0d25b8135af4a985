"""Define the list of environments with defects, and the decorator that adds to the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DEFECTS", "Defect", "defect"]


@dataclass(frozen=True, slots=True)
class Defect:
    """An environment with a known defect, and the findings that the defect should cause.

    Attributes:
        env: the environment class.
        code: the code of the rule that must report the defect.
        also: the codes of other rules that may report findings, because the defect has several effects.
        severity: the severity of the expected finding; it is below "error" if the defect may be intended.
        apart: whether the environment must run in separate processes, because it exits or blocks its process or
            because its results differ between processes.
    """

    env: type[Any]
    code: str
    also: tuple[str, ...] = ()
    apart: bool = False
    severity: str = "error"

    @property
    def name(self) -> str:
        return self.env.__name__


DEFECTS: list[Defect] = []


def defect(code: str, *also: str, apart: bool = False, severity: str = "error") -> Callable[[type[Any]], type[Any]]:
    """Add a class to the list of environments with defects."""

    def decorate(cls: type[Any]) -> type[Any]:
        DEFECTS.append(Defect(cls, code, also, apart, severity))
        return cls

    return decorate
