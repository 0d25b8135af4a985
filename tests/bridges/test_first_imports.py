"""Tests that each module of the bridge can be the first module that imports Gymnasium, as when a pickle names it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gymkernel_bridge_gymnasium

INTERNAL = {"dispatch", "hierarchy"}
"""The modules that only `companion` imports, after Gymnasium."""
PROGRAM = """
import os, sys, warnings
import gymkernel, numpy
warnings.simplefilter("error")
for module in sys.argv[1:]:
    pid = os.fork()
    if not pid:
        __import__(f"gymkernel_bridge_gymnasium.{module}")
        import gymnasium
        assert issubclass(gymkernel.Env, gymnasium.Env), module
        assert "LunarLander-v3" in gymkernel.registry, module
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        print(module)
"""


def test_every_module_can_be_imported_first() -> None:
    folder = Path(str(gymkernel_bridge_gymnasium.__file__)).parent
    modules = sorted({path.stem for path in folder.glob("*.py")} - INTERNAL - {"__init__"})

    done = subprocess.run([sys.executable, "-c", PROGRAM, *modules], capture_output=True, text=True, check=True)

    assert len(modules) > 20
    assert done.stdout == "", done.stderr
