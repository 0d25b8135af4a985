"""`SpawnData`: give a worker that is not forked the parts of the program that a forked worker would inherit."""

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
    """A record of what a new interpreter needs from the program: paths, main module, functions and registrations."""

    path: list[str]
    """The module search path, `sys.path`."""
    main: dict[str, str]
    """The location of the program's main module."""
    functions: bytes
    """The pickled functions that make the environments."""
    registrations: Registrations
    """The registered environments and operations, and the setup functions of plugins."""

    @classmethod
    def collect(
        cls, env_fns: Sequence[Callable[[], Any]], first: int, known_classes: set[str], *, by_fork: bool = True
    ) -> SpawnData:
        """Collect the data for a worker. If a function cannot be pickled, the error names the function and the reason.

        Args:
            env_fns: functions that create the environments.
            first: the index of the first environment.
            known_classes: a set to which the ids of the classes that the worker receives with its functions are added.
            by_fork: whether workers could be forked instead. If so, the error recommends this.
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
                        f"The function that makes environment {i} cannot be pickled, but workers {who} need it: "
                        f"{error_text(cause)}. Create objects that cannot be pickled inside the function{way}"
                    ) from exc
            raise
        return cls(sys.path, main_preparation(), functions, Registrations())

    def install(self, *, elsewhere: bool = False) -> list[Any]:
        """Give this process the state of the program, and return the functions that create the environments.

        Args:
            elsewhere: whether this process may be on another machine or have other packages. It then keeps its main
                module, and its own module path takes precedence.
        """
        if elsewhere:
            paths = [path or os.getcwd() for path in self.path]  # noqa: PTH109 - sys.path has strings
            sys.path += [path for path in paths if path not in sys.path]
        else:
            sys.path[:] = self.path
            LazyMain(self.main).install()
        functions: list[Any] = pickle.loads(self.functions)  # noqa: S301 - from this program's own parent
        learn_classes()
        self.registrations.install()
        return functions
