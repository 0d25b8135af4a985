"""Helpers for older programs; each module is imported when one of its names is first used.

`step_api_compatibility` (and `vector` for several environments) converts between steps with four and five values.
`env_match` compares two environments, and `performance` measures the speed of an environment.
"""
