"""The `Collector` class, which measures how much time a program spends in its environments.

`Env.__new__` and `VectorEnv.__new__` are changed to detect every class that the program instantiates. The methods of
this class that are listed in `CALLS` are then replaced with functions that measure the time. Environments keep their
classes and attributes, so they can be copied, pickled and compared as before. Wrappers are not measured.

A call inside another measured call, such as an environment's step inside a `SyncVectorEnv`, is counted as part of the
outer call. Nothing is measured in forked processes, or in other processes that a class is sent to.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
import time
from _thread import get_ident
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

__all__ = ["CALLS", "Collector", "Tallies", "Threads", "Use"]

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
"""Maps each measured method to a pair: the name that the report shows, and whether the method counts as a call."""

STEP_PARAMETERS: Final = ["self", "action"]
"""The names of the parameters of a usual `step` method."""

Tally = list[Any]
"""The number of calls and their total duration in seconds."""


@dataclass(slots=True, eq=False)
class Use:
    """A record of how the program used the environments with one id, or one group of similar vector environments.

    Attributes:
        name: the id, or the name of the class for an environment without a spec.
        spec: the spec from which such environments can be recreated; None if there is no single spec.
        num_envs: the number of environments in a vector environment; 0 for single environments.
        backend: the class of a vector environment; "" for single environments.
        mode: the vectorization mode that `make_vec` used; "" if the program did not call `make_vec`.
        workers: the number of workers; None for a backend without workers.
        instances: the number of vector environments in the group.
        tallies: the number and duration of the calls, keyed by name.
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
        """The total duration of all calls in seconds."""
        return float(sum(seconds for _, seconds in self.tallies.values()))

    def add_creation(self, seconds: float | None) -> None:
        """Add the creation of an environment, unless its duration is unknown."""
        if seconds is not None:
            tally = self.tally("create")
            tally[0] += 1
            tally[1] += seconds

    def tally(self, call: str) -> Tally:
        """Return the number and total duration of the calls with the given name."""
        return self.tallies.setdefault(call, [0, 0.0])


_current: list[Collector] = []
"""The active collector of this process, if there is one.

The measuring functions refer to the state of the threads and to tallies. If such a function is pickled by value, these
references are replaced with the objects of the process that unpickles the function.
"""


class Threads:
    """A record of which threads are inside a measured call.

    Usually, only one thread at a time calls environments. Its id is stored in `owner`, which is fast to read. If
    another thread calls an environment at the same time, `call_aside` measures that call.

    Attributes:
        owner: the id of the thread that is inside a measured call, not counting `call_aside`; None if there is no such
            thread.
        others: the number of threads that are inside `call_aside`.
    """

    __slots__ = ("_local", "_lock", "others", "owner")

    def __init__(self) -> None:
        self.owner: int | None = None
        self.others = 0
        self._lock, self._local = threading.Lock(), threading.local()

    def __reduce__(self) -> Any:
        return _threads_here, ()

    def call_aside(self, function: Callable[[], Any], tally: Tally, count: int) -> Any:
        """Call a function and measure how long it takes, even if another thread is inside a measured call.

        Args:
            function: the function to call.
            tally: the tally to which the call is added, unless this thread is already inside a measured call.
            count: the number of calls to add.
        """
        if getattr(self._local, "inside", False):
            return function()
        self._local.inside = True
        with self._lock:
            self.others += 1
        start = time.perf_counter()
        try:
            return function()
        finally:
            seconds = time.perf_counter() - start
            self._local.inside = False
            with self._lock:
                self.others -= 1
                tally[0] += count
                tally[1] += seconds


class _ThreadsElsewhere:
    """A substitute for `Threads` that disables measuring in other processes: every call seems to be an inner call."""

    others = 0
    owner = property(lambda _: get_ident())

    def __reduce__(self) -> Any:
        return _threads_here, ()


