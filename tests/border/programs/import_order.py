"""Import the two libraries in either order, and create objects between the two imports."""

import subprocess
import sys

program = """
import importlib, sys
first, second = sys.argv[1:]
one = importlib.import_module(first)
class Mine(one.Env): pass
space = one.spaces.Discrete(2)
cart = one.make("CartPole-v1")
two = importlib.import_module(second)
import gymkernel, gymnasium
class Later(gymkernel.Env): pass
assert isinstance(gymkernel.spaces.Discrete(2), gymnasium.spaces.Discrete)
assert isinstance(gymkernel.make("CartPole-v1"), gymnasium.Env)
assert isinstance(Later(), gymnasium.Env)
assert isinstance(space, gymnasium.spaces.Discrete)
assert isinstance(cart, gymnasium.Env)
assert isinstance(Mine(), gymnasium.Env)
assert space == gymkernel.spaces.Discrete(2) and gymkernel.spaces.Discrete(2) == space
gymnasium.wrappers.FlattenObservation(cart).reset(seed=1)
gymkernel.wrappers.FlattenObservation(cart).reset(seed=1)
"""
for order in (["gymkernel", "gymnasium"], ["gymnasium", "gymkernel"]):
    finished = subprocess.run([sys.executable, "-W", "ignore", "-c", program, *order], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
