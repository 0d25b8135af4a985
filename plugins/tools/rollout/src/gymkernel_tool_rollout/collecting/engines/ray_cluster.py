"""Which cluster the engine `ray` is in, and the options of that engine that cannot be meant."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from gymkernel import logger

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["check_options", "connection", "joined", "room"]

ANSWER_SECONDS: Final = 10.0
"""For a machine to answer at all."""
PLACEMENTS: Final = ("SPREAD", "DEFAULT")


def check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that cannot be meant, in words.

    Args:
        options: of the engine, as they were given.
    """
    resources, placement, address = options.get("resources"), options.get("placement"), options.get("address")
    runtime_env, seconds = options.get("runtime_env"), options.get("start_timeout", 60)
    if resources is not None and not isinstance(resources, Mapping):
        raise TypeError(
            f'Expected resources to be amounts by name, for example {{"CPU": 2, "GPU": 0.5}}, got {resources!r}'
        )
    for name, amount in (resources or {}).items():
        if not isinstance(name, str) or not _is_number(amount):
            raise TypeError(f"Expected resources to be numbers by name, got {name!r}: {amount!r}")
        if not 0 <= amount < float("inf"):
            raise ValueError(f"Expected resources of 0 or more for each shard, got {name}: {amount}")
    if runtime_env is not None and not isinstance(runtime_env, Mapping):
        raise TypeError(
            f'Expected runtime_env to be a mapping as Ray takes it, for example {{"uv": ["minigrid"]}}, '
            f"got {runtime_env!r}"
        )
    strategy = type(placement).__name__.endswith("SchedulingStrategy")
    if placement is not None and not strategy and placement not in PLACEMENTS:
        raise ValueError(
            'Expected placement to be "SPREAD" over the nodes, "DEFAULT" or a scheduling strategy of Ray '
            f"(ray.util.scheduling_strategies), got {placement!r}"
        )
    if address is not None and not (isinstance(address, str) and address.strip()):
        raise TypeError(f"Expected address to be that of a cluster ('10.0.0.1:6379'), or None, got {address!r}")
    if not _is_number(seconds) or not seconds > 0:
        raise ValueError(f"Expected start_timeout to be a number of seconds above 0, got {seconds!r}")


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and hasattr(value, "__float__")


class _Started:
    """The cluster that was started here, and how many rollouts use it."""

    users = 0
    connection = ""


def connection(ray: Any) -> str:
    """What tells one connection to a cluster from another; empty where there is none.

    Args:
        ray: the module.
    """
    if not ray.is_initialized():
        return ""
    context = ray.get_runtime_context()
    return f"{context.gcs_address} {context.get_job_id()}"


@contextlib.contextmanager
def joined(ray: Any, options: Mapping[str, Any]) -> Iterator[None]:
    """Be in a cluster: in that of the program, or in one that runs, or else in one that is started and ended here.

    Args:
        ray: the module.
        options: of the engine, of which `address` says which cluster.

    Raises:
        ConnectionError: there is no such cluster, or the program is in another one.
    """
    address = options.get("address")
    if ray.is_initialized():
        _assert_in(ray, address)
    else:
        _join(ray, address)
    here = connection(ray)
    ours = here == _Started.connection
    _Started.users += ours
    try:
        yield
    finally:
        if ours and here == _Started.connection:
            _Started.users -= 1
            if not _Started.users:
                _Started.connection = ""
                if connection(ray) == here:  # or else it is somebody's by now
                    ray.shutdown()


def _assert_in(ray: Any, address: str | None) -> None:
    """Refuse another cluster than that which the program is in."""
    here = ray.get_runtime_context().gcs_address
    host, _, port = str(address).rpartition(":")
    local = host in {"localhost", "127.0.0.1"} and port == here.rpartition(":")[2]
    own = address == "local" and connection(ray) == _Started.connection
    if not (address in {None, "auto", here} or local or own):
        raise ConnectionError(
            f"Expected address={address!r}, and this program is connected to Ray at {here} already. Leave the address "
            "out to use that, or call ray.shutdown() first"
        )


def _join(ray: Any, address: str | None) -> None:
    if address == "local":
        _start(ray)
        return
    named = os.environ.get("RAY_ADDRESS", "") if address in {None, "auto"} else address
    try:
        if named:
            _assert_answers(str(named))
        ray.init(address or "auto", log_to_driver=False)
    except (ConnectionError, ValueError) as exc:
        if named:  # that cluster was meant, and no other
            raise ConnectionError(f"Expected a Ray cluster at {named}, and could not connect to it: {exc}") from exc
        if address is not None or not isinstance(exc, ConnectionError):
            raise
        logger.warn(
            "no Ray cluster runs, so one is started on this machine, and ended with the rollout; call ray.init() "
            "before to have one for the whole program"
        )
        _start(ray)


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


def _start(ray: Any) -> None:
    ray.init("local", log_to_driver=False, include_dashboard=False)
    _Started.connection, _Started.users = connection(ray), 0


def room(ray: Any, options: Mapping[str, Any]) -> int:
    """For how many shards the cluster has room while it is idle, or the placement group that they are to be in.

    Args:
        ray: the module.
        options: of the engine, of which `resources` and `placement` matter.
    """
    asked = {name: amount for name, amount in (options.get("resources") or {}).items() if amount} or {"CPU": 1}
    placement: Any = options.get("placement")
    group = getattr(placement, "placement_group", None)
    if group is not None:
        index = placement.placement_group_bundle_index
        places = group.bundle_specs if index < 0 else group.bundle_specs[index : index + 1]
    else:
        only = None if getattr(placement, "soft", True) else getattr(placement, "node_id", None)
        places = [node["Resources"] for node in ray.nodes() if node["Alive"] and only in {None, node["NodeID"]}]
    return max(1, sum(int(min(place.get(name, 0) // amount for name, amount in asked.items())) for place in places))