class Tallies(dict[Any, Tally]):
    """The tallies of one method's calls on single environments, keyed by id or, without a spec, by class.

    Args:
        call: the name of the call.
        collector: the collector that shows the tallies.
    """

    def __init__(self, call: str, collector: Collector) -> None:
        super().__init__()
        self._call, self._collector = call, collector

    def __reduce__(self) -> Any:
        return _tallies_here, (self._call,)

    def of(self, env: Any) -> Tally:
        """Return the tally of an environment."""
        try:
            spec = env.spec
        except Exception:  # noqa: BLE001 - the measurement must not change the program
            spec = None
        key = type(env) if spec is None else spec.id
        tally = self.get(key)
        if tally is None:
            tally = self[key] = self._collector.single(env, spec).tally(self._call)
        if self._collector.created and id(env) in self._collector.created:
            self._collector.single(env, spec).add_creation(self._collector.created.pop(id(env), None))
        return tally


def _threads_here() -> Any:
    return _current[-1].threads if _current else _ThreadsElsewhere()


def _tallies_here(call: str) -> Tallies:
    collector = _current[-1] if _current else Collector()
    return collector.tallies_of(call)


def _vector_tally_here(envs: Any, call: str) -> Tally:
    """Return the tally of a vector environment's call, or a new tally if this process measures nothing."""
    return _current[-1].vector(envs, call).tally(call) if _current else [0, 0.0]


class Collector:
    """A collector that measures how much time this process spends in environments."""

    def __init__(self) -> None:
        self.threads = Threads()
        self.wall = 0.0
        """The duration of the measurement in seconds."""
        self._start = 0.0
        self._classes: set[type] = set()
        self._replaced: dict[tuple[type, str], Any] = {}
        """Maps each class and name of a replaced method to the original method."""
        self._tallies: dict[str, Tallies] = {}
        self._singles: dict[Any, Use] = {}
        self._vectors: dict[tuple[Any, ...], Use] = {}
        self.created: dict[int, float] = {}
        """Maps the `id()` of each environment that has not been called yet to how many seconds its creation took."""
        self._vector_of: dict[int, Use] = {}
        """Maps the `id()` of each vector environment that has been used to its `Use`."""

    def start(self) -> None:
        """Start measuring all environments whose classes are instantiated from now on."""
        _current.append(self)
        for base in (Env, VectorEnv):
            _observe_creation(base, self._notice)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._restore)
        self._start = time.perf_counter()

    def stop(self) -> None:
        """End the measurement, and restore the methods of all classes."""
        if self in _current:
            self.wall = time.perf_counter() - self._start
            self._restore()

    def uses(self) -> list[Use]:
        """Return a `Use` for each group of environments, starting with the group that took the most time."""
        used = [use for use in (*self._singles.values(), *self._vectors.values()) if use.tallies]
        return sorted(used, key=lambda use: -use.seconds)

    def single(self, env: Any, spec: EnvSpec | None) -> Use:
        """Return the `Use` to which the calls of a single environment are added.

        Args:
            env: the environment.
            spec: the environment's spec.
        """
        key = type(env) if spec is None else spec.id
        return self._singles.setdefault(key, Use(type(env).__qualname__ if spec is None else spec.id, spec))

    def vector(self, envs: Any, call: str) -> Use:
        """Return the `Use` to which the calls of a vector environment are added.

        Args:
            envs: the vector environment.
            call: the name of the next call.
        """
        use = self._vector_of.get(id(envs))
        if use is None:
            use = _describe(envs, call)
            identity = use.name, use.num_envs, use.backend, use.mode, use.workers
            use = self._vector_of[id(envs)] = self._vectors.setdefault(identity, use)
            use.instances += 1
            use.add_creation(self.created.pop(id(envs), None))
        return use

    def tallies_of(self, call: str) -> Tallies:
        """Return the tallies of one method's calls on single environments.

        Args:
            call: the name of the call.
        """
        return self._tallies.setdefault(call, Tallies(call, self))

    def _restore(self) -> None:
        if self in _current:
            _current.remove(self)
        for (cls, name), original in self._replaced.items():
            setattr(cls, name, original)
        self._replaced.clear()

    def _notice(self, cls: type, instance: Any) -> None:
        """Start measuring a class as soon as its first instance is created."""
        if self not in _current:
            return
        is_vector = isinstance(instance, VectorEnv)
        for known in (self.created, self._vector_of):
            known.pop(id(instance), None)  # an earlier object may have had the same `id()`
        if cls not in self._classes:
            self._classes.add(cls)
            if not issubclass(cls, Wrapper | VectorWrapper):
                for base in cls.__mro__:
                    self._replace_methods(base, is_vector=is_vector)

    def _replace_methods(self, base: type, *, is_vector: bool) -> None:
        if base in {Env, VectorEnv}:  # their methods are not worth measuring
            return
        if issubclass(base, Env | VectorEnv):
            self._replace(base, "__init__", lambda original: _measured_creation(original, self.threads))
        for name, (call, counts) in CALLS.items():
            measured = self._measured_vector_call if is_vector else self._measured_call
            self._replace(base, name, functools.partial(measured, call=call, count=int(counts)))

    def _replace(self, base: type, name: str, measured: Callable[[FunctionType], Any]) -> None:
        """Replace a method that a class defines, unless it has been replaced."""
        original = vars(base).get(name)
        if isinstance(original, FunctionType) and (base, name) not in self._replaced:
            self._replaced[base, name] = original
            setattr(base, name, functools.wraps(original)(measured(original)))

    def _measured_vector_call(self, original: FunctionType, *, call: str, count: int) -> Any:
        return _measured(original, self.threads, functools.partial(_vector_tally_here, call=call), count)

    def _measured_call(self, original: FunctionType, *, call: str, count: int) -> Any:
        parameters = inspect.signature(original).parameters
        is_plain = all(
            one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters.values()
        )
        if call == "step" and is_plain and list(parameters) == STEP_PARAMETERS:
            return _measured_step(original, self.threads, self.tallies_of(call))
        return _measured(original, self.threads, self.tallies_of(call).of, count)


