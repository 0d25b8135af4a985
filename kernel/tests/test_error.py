"""Tests of the exceptions and their base classes."""

from __future__ import annotations

import inspect

import pytest

from gymkernel import error

OURS = {name: cls for name, cls in inspect.getmembers(error, inspect.isclass) if name != "_Base"}


def test_all_errors_derive_from_error_with_one_exception() -> None:
    assert {name for name, cls in OURS.items() if not issubclass(cls, error.Error)} == {"DeprecatedWrapper"}


def test_all_errors_have_a_docstring() -> None:
    assert all(cls.__doc__ for cls in OURS.values())


@pytest.mark.parametrize("name", ["NamespaceNotFound", "NameNotFound", "VersionNotFound"])
def test_failed_lookups_are_unregistered_env_errors(name: str) -> None:
    assert issubclass(OURS[name], error.UnregisteredEnv)


@pytest.mark.parametrize("name", ["MissingPlugin", "BrokenPlugin", "DisabledPlugin", "PluginConflict"])
def test_unusable_plugin_is_an_import_error(name: str) -> None:
    assert issubclass(OURS[name], error.PluginError)
    assert issubclass(OURS[name], ImportError)
    assert not issubclass(OURS[name], AttributeError)


def test_unknown_name_is_an_attribute_error() -> None:
    assert issubclass(error.UnknownName, AttributeError)
    assert not issubclass(error.UnknownName, ImportError)


def test_non_space_error_matches_both_documented_apis() -> None:
    assert all(issubclass(error.NoSpace, kind) for kind in (TypeError, ValueError, error.CustomSpaceError))


def test_renamed_wrapper_raises_import_error() -> None:
    assert issubclass(error.DeprecatedWrapper, ImportError)


@pytest.mark.parametrize("cls", [error.AlreadyPendingCallError, error.NoAsyncCallError])
def test_async_call_errors_have_the_name_of_the_call(
    cls: type[error.AlreadyPendingCallError | error.NoAsyncCallError],
) -> None:
    raised = cls("wait first", "step")

    assert (str(raised), raised.name) == ("wait first", "step")
