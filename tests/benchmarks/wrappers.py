"""What a wrapper adds to a step: one environment, ten wrappers deep, and 64 environments at once.

`ROWS` is a table: a wrapper's name and arguments, the environment that it suits, and the target.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.libraries import IMAGE, LIBRARIES, VECTOR, noop
from tests.benchmarks.measure import per_call

if TYPE_CHECKING:
    from tests.benchmarks.measure import Bench

__all__ = ["ROWS", "Wrapped", "run"]

N = 64
COLOURS = "Box(84, 84, 3) uint8"
PAIR = "Dict of two Box(4)"
ACTING = "acts in Box(2)"


@dataclass(frozen=True)
class Wrapped:
    """A wrapper to measure.

    Attributes:
        name: of the class, in `wrappers`, and in `wrappers.vector` where the other library has it there, too.
        kwargs: its arguments.
        kind: the observations of the environment inside.
        target: how many times faster than Gymnasium's layer it is to be.
        vector: whether both libraries have a vector form.
    """

    name: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    kind: str = VECTOR
    target: float | None = None
    vector: bool = False

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in self.kwargs.items())}), {self.kind}"


ROWS = [
    Wrapped("NormalizeObservation", target=4, vector=True),
    Wrapped("FrameStackObservation", {"stack_size": 4}, target=6),
    Wrapped("FrameStackObservation", {"stack_size": 4}, IMAGE),
    Wrapped("FlattenObservation", target=3, vector=True),
    Wrapped("FlattenObservation", kind=PAIR, vector=True),
    Wrapped("DtypeObservation", {"dtype": "float64"}, target=3, vector=True),
    Wrapped("RescaleObservation", {"min_obs": -3.0, "max_obs": 5.0}, target=3, vector=True),
    Wrapped("RescaleObservation", {"min_obs": -5.0, "max_obs": 5.0}),
    Wrapped("ReshapeObservation", {"shape": (2, 2)}, vector=True),
    Wrapped("TransformObservation", {"func": np.negative, "observation_space": None}),
    Wrapped("FilterObservation", {"filter_keys": ["a"]}, PAIR, vector=True),
    Wrapped("DiscretizeObservation", {"bins": 10}),
    Wrapped("DelayObservation", {"delay": 3}),
    Wrapped("TimeAwareObservation"),
    Wrapped("MaxAndSkipObservation", {"skip": 4}),
    Wrapped("GrayscaleObservation", kind=COLOURS, vector=True),
    Wrapped("ClipAction", kind=ACTING),
    Wrapped("RescaleAction", {"min_action": np.float32(-2), "max_action": np.float32(2)}, ACTING),
    Wrapped("DiscretizeAction", {"bins": 5}, ACTING),
    Wrapped("StickyAction", {"repeat_action_probability": 0.25}, target=3),
    Wrapped("RepeatAction", {"num_repeats": 1}),
    Wrapped("ClipReward", {"min_reward": -1.0, "max_reward": 0.5}, target=20, vector=True),
    Wrapped("TransformReward", {"func": np.negative}, vector=True),
    Wrapped("NormalizeReward", target=30, vector=True),
    Wrapped("OrderEnforcing", target=2),
    Wrapped("TimeLimit", {"max_episode_steps": 10**9}, target=2),
    Wrapped("RecordEpisodeStatistics", target=2, vector=True),
    Wrapped("Autoreset"),
]


class Spec:
    """What tells of a limit."""

    max_episode_steps = 10**9
    id = "Noop-v0"
    additional_wrappers = ()


def environment(library: Any, kind: str) -> Any:
    """An environment that does nothing, with observations of a kind."""
    spaces = library.spaces
    if kind == ACTING:
        env = noop(library, VECTOR)()
        env.action_space = spaces.Box(-1, 1, (2,))
    elif kind in {VECTOR, IMAGE}:
        env = noop(library, kind)()
    else:
        box = spaces.Box(-1, 1, (4,))
        space = spaces.Dict({"a": box, "b": box}) if kind == PAIR else spaces.Box(0, 255, (84, 84, 3), np.uint8)
        observation = space.sample()
        cls = noop(library)
        env = type("Other", (cls,), {"observation_space": space, "step": _shows(observation)})()
        env.reset = lambda **_: (observation, {})
    env.spec = Spec()
    return env


def _shows(observation: Any) -> Any:
    return lambda self, action: (observation, 0.0, False, False, {})


def run(bench: Bench) -> None:
    """Every row, the stack, the vector forms."""
    layers(bench)
    ten_deep(bench)
    vector_forms(bench)


def layers(bench: Bench) -> None:
    """The time of a step above that of the bare environment, of both libraries in turns."""
    bench.section("Wrappers: time above the bare step")
    for row in ROWS:
        envs = []
        for library in LIBRARIES:
            wrapped = getattr(library.wrappers, row.name)(environment(library, row.kind), **row.kwargs)
            wrapped.reset()
            envs += [environment(library, row.kind), wrapped]
        steps = [partial(per_call, partial(env.step, 0)) for env in envs]
        bare, ours, their_bare, theirs = bench.rounds(steps, 15)
        skipped = row.kwargs.get("skip", 1)  # several bare steps are none of the wrapper's doing
        bench.add(str(row), (ours - skipped * bare, theirs - skipped * their_bare), row.target)


def ten_deep(bench: Bench) -> None:
    """A stack of ten wrappers around an environment that does nothing."""
    bench.section("Ten wrappers, time of a step")

    def stack(library: Any) -> Any:
        wrappers, env = library.wrappers, environment(library, VECTOR)
        for wrap in [
            partial(wrappers.TimeLimit, max_episode_steps=10**9),
            wrappers.OrderEnforcing,
            partial(wrappers.RescaleObservation, min_obs=-3.0, max_obs=5.0),
            partial(wrappers.DtypeObservation, dtype=np.float64),
            partial(wrappers.ReshapeObservation, shape=(2, 2)),
            wrappers.FlattenObservation,
            wrappers.NormalizeObservation,
            partial(wrappers.DelayObservation, delay=2),
            partial(wrappers.FrameStackObservation, stack_size=4),
            partial(wrappers.ClipReward, min_reward=-1.0, max_reward=1.0),
        ]:
            env = wrap(env)
        env.reset()
        return env

    bench.faster("ten different wrappers", [partial(stack(library).step, 0) for library in LIBRARIES], n=15)


def vector_forms(bench: Bench) -> None:
    """The time of a step of 64 environments above that of the vector environment."""
    bench.section(f"Vector forms over {N} environments: time above the vector step")
    actions = np.zeros(N, np.int64)
    for row in (row for row in ROWS if row.vector):
        envs = []
        for library in LIBRARIES:
            make = partial(environment, library, row.kind)
            bare, inside = (library.vector.SyncVectorEnv([make] * N) for _ in range(2))
            envs += [bare, getattr(library.wrappers.vector, row.name)(inside, **row.kwargs)]
        for env in envs:
            env.reset(seed=1)
        bare, ours, their_bare, theirs = bench.rounds(
            [partial(per_call, partial(env.step, actions)) for env in envs], 9
        )
        bench.add(str(row), (ours - bare, theirs - their_bare))
