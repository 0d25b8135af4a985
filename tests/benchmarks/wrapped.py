"""The wrappers that the benchmarks measure, and the environments inside them, which do nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from tests.benchmarks.libraries import IMAGE, VECTOR, noop

__all__ = ["ROWS", "Spec", "Wrapped", "environment", "environments"]

COLOURS = "Box(84, 84, 3) uint8"
PAIR = "Dict of two Box(4)"
ACTING = "acts in Box(2)"
RENDERS = "renders (84, 84, 3)"
ATARI = "a screen (210, 160)"
INFOS = "with infos"

BOTH, SINGLES, ONLY = "both", "singles", "only"


@dataclass(frozen=True)
class Wrapped:
    """A wrapper to measure.

    Attributes:
        name: the name of the class in `wrappers` and `wrappers.vector`.
        kwargs: the arguments. A string under "wrapper" is the name of a class in `wrappers`.
        kind: which inner environment to use, for example `RENDERS`.
        target: the target speed-up over Gymnasium's wrapper.
        vector: which vector wrappers exist. "both" means that both libraries have a vector wrapper. "singles" means
            that Gymnasium has none, so its vector environment of wrapped environments is measured instead. "only" means
            that there is no wrapper for single environments, and None that there is no vector wrapper.
        renders: whether the wrapper changes `render`, which is then called after each step.
    """

    name: str
    kwargs: dict[str, Any] = field(default_factory=dict)
    kind: str = VECTOR
    target: float | None = None
    vector: str | None = None
    renders: bool = False

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={_short(value)}' for key, value in self.kwargs.items())}), {self.kind}"

    @property
    def steps(self) -> int:
        """The number of steps of the inner environment per step of the wrapper."""
        return (
            4 if self.name == "AtariPreprocessing" else int(self.kwargs.get("skip", self.kwargs.get("num_repeats", 1)))
        )

    def around(self, library: Any, env: Any, *, vector: bool = False) -> Any:
        """Return one of a library's environments, wrapped in the same library's wrapper."""
        kwargs = {**self.kwargs}
        if "wrapper" in kwargs:
            kwargs["wrapper"] = getattr(library.wrappers, kwargs["wrapper"])
        place = library.wrappers.vector if vector else library.wrappers
        return getattr(place, self.name)(env, **kwargs)


def _short(value: Any) -> Any:
    return getattr(value, "__name__", value)


NEGATED = {"func": np.negative}
ROWS = [
    Wrapped("NormalizeObservation", target=4, vector=BOTH),
    Wrapped("FrameStackObservation", {"stack_size": 4}, target=6, vector=SINGLES),
    Wrapped("FrameStackObservation", {"stack_size": 4}, IMAGE, vector=SINGLES),
    Wrapped("FlattenObservation", target=3, vector=BOTH),
    Wrapped("FlattenObservation", kind=PAIR, vector=BOTH),
    Wrapped("DtypeObservation", {"dtype": "float64"}, target=2, vector=BOTH),
    Wrapped("RescaleObservation", {"min_obs": -3.0, "max_obs": 5.0}, target=1.5, vector=BOTH),
    Wrapped("RescaleObservation", {"min_obs": -5.0, "max_obs": 5.0}, target=1.5, vector=BOTH),
    Wrapped("ReshapeObservation", {"shape": (2, 2)}, vector=BOTH),
    Wrapped("TransformObservation", {**NEGATED, "observation_space": None}, vector=BOTH),
    Wrapped("FilterObservation", {"filter_keys": ["a"]}, PAIR, vector=BOTH),
    Wrapped("DiscretizeObservation", {"bins": 10}, vector=SINGLES),
    Wrapped("DelayObservation", {"delay": 3}, vector=SINGLES),
    Wrapped("TimeAwareObservation", vector=SINGLES),
    Wrapped("TimeAwareObservation", {"flatten": False}, vector=SINGLES),
    Wrapped("MaxAndSkipObservation", {"skip": 4}, vector=SINGLES),
    Wrapped("GrayscaleObservation", kind=COLOURS, vector=BOTH),
    Wrapped("ResizeObservation", {"shape": (42, 42)}, COLOURS, vector=BOTH),
    Wrapped("AtariPreprocessing", kind=ATARI),
    Wrapped("AddRenderObservation", {"render_only": False}, RENDERS, vector=SINGLES),
    Wrapped("ClipAction", kind=ACTING, vector=BOTH),
    Wrapped("RescaleAction", {"min_action": np.float32(-2), "max_action": np.float32(2)}, ACTING, vector=BOTH),
    Wrapped("DiscretizeAction", {"bins": 5}, ACTING, vector=SINGLES),
    Wrapped("TransformAction", {**NEGATED, "action_space": None}, ACTING, vector=BOTH),
    Wrapped("StickyAction", {"repeat_action_probability": 0.25}, target=3, vector=SINGLES),
    Wrapped("RepeatAction", {"num_repeats": 1}, vector=SINGLES),
    Wrapped("RepeatAction", {"num_repeats": 4}, vector=SINGLES),
    Wrapped("ClipReward", {"min_reward": -1.0, "max_reward": 0.5}, target=20, vector=BOTH),
    Wrapped("TransformReward", NEGATED, vector=BOTH),
    Wrapped("NormalizeReward", target=30, vector=BOTH),
    Wrapped("OrderEnforcing", target=2),
    Wrapped("PassiveEnvChecker"),
    Wrapped("TimeLimit", {"max_episode_steps": 10**9}, target=1.5, vector=SINGLES),
    Wrapped("RecordEpisodeStatistics", target=2, vector=BOTH),
    Wrapped("Autoreset"),
    Wrapped("RenderCollection", kind=RENDERS, renders=True),
    Wrapped("AddWhiteNoise", {"probability_of_noise_per_pixel": 0.1}, RENDERS, renders=True),
    Wrapped("ObstructView", {"obstructed_pixels_ratio": 0.1, "obstruction_width": 8}, RENDERS, renders=True),
    Wrapped(
        "VectorizeTransformObservation",
        {"wrapper": "TransformObservation", **NEGATED, "observation_space": None},
        vector=ONLY,
    ),
    Wrapped(
        "VectorizeTransformAction", {"wrapper": "TransformAction", **NEGATED, "action_space": None}, ACTING, vector=ONLY
    ),
    Wrapped("VectorizeTransformReward", {"wrapper": "TransformReward", **NEGATED}, vector=ONLY),
    Wrapped("DictInfoToList", kind=INFOS, vector=ONLY),
]


class Spec:
    """An environment spec with a time limit."""

    max_episode_steps = 10**9
    id = "Noop-v0"
    additional_wrappers = ()


class Screen:
    """The part of the Arcade Learning Environment that AtariPreprocessing uses."""

    def __init__(self) -> None:
        self.grey = np.random.default_rng(0).integers(0, 256, (210, 160), np.uint8)

    def getScreenGrayscale(self, out: Any) -> None:  # noqa: N802 - ALE defines this name
        out[:] = self.grey

    def lives(self) -> int:
        return 3


def environment(library: Any, kind: str) -> Any:
    """Return an environment that does nothing, with observations, actions and frames of a given kind."""
    spaces = library.spaces
    box = spaces.Box(-1, 1, (4,))
    special: dict[str, Any] = {
        PAIR: spaces.Dict({"a": box, "b": box}),
        COLOURS: spaces.Box(0, 255, (84, 84, 3), np.uint8),
        ATARI: spaces.Box(0, 255, (210, 160, 3), np.uint8),
    }
    if kind not in special:
        env = noop(library, IMAGE if kind == IMAGE else VECTOR)()
    else:
        space, observation = special[kind], special[kind].sample()
        env = type("Other", (noop(library),), {"observation_space": space, "step": _shows(observation)})()
        env.reset = lambda **_: (observation, {})
    if kind == ACTING:
        env.action_space = spaces.Box(-1, 1, (2,))
    if kind == RENDERS:
        frame = np.zeros((84, 84, 3), np.uint8)
        env.metadata, env.render_mode, env.render = {"render_modes": ["rgb_array"]}, "rgb_array", lambda: frame
    if kind == ATARI:
        env.ale, env._frameskip, env.get_action_meanings = Screen(), 1, lambda: ["NOOP", "FIRE"]
    env.spec = Spec()
    return env


def _shows(observation: Any) -> Any:
    return lambda self, action: (observation, 0.0, False, False, {})


def environments(library: Any, kind: str, n: int) -> Any:
    """Return a vector environment that does nothing and always returns the same arrays."""
    one = environment(library, kind)
    utils = library.vector.utils
    space = one.observation_space
    shown = utils.concatenate(space, [space.sample() for _ in range(n)], utils.create_empty_array(space, n))
    infos = {"x": np.zeros(n), "_x": np.ones(n, np.bool_)} if kind == INFOS else {}
    rewards, flags = np.zeros(n), np.zeros(n, np.bool_)

    class Still(library.vector.VectorEnv):  # type: ignore[misc]
        num_envs = n
        metadata = {"autoreset_mode": library.vector.AutoresetMode.NEXT_STEP}  # noqa: RUF012 - Env declares it in the same way
        single_observation_space, single_action_space = space, one.action_space
        observation_space = utils.batch_space(space, n)
        action_space = utils.batch_space(one.action_space, n)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return shown, infos

        def step(self, actions: Any) -> Any:
            return shown, rewards, flags, flags, infos

    return Still()
