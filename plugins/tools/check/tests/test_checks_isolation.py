"""Tests of checks in separate processes: crashes are reported, the check continues, and nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel_tool_check.checking import run
from gymkernel_tool_check.checks import check
from gymkernel_tool_check.events import At
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.process import watched as watched_process
from gymkernel_tool_check.process.session import Session
from gymkernel_tool_check.records import Collector, Report
from gymkernel_tool_check.system import guarded, processes
from gymkernel_tool_check.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_tool_check.checks import Finding
    from gymkernel_tool_check.definition import Hang
    from gymkernel_tool_check.events import Event

WALK = """
import os, signal, subprocess, sys, threading, time

import numpy as np

from gymkernel import Env, Space


class Line(Space):
    def sample(self, mask=None, probability=None):
        return float(self.np_random.uniform(-1, 1))

    def contains(self, x):
        return isinstance(x, float) and abs(x) <= 1e9

    def __eq__(self, other):
        return isinstance(other, Line)

    __hash__ = None


class Walk(Env):
    def __init__(self):
        self.observation_space, self.action_space = Line(), Line()
        self.make()

    def make(self):
        pass

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.time = float(self.np_random.normal()), 0
        self.begin(seed, options)
        return self.place, {}

    def begin(self, seed, options):
        pass

    def step(self, action):
        self.place += action
        self.time += 1
        self.act()
        return self.place, 0.0, self.time > 8, False, {}

    def act(self):
        pass

    def close(self):
        pass
"""


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that writes an environment with the given method to a file and returns the class's name."""
    monkeypatch.chdir(tmp_path)

    def write(method: str = "act(self)", body: str = "pass", first: str = "") -> str:
        lines = dedent(body).strip().replace("\n", "\n        ")
        source = f"{WALK}\n{dedent(first)}\n\nclass Odd(Walk):\n    def {method}:\n        {lines}\n"
        (tmp_path / "walks.py").write_text(source)
        return "walks.py:Odd"

    return write


def the_death(report: Report) -> Finding:
    deaths = [finding for finding in report.findings if finding.code == "GK003"]
    assert len(deaths) == 1, [str(death) for death in deaths]
    return deaths[0]


def state_of(pid: int) -> str:
    shown = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return shown.strip()[:1]


def wait_until_gone(pids: list[int]) -> list[int]:
    """Wait until the processes have ended, and return those that are still running after half a minute."""
    for _ in range(600):
        pids = [pid for pid in pids if state_of(pid) not in {"", "Z"}]
        if not pids:
            break
        time.sleep(0.05)
    return pids


def patient(target: str, expected: Callable[[Finding], bool], **options: Any) -> tuple[Report, float]:
    """Check an environment that hangs with a short and then a long time limit. Return the report and the limit.

    Args:
        target: the name of the environment.
        expected: a function that returns whether a finding reports the expected hang. If it does not, the machine was
            too busy, and the check is repeated with the long time limit.
        **options: further options of the check.
    """
    for seconds in (1.0, 30.0):
        report = check(target, timeout=seconds, **options)
        if [expected(finding) for finding in report.findings if finding.code == "GK003"] == [True]:
            break
    return report, seconds


# --- dying processes


