"""The class `ClusterConnection`, which joins a Ray cluster or starts a cluster for the program."""

from __future__ import annotations

import logging
import os
import socket
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Final, Self

from gymkernel import logger

__all__ = ["ClusterConnection"]

NICENESS: Final = "RAY_worker_niceness"
"""The environment variable that sets the niceness of workers in a newly started cluster. Ray's default is 15."""
ANSWER_SECONDS: Final = 10.0
"""The time in seconds within which a cluster must accept a connection and send its first bytes."""
GREETING: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""The first bytes that a gRPC client sends (HTTP/2's preface and empty settings). A running server answers at once."""
_lock = threading.RLock()


@dataclass(slots=True)
class _Cluster:
    """The cluster that this process joined or started most recently."""

    address: str = ""
    """The requested address, or "local" if this process started the cluster."""
    session: str = ""
    """The identifier of the session, as returned by `_session`."""
    users: int = 0
    """The number of open connections. It is counted only if this process started the cluster."""


_last = _Cluster()


class ClusterConnection:
    """A connection to a Ray cluster for one vector environment or rollout.

    If this program started the cluster, the cluster is shut down when the last connection is closed. A cluster that the
    program only joined is never shut down.

    Args:
        address: the address of a cluster (such as "10.0.0.1:6379" or "ray://10.0.0.1:10001"), "auto" for a running
            cluster, or "local" for a new cluster. With None, the program joins a running cluster (the cluster to which
            the program is already connected, the cluster at `RAY_ADDRESS`, or a cluster on this machine). If there is
            no running cluster, a new one is started, and a warning is logged.

    Raises:
        ConnectionError: if the cluster does not exist, or if the program is already connected to another cluster.
    """

    def __init__(self, address: str | None = None) -> None:
        import ray

        with _lock:
            started = False
            if ray.is_initialized():
                _assert_connected_to(address)
            else:
                started = _join_or_start(address)
            self._session = _session()
            self._counted = (_last.address, _last.session) == ("local", self._session)
            _last.users += self._counted
        if started:
            try:
                cpus = ray.cluster_resources().get("CPU", 0)
                logger.warn(
                    f"No Ray cluster is running, so a cluster with {cpus:g} CPUs was started on this machine. It is "
                    "shut down when no vector environment or rollout uses it any more. To join another cluster, pass "
                    "address=. To start a cluster without this warning, pass address='local'. To keep the cluster "
                    "until the program exits, call ray.init() first",
                    stacklevel=4,  # the warning refers to the caller of make_vec
                )
            except BaseException:  # the program may turn warnings into errors
                self.close()
                raise

    def is_connected(self) -> bool:
        """Return whether this program is still connected to the cluster, in the same session."""
        import ray

        return bool(ray.is_initialized()) and _session() == self._session

    def close(self) -> None:
        """Close the connection. If it is the last one to a cluster that this program started, shut the cluster down."""
        with _lock:
            counted, self._counted = self._counted, False
            if not counted or _last.session != self._session:
                return
            _last.users -= 1
            if _last.users == 0 and self.is_connected():
                import ray

                ray.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _session() -> str:
    """Return an identifier for the current session of a cluster."""
    import ray

    context: Any = ray.get_runtime_context()
    return f"{context.gcs_address} {context.get_job_id()}"


def _assert_connected_to(address: str | None) -> None:
    """Raise an error if this program is connected to a cluster with another address."""
    import ray

    connected = str(ray.get_runtime_context().gcs_address)
    host, _, port = str(address).rpartition(":")
    # Ray reports the machine's address instead of "localhost".
    local = host in {"localhost", "127.0.0.1"} and port == connected.rpartition(":")[2]
    again = (address, _session()) == (_last.address, _last.session)  # the address may contain a host name or ray://
    if not (address in {None, "auto", connected} or local or again):
        raise ConnectionError(
            f"Expected address={address!r}, but this program is already connected to Ray at {connected}. Omit the "
            "address to use this connection, or call ray.shutdown() first"
        )


def _join_or_start(address: str | None) -> bool:
    """Connect this program to a cluster. Return whether a cluster was started without being requested."""
    if address in {None, "auto"}:
        # RAY_ADDRESS takes precedence in Ray, too.
        address = os.environ.get("RAY_ADDRESS") or address
    started = False
    if address != "local":
        try:
            _join(address or "auto")
        except ConnectionError:
            if address is not None:
                raise
            address, started = "local", True
    if address == "local":
        _start()
    _last.address, _last.session, _last.users = address or "auto", _session(), 0
    return started


def _join(address: str) -> None:
    import ray

    try:
        if address == "auto":
            _assert_this_machine_answers()
        else:
            _assert_answers(address)
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # Ray announces future versions
            ray.init(address=address, logging_level=logging.WARNING)
    except (ConnectionError, ValueError) as exc:
        if address == "auto":
            raise
        raise ConnectionError(
            f"Cannot connect to a Ray cluster at {address}: {exc}. Check that the cluster is running, with the same "
            "versions of Ray and Python as this program. If the cluster requires a token, set RAY_AUTH_MODE=token and "
            "write the token to ~/.ray/auth_token"
        ) from exc


def _assert_this_machine_answers() -> None:
    """Raise an error if the cluster that Ray calls "auto" does not answer. Ray may read an old address."""
    import ray

    # The function is private. If a later version of Ray has no such function, Ray reports the problem after minutes.
    find = getattr(ray._private.services, "get_ray_address_from_environment", None)  # noqa: SLF001
    if find is None:
        return
    address = find("auto", None)
    try:
        _assert_answers(address)
    except ConnectionError as exc:
        raise ConnectionError(
            f"Cannot connect to the last Ray cluster of this machine: {exc}. If this cluster has ended, `ray stop` "
            "removes Ray's record of it"
        ) from exc


def _assert_answers(address: str) -> None:
    """Raise an error if no server answers at an address within 10 seconds. Ray itself would wait for many minutes."""
    scheme, _, place = address.rpartition("://")
    if scheme not in {"", "ray"}:  # another package handles this URL scheme
        return
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal():
        raise ConnectionError("an address needs a host and a port, as in '10.0.0.1:6379' or 'ray://10.0.0.1:10001'")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS) as connection:
            connection.sendall(GREETING)
            connection.recv(1)  # a server that expects TLS closes the connection, which is an answer, too
    except ConnectionResetError:
        return
    except OSError as exc:
        raise ConnectionError(f"{host}:{port} does not answer ({exc})") from exc


def _start() -> None:
    """Start a Ray cluster on this machine. Its workers have the same priority as this program."""
    import ray

    previous = os.environ.get(NICENESS)
    os.environ.setdefault(NICENESS, "0")
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # Ray announces future versions
            ray.init(address="local", include_dashboard=False, logging_level=logging.WARNING)
    finally:
        if previous is None:
            del os.environ[NICENESS]
