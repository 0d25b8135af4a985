"""Tests that observation wrappers agree with Gymnasium's, around environments of either library."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, Recipe, alike, of_today, outcome
from tests.peers.test_vector import environment

import gymkernel
from gymkernel.wrappers.utils import RunningMeanStd, rescale_box, update_mean_var_count_from_moments
from gymkernel_wrapper_normalize_observation import Normalizer

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Made:
    """A space that a function creates with the classes of the given library."""

    make: Callable[[Any], Any]


BOX = Recipe("Box", (-1.0, 1.0), {"shape": (3,)})
FINE = Recipe("Box", (-1.0, 1.0), {"shape": (3,), "dtype": np.float64})
WIDE = Recipe("Box", (np.array([-2.0, 0.0]), np.array([2.0, 8.0])), {"dtype": np.float64})
SHIFTED = Recipe("Box", (np.array([0.0, -np.inf]), np.array([np.inf, np.inf])), {"dtype": np.float64})
SCREEN = Recipe("Box", (0, 255), {"shape": (6, 8, 3), "dtype": np.uint8})
DISCRETE = Recipe("Discrete", (5,), {"start": 2})
SEVERAL = Recipe("MultiDiscrete", ([2, 3],))
BITS = Recipe("MultiBinary", (4,))
NAMED = Made(
    lambda lib: lib.spaces.Dict({"pose": lib.spaces.Box(-1, 1, (2,)), "count": lib.spaces.Discrete(3, start=1)})
)
ROW = Made(lambda lib: lib.spaces.Tuple([lib.spaces.Box(-1, 1, (2,)), lib.spaces.Discrete(3), lib.spaces.Text(4)]))
PLAIN = Made(lambda lib: lib.spaces.Tuple([lib.spaces.Box(-1, 1, (2,)), lib.spaces.MultiBinary(3)]))
OTHERS = [
    Made(lambda lib: lib.spaces.Text(4)),
    Made(lambda lib: lib.spaces.Sequence(lib.spaces.Discrete(3))),
    Made(lambda lib: lib.spaces.OneOf([lib.spaces.Discrete(3), lib.spaces.Box(0, 1, (2,))])),
]

Case = tuple[str, dict[str, Any], Any]
CASES: list[Case] = [
    *(
        ("DtypeObservation", {"dtype": dtype}, space)
        for dtype in (np.float64, "int32")
        for space in (BOX, WIDE, DISCRETE)
    ),
    ("DtypeObservation", {"dtype": np.int32}, SEVERAL),
    ("DtypeObservation", {"dtype": np.float32}, BITS),
    *(
        ("DiscretizeObservation", {"bins": bins, "multidiscrete": multidiscrete}, WIDE)
        for bins in (1, 4, (2, 7))
        for multidiscrete in (False, True)
    ),
    ("DiscretizeObservation", {"bins": 5}, BOX),
    ("FilterObservation", {"filter_keys": ["count"]}, NAMED),
    ("FilterObservation", {"filter_keys": ["pose", "count"]}, NAMED),
    ("FilterObservation", {"filter_keys": (2, 0)}, ROW),
    *(("FlattenObservation", {}, item) for item in (BOX, SCREEN, DISCRETE, SEVERAL, BITS, NAMED, PLAIN, OTHERS[0])),
    ("ReshapeObservation", {"shape": (3, 48)}, SCREEN),
    ("RescaleObservation", {"min_obs": -3.0, "max_obs": 7.0}, WIDE),
    ("RescaleObservation", {"min_obs": np.array([0.0, -1.0]), "max_obs": np.array([0.5, 1.0])}, WIDE),
    ("RescaleObservation", {"min_obs": np.array([3.0, -np.inf]), "max_obs": np.array([np.inf, np.inf])}, SHIFTED),
    ("RescaleObservation", {"min_obs": -3.0, "max_obs": 7.0}, BOX),
    ("TransformObservation", {"func": np.negative, "observation_space": None}, BOX),
    ("GrayscaleObservation", {}, SCREEN),
    ("GrayscaleObservation", {"keep_dim": True}, SCREEN),
    ("ResizeObservation", {"shape": (3, 5)}, SCREEN),
    *(("DelayObservation", {"delay": delay}, space) for delay in (0, 1, 3) for space in (BOX, DISCRETE, NAMED, ROW)),
    *(
        ("FrameStackObservation", {"stack_size": size, "padding_type": padding}, space)
        for size in (1, 3)
        for padding in ("reset", "zero")
        for space in (BOX, SCREEN, DISCRETE, SEVERAL, BITS, NAMED, ROW, *OTHERS)
    ),
    ("FrameStackObservation", {"stack_size": 3, "padding_type": np.array([1.0, 5.0])}, WIDE),
    *(
        ("TimeAwareObservation", {"flatten": flatten, "normalize_time": normalized}, space)
        for flatten in (False, True)
        for normalized in (False, True)
        for space in (BOX, DISCRETE, NAMED, PLAIN)
    ),
    ("TimeAwareObservation", {"flatten": False, "dict_time_key": "clock"}, NAMED),
    ("AddRenderObservation", {}, BOX),
    ("AddRenderObservation", {"render_only": False}, BOX),
    ("AddRenderObservation", {"render_only": False, "render_key": "screen"}, NAMED),
    ("AddRenderObservation", {"render_only": False, "render_key": "screen", "obs_key": "x"}, DISCRETE),
]
each = pytest.mark.parametrize(
    "name, kwargs, observed", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)
quiet = pytest.mark.filterwarnings(
    "ignore:.*precision lowered", "ignore:overflow encountered in cast"
)  # emitted by Gymnasium


def wrapped(library: Any, inside: Any, name: str, kwargs: dict[str, Any], observed: Any) -> Any:
    env = environment(inside, observed=observed)
    if name == "TimeAwareObservation":
        env = library.wrappers.TimeLimit(env, 4)
    return getattr(library.wrappers, name)(env, **kwargs)


def play(env: Any, steps: int = 40) -> list[Any]:
    played = [env.reset(seed=5)]
    for step in range(steps):
        played.append(env.step(step % 5))
        if played[-1][2] or played[-1][3]:
            played.append(env.reset())
    return played


def agree(ours: Any, theirs: Any, rtol: float = 0.0, atol: float = 0.0) -> bool:
    """Return whether structures, values and array dtypes are equal. A number may be an array without axes."""
    if isinstance(theirs, dict):
        ours, theirs = of_today(ours), of_today(theirs)
        return ours.keys() == theirs.keys() and all(agree(ours[key], theirs[key], rtol, atol) for key in theirs)
    if isinstance(theirs, tuple | list):
        return len(ours) == len(theirs) and all(agree(a, b, rtol, atol) for a, b in zip(ours, theirs, strict=True))
    if isinstance(theirs, np.ndarray | np.generic):
        if np.asarray(ours).dtype != theirs.dtype or np.shape(ours) != theirs.shape:
            return False
        return bool(np.allclose(ours, theirs, rtol, atol) if rtol or atol else np.array_equal(ours, theirs))
    return bool(ours == theirs)


@quiet
@each
def test_observations_are_the_same(name: str, kwargs: dict[str, Any], observed: Any) -> None:
    ours, theirs = (play(wrapped(library, library, name, kwargs, observed)) for library in LIBRARIES)

    assert agree(ours, theirs)


@quiet
@each
def test_observations_around_gymnasiums_environment_are_the_same(
    name: str, kwargs: dict[str, Any], observed: Any
) -> None:
    ours = play(wrapped(gymkernel, gymnasium, name, kwargs, observed))

    assert agree(ours, play(wrapped(gymnasium, gymnasium, name, kwargs, observed)))


@quiet
@each
def test_observation_spaces_are_equal(name: str, kwargs: dict[str, Any], observed: Any) -> None:
    ours, theirs = (wrapped(library, library, name, kwargs, observed).observation_space for library in LIBRARIES)

    assert repr(ours) == repr(theirs)


@pytest.mark.parametrize(
    "observed, rtol", [(FINE, 1e-6), (WIDE, 1e-6), (BOX, 2e-3)], ids=["float64", "wide", "float32"]
)
@pytest.mark.parametrize("epsilon", [1e-8, 0.5])
@pytest.mark.parametrize("inside", LIBRARIES, ids=lambda library: library.__name__)
def test_normalized_observations_agree(observed: Any, rtol: float, epsilon: float, inside: Any) -> None:
    """Allow a small difference, because Gymnasium's statistics are float32 if observations are."""
    name, kwargs = "NormalizeObservation", {"epsilon": epsilon}
    ours = play(wrapped(gymkernel, inside, name, kwargs, observed), 300)
    theirs = play(wrapped(gymnasium, gymnasium, name, kwargs, observed), 300)

    assert agree(ours, theirs, rtol, 1e-6 if rtol == 1e-6 else 1e-4)


