"""The `JoinedRegistry` class, which makes `gymkernel.registry` contain Gymnasium's ids as well.

Importing this module joins the registries. Gymnasium's registry is read at each access, so ids of packages that are
imported later are included. Nothing is copied: `registry.registered`, which is sent to workers, and `gymkernel list`
still contain only gymkernel's own ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gymnasium.envs import registration

from gymkernel import plugins
from gymkernel.ids import well_formed
from gymkernel.registration import EnvRegistry, registry

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec as TheirSpec

    from gymkernel.specs import EnvSpec

__all__ = ["JoinedRegistry", "hidden"]


class JoinedRegistry(EnvRegistry):
    """A registry that contains gymkernel's own ids, followed by Gymnasium's ids.

    The name of a gymkernel environment never refers to Gymnasium's environment, even if gymkernel's environment is not
    installed. Setting an id registers it only with gymkernel. Deleting an id hides Gymnasium's spec in this registry,
    but does not change Gymnasium's registry.
    """

    hidden: dict[str, TheirSpec]
    """Gymnasium's specs that were deleted from this registry.

    If an id is registered again, its new spec is visible.
    """
    _seen: frozenset[str] = frozenset()
    """The ids that Gymnasium had when the versions for `newest` were last computed."""

    def __getitem__(self, env_id: str) -> EnvSpec:
        if super().__contains__(env_id) or not self.shows(env_id):
            return super().__getitem__(env_id)
        # Other plugins take precedence, as in `make`.
        spec: EnvSpec = plugins.call_hook("gymkernel_resolve_env", env_id=env_id)
        return spec

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
        """Delete all ids."""
        for env_id in list(self):
            del self[env_id]

    def newest(self, ns: str | None, name: str) -> int | None:
        """Return the highest version of an environment, or None if there is no versioned id with this name.

        Args:
            ns: the namespace part of the id; None for ids without a namespace.
            name: the name part of the id, without a version.
        """
        if self._seen != registration.registry.keys():
            self._seen, self._generation = frozenset(registration.registry), -1
        return super().newest(ns, name)

    def shows(self, env_id: str, absent: set[tuple[str | None, str]] | None = None) -> bool:
        """Return whether an id that is not in gymkernel's own registry refers to a Gymnasium environment.

        Args:
            env_id: the id to look up, without a prefix.
            absent: (namespace, name) pairs of gymkernel's environments that are not installed; None to compute them.
        """
        # At the top, this import would fail if `registration` were the first module to import Gymnasium.
        from gymkernel_bridge_gymnasium.registration import KernelSpec

        spec = registration.registry.get(env_id)
        if spec is None or isinstance(spec, KernelSpec) or self.hidden.get(env_id) is spec:
            return False
        names = [parts[:2] for parts in well_formed([env_id])]
        return bool(names) and names[0] not in (_absent_names() if absent is None else absent)


def _absent_names() -> set[tuple[str | None, str]]:
    """Return the (namespace, name) pairs of gymkernel's environments that are not installed."""
    return {parts[:2] for parts in well_formed(plugins.missing("envs"))}


def hidden() -> dict[str, TheirSpec]:
    """Return Gymnasium's specs that were deleted from gymkernel's registry, keyed by id."""
    return _joined.hidden


def _join() -> JoinedRegistry:
    """Change the class of the existing registry, because programs may already hold references to it."""
    joined: Any = registry
    joined.__class__ = JoinedRegistry
    known = registration.registry
    joined.hidden = {env_id: known[env_id] for env_id in joined.deleted if env_id in known}
    return joined  # type: ignore[no-any-return]


_joined = _join()
