"""Every rule: those of the table, and those that other distributions add by entry points of `gymkernel.checks`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from gymkernel import error, logger, plugins
from gymkernel_tool_check.definition import Rule
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.rules.built_in import built_in

__all__ = ["ALWAYS", "KINDS", "UnknownCodeError", "chosen", "plan", "rules"]

KINDS: Final = ("envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions")
ALWAYS: Final = ("GK001", "GK003", "GK005", "GK006", "GK700")
"""Rules that run whatever is selected: without them, a check that could not look at anything would seem clean."""
LAST: Final = ("GK003", "GK005", "GK006")
"""Rules that only the end of a check can tell of."""
PROFILES: Final = ("fast", "default", "thorough")


class UnknownCodeError(ValueError):
    """A code, or the beginning of one, that no rule has."""


def rules(kind: str | None = None) -> list[Rule]:
    """Return the rules for a kind of target, in the order of their codes; None for every rule.

    Args:
        kind: "envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions" or "plugins".

    >>> [rule.code for rule in rules("envs")][:3]
    ['GK001', 'GK002', 'GK004']
    """
    found = {one.code: one for one in built_in(kind)}
    for plugin in plugins.plugins("checks"):
        if _is_for(plugin.name.partition(".")[0], kind):
            for one in _rules_of(plugin):
                if found.setdefault(one.code, one) is not one:
                    left_out = f"{one.title!r} of {plugin.distribution} is left out"
                    logger.warn(f"two rules have the code {one.code}; {left_out}")
    wanted = [one for one in found.values() if _is_for(one.kind, kind)]
    return sorted(wanted, key=lambda one: (one.code in LAST, one.code))


def _is_for(own: str, kind: str | None) -> bool:
    """Return whether rules for the kind `own` apply to a target of a kind; None means every kind."""
    return kind is None or own in {kind, "any", "plugins"}


def _rules_of(plugin: plugins.Plugin) -> list[Rule]:
    """Return the rules in the module of an entry point; a broken module is reported, and stops no other one."""
    try:
        module = plugin.load()
    except error.DisabledPlugin:
        return []
    except error.PluginError as exc:
        logger.warn(f"rules are left out: {exc}")
        return []
    found = [thing for thing in vars(module).values() if isinstance(thing, Rule)]
    kind = plugin.name.partition(".")[0]
    if kind not in {*KINDS, "any", "plugins"} or not any(one.kind == kind for one in found):
        kinds = ", ".join(sorted({one.kind for one in found})) or "no kind at all"
        logger.warn(
            f"{plugin.label} of {plugin.distribution} {plugin.version} has rules for {kinds}; an entry point of "
            "gymkernel.checks begins with the kind that its rules are for, as in envs.observation"
        )
    return found


def plan(kind: str, options: Options, *, of_plugin: bool) -> list[Rule]:
    """Return the rules for a target, as chosen by the options of a check.

    Args:
        kind: of the target.
        options: which rules to check, and how thoroughly.
        of_plugin: whether an entry point provides the target, so that the rules for plugins apply.
    """
    found = [one for one in rules(kind) if one.kind != "plugins" or of_plugin]
    return chosen(found, options.select, options.ignore, options.profile, options.compat)


def chosen(
    found: Iterable[Rule],
    select: Sequence[str],
    ignore: Sequence[str],
    profile: str = "thorough",
    compat: Sequence[str] = (),
) -> list[Rule]:
    """Return the rules whose codes begin as selected, all where nothing is selected, without those ignored.

    Of them, those that the profile is thorough enough for, and those that state the limits of the libraries named. A
    rule that is selected by its whole code is chosen in any case.

    Raises:
        UnknownCodeError: a beginning fits no rule of any kind.
    """
    found = list(found)
    for start in (*select, *ignore):
        if not any(one.code.startswith(start.upper()) for several in (found, rules()) for one in several):
            message = f"no rule has a code that begins with {start}; `gymkernel check --list-rules` shows them all"
            raise UnknownCodeError(message)
    wanted = tuple(start.upper() for start in select)
    unwanted = tuple(start.upper() for start in ignore)
    quick = PROFILES[: PROFILES.index(profile) + 1]
    return [
        one
        for one in found
        if (not wanted or one.code.startswith(wanted) or one.code in ALWAYS)
        and not (unwanted and one.code.startswith(unwanted))
        and (one.code in (*wanted, *ALWAYS) or one.profile in quick)
        and (one.code in wanted or not one.compat or one.compat in compat)
    ]
