"""The wrapper does not close the wrapped environment, so its workers keep running."""

from gymkernel.vector import VectorWrapper


class Wrong(VectorWrapper):
    def close(self, **kwargs):
        self.film = []


class Right(VectorWrapper):
    def close(self, **kwargs):
        self.film = []
        super().close(**kwargs)
