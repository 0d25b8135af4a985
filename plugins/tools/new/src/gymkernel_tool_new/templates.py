"""The function `files`, which creates the files of a distribution from templates.

The templates themselves form a complete distribution, which is called `acme-thing`.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Final

from gymkernel_tool_new.names import Names, named

__all__ = ["KINDS", "files"]

KINDS: Final = ("space", "wrapper", "vector", "env", "rule", "command")

COMMON: Final = {
    "LICENSE": "LICENSE",
    "gitignore": ".gitignore",
    "test.yml": ".github/workflows/test.yml",
    "publish.yml": ".github/workflows/publish.yml",
}
"""Maps each template that all distributions use to the path of the file to create."""
OWN: Final = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "module.py.txt": "src/acme_thing/__init__.py",
    "vector.py.txt": "src/acme_thing/vector.py",
    "test.py.txt": "tests/test_acme_thing.py",
    "test_vector.py.txt": "tests/test_acme_thing_vector.py",
}
"""For each kind of plugin, maps each template that only this kind uses to the path of the file to create."""
VECTORIZED: Final = {"vector.py.txt", "test_vector.py.txt"}
"""The templates for the vector version of an environment."""


def files(kind: str, name: str, *, author: str, vectorized: bool = False) -> Mapping[PurePosixPath, str]:
    """Return the contents of each file of a new distribution, keyed by path.

    Args:
        kind: the kind of plugin, as listed in `KINDS`.
        name: the name of a class, a distribution or an environment, as in `named`.
        author: the name of the author, for pyproject.toml and LICENSE.
        vectorized: whether to also create a vector version of an environment.

    Raises:
        ValueError: if the kind is unknown, or the name is invalid.

    >>> files("rule", "acme-rules", author="Acme")[PurePosixPath("pyproject.toml")].splitlines()[1]
    'name = "acme-rules"'
    """
    if kind not in KINDS:
        raise ValueError(f"Expected a kind of plugin ({', '.join(KINDS)}), got {kind!r}")
    names = named(name)
    folder = resources("gymkernel_tool_new") / "template_files"
    omitted = VECTORIZED if kind == "env" and not vectorized else set()
    texts = {target: (folder / "common" / source).read_text("utf-8") for source, target in COMMON.items()}
    for source, target in OWN.items():
        template = folder / kind / source
        if template.is_file() and source not in omitted:
            texts[target] = template.read_text("utf-8")
    texts["src/acme_thing/py.typed"] = ""
    if kind == "env" and vectorized:
        module, _, arguments = texts["src/acme_thing/__init__.py"].rpartition("SPEC = EnvSpec(")
        form = 'vector_entry_point="acme_thing.vector:AcmeThingVectorEnv"'
        lines = [f"    {argument}," for argument in [*arguments.removesuffix(")\n").split(", "), form]]
        texts["src/acme_thing/__init__.py"] = "\n".join([f"{module}SPEC = EnvSpec(", *lines, ")\n"])
    quoted = json.dumps(author, ensure_ascii=False)[1:-1]  # escapes the characters that a TOML string must not contain
    return {
        PurePosixPath(_fill(path, names, "")): _fill(text, names, quoted if path == "pyproject.toml" else author)
        for path, text in texts.items()
    }


def _fill(text: str, names: Names, author: str) -> str:
    """Replace the template's names in a text with those of the new distribution."""
    for old, new in {
        "acme/Thing-v0": names.env_id,
        "acme-thing": names.distribution,
        "acme_thing": names.package,
        "AcmeThingVectorEnv": names.vector_cls,
        "AcmeThing": names.cls,
        "ACMETHING": names.codes,
        "ACME-AUTHOR": author,
        "ACME-YEAR": str(dt.datetime.now(tz=dt.UTC).year),
    }.items():
        text = text.replace(old, new)
    return text
