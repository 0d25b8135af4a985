"""A change to `AsyncVectorEnv` for functions that draw from NumPy's global generator to create an environment.

For example, a program may choose the gravity of each environment with `numpy.random.normal`. Gymnasium creates the
first environment once in the program's own process and then starts a process for each environment, so all environments
begin with the same state of the generator. gymkernel's workers create several environments each, so the results would
differ from Gymnasium's and depend on the number of cores. If a worker detects such a function, the vector environment
is started again in the same way as in Gymnasium. Python's own global generator is ignored, because Python seeds it with
a new random seed in each forked process.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

__all__ = ["GlobalGeneratorError", "watched_modules"]

NAME: Final = "AsyncVectorEnv"
CHOICES: Final = {"num_workers", "parent_steps", "max_concurrency"}
"""The arguments with which a program chooses the processes of the environments itself."""


class GlobalGeneratorError(RuntimeError):
    """The error for a function that draws from NumPy's global generator to create an environment."""


def watched_modules() -> dict[str, Callable[[ModuleType], None]]:
    """Return the function to call when the module that defines `AsyncVectorEnv` is imported, keyed by module name."""
    return {"gymkernel_vector_async": _detect_draws}


def _detect_draws(module: ModuleType) -> None:
    """Make the constructor of `AsyncVectorEnv` detect functions that draw from NumPy's global generator."""
    # The imports are inside the function, because most programs do not need these modules.
    import inspect
    import multiprocessing

    ours: Any = getattr(module, NAME)
    construct = ours.__init__
    signature = inspect.signature(construct)

    @functools.wraps(construct)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            arguments = signature.bind(self, *args, **kwargs).arguments
        except TypeError:
            arguments = {}
        functions: Any = arguments.get("env_fns")
        known = isinstance(functions, list | tuple) and all(map(callable, functions))
        if not known or CHOICES & arguments.keys():
            construct(self, *args, **kwargs)
            return
        try:
            construct(**arguments | {"env_fns": [_Detector(function) for function in functions]})
        except GlobalGeneratorError:
            if not self.starts_as_gymnasium:
                raise
        else:
            self.env_fns = list(functions)
            return
        functions[0]().close()
        context = arguments.get("context") or multiprocessing.get_context()
        construct(**arguments | {"context": context, "num_workers": len(functions)})

    ours.__init__ = init
    ours.starts_as_gymnasium = True


class _Detector:
    """A function that creates an environment, but fails if its first call draws from NumPy's global generator.

    Args:
        function: the program's function.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function, self._is_first = function, True

    def __call__(self) -> Any:
        """Create an environment.

        Raises:
            GlobalGeneratorError: if the first call draws from NumPy's global generator.
        """
        if not self._is_first:
            return self._function()
        self._is_first = False
        before = _state()
        env = self._function()
        if before is not None and _state() != before:
            with contextlib.suppress(Exception):
                env.close()
            raise GlobalGeneratorError(f"{self._function!r} draws from NumPy's global generator")
        return env


def _state() -> tuple[Any, ...] | None:
    """Return the state of NumPy's global generator, or None if `numpy.random` has not been imported."""
    module = sys.modules.get("numpy.random")
    if module is None:
        return None
    name, keys, *rest = module.get_state()
    return name, keys.tobytes(), *rest
