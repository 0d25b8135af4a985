"""The list of defects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DEFECTS", "Defect", "defect"]


@dataclass(frozen=True, slots=True)
class Defect:
    """An environment with one thing wrong.

    Attributes:
        env: the class.
        code: the rule that has to name it.
        also: rules that may say something, too, since there is something to say.
        severity: how severe that finding has to be: some may be meant.
        apart: whether it has to be checked in processes of its own: it ends or stops them, or differs between them.
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
    """Put a class into the list."""

    def decorate(cls: type[Any]) -> type[Any]:
        DEFECTS.append(Defect(cls, code, also, apart, severity))
        return cls

    return decorate
