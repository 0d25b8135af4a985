"""Tests of GK91x and GK92x: the rules report packages that break them, but not similar packages that are correct."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pytest

from gymkernel import plugins
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.targets import expand

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow  # each test imports the distribution in separate processes

INFO = "lab_mazes-1.0.dist-info"
METADATA = """\
Metadata-Version: 2.4
Name: lab-mazes
Version: 1.0
Summary: Mazes of our laboratory
Requires-Python: >=3.11
License-Expression: MIT
Requires-Dist: gymkernel>=0.1,<1
Requires-Dist: gymkernel-wrapper-order-enforcing>=0.1,<1
Requires-Dist: gymkernel-wrapper-passive-env-checker>=0.1,<1

# lab-mazes
"""
SOURCE = """
    from gymkernel import Env

    class Maze(Env):
        pass
"""
POINTS = "[gymkernel.envs]\nMaze-v0 = lab_mazes:Maze\n"
Files = dict[str, str]


def published(source: str = SOURCE, points: str = POINTS, old: str = "", new: str = "", **files: str) -> Files:
    """Return the files of a correct distribution in whose metadata `old` is replaced with `new`."""
    plain = {
        f"{INFO}/METADATA": METADATA.replace(old, new),
        f"{INFO}/entry_points.txt": points,
        "lab_mazes/__init__.py": dedent(source),
        "lab_mazes/py.typed": "",
    }
    return plain | {f"lab_mazes/{name}.py": dedent(text) for name, text in files.items()}


def forked() -> Files:
    """Return the files of a second distribution with the same entry points."""
    metadata = METADATA.replace("lab-mazes", "lab-mazes-fork")
    return {"lab_mazes_fork-1.0.dist-info/METADATA": metadata, "lab_mazes_fork-1.0.dist-info/entry_points.txt": POINTS}


ANNOTATED = f"{SOURCE}\n    def size(maze: Maze) -> int:\n        return 3\n"
SPEC = """
    from gymkernel import Env
    from gymkernel.envs.registration import EnvSpec, WrapperSpec

    class Hall(Env):
        pass

    Maze = EnvSpec("Maze-v0", "lab_mazes:Hall"{})
