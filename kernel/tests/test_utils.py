"""Small helpers: colours, pickling by arguments, recorded arguments, functions for other processes."""

from __future__ import annotations

import copy
import os
import pickle
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Space
from gymkernel.utils import EzPickle, RecordConstructorArgs, choice, colorize
from gymkernel.utils.html import tree
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


class TestChoice:
    def test_the_one_that_was_given(self) -> None:
        assert choice.given("m", None) == ("mask", "m")
        assert choice.given(None, "p") == ("probability", "p")

    def test_both_are_an_error(self) -> None:
        with pytest.raises(ValueError, match="takes a mask or a probability, got both"):
            choice.given("m", "p")

    @pytest.mark.parametrize(
        "name,weights",
        [
            ("mask", [0, 1]),
            ("mask", np.array([0, 1])),
            ("mask", np.zeros(3, np.int8)),
            ("mask", np.array([0, 2], np.int8)),
            ("mask", np.array([0, -1], np.int8)),
            ("probability", np.array([0, 1], np.int8)),
            ("probability", np.array([0.5, 0.4])),
            ("probability", np.array([1.5, -0.5])),
            ("probability", np.array([np.nan, 1.0])),
        ],
        ids=repr,
    )
    def test_what_are_no_weights_is_refused(self, name: str, weights: Any) -> None:
        with pytest.raises(ValueError, match=r"Expected (mask to be|a mask of|probability to be|probabilities in)"):
            choice.check_weights(name, weights, (2,))

    def test_a_mask_may_have_more_numbers(self) -> None:
        choice.check_weights("mask", np.array([0, 2], np.int8), (2,), 2)

    def test_a_mask_allows_what_it_marks(self) -> None:
        rng = np.random.default_rng(0)
        drawn = {int(choice.choose(rng, "mask", np.array([1, 0, 1], np.int8), 3)) for _ in range(50)}
        assert drawn == {0, 2}

    def test_a_mask_that_allows_nothing_gives_the_first(self) -> None:
        assert choice.choose(np.random.default_rng(0), "mask", np.zeros(3, np.int8), 3) == 0

    def test_what_has_no_probability_is_never_drawn(self) -> None:
        rng = np.random.default_rng(0)
        drawn = [int(choice.choose(rng, "probability", np.array([0.9, 0, 0.1]), 3)) for _ in range(200)]
        assert set(drawn) == {0, 2}
        assert drawn.count(0) > 150


class TestTree:
    def test_a_leaf_is_escaped_and_cut(self) -> None:
        assert tree("<b>") == "<code>&#x27;&lt;b&gt;&#x27;</code>"
        assert len(tree("x" * 1000)) < 200

    def test_a_space_shows_itself_in_a_notebook(self) -> None:
        class Pair(Space[Any]):
            def parts(self) -> Any:
                return [("left", 1), (2, "<")]

        assert Pair()._repr_html_() == (
            "<details open><summary>Pair</summary><ul><li><b>left</b>: <code>1</code></li>"
            "<li><b>2</b>: <code>&#x27;&lt;&#x27;</code></li></ul></details>"
        )
