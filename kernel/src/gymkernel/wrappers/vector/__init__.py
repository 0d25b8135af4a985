"""All installed wrappers for vector environments."""

from gymkernel.plugins import facade

__getattr__, __dir__ = facade(__name__, "vector_wrappers", globals())