@pytest.mark.parametrize("observed", [BOX, FINE, SCREEN, BITS], ids=["float32", "float64", "uint8", "int8"])
def test_float32_statistics_give_equal_observations(observed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the setting of `gymkernel run`, whose results must equal Gymnasium's bit for bit."""
    monkeypatch.setattr(Normalizer, "statistics_dtype", np.float32)
    ours, theirs = (wrapped(library, library, "NormalizeObservation", {}, observed) for library in LIBRARIES)

    assert agree(play(ours, 300), play(theirs, 300), 0, 0)
    for name in ("mean", "var", "count"):
        np.testing.assert_array_equal(getattr(ours.obs_rms, name), getattr(theirs.obs_rms, name))


@pytest.mark.parametrize("skip", [2, 3])
@pytest.mark.parametrize("observed", [BOX, SCREEN, DISCRETE], ids=["box", "screen", "discrete"])
@pytest.mark.parametrize("inside", LIBRARIES, ids=lambda library: library.__name__)
def test_max_and_skip_agrees_except_at_episode_ends(skip: int, observed: Any, inside: Any) -> None:
    """Expect a difference, because Gymnasium returns old observations here (Farama-Foundation/Gymnasium#1692)."""
    cases = [(gymkernel, inside), (gymnasium, gymnasium)]
    ours, theirs = (
        play(wrapped(library, inner, "MaxAndSkipObservation", {"skip": skip}, observed), 200)
        for library, inner in cases
    )
    whole = 0
    for item, other in zip(ours, theirs, strict=True):
        assert agree(item[1:], other[1:])
        if len(other) == 2 or not (other[2] or other[3]):
            assert agree(item[0], other[0])
            whole += len(other) == 5
    assert whole > 5


REFUSED: list[Case] = [
    ("DtypeObservation", {"dtype": "f4"}, NAMED),
    ("DtypeObservation", {"dtype": "u1"}, WIDE),
    ("DiscretizeObservation", {"bins": 3}, DISCRETE),
    ("DiscretizeObservation", {"bins": 3}, SHIFTED),
    ("DiscretizeObservation", {"bins": (2, 2, 2)}, WIDE),
    ("FilterObservation", {"filter_keys": ["x"]}, NAMED),
    ("FilterObservation", {"filter_keys": []}, NAMED),
    ("FilterObservation", {"filter_keys": ["x"]}, ROW),
    ("FilterObservation", {"filter_keys": [0, 0]}, ROW),
    ("FilterObservation", {"filter_keys": [5]}, ROW),
    ("FilterObservation", {"filter_keys": [0]}, BOX),
    ("ReshapeObservation", {"shape": (2, 2)}, BOX),
    ("ReshapeObservation", {"shape": (2, 2)}, DISCRETE),
    ("RescaleObservation", {"min_obs": 0, "max_obs": 1}, DISCRETE),
    ("RescaleObservation", {"min_obs": 1.0, "max_obs": 0.0}, BOX),
    ("RescaleObservation", {"min_obs": 0.0, "max_obs": 1.0}, SHIFTED),
    ("GrayscaleObservation", {}, BOX),
    ("ResizeObservation", {"shape": (3, 5)}, BOX),
    ("ResizeObservation", {"shape": (3, 5, 3)}, SCREEN),
    ("ResizeObservation", {"shape": (0, 5)}, SCREEN),
    ("DelayObservation", {"delay": -1}, BOX),
    ("DelayObservation", {"delay": 1.0}, BOX),
    ("FrameStackObservation", {"stack_size": 0}, BOX),
    ("FrameStackObservation", {"stack_size": 2.0}, BOX),
    ("FrameStackObservation", {"stack_size": 2, "padding_type": "none"}, BOX),
    ("MaxAndSkipObservation", {"skip": 1}, BOX),
    ("MaxAndSkipObservation", {"skip": 2.0}, BOX),
    ("MaxAndSkipObservation", {"skip": 2}, NAMED),
    ("NormalizeObservation", {"epsilon": 0.0}, BOX),
    ("NormalizeObservation", {}, NAMED),
    ("TimeAwareObservation", {"dict_time_key": "pose"}, NAMED),
    ("AddRenderObservation", {"render_only": False, "render_key": "pose"}, NAMED),
]


@quiet
@pytest.mark.parametrize(
    "name, kwargs, observed", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(REFUSED)]
)
def test_arguments_rejected_by_gymnasium_are_rejected(name: str, kwargs: dict[str, Any], observed: Any) -> None:
    for library in LIBRARIES:
        assert outcome(wrapped, library, library, name, kwargs, observed) == "it raises"


