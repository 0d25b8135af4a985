"""What an asynchronous vector environment waits for, under the names that users of this API know."""

from __future__ import annotations

from enum import Enum

__all__ = ["AsyncState"]


class AsyncState(Enum):
    """The call whose results are awaited."""

    DEFAULT = "default"
    """None: the next one may begin."""
    WAITING_RESET = "reset"
    WAITING_STEP = "step"
    WAITING_CALL = "call"

    @classmethod
    def of(cls, pending: str) -> AsyncState:
        """The state by the name of a pending call, empty where there is none.

        >>> AsyncState.of("step"), AsyncState.of("")
        (<AsyncState.WAITING_STEP: 'step'>, <AsyncState.DEFAULT: 'default'>)
        """
        if not pending:
            return cls.DEFAULT
        return cls(pending) if pending in {"reset", "step"} else cls.WAITING_CALL
