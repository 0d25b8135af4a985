"""The command `gymkernel new`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click

from gymkernel.cli.terminal import echo
from gymkernel.suggestions import did_you_mean
from gymkernel_tool_new.templates import KINDS, Names, files, named

__all__ = ["new"]

GROUPS = {"space": "spaces", "wrapper": "wrappers", "vector": "vector", "env": "envs", "command": "commands"}
"""The entry-point group in which each kind of plugin is registered."""


class _Kind(click.Choice[str]):
    """The type of the argument KIND. Its error message for an unknown kind suggests a kind with a similar spelling."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices and (hint := did_you_mean(value, self.choices)):
            self.fail(f"there is no kind {value!r}; {hint}", param, ctx)
        return super().convert(value, param, ctx)


@click.command()
@click.argument("kind", type=_Kind(KINDS))
@click.argument("name")
@click.option(
    "--path",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder in which the distribution is created [default: the current folder].",
)
@click.option("--author", help="Name of the author [default: git's user.name].")
@click.option("--vectorized", is_flag=True, help="Also create a vectorised form (only for environments).")
def new(kind: str, name: str, path: Path, author: str | None, vectorized: bool) -> None:
    """Create the files of a new plugin: a small working example that you can adapt.

    NAME is a class (AcmeClip), a distribution (acme-clip), or an id (acme/Maze-v0); all other names follow from it.

    Exit status: 0 if the files were written, 2 if nothing was written.
    """
    if vectorized and kind != "env":
        raise click.UsageError("--vectorized is only for environments; wrappers always support vector environments")
    try:
        names = named(name)
    except ValueError as exc:
        raise click.BadParameter(str(exc), param_hint="NAME") from exc
    _require_free(kind, names)
    folder = path / names.distribution
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(f"{folder} already exists and is not overwritten; pass a different --path or NAME")
    written = files(kind, name, author=author or _author(), vectorized=vectorized)
    for file, text in written.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    for file in sorted(written):
        echo(f"wrote {folder / file}")
    echo(f'\nNext:\n  pip install -e "{folder}[test]"\n  cd {folder} && pytest\n  gymkernel check {names.distribution}')


def _require_free(kind: str, names: Names) -> None:
    """Raise an error if an installed or well-known plugin already uses one of the names."""
    from gymkernel import plugins

    name = {"env": names.env_id, "vector": names.vector_cls, "command": names.distribution}.get(kind, names.cls)
    group = GROUPS.get(kind)
    if group is not None:
        installed = [plugin.distribution for plugin in plugins.providers(group, name)]
        owner = next(iter(installed), None) or plugins.missing(group).get(name)
        if owner is not None:
            raise click.BadParameter(f"{name} is already used by {owner}; add a prefix of your own", param_hint="NAME")
    known = {distribution for kind in plugins.KINDS for distribution in plugins.missing(kind).values()}
    everyone = known | {plugin.distribution for plugin in plugins.plugins()}
    if names.distribution in {distribution.lower().replace("_", "-") for distribution in everyone}:
        message = f"The distribution name {names.distribution} is already taken; choose another name"
        raise click.BadParameter(message, param_hint="NAME")


def _author() -> str:
    """Return git's `user.name` setting, which is the default for the author."""
    try:
        done = subprocess.run(["git", "config", "user.name"], capture_output=True, text=True, check=False, timeout=5)  # noqa: S607 - git is found on the PATH
    except (OSError, subprocess.TimeoutExpired):
        return "the authors"
    return done.stdout.strip() or "the authors"
