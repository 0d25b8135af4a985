"""The grammar of environment ids: `[namespace/]name[-vN]`, and the choice among versions."""

import re
from collections.abc import Collection, Iterable
from typing import NoReturn

from gymkernel import error

__all__ = ["ENV_ID_RE", "EnvId", "get_env_id", "parse_env_id", "unknown", "well_formed"]

ENV_ID_RE = re.compile(r"(?:(?P<namespace>[\w:-]+(?:/[\w:-]+)*)/)?(?P<name>[\w:.-]+?)(?:-v(?P<version>\d+))?")

EnvId = tuple[str | None, str, int | None]
"""(namespace, name, version)"""


def well_formed(ids: Iterable[str]) -> list[EnvId]:
    """Parse the well-formed ids; malformed ids are left out, so that a mistake of one plugin does not affect others.

    Args:
        ids: texts that may be ids, such as the names of entry points.

    Returns:
        Namespace, name and version of each id, in the order given.
    """
    return [parse_env_id(one) for one in ids if ENV_ID_RE.fullmatch(one)]


def parse_env_id(env_id: str) -> EnvId:
    """Split an id.

    Args:
        env_id: the id, without the `module:` that `make` takes in front.

    Returns:
        Namespace, name and version; None for a namespace or version that the id does not have.

    Raises:
        gymkernel.error.Error: it is no id.

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
    """Join the parts of an id.

    Args:
        ns: the namespace; None for an id without one.
        name: the name alone.
        version: the number behind `-v`; None for an id without one.

    >>> get_env_id("ALE", "Pong", 5)
    'ALE/Pong-v5'
    """
    return f"{'' if ns is None else ns + '/'}{name}{'' if version is None else f'-v{version}'}"


def unknown(env_id: str, ids: Collection[str], known: dict[str, str], disabled: dict[str, str]) -> NoReturn:
    """Raise the error that helps most with an id that nothing registers.

    Args:
        env_id: what was asked for.
        ids: what is registered.
        known: ids that are known and not installed, or patterns of such, with what `pip install` takes for each.
        disabled: ids that are installed and switched off, each with a sentence about what does that.
    """
    import difflib  # these two take a millisecond, for an error alone
    import fnmatch

    if off := next((disabled[one] for one in disabled if env_id in {one, one.rpartition("-v")[0]}), ""):
        raise error.NameNotFound(f"{env_id} is not registered, because {off}")
    ns, name, version = parse_env_id(env_id)
    parsed = well_formed([*ids, *known])
    versions = sorted({v for n, m, v in parsed if (n, m) == (ns, name) and v is not None})
    provided = ", ".join(f"`v{v}`" for v in versions)
    base = get_env_id(ns, name, None)
    spelt = [one for one in ids if ENV_ID_RE.fullmatch(one) and parse_env_id(one) == (ns, name, version)]
    if spelt and (version in versions[-1:] or get_env_id(ns, name, version) in spelt):
        raise error.Error(f"{env_id} is not registered; {spelt[0]} is")
    newest = get_env_id(ns, name, versions[-1]) if versions else ""
    absent = {env_id, newest} if version is None else {env_id}
    if command := next((known[one] for one in known if any(fnmatch.fnmatchcase(i, one) for i in absent)), None):
        raise error.NameNotFound(f"{env_id} is not installed; run: pip install {command}")
    remedy = f"; run: pip install {known[newest]}" if newest in known else ""
    if versions and (version or 0) > versions[-1]:
        # Programs match the text behind the full stop, here and where an environment has no versions.
        message = f"{base} has no version v{version}. It provides versioned environments: [ {provided} ]{remedy}"
        raise error.VersionNotFound(message)
    if versions and version is None:
        raise error.Error(f"{base} names no version; use {newest} (there is {provided})")
    if versions:
        use = f"Please use `{newest}` instead{remedy or '.'}"
        raise error.DeprecatedEnv(f"Environment version v{version} for `{base}` is deprecated. {use}")
    if (ns, name, None) in parsed:
        raise error.DeprecatedEnv(f"{base} has no version v{version}. It provides the default version `{base}`")
    namespaces = {n.lower(): n for n, _, _ in parsed if n is not None}
    if ns is not None and ns not in namespaces.values():
        near = difflib.get_close_matches(ns.lower(), namespaces, n=1)
        otherwise = f"Have you installed and imported the package that provides {ns}? Then write package:{env_id}"
        hint = f"Did you mean: `{namespaces[near[0]]}`?" if near else otherwise
        raise error.NamespaceNotFound(f"Namespace {ns} not found. {hint}")
    names = {m.lower(): m for n, m, _ in parsed if n == ns}
    near = difflib.get_close_matches(name.lower(), names, n=1)
    hint = f"Did you mean: `{names[near[0]]}`?" if near else "Register it, or see `gymkernel list envs`."
    more = f"{hint} If the id belongs to a package that registers its ids when it is imported, write package:id"
    raise error.NameNotFound(f"Environment `{name}` doesn't exist{f' in namespace {ns}' if ns else ''}. {more}")
