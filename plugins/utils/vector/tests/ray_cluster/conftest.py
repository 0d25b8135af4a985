"""A fixture that replaces the module `ray` with a fake, which records how it is called."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gymkernel_util_vector.ray_cluster import connection


class FakeRay(ModuleType):
    """A fake of the parts of Ray that a `ClusterConnection` uses."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.running: list[str] = []
        """The clusters on this machine, which the address "auto" finds."""
        self.calls: list[dict[str, Any]] = []
        """The arguments with which `init` was called."""
        self.shutdowns = 0
        self.on_init: Any = lambda: None
        self.alive = [node("10.0.0.1", CPU=4.0), node("10.0.0.2", CPU=2.0, GPU=1.0)]
        self.util = SimpleNamespace(placement_group_table=lambda group: {"state": group.state})
        self._private = SimpleNamespace(services=SimpleNamespace(get_ray_address_from_environment=self._find))
        self._address = ""
        self._jobs = 0

    def _find(self, address: str, temp_dir: str | None) -> str:
        """Return the address of the running cluster."""
        assert (address, temp_dir) == ("auto", None)
        if not self.running:
            raise ConnectionError("Could not find any running Ray instance")
        return self.running[0]

    def init(self, address: str, **options: Any) -> None:
        """Join or start a cluster."""
        assert not self._address, "Ray refuses to be started twice"
        self.calls.append({"address": address, **options})
        self.on_init()
        found = {"auto": self.running[0] if self.running else "", "local": f"127.0.0.1:{7000 + len(self.calls)}"}
        by_number = address.removeprefix("ray://").replace("localhost", "10.0.0.1")
        self._address, self._jobs = found.get(address, by_number), self._jobs + 1

    def is_initialized(self) -> bool:
        """Return whether the program is connected to a cluster."""
        return bool(self._address)

    def get_runtime_context(self) -> Any:
        """Return the context of the current connection."""
        assert self._address, "Ray would start here"
        return SimpleNamespace(gcs_address=self._address, get_job_id=lambda: f"{self._jobs:02}000000")

    def shutdown(self) -> None:
        """Leave the cluster. If this process started the cluster, shut it down."""
        self._address, self.shutdowns = "", self.shutdowns + 1

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes of the cluster, including dead nodes."""
        return [*self.alive, {**node("10.0.0.3", CPU=64.0), "Alive": False}]

    def cluster_resources(self) -> dict[str, float]:
        """Return the total resources of the cluster."""
        return {"CPU": sum(item["Resources"]["CPU"] for item in self.alive)}


def node(address: str, **resources: float) -> dict[str, Any]:
    """Return the description of a node as Ray would return it."""
    node_id = address.replace(".", "") * 3
    return {"NodeID": node_id, "NodeManagerAddress": address, "Alive": True, "Resources": resources}


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    """Replace the module `ray` with a fake. At first, no cluster is running."""
    fake = FakeRay()
    monkeypatch.setitem(sys.modules, "ray", fake)
    monkeypatch.setattr(connection, "_last", connection._Cluster())
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.delenv(connection.NICENESS, raising=False)
    return fake