@pytest.mark.parametrize(
    "body, message",
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "step killed the process (SIGSEGV)"),
        pytest.param("os.abort()", "step killed the process (SIGABRT)", marks=pytest.mark.slow),
        pytest.param("os._exit(0)", "step ended the process with status 0", marks=pytest.mark.slow),
        pytest.param("sys.exit(3)", "step ended the process: sys.exit(3)", marks=pytest.mark.slow),
        pytest.param("raise KeyboardInterrupt", "step raised KeyboardInterrupt", marks=pytest.mark.slow),
        pytest.param("time.sleep(60)", "step did not return in", marks=pytest.mark.slow),
        pytest.param("os.kill(os.getpid(), signal.SIGSTOP)", "step did not return in", marks=pytest.mark.slow),
    ],
)
def test_crash_in_step_shows_seed_and_step_and_other_probes_run(
    walk: Callable[..., str], body: str, message: str
) -> None:
    target = walk("act(self)", f"if self.time == 4:\n    {body}")
    if message.endswith(" in"):
        report, seconds = patient(target, lambda death: death.step == 4, measure=False)
        message += f" {seconds:g} s"
    else:
        report = check(target, select=["GK1", "GK2", "GK317", "GK82"], measure=False)

    finding = the_death(report)
    assert finding.message == f"{message} at step 4 of episode 1 (seed 123)"
    assert (finding.method, finding.seed, finding.episode, finding.step) == ("step", 123, 1, 4)
    assert "env.reset(seed=123)" in finding.reproducer
    assert "(GK003)" in report.skipped["GK317"]
    assert {"GK001", "GK101", "GK206", "GK212", "GK213", "GK821", "GK822"} <= set(report.passed)


@pytest.mark.slow
def test_hang_is_reported_with_its_line(walk: Callable[..., str], tmp_path: Path) -> None:
    target = walk("act(self)", "while True:\n    pass")

    line = next(i for i, text in enumerate((tmp_path / "walks.py").read_text().splitlines(), 1) if "while" in text)
    report, _ = patient(target, lambda death: death.line in {line, line + 1}, select=["GK317"])
    finding = the_death(report)

    assert finding.file == str(tmp_path / "walks.py")
    assert finding.line in {line, line + 1}


def test_crash_is_not_reported_at_a_line_of_the_checker() -> None:
    own = str(Path(watched_process.__file__).parent / "trace.py")
    library = str(Path(json.__file__))

    assert watched_process.place_of(((own, 3), ("<frozen importlib>", 1), (library, 7), ("maze.py", 4))) == (
        "maze.py",
        4,
    )
    assert watched_process.place_of(((own, 3), (library, 7))) == (library, 7)
    assert watched_process.place_of(((own, 3),)) is None


def check_in_processes(target: Target, options: Options, report: Report, *, copies: bool = True) -> None:
    """Check an environment in separate processes, which are forked if `copies` is true."""
    collector = Collector(report)
    run(Session(target, options, collector, copies=copies), options, collector)


class Counting(Session):
    """A session that counts hanging calls, and stores the longest duration of a successful call before each of them."""

    hangs = 0

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        self.hangs += 1
        self.before = [*getattr(self, "before", ()), self.longest]
        super().learn_hang(hang, typical=typical)


@pytest.mark.slow
def test_later_hangs_get_shorter_timeouts(walk: Callable[..., str]) -> None:
    target, report = walk("act(self)", "time.sleep(60)"), Report("walks.py:Odd")
    options = Options(select=("GK31", "GK50"), timeout=5.0, measure=False)

    collector = Collector(report)
    session = Counting(Target(target, "file"), options, collector)
    run(session, options, collector)

    assert session.timeout == min(5.0, max(1.0, 4 * session.before[0]))
    assert "did not return in 5 s" in str(session.known.dead.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    "method, body",
    [
        ("act(self)", "if self.time == 3:\n    time.sleep(60)"),
        ("begin(self, seed, options)", "time.sleep(60)"),
        ("close(self)", "time.sleep(60)"),
    ],
    ids=["step", "reset", "close"],
)
def test_immediate_hang_is_waited_for_once(walk: Callable[..., str], method: str, body: str) -> None:
    target = walk(method, body)
    for seconds in (3.0, 30.0):  # the other calls get a tenth of this time, which may be too short on a busy machine
        options = Options(timeout=seconds, measure=False)
        collector = Collector(Report(target))
        session = Counting(Target(target, "file"), options, collector)
        run(session, options, collector)
        if session.hangs == 1:
            break

    assert session.hangs == 1


