"""Configure all tests of the checkout and of the wheels: hypothesis, bytecode, memory, a Ray cluster.

`pytest` uses the hypothesis profile `plain`. `pytest --hypothesis-profile=full` draws ten times as many examples, as
CI does. In CI, both profiles draw the same examples in every run.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import sys
import warnings
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule
from _pytest.runner import runtestprotocol

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator


def pytest_configure(config: pytest.Config) -> None:
    """Prepare this process, and the processes that it starts."""
    if sys.dont_write_bytecode and (cache := getattr(config, "cache", None)):
        keep_bytecode(cache.mkdir("bytecode"))
    register_profiles()
    start_workers_as_a_program_does()


def register_profiles() -> None:
    """Register the profiles of hypothesis, which is imported here so that its bytecode is kept."""
    from hypothesis import HealthCheck, settings

    unhurried = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    settings.register_profile("plain", max_examples=10, deadline=None, suppress_health_check=unhurried)
    settings.register_profile("full", max_examples=100, deadline=None, suppress_health_check=unhurried)
    settings.load_profile("plain")


def keep_bytecode(folder: Path) -> None:
    """Write bytecode to a folder of pytest's cache if Python writes none (`-B` or `PYTHONDONTWRITEBYTECODE`).

    Without bytecode, each of the hundreds of processes that the tests start would compile every module that it imports,
    and pytest would rewrite the assertions of all test files in every run.
    """
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(folder)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def start_workers_as_a_program_does() -> None:
    """Let the default start method be fork in a pytest-xdist process, as in an ordinary program.

    The extra thread of pytest-xdist only receives messages, and the renderers of other tests use no display.
    """
    if "PYTEST_XDIST_WORKER" in os.environ and find_spec("gymkernel_vector_async"):
        from gymkernel_util_vector.processes import start_method

        count = start_method.thread_count
        start_method.thread_count = lambda: count() - 1
        start_method._has_devices = lambda: False  # noqa: SLF001 - the start method is tested in separate programs


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable garbage collection during test collection, which creates almost no garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let every second process of pytest-xdist collect the folders in the reverse order.

    If the assertions of the test files have not been rewritten yet, no two processes then rewrite the same file.
    """
    if in_second_process(session.config):
        session.config.args.reverse()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Restore the order of the folders, because all processes must have the same list of tests."""
    if in_second_process(config):
        folders = config.args[::-1]
        items.sort(key=lambda item: folders.index(item.nodeid.partition("/")[0]))


def in_second_process(config: pytest.Config) -> bool:
    """Return whether this is every second process of pytest-xdist, and no folders were named on the command line."""
    number = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return int(number) % 2 == 1 and config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Skip the search for examples in modules without `>>>`, because it would import and inspect every module."""
    collectors = yield
    if file_path.suffix == ".py" and b">>>" not in file_path.read_bytes():
        return [collector for collector in collectors if not isinstance(collector, DoctestModule)]
    return collectors


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> list[object] | None:
    """Create no tests that are marked `slow` or `ray` for a run that would deselect them, because this takes time."""
    if not (isinstance(obj, FunctionType) and name.startswith("test") and is_plain_run(collector.config)):
        return None
    marks = chain(getattr(obj, "pytestmark", ()), collector.iter_markers())
    return [] if is_left_out(marks) else None


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Do not create the cases that a plain run would deselect, unless the test has no other cases."""
    if is_plain_run(metafunc.config):
        kept = [call for call in metafunc._calls if not is_left_out(call.marks)]  # noqa: SLF001 - no hook selects cases
        metafunc._calls[:] = kept or metafunc._calls[:1]  # noqa: SLF001 - as above


def is_left_out(marks: Iterable[pytest.Mark]) -> bool:
    """Return whether a plain run deselects a test with these marks."""
    return any(mark.name in {"slow", "ray"} for mark in marks)


def is_plain_run(config: pytest.Config) -> bool:
    """Return whether the command line selects the tests of a plain run, which are neither slow nor need Ray."""
    return config.option.markexpr == "not slow and not ray" and config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Use huge pages if so many tests were collected that the process is large."""
    if sys.platform == "linux" and len(session.items) > 2_000:
        use_huge_pages()


def use_huge_pages() -> None:
    """Move the heap of this process to huge pages, so that a fork copies fewer entries of the page table.

    Hundreds of tests fork workers. After collecting all tests, a process has a heap of 200 MB, and a fork takes a fifth
    of the time with huge pages. Linux rejects the request before version 6.1, and the process keeps its small pages.
    """
    page_size, collapse = 2 << 20, 25  # 25 is MADV_COLLAPSE, which the module `mmap` does not define
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, mode, _, _, inode, *name = line.split()
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            for page in range(-(-start // page_size) * page_size, end - page_size + 1, page_size):
                madvise(page, page_size, collapse)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test without sending reports that nobody reads to the main process of pytest-xdist.

    Most of the messages would announce a test, or report that its setup or teardown passed. Only `--durations` reads
    these reports. The keywords of passed tests are not read, either.
    """
    if "PYTEST_XDIST_WORKER" not in os.environ or item.config.option.durations is not None:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.passed:
            report.keywords = {}
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.fixture(scope="module", autouse=True)
def _settled() -> None:
    """Exclude collected tests, reports, modules and caches from garbage collection during the tests of a file.

    Hundreds of tests run the garbage collector, and forked processes share frozen objects.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _bytecode_of_temporary_modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Delete the bytecode of the modules in temporary folders at the end, because no other run can use it."""
    yield
    if sys.pycache_prefix:
        shutil.rmtree(Path(sys.pycache_prefix, *tmp_path_factory.getbasetemp().resolve().parts[1:]), ignore_errors=True)


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """Start a Ray cluster for all tests marked `ray`, with two CPUs and therefore two actors by default."""
    import ray

    os.environ.setdefault("RAY_worker_niceness", "0")
    os.environ.setdefault("RUNTIME_ENV_RETRY_TIMES", "1")  # for packages that cannot be installed
    for left in (2, 1, 0):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ray.init(
                    address="local",
                    num_cpus=2,
                    include_dashboard=False,
                    log_to_driver=False,
                    # By default, Ray waits only one second for the cause of an actor's death.
                    _system_config={"timeout_ms_task_wait_for_death_info": 500_000},
                )
            break
        except Exception:  # Ray fails if a busy machine needs more than 30 s to start a node, and this limit is fixed
            ray.shutdown()
            if not left:
                raise
    yield
    ray.shutdown()
