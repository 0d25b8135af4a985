"""Functions that find the specs for Gymnasium's ids, and import packages that register ids when they are imported."""

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
from gymkernel.third_party import BRIDGES, ENVS, MODULES, REGISTERING
from gymkernel_bridge_gymnasium.entries import extra_of
from gymkernel_bridge_gymnasium.joined_registry import hidden
from gymkernel_bridge_gymnasium.registration import KernelSpec, our_name, own_ids

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec as TheirSpec

    from gymkernel.specs import EnvSpec

__all__ = ["gymnasium_spec", "own_spec"]

THIS_BRIDGE = "gymkernel-bridge-gymnasium"


@contextmanager
def _as_unregistered() -> Iterator[None]:
    """Convert any error about an id to an error type that hooks are allowed to raise."""
    try:
        yield
    except (error.UnregisteredEnv, error.DeprecatedEnv):
        raise
    except error.Error as exc:
        # For example, Gymnasium raises an error for the spelling Ant-v05 and for an id without a version.
        raise error.UnregisteredEnv(str(exc)) from None


@_as_unregistered()
def gymnasium_spec(env_id: str, *, bare: bool = False) -> TheirSpec | None:
    """Return Gymnasium's spec for `[module:]id`. For an id without a version, return the newest version's spec.

    If the id belongs to a known family of environments that has no registered ids yet, import the family's package.

    Args:
        env_id: the id to look up, without the prefix `gymnasium/`.
        bare: whether the user wrote the id without a prefix. If so, it may be a gymkernel id, so error messages also
            suggest gymkernel's ids.

    Returns:
        The spec, or None if `bare` is true and gymkernel has other versions of the environment, which gymkernel's own
        error message then lists.

    Raises:
        UnregisteredEnv, DeprecatedEnv: if the id does not exist. The message suggests a package or a similar id.

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
    if extra is not None and _is_of_other_bridge(extra):  # importing the package would not register anything
        return unknown(name, theirs, {key: other for key, other in ENVS.items() if other == extra}, {})
    # If any id of the family is registered, the package has already been imported, or Gymnasium itself registers the
    # family.
    if extra is not None and not any(known in theirs for known, package in ENVS.items() if package == extra):
        if find_spec(MODULES[extra]) is not None:
            _import(REGISTERING.get(MODULES[extra], MODULES[extra]), name)
        theirs = _theirs(bare=bare)
    if version is None:
        versions = [v for n, m, v in well_formed(theirs) if (n, m) == (ns, base) and v is not None]
        name = get_env_id(ns, base, max(versions, default=None))
    if name in theirs:
        return theirs[name]
    if bare and (ns, base) in {parts[:2] for parts in well_formed(own_ids())}:
        return None
    known = {key: extra for key, extra in ENVS.items() if key not in theirs and MODULES[extra] not in sys.modules}
    ids = [*theirs, *own_ids()] if bare else list(theirs)
    return unknown(name, ids, plugins.missing("envs") | known if bare else known, {})


@_as_unregistered()
def own_spec(env_id: str) -> EnvSpec | None:
    """Return the spec for an id under which a gymkernel environment is registered with Gymnasium.

    An example of such an id is `gymkernel/CartPole-v1`.

    Args:
        env_id: an id that is not in gymkernel's registry.

    Raises:
        UnregisteredEnv, DeprecatedEnv: if the id begins with `gymkernel/`, but gymkernel has no such environment.
    """
    known = gymnasium.registry.get(env_id)
    own = known.kernel_id if isinstance(known, KernelSpec) else env_id.removeprefix(our_name(""))
    if own == env_id:
        return None
    return spec_of(own)


def _is_of_other_bridge(extra: str) -> bool:
    return BRIDGES.get(extra, THIS_BRIDGE) != THIS_BRIDGE


def _theirs(*, bare: bool) -> dict[str, TheirSpec]:
    """Return Gymnasium's own specs. For bare ids, omit the specs that were deleted from gymkernel's registry."""
    deleted = hidden() if bare else {}
    specs = gymnasium.registry.items()
    return {key: spec for key, spec in specs if not isinstance(spec, KernelSpec) and deleted.get(key) is not spec}


def _import(module: str, name: str) -> None:
    try:
        import_module(module)
    except ModuleNotFoundError as exc:
        package = str(exc.name).partition(".")[0].replace("_", "-")
        message = f"To register {name}, {exc.name} must be installed; run: pip install {package}"
        raise error.NameNotFound(message) from exc
    except Exception as exc:
        message = f"To register {name}, {module} must be imported, but the import fails: {type(exc).__name__}: {exc}"
        raise error.NameNotFound(message) from exc
