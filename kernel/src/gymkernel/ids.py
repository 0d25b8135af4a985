"""Functions that parse environment ids, `[namespace/]name[-vN]`, and raise errors for unknown ids."""

import re
from collections.abc import Collection, Iterable
from typing import NoReturn

from gymkernel import error

__all__ = ["ENV_ID_RE", "EnvId", "get_env_id", "parse_env_id", "unknown", "well_formed"]

ENV_ID_RE = re.compile(r"(?:(?P<namespace>[\w:-]+(?:/[\w:-]+)*)/)?(?P<name>[\w:.-]+?)(?:-v(?P<version>\d+))?")

EnvId = tuple[str | None, str, int | None]
"""The namespace, name and version of an environment id."""


def well_formed(ids: Iterable[str]) -> list[EnvId]:
    """Parse all well-formed ids in a collection, and skip malformed ids.

    Args:
        ids: strings that may be environment ids, such as the names of entry points.

    Returns:
        The namespace, name and version of each well-formed id, in the given order.
    """
    return [parse_env_id(env_id) for env_id in ids if ENV_ID_RE.fullmatch(env_id)]


def parse_env_id(env_id: str) -> EnvId:
    """Split an environment id into its namespace, name and version.

    Args:
        env_id: the id, without the prefix `module:` that `make` accepts.

    Returns:
        The namespace, the name and the version. A missing namespace or version is returned as None.

    Raises:
        gymkernel.error.Error: if `env_id` is malformed.

    >>> parse_env_id("ALE/Pong-v5"), parse_env_id("CartPole-v1"), parse_env_id("Maze")
    (('ALE', 'Pong', 5), (None, 'CartPole', 1), (None, 'Maze', None))
    """
    match = ENV_ID_RE.fullmatch(env_id)
    if match is None:
        form = "(Currently all IDs must be of the form [namespace/](env-name)-v(version). (namespace is optional))"
        raise error.Error(f"Malformed environment ID: {env_id}. {form}")
    namespace, name, version = match.group("namespace", "name", "version")
    return namespace, name, None if version is None else int(version)


def get_env_id(ns: str | None, name: str, version: int | None) -> str:
    """Join a namespace, a name and a version into an environment id.

    Args:
        ns: the namespace, or None for an id without a namespace.
        name: the environment's name, without a namespace or version.
        version: the number after `-v`, or None for an id without a version.

    >>> get_env_id("ALE", "Pong", 5)
    'ALE/Pong-v5'
    """
    return f"{'' if ns is None else ns + '/'}{name}{'' if version is None else f'-v{version}'}"


def unknown(env_id: str, ids: Collection[str], known: dict[str, str], disabled: dict[str, str]) -> NoReturn:
    """Raise an error for an id that is not registered. The message says how to fix the problem.

    Args:
        env_id: the requested id.
        ids: the registered ids.
        known: a dictionary that maps the ids (or patterns for ids) of environments that could be installed to the names
            of their packages.
        disabled: a dictionary that maps the ids of environments that are installed but disabled to the reasons.
    """
    import difflib  # imported here because the imports take a millisecond and only errors need them
    import fnmatch

    if reason := next((disabled[i] for i in disabled if env_id in {i, i.rpartition("-v")[0]}), ""):
        raise error.NameNotFound(f"{env_id} is not registered, because {reason}")
    ns, name, version = parse_env_id(env_id)
    known_ids = well_formed([*ids, *known])
    versions = sorted({v for n, m, v in known_ids if (n, m) == (ns, name) and v is not None})
    provided = ", ".join(f"`v{v}`" for v in versions)
    base = get_env_id(ns, name, None)
    spellings = [i for i in ids if ENV_ID_RE.fullmatch(i) and parse_env_id(i) == (ns, name, version)]
    if spellings and (version in versions[-1:] or get_env_id(ns, name, version) in spellings):
        raise error.Error(f"{env_id} is not registered; {spellings[0]} is")
    newest = get_env_id(ns, name, versions[-1]) if versions else ""
    candidates = {env_id, newest} if version is None else {env_id}
    if pattern := next((p for p in known if any(fnmatch.fnmatchcase(i, p) for i in candidates)), None):
        raise error.NameNotFound(f"{env_id} is not installed; run: pip install {known[pattern]}")
    remedy = f"; run: pip install {known[newest]}" if newest in known else ""
    missing = f"Environment version `v{version}` for environment `{base}` doesn't exist."
    if versions and (version or 0) > versions[-1]:
        # Other programs depend on the wording of this message.
        raise error.VersionNotFound(f"{missing} It provides versioned environments: [ {provided} ]{remedy}")
    if versions and version is None:
        raise error.Error(f"{base} has no version; use {newest} (available versions: {provided})")
    if versions:
        use = f"Please use `{newest}` instead{remedy or '.'}"
        raise error.DeprecatedEnv(f"Environment version v{version} for `{base}` is deprecated. {use}")
    if (ns, name, None) in known_ids:
        raise error.DeprecatedEnv(f"{missing} It provides the default version `{base}`")
    namespaces = {n.lower(): n for n, _, _ in known_ids if n is not None}
    if ns is not None and ns not in namespaces.values():
        near = difflib.get_close_matches(ns.lower(), namespaces, n=1)
        otherwise = f"Have you installed and imported the package that provides {ns}? Then write package:{env_id}"
        hint = f"Did you mean: `{namespaces[near[0]]}`?" if near else otherwise
        raise error.NamespaceNotFound(f"Namespace {ns} not found. {hint}")
    names = {m.lower(): m for n, m, _ in known_ids if n == ns}
    near = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f"Did you mean: `{names[near[0]]}`?" if near else "Register it, or see `gymkernel list envs`."
    more = f"{hint} If the id belongs to a package that registers its ids when it is imported, write package:id"
    raise error.NameNotFound(f"Environment `{name}` doesn't exist{f' in namespace {ns}' if ns else ''}. {more}")
