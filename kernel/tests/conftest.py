"""Fixtures that install fake packages in a temporary folder, and hide all packages that are really installed."""

from __future__ import annotations

import os
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import importlib_metadata
import pytest

from gymkernel import _metadata, plugins
from gymkernel.registration import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

METADATA = "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{requires}\n\nWords.\n"


@pytest.fixture
def really_installed() -> tuple[str, ...]:
    """Return the folders of the real distributions that a scan must also find."""
    return ()


@pytest.fixture
def install(tmp_path: Path, really_installed: tuple[str, ...]) -> Iterator[Callable[..., Path]]:
    """Return a function that installs a fake distribution and returns its dist-info folder.

    Call it as in `install("acme-shapes", modules={"acme": source}, spaces={"Pyramid": "acme:Pyramid"})`. The arguments
    `metadata` and `entry_points` replace the contents of whole files.
    """
    folder = tmp_path / "site-packages"
    folder.mkdir()
    find, sources = importlib_metadata.distributions, _metadata._sources
    before = set(sys.modules)

    def make(
        name: str,
        version: str = "1.0",
        requires: str = "gymkernel>=0.1,<1",
        modules: Mapping[str, str] | None = None,
        metadata: str | bytes | None = None,
        entry_points: str | bytes | None = None,
        **kinds: Mapping[str, str],
    ) -> Path:
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        if metadata is None:
            bound = f"Requires-Dist: {requires}" if requires else "License: MIT"
            metadata = METADATA.format(name=name, version=version, requires=bound)
        if entry_points is None:
            entry_points = "".join(
                f"[gymkernel.{kind}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
                for kind, points in kinds.items()
            )
        for file, text in {"METADATA": metadata, "entry_points.txt": entry_points}.items():
            (info / file).write_bytes(text if isinstance(text, bytes) else text.encode())
        for module, source in (modules or {}).items():
            path = folder.joinpath(*module.split(".")).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(source))
        plugins.refresh()
        return info

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(
            _metadata,
            "_sources",
            lambda _: [*sources([str(folder)]), *(found for item in really_installed for found in find(name=item))],
        )
        patch.setattr(
            importlib_metadata,
            "distributions",
            lambda **more: [
                *find(path=[str(folder)], **more),
                *(found for item in really_installed if more.get("name", item) == item for found in find(name=item)),
            ],
        )
        patch.delenv("GYMKERNEL_DISABLE", raising=False)
        plugins.refresh()
        yield make
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]
    plugins.refresh()


@pytest.fixture
def disable(install: Callable[..., Path]) -> Iterator[Callable[..., None]]:
    """Return a function that sets `GYMKERNEL_DISABLE`: `disable("acme", "spaces.Pyramid")`."""

    def switch_off(*words: str) -> None:
        os.environ["GYMKERNEL_DISABLE"] = ", ".join(words)
        plugins.refresh()

    yield switch_off
    os.environ.pop("GYMKERNEL_DISABLE", None)


@pytest.fixture(autouse=True)
def _untouched_registry() -> Iterator[None]:
    registered, deleted = dict(registry.registered), set(registry.deleted)
    yield
    registry.registered.clear()
    registry.registered.update(registered)
    registry.deleted = deleted
    registry._generation = -1
