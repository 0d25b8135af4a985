"""How the parts of a distribution are called after the one name that its author gives."""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass

__all__ = ["Names", "named"]


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a distribution and of what is in it.

    Attributes:
        distribution: as `pip install` takes it, `acme-clip`.
        package: as Python imports it, `acme_clip`.
        cls: the class, `AcmeClip`.
        env_id: of an environment, `acme/Clip-v0`.
        codes: what codes of rules begin with, `ACMECLIP`.
    """

    distribution: str
    package: str
    cls: str
    env_id: str
    codes: str


def named(name: str) -> Names:
    """All names that follow from one: a class (`AcmeClip`), a distribution (`acme-clip`), or an id (`acme/Clip-v0`).

    Args:
        name: what was given to `gymkernel new`.

    Raises:
        ValueError: the name is none of these, or a package of that name would hide a module of Python's.

    >>> named("acme/Maze-v0")
    Names(distribution='acme-maze', package='acme_maze', cls='AcmeMaze', env_id='acme/Maze-v0', codes='ACMEMAZE')
    >>> named("acme-clip").cls, named("HTTPClip").distribution
    ('AcmeClip', 'http-clip')
    """
    plain = re.sub(r"-v\d+$", "", name)
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+", plain)
    if not words or not re.fullmatch(r"[A-Za-z][\w-]*(/[A-Za-z][\w-]*)?", plain) or "".join(words).isdigit():
        raise ValueError(f"Expected a name such as AcmeClip, acme-clip or acme/Clip-v0, got {name!r}")
    lower = [word.lower() for word in words]
    package = "_".join(lower)
    if package in sys.stdlib_module_names or keyword.iskeyword(package):
        raise ValueError(f"A package {package} would hide Python's own; put a name of yours in front: acme-{package}")
    capital = "".join(word if word.isupper() and len(word) > 1 else word.capitalize() for word in words)
    version = name.removeprefix(plain) or "-v0"
    space, _, rest = plain.rpartition("/")
    env_id = f"{space or lower[0]}/{rest if space else ''.join(map(str.capitalize, lower[1:])) or capital}{version}"
    return Names("-".join(lower), package, capital, env_id, "".join(lower).upper())
