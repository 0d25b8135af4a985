"""Test cases for vector backends, used by the pytest kit and by the rules of `gymkernel check`."""
