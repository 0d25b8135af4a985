"""The number of environments is written down, and another one inside."""

from gymkernel.vector import VectorWrapper


class Wrong(VectorWrapper):
    num_envs = 1


class Right(VectorWrapper):
    pass
