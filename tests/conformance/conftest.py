"""Provide fixtures for the installed vector backends, and helpers for testing backends."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from gymkernel import plugins
from gymkernel_tool_check.backends.comparison import assert_same, play
from gymkernel_tool_check.probes.probe_envs import ProbeEnv, ReferenceVectorEnv, digest

MARKS = {"RayVectorEnv": (pytest.mark.ray, pytest.mark.limit(600))}
"""The marks of backends whose tests run only if they are selected, for example with `-m ray`."""
LIMIT = 300
"""The time in seconds after which a test is considered to hang, unless it has the mark `limit(seconds)`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        names = [pytest.param(name, marks=MARKS.get(name, ())) for name in plugins.names("vector")]
        metafunc.parametrize("backend", names, indirect=True)


@pytest.fixture
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a vector backend, which is called with a list of functions that create environments."""
    if request.param == "RayVectorEnv":
        request.getfixturevalue("ray_cluster")
        # starting Ray actors takes a long time on a busy machine
        monkeypatch.setattr("gymkernel_vector_ray._vector_env.START_TIMEOUT", 500.0)
    return plugins.get("vector", request.param)


@pytest.fixture(autouse=True)
def _limit(request: pytest.FixtureRequest) -> Any:
    mark = request.node.get_closest_marker("limit")
    limit = mark.args[0] if mark else LIMIT

    def end(*_: Any) -> None:
        raise TimeoutError(f"the test did not end within {limit} s")

    previous = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)


@pytest.fixture
def kit() -> Any:
    """Return the test kit for backends, which consists of classes and functions."""
    import types

    def player(number: int, *make_spaces: Any) -> ProbeEnv:
        return ProbeEnv(make_spaces, number)

    return types.SimpleNamespace(
        Player=player, Plain=ReferenceVectorEnv, play=play, assert_same=assert_same, digest=digest
    )
