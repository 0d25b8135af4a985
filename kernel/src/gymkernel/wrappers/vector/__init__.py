"""The installed wrappers around vector environments, by name."""

from gymkernel.plugins import facade

__getattr__, __dir__ = facade(__name__, "vector_wrappers", globals())
