"""`gymkernel.registry` after Gymnasium is imported: it also shows the ids that `gymkernel.make` takes from Gymnasium.

Gymnasium's registry is read when it is asked for, so that the ids of a package that is imported later are there, too.
Nothing is copied: `registry.registered`, which workers get, and `gymkernel list` show gymkernel's own ids alone.
Importing this module joins the registries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gymnasium.envs import registration

from gymkernel import plugins
from gymkernel.ids import well_formed
from gymkernel.registration import EnvRegistry, registry
from gymkernel_bridge_gymnasium.registration import KernelSpec

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec as TheirSpec

    from gymkernel.specs import EnvSpec

__all__ = ["JoinedRegistry", "hidden"]


class JoinedRegistry(EnvRegistry):
    """The registry of gymkernel, in which Gymnasium's ids follow those of gymkernel.

    A name of gymkernel's own, installed or not, is never Gymnasium's here. Setting an id registers the id with
    gymkernel alone. Deleting an id hides Gymnasium's spec of this id here, and leaves Gymnasium's registry as it is.
    """

    hidden: dict[str, TheirSpec]
    """Gymnasium's specs that were deleted here; a spec that is registered later under the same id is shown."""
    _seen: frozenset[str] = frozenset()
    """Gymnasium's ids, of which `newest` was computed."""

    def __getitem__(self, env_id: str) -> EnvSpec:
        if super().__contains__(env_id) or not self.shows(env_id):
            return super().__getitem__(env_id)
        found: EnvSpec = plugins.call_hook(
            "gymkernel_resolve_env", env_id=env_id
        )  # other plugins come first, as in make
        return found

    def __delitem__(self, env_id: str) -> None:
        super().__delitem__(env_id)
        if env_id in registration.registry:
            self.hidden[env_id] = registration.registry[env_id]

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        absent = _absent_names()
        theirs = [env_id for env_id in registration.registry if self.shows(env_id, absent)]
        yield from (env_id for env_id in theirs if not super(JoinedRegistry, self).__contains__(env_id))

    def __contains__(self, env_id: object) -> bool:
        return super().__contains__(env_id) or (isinstance(env_id, str) and self.shows(env_id))

    def clear(self) -> None:
        """Delete every id."""
        for env_id in list(self):
            del self[env_id]

    def newest(self, ns: str | None, name: str) -> int | None:
        """Return the highest version of a name; None where no id with a version has this name.

        Args:
            ns: the namespace of the ids; None for those without one.
            name: the name of the ids, without a version.
        """
        if self._seen != registration.registry.keys():
            self._seen, self._generation = frozenset(registration.registry), -1
        return super().newest(ns, name)

    def shows(self, env_id: str, absent: set[tuple[str | None, str]] | None = None) -> bool:
        """Return whether an id that gymkernel itself lacks is taken from Gymnasium.

        Args:
            env_id: the id, bare.
            absent: namespace and name of gymkernel's environments that are not installed, where they are known.
        """
        spec = registration.registry.get(env_id)
        if spec is None or isinstance(spec, KernelSpec) or self.hidden.get(env_id) is spec:
            return False
        names = [one[:2] for one in well_formed([env_id])]
        return bool(names) and names[0] not in (_absent_names() if absent is None else absent)


def _absent_names() -> set[tuple[str | None, str]]:
    """Return namespace and name of the environments of gymkernel's distributions that are not installed."""
    return {one[:2] for one in well_formed(plugins.missing("envs"))}


def hidden() -> dict[str, TheirSpec]:
    """Return Gymnasium's specs that were deleted from gymkernel's registry, by id."""
    return _joined.hidden


def _join() -> JoinedRegistry:
    """Make the registry, which programs hold already, a joined one."""
    joined: Any = registry
    joined.__class__ = JoinedRegistry
    known = registration.registry
    joined.hidden = {env_id: known[env_id] for env_id in joined.deleted if env_id in known}
    return joined  # type: ignore[no-any-return]


_joined = _join()
