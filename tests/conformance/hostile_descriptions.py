"""Read hostile descriptions of spaces with `space_from_spec`. A test runs this program.

    python hostile_descriptions.py COUNT [large]

The program reads the descriptions in this file and COUNT random mutations of valid descriptions, with memory limited
to 1 GiB. With "large", it also reads the largest permitted descriptions, with memory limited to 2 GiB, because a Text
space of every character takes 0.2 GiB twice. The program prints each description that is handled incorrectly. Such a
description causes an undocumented error, or creates a space whose own description is different.
"""

from __future__ import annotations

import copy
import itertools
import random
import reprlib
import resource
import sys
from typing import TYPE_CHECKING, Any

from gymkernel import error, plugins
from gymkernel.spaces.utils import space_from_spec, space_to_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMORY = 2**30
DOCUMENTED = (ValueError, error.MissingPlugin, error.UnknownName)

BOX: dict[str, Any] = {"kind": "Box", "low": 0, "high": 1, "shape": [2], "dtype": "float32"}
HUGE: list[Any] = [
    2**31,
    2**63,
    -(2**63),
    2**64,
    10**25,
    10**400,
    10**5000,
    -(10**30),
    1e308,
    4e18,
    10_000_000,
    99_999_999,
]
ODD: list[Any] = [
    float("nan"),
    float("inf"),
    -float("inf"),
    None,
    True,
    False,
    0,
    -1,
    0.5,
    "",
    "x",
    "yes",
    "inf",
    "-inf",
]
ODD += ["U1000", "S100000000", "V1000000000", "O", "object", "f4,f4", "(1000000,)i4", "M8[ns]", "complex64", "float16"]
ODD += ["i4," * 1000, ">i2", "a", "\ud800", "seed", "Box", "Discrete", b"bytes", bytearray(9), 1j, object(), range(9)]
ODD += [
    [],
    [[]],
    {},
    (),
    [None],
    ["inf"],
    [1, [2]],
    [[1, 2], [3]],
    [0, 2**62],
    [[1, 2], 10**9],
    {1},
    BOX,
    [BOX],
    [[BOX]],
]
ODD += [
    ["a", BOX],
    [["a", BOX], ["a", BOX]],
    [[[], BOX]],
    ["x" * 10**5] * 100,
    [1] * 100,
    [10**300] * 1000,
    "x" * 10**6,
]
ODD += [
    [1] * 10**5,
    type,
    {"kind": []},
    {"kind": "Box"},
    {"kind": "Nothing"},
    {3: 4},
    {"kind": "Space"},
    print,
    "x" * 10**6,
]
KEYS = [
    "seed",
    "kind",
    "low",
    "n",
    "spaces",
    "space",
    "stack",
    "version",
    "cls",
    "self",
    "__class__",
    "_shape",
    3,
    None,
    b"n",
]


def nested(levels: int, **around: Any) -> Any:
    """Nest a description repeatedly in an outer description, which marks the place for the inner one with "*"."""
    made: Any = BOX
    for _ in range(levels):
        made = {key: made if part == "*" else [made] if part == ["*"] else part for key, part in around.items()}
    return made


def listed(levels: int) -> Any:
    made: Any = []
    for _ in range(levels):
        made = [made]
    return made


def doubled(levels: int) -> Any:
    """Return a list that contains the same list twice at each level. It needs little memory, but its text is huge."""
    made: Any = [1]
    for _ in range(levels):
        made = [made, made]
    return made


def endless() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


def chosen() -> Iterator[Any]:
    """Yield descriptions that once caused damage, or would cause damage without a check."""
    for dtype in ("U1000", "S100000", "V1000000", "O", "(1000,)f8", "f8," * 30000, "M8[s]", "c16", "g", "", "\0"):
        yield BOX | {"shape": [200_000], "dtype": dtype}
    for shape in ([2**62], [10**300] * 10**5, [0, 2**62], [1] * 65, [1] * 10**6, [[1, 2], 10**9], ["x", 10**9]):
        yield BOX | {"shape": shape}
        yield {"kind": "MultiBinary", "n": shape}
    for n in (10**7, 10**5):
        for dtype in ("int8", "float64", "longdouble"):
            yield BOX | {"shape": [n], "dtype": dtype, "low": [0]}
    for levels in (1, 30, 99, 101, 5000):
        yield nested(levels, kind="Sequence", space="*", stack=True)
        yield nested(levels, kind="Graph", node_space="*", edge_space=BOX)
        yield nested(levels, kind="Graph", node_space=BOX, edge_space="*")
        yield nested(levels, kind="Tuple", spaces=["*"])
        yield nested(levels, kind="OneOf", spaces=["*"])
        yield {"kind": "MultiDiscrete", "nvec": listed(levels)}
        yield BOX | {"low": listed(levels)}
    for whole in (doubled(10), endless()):
        yield {"kind": "Tuple", "spaces": whole}
        yield {"kind": "MultiDiscrete", "nvec": whole}
        yield BOX | {"low": whole}
    for n in HUGE:
        yield from ({"kind": "Discrete", "n": n}, {"kind": "Text", "max_length": n}, {"kind": "MultiBinary", "n": n})
        yield from (
            BOX | {"low": n},
            BOX | {"high": [n, n]},
            BOX | {"shape": [n]},
            {"kind": "Discrete", "n": 2, "start": n},
        )
        yield {"kind": "MultiDiscrete", "nvec": [n, 1], "start": [1, n]}
    yield {"kind": "MultiDiscrete", "nvec": ["x" * 10**6, *[1] * 10**5]}
    yield from ({"kind": "x" * 10**6}, {"kind": "Tuple", "spaces": [[]] * 10**5}, {"kind": BOX}, BOX | {"x" * 10**6: 1})


