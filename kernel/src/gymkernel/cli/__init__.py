"""The command `gymkernel`, which imports subcommands and plugins only when needed."""

import gc
import sys

__all__ = ["GC_THRESHOLD", "main"]

GC_THRESHOLD = gc.get_threshold()
"""The garbage collector's original thresholds, which `main` increases to speed up startup."""


def main() -> None:
    """Run the command `gymkernel`. This function is the entry point of the console script."""
    gc.set_threshold(100_000)  # imports create little garbage, and collecting less often makes startup 5 % faster
    try:
        from gymkernel.cli.app import cli, show_warnings_in_a_line

        show_warnings_in_a_line()
        cli(prog_name="gymkernel")
    except KeyboardInterrupt:  # during the imports
        sys.exit(130)
    except Exception:  # noqa: BLE001 - any other error must exit with status 2, because 1 means findings
        import traceback

        from gymkernel.cli.terminal import echo

        echo(traceback.format_exc().rstrip(), err=True)
        sys.exit(2)
