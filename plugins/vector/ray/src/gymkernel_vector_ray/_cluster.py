"""The cluster: joined where one runs, or started on this machine, and then ended with the last vector environment."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gymkernel import logger

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ClusterHandle", "alive_nodes", "connect", "total"]

NICENESS: Final = "RAY_worker_niceness"
"""Of the workers of a cluster that is started: Ray's own is 15."""
ANSWER_SECONDS: Final = 10.0
"""For a machine to answer at all."""
_lock = threading.RLock()


@dataclass(slots=True)
class _Started:
    """The cluster that this program started here."""

    session: str = ""
    users: int = 0


_started = _Started()


def _session() -> str:
    """What tells one connection to a cluster from another."""
    import ray

    context = ray.get_runtime_context()
    return f"{context.gcs_address} {context.get_job_id()}"


class ClusterHandle:
    """The use of a cluster by one vector environment."""

    def __init__(self) -> None:
        self._session = _session()
        self._shared = self._session == _started.session
        if self._shared:
            _started.users += 1

    def is_connected(self) -> bool:
        """Whether this program is still connected to the cluster as it was then."""
        import ray

        return bool(ray.is_initialized()) and _session() == self._session

    def release(self) -> None:
        """Use it no more; what was started here ends with its last user."""
        import ray

        with _lock:
            if not self._shared:
                return
            self._shared = False
            if _started.session == self._session:
                _started.users -= 1
                if _started.users == 0:
                    if self.is_connected():
                        ray.shutdown()
                    _started.session = ""


def connect(address: str | None) -> ClusterHandle:
    """Be connected to a cluster.

    Args:
        address: of the cluster, or "auto" for one that must run, or "local" for one of this program's own; None joins
            one that runs (the program's, that of `RAY_ADDRESS`, or one of this machine) or starts one.

    Raises:
        ConnectionError: there is no such cluster.
    """
    import ray

    with _lock:
        if ray.is_initialized():
            _assert_connected_to(address)
        elif address is None:
            try:
                _join("auto")
            except ConnectionError:
                if os.environ.get("RAY_ADDRESS"):  # that cluster was meant, and no other
                    raise
                _start()
                cpus = ray.cluster_resources().get("CPU", 0)
                logger.warn(
                    f"No Ray cluster runs, so one was started on this machine, with {cpus:g} CPUs; it ends with the "
                    "last RayVectorEnv. Pass address= to join another one (address='local' is this one, silently)",
                    stacklevel=4,
                )
        elif address == "local":
            _start()
        else:
            _join(address)
        return ClusterHandle()


def _assert_connected_to(address: str | None) -> None:
    """Refuse another cluster than that which this program is connected to."""
    import ray

    here = ray.get_runtime_context().gcs_address
    own = address == "local" and _session() == _started.session
    if not (address in {None, "auto"} or own or _is_address_of(address, here)):
        raise ConnectionError(
            f"Expected address={address!r}, and this program is connected to Ray at {here} already. Leave the address "
            "out to use that, or call ray.shutdown() first"
        )


def _is_address_of(address: str | None, here: str) -> bool:
    """Whether an address is that of the cluster at another one, which has the number of this machine."""
    host, _, port = str(address).rpartition(":")
    return address == here or (host in {"localhost", "127.0.0.1"} and port == here.rpartition(":")[2])


def _join(address: str) -> None:
    import ray

    named = os.environ.get("RAY_ADDRESS", "") if address == "auto" else address
    try:
        if named:
            _assert_answers(named)
        with _quiet():
            ray.init(address=address, logging_level=logging.WARNING)
    except (ConnectionError, ValueError) as exc:
        if not named:
            raise
        raise ConnectionError(
            f"Expected a Ray cluster at {named}, and could not connect to it: {exc}. See that it runs, and has this "
            "version of Ray and Python; if it wants a token, set RAY_AUTH_MODE=token and put it into ~/.ray/auth_token"
        ) from exc


def _assert_answers(address: str) -> None:
    """Refuse an address at which nobody answers: Ray itself would wait for minutes."""
    host, _, port = address.rpartition(":")
    if "://" not in address and address not in {"auto", "local"}:
        if not host or not port.isdecimal():
            raise ConnectionError("an address has a host and a port, as '10.0.0.1:6379'")
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_SECONDS).close()
        except OSError as exc:
            raise ConnectionError(str(exc)) from exc


def _start() -> None:
    """Start Ray here; its workers run with the priority of this program."""
    import ray

    before = os.environ.get(NICENESS)
    os.environ.setdefault(NICENESS, "0")
    try:
        with _quiet():
            ray.init(address="local", include_dashboard=False, logging_level=logging.WARNING)
    finally:
        if before is None:
            del os.environ[NICENESS]
    _started.session, _started.users = _session(), 0


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Leave out what Ray's own start says of later versions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def alive_nodes() -> list[dict[str, Any]]:
    """The nodes of the cluster that run, as Ray describes them."""
    import ray

    return [node for node in ray.nodes() if node["Alive"]]


def total(resource: str) -> float:
    """How much the nodes that run have of a resource, in use or not."""
    return float(sum(node["Resources"].get(resource, 0) for node in alive_nodes()))
