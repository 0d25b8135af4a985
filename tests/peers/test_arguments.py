"""Tests that wrappers accept the arguments that Gymnasium's accept, and reject the others with the same kind of error.

One table contains valid and invalid values for the arguments of every wrapper; `test_calls` does the same for other
functions. `DIFFERENT` lists every difference with its reason, which the guide "Coming from Gymnasium" also states. The
tests fail if a listed difference no longer exists.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from tests.peers.verdicts import environment, missing_reasons, shown, surprises

NAN, INF = float("nan"), float("inf")
COUNTS = [-1, 0, 1, 3, 2.0, 2.5, True, "3", None, np.int64(2), (2, 3), [2, 3]]
NUMBERS = [-1.0, 0, 0.5, 1, 1e-8, 2, NAN, INF, "0.5", None, np.float32(0.5)]
FLAGS = [True, False, 0, 1, None, "no"]
SPANS = [*COUNTS, (3, 2), (2, 2), (0, 2), (1, 2, 3), [2, 2], (1.0, 2.0), ()]
SHAPES = [
    -1,
    0,
    4,
    6,
    2.0,
    "4",
    None,
    (2, 2),
    (4,),
    (4, 1),
    (-1,),
    (2, -1),
    (5,),
    (2, 3),
    [2, 2],
    [4],
    (0,),
    (2.0, 2),
    np.int64(4),
]
SIZES = [0, 1, 12, -1, 2.5, "12", None, (12, 10), (10,), (12, 10, 3), (0, 3), [12, 10], (-1, 3), (3.5, 3), np.int64(5)]
TEXTS = ["episode", "", 3, None, ("a",)]
BOUNDS = [
    -1.0,
    0,
    0.5,
    2,
    NAN,
    INF,
    -INF,
    "0",
    None,
    np.zeros(1, np.float32),
    np.zeros(4),
    np.zeros((2, 2)),
    np.float32(1),
    [0.0],
    [0.0] * 4,
]


@dataclass(frozen=True)
class Row:
    """A wrapper, the environment inside it, and values for each of the wrapper's arguments."""

    name: str
    values: dict[str, list[Any]] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    """Arguments that are passed in addition to the tested one."""
    env: str = "box"
    vector: bool = False


def used(library: Any, row: Row, kwargs: dict[str, Any]) -> None:
    """Create the wrapper, start an episode and make three steps."""
    env: Any
    if row.vector:
        make = library.vector.SyncVectorEnv
        env = getattr(library.wrappers.vector, row.name)(make([lambda: environment(library, row.env)] * 2), **kwargs)
    else:
        env = getattr(library.wrappers, row.name)(environment(library, row.env), **kwargs)
    env.action_space.seed(3)
    env.reset(seed=3)
    for _ in range(3):
        env.step(env.action_space.sample())


