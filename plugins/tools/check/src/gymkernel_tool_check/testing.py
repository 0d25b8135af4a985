"""Tests for authors of plugins, in which each rule of `gymkernel check` is a test.

A single line in a test module is enough to test a whole distribution:

    from gymkernel.testing import conformance

    test_conformance = conformance("acme-direction")

Alternatively, you can write the test function yourself. It is called once per rule and target, with the check as its
argument:

    @parametrize_checks("acme_direction.envs:Maze", "Maze-v0")
    def test_rules(check):
        check()

To test a vector backend, write the following lines instead. They create tests that compare the backend with a plain
loop for every space, in every autoreset mode:

    from gymkernel.testing import backend_conformance

    test_backend = backend_conformance("AcmeVectorEnv")

The rules about spaces are also available as plain functions that do not need pytest. Each function takes a space and
yields a {py:class}`gymkernel.checks.Fault` for each defect.

>>> from gymkernel import Space
>>> class Flag(Space):
...     def sample(self, mask=None, probability=None):
...         return int(self.np_random.integers(2))
...
...     def contains(self, x):
...         return x in (True, False)
>>> list(samples_are_elements(Flag()))
[]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from gymkernel_tool_check.checking import check
from gymkernel_tool_check.definition import Fault
from gymkernel_tool_check.records import Report
from gymkernel_tool_check.rules.space_drawing import (
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
from gymkernel_tool_check.rules.space_operations import (
    batches_are_elements_of_the_batched_space,
    batches_go_where_they_should,
    decoded_elements_stand_alone,
    elements_survive_flattening,
    elements_survive_shared_memory,
    elements_survive_their_layout,
    flattened_elements_are_in_the_flattened_space,
    it_is_equivalent_to_itself,
    iterating_gives_the_elements,
)
from gymkernel_tool_check.rules.space_values import (
    copies_are_equal,
    different_spaces_differ,
    elements_survive_json,
    equal_spaces_hash_alike,
    space_is_shown,
    space_survives_its_description,
)
from gymkernel_tool_check.rules.table import table
from gymkernel_tool_check.suite import Case, Suite

SPACE_RULES: Final[tuple[Callable[..., Iterable[Fault]], ...]] = tuple(
    globals()[row.function] for row in table() if row.kind == "spaces" and not row.probe
)
"""The functions of all rules about spaces, in the order of the rules' codes.

