"""What every test here runs with, in the checkout and from a wheel: examples of hypothesis, and no clock.

`plain` is what `pytest` draws; `pytest --hypothesis-profile=full` draws five times as many, as CI does. In CI both draw
the same examples each time.
"""

from __future__ import annotations

import gc
import os
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

UNHURRIED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("plain", max_examples=20, deadline=None, suppress_health_check=UNHURRIED)
settings.register_profile("full", max_examples=100, deadline=None, suppress_health_check=UNHURRIED)
settings.load_profile("plain")


def pytest_configure() -> None:
    """Fork workers as a program of its own would, in a process of pytest-xdist.

    The thread by which that hears from its parent does nothing else, and what other tests drew with has no display.
    """
    if "PYTEST_XDIST_WORKER" in os.environ and find_spec("gymkernel_vector_async"):
        from gymkernel_util_vector.processes import start_method

        count = start_method.thread_count
        start_method.thread_count = lambda: count() - 1
        start_method._has_devices = lambda: False  # noqa: SLF001 - its own tests are programs


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests, not garbage: there is next to none while they are found."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send no words for `-k` with what passed, some thirty of them three times a test, which nobody asks for."""
    report = yield
    if report.passed and "PYTEST_XDIST_WORKER" in os.environ:
        report.keywords = {}
    return report


@pytest.fixture(scope="module", autouse=True)
def _settled() -> None:
    """Keep collected tests, reports, modules and caches out of the garbage collections of the tests of a file.

    Hundreds of tests collect garbage to look at what is left; and copies of a process share what is frozen.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """One cluster for all tests that are marked `ray`, on this machine: two processors, so two actors by default."""
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
                    # What became of an actor is told, however late it is known: Ray would wait for a second.
                    _system_config={"timeout_ms_task_wait_for_death_info": 500_000},
                )
            break
        except Exception:  # on a busy machine: Ray gives a node 30 s to start, and nobody can ask for more
            ray.shutdown()
            if not left:
                raise
    yield
    ray.shutdown()