PADDING = ["reset", "zero", "no", None, 3]
ROWS = [
    Row("TimeLimit", {"max_episode_steps": COUNTS}),
    Row("Autoreset"),
    Row("OrderEnforcing", {"disable_render_order_enforcing": FLAGS}),
    Row("PassiveEnvChecker"),
    *(Row("RecordEpisodeStatistics", {"buffer_length": COUNTS, "stats_key": TEXTS}, vector=v) for v in (False, True)),
    Row("DelayObservation", {"delay": COUNTS}),
    Row("TimeAwareObservation", {"flatten": FLAGS, "normalize_time": FLAGS, "dict_time_key": TEXTS}),
    Row("TimeAwareObservation", {"flatten": FLAGS, "dict_time_key": [*TEXTS, "a"]}, {"flatten": False}, "dict"),
    Row("TimeAwareObservation", {"flatten": [True]}, {}, "endless"),
    Row("TimeLimit", {"max_episode_steps": [None]}, {}, "endless"),
    Row("FrameStackObservation", {"stack_size": COUNTS}),
    Row("FrameStackObservation", {"padding_type": [*PADDING, np.zeros(4, np.float32), np.ones(3)]}, {"stack_size": 2}),
    *(Row("NormalizeObservation", {"epsilon": NUMBERS}, vector=v) for v in (False, True)),
    Row("NormalizeObservation", env="dict"),
    Row("MaxAndSkipObservation", {"skip": COUNTS}),
    *(Row("NormalizeReward", {"gamma": NUMBERS, "epsilon": NUMBERS}, vector=v) for v in (False, True)),
    Row("ClipAction"),
    Row("ClipAction", env="discrete"),
    Row("RescaleAction", {"min_action": BOUNDS}, {"max_action": 1.0}),
    Row("RescaleAction", {"max_action": BOUNDS}, {"min_action": -1.0}),
    *(Row("RescaleAction", {"max_action": [1.0]}, {"min_action": -1.0}, env) for env in ("unbounded", "discrete")),
    Row("DiscretizeAction", {"bins": SPANS}, {}, "pair"),
    Row("DiscretizeAction", {"multidiscrete": FLAGS}, {"bins": 3}, "pair"),
    *(Row("DiscretizeAction", {"bins": [3]}, {}, env) for env in ("unbounded", "discrete")),
    Row("DiscretizeObservation", {"bins": SPANS}, {}, "pair"),
    Row("DiscretizeObservation", {"multidiscrete": FLAGS}, {"bins": 3}, "pair"),
    *(Row("DiscretizeObservation", {"bins": [3]}, {}, env) for env in ("unbounded", "discrete")),
    *(
        Row(
            "FilterObservation",
            {"filter_keys": [["a"], ("b",), ["c"], [], [0], "a", ["a", "a"], None, ["a", "b"]]},
            {},
            env,
        )
        for env in ("dict", "box")
    ),
    Row("FilterObservation", {"filter_keys": [[0], (1,), [2], [-1], [], ["a"], [0, 0], [0, 1], None, 0]}, {}, "tuple"),
    *(Row("FlattenObservation", env=env) for env in ("box", "dict", "tuple", "discrete", "image")),
    Row("GrayscaleObservation", {"keep_dim": FLAGS}, {}, "image"),
    *(Row("GrayscaleObservation", env=env) for env in ("box", "discrete")),
    Row("ResizeObservation", {"shape": SIZES}, {}, "image"),
    *(Row("ResizeObservation", {"shape": [(12, 10)]}, {}, env) for env in ("box", "discrete")),
    Row("ReshapeObservation", {"shape": SHAPES}),
    *(Row("ReshapeObservation", {"shape": [(4,)]}, {}, env) for env in ("dict", "discrete")),
    Row("RescaleObservation", {"min_obs": BOUNDS}, {"max_obs": 1.0}),
    Row("RescaleObservation", {"max_obs": BOUNDS}, {"min_obs": -1.0}),
    *(
        Row("RescaleObservation", {"max_obs": [1.0]}, {"min_obs": -1.0}, env)
        for env in ("unbounded", "discrete", "image")
    ),
    *(
        Row(
            "DtypeObservation",
            {"dtype": [np.float64, np.uint8, "float32", "no", None, 3, np.dtype("i4"), bool, "U5"]},
            {},
            env,
        )
        for env in ("box", "discrete", "dict", "image")
    ),
    Row("AddRenderObservation", {"render_only": FLAGS, "render_key": TEXTS, "obs_key": TEXTS}, {"render_only": False}),
    Row("AddRenderObservation", {"render_only": [False], "render_key": ["a"]}, {"render_only": False}, "dict"),
    Row("ClipReward", {"min_reward": BOUNDS, "max_reward": BOUNDS}),
    Row("ClipReward", {"min_reward": [0, 1, 2], "max_reward": [0]}, {"min_reward": 1, "max_reward": 1}),
    Row("StickyAction", {"repeat_action_probability": NUMBERS}),
    Row("StickyAction", {"repeat_action_duration": SPANS}, {"repeat_action_probability": 0.5}),
    Row("RepeatAction", {"num_repeats": COUNTS}),
    Row("RenderCollection", {"pop_frames": FLAGS, "reset_clean": FLAGS}),
    Row("AddWhiteNoise", {"probability_of_noise_per_pixel": NUMBERS}),
    Row("AddWhiteNoise", {"is_noise_grayscale": FLAGS}, {"probability_of_noise_per_pixel": 0.5}),
    Row("ObstructView", {"obstructed_pixels_ratio": NUMBERS}, {"obstruction_width": 2}),
    Row(
        "ObstructView",
        {"obstruction_width": COUNTS, "is_noise_grayscale": FLAGS},
        {"obstructed_pixels_ratio": 0.1, "obstruction_width": 2},
    ),
    *(Row(name, env=env, vector=True) for name in ("ClipAction", "FlattenObservation") for env in ("box", "discrete")),
    Row("FilterObservation", {"filter_keys": [["a"], ["c"], []]}, {}, "dict", vector=True),
    Row("GrayscaleObservation", {"keep_dim": FLAGS}, {}, "image", vector=True),
    Row("ResizeObservation", {"shape": [(12, 10), (0, 3), (10,)]}, {}, "image", vector=True),
    Row("ReshapeObservation", {"shape": [(2, 2), (5,)]}, vector=True),
    Row("RescaleObservation", {"max_obs": [2, -2, NAN]}, {"min_obs": -1.0}, vector=True),
    Row("RescaleAction", {"max_action": [2, -2, NAN]}, {"min_action": -1.0}, vector=True),
    Row("DtypeObservation", {"dtype": [np.float64, "no", None]}, vector=True),
    Row("ClipReward", {"min_reward": [0, 2, None, "x"]}, {"max_reward": 1}, vector=True),
    Row("TransformReward", {"func": [abs, None, 3]}, vector=True),
    Row("DictInfoToList", vector=True),
    Row("TransformAction", {"func": [None, 3], "action_space": [None]}, {"func": lambda x: x, "action_space": None}),
    Row(
        "TransformObservation",
        {"func": [None, 3], "observation_space": [None]},
        {"func": lambda x: x, "observation_space": None},
    ),
    Row("TransformReward", {"func": [None, 3]}),
]