`generators_are_apart` and `different_spaces_differ` take two spaces. All other functions take one.
"""

__all__ = ["SPACE_RULES", "Case", "backend_conformance", "batches_are_elements_of_the_batched_space"]
__all__ += ["batches_go_where_they_should", "check_space", "conformance", "copies_are_equal", "copies_go_on_apart"]
__all__ += ["decoded_elements_stand_alone", "different_spaces_differ", "elements_survive_flattening"]
__all__ += ["elements_survive_json", "elements_survive_shared_memory", "elements_survive_their_layout"]
__all__ += ["equal_spaces_hash_alike", "examples_are_elements", "flattened_elements_are_in_the_flattened_space"]
__all__ += ["generators_are_apart", "global_generators_are_left_alone", "it_is_equivalent_to_itself"]
__all__ += ["iterating_gives_the_elements", "mask_and_probability_are_one_too_many", "membership_is_always_decided"]
__all__ += ["one_seed_gives_one_sequence", "parametrize_checks", "samples_are_elements"]
__all__ += ["seed_returns_what_seeds_again", "several_samples_are_a_batch", "space_is_shown"]
__all__ += ["space_survives_its_description"]


def check_space(space: Any, *, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> Report:
    """Check a space, or the test instances of a space class, with all rules about spaces.

    Args:
        space: a space from any library, or a space class.
        select: prefixes of the codes of rules to check; empty to check all rules.
        ignore: prefixes of the codes of rules not to check.

    Returns:
        The report. It contains no findings of severity error, but may contain warnings and advice.

    Raises:
        CheckFailed: if there are findings of severity error. The message lists all of them.
    """
    report = check(space, select=select, ignore=ignore)
    report.raise_for_errors()
    return report


def conformance(
    target: Any,
    *,
    expected_failures: Mapping[str, str] | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    severity: str | None = None,
    **options: Any,
) -> Callable[..., None]:
    """Create a pytest test that checks every rule for every target that a distribution provides.

    Assign the result to a name that pytest collects. Each target is checked only once, when the first of its tests
    runs. If `target` is a name, it is checked in separate processes, as in `gymkernel check`. If a rule cannot be
    checked, its test is skipped, and the reason is reported. Failures that a class declares in
    `gymkernel_expected_failures` are expected. The project settings in `[tool.gymkernel.check]` apply unless an
    argument overrides them.

    Args:
        target: the name of a distribution ("acme-direction"), any other name that `gymkernel check` accepts, a class or
            another object.
        expected_failures: the rules that are known to be broken, as a dictionary from codes to reasons. The tests of
            these rules are expected to fail. If one of these rules passes, a separate test reports the outdated
            expectation.
        select: prefixes of the codes of rules to check; empty to check all rules.
        ignore: prefixes of the codes of rules not to check.
        severity: the lowest severity that counts as a failure ("error", "warning" or "info"), or None to use the
            project's setting, whose default is "error".
        **options: `profile`, `steps` and other options of `gymkernel.checks.check`.

    Returns:
        A parametrized test function. Its tests have ids such as `spaces.Box-GK701`.
    """
    chosen: dict[str, Any] = {"select": select, "ignore": ignore, "severity": severity, **options}

    @parametrize_checks(target, expected_failures=expected_failures, **chosen)
    def keeps_the_rules(check: Case) -> None:
        check()

    return keeps_the_rules


def backend_conformance(
    backend: Any, *, expected_failures: Mapping[str, str] | None = None, select: str = "", **kwargs: Any
) -> Callable[..., None]:
    """Create a pytest test that compares a vector backend with a plain loop over the same environments.

    Assign the result to a name that pytest collects.

    Args:
        backend: the name of an installed backend ("AcmeVectorEnv"), a class or a function. The class or function is
            called with a list of functions that create environments, and with the keyword arguments `autoreset_mode`,
            `copy` and `observation_mode`.
        expected_failures: the test cases that are known to fail, as a dictionary from names to reasons.
        select: a prefix of the names of the test cases to run, or "" to run all of them.
        **kwargs: further keyword arguments for every call to the backend, such as `num_workers=2`.

    Returns:
        A parametrized test function. Its tests have ids such as `observations_of_every_space[Text0-NextStep]`.

    >>> from gymkernel.vector import VectorEnv
    >>> test_backend = backend_conformance(VectorEnv, select="seeds")
    >>> [case.id for case in test_backend.pytestmark[0].args[1]][:2]
    ['seeds[None]', 'seeds[3]']
    """
    import pytest

    from gymkernel import plugins
    from gymkernel_tool_check.backends.every_case import EVERY_CASE

    expected = dict(expected_failures or {})
    names = {case.name for case in EVERY_CASE}
    if unknown := sorted(expected.keys() - names):
        raise ValueError(f"Expected names of test cases, such as {EVERY_CASE[0].name!r}, got {', '.join(unknown)}")
    marks = {name: (pytest.mark.xfail(reason=reason, strict=True),) for name, reason in expected.items()}
    chosen = [case for case in EVERY_CASE if case.name.startswith(select)]

    @pytest.mark.parametrize(
        "case", [pytest.param(case, id=case.name, marks=marks.get(case.name, ())) for case in chosen]
    )
    def returns_what_a_plain_loop_does(case: Callable[[Any], None]) -> None:
        made = plugins.get("vector", backend) if isinstance(backend, str) else backend
        case(lambda env_fns, **more: made(env_fns, **{**kwargs, **more}))

    made_test: Callable[..., None] = returns_what_a_plain_loop_does
    return made_test


def parametrize_checks(
    *targets: Any,
    expected_failures: Mapping[str, str] | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    severity: str | None = None,
    **options: Any,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a pytest test that has an argument `check`, so that it runs for every rule and every target.

    If the target follows the rule, `check()` returns. If the target breaks the rule, `check()` fails the test with a
    message that says how to fix the defect and shows a program that reproduces it. If the rule cannot be checked,
    `check()` skips the test and gives the reason. The test may also read `check.code`, `check.target`, `check.rule` and
    `check.findings`.

    Args:
        *targets: the targets to check, each as in `conformance`.
        expected_failures: the rules that are known to be broken, as a dictionary from codes to reasons. The tests of
            these rules are expected to fail.
        select: prefixes of the codes of rules to check; empty to check all rules.
        ignore: prefixes of the codes of rules not to check.
        severity: the lowest severity that counts as a failure ("error", "warning" or "info"), or None to use the
            project's setting, whose default is "error".
        **options: `profile`, `steps` and other options of `gymkernel.checks.check`.

    Returns:
        A decorator for the test function.
    """
    import pytest

    codes = {name: tuple(given) for name, given in (("select", select), ("ignore", ignore)) if given}
    suite = Suite(targets, expected_failures or {}, severity, {**codes, **options})
    decorator: Any = pytest.mark.parametrize("check", [pytest.param(case, id=case.name) for case in suite.cases()])
    return decorator  # type: ignore[no-any-return]
