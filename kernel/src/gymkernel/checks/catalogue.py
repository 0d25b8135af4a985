"""Every rule: those of the kernel, and those that plugins add through the hook `gymkernel_extra_checks`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from gymkernel import logger, plugins
from gymkernel.checks.definition import Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["ALWAYS", "KINDS", "UnknownCodeError", "chosen", "rules"]

MODULES: Final = (
    "making",
    "spaces",
    "space_choice",
    "compatibility",
    "space_drawing",
    "space_values",
    "space_operations",
    "space_arrays",
    "reset",
    "seeding",
    "acting",
    "step",
    "episodes",
    "infos",
    "observation",
    "determinism",
    "leaking",
    "isolation",
    "rendering",
    "closing",
    "copying",
    "resources",
    "wrapping",
    "wrapping_inside",
    "wrapping_copies",
    "vectors",
    "distribution",
    "publishing",
)
KINDS: Final = ("envs", "spaces", "wrappers", "vector", "vector_wrappers", "distributions")
ALWAYS: Final = ("GK001", "GK003", "GK005", "GK006", "GK700")
"""Rules that run whatever is selected: without them, a check that could not look at anything would seem clean."""
LAST: Final = ("GK003", "GK005", "GK006")
"""Rules that only the end of a check can tell of."""
PROFILES: Final = ("fast", "default", "thorough")


class UnknownCodeError(ValueError):
    """A code, or the beginning of one, that no rule has."""


def rules(kind: str | None = None) -> list[Rule]:
    """The rules for a kind of target, in the order of their codes; None for every rule.

    >>> [rule.code for rule in rules("envs")][:3]
    ['GK001', 'GK002', 'GK004']
    """
    modules = [import_module(f"gymkernel.checks.families.{name}") for name in MODULES]
    things = [getattr(thing, "rule", thing) for module in modules for thing in vars(module).values()]
    found = {one.code: one for one in things if isinstance(one, Rule)}
    for one_kind in KINDS if kind is None else (kind,):
        for rule in _extra(one_kind):
            if found.setdefault(rule.code, rule) is not rule:
                logger.warn(f"two rules have the code {rule.code}; {rule.title!r} is left out")
    wanted = [one for one in found.values() if kind is None or one.kind in {kind, "any", "plugins"}]
    return sorted(wanted, key=lambda one: (one.code in LAST, one.code))


def _extra(kind: str) -> list[Rule]:
    found = []
    for several in plugins.call_hook("gymkernel_extra_checks", [], kind=kind):
        for one in several:
            if isinstance(one, Rule):
                found.append(one)
            else:
                logger.warn(f"gymkernel_extra_checks returned {one!r}, which is no gymkernel.checks.Rule")
    return found


def chosen(
    found: Iterable[Rule],
    select: Sequence[str],
    ignore: Sequence[str],
    profile: str = "thorough",
    compat: Sequence[str] = (),
) -> list[Rule]:
    """The rules whose codes begin as selected, all where nothing is, without those ignored.

    Of them, those that the profile is thorough enough for, and those that state the limits of the libraries named. A
    rule that is selected by its whole code is chosen in any case.

    Raises:
        UnknownCodeError: a beginning fits no rule of any kind.
    """
    codes = [one.code for one in rules()]
    for start in (*select, *ignore):
        if not any(code.startswith(start.upper()) for code in codes):
            message = f"no rule has a code that begins with {start}; `gymkernel check --list-rules` shows them all"
            raise UnknownCodeError(message)
    wanted = tuple(start.upper() for start in select)
    unwanted = tuple(start.upper() for start in ignore)
    return [
        one
        for one in found
        if (not wanted or one.code.startswith(wanted) or one.code in ALWAYS)
        and not (unwanted and one.code.startswith(unwanted))
        and (one.code in wanted or (_is_quick(one, profile) and (not one.compat or one.compat in compat)))
    ]


def _is_quick(rule: Rule, profile: str) -> bool:
    return PROFILES.index(rule.profile) <= PROFILES.index(profile) or rule.code in ALWAYS
