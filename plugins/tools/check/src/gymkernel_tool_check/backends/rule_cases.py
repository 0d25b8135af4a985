"""Test cases whose violations are reported by the rules of `gymkernel check`. The pytest kit runs them as well."""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import json
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from operator import methodcaller
from pathlib import Path
from typing import Any, Final

from gymkernel import ops, plugins
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.cases import Backend, Broken, around, attempt, case, close_error, opened
from gymkernel_tool_check.backends.comparison import run
from gymkernel_tool_check.probes.probe_envs import VARIANTS, ProbeEnv, ReferenceVectorEnv
from gymkernel_tool_check.probes.sizes import descriptors, tasks
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text

__all__ = ["ENVS", "makers"]

ENVS: Final = 3
PLAYED: Final = [(mode.value, "boxes") for mode in AutoresetMode] + [
    ("NextStep", variant) for variant in VARIANTS[1:] if variant != "record" or plugins.providers("spaces", "Dict")
]


def makers(variant: str = "boxes", n: int = ENVS) -> list[Callable[[], Any]]:
    """Return n functions, each of which creates an environment."""
    return [functools.partial(ProbeEnv, variant, i) for i in range(n)]


@case(codes=("GK650",))
def it_can_be_made(backend: Backend) -> Iterator[Broken]:
    """Check that the backend can create a vector environment of three environments."""
    envs, exc = attempt(backend, makers(), autoreset_mode="NextStep")
    if exc is None:
        close_error(envs)
    else:
        yield Broken("GK650", f"the constructor raised {error_text(exc)}", show=around())


@case(codes=("GK651",))
def spaces_are_batches(backend: Backend) -> Iterator[Broken]:
    """Check the four spaces, `num_envs` and the metadata of a vector environment."""
    env = ProbeEnv()
    wanted: dict[str, Any] = {"num_envs": ENVS}
    for name in ("observation_space", "action_space"):
        single = getattr(env, name)
        wanted |= {f"single_{name}": single, name: ops.batch_space(single, ENVS)}
    with opened(backend, makers(), autoreset_mode="NextStep") as envs:
        for name, expected in wanted.items():
            if (seen := getattr(envs, name, None)) != expected:
                message = f"{name} is {short(seen)}, where {short(expected)} was expected"
                yield Broken("GK651", message, show=around(f"print(envs.{name})"))
        mode = (getattr(envs, "metadata", None) or {}).get("autoreset_mode")
    if mode is not AutoresetMode.NEXT_STEP:
        message = f"metadata['autoreset_mode'] is {mode!r}, not {AutoresetMode.NEXT_STEP}"
        yield Broken("GK651", message, show=around("print(envs.metadata)"))


@case(codes=("GK661",))
def attributes_are_reached(backend: Backend) -> Iterator[Broken]:
    """Check `get_attr` and `call`, and check `set_attr` with both a single value and a list of values.

    `get_attr` and `call` may return any kind of sequence.
    """
    asked: tuple[tuple[str, tuple[Any, ...], tuple[int, ...]], ...] = (
        ("get_attr", ("number",), (0, 1, 2)),
        ("call", ("get_wrapper_attr", "number"), (0, 1, 2)),
        ("set_attr", ("total", [4, 5, 6]), (4, 5, 6)),
        ("set_attr", ("total", 7), (7, 7, 7)),
    )
    with opened(backend, makers(), autoreset_mode="NextStep") as envs:

        def ask(method: str, *arguments: Any) -> tuple[Any, ...]:
            returned = getattr(envs, method)(*arguments)
            return tuple(envs.get_attr("total") if method == "set_attr" else returned)

        for method, arguments, expected in asked:
            text = f"envs.{method}({', '.join(map(json.dumps, arguments))})"
            found, exc = attempt(ask, method, *arguments)
            message = f"after {text}, the environments have {found}, where {expected} was expected"
            if found != expected:
                message = message if exc is None else f"{text} raised {error_text(exc)}"
                yield Broken("GK661", message, method, around(f"print({text})"))
                return


@case(
    *((f"{variant}-{mode}", {"mode": mode, "variant": variant}) for mode, variant in PLAYED),
    codes=("GK652", "GK653", "GK654", "GK655", "GK657", "GK658", "GK663"),
)
def episodes(backend: Backend, mode: str, variant: str) -> Iterator[Broken]:
    """Check that a few episodes give the same results as in a plain loop."""
    return run(backend, makers(variant), mode, variant).broken()


@case(codes=("GK656",))
def seeds_arrive(backend: Backend) -> Iterator[Broken]:
    """Check resets with an integer seed and with lists of seeds. A list that is too short must raise an exception."""
    reference = ReferenceVectorEnv(makers(), AutoresetMode.NEXT_STEP)
    with opened(backend, makers(), autoreset_mode="NextStep") as envs:
        for seed in (7, [5, 9, 5], [5, 9, 1]):
            seen, exc = attempt(lambda seed: envs.reset(seed=seed)[0], seed)
            if exc is not None:
                yield _seed(seed, f"raised {error_text(exc)}")
                return
            if found := difference(reference.reset(seed)[0], seen):
                yield _seed(seed, f"gives observations that differ from those of the single environments: {found}")
                return
        with contextlib.suppress(Exception):
            envs.reset(seed=[1, 2])
            yield _seed([1, 2], f"is accepted although there are {ENVS} environments")


