"""The command `gymkernel`, which imports subcommands and plugins only when they are needed."""

import gc
import sys

__all__ = ["GC_THRESHOLD", "main"]

GC_THRESHOLD = gc.get_threshold()
"""The thresholds of the garbage collector before `main` changes them."""


def main() -> None:
    """Run the command line; this function is the console script `gymkernel`."""
    gc.set_threshold(100_000)  # imports create little garbage, so fewer collections save 5 % of the start
    try:
        from gymkernel.cli.app import cli, show_warnings_in_a_line

        show_warnings_in_a_line()
        cli(prog_name="gymkernel")
    except KeyboardInterrupt:  # during the imports
        sys.exit(130)
    except Exception:  # noqa: BLE001 - status 1 is for findings, and status 2 is for errors of the tool itself
        import traceback

        from gymkernel.cli.terminal import echo

        echo(traceback.format_exc().rstrip(), err=True)
        sys.exit(2)
