"""What installed distributions say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import _metadata

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RELEASES = st.tuples(*[st.integers(0, 20)] * 3)


def text(release: tuple[int, ...]) -> str:
    return ".".join(map(str, release))


class TestExcludes:
    @pytest.mark.parametrize(
        "requires,kernel,excluded",
        [
            ("", "0.1.0", False),
            (">=0.1", "0.1.0", False),
            (">=0.1", "0.0.9", True),
            (">=0.10", "0.9.0", True),
            ("<1,>=0.1", "1.0", True),
            ("<1.0", "0.99.99", False),
            (">=0.1 , <1", "0.5", False),
            (">=1", "1.0.0rc1", False),
            (">=1", "1.0.0+local.7", False),
            ("!=0.2,~=0.1,==0.1.*", "0.2", False),
            ("<=0.5", "0.6", False),
        ],
    )
    def test_cases(self, requires: str, kernel: str, excluded: bool) -> None:
        assert _metadata.excludes(requires, kernel) is excluded

    @given(RELEASES, RELEASES)
    def test_bounds_compare_numbers(self, bound: tuple[int, ...], kernel: tuple[int, ...]) -> None:
        assert _metadata.excludes(f">={text(bound)}", text(kernel)) is (kernel < bound)
        assert _metadata.excludes(f"<{text(bound)}", text(kernel)) is (kernel >= bound)


@pytest.mark.parametrize("name", ["Acme.Sound", "acme_sound", "ACME--sound", "acme-sound"])
def test_names_are_compared_in_one_form(name: str) -> None:
    assert _metadata.normalize(name) == "acme-sound"


def test_the_version_of_what_is_installed() -> None:
    assert _metadata.version("pytest") == pytest.__version__
    assert _metadata.version("no-such-distribution") is None


def test_the_requirements_of_what_is_installed() -> None:
    assert any(need.startswith("pluggy") for need in _metadata.dependencies("pytest"))
    assert not any("extra" in need for need in _metadata.dependencies("pytest"))
    assert _metadata.dependencies("no-such-distribution") == []


def test_the_first_of_a_name_on_the_path_counts(install: Callable[..., Path]) -> None:
    install("acme", "1.0", spaces={"A": "acme:A"})
    install("Acme", "2.0", spaces={"A": "acme:A"})

    (found,), unreadable = _metadata.scan()

    assert found.version in {"1.0", "2.0"}
    assert unreadable == []


def test_distributions_without_entry_points_of_ours_are_not_read(install: Callable[..., Path]) -> None:
    install("other", metadata=b"\xff", entry_points="[console_scripts]\nother = other:main\n")

    assert _metadata.scan() == ([], [])
