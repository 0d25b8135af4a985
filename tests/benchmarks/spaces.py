"""Benchmarks of operations on spaces, such as sampling and flattening."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.libraries import IMAGE, LIBRARIES, NESTED, VECTOR, has, nested, noop_in, observations
from tests.benchmarks.measure import per_call
from tests.benchmarks.vector_async import steps

import gymkernel
from gymkernel import ops, vector
from gymkernel.space import Field

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

N = 64
OPERATIONS = ("sample", "contains", "==", "flatten", "unflatten")


def simple(library: Any) -> dict[str, tuple[Any, dict[str, float]]]:
    """Return spaces, each with the speed-up that its operations should reach."""
    spaces = library.spaces
    return {
        VECTOR: (spaces.Box(-1, 1, (4,)), {"sample": 13, "contains": 12, "==": 19}),
        IMAGE: (observations(library, IMAGE), {"sample": 6, "contains": 54}),
        "Discrete(5)": (spaces.Discrete(5), {"sample": 1.2, "contains": 11}),
        "MultiDiscrete(4)": (spaces.MultiDiscrete([5, 4, 3, 2]), {"sample": 1.3}),
        "Tuple(3)": (
            spaces.Tuple((spaces.Box(-1, 1, (4,)), spaces.Discrete(5), spaces.MultiDiscrete([3, 2]))),
            {"sample": 4},
        ),
        **_later(library),
    }


def _later(library: Any) -> dict[str, tuple[Any, dict[str, float]]]:
    """Return the spaces of plugins that may not be installed."""
    spaces = library.spaces

    def box() -> Any:
        return spaces.Box(-1, 1, (4,))

    makers: dict[str, tuple[str, Callable[[], Any], dict[str, float]]] = {
        NESTED: ("Dict", lambda: nested(library), {"sample": 5, "flatten": 10, "unflatten": 24, "contains": 5}),
        "MultiBinary(8)": ("MultiBinary", lambda: spaces.MultiBinary(8), {"sample": 1}),
        "Text(10)": ("Text", lambda: spaces.Text(10), {"sample": 5}),
        "Sequence": ("Sequence", lambda: spaces.Sequence(box()), {"sample": 4}),
        "OneOf": ("OneOf", lambda: spaces.OneOf([box(), spaces.Discrete(5)]), {"sample": 4}),
        "Graph": ("Graph", lambda: spaces.Graph(box(), spaces.Discrete(5)), {"sample": 4}),
    }
    return {name: (make(), targets) for name, (needed, make, targets) in makers.items() if has(needed)}


def call(operation: str, library: Any, space: Any, other: Any) -> Callable[[], Any]:
    """Return a function without arguments that runs an operation on a space."""
    space.seed(1)
    if operation == "sample":
        return space.sample  # type: ignore[no-any-return]
    value = space.sample()
    if operation == "contains":
        return lambda: space.contains(value)
    if operation == "==":
        return lambda: space == other
    if operation == "flatten":
        return lambda: library.spaces.flatten(space, value)
    flat = library.spaces.flatten(space, value)
    return lambda: library.spaces.unflatten(space, flat)


def run(bench: Bench) -> None:
    """Measure operations on single elements and on batches."""
    bench.section("Spaces, one element")
    mine, theirs = (simple(library) for library in LIBRARIES)
    others = [simple(library) for library in LIBRARIES]
    for name, (_, targets) in mine.items():
        for operation in OPERATIONS:
            calls = (
                call(operation, library, made[name][0], other[name][0])
                for library, made, other in zip(LIBRARIES, (mine, theirs), others, strict=True)
            )
            bench.faster(f"{name} {operation}", calls, targets.get(operation))
    making(bench)
    batches(bench)
    third_parties(bench)


def making(bench: Bench) -> None:
    """Measure constructors."""
    bench.section("Spaces, making")
    pairs = zip(*(_constructors(library.spaces).items() for library in LIBRARIES), strict=True)
    for (name, ours), (_, theirs) in pairs:
        bench.faster(name, (ours, theirs), 1)


def _constructors(spaces: Any) -> dict[str, Callable[[], Any]]:
    low, high = np.zeros(4, np.float32), np.ones(4, np.float32)
    return {
        "Box(-1, 1, (4,))": lambda: spaces.Box(-1.0, 1.0, (4,)),
        "Box of two arrays": lambda: spaces.Box(low, high),
        "Box(0, 255, (84, 84, 4), uint8)": lambda: spaces.Box(0, 255, (84, 84, 4), np.uint8),
        "Dict of two Box(4)": lambda: spaces.Dict({"a": spaces.Box(-1, 1, (4,)), "b": spaces.Box(-1, 1, (4,))}),
        "Tuple of two Box(4)": lambda: spaces.Tuple((spaces.Box(-1, 1, (4,)), spaces.Box(-1, 1, (4,)))),
        "Sequence of Box(4)": lambda: spaces.Sequence(spaces.Box(-1, 1, (4,))),
    }


def batches(bench: Bench) -> None:
    bench.section(f"Spaces, batches of {N}")
    targets = {VECTOR: (4.7, 5, 8), IMAGE: (2.2, 50, 8), NESTED: (4.4, 5, None)}
    for kind, (concatenated, batched, sampled) in targets.items():
        if kind == NESTED and not has("Dict"):
            continue
        pairs = [(library.vector.utils, observations(library, kind)) for library in LIBRARIES]
        values = [pairs[1][1].sample() for _ in range(N)]
        joins = (
            partial(utils.concatenate, space, values, utils.create_empty_array(space, N)) for utils, space in pairs
        )
        bench.faster(f"{kind} concatenate", joins, concatenated)
        calls = [partial(utils.batch_space, space, N) for utils, space in pairs]
        bench.faster(f"{kind} batch_space", calls, batched, n=5)
        bench.faster(f"{kind} sample of a batch", (make().sample for make in calls), sampled, n=5)
        bench.faster(
            f"{kind} iterate", (iterating(utils, make()) for (utils, _), make in zip(pairs, calls, strict=True))
        )
        bench.faster(
            f"{kind} create_empty_array", (partial(utils.create_empty_array, space, N) for utils, space in pairs)
        )


def iterating(utils: Any, batched: Any) -> Callable[[], Any]:
    """Return a function without arguments that iterates over a batch."""
    batch = batched.sample()
    return lambda: list(utils.iterate(batched, batch))


class Own(gymkernel.Space[Any]):
    """A third-party space that defines `layout`."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.random(4, np.float32)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (4,)

    def layout(self) -> Any:
        return (Field.of(np.float32, (4,)),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    __hash__ = None  # type: ignore[assignment]


def third_parties(bench: Bench) -> None:
    """Compare a third-party space that only defines a layout with a Box of the same size, alone and inside a Dict."""
    bench.section("A third party's space, as a share of the time of a Box")
    box = gymkernel.spaces.Box(-1, 1, (4,))
    pairs: dict[str, tuple[Any, Any]] = {"alone": (Own(), box)}
    if has("Dict"):
        pairs["in a Dict"] = tuple(gymkernel.spaces.Dict(a=a, b=gymkernel.spaces.Discrete(3)) for a in (Own(), box))  # type: ignore[assignment]
    for name, pair in pairs.items():
        value = pair[1].sample()
        for operation in (flattening, unflattening, joining, taking_apart):
            times = bench.rounds([partial(per_call, operation(space, value)) for space in pair], 9)
            bench.add(f"{name}: {operation.__doc__}", times, 1.5, against="Box", share=True)
        for backend in ("SyncVectorEnv", "AsyncVectorEnv"):
            envs = [getattr(vector, backend)([noop_in(gymkernel, space, value)] * N) for space in pair]
            times = bench.rounds([steps(env, N) for env in envs], 9)
            bench.add(f"{name}: a step of {backend}, {N}", times, 1.5, against="Box", share=True)
            for env in envs:
                env.close()


def flattening(space: Any, value: Any) -> Callable[[], Any]:
    """flatten"""
    return lambda: ops.flatten(space, value)


def unflattening(space: Any, value: Any) -> Callable[[], Any]:
    """unflatten"""
    vector = ops.flatten(space, value)
    return lambda: ops.unflatten(space, vector)


def joining(space: Any, value: Any) -> Callable[[], Any]:
    """concatenate"""
    values, out = [value] * N, ops.create_empty_array(space, N)
    return lambda: ops.concatenate(space, values, out)


def taking_apart(space: Any, value: Any) -> Callable[[], Any]:
    """iterate"""
    batched, batch = ops.batch_space(space, N), joining(space, value)()
    return lambda: list(ops.iterate(batched, batch))
