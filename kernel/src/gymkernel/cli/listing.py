"""`gymkernel list`."""

from __future__ import annotations

import sys
from typing import Any

import click

from gymkernel import plugins
from gymkernel.cli import completion, inventory
from gymkernel.cli.terminal import Terminal, plural, table
from gymkernel.third_party import ENVS

__all__ = ["list_"]

BAD = ("broken", "conflict", "incompatible")
COLOURS: dict[str, str | None] = dict.fromkeys(("broken", "conflict", "incompatible"), "red")
COLOURS |= {"missing": None, "disabled": "yellow", "incomplete": "yellow"}
FEW = 3
"""Missing names that the overview of all kinds shows one by one."""


@click.command("list")
@click.argument("kind", required=False, shell_complete=completion.kinds)
@click.argument("pattern", required=False, shell_complete=completion.names_of_kind)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to write it.")
@click.option("--load", is_flag=True, help="Import everything; exit 1 if anything is broken or in conflict.")
def list_(kind: str | None, pattern: str | None, form: str, load: bool) -> None:
    """Show what is installed, what is known and missing, and what is broken and why.

    KIND is spaces, wrappers, vector, vector_wrappers, utils, modules, envs, commands, checks or plugins (everything by
    distribution); without it, an overview of all. PATTERN is a glob such as "Cart*", in which upper and lower case are
    the same.

    Nothing is imported but metadata, unless --load asks for it.
    """
    if kind is not None and kind not in inventory.KINDS:
        if pattern is not None:
            raise click.UsageError(f"expected a kind ({', '.join(inventory.KINDS)}), got {kind!r}")
        kind, pattern = None, kind
    kinds = (kind,) if kind is not None else inventory.PLUGIN_KINDS
    if load:
        inventory.load_everything(plugins.KINDS if kind in {None, "plugins"} else kinds)
    found = {one: inventory.items(one, pattern or "*") for one in kinds}
    if kind is None:
        found["others"] = [item for one in plugins.PLURAL for item in inventory.items(one) if item["state"] in BAD]
    if form == "json":
        click.echo(as_json(found))
    else:
        overview = kind is None and pattern is None
        if overview:  # of these there are too many
            found["others"] += [item for one in plugins.PLACES for item in found.pop(one) if item["state"] in BAD]
        _show(Terminal(), found, overview=overview, loaded=load)
        if kind == "envs" and pattern is None:
            _show_extras(Terminal())
    if pattern is not None and not any(found.values()):
        click.echo(f"nothing fits {pattern!r}", err=True)
        sys.exit(1)
    if load and any(item["state"] in BAD for several in found.values() for item in several):
        sys.exit(1)


def as_json(found: dict[str, list[inventory.Item]]) -> str:
    """The records as JSON."""
    import json

    from gymkernel.cli.matrix import matrix_of

    items = [item for several in found.values() for item in several]
    data: dict[str, Any] = {
        "schema": inventory.SCHEMA,
        "kernel": plugins.kernel_version(),
        "python": _python(),
        "report": _report_lines(),
        "items": items,
        "unreadable": plugins.unreadable(),
    }
    if any(item["kind"] == "spaces" and item["state"] == "loaded" for item in items):
        data["operations"] = matrix_of([i["name"] for i in items if i["kind"] == "spaces" and i["state"] == "loaded"])
    return json.dumps(data, indent=2)


def _python() -> str:
    return ".".join(map(str, sys.version_info[:3]))


def _report_lines() -> list[str]:
    return [str(line) for lines in plugins.call_hook("gymkernel_report_lines", []) for line in lines]


