"""Tests that come with gymkernel, for whoever writes a plugin: the rules of `gymkernel check` as tests of their own.

One line in a module of tests is enough for a distribution, whatever it provides:

    from gymkernel.testing import conformance

    test_conformance = conformance("acme-direction")

The laws about spaces are plain functions, too, which need no pytest: each takes a space, and yields a
{py:class}`gymkernel.checks.Fault` for each defect.

>>> from gymkernel.spaces import Box
>>> list(samples_are_elements(Box(0, 1, (3,))))
[]
>>> check_space(Box(0, 1, (3,))).verdict
'clean'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gymkernel.checks.families.space_arrays import (
    decoded_elements_stand_alone,
    elements_survive_shared_memory,
    elements_survive_their_layout,
)
from gymkernel.checks.families.space_drawing import (
    copies_go_on_apart,
    examples_are_elements,
    generators_are_apart,
    global_generators_are_left_alone,
    mask_and_probability_are_one_too_many,
    membership_is_always_decided,
    one_seed_gives_one_sequence,
    samples_are_elements,
    seed_returns_what_seeds_again,
    several_samples_are_a_batch,
)
from gymkernel.checks.families.space_operations import (
    batches_are_elements_of_the_batched_space,
    batches_go_where_they_should,
    elements_survive_flattening,
    flattened_elements_are_in_the_flattened_space,
    it_is_equivalent_to_itself,
    iterating_gives_the_elements,
)
from gymkernel.checks.families.space_values import (
    copies_are_equal,
    different_spaces_differ,
    elements_survive_json,
    equal_spaces_hash_alike,
    space_is_shown,
    space_survives_its_description,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gymkernel.checks import Finding, Report

LAWS: Final = (
    samples_are_elements,
    examples_are_elements,
    membership_is_always_decided,
    one_seed_gives_one_sequence,
    seed_returns_what_seeds_again,
    generators_are_apart,
    copies_go_on_apart,
    global_generators_are_left_alone,
    mask_and_probability_are_one_too_many,
    several_samples_are_a_batch,
    copies_are_equal,
    different_spaces_differ,
    equal_spaces_hash_alike,
    space_is_shown,
    elements_survive_json,
    space_survives_its_description,
    elements_survive_flattening,
    flattened_elements_are_in_the_flattened_space,
    batches_are_elements_of_the_batched_space,
    iterating_gives_the_elements,
    batches_go_where_they_should,
    it_is_equivalent_to_itself,
    elements_survive_their_layout,
    decoded_elements_stand_alone,
    elements_survive_shared_memory,
)
"""Every law about spaces, by code; `generators_are_apart` and `different_spaces_differ` take two."""

__all__ = ["LAWS", "batches_are_elements_of_the_batched_space", "batches_go_where_they_should", "check_space"]
__all__ += ["conformance", "copies_are_equal", "copies_go_on_apart", "decoded_elements_stand_alone"]
__all__ += ["different_spaces_differ", "elements_survive_flattening", "elements_survive_json"]
__all__ += ["elements_survive_shared_memory", "elements_survive_their_layout", "equal_spaces_hash_alike"]
__all__ += ["examples_are_elements", "flattened_elements_are_in_the_flattened_space", "generators_are_apart"]
__all__ += ["global_generators_are_left_alone", "it_is_equivalent_to_itself", "iterating_gives_the_elements"]
__all__ += ["mask_and_probability_are_one_too_many", "membership_is_always_decided", "one_seed_gives_one_sequence"]
__all__ += ["samples_are_elements", "seed_returns_what_seeds_again", "several_samples_are_a_batch", "space_is_shown"]
__all__ += ["space_survives_its_description"]


def check_space(space: Any, *, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Report:
    """Hold a space, or the specimens of a class, to every law about spaces.

    Args:
        space: a space of any library, or a class of spaces.
        select: beginnings of the codes to check; all where there are none.
        ignore: beginnings of the codes not to check.

    Returns:
        The report, where there is at most advice in it.

    Raises:
        CheckFailed: a law is broken; its message has all that are.
    """
    from gymkernel.checks import check

    report = check(space, select=select, ignore=ignore)
    report.raise_for_errors()
    return report


def conformance(
    target: Any,
    *,
    expected_failures: Mapping[str, str] | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    severity: str = "error",
) -> Callable[..., None]:
    """Make a pytest test of every rule and everything that a distribution provides.

    Assign it to a name that pytest takes for a test. Each target is checked once, when the first of its tests runs, and
    by name in a process of its own, as by `gymkernel check`. Rules that cannot be checked are skipped with the reason.

    Args:
        target: a distribution ("acme-direction"), or whatever else `gymkernel check` takes; or a class or an object.
        expected_failures: codes of rules that are known to be broken, with the reason: their tests are expected to
            fail. One that is broken nowhere is a failure itself.
        select: beginnings of the codes to check; all where there are none.
        ignore: beginnings of the codes not to check.
        severity: findings from this one on are failures: "error", "warning" or "info".

    Returns:
        A parametrized test function, with identifiers such as `spaces.Box-GK701`.
    """
    import pytest

    expected = {code.upper(): reason for code, reason in (expected_failures or {}).items()}
    suite = _Suite(target, tuple(select), tuple(ignore), severity, tuple(expected))
    cases = [pytest.param(i, code, id=f"{name}-{code}") for i, name, code in suite.cases()]
    if expected:
        cases.append(pytest.param(-1, "", id="expected-failures"))

    @pytest.mark.parametrize("number, code", cases)
    def keeps_the_rules(number: int, code: str) -> None:
        if number < 0:
            if unused := suite.unused():
                pytest.fail(f"expected to be broken, and kept: {', '.join(unused)}; take them out", pytrace=False)
            return
        report, findings = suite.look(number, code)
        if report.failure:
            pytest.fail(report.failure, pytrace=False)
        if findings and code in expected:
            pytest.xfail(f"{expected[code]} ({findings[0].message})")
        if findings:
            pytest.fail("\n\n".join(_told(one, report) for one in findings), pytrace=False)
        if code in report.skipped:
            pytest.skip(report.skipped[code])

    return keeps_the_rules


def _told(finding: Finding, report: Report) -> str:
    """A finding with what mends it and what shows it."""
    rule = report.rules[finding.code]
    lines = [str(finding), f"why:  {rule['why']}", f"mend: {rule['mend']}"]
    lines += [f"at:   {finding.place}"] if finding.place else []
    return "\n".join([*lines, *(f"    {line}" for line in finding.reproducer.splitlines())])


class _Suite:
    """The targets behind a name, their rules, and a report of each when it is asked for."""

    def __init__(
        self, target: Any, select: tuple[str, ...], ignore: tuple[str, ...], severity: str, expected: tuple[str, ...]
    ) -> None:
        from gymkernel.checks import catalogue
        from gymkernel.checks.targets import expand

        self.targets = expand(target) if isinstance(target, str) else [target]
        self.select, self.ignore, self.severity, self.expected = select, ignore, severity, expected
        self._reports: dict[int, Report] = {}
        catalogue.chosen((), [*expected, *select], ignore)  # an unknown code is told of at once

    def cases(self) -> list[tuple[int, str, str]]:
        """Number and name of each target with the code of each rule."""
        return [
            (i, name, code) for i, one in enumerate(self.targets) for name, codes in [self._plan(one)] for code in codes
        ]

    def _plan(self, target: Any) -> tuple[str, list[str]]:
        from gymkernel.checks import catalogue, loading
        from gymkernel.checks.subject import Options
        from gymkernel.checks.targets import Target

        if isinstance(target, Target) and target.form in {"id", "plugin"}:
            name, kind, is_plugin = target.text, target.kind, bool(target.distribution)
        else:  # its kind is in the object
            of_file = isinstance(target, Target)
            subject = loading.load(target, Options()) if of_file else loading.subject_of(target, Options())
            name, kind, is_plugin = subject.name, subject.kind, subject.plugin is not None
        found = [rule for rule in catalogue.rules(kind) if rule.kind != "plugins" or is_plugin]
        return name, [rule.code for rule in catalogue.chosen(found, self.select, self.ignore)]

    def look(self, number: int, code: str) -> tuple[Report, list[Finding]]:
        """The report of a target, and what it says of a rule."""
        report = self._report(number)
        return report, [one for one in report.at_least(self.severity) if one.code == code]

    def _report(self, number: int) -> Report:
        from gymkernel.checks import check

        if number not in self._reports:
            self._reports[number] = check(self.targets[number], select=self.select, ignore=self.ignore, measure=False)
        return self._reports[number]

    def unused(self) -> list[str]:
        """Expected failures that no target has."""
        numbers = range(len(self.targets))
        return [code for code in self.expected if not any(self.look(number, code)[1] for number in numbers)]
