"""The command `gymkernel`: a subcommand is imported when it is called, a plugin when it is asked for."""

import gc
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; the console script `gymkernel`."""
    gc.set_threshold(100_000)  # what starts is mostly imports, which make no garbage: saves a twentieth of the time
    try:
        from gymkernel.cli.app import cli, show_warnings_in_a_line

        show_warnings_in_a_line()
        cli(prog_name="gymkernel")
    except KeyboardInterrupt:  # while modules were imported
        sys.exit(130)
    except Exception:  # noqa: BLE001 - 1 is for findings: a failure of the tool itself is 2
        import traceback

        from gymkernel.cli.terminal import echo

        echo(traceback.format_exc().rstrip(), err=True)
        sys.exit(2)
