"""`to_jsonable` returns arrays, which JSON does not support."""

from gymkernel.spaces import Box


class Wrong(Box):
    def to_jsonable(self, sample_n):
        return list(sample_n)


class Right(Box):
    def to_jsonable(self, sample_n):
        return [x.tolist() for x in sample_n]