"""
LIMITED = SPEC.replace("{}", ", max_episode_steps=9")
RECORDED = "WrapperSpec('Statistics', 'gymkernel.wrappers:RecordEpisodeStatistics', {})"
WRAPPED = SPEC.replace("{}", f", additional_wrappers=({RECORDED},)")
PROJECT = "[project]\nname = 'Lab_Mazes'\nversion = '1.0'\n"
HOOKS = "[gymkernel.hooks]\nlab-mazes = lab_mazes\n"


def hooking(source: str) -> Files:
    """Return the files of a distribution that implements a hook."""
    return published(f"from gymkernel.hooks import hookimpl\n\n{source}", points=HOOKS)


BROKEN: dict[str, list[Files]] = {
    "GK911": [
        published("import simulator_of_nobody\n"),
        published(points="[gymkernel.envs]\nMaze-v0 = lab_mazes:Labyrinth\n"),
    ],
    "GK912": [published() | forked()],
    "GK913": [published(points=f"{POINTS}[gymkernel.wrapper]\nDim = lab_mazes:Maze\n")],
    "GK914": [published(old="Requires-Python: >=3.11\n", new="Requires-Python: \n")],
    "GK915": [
        published(old="License-Expression: MIT\n", new="License: UNKNOWN\n"),
        published(old="License-Expression: MIT\n", new="Classifier: Programming Language :: Python :: 3\n"),
    ],
    "GK916": [published(old="\n# lab-mazes\n", new="\n"), published(old="Mazes of our laboratory", new="UNKNOWN")],
    "GK917": [
        published(f"    from .tables import TABLE\n{SOURCE}", tables="import time\n\ntime.sleep(2.5)\nTABLE = {}\n")
    ],
    "GK918": [
        published(
            f"{SOURCE}\n        def walls(self):\n            import numpy as np\n            return np.zeros(3)\n"
        ),
        published(SOURCE, levels="from scipy import ndimage\n"),
    ],
    "GK919": [{name: text for name, text in published(ANNOTATED).items() if not name.endswith("py.typed")}],
    "GK920": [
        published(LIMITED),
        published(old="Requires-Dist: gymkernel-wrapper-order-enforcing>=0.1,<1\n", new=""),
        published(WRAPPED),
    ],
    "GK921": [
        published("def walk():\n    pass\n", points="[gymkernel.commands]\nwalk = lab_mazes:walk\n"),
        published(
            "import argparse\n\nwalk = argparse.ArgumentParser()\n",
            points="[gymkernel.commands]\nwalk = lab_mazes:walk\n",
        ),
        published("class Walk:\n    pass\n", points="[gymkernel.commands]\nwalk = lab_mazes:Walk\n"),
    ],
    "GK922": [
        hooking("@hookimpl\ndef gymkernel_env_made(env, spec):\n    pass\n"),
        hooking("def gymkernel_env_created(env, spec):\n    pass\n"),
        hooking("@hookimpl\ndef gymkernel_env_created(env, spec, seed):\n    pass\n"),
        hooking("def created(env, spec):\n    pass\n"),
    ],
    "GK923": [
        published(f"    print('Welcome to our mazes')\n{SOURCE}"),
        published(f"    import warnings\n\n    warnings.warn('this is a preview', stacklevel=1)\n{SOURCE}"),
    ],
    "GK924": [
        published(f"    import random\n\n    random.seed(0)\n{SOURCE}"),
        published(
            f"    from .levels import LEVELS\n{SOURCE}", levels="import numpy as np\n\nLEVELS = np.random.rand(3)\n"
        ),
    ],
    "GK925": [
        published(f"    from gymkernel._metadata import scan\n{SOURCE}"),
        published(f"    from gymkernel_wrapper_order_enforcing import OrderEnforcing\n{SOURCE}"),
        published(f"{SOURCE}\n        def inside(self):\n            import gymkernel.utils._hidden\n"),
    ],
    "GK926": [
        published(
            old="gymkernel>=0.1,<1\nRequires-Dist: gymkernel-wrapper-order",
            new="gymkernel>=0.1\nRequires-Dist: gymkernel-wrapper-order",
        ),
        published(old="Requires-Dist: gymkernel>=0.1,<1\n", new="Requires-Dist: gymkernel\n"),
    ],
    "GK927": [
        published() | {"pyproject.toml": f"{PROJECT}requires-python = '3,11'\n"},
        published() | {"pyproject.toml": f"{PROJECT}dependencies = 'gymkernel'\n"},
    ],
}
LEGAL: dict[str, Files] = {
    "in order": published(),
    "a project in order": published() | {"pyproject.toml": PROJECT},
    "the project of another distribution": published()
    | {"pyproject.toml": PROJECT.replace("Lab_Mazes", "halls") + "requires-python = '3,11'\n"},
    "a group of others": published(points=f"{POINTS}[console_scripts]\nmaze = lab_mazes:Maze\n"),
    "licence by classifier": published(
        old="License-Expression: MIT\n", new="Classifier: License :: OSI Approved :: MIT License\n"
    ),
    "licence in a file": published(old="License-Expression: MIT\n", new="License-File: LICENSE\n"),
    "an import that may fail": published(
        f"    try:\n        import simulator_of_nobody\n    except ImportError:\n        pass\n{SOURCE}"
    ),
    "a plugin of the same repository": published(
        f"    from gymkernel_wrapper_order_enforcing import OrderEnforcing\n{SOURCE}",
        old="License-Expression: MIT\n",
        new="License-Expression: MIT\nProject-URL: Source, https://github.com/gymkernel/gymkernel\n",
    ),
    "a module of another distribution": published(
        points=f"{POINTS}[gymkernel.modules]\nutils.cases = pytest\n",
        old="\n# lab",
        new="Requires-Dist: pytest\n\n# lab",
    ),
    "a slow import that waits": published(
        f"{SOURCE}\n        def table(self):\n            from .tables import TABLE\n            return TABLE\n",
        tables="import time\n\ntime.sleep(2.5)\nTABLE = {}\n",
    ),
    "an import that is held up once": published(
        f"    from .tables import TABLE\n{SOURCE}",
        tables="""
            import sys
            import time
            from pathlib import Path

            if "importtime" in sys._xoptions and not (seen := Path(__file__).with_name("seen")).exists():
                seen.touch()
                time.sleep(2.5)
            TABLE = {}
        """,
    ),
    "a limit whose wrapper is declared": published(
        LIMITED,
        old="\n# lab",
        new="Requires-Dist: gymkernel-wrapper-time-limit\n\n# lab",
    ),
    "all wrappers by an extra": published(
        WRAPPED, old="gymkernel>=0.1,<1\nReq", new="gymkernel[wrappers]>=0.1,<1\nReq"
    ),
    "wrappers that are switched off": published(
        SPEC.replace("{}", ", order_enforce=False, disable_env_checker=True"),
        old="Requires-Dist: gymkernel-wrapper-order-enforcing>=0.1,<1\n",
        new="",
    ),
    "a group of commands": published(
        "import click\n\n\n@click.group()\ndef walk():\n    pass\n",
        points="[gymkernel.commands]\nwalk = lab_mazes:walk\n",
        old="\n# lab",
        new="Requires-Dist: click\n\n# lab",
    ),
    "a hook by another name, with fewer arguments": hooking(
        "@hookimpl(specname='gymkernel_env_created')\ndef count(env):\n    pass\n"
    ),
    "a generator of its own": published(
        f"    import random\n\n    LEVELS = random.Random(0).sample(range(9), 3)\n{SOURCE}"
    ),
    "what is its own": published(f"    from lab_mazes._rooms import ROOMS\n{SOURCE}", _rooms="ROOMS = 3\n"),
    "one version": published(old="gymkernel>=0.1,<1\nReq", new="gymkernel~=0.1\nReq"),
    "no annotations": {name: text for name, text in published().items() if not name.endswith("py.typed")},
}


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that installs the given files and returns the codes of all findings about them."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def look(files: Files) -> set[str]:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        plugins.refresh()
        reports = [check(item, select=["GK91", "GK92"], measure=False) for item in expand("lab-mazes")]
        return {finding.code for report in reports for finding in report.findings}

    yield look
    plugins.refresh()


CASES = [
    pytest.param(code, files, id=f"{code}-{k}") for code, several in BROKEN.items() for k, files in enumerate(several)
]


@pytest.mark.parametrize("code, files", CASES)
def test_packaging_defect_is_reported_with_its_rule(
    code: str, files: Files, found: Callable[[Files], set[str]]
) -> None:
    assert code in found(files)


@pytest.mark.parametrize("name", LEGAL)
def test_similar_legal_targets_have_no_findings(name: str, found: Callable[[Files], set[str]]) -> None:
    assert not found(LEGAL[name])


@pytest.mark.parametrize("text, expected", [("`mazes", {"GK927"}), ("mazes", set())])
def test_built_files_are_checked_with_twine(
    text: str, expected: set[str], found: Callable[[Files], set[str]], tmp_path: Path
) -> None:
    (tmp_path / "dist").mkdir()
    with ZipFile(tmp_path / "dist" / "lab_mazes-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{INFO}/METADATA", METADATA.replace("# lab-mazes", text))
        wheel.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\n")

    assert found(published() | {"pyproject.toml": PROJECT}) == expected