def _measured(original: Any, threads: Threads, find: Callable[[Any], Tally], count: int) -> Any:
    """Return a function that calls a method and measures how long the call takes.

    Args:
        original: the original method.
        threads: the record of the threads.
        find: a function that returns the tally of an environment.
        count: the number to add to the number of calls.
    """
    clock = time.perf_counter

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        owner = threads.owner
        if owner is not None or threads.others:
            # This call is made inside another measured call.
            if owner == get_ident():
                return original(self, *args, **kwargs)
            return threads.call_aside(lambda: original(self, *args, **kwargs), find(self), count)
        threads.owner = get_ident()
        try:
            # Looking up the tally may read the specs of a vector environment.
            tally = find(self)
            start = clock()
            try:
                return original(self, *args, **kwargs)
            finally:
                tally[1] += clock() - start
                tally[0] += count
        finally:
            threads.owner = None

    return method


def _measured_creation(original: Any, threads: Threads) -> Any:
    """Return a function that calls a constructor and measures the time, unless another call is in progress.

    Args:
        original: the constructor.
        threads: the record of the threads.
    """
    clock = time.perf_counter

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if threads.owner is not None or threads.others:
            return original(self, *args, **kwargs)
        start = clock()
        try:
            threads.owner = get_ident()
            return original(self, *args, **kwargs)
        finally:
            threads.owner = None
            if _current:
                _current[-1].created[id(self)] = clock() - start

    return method


def _measured_step(original: Any, threads: Threads, tallies: Tallies) -> Any:
    """Return a version of a method `step(self, action)` that measures the time with as little overhead as possible."""
    clock = time.perf_counter

    def method(self: Any, action: Any) -> Any:
        owner = threads.owner
        if owner is not None or threads.others:
            if owner == get_ident():
                return original(self, action)
            return threads.call_aside(lambda: original(self, action), tallies.of(self), 1)
        spec = self.spec
        tally = tallies.get(type(self) if spec is None else spec.id) or tallies.of(self)
        start = clock()
        try:
            threads.owner = get_ident()
            return original(self, action)
        finally:
            tally[1] += clock() - start
            threads.owner = None
            tally[0] += 1

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
    """Call a function with the class and the object whenever an instance of a base class or a subclass is created."""
    creatable: Any = base

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        following: Any = super(creatable, cls).__new__
        if following is not object.__new__:
            instance = following(cls, *args, **kwargs)
        elif (args or kwargs) and cls.__init__ is object.__init__:
            raise TypeError(f"{cls.__name__}() takes no arguments")  # Python raises the same error
        else:
            instance = following(cls)
        notice(cls, instance)
        return instance

    creatable.__new__ = staticmethod(new)
