"""Tests that third-party tests that pass with Gymnasium also pass with gymkernel, which replaces it in four `WAYS`.

GYMKERNEL_SUITES names the folder into which `suites.py` unpacked the third-party tests. Tests that fail with Gymnasium
are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.programs.replaced import copy_replaced
from tests.programs.suites import SUITES

if TYPE_CHECKING:
    from tests.programs.suites import Suite

HERE = Path(__file__).parent
FOLDER = os.environ.get("GYMKERNEL_SUITES", "")
FILES = [
    pytest.param(suite, path, id=f"{suite.distribution}/{path.stem}")
    for suite in SUITES
    if not suite.needs or find_spec(suite.needs)
    for path in suite.find(Path(FOLDER))
]
WAYS = {
    "run": "the tests run with `gymkernel run -m pytest`",
    "alias": "`import gymnasium` gives gymkernel, and the bridge has nothing to do",
    "tests": "the tests import gymkernel; the package imports Gymnasium, and the bridge joins them",
    "package": "the tests and the package import gymkernel",
}


def _prepare(suite: Suite, file: Path, way: str, folder: Path) -> tuple[Path, list[Path]]:
    """Return the test file to run, and the folders to put on the import path, in order."""
    top = file.parent.parent
    support = HERE / "support"
    if way in ("plain", "run", "alias"):
        return file, [*([HERE / "alias"] if way == "alias" else ()), support / suite.package, support, top]
    copy_replaced(top, folder / "suite")
    copy_replaced(support, folder / "support")
    if way == "package":
        spec = find_spec(suite.package)
        assert spec is not None
        assert spec.origin is not None
        installed = Path(spec.origin).parent
        for part in (installed, installed.with_name(f"{suite.package}.libs")):  # with the wheel's shared libraries
            if part.is_dir():
                copy_replaced(part, folder / "packages" / part.name)
    support = folder / "support"
    places = [folder / "packages", support / suite.package, support, folder / "suite"]
    return folder / "suite" / file.relative_to(top), places


def _outcomes(suite: Suite, file: Path, way: str, folder: Path) -> dict[str, str]:
    """Run a test file, and return the outcome of every test: passed, failed or skipped."""
    report = folder / f"{way}.xml"
    tests, places = _prepare(suite, file, way, folder)
    environment = dict(os.environ)
    if way in ("plain", "alias"):
        environment["GYMKERNEL_DISABLE"] = "gymkernel-bridge-gymnasium"
    environment["PYTHONPATH"] = os.pathsep.join(map(str, places))
    command = [sys.executable, *(["-m", "gymkernel", "run"] if way == "run" else []), "-m", "pytest", "-q"]
    command += ["-p", "no:cacheprovider"]
    command += [f"--rootdir={tests.parent.parent}", "-c", os.devnull, f"--junitxml={report}", str(tests)]
    command += ["-k", suite.select] if suite.select else []
    finished = subprocess.run(
        command, env=environment, cwd=tests.parent.parent, capture_output=True, text=True, check=False
    )
    assert report.exists(), finished.stdout + finished.stderr
    found = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote the report
        kinds = {child.tag for child in case}
        bad = kinds & {"failure", "error"}
        found[f"{file.name}::{case.get('name')}"] = "failed" if bad else "skipped" if "skipped" in kinds else "passed"
        if bad:
            print(way, case.get("name"), next(c.get("message") for c in case if c.tag in bad))
    return found


@cache
def _expected(suite: Suite, file: Path) -> frozenset[str]:
    """Return the tests of a file that pass with Gymnasium."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = _outcomes(suite, file, "plain", Path(folder))
    return frozenset(name for name, outcome in outcomes.items() if outcome == "passed")


@pytest.mark.skipif(
    not FOLDER, reason="GYMKERNEL_SUITES is not set; `python tests/programs/suites.py FOLDER` creates a folder for it"
)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("suite, file", FILES)
def test_suite(suite: Suite, file: Path, way: str, tmp_path: Path) -> None:
    passing = _expected(suite, file)
    assert passing
    here = _outcomes(suite, file, way, tmp_path)
    assert not {name for name in passing if here.get(name) != "passed"}
