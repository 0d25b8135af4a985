"""The files of a distribution, from templates that are a distribution themselves: `acme-thing`, with `AcmeThing`."""

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
"""Templates that every distribution has, and where they go."""
OWN: Final = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "module.py.txt": "src/acme_thing/__init__.py",
    "vector.py.txt": "src/acme_thing/vector.py",
    "test.py.txt": "tests/test_acme_thing.py",
    "test_vector.py.txt": "tests/test_acme_thing_vector.py",
}
"""Templates of a kind, and where they go."""
VECTORIZED: Final = {"vector.py.txt", "test_vector.py.txt"}
"""Those of an environment that are for its vectorised form."""


def files(kind: str, name: str, *, author: str, vectorized: bool = False) -> Mapping[PurePosixPath, str]:
    """The text of each file of a new distribution, by its path.

    Args:
        kind: of plugin, one of `KINDS`.
        name: as `named` takes it.
        author: for pyproject.toml and LICENSE.
        vectorized: whether an environment gets a vectorised form, too.

    Raises:
        ValueError: an unknown kind, or a name that is none.

    >>> files("rule", "acme-rules", author="Acme")[PurePosixPath("pyproject.toml")].splitlines()[1]
    'name = "acme-rules"'
    """
    if kind not in KINDS:
        raise ValueError(f"Expected a kind of plugin ({', '.join(KINDS)}), got {kind!r}")
    names = named(name)
    folder = resources("gymkernel_tool_new") / "template_files"
    left_out = VECTORIZED if kind == "env" and not vectorized else set()
    texts = {target: (folder / "common" / source).read_text("utf-8") for source, target in COMMON.items()}
    for source, target in OWN.items():
        template = folder / kind / source
        if template.is_file() and source not in left_out:
            texts[target] = template.read_text("utf-8")
    texts["src/acme_thing/py.typed"] = ""
    if kind == "env" and vectorized:
        spec = "max_episode_steps=200, reward_threshold=0.9)\n"
        form = 'vector_entry_point="acme_thing.vector:AcmeThingVectorEnv")\n'
        texts["src/acme_thing/__init__.py"] = _with_form(texts["src/acme_thing/__init__.py"], spec, form)
    quoted = json.dumps(author, ensure_ascii=False)[1:-1]  # as a string of TOML
    return {
        PurePosixPath(_filled(path, names, "")): _filled(text, names, quoted if path == "pyproject.toml" else author)
        for path, text in texts.items()
    }


def _with_form(module: str, spec: str, form: str) -> str:
    """The module, whose spec names the vectorised form, too."""
    head, _, rest = module.rpartition("SPEC = EnvSpec(")
    arguments = rest.removesuffix(spec) + spec.removesuffix(")\n")
    lines = [f"    {one}," for one in [*arguments.split(", "), form.removesuffix(")\n")]]
    return head + "SPEC = EnvSpec(\n" + "\n".join(lines) + "\n)\n"


def _filled(text: str, names: Names, author: str) -> str:
    """A text of the template with the names of the distribution."""
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
