"""Test the data that is sent to workers that are not forked, and the pickling of messages."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

from gymkernel_util_vector.processes.pickling import dumps, dumps_by_name
from gymkernel_util_vector.processes.spawn_data import SpawnData
from gymkernel_util_vector.processes.start_method import Launcher


def test_functions_and_registrations_reach_a_new_interpreter() -> None:
    code = """
import pickle, sys
import gymkernel
from gymkernel_util_vector.processes.spawn_data import SpawnData
gymkernel.register("Spawned-v0", entry_point=lambda: None)
factor = 3
data = SpawnData.collect([lambda x: factor * x], 0, set())
sys.stdout.buffer.write(pickle.dumps(data))
"""
    first = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    code = """
import pickle, sys
import gymkernel
(function,) = pickle.loads(sys.stdin.buffer.read()).install()
print(function(2), "Spawned-v0" in gymkernel.registry)
"""
    second = subprocess.run([sys.executable, "-c", code], input=first.stdout, capture_output=True, check=True)
    assert second.stdout.split() == [b"6", b"True"]


def test_unpicklable_function_is_named() -> None:
    lock = __import__("threading").Lock()
    with pytest.raises(pickle.PicklingError, match=r"environment 8 cannot be pickled.*context='fork'"):
        SpawnData.collect([int, lambda: lock], 7, set())


def test_named_objects_are_pickled_by_name() -> None:
    assert pickle.loads(dumps_by_name(SpawnData)) is SpawnData
    with pytest.raises((AttributeError, pickle.PicklingError)):
        dumps_by_name(lambda: 0)
    assert pickle.loads(dumps(lambda: 5))() == 5


def test_requested_start_method_is_used() -> None:
    assert Launcher("spawn").method == "spawn"
    assert not Launcher("spawn").chosen
    assert Launcher(None).chosen
