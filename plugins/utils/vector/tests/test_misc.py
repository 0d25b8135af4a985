"""Test that functions can be sent to other processes and that MPI's environment variables are hidden."""

from __future__ import annotations

import os
import pickle
import sys

import pytest

from gymkernel.vector.utils import CloudpickleWrapper, clear_mpi_env_vars


class TestCloudpickleWrapper:
    def test_wrapper_calls_the_function(self) -> None:
        assert CloudpickleWrapper(max)(1, 2, key=lambda x: -x) == 1

    def test_module_function_is_pickled_without_cloudpickle(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cloudpickle", None)

        twin = pickle.loads(pickle.dumps(CloudpickleWrapper(len)))

        assert twin([1, 2]) == 2

    def test_lambda_is_pickled_with_cloudpickle(self) -> None:
        pytest.importorskip("cloudpickle")

        twin = pickle.loads(pickle.dumps(CloudpickleWrapper(lambda x: x + 1)))

        assert twin(1) == 2


class TestMpi:
    def test_mpi_variables_are_hidden_and_restored(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMPI_RANK", "1")
        monkeypatch.setenv("PMI_SIZE", "2")

        with clear_mpi_env_vars():
            hidden = [key for key in os.environ if key.startswith(("OMPI_", "PMI_"))]

        assert hidden == []
        assert (os.environ["OMPI_RANK"], os.environ["PMI_SIZE"]) == ("1", "2")

    def test_mpi_variables_are_restored_after_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OMPI_RANK", "1")

        with pytest.raises(OSError, match="no fork"), clear_mpi_env_vars():
            raise OSError("no fork")

        assert os.environ["OMPI_RANK"] == "1"
