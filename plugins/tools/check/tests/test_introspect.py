"""Tests of functions that inspect objects without calling the objects' methods."""

from __future__ import annotations

import functools
import inspect
import linecache
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel_tool_check import findings, options
from gymkernel_tool_check.introspect import source_of
from gymkernel_tool_check.probes import probe_envs, trace

if TYPE_CHECKING:
    from pathlib import Path


def marked(cls: Any) -> Any:
    return cls


@marked
@functools.total_ordering
class Outer:
    """A class that contains another class."""

    class Inner:
        """A class inside a class."""

    def __lt__(self, other: object) -> bool:
        class Local:
            """A class inside a function."""

        self.local = Local
        return False


if sys.version_info:

    class Conditional:
        """The first class with this name."""

else:

    class Conditional:  # type: ignore[no-redef]
        """The second class with this name."""


def local() -> Any:
    outer = Outer()
    assert not outer < 1
    return outer.local


OWN = [Outer, Outer.Inner, local(), Conditional]
THEIRS = [
    getmember
    for module in (findings, options, probe_envs, trace)
    for _, getmember in inspect.getmembers(module, inspect.isclass)
    if getmember.__module__ == module.__name__
]


@pytest.mark.parametrize("cls", OWN + THEIRS, ids=lambda cls: cls.__qualname__)
def test_line_of_a_class_matches_inspect(cls: type) -> None:
    assert source_of(cls) == (inspect.getsourcefile(cls), inspect.getsourcelines(cls)[1])


@pytest.mark.parametrize(
    "thing", [marked, Outer.__lt__, source_of, pytest.fixture], ids=lambda thing: thing.__qualname__
)
def test_line_of_a_function_matches_inspect(thing: Any) -> None:
    assert source_of(thing) == (inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1])


def test_object_without_source_has_no_line() -> None:
    made = type("Made", (), {"__module__": __name__})
    assert (source_of(int), source_of(len), source_of(3), source_of(made)) == (None,) * 4


def test_edited_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "edited_file.py"
    file.write_text("class Thing:\n    pass\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import edited_file  # type: ignore[import-not-found]

    monkeypatch.setitem(sys.modules, "edited_file", edited_file)
    assert source_of(edited_file.Thing) == (str(file), 1)
    file.write_text("# longer by a line\nclass Thing:\n    pass\n", encoding="utf-8")
    linecache.clearcache()
    assert source_of(edited_file.Thing) == (str(file), 1 if sys.version_info >= (3, 13) else 2)
