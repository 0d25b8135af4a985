"""Ids of Gymnasium's, those of packages too that register theirs when they are imported: nobody has to import these."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import gymnasium

from gymkernel import error, plugins
from gymkernel.envs.registration import registry as kernel_registry
from gymkernel.ids import get_env_id, parse_env_id, unknown, well_formed
from gymkernel.third_party import ENVS, MODULES, REGISTERING
from gymkernel_bridge_gymnasium.extras import extra_of
from gymkernel_bridge_gymnasium.registration import KernelSpec

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec as TheirSpec

__all__ = ["gymnasium_spec"]


def gymnasium_spec(env_id: str, *, bare: bool = False) -> TheirSpec | None:
    """Gymnasium's spec of `[module:]id`; without a version, that of the newest.

    None where gymkernel was asked, too, and has other versions: it says which.

    The package of a known family is imported where its id is asked for and not registered.

    Args:
        env_id: the id.
        bare: whether gymkernel's own ids were asked for, too, and have a place in what errors suggest.

    Raises:
        UnregisteredEnv, DeprecatedEnv: there is none; the message says what to install, or what is near.

    >>> gymnasium_spec("FrozenLake").id
    'FrozenLake-v1'
    """
    module, colon, name = env_id.rpartition(":")
    if colon:
        _import(module, name)
    ns, base, version = parse_env_id(name)
    extra, theirs = extra_of(name), _theirs()
    # Where some of its ids are there, its package was imported, or Gymnasium registers them itself.
    if extra is not None and not any(one in theirs for one, brought_by in ENVS.items() if brought_by == extra):
        if find_spec(MODULES[extra]) is not None:
            _import(REGISTERING.get(MODULES[extra], MODULES[extra]), name)
        theirs = _theirs()
    if version is None:
        versions = [v for n, m, v in well_formed(theirs) if (n, m) == (ns, base) and v is not None]
        name = get_env_id(ns, base, max(versions, default=None))
    if name in theirs:
        return theirs[name]
    if bare and (ns, base) in {one[:2] for one in well_formed(kernel_registry)}:
        return None
    known = {one: extra for one, extra in ENVS.items() if one not in theirs and MODULES[extra] not in sys.modules}
    ids = [*theirs, *kernel_registry] if bare else list(theirs)
    try:
        unknown(name, ids, plugins.missing("envs") | known if bare else known, {})
    except (error.UnregisteredEnv, error.DeprecatedEnv):
        raise
    except error.Error as exc:  # of another spelling, such as Ant-v05
        raise error.UnregisteredEnv(str(exc)) from None


def _theirs() -> dict[str, TheirSpec]:
    """What Gymnasium has that is not gymkernel's."""
    return {one: spec for one, spec in gymnasium.registry.items() if not isinstance(spec, KernelSpec)}


def _import(module: str, name: str) -> None:
    try:
        import_module(module)
    except ModuleNotFoundError as exc:
        package = str(exc.name).partition(".")[0].replace("_", "-")
        message = f"To register {name}, {exc.name} has to be installed; run: pip install {package}"
        raise error.NameNotFound(message) from exc
    except Exception as exc:
        message = f"To register {name}, {module} is imported, and that fails: {type(exc).__name__}: {exc}"
        raise error.NameNotFound(message) from exc
