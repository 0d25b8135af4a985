"""The functions `named`, which derives the names of a distribution, and `files`, which creates its files.

The templates themselves form a complete distribution, which is called `acme-thing`.
"""

from __future__ import annotations

import datetime as dt
import json
import keyword
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import PurePosixPath
from typing import Final

__all__ = ["KINDS", "Names", "files", "named"]

BASES: Final = {"ActionWrapper", "Env", "ObservationWrapper", "RewardWrapper", "Space", "VectorWrapper", "Wrapper"}
"""The classes that the templates import. A new class with the same name would hide the imported class."""
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


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a distribution and of its contents.

    Attributes:
        distribution: the name of the distribution that `pip install` takes: `acme-clip`.
        package: the name of the Python package: `acme_clip`.
        cls: the name of the class: `AcmeClip`.
        vector_cls: the name of the vector environment's class: `AcmeClipVectorEnv`.
        env_id: the id of the environment: `acme/Clip-v0`.
        codes: the prefix for the codes of rules: `ACMECLIP`.
    """

    distribution: str
    package: str
    cls: str
    vector_cls: str
    env_id: str
    codes: str


def named(name: str) -> Names:
    """Derive all names from a class (`AcmeClip`), a distribution (`acme-clip`), or an id (`acme/Clip-v0`).

    Args:
        name: the argument NAME of `gymkernel new`.

    Raises:
        ValueError: if the name has a different form, or if it would hide a standard module or a base class.

    >>> named("acme/Maze-v0")
    Names(distribution='acme-maze', package='acme_maze', cls='AcmeMaze', ...)
    >>> named("acme-clip").cls, named("HTTPClip").distribution
    ('AcmeClip', 'http-clip')

    A suffix such as `Env` or `VectorEnv` is not added twice:

    >>> named("AcmeVectorEnv").vector_cls, named("AcmeMazeEnv").vector_cls, named("AcmeMazeEnv").env_id
    ('AcmeVectorEnv', 'AcmeMazeVectorEnv', 'acme/Maze-v0')
    """
    plain = re.sub(r"-v\d+$", "", name)
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", plain)
    if not words or not re.fullmatch(r"[A-Za-z][\w-]*(/[A-Za-z][\w-]*)?", plain) or "".join(words).isdigit():
        raise ValueError(f"Expected a name such as AcmeClip, acme-clip or acme/Clip-v0, got {name!r}")
    lower = [word.lower() for word in words]
    package = "_".join(lower)
    if package in sys.stdlib_module_names or keyword.iskeyword(package):
        raise ValueError(
            f"A package named {package} would hide Python's own; add a prefix of your own, for example acme-{package}"
        )
    capital, bare = _class_name(words), _without_kind(words)
    if capital in BASES or not bare:
        raise ValueError(f"{capital} is the name of a base class; add a prefix of your own, for example Acme{capital}")
    version = name.removeprefix(plain) or "-v0"
    space, _, rest = plain.rpartition("/")
    own = "".join(word.capitalize() for word in bare[1:]) or _class_name(bare)
    env_id = f"{space or lower[0]}/{rest if space else own}{version}"
    codes = "".join(lower).upper()
    of_vector = bare[:-1] if bare[1:] and bare[-1].lower() == "vector" else bare
    return Names("-".join(lower), package, capital, f"{_class_name(of_vector)}VectorEnv", env_id, codes)


def _class_name(words: list[str]) -> str:
    return "".join(word if word.isupper() and len(word) > 1 else word.capitalize() for word in words)


def _without_kind(words: list[str]) -> list[str]:
    """Return the words without a suffix such as `Env` or `VectorEnv`."""
    for kind in (["vector", "env"], ["vectorenv"], ["env"]):
        if [word.lower() for word in words[-len(kind) :]] == kind:
            return words[: -len(kind)]
    return words


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
