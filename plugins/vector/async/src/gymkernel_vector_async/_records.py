"""What a parent and the shares of its environments tell each other: settings, arrays to write into, and messages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gymkernel_vector_async._errors import Failure

__all__ = ["Arrays", "Mail", "Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What every share needs to know."""

    mode: str
    """The value of the AutoresetMode."""
    restart: bool
    max_restarts: int | None
    check: bool
    crowded: bool
    """Whether there are more workers than processors."""


@dataclass(slots=True)
class Mail:
    """What results have besides arrays; infos and the like by the index of their environment."""

    infos: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    finals: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    odd: list[tuple[int, list[Any]]] = field(default_factory=list)
    """The odd parts of observations."""
    failures: list[Failure] = field(default_factory=list)
    rows: tuple[int, int, list[NDArray[Any]]] | None = None
    """Where observations are not in shared memory: first index, last + 1, an array for each leaf."""

    def __bool__(self) -> bool:
        return bool(self.infos or self.finals or self.odd or self.failures or self.rows)


@dataclass(slots=True)
class Arrays:
    """The rows of a share: views of the shared block, or private where observations travel by message."""

    observations: list[list[NDArray[Any]]]
    """For each buffer of the ring, for each leaf."""
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    shared: bool
