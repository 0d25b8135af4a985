"""The functions that flatten and unflatten nested elements: source text made from the nest, one function for all of it.

For `{"a": array, "b": {"c": array, "d": anything else}}`, what writes an element is

    def made(element, out):
        r0 = element
        x = r0[v0]
        if x.__class__ is ndarray and x.dtype is v1 and x.shape == v2: out[v3] = x
        else: v4(x, out)
        r1 = r0[v5]
        ...

and what reads one converts arrays of one dtype that stand side by side at once, and gives views of the result:

    def made(vector):
        r0 = asarray(vector[v2], v3)
        r1 = {v4: r0[v5], v6: v7(vector)}
        return {v0: r0[v1], v8: r1}

The text holds nothing of a space but how many parts and axes it has. Keys, dtypes, shapes and the functions of other
spaces are objects, which it calls v0, v1 and so on. Decision 40 has the reasons and figures.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.codec import Array, Nest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.codec import Codec

__all__ = ["in_one_function"]


def in_one_function(codec: Codec) -> Codec:
    """The same codec, whose functions call none for each part."""
    return replace(codec, writer=partial(_writer, codec), reader=partial(_reader, codec))


class _Text:
    """The lines of a function, and the objects that they name."""

    def __init__(self) -> None:
        self.lines = list[str]()
        self.objects = dict[str, Any]()
        self.results = 0

    def name(self, thing: Any) -> str:
        name = f"v{len(self.objects)}"
        self.objects[name] = thing
        return name

    def result(self, expression: str) -> str:
        """Keep what an expression gives under a name."""
        name = f"r{self.results}"
        self.results += 1
        self.lines.append(f"{name} = {expression}")
        return name

    def function(self, head: str, last: str) -> Any:
        text = "\n    ".join([f"def made({head}):", *self.lines, last])
        names = {"ndarray": np.ndarray, "asarray": np.asarray, "expect": _expect, **self.objects}
        exec(_compiled(text), names)  # noqa: S102 - text of ours alone, as said above
        return names["made"]


@lru_cache(maxsize=256)
def _compiled(text: str) -> Any:
    return compile(text, "<gymkernel_space_dict>", "exec")


def _expect(n: int, x: Any) -> None:
    if len(x) != n:
        message = f"Expected an element with {n} parts, got {len(x)}"
        raise ValueError(message)


def _writer(whole: Codec, offset: int) -> Any:
    """A function of an element and a vector of zeros, which writes the element there from `offset` on."""
    text = _Text()
    name = text.name

    def put(codec: Codec, at: int, value: str) -> None:
        form = codec.form
        if isinstance(form, Array):
            usual = f"x.__class__ is ndarray and x.dtype is {name(form.dtype)} and x.shape == {name(form.shape)}"
            flat = "x" if len(form.shape) == 1 else "x.reshape(-1)"
            text.lines += [
                f"x = {value}",
                f"if {usual}: out[{name(slice(at, at + codec.size))}] = {flat}",
                f"else: {name(codec.writer(at))}(x, out)",
            ]
        elif isinstance(form, Nest):
            inner = text.result(value)
            if not form.named:
                text.lines.append(f"expect({len(form.parts)}, {inner})")
            for key, part in form.parts:
                put(part, at, f"{inner}[{name(key)}]")
                at += part.size
        else:
            text.lines.append(f"{name(codec.writer(at))}({value}, out)")

    put(whole, offset, "element")
    return text.function("element, out", "return")


def _reader(whole: Codec, offset: int) -> Any:
    """A function of a vector, which makes the element that stands there from `offset` on."""
    text = _Text()
    runs = groupby(_leaves(whole, offset), _sort)
    values = (value for _, run in runs for value in _values(text, list(run)))

    def make(codec: Codec) -> str:
        form = codec.form
        if not isinstance(form, Nest):
            return next(values)
        keys = [f"{text.name(key)}: " if form.named else "" for key, _ in form.parts]
        parts = "".join([f"{key}{make(part)}, " for key, (_, part) in zip(keys, form.parts, strict=True)])
        return text.result(f"{{{parts}}}" if form.named else f"({parts})")

    result = make(whole)
    return text.function("vector", f"return {result}")


def _leaves(codec: Codec, at: int) -> Iterator[tuple[Codec, int]]:
    """What stands in the vector, and from where on."""
    if not isinstance(codec.form, Nest):
        yield codec, at
        return
    for _, part in codec.form.parts:
        yield from _leaves(part, at)
        at += part.size


def _sort(leaf: tuple[Codec, int]) -> Any:
    """The dtype of an array; of anything else, what is equal to no neighbour's."""
    form = leaf[0].form
    return form.dtype.str if isinstance(form, Array) else object()


def _values(text: _Text, run: list[tuple[Codec, int]]) -> Iterator[str]:
    """The expressions of leaves side by side, which are arrays of one dtype, or one leaf of another form."""
    codec, start = run[0]
    if not isinstance(codec.form, Array):
        yield f"{text.name(codec.reader(start))}(vector)"
        return
    stop = run[-1][1] + run[-1][0].size
    array = f"asarray(vector[{text.name(slice(start, stop))}], {text.name(codec.form.dtype)})"
    alone = len(run) == 1
    array = array if alone else text.result(array)
    for leaf, at in run:
        form: Any = leaf.form
        view = array if alone else f"{array}[{text.name(slice(at - start, at - start + leaf.size))}]"
        yield view if len(form.shape) == 1 else f"{view}.reshape({text.name(form.shape)})"
