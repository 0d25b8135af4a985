"""The class `IdFamily`, which bridges use to resolve the ids of another library's environments.

The ids of a family begin with the same prefix, such as `dm_control/` in `dm_control/cartpole-balance`. The library is
imported only when an id with its prefix is looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec

from gymkernel import error
from gymkernel.ids import parse_env_id, well_formed
from gymkernel.specs import EnvSpec
from gymkernel.suggestions import did_you_mean

__all__ = ["IdFamily"]


@dataclass(frozen=True, slots=True)
class IdFamily:
    """A family of ids that begin with the same prefix and name the environments of another library.

    A bridge creates one instance per prefix, and calls `resolve` in its hook `gymkernel_resolve_env`. Therefore, error
    messages and suggestions of similar ids are the same in all bridges.

    Attributes:
        prefix: the part of the ids before the first slash, such as "pettingzoo".
        module: the top-level module of the library. The library counts as installed if this module can be found.
        requirement: the argument for `pip install` that installs the library, such as `"gymkernel[envpool]"`.
        names: a function that returns the names of all environments, which are the ids without the prefix and the
            slash. The function may import the library.
        make_spec: a function that creates the spec for an id. Its arguments are the id and the name.

    >>> from gymkernel.specs import EnvSpec
    >>> def make_spec(env_id, name):
    ...     return EnvSpec(env_id, "caves:make", kwargs={"name": name})
    >>> family = IdFamily("text", "json", "text-worlds", lambda: ["Cave-v1", "Cave-v2"], make_spec)
    >>> family.resolve("text/Cave").id, family.resolve("CartPole-v1")
    ('text/Cave-v2', None)
    """

    prefix: str
    module: str
    requirement: str
    names: Callable[[], Iterable[str]]
    make_spec: Callable[[str, str], EnvSpec]

    def resolve(self, env_id: str) -> EnvSpec | None:
        """Return the spec for an id of the family. For an id without a version, return the newest version's spec.

        Args:
            env_id: an environment id, which may belong to another family.

        Returns:
            The spec, or None if the id does not begin with the family's prefix.

        Raises:
            gymkernel.error.NameNotFound: if the library is not installed, or if it has no such environment. The message
                contains the command that installs the library, or the most similar ids.
        """
        start = f"{self.prefix}/"
        if not env_id.startswith(start):
            return None
        if find_spec(self.module) is None:
            needed = f"{env_id} needs {self.module}, which is not installed"
            raise error.NameNotFound(f"{needed}; run: pip install {self.requirement}")
        ids = {f"{start}{name}" for name in self.names()}
        found = env_id if env_id in ids else _newest(env_id, ids)
        if found not in ids:
            hint = did_you_mean(env_id, sorted(ids), f"its environments are, for example, {_examples(ids)}", most=3)
            raise error.NameNotFound(f"{self.module} has no environment {env_id.removeprefix(start)}; {hint}")
        return self.make_spec(found, found.removeprefix(start))


def _newest(env_id: str, ids: Iterable[str]) -> str:
    """Append the newest version to an id without a version. Return an id that has a version unchanged."""
    namespace, base, version = parse_env_id(env_id)
    versions = [v for ns, name, v in well_formed(ids) if (ns, name) == (namespace, base) and v is not None]
    return env_id if version is not None or not versions else f"{env_id}-v{max(versions)}"


def _examples(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids)[:3])
