"""What every test here runs with, in the checkout and from a wheel: examples of hypothesis, and no clock.

`plain` is what `pytest` draws; `pytest --hypothesis-profile=full` draws five times as many, as CI does. In CI both draw
the same examples each time.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

UNHURRIED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("plain", max_examples=20, deadline=None, suppress_health_check=UNHURRIED)
settings.register_profile("full", max_examples=100, deadline=None, suppress_health_check=UNHURRIED)
settings.load_profile("plain")