@pytest.mark.slow
def test_crash_in_one_kind_of_reset_does_not_stop_the_rest(walk: Callable[..., str]) -> None:
    report = check(walk("begin(self, seed, options)", "if seed is not None and seed >= 2**32:\n    os._exit(1)"))

    assert the_death(report).message.startswith("reset ended the process with status 1")
    assert "(GK003)" in report.skipped["GK216"]
    assert {"GK205", "GK317", "GK401", "GK501"} <= set(report.passed)


@pytest.mark.slow
def test_excessive_memory_use_is_stopped_and_reported(walk: Callable[..., str]) -> None:
    body = "self.hoard = [bytearray(2**20) for _ in range(600)]\ntime.sleep(60)"  # long enough to measure the memory
    target = walk("act(self)", body)
    report = Report(target)
    options = Options(steps=20, limit=2**29, measure=False)

    check_in_processes(Target(target, "file"), options, report)

    assert the_death(report).message.startswith("step took more than 0.5 GiB of memory at step 1 of episode 1")
    assert "GK206" in report.passed


@pytest.mark.slow
def test_running_thread_does_not_block_the_check(walk: Callable[..., str]) -> None:
    target = walk("make(self)", "threading.Thread(target=time.sleep, args=(60,)).start()")

    report = check(target, select=["GK1", "GK3"], steps=20)

    assert "GK317" in report.passed


@pytest.mark.slow
def test_crash_in_close_is_reported_and_skips_no_rule(walk: Callable[..., str]) -> None:
    report = check(walk("close(self)", "os._exit(0)"), select=["GK1", "GK3", "GK4"], measure=False)

    assert the_death(report).message == "close ended the process with status 0"
    assert {"GK001", "GK317", "GK401"} <= set(report.passed)


@pytest.mark.slow
def test_crashing_constructor_is_reported_once(walk: Callable[..., str]) -> None:
    report = check(walk("make(self)", "os._exit(3)"))

    assert the_death(report).message == "the constructor ended the process with status 3"
    assert not report.passed or set(report.passed) <= {"GK005", "GK006", "GK911", "GK912"}


@pytest.mark.slow
def test_hanging_import_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(90)\n")
    for seconds in (1.0, 10.0):  # a busy machine may need the longer time
        report = Report("slow.py:Env")
        options = Options(timeout=0.5, import_timeout=seconds)
        check_in_processes(Target("slow.py:Env", "file"), options, report)
        finding = the_death(report)
        if finding.line == 2:
            break

    assert finding.message == f"the import did not return in {seconds:g} s"
    assert finding.place == f"{tmp_path / 'slow.py'}:2"
    assert json.loads(report.to_json())["targets"][0]["verdict"] == "error"


# --- without forks


@pytest.mark.slow
def test_each_probe_gets_a_new_process_without_fork(walk: Callable[..., str], tmp_path: Path) -> None:
    target = walk(
        "act(self)", "if self.time == 4:\n    os._exit(1)", f"open({str(tmp_path / 'log')!r}, 'a').write('x')"
    )
    report = Report(target)
    options = Options(select=("GK001", "GK212", "GK317", "GK822"), measure=False)

    check_in_processes(Target(target, "file"), options, report, copies=False)

    assert the_death(report).step == 4
    assert {"GK001", "GK212", "GK822"} <= set(report.passed)
    assert len((tmp_path / "log").read_text()) > 3


@pytest.mark.slow
def test_target_that_starts_threads_on_import_is_not_forked(walk: Callable[..., str], tmp_path: Path) -> None:
    first = f"open({str(tmp_path / 'log')!r}, 'a').write('x')\n"
    first += "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"

    report = check(walk(first=first), select=["GK001", "GK317"], measure=False)

    assert {"GK001", "GK317"} <= set(report.passed)
    assert len((tmp_path / "log").read_text()) == 2


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_target_that_starts_native_threads_is_not_forked(walk: Callable[..., str], tmp_path: Path) -> None:
    first = f"open({str(tmp_path / 'log')!r}, 'a').write('x')\n"
    first += "import ctypes\nlibc = ctypes.CDLL(None)\n"
    first += "libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, ctypes.cast(libc.pause, ctypes.c_void_p), None)"

    report = check(walk(first=first), select=["GK001", "GK317"], measure=False)

    assert {"GK001", "GK317"} <= set(report.passed)
    assert len((tmp_path / "log").read_text()) == 2


