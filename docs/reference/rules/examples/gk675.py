"""The workers inside run on."""

from gymkernel.vector import VectorWrapper


class Wrong(VectorWrapper):
    def close(self, **kwargs):
        self.film = []


class Right(VectorWrapper):
    def close(self, **kwargs):
        self.film = []
        super().close(**kwargs)
