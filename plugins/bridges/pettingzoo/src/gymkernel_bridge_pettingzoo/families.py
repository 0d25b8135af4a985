"""Functions that look up PettingZoo environments by name, and the `IdFamily` for ids that begin with `pettingzoo/`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, Final

from gymkernel.specs import EnvSpec
from gymkernel_util_compatibility.id_families import IdFamily
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker

__all__ = ["FAMILY", "creator"]

PACKAGES: Final = {
    "atari": ("pettingzoo.atari",),
    "butterfly": ("pettingzoo.butterfly",),
    "classic": ("pettingzoo.classic",),
    "magent": ("magent2.environments", "pettingzoo.magent"),
    "mpe": ("mpe2", "pettingzoo.mpe"),
    "sisl": ("pettingzoo.sisl",),
}
"""The packages that may contain the environments of each family. Newer packages are tried first."""
VERSIONED = re.compile(r"\w+_v\d+")
REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing)
"""The wrappers that `gymkernel.make` adds to the environment. Importing them here ensures that they are installed."""


def _registered(form: str) -> dict[str, str]:
    """Read PettingZoo's own registry, which exists in version 1.27 and newer.

    Args:
        form: which of PettingZoo's two registries to read, "parallel" or "aec".

    Returns:
        A dictionary that maps names such as `butterfly/pistonball_v6` to ids such as `butterfly/pistonball-v6`.
    """
    registry = getattr(import_module("pettingzoo"), f"{form}_registry", {})
    return {re.sub(r"-v(\d+)$", r"_v\1", env_id): env_id for env_id in registry}


def _modules() -> dict[str, str]:
    """Map the names of environments to the modules that define the environments, without importing the modules."""
    found: dict[str, str] = {}
    for family, packages in PACKAGES.items():
        for package in packages:
            if find_spec(package.partition(".")[0]) is None or (spec := find_spec(package)) is None:
                continue
            for module in iter_modules(spec.submodule_search_locations):
                if VERSIONED.fullmatch(module.name):
                    found.setdefault(f"{family}/{module.name}", f"{package}.{module.name}")
    return found


def _names() -> set[str]:
    return {*_modules(), *_registered("aec"), *_registered("parallel")}


def creator(name: str, form: str) -> Callable[..., Any] | None:
    """Return the PettingZoo function that creates an environment with the given name and API.

    Args:
        name: the name of an environment, such as `butterfly/pistonball_v6`.
        form: the PettingZoo API, "parallel" or "aec".

    Returns:
        The function, or None if the environment does not support this API.

    Raises:
        gymkernel.error.NameNotFound: if PettingZoo has no such environment.
        ImportError: if a package that the environment needs is not installed. The message or a note contains the
            command that installs the package.
    """
    FAMILY.resolve(f"{FAMILY.prefix}/{name}")
    for known in ("aec", "parallel"):
        if name in (registered := _registered(known)):
            exists = name in (registered if known == form else _registered(form))
            return partial(import_module("pettingzoo").make, form, registered[name]) if exists else None
    family = name.partition("/")[0]
    try:
        module = import_module(_modules()[name])
    except ModuleNotFoundError as exc:
        exc.add_note(f'The environments of {family} need more packages; run: pip install "pettingzoo[{family}]"')
        raise
    found: Callable[..., Any] | None = getattr(module, {"parallel": "parallel_env", "aec": "env"}[form], None)
    return found


def _spec(env_id: str, name: str) -> EnvSpec:
    return EnvSpec(env_id, f"{__package__}.making:make_pettingzoo", kwargs={"name": name})


FAMILY: Final = IdFamily("pettingzoo", "pettingzoo", '"gymkernel[pettingzoo]"', _names, _spec)
"""The ids of PettingZoo's environments, such as `pettingzoo/butterfly/pistonball_v6`."""
