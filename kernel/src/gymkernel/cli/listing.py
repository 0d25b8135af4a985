"""The command `gymkernel list`."""

import sys
from typing import Any

import click

from gymkernel import plugins
from gymkernel.cli import completion, inventory
from gymkernel.cli.app import PYTHON
from gymkernel.cli.matrix import matrix_of, show_matrix
from gymkernel.cli.terminal import Terminal, columns, echo, plural, table
from gymkernel.suggestions import did_you_mean
from gymkernel.third_party import ENVS

__all__ = ["list_"]

BAD = ("broken", "conflict", "incompatible")
COLOURS = dict.fromkeys(BAD, "red") | {"disabled": "yellow", "incomplete": "yellow"}
ROWS = 3
"""The maximum number of lines per kind in the overview, which must fit on a screen of 80 x 24 characters."""


@click.command("list")
@click.argument("kind", required=False, shell_complete=completion.kinds)
@click.argument("pattern", required=False, shell_complete=completion.names_of_kind)
@click.option("-v", "--verbose", is_flag=True, help="Show the description and distribution of each name.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="The output format.")
@click.option("--json", "json_", is_flag=True, help="The same as --format json.")
@click.option("--load", is_flag=True, help="Import all plugins; exit with status 1 if any is broken or in conflict.")
def list_(kind: str | None, pattern: str | None, verbose: bool, form: str, json_: bool, load: bool) -> None:
    """Show what is installed, missing or broken.

    KIND is spaces, wrappers, vector, vector_wrappers, utils, modules, envs, commands, checks or plugins (everything,
    grouped by distribution). Without KIND, an overview is shown. PATTERN is a case-insensitive glob such as "Cart*".

    Only metadata is read, and no plugin is imported, unless --load is given.
    """
    if kind is not None and kind not in inventory.KINDS:
        if pattern is not None:
            raise click.UsageError(f"expected a kind ({', '.join(inventory.KINDS)}), got {kind!r}")
        kind, pattern = None, kind
    kinds = (kind,) if kind is not None else inventory.PLUGIN_KINDS
    if load:
        plugins.load_everything(plugins.KINDS if kind in {None, "plugins"} else kinds)
    found = {k: inventory.items(k, pattern or "*") for k in kinds}
    if kind is None:
        found["others"] = [item for k in plugins.PLURAL for item in inventory.items(k) if item["state"] in BAD]
    lines = plugins.call_hook("gymkernel_report_lines", []) if load else []  # calling a hook imports the hook plugins
    report = [str(line) for plugin_lines in lines for line in plugin_lines]
    if json_ or form == "json":
        echo(as_json(found, report))
    else:
        overview = kind is None and pattern is None
        if overview:  # of these kinds, the overview shows only broken plugins
            found["others"] += [item for k in plugins.PLACES for item in found.pop(k) if item["state"] in BAD]
        _show(Terminal(), found, report, overview=overview, verbose=verbose or pattern is not None)
        if kind == "envs" and pattern is None:
            extras = ", ".join(dict.fromkeys(ENVS.values()))
            echo(f"\nother packages (to list their ids: gymkernel list envs 'MiniGrid*'): {extras}")
    if pattern is not None and not any(found.values()):
        names = {name for each in ([kind] if kind else plugins.KINDS) for name in plugins.names(each)}
        hint = did_you_mean(pattern, [*(() if kind else inventory.KINDS), *names])
        echo(f"nothing matches {pattern!r}{f'; {hint}' if hint else ''}", err=True)
        sys.exit(1)
    if load and any(item["state"] in BAD for items in found.values() for item in items):
        sys.exit(1)


def as_json(found: dict[str, list[inventory.Item]], report: list[str]) -> str:
    """Convert records of plugins to JSON.

    Args:
        found: lists of records, keyed by kind.
        report: the lines that the implementations of the hook `gymkernel_report_lines` returned.
    """
    import json

    items = [item for records in found.values() for item in records]
    data: dict[str, Any] = {"schema": inventory.SCHEMA, "kernel": plugins.kernel_version(), "python": PYTHON}
    data |= {"report": report, "items": items, "unreadable": plugins.unreadable()}
    if any(item["kind"] == "spaces" and item["state"] == "loaded" for item in items):
        data["operations"] = matrix_of([i["name"] for i in items if i["kind"] == "spaces" and i["state"] == "loaded"])
    return json.dumps(data, indent=2)


def _show(
    terminal: Terminal, found: dict[str, list[inventory.Item]], report: list[str], *, overview: bool, verbose: bool
) -> None:
    everything = plugins.plugins()
    names = f"{plural(len(everything), 'name')} in {plural(len({p.distribution for p in everything}), 'distribution')}"
    terminal.write(f"{terminal.paint(f'gymkernel {plugins.kernel_version()}', bold=True)}, Python {PYTHON}, {names}")
    terminal.write(*report)
    if list(found) == ["plugins"]:
        _show_by_distribution(terminal, found["plugins"])
    else:
        for kind, items in found.items():
            if items or (overview and kind != "others"):
                _show_kind(terminal, kind, items, rows=ROWS if overview else len(items), verbose=verbose)
    if overview:
        counts = ", ".join(f"{len(plugins.names(kind))} {kind}" for kind in (*plugins.PLACES, "checks"))
        terminal.write(f"{terminal.paint('and', bold=True)}  {terminal.paint(counts, dim=True)}")
        hint = "one kind: gymkernel list KIND; descriptions: -v; by distribution: list plugins"
        terminal.write(terminal.paint(hint, dim=True))
    for line in plugins.unreadable():
        terminal.write("", terminal.paint(f"the metadata of a distribution cannot be read: {line}", "red"))
    if list(found) == ["spaces"] and found["spaces"]:
        terminal.write("")
        if loaded := [item["name"] for item in found["spaces"] if item["state"] == "loaded"]:
            show_matrix(terminal, loaded)
        else:
            terminal.write(terminal.paint("gymkernel list spaces --load shows the operations of each space", dim=True))


def _show_kind(terminal: Terminal, kind: str, items: list[inventory.Item], *, rows: int, verbose: bool) -> None:
    absent = [item for item in items if item["state"] == "missing"]
    good = [item for item in items if item["state"] not in {"missing", *COLOURS}]
    count = f"{len(items) - len(absent)}{f', {len(absent)} more are known but not installed' if absent else ''}"
    terminal.write(f"{terminal.paint(kind.replace('_', ' '), bold=True)}  {terminal.paint(count, dim=True)}")
    width = max((len(item["name"]) for item in items), default=0) + 4
    lines = [] if verbose else columns([item["name"] for item in good], terminal.width, rows)
    for item in good if verbose else []:
        text = f"{item['summary'] or ''} ({item['distribution']} {item['version']})".strip()
        lines += terminal.wrap(f"  {item['name']}", text, width)
    terminal.write(*lines)
    for item in items:
        if item["state"] in COLOURS:
            _show_item(terminal, f"  {item['name'].ljust(width - 2)}{item['distribution']} {item['version']}", item)
        elif item["state"] == "missing" and rows >= len(items):
            line = f"  {item['name'].ljust(width - 2)}pip install {item['distribution']}"
            terminal.write(terminal.paint(line, dim=True))


def _show_by_distribution(terminal: Terminal, items: list[inventory.Item]) -> None:
    for name, version in sorted({(item["distribution"], item["version"]) for item in items}):
        several = [item for item in items if (item["distribution"], item["version"]) == (name, version)]
        requires = f"  needs {several[0]['requires']}" if several[0]["requires"] else ""
        terminal.write("", f"{terminal.paint(f'{name} {version}', bold=True)}{terminal.paint(requires, dim=True)}")
        rows = [(f"{item['kind']}.{item['name']}", item["entry_point"]) for item in several]
        for item, line in zip(several, table(rows), strict=True):
            _show_item(terminal, line, item)


def _show_item(terminal: Terminal, line: str, item: inventory.Item) -> None:
    """Write a line about a plugin and, if the plugin is broken, its problem below."""
    state = item["state"]
    terminal.write(f"{line}{terminal.paint(f'  {state}', COLOURS[state]) if state in COLOURS else ''}")
    terminal.write(*terminal.wrap("", item["problem"] if state in COLOURS else "", 4))