# --- leftovers


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make this process and its descendants put temporary files into a folder, and return the folder."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def slow_helper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Delay the start of the processes that unlink shared memory, as a busy machine does."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, time\nif 'resource_tracker' in ' '.join(sys.orig_argv):\n    time.sleep(1.5)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="which processes unlink shared memory is known on Linux alone")
@pytest.mark.parametrize("copies", [True, False])
@pytest.mark.parametrize("end", ["os._exit(0)", "raise ValueError", "os.kill(os.getpid(), 9)", "time.sleep(60)"])
def test_no_file_or_shared_memory_is_left(
    walk: Callable[..., str], temporary: Path, slow_helper: None, copies: bool, end: str
) -> None:
    body = f"""
        import tempfile
        from multiprocessing import shared_memory
        tempfile.mkstemp()
        self.block = shared_memory.SharedMemory(create=True, size=64)
        open(os.path.join(os.path.dirname(__file__), "blocks"), "a").write(self.block.name + "\\n")
        if self.time == 2:
            {end}
    """
    target, report = Target(walk("act(self)", body), "file"), Report("walks.py:Odd")

    for seconds in (1.0, 20.0) if "sleep" in end else (20.0,):  # a busy machine may need the longer time
        options = Options(select=("GK317",), steps=20, measure=False, timeout=seconds)
        check_in_processes(target, options, report, copies=copies)
        if len(blocks(temporary)) >= 2:
            break

    assert_nothing_is_left(temporary)


def blocks(temporary: Path) -> list[str]:
    """Return the names of the shared memory blocks that were created."""
    path = temporary.parent / "blocks"
    return path.read_text().split() if path.exists() else []


def assert_nothing_is_left(temporary: Path) -> None:
    made = blocks(temporary)
    left = [name for name in made if (Path("/dev/shm") / name).exists()]  # noqa: S108 - Linux stores shared memory in this folder
    assert len(made) >= 2
    assert left == []
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="where shared memory is a file")
def test_shared_memory_is_unlinked_without_proc(
    walk: Callable[..., str], temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "HAS_PROC", False)
    monkeypatch.setattr(processes, "MOMENT", 20.0)  # simulates a busy machine
    body = """
        from multiprocessing import shared_memory
        self.block = shared_memory.SharedMemory(create=True, size=64)
        open(os.path.join(os.path.dirname(__file__), "blocks"), "a").write(self.block.name + "\\n")
        if self.time == 2:
            os._exit(0)
    """
    target, report = Target(walk("act(self)", body), "file"), Report("walks.py:Odd")

    options = Options(select=("GK317",), steps=20, measure=False)
    check_in_processes(target, options, report, copies=False)

    assert_nothing_is_left(temporary)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="a process that leaves its group is found on Linux alone")
def test_processes_that_leave_their_group_are_killed(walk: Callable[..., str], tmp_path: Path) -> None:
    body = """
        code = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(50)']);"
        process = subprocess.Popen([sys.executable, "-c", code + "time.sleep(50)"], start_new_session=True)
        open("pids", "a").write(f"{process.pid}\\n")
    """

    check(walk("make(self)", body), select=["GK001"], measure=False)

    assert not wait_until_gone([int(pid) for pid in (tmp_path / "pids").read_text().split()])


def descendants(pid: int) -> list[int]:
    shown = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(child): int(parent) for child, parent in (line.split() for line in shown.splitlines())}
    found = [pid]
    for item in found:
        found += [child for child, parent in parents.items() if parent == item]
    return found[1:]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_check_leaves_no_process(
    walk: Callable[..., str], tmp_path: Path, temporary: Path, number: int
) -> None:
    target = walk("act(self)", "open('here', 'w').close(); time.sleep(60)")
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import sys; "
    code += f"sys.argv[1:] = ['check', {target!r}]; from gymkernel.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "here").exists():
        time.sleep(0.05)
    family = descendants(process.pid)

    process.send_signal(number)
    errors = process.communicate(timeout=60)[1]

    assert len(family) == (3 if guarded.GUARDS else 2)  # includes the guard
    assert not wait_until_gone(family)
    if number != signal.SIGKILL:
        assert list(temporary.iterdir()) == []
        assert process.returncode == 128 + number
        assert "Traceback" not in errors


