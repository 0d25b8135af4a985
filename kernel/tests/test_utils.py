"""Tests of `colorize` and `RecordConstructorArgs`."""

from __future__ import annotations

from typing import Any

import pytest

from gymkernel.utils import RecordConstructorArgs, colorize


class TestColorize:
    @pytest.mark.parametrize(
        "arguments,code",
        [
            (("red",), "31"),
            (("gray",), "30"),
            (("crimson",), "38"),
            (("red", True), "31;1"),
            (("red", False, True), "41"),
            (("red", True, True), "41;1"),
        ],
    )
    def test_colorize_adds_escape_codes(self, arguments: tuple[Any, ...], code: str) -> None:
        assert colorize("text", *arguments) == f"\x1b[{code}mtext\x1b[0m"


class Careful(RecordConstructorArgs):
    def __init__(self, factor: Any, offset: int = 0) -> None:
        super().__init__(factor=factor, offset=offset)


class TestRecordConstructorArgs:
    def test_arguments_are_saved(self) -> None:
        assert Careful(2)._saved_kwargs == {"factor": 2, "offset": 0}

    def test_saved_arguments_are_copies(self) -> None:
        factor = [1]

        recorded = Careful(factor)
        factor.append(2)

        assert recorded._saved_kwargs["factor"] == [1]

    def test_saved_arguments_are_not_copied_on_request(self) -> None:
        class Shared(RecordConstructorArgs):
            def __init__(self, lock: object) -> None:
                super().__init__(_disable_deepcopy=True, lock=lock)

        lock = object()

        assert Shared(lock)._saved_kwargs["lock"] is lock

    def test_arguments_of_the_outermost_constructor_win(self) -> None:
        class Derived(Careful):
            def __init__(self) -> None:
                RecordConstructorArgs.__init__(self)
                super().__init__(2, 3)

        assert Derived()._saved_kwargs == {}
