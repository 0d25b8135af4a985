"""Helpers for programs that were written for older APIs.

`step_api_compatibility` converts the results of `step` between four and five values, and `vector` does the same for
vector environments. `env_match` compares two environments, and `performance` measures the speed of an environment. Each
module is imported when one of its names is first used.
"""
