"""Ids of Gymnasium's, those of packages too that register theirs when they are imported: nobody has to import these."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import gymnasium

from gymkernel import error, plugins
from gymkernel.ids import get_env_id, parse_env_id, unknown, well_formed
from gymkernel.registration import spec as spec_of
from gymkernel.third_party import ENVS, MODULES, REGISTERING
from gymkernel_bridge_gymnasium.extras import extra_of
from gymkernel_bridge_gymnasium.joined_registry import hidden
from gymkernel_bridge_gymnasium.registration import KernelSpec, our_name, own_ids

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec as TheirSpec

    from gymkernel.specs import EnvSpec

__all__ = ["gymnasium_spec", "own_spec"]


@contextmanager
def _as_unregistered() -> Iterator[None]:
    """Have each error about an id be one that a hook may raise."""
    try:
        yield
    except (error.UnregisteredEnv, error.DeprecatedEnv):
        raise
    except error.Error as exc:  # of another spelling, such as Ant-v05, or of an id without a version
        raise error.UnregisteredEnv(str(exc)) from None


@_as_unregistered()
def gymnasium_spec(env_id: str, *, bare: bool = False) -> TheirSpec | None:
    """Return Gymnasium's spec of `[module:]id`; without a version, that of the newest version.

    The package of a known family is imported when one of its ids is asked for and none of them is registered. The
    result is None if gymkernel was asked, too, and has other versions: gymkernel's own error then lists them.

    Args:
        env_id: the id.
        bare: whether gymkernel's own ids were asked for, too, and have a place in what errors suggest.

    Raises:
        UnregisteredEnv, DeprecatedEnv: there is no such id; the message says what to install, or which id is similar.

    >>> gymnasium_spec("FrozenLake").id
    'FrozenLake-v1'
    """
    module, colon, name = env_id.rpartition(":")
    if colon:
        _import(module, name)
    theirs = _theirs(bare=bare)
    if name in theirs:
        return theirs[name]
    ns, base, version = parse_env_id(name)
    extra = extra_of(name)
    # Where some of its ids are there, its package was imported, or Gymnasium registers them itself.
    if extra is not None and not any(one in theirs for one, brought_by in ENVS.items() if brought_by == extra):
        if find_spec(MODULES[extra]) is not None:
            _import(REGISTERING.get(MODULES[extra], MODULES[extra]), name)
        theirs = _theirs(bare=bare)
    if version is None:
        versions = [v for n, m, v in well_formed(theirs) if (n, m) == (ns, base) and v is not None]
        name = get_env_id(ns, base, max(versions, default=None))
    if name in theirs:
        return theirs[name]
    if bare and (ns, base) in {one[:2] for one in well_formed(own_ids())}:
        return None
    known = {one: extra for one, extra in ENVS.items() if one not in theirs and MODULES[extra] not in sys.modules}
    ids = [*theirs, *own_ids()] if bare else list(theirs)
    return unknown(name, ids, plugins.missing("envs") | known if bare else known, {})


@_as_unregistered()
def own_spec(env_id: str) -> EnvSpec | None:
    """Return the spec of an id by which Gymnasium has an environment of gymkernel's, such as `gymkernel/CartPole-v1`.

    Args:
        env_id: an id that gymkernel does not have.

    Raises:
        UnregisteredEnv, DeprecatedEnv: the id begins with `gymkernel/`, and gymkernel makes no such environment.
    """
    known = gymnasium.registry.get(env_id)
    own = known.kernel_id if isinstance(known, KernelSpec) else env_id.removeprefix(our_name(""))
    if own == env_id:
        return None
    return spec_of(own)


def _theirs(*, bare: bool) -> dict[str, TheirSpec]:
    """Return what Gymnasium has that is not gymkernel's; for bare ids, without what was deleted from our registry."""
    deleted = hidden() if bare else {}
    found = gymnasium.registry.items()
    return {one: spec for one, spec in found if not isinstance(spec, KernelSpec) and deleted.get(one) is not spec}


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