@pytest.mark.parametrize("multidiscrete", [False, True])
def test_revert_from_bins_is_the_same(multidiscrete: bool) -> None:
    kwargs = {"bins": (2, 7), "multidiscrete": multidiscrete}
    ours, theirs = (wrapped(library, library, "DiscretizeObservation", kwargs, WIDE) for library in LIBRARIES)
    theirs.observation_space.seed(1)

    for _ in range(20):
        observation = theirs.observation_space.sample()
        assert agree(ours.revert_observation(observation), theirs.revert_observation(observation))


@quiet
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-3.0, 7.0), (np.zeros(2), np.array([2.0, 1.0]))], ids=str)
@pytest.mark.parametrize("box", [WIDE, Recipe("Box", (-1, 3), {"shape": (2,)})], ids=["float64", "float32"])
def test_boxes_are_rescaled_alike(bounds: Any, box: Recipe) -> None:
    from gymnasium.wrappers.utils import rescale_box as their_rescale_box

    ours, theirs = box.both()
    (mine, forward, backward), (other, their_forward, their_backward) = (
        rescale_box(ours, *bounds),
        their_rescale_box(theirs, *bounds),
    )
    assert alike(mine, other)
    for x in (theirs.sample() for _ in range(20)):
        assert agree(forward(x), their_forward(x))
        assert agree(backward(forward(x)), their_backward(their_forward(x)))


