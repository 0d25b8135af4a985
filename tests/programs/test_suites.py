"""The tests of other people's packages that pass with Gymnasium pass where `import gymnasium` gives gymkernel.

GYMKERNEL_SUITES names the folder into which `suites.py` unpacked them. What fails with Gymnasium too proves nothing and
is left out. DIFFERENT lists what fails here alone, each with its reason; what passes again has to leave the list.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
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
DIFFERENT: dict[str, str] = {}
"""Patterns of tests, `file::name`, and why they cannot pass here."""


def _outcomes(suite: Suite, file: Path, *, alias: bool, folder: Path) -> dict[str, str]:
    """The outcome of every test of a file: passed, failed or skipped."""
    report = folder / f"{'alias' if alias else 'plain'}.xml"
    environment = {**os.environ, "GYMKERNEL_DISABLE": "gymkernel-bridge-gymnasium"}
    places = [str(file.parent.parent), str(HERE / "support"), *([str(HERE / "alias")] if alias else ())]
    environment["PYTHONPATH"] = os.pathsep.join(reversed(places))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [f"--rootdir={file.parent.parent}", "-c", os.devnull, f"--junitxml={report}", str(file)]
    command += ["-k", suite.select] if suite.select else []
    finished = subprocess.run(
        command, env=environment, cwd=file.parent.parent, capture_output=True, text=True, check=False
    )
    assert report.exists(), finished.stdout + finished.stderr
    found = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
        kinds = {child.tag for child in case}
        bad = kinds & {"failure", "error"}
        found[f"{file.name}::{case.get('name')}"] = "failed" if bad else "skipped" if "skipped" in kinds else "passed"
        if bad:
            print(alias, case.get("name"), next(c.get("message") for c in case if c.tag in bad))
    return found


@pytest.mark.skipif(
    not FOLDER, reason="GYMKERNEL_SUITES names no folder: `python tests/programs/suites.py FOLDER` fills one"
)
@pytest.mark.parametrize("suite, file", FILES)
def test_suite(suite: Suite, file: Path, tmp_path: Path) -> None:
    expected = _outcomes(suite, file, alias=False, folder=tmp_path)
    here = _outcomes(suite, file, alias=True, folder=tmp_path)
    passing = {name for name, outcome in expected.items() if outcome == "passed"}
    assert passing
    lost = {name for name in passing if here.get(name) != "passed"}
    listed = {name for name in passing if any(re.search(pattern, name) for pattern in DIFFERENT)}
    assert lost == listed
