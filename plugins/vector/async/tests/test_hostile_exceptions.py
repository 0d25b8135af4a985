"""Test exceptions and values that raise other exceptions when they are printed, pickled or created."""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from typing import Any

import cloudpickle
import numpy as np
import pytest

from gymkernel_vector_async import AsyncVectorEnv, WorkerError

cloudpickle.register_pickle_by_value(sys.modules[__name__])

ONES = np.ones(4, np.int64)


def refuse(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("no such thing")


def leave(*_: Any, **__: Any) -> Any:
    raise SystemExit(3)


class Lone(BaseException):
    """An exception whose class does not inherit from `Exception`."""


def recurse(self: Any) -> Any:
    return str(self)


@dataclasses.dataclass(frozen=True)
class FrozenError(Exception):
    """An exception whose attributes cannot be set."""

    code: int = 3


def hostile(name: str, base: type = Exception, **members: Any) -> Any:
    return type(name, (base,), members)


class Shy:
    """A value that raises an exception when it is printed or pickled or when its `__class__` is read."""

    def __repr__(self) -> str:
        raise ZeroDivisionError("no such thing")

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise SystemExit(3)


EXCEPTIONS = {
    "str": lambda: hostile("StrError", __str__=refuse)(1),
    "str exits": lambda: hostile("StrError", __str__=leave)(1),
    "str is no text": lambda: hostile("StrError", __str__=lambda self: 5)(1),
    "str recurses": lambda: hostile("StrError", __str__=recurse)(1),
    "format": lambda: hostile("FormatError", __format__=refuse)(1),
    "repr": lambda: hostile("ReprError", __repr__=refuse)(1),
    "str and repr": lambda: hostile("BothError", __str__=refuse, __repr__=refuse)(1),
    "reduce": lambda: hostile("ReduceError", __reduce__=refuse, __reduce_ex__=refuse)(1),
    "reduce exits": lambda: hostile("ReduceError", __reduce__=leave, __reduce_ex__=leave, __str__=leave)(1),
    "state": lambda: hostile("StateError", __setstate__=refuse)(1),
    "made once": lambda: hostile("InitError", __init__=lambda self, a, b: None, __str__=refuse)(1, 2),
    "args": lambda: hostile("ArgsError", args=property(refuse), __str__=refuse)(1),
    "args raise": lambda: ValueError(Shy(), Shy()),
    "attributes": lambda: hostile("DictError", __getattribute__=refuse)(1),
    "notes": lambda: hostile("NotesError", __notes__=5, __str__=refuse)(1),
    "base exception": lambda: hostile("LoneError", Lone, __str__=refuse)(1),
    "interrupt": lambda: hostile("InterruptError", KeyboardInterrupt, __str__=refuse)(1),
    "frozen": FrozenError,
}


def make_exception(kind: str) -> BaseException:
    found: BaseException = EXCEPTIONS[kind]()  # type: ignore[no-untyped-call]
    return found


def make(made: Any, number: int, at: Any, trouble: Any) -> Any:
    env = made(number, 100, at if number == 2 else None, trouble)
    env.trouble_now = partial(trouble, env) if number == 2 else int
    return env


def with_trouble(toys: Any, at: Any, trouble: Any, **kwargs: Any) -> AsyncVectorEnv:
    """Create four environments in one worker. The third environment calls `trouble`."""
    fns = [partial(make, toys.Troubled, number, at, trouble) for number in range(4)]
    return AsyncVectorEnv(fns, **{"num_workers": 1, "context": "fork", **kwargs})


def ask_all(envs: Any) -> None:
    envs.reset()
    envs.step(ONES)
    envs.call("trouble_now")


def raises(kind: str, env: Any) -> None:
    exc = make_exception(kind)
    raise exc


SLOW = [pytest.param(at, marks=pytest.mark.slow) for at in ("make", "reset", "call")]
FEW = [kind if kind in {"str", "frozen"} else pytest.param(kind, marks=pytest.mark.slow) for kind in EXCEPTIONS]


@pytest.mark.parametrize("kind", EXCEPTIONS)
@pytest.mark.parametrize("at", [1, *SLOW])
def test_report_names_the_environment_and_others_keep_their_state(toys: Any, at: Any, kind: str) -> None:
    trouble = partial(raises, kind)
    if at == "make":
        with pytest.raises(WorkerError) as caught:
            with_trouble(toys, at, trouble)
        assert caught.value.indices == [2]
        return
    with with_trouble(toys, at, trouble) as envs:
        with pytest.raises(WorkerError, match="environment 2") as caught:
            ask_all(envs)
        assert caught.value.indices == [2]
        assert "environment 2" in repr(caught.value)
        assert type(make_exception(kind)).__name__ in str(caught.value)
        assert not caught.value.exit_codes
        envs.reset(options={"reset_mask": np.arange(4) == 2}) if at == 1 else None
        if at == 1:
            assert envs.get_attr("steps") == (1, 1, 0, 1)
        pid = envs.processes[0].pid
        assert envs.call("pid") == (pid,) * 4


@pytest.mark.parametrize("kind", FEW)
def test_failing_masked_step_does_not_affect_other_environments(toys: Any, kind: str) -> None:
    with with_trouble(toys, 1, partial(raises, kind)) as envs:
        envs.reset()
        envs.send(ONES)
        received, failed = 0, 0
        while received + failed < 4:
            try:
                received += len(envs.recv(1)[-1])
            except WorkerError as exc:
                assert exc.indices == [2]  # noqa: PT017 - the order of the results determines which call raises
                failed += 1
        assert (received, failed) == (3, 1)


@pytest.mark.parametrize("kind", FEW)
def test_failing_environment_is_recreated(toys: Any, kind: str) -> None:
    with with_trouble(toys, 1, partial(raises, kind), on_error="restart") as envs:
        envs.reset()
        _, _, _, truncations, infos = envs.step(ONES)
        assert truncations.tolist() == infos["env_restarted"].tolist() == [False, False, True, False]
        assert envs.get_attr("steps") == (1, 1, 0, 1)


def returns(parts: dict[str, Any], env: Any) -> Any:
    made = {"observation": env._observe(), "reward": 0.0, "terminated": False, "truncated": False, "info": {}}
    return tuple({**made, **parts}.values())


@pytest.mark.parametrize("name", ["observation", "reward", "terminated", "truncated", "info", "a value in the info"])
def test_unprintable_values_are_reported_for_their_environment(toys: Any, name: str) -> None:
    parts = {"info": {"shy": Shy()}} if " " in name else {name: Shy()}
    with with_trouble(toys, 1, partial(returns, parts)) as envs:
        envs.reset()
        with pytest.raises(WorkerError, match="environment 2") as caught:
            envs.step(ONES)
        assert caught.value.indices == [2]
        assert not caught.value.exit_codes
        envs.reset(options={"reset_mask": np.arange(4) == 2})
        assert envs.get_attr("steps") == (1, 1, 0, 1)


def test_unpicklable_call_result_names_its_environment(toys: Any) -> None:
    with with_trouble(toys, None, lambda env: Shy()) as envs:
        envs.reset()
        with pytest.raises(WorkerError, match="environment 2 in call") as caught:
            envs.call("trouble_now")
        assert caught.value.indices == [2]
        envs.step(ONES)
