"""The class `SpawnData`, which sends workers that are not forked the data that forked workers would inherit."""

from __future__ import annotations

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
    """The data that a worker in a new interpreter needs: paths, main module, functions and registrations."""

    path: list[str]
    """The module search path, `sys.path`."""
    main: dict[str, str]
    """The location of the program's main module."""
    functions: bytes
    """The pickled functions that create the environments."""
    registrations: Registrations
    """The program's registered environments and operations, and the setup functions of plugins."""

    @classmethod
    def collect(
        cls, env_fns: Sequence[Callable[[], Any]], first: int, known_classes: set[str], *, by_fork: bool = True
    ) -> SpawnData:
        """Collect the data for a worker. If a function cannot be pickled, raise an error that explains the reason.

        Args:
            env_fns: functions that create the environments.
            first: the index of the first environment.
            known_classes: a set of class ids. The ids of the classes that the worker receives by value are added to it.
            by_fork: whether workers could be forked instead. If so, the error message recommends it.
        """
        try:
            functions = dumps_functions(env_fns, known_classes)
        except Exception as exc:
            for i, make in enumerate(env_fns, first):
                try:
                    dumps_functions(make, set())
                except Exception as cause:  # noqa: BLE001 - pickling a third-party class may raise anything
                    who, way = (
                        ("that are not forked", ", or pass context='fork'") if by_fork else ("on other machines", "")
                    )
                    raise pickle.PicklingError(
                        f"The function that creates environment {i} cannot be pickled, but workers {who} need it: "
                        f"{error_text(cause)}. Create objects that cannot be pickled inside the function{way}"
                    ) from exc
            raise
        return cls(sys.path, main_preparation(), functions, Registrations())

    def install(self, *, elsewhere: bool = False) -> list[Any]:
        """Set up this process like the program, and return the functions that create the environments.

        Args:
            elsewhere: whether this process may be on another machine or have different packages. If so, it keeps its
                main module, and its own module path takes precedence.
        """
        if not elsewhere:
            sys.path[:] = self.path
            LazyMain(self.main).install()
        self.registrations.install()
        functions: list[Any] = pickle.loads(self.functions)  # noqa: S301 - the data comes from the parent process, which is trusted
        learn_classes()
        return functions
