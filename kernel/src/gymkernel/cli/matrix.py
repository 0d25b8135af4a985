"""Functions that show, as a table, which operations each space supports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gymkernel import plugins

if TYPE_CHECKING:
    from gymkernel.cli.terminal import Terminal

__all__ = ["matrix_of", "of_class", "show_matrix"]

ANY: Final = {"concatenate", "create_empty_array"}
"""Operations whose default implementation supports every space."""
NONE: Final = {"flatten_space", "batch_space", "batch_differing_spaces", "iterate"}
"""Operations without a default implementation. The defaults of all other operations need only the space's layout."""
SIGNS: Final = {"registered": ("●", "R"), "derived": ("○", "d"), "absent": ("·", "-")}
COLOURS: Final = {"registered": "green", "derived": None, "absent": "red"}


def of_class(cls: type) -> dict[str, str]:
    """Return, for each operation, how a space class supports it: "registered", "derived" or "absent"."""
    from gymkernel import ops
    from gymkernel.space import Space

    has_layout = getattr(cls, "layout", Space.layout) is not Space.layout
    origins = {}
    for name, table in ops.OPERATIONS.items():
        if ops.is_registered(table, cls):
            origins[name] = "derived" if table.dispatch(cls) is table.registry.get(Space) else "registered"
        else:
            origins[name] = "derived" if name in ANY or (has_layout and name not in NONE) else "absent"
    return origins


def matrix_of(names: list[str]) -> dict[str, dict[str, str]]:
    """Apply `of_class` to each loaded space. Classes of elements, such as GraphInstance, are omitted."""
    classes = {name: plugins.get("spaces", name) for name in names if len(plugins.providers("spaces", name)) == 1}
    return {name: of_class(cls) for name, cls in classes.items() if hasattr(cls, "sample")}


def show_matrix(terminal: Terminal, names: list[str]) -> None:
    """Write a table with one row per space and one column per operation."""
    matrix = matrix_of(names)
    if not matrix:
        return
    signs = {name: terminal.sign(*both) for name, both in SIGNS.items()}
    operations = list(next(iter(matrix.values())))
    width = max(map(len, matrix)) + 4
    terminal.write(terminal.paint("operations", bold=True))
    bar = terminal.sign("│", "|")
    for i, operation in enumerate(operations):
        terminal.write(f"{' ' * width}{f'{bar} ' * i}{terminal.sign('┌', '+')} {operation}")
    for name, row in matrix.items():
        cells = " ".join(terminal.paint(signs[row[operation]], COLOURS[row[operation]]) for operation in operations)
        terminal.write(f"  {name.ljust(width - 2)}{cells}")
    terminal.write("", f"  {signs['registered']} registered  {signs['derived']} derived  {signs['absent']} absent")
