"""Test the report that is shown on a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from gymkernel.cli.terminal import Terminal
from gymkernel.utils.progress import ProgressBar
from gymkernel_tool_bench import Backend, measure
from gymkernel_tool_bench.text import Display

if TYPE_CHECKING:
    import pytest

    from gymkernel_tool_bench import Progress


class Paper(io.StringIO):
    """A text stream that accepts every character."""

    encoding = "utf-8"


class Screen(Paper):
    """A text stream that reports that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Printer(io.TextIOWrapper):
    """A stream that accepts only ASCII."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="ascii", write_through=True)

    def text(self) -> str:
        buffer: Any = self.buffer
        return bytes(buffer.getvalue()).decode("ascii")


def fail(n: int, arguments: dict[str, Any]) -> Any:
    raise MemoryError("no room\nfor anything")


def shown(lab: Any, *backends: Any, stream: Any = None, **options: Any) -> str:
    stream = Paper() if stream is None else stream
    terminal = Terminal(stream)
    display = Display(terminal, ProgressBar(terminal=terminal, clock=lambda: lab.world.now))
    options = {"num_envs": [1, 8], "seconds": 0.5, "meters": lab.world.meters, "notify": display.progress, **options}
    display.show(measure(lab.target(*backends), **options))
    return stream.text() if isinstance(stream, Printer) else str(stream.getvalue())


def test_report_text(lab: Any) -> None:
    assert (
        shown(lab, lab.sync(), lab.workers(), Backend("full", fail))
        == """\
toy
  machine       2 cores, Toy, Python 3.11, gymkernel 0.1
  alone         1.00 k steps/s in a plain loop
  step          1.00 ms (median), 95 % below 1.00 ms
  reset         1.00 ms
  construction  10.0 ms (the first: 10.0 ms); memory <0.1 MB
  CPU time      100% of the wall time: steps compute, so more workers than cores do not help

  envs  backend           steps/s  alone  ideal   memory  made in
     1  sync               1.00 k  1.00x   100%  <0.1 MB  2.00 ms  ████████████████▉
     1  async, 1 worker       909  0.91x    91%  <0.1 MB  2.00 ms  ███████████████▍
     1  full              failed: MemoryError: no room

     8  sync               1.00 k  1.00x    50%  <0.1 MB  16.0 ms  ████████████████▉
     8  async, 1 worker       988  0.99x    49%  <0.1 MB  16.0 ms  ████████████████▊
▸    8  async, 2 workers   1.95 k  1.95x    98%  <0.1 MB  16.0 ms  █████████████████████████████████
     8  full              failed: MemoryError: no room

  alone: relative to the plain loop; ideal: relative to 2 cores that only step

full, 1 environment and 1 more:
  MemoryError: no room
  for anything [test_text.py:LINE, fail]

Use async, 8 environments, 2 workers: 1.95 k steps/s, 1.95 times as fast as a plain loop, because a
step takes 1.00 ms and 2 workers compute at the same time, at 98% of the speed that 2 cores allow.

    make(async, 8, {'num_workers': 2})

Measured in 5.3 s.
""".replace("LINE", str(fail.__code__.co_firstlineno + 1))
    )


def test_no_colour_or_progress_without_a_terminal(lab: Any) -> None:
    assert "\x1b" not in shown(lab, lab.sync())


def test_progress_and_colour_on_a_terminal(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    text = shown(lab, lab.sync(), stream=Screen())
    assert "\r\x1b[K" in text
    assert "sync, 8 environments: round 5 of 5" in text
    assert "s left" in text
    assert "\x1b[32m" in text


def test_no_color_is_respected(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = shown(lab, lab.sync(), stream=Screen())
    assert "\x1b[32m" not in text


def test_ascii_stream_gets_ascii_bars(lab: Any) -> None:
    text = shown(lab, lab.sync(), stream=Printer())
    assert "####" in text
    assert ">    " in text
    assert "?" not in text


def test_lines_fit_a_narrow_terminal(lab: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    text = shown(lab, lab.sync(), lab.workers(), lab.own(), Backend("full", fail), stream=Screen())
    lines = [line.rpartition("\x1b[K")[2] for line in text.splitlines() if "make(" not in line]
    assert [line for line in lines if len(line) > 80] == []


def test_interrupted_run_lists_unmeasured_cases(lab: Any) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.now.startswith("sync, 8"):
            raise KeyboardInterrupt

    text = shown(lab, lab.sync(), notify=interrupt)
    assert "8  sync     not reached" in text
    assert "Interrupted after" in text
    assert "make(" not in text


def test_report_says_if_no_backend_is_faster(lab: Any) -> None:
    text = shown(lab, lab.sync(seconds=2e-3))
    assert "No backend was faster than a plain loop over one environment (1.00 k steps/s)" in text
    assert "make(" not in text


def test_report_without_backends_names_the_pip_command(lab: Any) -> None:
    assert "run: pip install gymkernel[vector]" in shown(lab)


def test_busy_machine_is_reported(lab: Any) -> None:
    lab.world.others = 0.6
    assert "Other programs used 30% of the cores" in shown(lab, lab.sync())
