"""Tests that vector wrappers for observations agree with Gymnasium's, except for fixed defects."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.peers.both import LIBRARIES, Recipe
from tests.peers.test_vector import MODES, environment
from tests.peers.test_wrappers_observation import BOX, DISCRETE, FINE, NAMED, PLAIN, ROW, SCREEN, WIDE, agree, quiet
from tests.wrappers.test_vectorized_wrappers import IMAGE, play
from tests.wrappers.test_vectorized_wrappers import Case as FormCase

import gymkernel
from gymkernel.vector import AutoresetMode
from gymkernel_wrapper_normalize_observation import Normalizer

N = 3
CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("DtypeObservation", {"dtype": np.float64}, BOX),
    ("DtypeObservation", {"dtype": "int32"}, WIDE),
    ("FilterObservation", {"filter_keys": ["count"]}, NAMED),
    ("FilterObservation", {"filter_keys": (2, 0)}, ROW),
    *(("FlattenObservation", {}, item) for item in (BOX, SCREEN, NAMED, PLAIN)),
    ("ReshapeObservation", {"shape": (3, 48)}, SCREEN),
    ("RescaleObservation", {"min_obs": -3.0, "max_obs": 7.0}, WIDE),
    ("TransformObservation", {"func": np.negative}, BOX),
    ("GrayscaleObservation", {}, SCREEN),
    ("GrayscaleObservation", {"keep_dim": True}, SCREEN),
    ("ResizeObservation", {"shape": (3, 5)}, SCREEN),
]
each = pytest.mark.parametrize(
    "name, kwargs, observed", [pytest.param(*case, id=f"{number}-{case[0]}") for number, case in enumerate(CASES)]
)


def vector(library: Any, mode: str, observed: Any) -> Any:
    functions = [partial(environment, library, i, observed) for i in range(N)]
    return library.vector.SyncVectorEnv(functions, autoreset_mode=library.vector.AutoresetMode(mode))


def rollout(envs: Any, mode: str, steps: int = 40) -> list[Any]:
    """Return observations, rewards and flags. If the mode is "Disabled", reset when an episode ends."""
    played = [[envs.reset(seed=5)[0]]]
    envs.action_space.seed(9)
    for _ in range(steps):
        *values, _ = envs.step(envs.action_space.sample())
        played.append(values)
        if mode == "Disabled" and (values[2] | values[3]).any():
            played.append([envs.reset(options={"reset_mask": np.ones(N, np.bool_)})[0]])
    return played


@quiet
@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
@pytest.mark.parametrize("inside", LIBRARIES, ids=lambda library: library.__name__)
@each
def test_observations_are_the_same(name: str, kwargs: dict[str, Any], observed: Any, inside: Any, mode: str) -> None:
    ours = getattr(gymkernel.wrappers.vector, name)(vector(inside, mode, observed), **kwargs)
    theirs = getattr(gymnasium.wrappers.vector, name)(vector(gymnasium, mode, observed), **kwargs)

    assert repr(ours.single_observation_space) == repr(theirs.single_observation_space)
    assert agree(rollout(ours, mode), rollout(theirs, mode))


@pytest.mark.parametrize("inside", LIBRARIES, ids=lambda library: library.__name__)
def test_normalized_observations_agree(inside: Any) -> None:
    ours = gymkernel.wrappers.vector.NormalizeObservation(vector(inside, "NextStep", FINE))
    theirs = gymnasium.wrappers.vector.NormalizeObservation(vector(gymnasium, "NextStep", FINE))

    assert agree(rollout(ours, "NextStep", 200), rollout(theirs, "NextStep", 200), 1e-5, 1e-6)


@pytest.mark.parametrize("observed", [BOX, FINE, SCREEN], ids=["float32", "float64", "uint8"])
def test_float32_statistics_give_equal_observations(observed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the setting of `gymkernel run`, whose results must equal Gymnasium's bit for bit."""
    monkeypatch.setattr(Normalizer, "statistics_dtype", np.float32)
    ours, theirs = (
        library.wrappers.vector.NormalizeObservation(vector(library, "NextStep", observed)) for library in LIBRARIES
    )

    assert agree(rollout(ours, "NextStep", 200), rollout(theirs, "NextStep", 200), 0, 0)


@pytest.mark.parametrize("inside", LIBRARIES, ids=lambda library: library.__name__)
def test_final_observations_are_transformed(inside: Any) -> None:
    """Check only gymkernel, because Gymnasium rejects this mode or does not transform the last observations."""
    bare, envs = (vector(inside, "SameStep", BOX) for _ in range(2))
    wrapped = gymkernel.wrappers.vector.RescaleObservation(envs, -3.0, 7.0)
    one = gymkernel.wrappers.RescaleObservation(environment(inside, 0, BOX), -3.0, 7.0)
    bare.reset(seed=5)
    wrapped.reset(seed=5)
    seen = 0
    for _ in range(40):
        raw, transformed = (each.step(np.zeros(N, np.int64))[4] for each in (bare, wrapped))
        for i in np.flatnonzero(raw.get("_final_obs", ())):
            assert agree(transformed["final_obs"][i], one.observation(raw["final_obs"][i]))
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("inside", LIBRARIES, ids=lambda library: library.__name__)
def test_partial_resets_count_the_reset_environments(inside: Any) -> None:
    """Check only gymkernel, because Gymnasium rejects partial resets (Farama-Foundation/Gymnasium#1696)."""
    envs = gymkernel.wrappers.vector.NormalizeObservation(vector(inside, "Disabled", FINE))
    envs.reset(seed=5)
    options = {"reset_mask": np.array([True, False, True]), "level": 1}

    envs.reset(seed=6, options=options)

    assert envs.obs_rms.count == pytest.approx(N + 2, abs=1e-3)
    assert options.keys() == {"reset_mask", "level"}


def test_single_wrapper_has_the_same_vector_form() -> None:
    space = Recipe("Box", (-2, 2), {"shape": (2, 3)})
    rollouts = []
    for library in LIBRARIES:
        envs = library.wrappers.vector.VectorizeTransformObservation(
            vector(library, "NextStep", BOX),
            library.wrappers.TransformObservation,
            func=lambda seen: np.array([seen, 2 * seen]),
            observation_space=space.make(library),
        )
        rollouts.append(rollout(envs, "NextStep"))

    ours, theirs = rollouts
    assert agree(ours, theirs)


@pytest.mark.parametrize("mode", MODES)
def test_our_vector_forms_work_around_gymnasiums_environments(mode: str) -> None:
    for observed in (BOX, DISCRETE, NAMED):
        ours, theirs = (
            gymkernel.wrappers.vector.FrameStackObservation(
                gymkernel.wrappers.vector.DelayObservation(vector(library, mode, observed), 1), 3
            )
            for library in LIBRARIES
        )
        assert agree(rollout(ours, mode), rollout(theirs, mode))


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("shape", [(3, 5), 4], ids=str)
def test_images_are_resized_alike_individually_and_in_batches(mode: AutoresetMode, shape: Any) -> None:
    """Compare resizing single images with resizing batches, which no other test in this module covers."""
    play(FormCase("ResizeObservation", {"shape": shape}, IMAGE), mode)
