"""Small helpers: colours, pickling by arguments, recorded arguments, functions for other processes."""

from __future__ import annotations

import copy
import os
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel.utils import EzPickle, RecordConstructorArgs, colorize
from gymkernel.vector.utils import CloudpickleWrapper, clear_mpi_env_vars

if TYPE_CHECKING:
    from collections.abc import Callable


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
    def test_codes(self, arguments: tuple[Any, ...], code: str) -> None:
        assert colorize("text", *arguments) == f"\x1b[{code}mtext\x1b[0m"


class Simulator(EzPickle):
    def __init__(self, name: str, *, rate: int = 50) -> None:
        super().__init__(name, rate=rate)
        self.name = name
        self.handle: Callable[[], int] = lambda: rate


class Careful(RecordConstructorArgs):
    def __init__(self, factor: Any, offset: int = 0) -> None:
        super().__init__(factor=factor, offset=offset)


class TestEzPickle:
    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
    def test_a_copy_is_built_again_from_the_arguments(self, duplicate: Any) -> None:
        twin = duplicate(Simulator("arm", rate=100))

        assert (twin.name, twin.handle()) == ("arm", 100)

    def test_a_copy_can_be_copied(self) -> None:
        twin = copy.deepcopy(copy.deepcopy(Simulator("arm", rate=3)))

        assert twin.handle() == 3


class TestRecordConstructorArgs:
    def test_the_arguments_are_kept(self) -> None:
        assert Careful(2)._saved_kwargs == {"factor": 2, "offset": 0}

    def test_they_are_copies(self) -> None:
        factor = [1]

        recorded = Careful(factor)
        factor.append(2)

        assert recorded._saved_kwargs["factor"] == [1]

    def test_they_are_the_objects_themselves_where_that_is_asked_for(self) -> None:
        class Shared(RecordConstructorArgs):
            def __init__(self, lock: object) -> None:
                super().__init__(_disable_deepcopy=True, lock=lock)

        lock = object()

        assert Shared(lock)._saved_kwargs["lock"] is lock

    def test_those_of_the_outermost_constructor_win(self) -> None:
        class Derived(Careful):
            def __init__(self) -> None:
                RecordConstructorArgs.__init__(self)
                super().__init__(2, 3)

        assert Derived()._saved_kwargs == {}


class TestCloudpickleWrapper:
    def test_it_calls_the_function(self) -> None:
        assert CloudpickleWrapper(max)(1, 2, key=lambda x: -x) == 1

    def test_a_function_of_a_module_needs_no_cloudpickle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cloudpickle", None)

        twin = pickle.loads(pickle.dumps(CloudpickleWrapper(len)))

        assert twin([1, 2]) == 2

    def test_a_lambda_goes_by_cloudpickle(self) -> None:
        pytest.importorskip("cloudpickle")

        twin = pickle.loads(pickle.dumps(CloudpickleWrapper(lambda x: x + 1)))

        assert twin(1) == 2


class TestMpi:
    def test_its_variables_are_hidden_and_come_back(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMPI_RANK", "1")
        monkeypatch.setenv("PMI_SIZE", "2")

        with clear_mpi_env_vars():
            hidden = [key for key in os.environ if key.startswith(("OMPI_", "PMI_"))]

        assert hidden == []
        assert (os.environ["OMPI_RANK"], os.environ["PMI_SIZE"]) == ("1", "2")

    def test_they_come_back_after_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMPI_RANK", "1")

        with pytest.raises(OSError, match="no fork"), clear_mpi_env_vars():
            raise OSError("no fork")

        assert os.environ["OMPI_RANK"] == "1"
