"""Check that both libraries accept the same arguments and reject all others with the same kind of error."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.peers.both import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["environment", "missing_reasons", "shown", "surprises"]

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "coming-from-gymnasium.md"


def spaces_of(library: Any, kind: str) -> tuple[Any, Any]:
    s = library.spaces
    vector = s.Box(-1, 1, (4,), np.float32)
    return {
        "box": (vector, s.Box(-1, 1, (1,), np.float32)),
        "endless": (vector, s.Box(-1, 1, (1,), np.float32)),
        "unbounded": (s.Box(-np.inf, np.inf, (4,), np.float32), s.Box(-np.inf, np.inf, (1,), np.float32)),
        "image": (s.Box(0, 255, (20, 30, 3), np.uint8), s.Discrete(3)),
        "dict": (s.Dict(a=s.Discrete(3), b=vector), s.Discrete(3)),
        "tuple": (s.Tuple([s.Discrete(3), vector]), s.Discrete(3)),
        "discrete": (s.Discrete(5), s.Discrete(3)),
        "pair": (s.Box(-1, 1, (2,), np.float32), s.Box(-1, 1, (2,), np.float32)),
    }[kind]


def spec_of(library: Any) -> Any:
    return library.envs.registration.EnvSpec("Sampler-v0", entry_point="somewhere:else", max_episode_steps=9)


def environment(library: Any, kind: str) -> Any:
    observations, actions = spaces_of(library, kind)

    class Sampler(library.Env):  # type: ignore[misc]
        metadata = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012
        observation_space, action_space, render_mode = observations, actions, "rgb_array"
        spec = None if kind == "endless" else spec_of(library)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return self.observation_space.sample(), {}

        def step(self, action: Any) -> Any:
            return self.observation_space.sample(), 0.5, False, False, {}

        def render(self) -> Any:
            return np.zeros((20, 30, 3), np.uint8)

    return Sampler()


def shown(value: Any) -> str:
    return "func" if callable(value) and not isinstance(value, type) else repr(value).replace("\n", "")


def result(call: Callable[[], Any]) -> Exception | None:
    """Return the error that a call raises, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except Exception as exc:  # noqa: BLE001 - the kind of error is compared
            return exc
    return None


def verdict(theirs: Exception | None, ours: Exception | None) -> str:
    """Return the difference between the libraries, or an empty string."""
    if theirs is None or ours is None:
        if (theirs is None) == (ours is None):
            return ""
        return f"refused: {ours!r}" if theirs is None else f"taken: they raise {theirs!r}"
    kinds = {cls.__name__ for cls in type(ours).__mro__}
    own = type(theirs).__module__.startswith("gymnasium")
    if (own or isinstance(theirs, ValueError | TypeError)) and type(theirs).__name__ not in kinds:
        return f"another error: {ours!r} instead of {theirs!r}"
    return ""


def surprises(text: str, call: Callable[[Any], object], different: Mapping[str, Sequence[str]]) -> str:
    """Return what is wrong: a difference that is not listed, or a listed difference that no longer exists.

    Args:
        text: the arguments of the call as text, with which the patterns are compared.
        call: the call to make, which takes the library.
        different: for each reason, patterns for `text`. Each pattern is followed by gymkernel's behaviour, which is
            "taken", "refused" or "another error".
    """
    ours, theirs = (result(lambda: call(library)) for library in LIBRARIES)  # noqa: B023 - the function is called immediately
    found = verdict(theirs, ours)
    kind = found.partition(":")[0]
    listed = [
        pattern
        for patterns in different.values()
        for pattern in patterns
        if re.fullmatch(pattern.rpartition(" -> ")[0], text)
    ]
    kinds = {item.rpartition(" -> ")[2] for item in listed}
    if kinds == ({kind} if kind else set()):
        return ""
    return f"{text}: {found or 'no difference'}, listed as {listed}"


def missing_reasons(different: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the reasons that do not appear in bold in the guide."""
    guide = " ".join(GUIDE.read_text("utf-8").split())
    return [reason for reason in different if f"**{reason}**" not in guide]
