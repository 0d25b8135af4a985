"""Test `EpisodeBoundaries` in each autoreset mode, with steps, masked steps and partial resets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gymkernel.error import ResetNeeded
from gymkernel.vector_env import AutoresetMode
from gymkernel_util_vector.episodes import EpisodeBoundaries

NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode
every_mode = pytest.mark.parametrize("mode", AutoresetMode)
NOBODY = np.zeros(3, np.bool_)


def mask(*indices: int) -> Any:
    """Return a mask for three environments."""
    return np.isin(np.arange(3), indices)


def rows(found: Any) -> Any:
    """Convert a mask to a list of indices, which can be compared."""
    return found if found is None or found is ... else np.flatnonzero(found).tolist()


def begun(mode: AutoresetMode) -> EpisodeBoundaries:
    """Return the `EpisodeBoundaries` of three environments that have been reset."""
    episodes = EpisodeBoundaries(3, mode)
    episodes.finish_reset(None)
    return episodes


def finish(episodes: EpisodeBoundaries, *ended: int, only: Any = None) -> tuple[Any, Any]:
    """Record a step that ends episodes, some by termination and some by truncation."""
    found = episodes.finish_step(mask(*ended[::2]), mask(*ended[1::2]), only)
    return rows(found[0]), rows(found[1])


def plan(episodes: EpisodeBoundaries, only: Any = None) -> tuple[Any, Any]:
    began, acting = episodes.plan_step(only)
    return rows(began), rows(acting)


@every_mode
def test_step_without_ends_changes_nothing(mode: AutoresetMode) -> None:
    episodes = begun(mode)
    assert (plan(episodes), finish(episodes), plan(episodes)) == ((None, ...), (None, None), (None, ...))
    assert rows(episodes.over) == []


def test_next_step_mode_starts_an_episode_in_the_next_step() -> None:
    episodes = begun(NEXT_STEP)
    assert finish(episodes, 0, 2) == ([0, 2], None)
    assert rows(episodes.over) == [0, 2]
    assert plan(episodes) == ([0, 2], [1])
    assert finish(episodes, 1) == ([1], None)
    assert plan(episodes) == ([1], [0, 2])


def test_same_step_mode_starts_an_episode_in_the_last_step() -> None:
    episodes = begun(SAME_STEP)
    assert finish(episodes, 0, 2) == ([0, 2], [0, 2])
    assert rows(episodes.over) == []
    assert plan(episodes) == (None, ...)


def test_disabled_mode_starts_an_episode_at_reset() -> None:
    episodes = begun(DISABLED)
    assert finish(episodes, 0, 2) == ([0, 2], None)
    assert plan(episodes) == (None, ...)
    with pytest.raises(ResetNeeded, match=r"Environments \[0, 2\] are done"):
        episodes.check_ready()
    with pytest.raises(ResetNeeded, match=r"Environments \[2\] are done"):
        episodes.check_ready(mask(1, 2))
    episodes.check_ready(mask(1))
    assert rows(episodes.finish_reset({"reset_mask": mask(0, 2)})) == [0, 2]
    episodes.check_ready()


def test_masked_step_does_not_affect_other_rows() -> None:
    episodes = begun(NEXT_STEP)
    finish(episodes, 0, 1)
    assert plan(episodes, mask(1, 2)) == ([1], [2])
    assert finish(episodes, 0, 2, only=mask(1, 2)) == ([2], None)
    assert rows(episodes.over) == [0, 2]
    assert plan(episodes, mask(1)) == (None, [1])
    assert finish(episodes, only=mask(1)) == (None, None)
    assert episodes.any_over


def test_flags_outside_the_mask_are_ignored() -> None:
    episodes = begun(SAME_STEP)
    assert finish(episodes, 0, 1, only=mask(2)) == (None, None)
    assert finish(episodes, 0, 1, only=mask(1)) == ([1], [1])


@every_mode
def test_partial_reset_starts_episodes_in_its_mask_only(mode: AutoresetMode) -> None:
    episodes = begun(mode)
    finish(episodes, 0, 1)
    assert rows(episodes.finish_reset({"reset_mask": mask(1), "other": 1})) == [1]
    assert rows(episodes.over) == ([] if mode is SAME_STEP else [0])


@every_mode
def test_full_reset_starts_all_episodes(mode: AutoresetMode) -> None:
    episodes = begun(mode)
    finish(episodes, 0, 1)
    assert episodes.finish_reset({}) is ...
    assert (episodes.any_over, plan(episodes)) == (False, (None, ...))


@every_mode
def test_environments_that_were_never_reset_cannot_step(mode: AutoresetMode) -> None:
    episodes = EpisodeBoundaries(3, mode)
    episodes.finish_reset({"reset_mask": mask(1)})
    with pytest.raises(ResetNeeded, match=r"environments \[0, 2\] were never reset"):
        episodes.check_ready()
    episodes.finish_reset({"reset_mask": mask(0, 2)})
    episodes.check_ready()


def test_mode_can_be_member_value_or_foreign_member() -> None:
    other = SimpleNamespace(value="SameStep")
    assert [EpisodeBoundaries(1, mode).mode for mode in (SAME_STEP, "SameStep", other)] == [SAME_STEP] * 3
    with pytest.raises(ValueError, match="Never"):
        EpisodeBoundaries(1, "Never")


@pytest.mark.parametrize("metadata", [{}, {"autoreset_mode": None}, {"autoreset_mode": NEXT_STEP}])
def test_around_reads_the_metadata(metadata: dict[str, Any]) -> None:
    episodes = EpisodeBoundaries.around(SimpleNamespace(num_envs=2, metadata=metadata))
    assert (episodes.mode, len(episodes.over)) == (NEXT_STEP, 2)


@every_mode
def test_returned_masks_are_not_modified(mode: AutoresetMode) -> None:
    episodes = begun(mode)
    ended, _ = episodes.finish_step(mask(0), NOBODY)
    began, acting = episodes.plan_step()
    seen = [rows(item) for item in (ended, began, acting)]
    finish(episodes, 1, only=mask(1))
    episodes.finish_reset({"reset_mask": mask(0)})
    assert [rows(item) for item in (ended, began, acting)] == seen
