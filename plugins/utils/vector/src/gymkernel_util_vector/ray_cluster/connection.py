"""`ClusterConnection`: join a Ray cluster, or start one that is shut down when its last connection is closed."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self

from gymkernel import logger

__all__ = ["ClusterConnection"]

NICENESS: Final = "RAY_worker_niceness"
"""The variable with the priority of workers in a cluster that is started here. Ray's default is a niceness of 15."""
ANSWER_SECONDS: Final = 10.0
"""How many seconds a machine may take to accept a connection."""
_lock = threading.RLock()


@dataclass(slots=True)
class _Cluster:
    """A record of the cluster that this process joined or started most recently."""

    address: str = ""
    """The requested address; "local" if this process started the cluster."""
    session: str = ""
    """The identifier of the session; see `_session`."""
    users: int = 0
    """The number of open connections if this process started the cluster."""


_last = _Cluster()


class ClusterConnection:
    """A connection between one vector environment or rollout and a Ray cluster.

    If this program started the cluster, the cluster is shut down when the last connection is closed. A cluster that the
    program joined is never shut down.

    Args:
        address: the address of a cluster ("10.0.0.1:6379", "ray://10.0.0.1:10001"), "auto" for a running cluster, or
            "local" for a new cluster of this program. None joins a running cluster (the program's, the cluster of
            `RAY_ADDRESS`, or a cluster on this machine), or else starts a cluster and warns.

    Raises:
        ConnectionError: if the cluster does not exist, or the program is connected to another cluster.
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
                    f"No Ray cluster runs, so a cluster was started on this machine, with {cpus:g} CPUs; it ends with "
                    "the last vector environment or rollout that uses it. Pass address= to join another cluster, or "
                    "address='local' to start a cluster without this warning, or call ray.init() first to keep the "
                    "cluster until the program ends",
                    stacklevel=4,  # the caller of make_vec
                )
            except BaseException:  # a program may turn warnings into errors
                self.close()
                raise

    def is_connected(self) -> bool:
        """Return whether this program is still connected to the same session of the cluster."""
        import ray

        return bool(ray.is_initialized()) and _session() == self._session

    def close(self) -> None:
        """Close the connection. If this program started the cluster and this was the last connection, shut it down."""
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
    """Return an identifier of the current connection to a cluster."""
    import ray

    context: Any = ray.get_runtime_context()
    return f"{context.gcs_address} {context.get_job_id()}"


def _assert_connected_to(address: str | None) -> None:
    """Raise an error if this program is connected to a cluster with another address."""
    import ray

    connected = str(ray.get_runtime_context().gcs_address)
    host, _, port = str(address).rpartition(":")
    # Ray reports the address of the machine instead of "localhost".
    local = host in {"localhost", "127.0.0.1"} and port == connected.rpartition(":")[2]
    again = (address, _session()) == (_last.address, _last.session)  # the address may be a host name, or ray://
    if not (address in {None, "auto", connected} or local or again):
        raise ConnectionError(
            f"Expected address={address!r}, but this program is connected to Ray at {connected} already. Omit the "
            "address to use this connection, or call ray.shutdown() first"
        )


def _join_or_start(address: str | None) -> bool:
    """Connect this program to a cluster. Return whether a cluster was started although the user did not request it."""
    if address in {None, "auto"}:
        address = os.environ.get("RAY_ADDRESS") or address  # Ray gives this variable precedence, too
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
        if address != "auto":
            _assert_answers(address)
        with _suppress_announcements():
            ray.init(address=address, logging_level=logging.WARNING)
    except (ConnectionError, ValueError) as exc:
        if address == "auto":
            raise
        raise ConnectionError(
            f"Expected a Ray cluster at {address}, but could not connect to it: {exc}. Check that the cluster runs, "
            "with the same versions of Ray and Python as this program. If it requires a token, set RAY_AUTH_MODE=token "
            "and write the token into ~/.ray/auth_token"
        ) from exc


def _assert_answers(address: str) -> None:
    """Raise an error if nothing answers at an address, because Ray itself would wait for minutes."""
    scheme, _, place = address.rpartition("://")
    if scheme not in {"", "ray"}:  # a URL scheme of another package
        return
    host, _, port = place.rpartition(":")
    if not host or not port.isdecimal():
        raise ConnectionError("an address has a host and a port, such as '10.0.0.1:6379' or 'ray://10.0.0.1:10001'")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS).close()
    except OSError as exc:
        raise ConnectionError(str(exc)) from exc


def _start() -> None:
    """Start Ray on this machine, with workers that have the same priority as this program."""
    import ray

    previous = os.environ.get(NICENESS)
    os.environ.setdefault(NICENESS, "0")
    try:
        with _suppress_announcements():
            ray.init(address="local", include_dashboard=False, logging_level=logging.WARNING)
    finally:
        if previous is None:
            del os.environ[NICENESS]


@contextlib.contextmanager
def _suppress_announcements() -> Iterator[None]:
    """Suppress Ray's warnings about changes in later versions of Ray."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield
