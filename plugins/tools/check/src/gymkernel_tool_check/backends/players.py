"""Functions that create environments for the test cases, one for each installed space."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gymkernel import ops, plugins, spaces
from gymkernel.env import Env
from gymkernel.space import Field, Space
from gymkernel_tool_check.probes.probe_envs import ProbeEnv

__all__ = ["SPACES", "ReusingEnv", "box", "discrete", "players", "random_space"]


class ReusingEnv(Env[Any, Any]):
    """An environment that returns the same array object from every call."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = box(), discrete()
        self.array = np.zeros(4, np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode that ends after two steps."""
        self.array[:] = 0
        return self.array, {"array": self.array}

    def step(self, action: Any) -> Any:
        """Increment the array and return the same array object."""
        self.array += 1
        return self.array, np.float32(1), bool(self.array[0] == 2), False, {"array": self.array}


class Angle(Space[Any]):
    """An example of a third-party space that has a layout but no registered operations."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random element of the space."""
        return self.np_random.uniform(-np.pi, np.pi, size=1)

    def contains(self, x: Any) -> bool:
        """Return whether `x` is an element of the space."""
        return isinstance(x, np.ndarray) and x.shape == (1,)

    def layout(self) -> Any:
        """Return the array layout of an element: a single float."""
        return (Field.of(float, (1,)),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Angle)

    __hash__ = None  # type: ignore[assignment]


class Mission(Space[str]):
    """An example of a third-party space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """Return a random element of the space."""
        return "go " * int(self.np_random.integers(1, 4))

    def contains(self, x: Any) -> bool:
        """Return whether `x` is an element of the space."""
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mission)

    __hash__ = None  # type: ignore[assignment]


@ops.create_zero_array.register(Mission)
def _(space: Mission) -> str:
    return ""


def _space(name: str, *arguments: Any, **keywords: Any) -> Any:
    return getattr(spaces, name)(*arguments, **keywords)


def box() -> Any:
    """Return a space of four floats."""
    return _space("Box", -1, 1, (4,))


def discrete() -> Any:
    """Return a space of the integers from 3 to 7."""
    return _space("Discrete", 5, start=3)


def _examples() -> dict[str, list[Callable[[], Any]]]:
    pair, choice = partial(_space, "Box", -1, 1, (2,)), partial(_space, "Discrete", 3)
    boxes = ((0, 255, (6, 5, 2), np.uint8), (2, 9, (), np.int16), (-1, 1, (0,)))
    return {
        "Box": [box, *(partial(_space, "Box", *arguments) for arguments in boxes)],
        "Discrete": [discrete],
        "MultiDiscrete": [partial(_space, "MultiDiscrete", nvec) for nvec in ([3, 4, 2], [[3, 4], [2, 5]])],
        "MultiBinary": [partial(_space, "MultiBinary", 4), partial(_space, "MultiBinary", (2, 3))],
        "Text": [partial(_space, "Text", 6)],
        "Tuple": [lambda: _space("Tuple", (pair(), choice())), partial(_space, "Tuple", ())],
        "Dict": [lambda: _space("Dict", {"a": pair(), "b": choice()})],
        "Sequence": [lambda: _space("Sequence", pair()), lambda: _space("Sequence", choice())],
        "Graph": [lambda: _space("Graph", pair(), choice())],
        "OneOf": [lambda: _space("OneOf", (pair(), choice()))],
        "Angle": [Angle],
        "Mission": [Mission],
    }


SPACES: dict[str, list[Callable[[], Any]]] = {
    name: makers
    for name, makers in _examples().items()
    if name in {"Angle", "Mission"} or name in plugins.names("spaces")
}
"""For each installed space class, a function that creates an instance, keyed by class name.

`Angle` and `Mission` are examples of third-party spaces.
"""


def random_space(draw: np.random.Generator, names: list[str], depth: int = 2) -> Callable[[], Any]:
    """Return a function that creates a random space from the given classes, possibly nested in Dict and Tuple."""
    kind = draw.integers(3) if depth else 0
    if kind == 0:
        name = names[draw.integers(len(names))]
        return SPACES[name][draw.integers(len(SPACES[name]))]
    parts = [random_space(draw, names, depth - 1) for _ in range(draw.integers(1, 4))]
    if kind == 1:
        return lambda: _space("Tuple", [make() for make in parts])
    return lambda: _space("Dict", {key: make() for key, make in zip("xyz", parts, strict=False)})


def players(make: Any, make_action: Any = discrete, n: int = 5, **kwargs: Any) -> list[Callable[[], ProbeEnv]]:
    """Return n functions, each of which creates an environment. The environments have different episode lengths."""
    return [partial(ProbeEnv, (make, make_action), i, **kwargs) for i in range(n)]
