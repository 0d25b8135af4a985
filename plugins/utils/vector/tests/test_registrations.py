"""Test that a program's registrations are repeated in another interpreter."""

from __future__ import annotations

import pickle
import subprocess
import sys
import textwrap
import threading
from typing import TYPE_CHECKING, Any

import pytest

import gymkernel
from gymkernel import Env, Space, ops
from gymkernel.envs.registration import register, registry
from gymkernel.ops import OPERATIONS
from gymkernel_util_vector.processes.registrations import Registrations

if TYPE_CHECKING:
    from pathlib import Path


class Mine(Env[Any, Any]):
    """An environment that the tests register."""


@pytest.fixture
def registered() -> Any:
    """Register an environment, operations and a plugin setup, and remove them after the test."""
    register("Mine-v3", Mine, kwargs={})
    lock = threading.Lock()
    locked: Any = lambda: lock  # noqa: E731 - the closure refers to an object that cannot be pickled
    register("Locked-v0", locked)
    yield
    for env_id in ("Mine-v3", "Locked-v0"):
        registry.pop(env_id, None)


def test_registrations_are_restored(registered: Any) -> None:
    data = pickle.dumps(Registrations())
    registry.pop("Mine-v3")
    registry.pop("Locked-v0")
    pickle.loads(data).install()
    assert gymkernel.spec("Mine-v3").entry_point.__name__ == "Mine"  # type: ignore[union-attr]
    with pytest.raises(pickle.PicklingError, match="The registration of Locked-v0 cannot be pickled"):
        gymkernel.make("Locked-v0")


def test_operations_of_a_class_in_main_are_included() -> None:
    class Local(Space[Any]):
        pass

    ops.flatdim.register(Local, lambda space: 17)
    found = Registrations()
    operations = [data for what, data in found._repetitions if what == "an operation on a space"]
    assert any(b"Local" in data for data in operations)
    found.install()  # this process already has the registrations
    assert OPERATIONS["flatdim"](Local()) == 17


@pytest.mark.slow
def test_another_interpreter_gets_the_registrations(tmp_path: Path) -> None:
    (tmp_path / "registering.py").write_text(
        textwrap.dedent("""
            import pickle, sys
            from gymkernel import Env, Space, ops, register
            from gymkernel_util_vector.processes.registrations import Registrations

            class Mine(Env):
                pass

            class Local(Space):
                pass

            ops.flatdim.register(Local, lambda space: 17)
            register("Mine-v3", Mine)
            sys.path.append(".")
            sys.stdout.buffer.write(pickle.dumps((Registrations(), __import__("cloudpickle").dumps(Local))))
        """),
        encoding="utf-8",
    )
    data = subprocess.run([sys.executable, "registering.py"], cwd=tmp_path, capture_output=True, check=True).stdout
    program = textwrap.dedent("""
        import pickle, sys
        registrations, local = pickle.loads(sys.stdin.buffer.read())
        registrations.install()
        import gymkernel
        from gymkernel.ops import flatdim
        print(gymkernel.spec("Mine-v3").entry_point.__name__, flatdim(pickle.loads(local)()))
    """)
    ended = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=True)
    assert ended.stdout.split() == [b"Mine", b"17"]
