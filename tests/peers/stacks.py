"""Create random stacks of wrappers in both libraries, and find the first difference between their rollouts."""

from __future__ import annotations

import copy
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from tests.peers.both import LIBRARIES, Recipe, alike, outcome, same
from tests.peers.test_vector import MODES, environment
from tests.peers.test_wrappers_observation import (
    BITS,
    BOX,
    DISCRETE,
    FINE,
    NAMED,
    PLAIN,
    ROW,
    SCREEN,
    SEVERAL,
    SHIFTED,
    WIDE,
    Made,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Rng = np.random.Generator
    Layer = tuple[str, dict[str, Any]]

__all__ = ["Stack", "difference", "drawn"]

NESTED = Made(
    lambda lib: lib.spaces.Dict(
        {
            "pose": lib.spaces.Box(-1, 1, (2,)),
            "row": lib.spaces.Tuple([lib.spaces.Discrete(3, start=1), lib.spaces.Box(0, 9, (2, 2), np.int8)]),
            "bits": lib.spaces.MultiBinary(2),
        }
    )
)
TEXT = Made(lambda lib: lib.spaces.Text(4))
OBSERVED = (BOX, FINE, WIDE, SHIFTED, SCREEN, SCREEN, DISCRETE, SEVERAL, BITS, NAMED, ROW, PLAIN, NESTED, NESTED, TEXT)
ACTED = (
    Recipe("Discrete", (5,)),
    WIDE,
    Recipe("Box", (-1, 1), {"shape": (1,)}),
    Recipe("Box", (-2, 3), {"shape": (2, 2), "dtype": np.float64}),
    Recipe("Box", (-2, 3), {"shape": (2,), "dtype": np.int32}),
    SEVERAL,
)
REGISTERED = (
    ("CartPole-v1", 9),
    ("MountainCarContinuous-v0", 5),
    ("Pendulum-v1", 6),
    ("Acrobot-v1", 4),
    ("FrozenLake-v1", 7),
    ("Blackjack-v1", None),
    ("Taxi-v4", 8),
    ("CliffWalking-v1", 6),
)
NOT_COMPARED = {"env", "prev_dones", "padding_value", "episode_start_times", "episode_start_time", "time_queue"}
"""Attributes that are not compared, because they contain times or are implementation details.

`test_wrapper_members` tests which attributes exist.
"""


def flipped(last: int, action: Any) -> Any:
    return last - action


def halved(number: Any) -> Any:
    return number / 2


def one_more(number: Any) -> Any:
    return number + 1


@dataclass
class Stack:
    """The innermost environment of a stack, and its layers from the inside out."""

    mode: str
    n: int
    bottom: Callable[[Any, int], Any]
    named: str
    inner: list[Layer] = field(default_factory=list)
    """The wrappers around each single environment."""
    outer: list[Layer] = field(default_factory=list)
    """The wrappers around the vector environment. If the list is empty, a single environment is used."""
    vector: bool = True

    def single(self, library: Any, index: int = 0) -> Any:
        env = self.bottom(library, index)
        for layer in self.inner:
            env = put(library, env, layer, vector=False)
        return env

    def backend(self, library: Any) -> Any:
        if self.named == "CartPole's own vectorised form":
            return library.make_vec("CartPole-v1", self.n, max_episode_steps=9)
        makers = [partial(self.single, library, i) for i in range(self.n)]
        return library.vector.SyncVectorEnv(makers, autoreset_mode=library.vector.AutoresetMode(self.mode))

    def made(self, library: Any) -> Any:
        if not self.vector:
            return self.single(library)
        envs = self.backend(library)
        for layer in self.outer:
            envs = put(library, envs, layer, vector=True)
        return envs

    @property
    def resets_in_part(self) -> bool:
        """Whether partial resets of the stack give the same results in both libraries.

        Gymnasium's vectorised environments always reset all of their environments. A single-environment wrapper that
        gymkernel vectorises is called only for the environments that start an episode, even if an inner wrapper also
        changes the other observations.
        """
        names = [name for name, _ in self.outer]
        one_by_one = "NormalizeObservation" in names and "VectorizeTransformObservation" in names
        return self.named[0] != "C" and not one_by_one

    def __str__(self) -> str:
        where = f"{self.n} x {self.named}, {self.mode}" if self.vector else self.named
        return f"{where}; {self.inner}; {self.outer}"


def put(library: Any, inside: Any, layer: Layer, *, vector: bool) -> Any:
    """Wrap an environment in a layer. A vectorising wrapper's arguments contain the name of the vectorised wrapper."""
    name, kwargs = layer
    kwargs = {**kwargs, "wrapper": getattr(library.wrappers, kwargs["wrapper"])} if "wrapper" in kwargs else kwargs
    return getattr(library.wrappers.vector if vector else library.wrappers, name)(inside, **kwargs)


def drawn(seed: int) -> Stack:
    """Return the random stack for a seed, without layers that Gymnasium rejects."""
    rng = np.random.default_rng(seed)
    stack = _bottom(rng)
    probe = outcome(stack.single, gymnasium)
    for _ in range(int(rng.integers(0, 3 if stack.vector else 5)) if stack.named[0] != "C" else 0):
        layer = _layer(rng, probe.observation_space, probe.action_space, None)
        wrapped = outcome(put, gymnasium, probe, layer, vector=False)
        if wrapped != "it raises":
            stack.inner.append(layer)
            probe = wrapped
    if stack.vector:
        envs = outcome(stack.backend, gymnasium)
        for _ in range(int(rng.integers(1, 5))):
            layer = _layer(rng, envs.single_observation_space, envs.single_action_space, stack.mode)
            wrapped = outcome(put, gymnasium, envs, layer, vector=True)
            if wrapped != "it raises":
                stack.outer.append(layer)
                envs = wrapped
                if layer[0] == "DictInfoToList":  # both libraries require this wrapper to be the last layer
                    break
    return stack


def _bottom(rng: Rng) -> Stack:
    mode, n, chance = str(rng.choice(MODES)), int(rng.integers(1, 5)), rng.random()
    if chance < 0.35:
        name, limit = REGISTERED[rng.integers(len(REGISTERED))]
        return Stack(mode, n, lambda library, _: library.make(name, max_episode_steps=limit), f"make {name}")
    if chance < 0.4:
        return Stack("NextStep", n, lambda library, _: library.make("CartPole-v1"), "CartPole's own vectorised form")
    observed, acted = OBSERVED[rng.integers(len(OBSERVED))], ACTED[rng.integers(len(ACTED))]
    shown = f"observations {observed.make(gymnasium)}, actions {acted.make(gymnasium)}"
    bottom = partial(_sampler, observed, acted)
    return Stack(mode, n, bottom, shown, vector=chance < 0.9)


def _sampler(observed: Any, acted: Any, library: Any, index: int) -> Any:
    return environment(library, index, observed, acted)


def _layer(rng: Rng, observed: Any, acted: Any, mode: str | None) -> Layer:
    """Choose a wrapper and its arguments. `mode` is the autoreset mode, or None for a single environment."""
    kind = str(rng.choice(["Observation", "Action", "Reward", ""], p=[0.4, 0.2, 0.2, 0.2]))
    if kind == "Observation":
        found = _of_observations(rng, observed, mode)
    elif kind == "Action":
        found = _of_actions(rng, acted)
    elif kind == "Reward":
        found = _of_rewards(rng)
    else:
        found = _of_episodes(rng, single=mode is None)
    name, kwargs = found[rng.integers(len(found))] if found else ("RecordEpisodeStatistics", {"stats_key": "instead"})
    needed = {"TransformObservation": {"observation_space": None}, "TransformAction": {"action_space": None}}
    of_one = kwargs | needed.get(name, {})
    if mode is None:
        return name, of_one
    one_by_one = (
        name == "TransformObservation" and mode == "SameStep"
    )  # Gymnasium does not transform final observations
    if found and kind and not name.startswith("Normalize") and (one_by_one or rng.random() < 0.25):
        return f"VectorizeTransform{kind}", {"wrapper": name, **of_one}
    return name, kwargs


def _of_observations(rng: Rng, space: Any, mode: str | None) -> list[Layer]:
    found: list[Layer] = [("FlattenObservation", {})]
    kind, normalized = type(space).__name__, mode in {None, "NextStep"}  # Gymnasium rejects the other modes
    if kind in {"Box", "MultiDiscrete", "MultiBinary"} and normalized:
        found.append(("NormalizeObservation", {} if rng.random() < 0.5 else {"epsilon": 0.1}))
    if kind == "Dict":
        keys = rng.permutation(list(space.spaces))[: rng.integers(1, len(space.spaces) + 1)]
        found.append(("FilterObservation", {"filter_keys": keys.tolist()}))
    if kind == "Tuple":
        found.append(("FilterObservation", {"filter_keys": rng.permutation(len(space.spaces))[:2].tolist()}))
    if kind in {"Discrete", "MultiDiscrete", "MultiBinary"}:
        dtypes = ["int32", "int64"] if kind == "MultiDiscrete" else ["float32", "int32"]
        found.append(("DtypeObservation", {"dtype": str(rng.choice(dtypes))}))
    return found + (_of_boxes(rng, space) if kind == "Box" else [])


def _of_boxes(rng: Rng, box: Any) -> list[Layer]:
    size, bounded = int(np.prod(box.shape)), bool(np.isfinite(box.low).all() and np.isfinite(box.high).all())
    dtypes = ["int16", "float32"] if box.dtype == np.uint8 else ["float64", "float32"]
    dtypes += ["int32"] if bounded else []  # Gymnasium casts infinite bounds to integers with the opposite sign
    found: list[Layer] = [
        ("DtypeObservation", {"dtype": str(rng.choice(dtypes))}),
        ("ReshapeObservation", {"shape": (size,) if rng.random() < 0.5 else (1, size)}),
    ]
    if bounded:
        low, high = float(rng.integers(-3, 1)), float(rng.integers(1, 9))
        found.append(("RescaleObservation", {"min_obs": low, "max_obs": high}))
        found.append(("RescaleObservation", {"min_obs": np.full(box.shape, low), "max_obs": np.full(box.shape, high)}))
    if box.dtype.kind == "f":
        found.append(("TransformObservation", {"func": np.negative}))
    if box.dtype == np.uint8 and box.shape[2:] == (3,):
        found += [("GrayscaleObservation", {"keep_dim": bool(rng.random() < 0.5)})] * 2
        found += [("ResizeObservation", {"shape": (int(rng.integers(1, 7)), int(rng.integers(1, 9)))})] * 2
    return found


def _of_actions(rng: Rng, space: Any) -> list[Layer]:
    if type(space).__name__ == "Discrete":
        return [("TransformAction", {"func": partial(flipped, int(space.n) - 1)})]
    if type(space).__name__ != "Box":
        return []
    found: list[Layer] = []
    if space.dtype.kind == "f":  # with integers, Gymnasium fails in the first step or prints other bounds
        found += [("ClipAction", {}), ("TransformAction", {"func": halved})]
        if np.isfinite(space.low).all() and np.isfinite(space.high).all():
            low, high = float(rng.integers(-3, 1)), float(rng.integers(1, 9))
            found += [("RescaleAction", {"min_action": low, "max_action": high})] * 2
            ends = {"min_action": np.full(space.shape, low), "max_action": np.full(space.shape, high)}
            found.append(("RescaleAction", ends))
    return found


def _of_rewards(rng: Rng) -> list[Layer]:
    functions = (np.negative, one_more, halved)
    return [
        ("ClipReward", {"min_reward": -0.5}),
        ("ClipReward", {"max_reward": 0.25}),
        ("ClipReward", {"min_reward": -1, "max_reward": 1}),
        ("TransformReward", {"func": functions[rng.integers(3)]}),
        ("NormalizeReward", {}),
        ("NormalizeReward", {"gamma": 0.5, "epsilon": 0.1}),
    ]


def _of_episodes(rng: Rng, *, single: bool) -> list[Layer]:
    statistics: list[Layer] = [
        ("RecordEpisodeStatistics", {}),
        ("RecordEpisodeStatistics", {"stats_key": "seen", "buffer_length": 2}),
    ]
    if not single:
        return [*statistics, *statistics, ("DictInfoToList", {})]
    duration = 1 if rng.random() < 0.5 else (1, 3)
    return [
        *statistics,
        ("TimeLimit", {"max_episode_steps": int(rng.integers(1, 5))}),
        ("DelayObservation", {"delay": int(rng.integers(0, 3))}),
        ("FrameStackObservation", {"stack_size": int(rng.integers(1, 4)), "padding_type": "reset"}),
        ("FrameStackObservation", {"stack_size": int(rng.integers(1, 4)), "padding_type": "zero"}),
        ("RepeatAction", {"num_repeats": int(rng.integers(1, 4))}),
        ("StickyAction", {"repeat_action_probability": 0.4, "repeat_action_duration": duration}),
    ]


def difference(stack: Stack, seed: int, steps: int = 12) -> str | None:
    """Return the first difference between the results of both libraries for a stack, or None."""
    pair = [outcome(stack.made, library) for library in LIBRARIES]
    if "it raises" in pair:
        return None if pair[0] == pair[1] else f"made: {pair}"
    spaces = ["observation_space", "action_space"]
    for name in [*spaces, *(f"single_{space}" for space in spaces if stack.vector)]:
        if not alike(*(getattr(item, name) for item in pair)):
            return f"{name}: {getattr(pair[0], name)} and {getattr(pair[1], name)}"
    for number, results in enumerate(_played(stack, pair, seed, steps)):
        found = apart(*results)
        if found is not None:
            return f"call {number}: {found}"
    return _attributes(*pair)


def _played(stack: Stack, pair: list[Any], seed: int, steps: int) -> Any:
    """Yield the results of both libraries for each call."""
    rng = np.random.default_rng(seed)
    yield [outcome(item.reset, seed=seed, options={"level": 1}) for item in pair]
    space = pair[1].action_space
    space.seed(seed)
    for step in range(steps):
        action = space.sample()
        results = [outcome(item.step, copy.deepcopy(action)) for item in pair]
        yield results
        if results[1] == "it raises":
            return
        done = np.array(results[1][2] | results[1][3])
        if not stack.vector:
            if done:
                yield [item.reset() for item in pair]
            continue
        mask, chance = None, rng.random()
        if stack.mode == "Disabled" and done.any():
            mask = done
        elif chance < 0.12 and stack.resets_in_part:
            mask = rng.random(stack.n) < 0.5
        if mask is not None and mask.any():
            yield [outcome(item.reset, options={"reset_mask": mask.copy()}) for item in pair]
        elif chance > 0.95:
            yield [outcome(item.reset, seed=step) for item in pair]


def _attributes(ours: Any, theirs: Any) -> str | None:
    """Return the first public attribute of any layer that has different values, ignoring numeric types."""
    while hasattr(theirs, "env"):
        for name, value in vars(theirs).items():
            if name[0] == "_" or name in NOT_COMPARED or not hasattr(ours, name):
                continue
            if isinstance(value, deque | list | float | int | np.ndarray | np.number):
                mine = getattr(ours, name)
                if repr(_numbers(mine)) != repr(_numbers(value)):
                    return f"{type(theirs).__name__}.{name}: {mine!r} and {value!r}"
        ours, theirs = ours.env, theirs.env
    return None


def _numbers(value: Any) -> Any:
    if isinstance(value, deque | list | tuple):
        return [_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: _numbers(item) for key, item in value.items()}
    return np.asarray(value).item() if np.size(value) == 1 else np.asarray(value).tolist()


def apart(ours: Any, theirs: Any, where: str = "") -> str | None:
    """Return the first place at which two values differ in type, dtype, order or value. Times are not compared."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if list(ours) != list(theirs) and not ("final_obs" in where and ours.keys() == theirs.keys()):
            return f"{where} has {list(ours)} and {list(theirs)}"
        pairs = [(f"{where}.{key}", ours[key], value) for key, value in theirs.items() if key != "t"]
    elif isinstance(theirs, tuple | list) and type(ours) is type(theirs) and len(ours) == len(theirs):
        pairs = [(f"{where}[{i}]", *both) for i, both in enumerate(zip(ours, theirs, strict=True))]
    elif all(isinstance(item, np.ndarray) and item.dtype.kind == "O" for item in (ours, theirs)):
        return apart(ours.tolist(), theirs.tolist(), where)
    else:
        if "final_obs" in where and isinstance(theirs, int) and isinstance(ours, np.integer):
            ours = int(ours)  # our value was taken from a batch
        if isinstance(theirs, np.generic) and isinstance(ours, np.ndarray):
            ours = ours[()]  # elements of a Box without axes are arrays
        return None if same(ours, theirs) else f"{where}: {ours!r} and {theirs!r}"
    found = (apart(mine, their, place) for place, mine, their in pairs)
    return next((item for item in found if item is not None), None)