def large() -> Iterator[Any]:
    """Yield the largest permitted descriptions, each of which takes seconds to read."""
    for dtype in ("int8", "float64", "longdouble"):
        for n in (9_999_000, 4_999_000):
            yield BOX | {"shape": [n], "dtype": dtype}
            yield BOX | {"shape": [0, n], "dtype": dtype}
    for whole in (doubled(20), doubled(60)):
        yield {"kind": "Tuple", "spaces": whole}
        yield {"kind": "MultiDiscrete", "nvec": whole}
        yield BOX | {"low": whole}
    yield {"kind": "Tuple", "spaces": [[]] * 9_900_000}
    yield {"kind": "Text", "max_length": 5, "charset": "".join(map(chr, range(0x110000)))}
    yield {"kind": "Dict", "spaces": [["x" * 1000, BOX]] * 9_900}


def known() -> list[Any]:
    """Return the descriptions of small spaces of every kind."""
    spaces = [space for name in plugins.names("spaces") for space in kinds(plugins.get("spaces", name))]
    return [space_to_spec(space)["space"] for space in spaces]


def kinds(cls: Any) -> list[Any]:
    return list(cls.test_instances()) if hasattr(cls, "test_instances") else []


def changed(rng: random.Random, described: Any, others: list[Any]) -> Any:
    """Return a copy of a description with one to three values replaced, removed or added."""
    made = copy.deepcopy(described)
    for _ in range(rng.randint(1, 3)):
        holder = rng.choice([made, *(part for part in walk(made) if isinstance(part, dict | list) and part)])
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            continue
        key = rng.choice(keys)
        odd = rng.choice(ODD)
        thing = copy.deepcopy(rng.choice([odd, [odd] * 3, rng.choice(HUGE), rng.choice(others)]))
        way = rng.randrange(5)
        if way == 0 and isinstance(holder, dict):
            del holder[key]
        elif way == 1 and isinstance(holder, dict):
            holder[rng.choice(KEYS)] = thing
        elif way == 2:
            holder[key] = [holder[key]] * rng.choice([1, 2, 1000])
        else:
            holder[key] = thing
    return made


def walk(described: Any) -> Iterator[Any]:
    yield described
    for part in described.values() if isinstance(described, dict) else described if isinstance(described, list) else ():
        yield from walk(part)


def judge(description: Any) -> str:
    """Return a text about the mistake that `space_from_spec` makes with a description, or "" if it makes none."""
    try:
        built = space_from_spec(description)
        if built.shape is None or len(built.shape) == 0 or max(built.shape) < 10**5:
            again = space_from_spec(space_to_spec(built), max_size=2**40)
            if not again == built:  # noqa: SIM201 - spaces define ==, which is tested
                return f"{built} is described as {again}"
    except DOCUMENTED:
        return ""
    except BaseException as exc:  # noqa: BLE001 - any other exception is undocumented
        return f"{type(exc).__name__}: {exc}"[:300]
    return ""


def main(count: int, *more: str) -> None:
    limit = MEMORY * 2 if more else MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    rng, others = random.Random(0), known()  # noqa: S311 - the numbers need not be secret
    mutants = (changed(rng, rng.choice(others), others) for _ in range(count))
    described: Any = itertools.chain(chosen(), mutants, large() if more else ())
    whole: list[Any] = [{"version": 1, "space": description} for description in (BOX, *ODD)]
    whole += [
        *ODD,
        *({"version": description, "space": BOX} for description in (*ODD, *HUGE)),
        {"version": 1, "space": BOX, 3: 4},
    ]
    for i, description in enumerate(itertools.chain(whole, ({"version": 1, "space": part} for part in described))):
        print(i, end="\r", file=sys.stderr)  # shows where the program hangs if it does
        if fault := judge(description):
            print(f"{i}: {reprlib.repr(description)}: {fault}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
