"""What may still change: `gymkernel.experimental.functional`, environments as functions."""

from gymkernel.experimental import functional

__all__ = ["functional"]
