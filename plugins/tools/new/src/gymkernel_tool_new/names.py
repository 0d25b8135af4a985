"""The function `named`, which derives the names of the distribution, package and class from the user's name."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from typing import Final

__all__ = ["Names", "named"]

BASES: Final = {"ActionWrapper", "Env", "ObservationWrapper", "RewardWrapper", "Space", "VectorWrapper", "Wrapper"}
"""The classes that the templates import. A new class with the same name would hide the imported class."""


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