def cases() -> list[Any]:
    found = []
    for number, row in enumerate(ROWS):
        for name, values in row.values.items() or [("", [None])]:
            for at, value in enumerate(values):
                kwargs = {**row.fixed, **({name: value} if name else {})}
                where = f"{row.name}{'[vector]' if row.vector else ''} of {row.env}"
                text = ", ".join(f"{key}={shown(kwarg)}" for key, kwarg in kwargs.items())
                found.append(pytest.param(row, kwargs, f"{where}({text})", id=f"{number}-{row.name}-{name}-{at}"))
    return found


LIKE = "Lists and NumPy integers are accepted for tuples and integers."
COUNTS_ARE_CHECKED = "Counts are checked."
NANS = "NaN is rejected if every result would become NaN."
OF_2022 = "None keeps its meaning from 2022."
FIRST_OF_TWO = "If two things are wrong, the two libraries may report different ones."
DIFFERENT = {
    LIKE: [
        r"(TimeLimit|FrameStackObservation|Discretize\w+) of \w+\(.*=np.int64\(2\)\) -> taken",
        r"RescaleAction of box\(.*=\[0.0\]\) -> taken",
        r"RescaleObservation of box\(.*=\[0.0, 0.0, 0.0, 0.0\]\) -> taken",
        r"ResizeObservation of image\(shape=(1|12|\[12, 10\]|np.int64\(5\))\) -> taken",
        r"ReshapeObservation of box\(shape=(4|\[2, 2\]|\[4\]|np.int64\(4\))\) -> taken",
        r"StickyAction of box\(.*repeat_action_duration=(np.int64\(2\)|\[2, 3\]|\[2, 2\])\) -> taken",
    ],
    COUNTS_ARE_CHECKED: [
        r"TimeLimit of box\(max_episode_steps=True\) -> refused",
        r"DiscretizeObservation of pair\(bins=-1\) -> refused",
        r"StickyAction of box\(.*repeat_action_duration=\(1.0, 2.0\)\) -> refused",
        r"ObstructView of box\(.*obstruction_width=2.[05]\) -> refused",
    ],
    NANS: [
        r"(NormalizeObservation|NormalizeReward)(\[vector\])? of box\(epsilon=nan\) -> refused",
        r"ClipReward of box\(m.._reward=nan\) -> refused",
    ],
    OF_2022: [
        r"TimeLimit of box\(max_episode_steps=None\) -> taken",
        r"FilterObservation of (dict|tuple)\(filter_keys=None\) -> taken",
    ],
    "`TimeAwareObservation` works without a time limit.": [r"TimeAwareObservation of endless\(flatten=True\) -> taken"],
    "A single string is not a list of keys.": [r"FilterObservation of dict\(filter_keys='a'\) -> refused"],
    "Casts keep lower bounds below upper bounds.": [
        r"DtypeObservation of (box|discrete|image)\(dtype=<class 'bool'>\) -> taken"
    ],
    FIRST_OF_TWO: [
        r"TimeLimit of endless\(max_episode_steps=None\) -> another error",
        r"RescaleAction of box\(.*=\[0.0, 0.0, 0.0, 0.0\]\) -> another error",
        r"RescaleObservation of box\(.*=\[0.0\]\) -> another error",
        r"Discretize\w+ of pair\(bins='3'\) -> another error",
        r"FilterObservation of dict\(filter_keys=\[0\]\) -> another error",
        r"FilterObservation of box\(filter_keys=None\) -> another error",
        r"ResizeObservation of image\(shape=(0|-1)\) -> another error",
        r"ReshapeObservation of box\(shape=(2.0|'4'|None)\) -> another error",
        r"DtypeObservation of dict\(dtype=None\) -> another error",
    ],
}
"""The differences, grouped by reason, each with gymkernel's behaviour. The guide explains the reasons."""


@pytest.mark.parametrize("row, kwargs, text", cases())
def test_arguments_are_accepted_and_rejected_alike(row: Row, kwargs: dict[str, Any], text: str) -> None:
    assert not surprises(text, lambda library: used(library, row, kwargs), DIFFERENT)


def test_every_reason_is_in_the_guide() -> None:
    assert missing_reasons(DIFFERENT) == []
