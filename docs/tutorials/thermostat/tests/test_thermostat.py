"""Run every rule of the checker as a test."""

from gymkernel.testing import parametrize_checks


@parametrize_checks("thermostat:THERMOSTAT", profile="fast")
def test_rules(check) -> None:
    check()