def _seed(seed: Any, wrong: str) -> Broken:
    return Broken("GK656", f"reset(seed={seed}) {wrong}", "reset", around(f"print(envs.reset(seed={seed}))"))


class ClosingEnv(ProbeEnv):
    """An environment that creates a file when it is closed, so that closing can be detected from another process."""

    def __init__(self, folder: str, number: int) -> None:
        super().__init__("boxes", number)
        self.file = Path(folder, str(number))

    def close(self) -> None:
        """Create the file that shows that the environment was closed."""
        super().close()
        self.file.touch()


CLOSES: Final = f"""class Closing(probe_envs.ProbeEnv):
    def close(self):
        print("closed")

envs = {{backend}}([Closing] * {ENVS})
envs.reset(seed=1)
envs.close()
print("(expected {ENVS} times)")"""


@case(codes=("GK659", "GK664"))
def closing_works(backend: Backend) -> Iterator[Broken]:
    """Check that `close` works twice and closes every environment, and that `reset` and `step` raise afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        envs = backend([functools.partial(ClosingEnv, folder, i) for i in range(ENVS)], autoreset_mode="NextStep")
        with contextlib.suppress(Exception):
            _use(envs)
        error = ""
        for which in ("close", "the second close"):
            if not error and (exc := close_error(envs)) is not None:
                error = f"{which} raised {error_text(exc)}"
        left_open = [i for i in range(ENVS) if not Path(folder, str(i)).exists()]
    if error:
        show = around("envs.reset(seed=1)", "envs.close()", "envs.close()")
        yield Broken("GK659", error, "close", show, hides=frozenset({"GK664"}))
    elif after := next(filter(None, (_after_close(envs, name) for name in ("reset", "step"))), ""):
        yield Broken("GK659", after, "reset", around("envs.reset(seed=1)", "envs.close()", "print(envs.reset())"))
    if left_open:
        yield Broken("GK664", f"after close, the environments {left_open} are open", "close_extras", CLOSES)


def _after_close(envs: Any, name: str) -> str:
    arguments = (envs.action_space.sample(),) if name == "step" else ()
    _, exc = attempt(methodcaller(name, *arguments), envs)
    if exc is None:
        return f"{name} still works after close"
    if "clos" not in error_text(exc).lower():
        return f"{name} after close raised {error_text(exc)}, which does not say that it is closed"
    return ""


def _use(envs: Any, steps: int = 1) -> None:
    envs.reset(seed=1)
    for _ in range(steps):
        envs.step(envs.action_space.sample())


def _refuse() -> Any:
    raise LookupError("no licence for this environment")


def _failing(number: int) -> Any:
    env = ProbeEnv("boxes", number)
    env.fail_after(2)
    return env


@case(codes=("GK660",))
def errors_are_passed_on(backend: Backend) -> Iterator[Broken]:
    """Check that exceptions from an environment's constructor and step propagate, and that `close` works afterwards."""
    _, refused = attempt(backend, [*makers(), _refuse], autoreset_mode="NextStep")
    envs = backend([*makers(n=2), functools.partial(_failing, 2)], autoreset_mode="NextStep")
    _, failed = attempt(_use, envs, 4)
    for exc, what, passes, text in (
        (refused, "constructor raises LookupError", "is taken", "no licence for this environment"),
        (failed, "step raises ArithmeticError", "goes on", "the probe environment fails at this step"),
    ):
        if exc is None:
            yield _error(f"an environment whose {what} {passes}")
        elif text not in "".join(traceback.format_exception(exc, limit=0)):  # without lines of code
            yield _error(f"an environment whose {what}: {error_text(exc)}, without its message")
    if late := close_error(envs):
        yield _error(f"close after an environment failed raised {error_text(late)}")


def _error(message: str) -> Broken:
    show = "def broken():\n    raise LookupError('no licence')\n\nprint({backend}([broken]))"
    return Broken("GK660", message, "step", show)


LEAVES: Final = f"""import os
for _ in range(4):
    envs = {{backend}}([probe_envs.ProbeEnv] * {ENVS})
    envs.reset()
    envs.close()
    print(len(os.listdir("/proc/self/fd")))"""


@case(codes=("GK662",))
def nothing_is_left_behind(backend: Backend) -> Iterator[Broken]:
    """Check that closed vector environments leave no open files, threads or processes behind."""
    open_files, running = [], []
    for _ in range(4):
        with opened(backend, makers(), autoreset_mode="NextStep") as envs, contextlib.suppress(Exception):
            _use(envs)
        del envs
        gc.collect()
        time.sleep(0.02)  # give processes time to exit
        open_files.append(len(descriptors() or ()))
        running.append(tasks())
    what = []
    if all(b > a for a, b in itertools.pairwise(open_files)):
        what.append(f"{open_files[-1] - open_files[-2]} more open files")
    if all(len(b) > len(a) for a, b in itertools.pairwise(running)):
        new = [name for key, name in running[-1].items() if key not in running[0]]
        what.append(f"{len(running[-1]) - len(running[-2])} more threads or processes (the last: {new[-1]})")
    for leftover in what:
        message = f"each vector environment that is created, used and closed leaves {leftover}"
        yield Broken("GK662", message, "close_extras", LEAVES)
