"""Test that only a cluster that was started by the program is shut down after its last connection is closed."""

from __future__ import annotations

import os
import socket
import socketserver
import threading
import time
import warnings
from typing import Any

import pytest

from gymkernel_util_vector.ray_cluster import connection
from gymkernel_util_vector.ray_cluster.connection import NICENESS, ClusterConnection


@pytest.fixture
def port() -> Any:
    """Return a port on this machine whose server answers by closing each connection."""
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture
def silent_port(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a port on this machine that accepts connections but never answers, as a stopped process does."""
    monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_started_cluster_is_stopped_with_its_last_user(ray: Any) -> None:
    first = ClusterConnection("local")
    second, third = ClusterConnection(), ClusterConnection("local")
    for item in (first, third):
        item.close()
        assert ray.shutdowns == 0
        assert second.is_connected()
    second.close()
    assert (ray.shutdowns, ray.is_initialized(), len(ray.calls)) == (1, False, 1)


def test_connection_is_closed_once(ray: Any) -> None:
    with ClusterConnection("local") as first, ClusterConnection() as second:
        first.close()
        first.close()
        assert second.is_connected()
    assert ray.shutdowns == 1


@pytest.mark.parametrize("address", [None, "auto"])
def test_running_cluster_is_joined_and_not_shut_down(ray: Any, port: int, address: Any) -> None:
    ray.running = [f"127.0.0.1:{port}"]
    ClusterConnection(address).close()
    assert ray.is_initialized()
    ClusterConnection(f"127.0.0.1:{port}").close()
    assert (ray.shutdowns, [call["address"] for call in ray.calls]) == (0, ["auto"])


def test_cluster_of_the_program_is_used_and_not_shut_down(ray: Any) -> None:
    ray.init("local")
    for address in (None, "auto", "127.0.0.1:7001", "localhost:7001"):
        ClusterConnection(address).close()
    assert (ray.shutdowns, len(ray.calls)) == (0, 1)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_joined_address_is_that_of_the_program(ray: Any, port: int, scheme: str) -> None:
    address = f"{scheme}localhost:{port}"
    with ClusterConnection(address) as first, ClusterConnection(address) as second:
        assert first.is_connected()
        assert second.is_connected()
    ClusterConnection(address).close()
    assert (len(ray.calls), ray.shutdowns, ray.is_initialized()) == (1, 0, True)
    ray.shutdown()
    ray.init("10.0.0.9:6379")
    with pytest.raises(ConnectionError, match=r"already connected to Ray at 10\.0\.0\.9:6379"):
        ClusterConnection(address)


@pytest.mark.parametrize("address", ["local", "10.0.0.9:6379", "ray://10.0.0.9:10001", "localhost:1"])
def test_different_cluster_address_is_rejected(ray: Any, address: str) -> None:
    ray.init("local")
    text = rf"Expected address='{address}', but this program is already connected to Ray at 127.0.0.1:7001. .*shutdown"
    with pytest.raises(ConnectionError, match=text):
        ClusterConnection(address)
    assert ray.is_initialized()


def test_local_cluster_is_started_with_a_warning(ray: Any) -> None:
    with pytest.warns(
        UserWarning, match=r"No Ray cluster is running, so a cluster with 6 CPUs was started on this machine"
    ):
        started = ClusterConnection()
    started.close()
    assert [call["address"] for call in ray.calls] == ["local"]
    assert ray.shutdowns == 1


def test_warning_raised_as_error_leaves_no_cluster(ray: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="No Ray cluster is running"):
            ClusterConnection()
    assert not ray.is_initialized()
    ClusterConnection("local").close()
    assert ray.shutdowns == 2


def test_required_cluster_is_not_started(ray: Any) -> None:
    with pytest.raises(ConnectionError, match="Could not find any running"):
        ClusterConnection("auto")
    assert ray.calls == []


@pytest.mark.parametrize("address", [None, "auto"])
def test_environment_variable_selects_the_cluster(
    ray: Any, address: Any, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    ClusterConnection(address).close()
    assert [call["address"] for call in ray.calls] == [f"127.0.0.1:{port}"]
    assert ray.is_initialized()
    ray.shutdown()
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ConnectionError, match=r"Cannot connect to a Ray cluster at 127.0.0.1:1"):
        ClusterConnection(address)
    assert len(ray.calls) == 1, "none is started instead"


def test_environment_variable_can_request_a_local_cluster(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "local")
    ClusterConnection().close()
    assert ([call["address"] for call in ray.calls], ray.shutdowns) == (["local"], 1)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nonsense", "ray://nonsense", "10.0.0.1:port"])
def test_unreachable_address_fails_quickly(ray: Any, address: str) -> None:
    with pytest.raises(ConnectionError, match=f"Cannot connect to a Ray cluster at {address}"):
        ClusterConnection(address)
    assert ray.calls == []


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_silent_address_fails_quickly(ray: Any, silent_port: int, scheme: str) -> None:
    address = f"{scheme}127.0.0.1:{silent_port}"
    with pytest.raises(
        ConnectionError, match=rf"cluster at {address}: 127.0.0.1:{silent_port} does not answer \(timed"
    ):
        ClusterConnection(address)
    assert ray.calls == []


def test_ended_cluster_of_this_machine_is_replaced(ray: Any, silent_port: int) -> None:
    """Ray would wait for 14 minutes if a cluster has crashed, because it keeps the address in a file."""
    for address in ("127.0.0.1:1", f"127.0.0.1:{silent_port}"):
        ray.running = [address]
        with pytest.raises(
            ConnectionError, match=rf"last Ray cluster of this machine: {address} does not answer .*stop"
        ):
            ClusterConnection("auto")
        assert ray.calls == []
        with pytest.warns(UserWarning, match="No Ray cluster is running, so a cluster with 6 CPUs was started"):
            ClusterConnection().close()
        assert [call["address"] for call in ray.calls] == ["local"]
        ray.calls.clear()


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_refused_connection_error_names_the_address(ray: Any, port: int, scheme: str) -> None:
    def refuse() -> None:
        raise ValueError("wrong token")

    ray.on_init = refuse
    with pytest.raises(ConnectionError, match=rf"at {scheme}127.0.0.1:{port}: wrong token. Check that"):
        ClusterConnection(f"{scheme}127.0.0.1:{port}")


def test_foreign_address_scheme_is_passed_to_ray(ray: Any) -> None:
    ClusterConnection("acme://cluster").close()
    assert [call["address"] for call in ray.calls] == ["acme://cluster"]


def test_workers_of_a_started_cluster_keep_the_priority(ray: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str | None] = []
    ray.on_init = lambda: seen.append(os.environ.get(NICENESS))
    ClusterConnection("local").close()
    assert NICENESS not in os.environ
    monkeypatch.setenv(NICENESS, "5")
    ClusterConnection("local").close()
    assert (seen, os.environ[NICENESS]) == (["0", "5"], "5")


def test_future_warnings_of_ray_are_hidden_and_others_shown(ray: Any) -> None:
    def start() -> None:
        warnings.warn("a default changes", FutureWarning, stacklevel=1)
        warnings.warn("the disk is full", UserWarning, stacklevel=1)

    ray.on_init = start
    with pytest.warns(UserWarning, match="the disk is full") as caught:
        ClusterConnection("local").close()
    assert len(caught) == 1


def test_failed_start_is_reported_and_not_counted(ray: Any) -> None:
    def fail() -> None:
        raise RuntimeError("no memory")

    ray.on_init = fail
    with pytest.raises(RuntimeError, match="no memory"):
        ClusterConnection("local")
    assert NICENESS not in os.environ
    ray.on_init = lambda: None
    ClusterConnection("local").close()
    assert ray.shutdowns == 1


def test_restarted_cluster_is_distinguished_from_the_old_one(ray: Any) -> None:
    first = ClusterConnection("local")
    assert first.is_connected()
    ray.shutdown()
    assert not first.is_connected()
    ray.init("local")
    assert not first.is_connected()
    first.close()
    assert ray.is_initialized(), "the program's own"


def test_later_started_cluster_has_its_own_users(ray: Any) -> None:
    first, second = ClusterConnection("local"), ClusterConnection()
    ray.shutdown()
    third = ClusterConnection("local")
    first.close()
    second.close()
    assert third.is_connected()
    third.close()
    assert not ray.is_initialized()


def test_threads_share_one_cluster(ray: Any) -> None:
    ready, found = threading.Barrier(8), list[ClusterConnection]()
    ray.on_init = lambda: time.sleep(0.05)  # gives the other threads time to run

    def connect() -> None:
        ready.wait()
        found.append(ClusterConnection("local"))

    threads = [threading.Thread(target=connect) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ray.calls) == 1
    for item in found[1:]:
        item.close()
    assert found[0].is_connected()
    found[0].close()
    assert ray.shutdowns == 1
