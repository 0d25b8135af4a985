"""Functions that run a script or a module in this process, as `python SCRIPT` and `python -m MODULE` do."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import gc
import io
import os
import pkgutil
import runpy
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, cast

import click

from gymkernel.cli import GC_THRESHOLD

__all__ = ["NoProgram", "run_module", "run_script"]

INTERRUPTED = 130
"""The exit status after Ctrl-C if the process cannot terminate itself with SIGINT."""


class NoProgram(click.ClickException):
    """Raised if there is no program at the given path."""

    exit_code = 2


def run_module(name: str, arguments: Sequence[str]) -> None:
    """Run a module as `python -m` does.

    Args:
        name: the name of a module, or of a package with a module `__main__`.
        arguments: the arguments for the program.
    """
    sys.argv = ["-m", *arguments]
    _create_main()
    _set_first_path(str(Path.cwd()))
    with _python_exit():
        _run_as_main(name, alter_argv=True)


def run_script(script: str, arguments: Sequence[str]) -> None:
    """Run a script as `python SCRIPT` does.

    Args:
        script: the path of a source or bytecode file, or of a folder or zip file that contains a `__main__.py`; "-" for
            standard input.
        arguments: the arguments for the program.

    Raises:
        NoProgram: if the script cannot be read.
    """
    sys.argv = [script, *arguments]
    if script != "-" and pkgutil.get_importer(script) is not None:
        _create_main()
        sys.path.insert(0, str(Path(script).absolute()))
        if not sys.flags.safe_path:
            del sys.path[1]
        with _python_exit():
            _run_as_main("__main__", alter_argv=False)
        return
    path = "<stdin>" if script == "-" else str(Path(script).absolute())
    content = _read(path)
    main = vars(_create_main())
    _set_first_path("" if script == "-" else str(Path(path).resolve().parent))
    with _python_exit():
        code = _compile(content, path)
        if script != "-":
            loader = SourcelessFileLoader if path.endswith(".pyc") else SourceFileLoader
            main.update(__file__=path, __cached__=None, __loader__=loader("__main__", path))
        del content
        try:
            exec(code, main)  # noqa: S102 - this is the purpose of the command
        finally:
            _flush()  # as Python does after a script, but not after a module


def _read(path: str) -> bytes:
    if path == "<stdin>":
        return sys.stdin.buffer.read()
    try:
        with io.open_code(path) as file:
            return file.read()
    except OSError as exc:
        message = f"Expected the path of a program, but {path!r} cannot be read: {exc.strerror}"
        raise NoProgram(message) from exc


def _compile(content: bytes, path: str) -> CodeType:
    if path.endswith(".pyc"):
        code = pkgutil.read_code(io.BytesIO(content))
        if code is None:
            raise RuntimeError("Bad magic number in .pyc file")
        return cast("CodeType", code)
    return compile(content, path, "exec", dont_inherit=True)


def _run_as_main(name: str, *, alter_argv: bool) -> None:
    # Python itself calls this function for `python -m`.
    run: Any = vars(runpy)["_run_module_as_main"]
    run(name, alter_argv)


def _create_main() -> ModuleType:
    """Replace `__main__` with an empty module, and undo the command line's changes to the interpreter."""
    main = ModuleType("__main__")
    vars(main)["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        vars(main)["__annotations__"] = {}
    sys.modules["__main__"] = main
    gc.set_threshold(*GC_THRESHOLD)
    warnings.showwarning = vars(warnings)["_showwarning_orig"]
    return main


def _set_first_path(folder: str) -> None:
    """Replace the command's folder in `sys.path` with the program's folder."""
    if not sys.flags.safe_path:  # an option such as -P or -I makes Python add no folder
        sys.path[0] = folder


@contextlib.contextmanager
def _python_exit() -> Iterator[None]:
    """End the process as Python does if the program raises an exception."""
    interrupted: list[bool] = []
    # The function is registered first, so that it is called last.
    atexit.register(_end_by_signal, interrupted)
    try:
        yield
        _flush()
    except SystemExit:
        raise
    except BaseException as exc:  # noqa: BLE001 - Python reports every exception, too
        if _report(exc):
            interrupted.append(True)
            raise SystemExit(INTERRUPTED) from None
        raise SystemExit(1) from None


def _report(exc: BaseException) -> bool:
    """Write an exception's traceback without this module's frames. Return whether Ctrl-C raised the exception."""
    trace = exc.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in {__file__, contextlib.__file__}:
        trace = trace.tb_next
    exc.__traceback__ = trace
    state: Any = sys
    state.last_type, state.last_value, state.last_traceback, state.last_exc = type(exc), exc, trace, exc
    sys.excepthook(type(exc), exc, trace)
    return isinstance(exc, KeyboardInterrupt)


def _flush() -> None:
    """Write the buffered output of the program.

    Otherwise, the exit of the command would write the buffered output of C libraries first.
    """
    for name in ("stderr", "stdout"):
        with contextlib.suppress(Exception):  # Python also ignores all errors here
            getattr(sys, name).flush()


def _end_by_signal(interrupted: list[bool]) -> None:
    """Terminate the process with SIGINT after Ctrl-C, as Python does, so that a surrounding shell loop also stops."""
    if interrupted and os.name == "posix":
        _flush()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