@pytest.mark.slow
def test_killed_check_leaves_no_repeating_process(walk: Callable[..., str], tmp_path: Path) -> None:
    body = """
        if "PYTHONHASHSEED" in os.environ:
            open(f"here-{os.getpid()}", "w").close()
            while True:
                pass
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}
    code = "import sys; from gymkernel_tool_check.checks import check; check(sys.argv[1], measure=False)"
    process = subprocess.Popen([sys.executable, "-c", code, walk("act(self)", body)], env=environment)
    while len(found := list(tmp_path.glob("here-*"))) < 2:
        assert process.poll() is None, "the rule that repeats runs in other processes did none"
        time.sleep(0.05)

    process.kill()
    process.wait()

    assert not wait_until_gone([int(path.name.removeprefix("here-")) for path in found])


@pytest.mark.slow
def test_exception_in_the_watcher_leaves_no_process(walk: Callable[..., str]) -> None:
    started: list[int] = []
    others = descendants(os.getpid())  # these processes were started by libraries in other tests

    def watch(event: Event) -> None:
        if isinstance(event, At):
            started.extend(set(descendants(os.getpid())).difference(others))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        check(walk("act(self)", "time.sleep(60)"), watch=watch)

    assert started
    assert not wait_until_gone([pid for pid in started if state_of(pid)])


# --- expectations


@pytest.mark.slow
def test_expected_failure_is_not_a_finding(walk: Callable[..., str]) -> None:
    target = walk("act(self)", "self.place = float('nan')")

    report = check(target, expected_failures={"gk403": "the sensor drops out"})

    assert report.findings == []
    reason, findings = report.expected["GK403"]
    assert reason == "the sensor drops out"
    assert findings[0].code == "GK403"
    assert report.as_dict()["expected"][0]["findings"][0]["step"] == 1


@pytest.mark.slow
def test_class_can_declare_expected_failures(walk: Callable[..., str]) -> None:
    target = walk("act(self)", "self.place = float('nan')")
    with Path("walks.py").open("a") as file:
        file.write("    gymkernel_expected_failures = {'GK403': 'the sensor drops out'}\n")

    assert list(check(target).expected) == ["GK403"]


UNMET: dict[str, list[tuple[str, str]]] = {
    "GK006": [
        ("GK403", "GK403 is expected to fail (why), but passes: remove the expectation"),
        ("GK999", "GK999 is expected to fail (why), but there is no such rule"),
    ]
}


@pytest.mark.slow
@pytest.mark.parametrize("code, message", UNMET["GK006"])
def test_unmet_expectation_is_a_finding(walk: Callable[..., str], code: str, message: str) -> None:
    report = check(walk(), expected_failures={code: "why"})

    assert [(finding.code, finding.severity, finding.message) for finding in report.findings] == [
        ("GK006", "warning", message)
    ]


@pytest.mark.slow
def test_expectation_of_an_ignored_rule_is_not_required(walk: Callable[..., str]) -> None:
    report = check(walk(), select=["GK1"], expected_failures={"GK403": "why"})

    assert report.findings == []


# --- options


@pytest.mark.slow
def test_single_instance_option_creates_one_at_a_time(walk: Callable[..., str]) -> None:
    body = """
        try:
            self.lock = os.open("lock", os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            os._exit(9)
    """
    target = walk("make(self)", body)
    with Path("walks.py").open("a") as file:
        file.write("    def close(self):\n        if os.path.exists('lock'):\n            os.unlink('lock')\n")

    report = check(target, single_instance=True, steps=50, measure=False)

    assert report.at_least("warning") == []
    assert "--single-instance" in report.skipped["GK821"]
    assert {"GK317", "GK401"} <= set(report.passed)


@pytest.mark.slow
def test_nondeterministic_target_is_not_repeated(walk: Callable[..., str]) -> None:
    target = walk("act(self)", "self.place += time.perf_counter() % 1")

    assert {"GK501", "GK503"} & {finding.code for finding in check(target, steps=50).findings}
    report = check(target, steps=50, nondeterministic=True)
    assert report.findings == []
    assert "nondeterministic" in report.skipped["GK501"]


@pytest.mark.slow
def test_arguments_reach_the_constructor_and_are_shown(walk: Callable[..., str]) -> None:
    target = walk("__init__(self, size)", "super().__init__()\nself.size = size")
    with Path("walks.py").open("a") as file:
        file.write("    def act(self):\n        self.place = float('nan')\n")

    assert "GK001" in {item.code for item in check(target).findings}
    (finding,) = check(target, make_kwargs={"size": 3}).findings
    assert finding.code == "GK403"
    assert "env = Odd(size=3)" in finding.reproducer


@pytest.mark.slow
def test_fast_profile_skips_rules_and_takes_fewer_steps(walk: Callable[..., str]) -> None:
    fast, default = check(walk(), profile="fast"), check(walk(), measure=False)

    assert set(fast.rules) < set(default.rules)
    assert fast.tried["step"] < default.tried["step"]
    assert not fast.measured


def test_processes_exit_with_their_parent() -> None:
    assert processes.resident_memory(os.getpid()) > 2**20 or sys.platform != "linux"


# --- processes that die because of a fork


@pytest.mark.slow
def test_target_that_works_in_a_new_interpreter_has_no_finding(walk: Callable[..., str], tmp_path: Path) -> None:
    body = f"""
        with open({str(tmp_path / "starts")!r}, "a") as file:
            print(os.getpid() == PID, file=file)
        if os.getpid() != PID:
            os.kill(os.getpid(), signal.SIGSEGV)
    """
    report = check(walk("begin(self, seed, options)", body, "PID = os.getpid()  # like a connection to a window"))

    assert not [finding for finding in report.findings if finding.code == "GK003"]
    assert {"GK203", "GK404"} <= set(report.passed)
    starts = (tmp_path / "starts").read_text().split()
    assert starts.count("False") == 1  # one fork dies, and no other fork is started


def test_repeated_crash_is_reported_once(walk: Callable[..., str], tmp_path: Path) -> None:
    body = f"""
        if self.time == 4:
            open({str(tmp_path / "deaths")!r}, "a").write("x")
            os.kill(os.getpid(), signal.SIGABRT)
    """
    finding = the_death(check(walk("act(self)", body), select=["GK3"]))

    assert "SIGABRT" in finding.message
    assert len((tmp_path / "deaths").read_text()) >= 2


DRAWS = """
metadata = {"render_modes": ["human", "ansi"], "render_fps": 10}
def __init__(self, render_mode=None):
    super().__init__()
    self.render_mode = render_mode
def render(self):
    if self.render_mode == "human":
        os.abort()
    return str(self.place)
"""


@pytest.mark.parametrize("display", ["", pytest.param(":0", marks=pytest.mark.slow)])
def test_missing_display_skips_only_the_human_mode(
    walk: Callable[..., str], monkeypatch: pytest.MonkeyPatch, display: str
) -> None:
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    target = walk()
    source = Path("walks.py").read_text()
    Path("walks.py").write_text(source.partition("class Odd")[0] + "class Odd(Walk):" + DRAWS.replace("\n", "\n    "))
    report = check(target, select=["GK8"])

    if display:
        assert "SIGABRT" in the_death(report).message
    else:
        assert not report.findings, [str(finding) for finding in report.findings]
        assert "there is no display" in report.skipped["GK811"]
        assert {"GK803", "GK804", "GK806", "GK807"} <= set(report.passed)
