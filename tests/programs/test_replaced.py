"""Tests that imports are replaced in every form of import statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.programs.replaced import copy_replaced, replace_imports

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "line, replaced",
    [
        ("import gymnasium as gym", "import gymkernel as gym"),
        ("import gymnasium", "import gymkernel as gymnasium"),
        ("    import gymnasium  # inside", "    import gymkernel as gymnasium  # inside"),
        ("import gymnasium.spaces as sp", "import gymkernel.spaces as sp"),
        ("import gymnasium.wrappers.common", "import gymkernel.wrappers.common; import gymkernel as gymnasium"),
        ("from gymnasium import spaces", "from gymkernel import spaces"),
        ("from gymnasium.vector.utils import (", "from gymkernel.vector.utils import ("),
        ("import gymnasium_robotics", "import gymnasium_robotics"),
        ("from mo_gymnasium import wrappers", "from mo_gymnasium import wrappers"),
        ("text = 'import gymnasium'", "text = 'import gymnasium'"),
    ],
)
def test_import_is_replaced_and_keeps_its_name(line: str, replaced: str) -> None:
    program = f"import os\n{line}\nprint(os)\n"
    assert replace_imports(program) == f"import os\n{replaced}\nprint(os)\n"


def test_copy_has_every_file_and_keeps_the_source(tmp_path: Path) -> None:
    source = tmp_path / "package"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "module.py").write_text("import gymnasium as gym\n")
    (source / "picture.png").write_bytes(b"\x89PNG")
    copy_replaced(source, tmp_path / "copy")
    assert (tmp_path / "copy" / "deep" / "module.py").read_text() == "import gymkernel as gym\n"
    assert (tmp_path / "copy" / "picture.png").read_bytes() == b"\x89PNG"
    assert (source / "deep" / "module.py").read_text() == "import gymnasium as gym\n"
