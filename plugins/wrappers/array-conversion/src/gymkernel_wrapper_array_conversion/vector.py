"""`ArrayConversion` for vector environments."""

from __future__ import annotations

from gymkernel.wrappers.array_conversion import VectorConverted

__all__ = ["ArrayConversion"]


class ArrayConversion(VectorConverted):
    """Use a vector environment that computes with one library of the array API with arrays of another.

    Rewards, terminations and truncations are arrays of the other library, too. Put it on last: other wrappers of vector
    environments compute with NumPy.

    Args:
        env: the vector environment inside.
        env_xp: its library: the module that makes arrays (`numpy`, `torch`, `jax.numpy`), or its name.
        target_xp: the other library.
        env_device: where the environments want their actions; None for where they are.
        target_device: where observations shall be; None for where they are.

    Raises:
        ValueError: a module makes no arrays of the array API.
    """
