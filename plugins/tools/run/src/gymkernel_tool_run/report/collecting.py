"""`Collector`, which measures how much time a program spends in its environments.

`Env.__new__` and `VectorEnv.__new__` notice every class that the program instantiates. The methods in `CALLS` of such a
class are then replaced with functions that measure the time. Environments keep their classes and attributes, so they
can be copied, pickled and compared as before. Wrappers are not measured.

A call inside another measured call, for example the step of an environment in a `SyncVectorEnv`, belongs to the outer
call. Forked processes measure nothing, and a class that is sent to another process measures nothing there.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

from gymkernel.env import Env
from gymkernel.vector_env import VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel.wrapper import Wrapper

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["CALLS", "Collector", "Use"]

CALLS: Final = {
    "reset": ("reset", True),
    "reset_async": ("reset", False),
    "reset_wait": ("reset", True),
    "step": ("step", True),
    "step_async": ("step", False),
    "step_wait": ("step", True),
    "step_masked": ("step", True),
    "send": ("step", False),
    "recv": ("step", True),
    "render": ("render", True),
    "close": ("close", True),
    "close_extras": ("close", True),
}
"""Maps each measured method to the call that the report shows, and to whether the method counts as one call."""

UNMEASURED_BASES: Final = {"builtins", "typing", "gymkernel.env", "gymkernel.vector_env"}
"""The modules of base classes whose methods do nothing that is worth measuring."""

Tally = list[Any]
"""The number of calls, and their duration in seconds."""


@dataclass(slots=True, eq=False)
class Use:
    """A kind of environment or vector environment that the program used.

    Attributes:
        name: the id, or the name of the class for an environment without a spec.
        spec: the spec, from which such environments can be created again; None if there is no single spec.
        num_envs: the number of environments in a vector environment; 0 for single environments.
        backend: the class of a vector environment; "" for single environments.
        mode: the vectorization mode that `make_vec` used; "" if the program did not call `make_vec`.
        workers: the number of workers; None for a backend without workers.
        instances: the number of vector environments of this kind.
        tallies: the number and the duration of the calls, by the name of the call.
    """

    name: str
    spec: EnvSpec | None = None
    num_envs: int = 0
    backend: str = ""
    mode: str = ""
    workers: int | None = None
    instances: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """The duration of all calls in seconds."""
        return float(sum(seconds for _, seconds in self.tallies.values()))

    def tally(self, call: str) -> Tally:
        """Return the tally of a call."""
        return self.tallies.setdefault(call, [0, 0.0])


_current: list[Collector] = []
"""The active collector of this process, if there is one.

