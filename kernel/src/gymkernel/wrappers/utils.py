"""Helpers for wrappers."""

from gymkernel.ops import create_zero_array

__all__ = ["create_zero_array"]
