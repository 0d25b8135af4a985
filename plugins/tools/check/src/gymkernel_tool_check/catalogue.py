"""Functions that return the built-in rules and the rules that plugins provide through entry points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gymkernel import error, logger, plugins
from gymkernel_tool_check.definition import Rule
from gymkernel_tool_check.options import PROFILES, Options
from gymkernel_tool_check.rules.table import built_in

__all__ = ["ALWAYS", "KINDS", "UnknownCodeError", "chosen", "rules"]

KINDS: Final = ("envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions")
ALWAYS: Final = ("GK001", "GK003", "GK005", "GK006", "GK700")
"""Rules that run even if they are not selected, because otherwise a check that examined nothing could pass."""
LAST: Final = ("GK003", "GK005", "GK006")
"""Rules whose outcome is known only at the end of a check."""


class UnknownCodeError(ValueError):
    """Raised if no rule has a code that begins with a given prefix."""


def rules(kind: str | None = None) -> list[Rule]:
    """Return the rules for a kind of target, ordered by code.

    Args:
        kind: "envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions" or "plugins"; None for
            all rules.

    >>> [rule.code for rule in rules("envs")][:3]
    ['GK001', 'GK002', 'GK004']
    """
    found = {rule.code: rule for rule in built_in(kind)}
    for plugin in plugins.plugins("checks"):
        if _is_for(plugin.name.partition(".")[0], kind):
            for rule in _rules_of(plugin):
                if found.setdefault(rule.code, rule) is not rule:
                    omitted = f"{rule.title!r} of {plugin.distribution} is ignored"
                    logger.warn(f"two rules have the code {rule.code}; {omitted}")
    wanted = [rule for rule in found.values() if _is_for(rule.kind, kind)]
    return sorted(wanted, key=lambda rule: (rule.code in LAST, rule.code))


def _is_for(own: str, kind: str | None) -> bool:
    return kind is None or own in {kind, "any", "plugins"}


def _rules_of(plugin: plugins.Plugin) -> list[Rule]:
    """Return the rules in an entry point's module. If the import fails, issue a warning and return an empty list."""
    try:
        module = plugin.load()
    except error.PluginError as exc:
        if not isinstance(exc, error.DisabledPlugin):
            logger.warn(f"some rules are not available: {exc}")
        return []
    found = [thing for thing in vars(module).values() if isinstance(thing, Rule)]
    kind = plugin.name.partition(".")[0]
    if kind not in {*KINDS, "any", "plugins"} or not any(rule.kind == kind for rule in found):
        kinds = ", ".join(sorted({rule.kind for rule in found})) or "no kind at all"
        logger.warn(
            f"{plugin.label} from {plugin.distribution} {plugin.version} contains rules for {kinds}; the name of an "
            "entry point in gymkernel.checks must begin with the kind of its rules, as in envs.observation"
        )
    return found


def chosen(found: Sequence[Rule], options: Options) -> list[Rule]:
    """Return the rules that a check should run.

    If nothing is selected, all rules are selected. Ignored rules are left out. Rules from slower profiles, and rules
    about libraries that are not in `compat`, run only if `select` contains their complete code.

    Args:
        found: the rules to choose from.
        options: the options of the check.

    Raises:
        UnknownCodeError: if a prefix matches no rule of any kind.
    """
    for start in (*options.select, *options.ignore):
        if not any(rule.code.startswith(start.upper()) for several in (found, rules()) for rule in several):
            message = f"no rule has a code that begins with {start}; `gymkernel check --list-rules` lists all rules"
            raise UnknownCodeError(message)
    wanted = tuple(start.upper() for start in options.select)
    unwanted = tuple(start.upper() for start in options.ignore)
    profiles = [*PROFILES]
    quick = profiles[: profiles.index(options.profile) + 1]
    return [
        rule
        for rule in found
        if (not wanted or rule.code.startswith(wanted) or rule.code in ALWAYS)
        and not (unwanted and rule.code.startswith(unwanted))
        and (rule.code in (*wanted, *ALWAYS) or rule.profile in quick)
        and (rule.code in wanted or not rule.compat or rule.compat in options.compat)
    ]
