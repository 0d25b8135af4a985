"""Tests of the exceptions and their base classes."""

from __future__ import annotations

import inspect

import pytest

from gymkernel import error

OURS = {name: cls for name, cls in inspect.getmembers(error, inspect.isclass) if name != "_Base"}


def test_all_are_errors_of_gymkernel_but_one() -> None:
    assert {name for name, cls in OURS.items() if not issubclass(cls, error.Error)} == {"DeprecatedWrapper"}


def test_all_say_what_they_mean() -> None:
    assert all(cls.__doc__ for cls in OURS.values())


@pytest.mark.parametrize("name", ["NamespaceNotFound", "NameNotFound", "VersionNotFound"])
def test_look_ups_that_find_nothing_are_unregistered_environments(name: str) -> None:
    assert issubclass(OURS[name], error.UnregisteredEnv)


@pytest.mark.parametrize("name", ["MissingPlugin", "BrokenPlugin", "DisabledPlugin", "PluginConflict"])
def test_a_plugin_that_cannot_be_used_is_an_import_error(name: str) -> None:
    assert issubclass(OURS[name], error.PluginError)
    assert issubclass(OURS[name], ImportError)
    assert not issubclass(OURS[name], AttributeError)


def test_an_unknown_name_is_an_attribute_error_and_no_import_error() -> None:
    assert issubclass(error.UnknownName, AttributeError)
    assert not issubclass(error.UnknownName, ImportError)


def test_what_is_no_space_is_what_either_documented_api_raises() -> None:
    assert all(issubclass(error.NoSpace, kind) for kind in (TypeError, ValueError, error.CustomSpaceError))


def test_a_renamed_wrapper_is_an_import_error() -> None:
    assert issubclass(error.DeprecatedWrapper, ImportError)


@pytest.mark.parametrize("cls", [error.AlreadyPendingCallError, error.NoAsyncCallError])
def test_those_of_asynchronous_calls_have_the_name_of_the_call(
    cls: type[error.AlreadyPendingCallError | error.NoAsyncCallError],
) -> None:
    raised = cls("wait first", "step")

    assert (str(raised), raised.name) == ("wait first", "step")
