"""Test connections and the count of users: a joined cluster stays, and a started cluster ends with its last user."""

from __future__ import annotations

import os
import socket
import threading
import time
import warnings
from typing import Any

import pytest

from gymkernel_util_vector.ray_cluster.connection import NICENESS, ClusterConnection

HERE = "10.0.0.1:6379"


@pytest.fixture
def port() -> Any:
    """Return a port of this machine that accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_started_cluster_ends_with_its_last_user(ray: Any) -> None:
    first = ClusterConnection("local")
    second, third = ClusterConnection(), ClusterConnection("local")
    for item in (first, third):
        item.close()
        assert ray.shutdowns == 0
        assert second.is_connected()
    second.close()
    assert (ray.shutdowns, ray.is_initialized(), len(ray.calls)) == (1, False, 1)


def test_a_connection_is_closed_once(ray: Any) -> None:
    with ClusterConnection("local") as first, ClusterConnection() as second:
        first.close()
        first.close()
        assert second.is_connected()
    assert ray.shutdowns == 1


@pytest.mark.parametrize("address", [None, "auto"])
def test_a_cluster_that_runs_is_joined_and_never_shut_down(ray: Any, address: Any) -> None:
    ray.running = [HERE]
    ClusterConnection(address).close()
    assert ray.is_initialized()
    ClusterConnection(HERE).close()
    assert (ray.shutdowns, [call["address"] for call in ray.calls]) == (0, ["auto"])


def test_the_cluster_of_the_program_is_used_and_never_shut_down(ray: Any) -> None:
    ray.init("local")
    for address in (None, "auto", "127.0.0.1:7001", "localhost:7001"):
        ClusterConnection(address).close()
    assert (ray.shutdowns, len(ray.calls)) == (0, 1)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_the_address_by_which_a_cluster_was_joined_is_that_of_the_program(ray: Any, port: int, scheme: str) -> None:
    address = f"{scheme}localhost:{port}"
    with ClusterConnection(address) as first, ClusterConnection(address) as second:
        assert first.is_connected()
        assert second.is_connected()
    ClusterConnection(address).close()
    assert (len(ray.calls), ray.shutdowns, ray.is_initialized()) == (1, 0, True)
    ray.shutdown()
    ray.init("10.0.0.9:6379")
    with pytest.raises(ConnectionError, match=r"at 10\.0\.0\.9:6379 already"):
        ClusterConnection(address)


@pytest.mark.parametrize("address", ["local", "10.0.0.9:6379", "ray://10.0.0.9:10001", "localhost:1"])
def test_another_cluster_than_that_of_the_program_is_refused(ray: Any, address: str) -> None:
    ray.init("local")
    text = rf"Expected address='{address}', but this program is connected to Ray at 127.0.0.1:7001 already. .*shutdown"
    with pytest.raises(ConnectionError, match=text):
        ClusterConnection(address)
    assert ray.is_initialized()


def test_one_is_started_with_a_warning_where_none_runs(ray: Any) -> None:
    with pytest.warns(UserWarning, match=r"No Ray cluster runs, so a cluster was started on this machine, with 6 CPUs"):
        connection = ClusterConnection()
    connection.close()
    assert [call["address"] for call in ray.calls] == ["auto", "local"]
    assert ray.shutdowns == 1


def test_a_warning_that_is_raised_leaves_no_cluster(ray: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="No Ray cluster runs"):
            ClusterConnection()
    assert not ray.is_initialized()
    ClusterConnection("local").close()
    assert ray.shutdowns == 2


def test_none_is_started_where_one_must_run(ray: Any) -> None:
    with pytest.raises(ConnectionError, match="Could not find any running"):
        ClusterConnection("auto")
    assert [call["address"] for call in ray.calls] == ["auto"]


@pytest.mark.parametrize("address", [None, "auto"])
def test_the_variable_says_which_cluster_is_meant(
    ray: Any, address: Any, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    ClusterConnection(address).close()
    assert [call["address"] for call in ray.calls] == [f"127.0.0.1:{port}"]
    assert ray.is_initialized()
    ray.shutdown()
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ConnectionError, match=r"Expected a Ray cluster at 127.0.0.1:1, but could not connect to it"):
        ClusterConnection(address)
    assert len(ray.calls) == 1, "none is started instead"


def test_the_variable_may_ask_for_one_of_its_own(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "local")
    ClusterConnection().close()
    assert ([call["address"] for call in ray.calls], ray.shutdowns) == (["local"], 1)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nonsense", "ray://nonsense", "10.0.0.1:port"])
def test_an_address_at_which_nobody_answers_is_not_left_to_ray(ray: Any, address: str) -> None:
    with pytest.raises(ConnectionError, match=f"Expected a Ray cluster at {address}, but could not connect"):
        ClusterConnection(address)
    assert ray.calls == []


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_a_cluster_that_refuses_is_told_with_its_address(ray: Any, port: int, scheme: str) -> None:
    def refuse() -> None:
        raise ValueError("wrong token")

    ray.on_init = refuse
    with pytest.raises(ConnectionError, match=rf"at {scheme}127.0.0.1:{port}, .*: wrong token. Check that"):
        ClusterConnection(f"{scheme}127.0.0.1:{port}")


def test_another_packages_scheme_is_left_to_ray(ray: Any) -> None:
    ClusterConnection("acme://cluster").close()
    assert [call["address"] for call in ray.calls] == ["acme://cluster"]


def test_workers_of_a_started_cluster_have_the_priority_of_the_program(
    ray: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str | None] = []
    ray.on_init = lambda: seen.append(os.environ.get(NICENESS))
    ClusterConnection("local").close()
    assert NICENESS not in os.environ
    monkeypatch.setenv(NICENESS, "5")
    ClusterConnection("local").close()
    assert (seen, os.environ[NICENESS]) == (["0", "5"], "5")


def test_what_ray_says_of_its_next_version_is_not_heard_and_the_rest_is(ray: Any) -> None:
    def start() -> None:
        warnings.warn("a default changes", FutureWarning, stacklevel=1)
        warnings.warn("the disk is full", UserWarning, stacklevel=1)

    ray.on_init = start
    with pytest.warns(UserWarning, match="the disk is full") as caught:
        ClusterConnection("local").close()
    assert len(caught) == 1


def test_a_start_that_fails_is_told_and_counts_for_nobody(ray: Any) -> None:
    def fail() -> None:
        raise RuntimeError("no memory")

    ray.on_init = fail
    with pytest.raises(RuntimeError, match="no memory"):
        ClusterConnection("local")
    assert NICENESS not in os.environ
    ray.on_init = lambda: None
    ClusterConnection("local").close()
    assert ray.shutdowns == 1


def test_what_the_program_shut_down_is_told_apart_from_what_it_started_since(ray: Any) -> None:
    first = ClusterConnection("local")
    assert first.is_connected()
    ray.shutdown()
    assert not first.is_connected()
    ray.init("local")
    assert not first.is_connected()
    first.close()
    assert ray.is_initialized(), "the program's own"


def test_a_cluster_that_was_started_since_has_users_of_its_own(ray: Any) -> None:
    first, second = ClusterConnection("local"), ClusterConnection()
    ray.shutdown()
    third = ClusterConnection("local")
    first.close()
    second.close()
    assert third.is_connected()
    third.close()
    assert not ray.is_initialized()


def test_connections_of_several_threads_are_one_cluster(ray: Any) -> None:
    ready, found = threading.Barrier(8), list[ClusterConnection]()
    ray.on_init = lambda: time.sleep(0.05)  # so that the other threads run in the meantime

    def connect() -> None:
        ready.wait()
        found.append(ClusterConnection("local"))

    threads = [threading.Thread(target=connect) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ray.calls) == 1
    for connection in found[1:]:
        connection.close()
    assert found[0].is_connected()
    found[0].close()
    assert ray.shutdowns == 1
