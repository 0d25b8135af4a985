"""The `Text` space, which contains strings of limited length."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel import ops
from gymkernel.space import Field, Layout, Space, compare_foreign
from gymkernel_space_box import Box
from gymkernel_space_tuple import Tuple
from gymkernel_util_spaces.arrays import register_codec
from gymkernel_util_spaces.choice import check_weights, mask_or_probability
from gymkernel_util_spaces.vectors import Codec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Text", "alphanumeric"]

DTYPE = np.dtype(str)
put = object.__setattr__
alphanumeric: Final = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


class Text(Space[str]):
    """A space of strings of limited length that consist of characters from a given set.

    Args:
        max_length: the maximum length of a string.
        min_length: the minimum length of a string.
        charset: the allowed characters. The characters in a set are sorted. The characters in a string or another
            sequence keep their order, and duplicates are removed.
        seed: an integer >= 0, a `numpy.random.Generator`, or None.

    Raises:
        TypeError: if a length is not an integer or an item of the charset is not a string.
        ValueError: if a length is negative, `min_length` is greater than `max_length`, an item of the charset is not a
            single character, or the charset is empty although `min_length` is positive.

    >>> space = Text(6, charset="abc", seed=1)
    >>> space
    Text(1, 6, charset=abc)
    >>> space.sample()
    'cac'
    >>> space.sample(mask=(3, np.array([0, 1, 0], np.int8)))
    'bbb'
    """

    spec_fields = MappingProxyType({"max_length": int, "min_length": int, "charset": str})
    min_length: int
    """The minimum length of a string. This attribute can be changed."""
    max_length: int
    """The maximum length of a string. This attribute can be changed."""
    charset: Charset
    """The allowed characters. They can be replaced by another `Charset`."""

    def __init__(
        self,
        max_length: int | np.integer[Any],
        *,
        min_length: int | np.integer[Any] = 1,
        charset: Iterable[str] = alphanumeric,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        for name, length in (("min_length", min_length), ("max_length", max_length)):
            if not isinstance(length, int | np.integer):
                raise TypeError(f"Text expects {name} to be an integer, got {length!r} ({type(length).__name__})")
        if not 0 <= min_length <= max_length:
            raise ValueError(f"Text expects 0 <= min_length <= max_length, got {min_length} and {max_length}")
        characters = list(charset)
        if invalid := [item for item in characters if not isinstance(item, str)]:
            raise TypeError(
                f"Text expects charset to contain strings, got {invalid[0]!r} ({type(invalid[0]).__name__})"
            )
        if long := [item for item in characters if len(item) != 1]:
            raise ValueError(f"Text expects charset to contain single characters, got {long[0]!r}")
        if min_length and not characters:
            raise ValueError(f"Text expects charset to contain characters if min_length={min_length}, got none")
        put(self, "min_length", int(min_length))
        put(self, "max_length", int(max_length))
        ordered = sorted(characters) if isinstance(charset, set | frozenset) else dict.fromkeys(characters)
        put(self, "charset", Charset("".join(ordered)))
        put(self, "dtype", DTYPE)
        if seed is not None:
            super().__init__(dtype=DTYPE, seed=seed)

    @property
    def character_set(self) -> frozenset[str]:
        """The set of allowed characters."""
        return self.charset.members

    @property
    def character_list(self) -> tuple[str, ...]:
        """The allowed characters, in the order that masks and indices use."""
        return self.charset.letters

    @property
    def characters(self) -> str:
        """The allowed characters as a sorted string."""
        return self.charset.ordered

    def character_index(self, char: str) -> np.int32:
        """Return the index that represents a character in masks and flattened elements.

        Args:
            char: an allowed character.

        Raises:
            KeyError: if the character is not allowed.
        """
        return np.int32(self.charset.indexes[ord(char)])

    def sample(
        self,
        mask: tuple[int | np.integer[Any] | None, NDArray[np.int8] | None] | None = None,
        probability: tuple[int | np.integer[Any] | None, NDArray[np.float64] | None] | None = None,
    ) -> str:
        """Return a random string. By default, all lengths and all characters are equally likely.

        Args:
            mask: a pair of a length and weights. If the length is None or not allowed, the string has a random length.
                The weights are an int8 vector that contains 1 for each character that may be used and 0 otherwise, or
                None. If all weights are 0, the result is the empty string, provided that the space contains it.
            probability: a pair of a length, as in `mask`, and weights, which are a float64 vector that contains the
                probability of each character, or None.
        """
        length, weights, name = None, None, "mask"
        if mask is not None or probability is not None:
            name, both = mask_or_probability(mask, probability)
            length, weights = self._check(name, both)
        if length is None:
            length = int(self.np_random.integers(self.min_length, self.max_length + 1))
        cumulative = self.charset.uniform
        if weights is not None:
            total = weights.sum()
            cumulative = cumulate(weights / total if name == "mask" else weights) if total else None
        if cumulative is None:
            if self.min_length:
                raise ValueError(f"{self} does not contain the empty string, but {name} allows no character")
            return ""
        indexes = cumulative.searchsorted(self.np_random.random(length), side="right").tolist()
        letters = self.charset.letters
        return "".join([letters[i] for i in indexes])

    def _check(self, name: str, both: Any) -> tuple[int | None, NDArray[Any] | None]:
        if not isinstance(both, tuple) or len(both) != 2:
            message = f"Text expects {name} to be a tuple of a length (or None) and an array (or None), got {both!r}"
            raise ValueError(message)
        length, weights = both
        if length is not None and not isinstance(length, int | np.integer):
            raise ValueError(f"{self} expects the length in {name} to be an integer or None, got {length!r}")
        if weights is not None:
            check_weights(name, weights, (len(self.charset.letters),))
        if length is None or not self.min_length <= length <= self.max_length:
            return None, weights
        return int(length), weights

    def contains(self, x: Any) -> bool:
        """Return whether an object is a string of an allowed length that contains only allowed characters."""
        if x.__class__ is not str:
            if not isinstance(x, str):
                return False
            x = str.__str__(x)
        return self.min_length <= len(x) <= self.max_length and self.charset.members.issuperset(x)

    def layout(self) -> Layout:
        """Return a field for the code points, padded to the maximum length, and a field for the length."""
        return (Field.of(np.int32, (self.max_length,)), Field.of(np.int64))

    def encode(self, x: str, out: Sequence[NDArray[Any]]) -> None:
        """Store the code points of the characters and the length of the string."""
        codes, length = _code_points(x), len(x)
        if length > self.max_length:
            raise ValueError(f"{x!r} has {length} characters, but {self} allows at most {self.max_length}")
        out[0][:length], out[0][length:], out[1][...] = codes, 0, length

    def decode(self, arrays: Sequence[NDArray[Any]]) -> str:
        """Create a string from its code points and its length."""
        return "".join(map(chr, arrays[0][: int(arrays[1])].tolist()))

    def examples(self) -> Iterator[str]:
        """Yield a string of minimum length, a string of maximum length with all characters, and random strings."""
        yield self.characters[:1] * self.min_length
        if letters := self.characters:
            yield (letters * math.ceil(self.max_length / len(letters)))[: self.max_length]
        yield from super().examples()

    @classmethod
    def test_instances(cls) -> Iterator[Text]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls(6)
        yield cls(3, min_length=0, charset="ab")
        yield cls(4, min_length=4, charset="éλ🙂")

    def to_spec(self) -> dict[str, Any]:
        """Return the minimum length, the maximum length and the characters."""
        return {"max_length": self.max_length, "min_length": self.min_length, "charset": "".join(self.character_list)}

    @classmethod
    def spec_size(cls, spec: dict[str, Any]) -> int:
        """Return the maximum length of a string."""
        return int(spec["max_length"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return compare_foreign(other)
        return (
            self.min_length == other.min_length
            and self.max_length == other.max_length
            and self.characters == other.characters
        )

    __hash__ = None  # type: ignore[assignment]

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        rest = dict(state)
        if "charset" not in rest and "_char_list" in rest:  # the pickle is from gym or Gymnasium
            rest["charset"] = Charset("".join(rest["_char_list"]))
        super().__setstate__({name: value for name, value in rest.items() if not name.startswith("_char_")})

    def __repr__(self) -> str:
        return f"Text({self.min_length}, {self.max_length}, charset={self.characters})"


@ops.flatten.register(Text)
def _flatten(space: Text, x: str) -> NDArray[np.int32]:
    return _indexes(space, x).astype(np.int32)


def _indexes(space: Text, x: str) -> NDArray[np.uint32]:
    """Return the indices of the characters in a string, padded with the size of the character set."""
    charset = space.charset
    if len(x) > space.max_length or not charset.members.issuperset(x):
        raise ValueError(f"{x!r} is not an element of {space}")
    return _code_points(x.translate(charset.indexes).ljust(space.max_length, chr(len(charset.letters))))


def _code_points(x: str) -> NDArray[np.uint32]:
    return np.frombuffer(x.encode("utf-32-le", "surrogatepass"), "<u4")


@register_codec(Text)
def _codec(space: Text) -> Codec:
    size, beyond, letters = space.max_length, len(space.character_list), space.character_list

    def writer(offset: int) -> Callable[[Any, NDArray[Any]], None]:
        place = slice(offset, offset + size)

        def write(x: str, out: NDArray[Any]) -> None:
            out[place] = _indexes(space, x)

        return write

    def reader(offset: int) -> Callable[[NDArray[Any]], str]:
        place = slice(offset, offset + size)

        def read(x: NDArray[Any]) -> str:
            part = x[place]
            codes = part.tolist() if part.dtype.kind in "iu" else part.astype(np.int64).tolist()
            return "".join([letters[i] for i in codes if i < beyond])

        return read

    return Codec(size, np.dtype(np.int32), writer, reader)


@ops.flatten_space.register(Text)
def _flatten_space(space: Text) -> Box[np.int32]:
    return Box(0, len(space.character_list), (space.max_length,), np.int32)


@ops.is_space_dtype_shape_equiv.register(Text)
def _is_equivalent(space_1: Text, space_2: Any) -> bool:
    return (
        isinstance(space_2, Text)
        and space_1.max_length == space_2.max_length
        and space_1.character_set == space_2.character_set
    )


ops.batch_space.register(Text, Tuple.of_copies)


@ops.create_empty_array.register(Text)
def _create_empty_array(space: Text, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> str | tuple[str, ...]:
    return _create_zero_array(space) if n is None else (_create_zero_array(space),) * n


@ops.create_zero_array.register(Text)
def _create_zero_array(space: Text) -> str:
    return space.characters[:1] * space.min_length


class Charset:
    """An immutable, ordered set of characters."""

    __slots__ = ("indexes", "letters", "members", "ordered", "uniform")

    def __init__(self, characters: str) -> None:
        self.letters, self.members = tuple(characters), frozenset(characters)
        self.ordered = "".join(sorted(characters))
        self.indexes = {ord(letter): i for i, letter in enumerate(self.letters)}
        n = len(self.letters)
        self.uniform = cumulate(np.ones(n) / n) if n else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Charset:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Charset, ("".join(self.letters),)


def cumulate(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the cumulative probabilities of the characters, as `numpy.random.Generator.choice` does."""
    sums = weights.cumsum()
    return np.asarray(sums / sums[-1])
