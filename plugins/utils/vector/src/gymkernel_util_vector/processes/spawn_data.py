"""`SpawnData`: what a worker that is not forked is given, so that it knows the program as a forked one does."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gymkernel_util_spaces.texts import error_text
from gymkernel_util_vector.processes.main_module import LazyMain, main_preparation
from gymkernel_util_vector.processes.pickling import dumps_functions, learn_classes
from gymkernel_util_vector.processes.registrations import Registrations

__all__ = ["SpawnData"]


@dataclass(frozen=True, slots=True)
class SpawnData:
    """What the program has that a new interpreter lacks: paths, main module, functions, and what it registered."""

    path: list[str]
    """Where modules are found."""
    main: dict[str, str]
    """Where the program's main module is."""
    functions: bytes
    """What makes the environments, pickled."""
    registrations: Registrations
    """Ids, operations on spaces, and what plugins set up."""

    @classmethod
    def collect(
        cls, env_fns: Sequence[Callable[[], Any]], first: int, known_classes: set[str], *, by_fork: bool = True
    ) -> SpawnData:
        """The data for a worker; the error says which function cannot be pickled, and why.

        Args:
            env_fns: functions that make the environments.
            first: index of the first of them.
            known_classes: is given the ids of the classes that the worker has with its functions.
            by_fork: whether workers might be forked instead, which the error then recommends.
        """
        try:
            functions = dumps_functions(env_fns, known_classes)
        except Exception as exc:
            for i, make in enumerate(env_fns, first):
                try:
                    dumps_functions(make, set())
                except Exception as cause:  # noqa: BLE001 - whatever somebody's class raises
                    who, way = (
                        ("that are not forked", ", or pass context='fork'") if by_fork else ("on other machines", "")
                    )
                    raise pickle.PicklingError(
                        f"The function that makes environment {i} cannot be pickled, which workers need {who}: "
                        f"{error_text(cause)}. Make in the function what cannot be pickled{way}"
                    ) from exc
            raise
        return cls(sys.path, main_preparation(), functions, Registrations())

    def install(self, *, elsewhere: bool = False) -> list[Any]:
        """Make this process what a forked one would be, as far as that goes; the functions.

        Args:
            elsewhere: whether it may be on another machine, or have other packages: its own paths come first then,
                and it keeps its main module.
        """
        if elsewhere:
            given = [path or os.getcwd() for path in self.path]  # noqa: PTH109 - sys.path has strings
            sys.path += [path for path in given if path not in sys.path]
        else:
            sys.path[:] = self.path
            LazyMain(self.main).install()
        functions: list[Any] = pickle.loads(self.functions)  # noqa: S301 - from this program's own parent
        learn_classes()
        self.registrations.install()
        return functions
