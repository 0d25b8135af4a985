"""Every rule of the checker is a test."""

from gymkernel.testing import parametrize_checks


@parametrize_checks("thermostat:THERMOSTAT", profile="fast")
def test_rules(check) -> None:
    check()
