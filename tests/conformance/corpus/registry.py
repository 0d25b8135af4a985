"""Hold the list of defects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DEFECTS", "Defect", "defect"]


@dataclass(frozen=True, slots=True)
class Defect:
    """An environment with one defect.

    Attributes:
        env: the class of the environment.
        code: the rule that has to report the defect.
        also: other rules that may report a finding, because the defect has more than one effect.
        severity: the severity of the expected finding; a lower severity is right where the defect may be intended.
        apart: whether the environment needs its own processes, because it ends or blocks its process or because its
            results differ between processes.
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
    """Add a class to the list of defects."""

    def decorate(cls: type[Any]) -> type[Any]:
        DEFECTS.append(Defect(cls, code, also, apart, severity))
        return cls

    return decorate