def _show(terminal: Terminal, found: dict[str, list[inventory.Item]], *, overview: bool, loaded: bool) -> None:
    everything = plugins.plugins()
    distributions = {plugin.distribution for plugin in everything}
    names = f"{plural(len(everything), 'name')} in {plural(len(distributions), 'distribution')}"
    terminal.write(f"{terminal.paint(f'gymkernel {plugins.kernel_version()}', bold=True)}, Python {_python()}, {names}")
    for line in _report_lines():
        terminal.write(line)
    if list(found) == ["plugins"]:
        _show_by_distribution(terminal, found["plugins"])
    else:
        width = max((len(item["name"]) for items in found.values() for item in items), default=0)
        for kind, items in found.items():
            if items or (overview and kind != "others"):
                _show_kind(terminal, kind, items, width, short=overview)
    if overview:
        terminal.write()
        for word in (*plugins.PLACES, "checks"):
            terminal.write(f"{terminal.paint(word, bold=True)}: gymkernel list {word}")
    for line in plugins.unreadable():
        terminal.write()
        terminal.write(terminal.paint(f"an installed distribution cannot be read: {line}", "red"))
    if list(found) == ["spaces"] and found["spaces"]:
        terminal.write()
        if not loaded:
            terminal.write(
                terminal.paint("gymkernel list spaces --load shows which operations each space has", dim=True)
            )
        else:
            from gymkernel.cli.matrix import show_matrix

            show_matrix(terminal, [item["name"] for item in found["spaces"] if item["state"] == "loaded"])


def _show_extras(terminal: Terminal) -> None:
    """Write what brings environments of other packages."""
    extras = ", ".join(dict.fromkeys(ENVS.values()))
    terminal.write()
    for line in terminal.wrap("", f"other packages (gymkernel list envs 'MiniGrid*' has them): {extras}", 2):
        terminal.write(terminal.paint(line, dim=True))


def _show_kind(terminal: Terminal, kind: str, items: list[inventory.Item], width: int, *, short: bool) -> None:
    terminal.write()
    terminal.write(terminal.paint(kind.replace("_", " "), bold=True))
    installed = [item for item in items if item["state"] != "missing"]
    absent = [item for item in items if item["state"] == "missing"]
    shown = installed + ([] if short and len(absent) > FEW else absent)
    rows = [
        (
            item["name"].ljust(width),
            "not installed" if item["state"] == "missing" else f"{item['distribution']} {item['version']}",
        )
        for item in shown
    ]
    for item, line in zip(shown, table(rows), strict=True):
        state = item["state"]
        mark = f"  {state}" if state in COLOURS and state != "missing" else ""
        hint = f"  pip install {item['distribution']}" if state == "missing" else ""
        terminal.write(
            f"{terminal.paint(line, dim=state == 'missing')}{terminal.paint(mark, COLOURS.get(state))}{hint}"
        )
        if mark:
            for part in terminal.wrap("", item["problem"], 4):
                terminal.write(part)
    if short and len(absent) > FEW:
        text = f"{len(absent)} more are known and not installed: gymkernel list {kind}"
        terminal.write(terminal.paint(f"  {text}", dim=True))
    if not items:
        terminal.write(terminal.paint("  none", dim=True))


def _show_by_distribution(terminal: Terminal, items: list[inventory.Item]) -> None:
    by_distribution: dict[tuple[str, str], list[inventory.Item]] = {}
    for item in items:
        by_distribution.setdefault((item["distribution"], item["version"]), []).append(item)
    for (name, version), several in sorted(by_distribution.items()):
        terminal.write()
        requires = next((f"  needs {item['requires']}" for item in several if item["requires"]), "")
        terminal.write(f"{terminal.paint(f'{name} {version}', bold=True)}{terminal.paint(requires, dim=True)}")
        rows = [(f"{item['kind']}.{item['name']}", item["entry_point"]) for item in several]
        for item, line in zip(several, table(rows), strict=True):
            state = item["state"]
            terminal.write(f"{line}{terminal.paint(f'  {state}', COLOURS[state]) if state in COLOURS else ''}")
            if state in COLOURS:
                for part in terminal.wrap("", item["problem"], 4):
                    terminal.write(part)
