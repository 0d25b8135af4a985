"""What programs may import can be imported: `public_names_0_1_0.txt` lists the documented names by module."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from gymkernel import error

LINES = Path(__file__).with_name("public_names_0_1_0.txt").read_text(encoding="utf-8").splitlines()
NAMES = {module: names.split() for module, _, names in (line.partition(":") for line in LINES)}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a name that is another one now still works
@pytest.mark.parametrize("module", NAMES)
def test_the_names_of_0_1_0_are_there(module: str) -> None:
    try:
        found = importlib.import_module(module)
        absent = [name for name in NAMES[module] if not _has(found, name)]
    except error.MissingPlugin as exc:
        assert "run: pip install gymkernel-" in str(exc)  # noqa: PT017 - a heavy plugin, which is not installed here
    else:
        assert absent == []


def _has(module: object, name: str) -> bool:
    try:
        return hasattr(module, name)
    except error.MissingPlugin:
        return True