The functions that measure refer to a collector, to the state of its threads and to its tallies. If such a function is
pickled by value, these objects become those of the process that unpickles the function.
"""


class _Thread(threading.local):
    """The state of a thread: whether it is inside a measured call."""

    inside = False

    def __reduce__(self) -> Any:
        return _thread_here, ()


class _Elsewhere:
    """The state of every thread in a process that measures nothing."""

    inside = True

    def __reduce__(self) -> Any:
        return _thread_here, ()


class _Tallies(dict[Any, Tally]):
    """The tallies of a call, by id or class.

    Args:
        call: the name of the call.
    """

    def __init__(self, call: str) -> None:
        super().__init__()
        self._call = call

    def __reduce__(self) -> Any:
        return _tallies_here, (self._call,)


def _collector_here() -> Collector:
    return _current[-1] if _current else Collector()


def _thread_here() -> Any:
    return _current[-1].thread if _current else _Elsewhere()


def _tallies_here(call: str) -> _Tallies:
    return _collector_here().tallies_of(call)


class Collector:
    """A measurement of the time that this process spends in environments.

    Args:
        clock: a function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self.thread: Any = _Thread()
        self._is_active = False
        self._classes: set[type] = set()
        self._replaced: list[tuple[type, str, Any]] = []
        self._singles: dict[Any, Use] = {}
        self._tallies: dict[str, _Tallies] = {}
        self._vectors: dict[tuple[Any, ...], Use] = {}
        self._vector_of: dict[int, Use] = {}
        """Maps the `id()` of each vector environment that has been used to its kind."""
        self._start = 0.0
        self.wall = 0.0
        """The duration of the measurement in seconds."""

    def start(self) -> None:
        """Measure all environments that are created from now on."""
        self._is_active = True
        _current.append(self)
        for base in (Env, VectorEnv):
            _observe_creation(base, self._notice)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._restore)
        self._start = self._clock()

    def stop(self) -> None:
        """End the measurement, and restore the methods of all classes."""
        if self._is_active:
            self.wall = self._clock() - self._start
            self._restore()

    def uses(self) -> list[Use]:
        """Return the kinds of environments that the program used; those that took most time come first."""
        for call, tallies in self._tallies.items():
            for key, tally in tallies.items():
                self._singles[key].tallies[call] = tally
        used = [use for use in (*self._singles.values(), *self._vectors.values()) if use.tallies]
        return sorted(used, key=lambda use: -use.seconds)

    def tallies_of(self, call: str) -> _Tallies:
        """Return the tallies of a call of single environments.

        Args:
            call: the name of the call.
        """
        return self._tallies.setdefault(call, _Tallies(call))

    def first_tally(self, key: Any, spec: EnvSpec | None) -> Tally:
        """Return the tally for the first call of a kind of single environments.

        Args:
            key: the id, or the class of an environment without a spec.
            spec: the spec.
        """
        self._singles.setdefault(key, Use(key if spec is not None else key.__qualname__, spec))
        return [0, 0.0]

    def vector_tally(self, envs: VectorEnv[Any, Any, Any], call: str) -> Tally:
        """Return the tally for a call of a vector environment.

        Args:
            envs: the vector environment.
            call: the name of the call.
        """
        use = self._vector_of.get(id(envs))
        if use is None:
            use = _describe(envs, call)
            identity = use.name, use.num_envs, use.backend, use.mode, use.workers
            use = self._vector_of[id(envs)] = self._vectors.setdefault(identity, use)
            use.instances += 1
        return use.tally(call)

    def __reduce__(self) -> Any:  # the functions that measure refer to this object
        return _collector_here, ()

    def _restore(self) -> None:
        self._is_active = False
        _current.clear()
        for cls, name, original in self._replaced:
            setattr(cls, name, original)
        self._replaced.clear()

    def _notice(self, cls: type, instance: Any) -> None:
        """Measure a class from its first instance on."""
        if not self._is_active:
            return
        if isinstance(instance, VectorEnv):
            self._vector_of.pop(id(instance), None)  # an earlier object may have had the same `id()`
        if cls in self._classes:
            return
        self._classes.add(cls)
        if issubclass(cls, Wrapper | VectorWrapper):
            return
        for base in cls.__mro__:
            if base.__module__ not in UNMEASURED_BASES:
                self._replace_methods(base, is_vector=issubclass(cls, VectorEnv))

    def _replace_methods(self, base: type, *, is_vector: bool) -> None:
        for name, (call, counts) in CALLS.items():
            original = vars(base).get(name)
            replaced = any(one is base and method == name for one, method, _ in self._replaced)
            if isinstance(original, FunctionType) and not replaced:
                measured = self._measured_vector if is_vector else self._measured
                setattr(base, name, measured(original, call, int(counts)))
                self._replaced.append((base, name, original))

    def _measured(self, original: Any, call: str, count: int) -> Any:
        """Return a function that calls a method of a single environment and measures the time."""
        collector, thread, clock = self, self.thread, self._clock
        tallies = self.tallies_of(call)

        @functools.wraps(original)
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            if thread.inside:
                return original(self, *args, **kwargs)
            thread.inside = True
            start = clock()
            try:
                return original(self, *args, **kwargs)
            finally:
                seconds = clock() - start
                thread.inside = False
                spec = self.spec
                key = type(self) if spec is None else spec.id
                tally = tallies.get(key)
                if tally is None:
                    tally = tallies[key] = collector.first_tally(key, spec)
                tally[0] += count
                tally[1] += seconds

        return method

    def _measured_vector(self, original: Any, call: str, count: int) -> Any:
        """Return a function that calls a method of a vector environment and measures the time."""
        collector, thread, clock = self, self.thread, self._clock

        @functools.wraps(original)
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            if thread.inside:
                return original(self, *args, **kwargs)
            thread.inside = True
            try:
                tally = collector.vector_tally(self, call)
                start = clock()
                try:
                    return original(self, *args, **kwargs)
                finally:
                    tally[1] += clock() - start
                    tally[0] += count
            finally:
                thread.inside = False

        return method


def _describe(envs: Any, call: str) -> Use:
    """Describe a vector environment at its first call."""
    spec = getattr(envs, "spec", None)
    mode, name = "", type(envs).__name__
    if spec is not None:
        name, mode = spec.id, str(spec.kwargs.get("vectorization_mode", ""))
    elif call == "reset":
        try:
            specs = {one.id: one for one in envs.get_attr("spec") if one is not None}
        except Exception:  # noqa: BLE001 - the report must not change the program
            specs = {}
        name = ", ".join(specs) or name
        spec = next(iter(specs.values())) if len(specs) == 1 else None
    backend, workers = type(envs).__name__, getattr(envs, "num_workers", None)
    return Use(name, spec, int(getattr(envs, "num_envs", 1)), backend, mode, workers)


def _observe_creation(base: type, notice: Callable[[type, Any], None]) -> None:
    """Call a function with the class and the object whenever an object of a base class or its subclasses is created."""
    creatable: Any = base

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        following: Any = super(creatable, cls).__new__
        if following is not object.__new__:
            instance = following(cls, *args, **kwargs)
        elif (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError(f"{cls.__name__}() takes no arguments")  # as without this function
        else:
            instance = following(cls)
        notice(cls, instance)
        return instance

    creatable.__new__ = staticmethod(new)
