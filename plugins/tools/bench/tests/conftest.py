"""A simulated machine with its own clock, and fake environments and backends whose steps take simulated time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from gymkernel_tool_bench import Backend, Meters, Target
from gymkernel_tool_bench.records import Machine


@dataclass
class World:
    """A simulated machine with clocks, memory, and a log of the steps."""

    now: float = 0.0
    computed: float = 0.0
    held: int = 0
    cores: int = 2
    others: float = 0.0
    log: list[str] = field(default_factory=list)
    open: int = 0

    def spend(self, seconds: float, share: float = 1.0) -> None:
        self.now += seconds
        self.computed += seconds * share

    @property
    def meters(self) -> Meters:
        return Meters(
            wall=lambda: self.now,
            cpu=lambda: self.computed,
            queued=lambda: 0.0,
            busy=lambda: self.computed + self.others * self.now,
            memory=lambda: self.held,
            machine=lambda: Machine(self.cores, "3.11", "0.1", "Toy"),
        )


class Actions:
    def seed(self, seed: int) -> None:
        self.last = seed

    def sample(self) -> int:
        self.last += 1
        return self.last


class FakeEnv:
    """An environment whose steps and resets each take `seconds` of simulated time. Episodes have ten steps."""

    def __init__(self, world: World, seconds: float = 1e-3, share: float = 1.0, dies_at: int | None = None) -> None:
        self.world, self.seconds, self.share, self.dies_at = world, seconds, share, dies_at
        self.action_space = Actions()
        self.steps = 0
        world.spend(0.01)
        world.held += 1000
        world.open += 1

    def reset(self, *, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.world.spend(self.seconds, self.share)
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        self.world.spend(self.seconds, self.share)
        self.steps += 1
        if self.dies_at is not None and self.steps >= self.dies_at:
            raise RuntimeError("the simulator is gone")
        if not self.world.log or self.world.log[-1] != "alone":
            self.world.log.append("alone")
        return 0, 1.0, self.steps % 10 == 0, False, {}

    def close(self) -> None:
        self.world.held -= 1000
        self.world.open -= 1


class FakeVector:
    """A vector environment whose steps take `seconds` of simulated time, whatever the number of environments."""

    def __init__(
        self,
        world: World,
        name: str,
        num_envs: int,
        seconds: float,
        *,
        dies_at: int | None = None,
        dies_closing: bool = False,
    ) -> None:
        self.world, self.name, self.num_envs, self.seconds = world, name, num_envs, seconds
        self.dies_at, self.dies_closing = dies_at, dies_closing
        self.metadata: dict[str, Any] = {}
        self.action_space = Actions()
        self.steps = 0
        world.spend(0.002 * num_envs)
        world.held += 100 * num_envs
        world.open += 1

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        self.world.spend(self.seconds)
        return 0, {}

    def step(self, actions: int) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self.world.spend(self.seconds)
        self.steps += 1
        if self.dies_at is not None and self.steps >= self.dies_at:
            raise RuntimeError("a worker is gone")
        if self.world.log[-1] != self.name:
            self.world.log.append(self.name)
        return 0, 0, 0, 0, {}

    def close(self) -> None:
        self.world.open -= 1
        self.world.held -= 100 * self.num_envs
        if self.dies_closing:
            raise RuntimeError("closing failed")


@dataclass
class Lab:
    """A simulated machine, with methods that create environments on it for the command to measure."""

    world: World = field(default_factory=World)

    def target(self, *backends: Backend, **env: Any) -> Target:
        return Target(
            "toy",
            lambda: FakeEnv(self.world, **env),
            backends,
            lambda name, num_envs, arguments: f"make({name}, {num_envs}, {arguments})",
        )

    def sync(self, name: str = "sync", seconds: float = 1e-3, **how: Any) -> Backend:
        """Return a backend that steps one environment after another."""
        return Backend(name, lambda n, arguments: FakeVector(self.world, name, n, seconds * n, **how))

    def workers(self, name: str = "async", seconds: float = 1e-3, **how: Any) -> Backend:
        """Return a backend whose workers step one environment at a time, with an overhead of 0.1 ms per step."""

        def make(n: int, arguments: dict[str, Any]) -> FakeVector:
            workers = arguments["num_workers"]
            return FakeVector(self.world, f"{name}{workers}", n, seconds * -(-n // workers) + 1e-4, **how)

        return Backend(name, make, takes_workers=True)

    def own(self, seconds: float = 1e-4) -> Backend:
        return Backend("vector_entry_point", lambda n, arguments: FakeVector(self.world, "own", n, seconds))


@pytest.fixture
def lab() -> Lab:
    return Lab()
