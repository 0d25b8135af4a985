"""The wrapper sets the number of environments to a fixed value, which differs from the wrapped environment."""

from gymkernel.vector import VectorWrapper


class Wrong(VectorWrapper):
    num_envs = 1


class Right(VectorWrapper):
    pass
