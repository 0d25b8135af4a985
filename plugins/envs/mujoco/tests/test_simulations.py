"""Tests that the simulations' threads are started when they are needed, end after `close`, and report errors."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest
from mujoco_models import crawler

from gymkernel_env_mujoco.simulations import BatchedSimulations, ThreadedSimulations


def own_threads() -> int:
    return sum(thread.name == "gymkernel-mujoco" for thread in threading.enumerate())


def test_threads_are_started_in_the_first_step_and_end_with_close() -> None:
    simulations = ThreadedSimulations(crawler().model, 8, ("qpos",), 3)
    before = own_threads()
    simulations.step(np.zeros((8, 2)), 1)
    assert own_threads() == before + 2
    simulations.close()
    assert own_threads() == before
    simulations.step(np.zeros((8, 2)), 1)
    assert own_threads() == before + 2
    simulations.close()


def test_threads_end_when_the_simulations_are_collected() -> None:
    before = own_threads()
    simulations = ThreadedSimulations(crawler().model, 8, ("qpos",), 3)
    simulations.step(np.zeros((8, 2)), 1)
    del simulations
    gc.collect()
    assert own_threads() == before


def test_an_error_in_a_thread_is_raised_in_the_caller() -> None:
    simulations = ThreadedSimulations(crawler().model, 64, ("qpos",), 3)
    controls = np.zeros((64, 2), object)
    controls[40, 0] = "not a number"
    with pytest.raises(ValueError, match="could not convert string to float"):
        simulations.step(controls, 1)
    simulations.step(np.zeros((64, 2)), 1)
    simulations.close()


@pytest.mark.parametrize("kind", [BatchedSimulations, ThreadedSimulations])
def test_only_the_given_simulations_are_stepped(kind: type[BatchedSimulations | ThreadedSimulations]) -> None:
    simulations = kind(crawler().model, 4, ("qpos", "time"), 2)
    simulations.step(np.ones((4, 2)), 3, np.array([1, 3]))
    assert simulations.fields["time"].round(6).tolist() == [0.0, 0.03, 0.0, 0.03]
    assert not simulations.fields["qpos"][[0, 2], 2:].any()
    assert simulations.fields["qpos"][[1, 3], 2:].any()
    simulations.close()


@pytest.mark.parametrize("kind", [BatchedSimulations, ThreadedSimulations])
def test_a_reset_replaces_only_the_given_states(kind: type[BatchedSimulations | ThreadedSimulations]) -> None:
    simulations = kind(crawler().model, 3, ("qpos", "qvel"), 1)
    simulations.step(np.ones((3, 2)), 3)
    untouched = simulations.fields["qpos"][1].copy()
    simulations.reset(np.array([0, 2]), np.full((2, 4), 0.25), np.full((2, 4), 0.5))
    assert (simulations.fields["qpos"][[0, 2]] == 0.25).all()
    assert (simulations.fields["qvel"][[0, 2]] == 0.5).all()
    np.testing.assert_array_equal(simulations.fields["qpos"][1], untouched)
    simulations.close()