def test_running_statistics_agree() -> None:
    from gymnasium.wrappers.utils import RunningMeanStd as TheirRunningMeanStd
    from gymnasium.wrappers.utils import update_mean_var_count_from_moments as their_update

    draw = np.random.default_rng(4)
    ours, theirs = RunningMeanStd(shape=(3,)), TheirRunningMeanStd(shape=(3,))  # type: ignore[no-untyped-call]
    for n in (1, 5, 30, 1):
        batch = draw.normal(3, 5, (n, 3))
        ours.update(batch)
        theirs.update(batch)  # type: ignore[no-untyped-call]
    assert agree([ours.mean, ours.var], [theirs.mean, theirs.var], 1e-12)
    assert ours.count == theirs.count
    moments = (1.0, 2.0, 3, 4.0, 5.0, 6)
    wanted = their_update(*moments)  # type: ignore[no-untyped-call]
    assert update_mean_var_count_from_moments(*moments) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("options", [{}, {"frame_skip": 1}, {"screen_size": (40, 60), "grayscale_obs": False}], ids=str)
@pytest.mark.parametrize(
    "more", [{"terminal_on_life_loss": True}, {"scale_obs": True, "grayscale_newaxis": True}], ids=str
)
def test_atari_preprocessing_agrees(options: dict[str, Any], more: dict[str, Any]) -> None:
    ale_py = pytest.importorskip("ale_py", reason="the games come with ale-py, which has no wheel for some platforms")
    gymnasium.register_envs(ale_py)
    make = partial(gymnasium.make, "ALE/Breakout-v5", frameskip=1, repeat_action_probability=0.25)
    ours, theirs = (library.wrappers.AtariPreprocessing(make(), **options, **more) for library in LIBRARIES)
    assert repr(ours.observation_space) == repr(theirs.observation_space)

    def game(env: Any) -> list[Any]:
        played = [env.reset(seed=7)]
        for step in range(150):
            played.append(env.step(step % 4))
            if played[-1][2] or played[-1][3]:
                played.append(env.reset())
        return played

    assert agree(game(ours), game(theirs))
