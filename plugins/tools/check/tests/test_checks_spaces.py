"""Tests of the rules about spaces: each defect is reported by the rule for it, and by no other rule."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from gymkernel import Space, ops
from gymkernel.space import Field
from gymkernel.testing import SPACE_RULES
from gymkernel_tool_check.checks import check, rules
from gymkernel_tool_check.rules.table import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gymkernel_tool_check.checks import Report


class Batch(Space[Any]):
    """The batched space for the spaces in these tests. Its elements are tuples."""

    def __init__(self, space: Any, n: int) -> None:
        super().__init__()
        self.space, self.n = space, n

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return tuple(self.space.sample() for _ in range(self.n))

    def contains(self, x: Any) -> bool:
        return isinstance(x, tuple) and len(x) == self.n and all(map(self.space.contains, x))


class Rows(Batch):
    """A batched space whose elements are arrays."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return np.array(super().sample())

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and all(map(self.space.contains, x))


@ops.iterate.register(Batch)
def _iterate(space: Batch, items: Any) -> Iterator[Any]:
    return iter(items)


class Arrow(Space[Any]):
    """A correct space with a layout. Its elements are vectors whose lengths are from 1 to `longest`."""

    def __init__(self, longest: float = 2.0, seed: Any = None) -> None:
        super().__init__((2,), np.float64, seed)
        self.longest = longest

    @classmethod
    def test_instances(cls) -> Iterator[Any]:
        yield cls(2.0)
        yield cls(3.0)

    def draw(self) -> Any:
        angle, length = self.np_random.uniform(-np.pi, np.pi), self.np_random.uniform(1, self.longest)
        return np.array([length * np.cos(angle), length * np.sin(angle)])

    def contains(self, x: Any) -> bool:
        if not isinstance(x, np.ndarray) or x.shape != (2,) or x.dtype != np.float64:
            return False
        return bool(1 - 1e-9 <= np.linalg.norm(x) <= self.longest + 1e-9)

    def layout(self) -> Any:
        return (Field.of(np.float64, (2,)),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Arrow) and self.longest == other.longest

    def __hash__(self) -> int:
        return hash(self.longest)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.longest})"


@ops.batch_space.register(Arrow)
def _batch_space(space: Arrow, n: int = 1) -> Any:
    return Rows(space, n)


@ops.create_empty_array.register(Arrow)
def _create_empty_array(space: Arrow, n: int = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    return fn((n, 2), dtype=np.float64)


@ops.concatenate.register(Arrow)
def _concatenate(space: Arrow, items: Any, out: Any) -> Any:
    out[...] = np.stack(list(items))
    return out


@ops.flatten_space.register(Arrow)
def _flatten_space(space: Arrow) -> Any:
    return Rows.__new__(Flat)


class Flat(Space[Any]):
    shape = (2,)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (2,)


class Word(Space[str]):
    """A correct space without a layout."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        if mask is not None or probability is not None:
            raise ValueError(mask, probability)
        return "go " * int(self.np_random.integers(1, 9))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and x.startswith("go")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Word)

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Word)
def _batch_words(space: Word, n: int = 1) -> Any:
    return Batch(space, n)


class Foreign:
    """A space with the same methods as `Space` that does not inherit from it, like the spaces of other libraries."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng()

    def sample(self) -> int:
        return int(self.generator.integers(6))

    def seed(self, seed: int | None = None) -> int:
        seed = int(np.random.SeedSequence().entropy) if seed is None else seed  # type: ignore[arg-type]
        self.generator = np.random.default_rng(seed)
        return seed

    def contains(self, x: Any) -> bool:
        return isinstance(x, int) and x in range(6)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Foreign)

    __hash__ = None  # type: ignore[assignment]


GLOBAL = np.random.default_rng(3)
KEPT = random.Random(3)  # noqa: S311 - not used for security


class NeedsAnArgument(Arrow):
    def __init__(self, longest: float) -> None:
        super().__init__(longest)


class SamplesOutside(Arrow):
    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return super().sample(mask, probability) * self.np_random.choice([0.5, 1.0])

    def examples(self) -> Iterator[Any]:
        yield np.array([1.0, 0.0])  # by default, the examples are samples, which another rule checks


class ExamplesOutside(Arrow):
    def examples(self) -> Iterator[Any]:
        yield np.zeros(2)


class ContainsRaises(Arrow):
    def contains(self, x: Any) -> bool:
        return bool(1 - 1e-9 <= np.linalg.norm(x) <= self.longest + 1e-9)


class ContainsReturnsMore(Arrow):
    def contains(self, x: Any) -> Any:
        return super().contains(x) and 3


class ForgetsTheSeed(Arrow):
    def seed(self, seed: Any = None) -> Any:
        return seed


class DrawsFromElsewhere(Arrow):
    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        super().sample(mask, probability)
        return np.array([KEPT.uniform(1, 2), 0.0])


class ReturnsAnotherSeed(Arrow):
    def seed(self, seed: Any = None) -> Any:
        return super().seed(seed) // 2


class ReturnsNoSeed(Arrow):
    def seed(self, seed: Any = None) -> Any:
        super().seed(seed)


class DefaultGenerator(Arrow):
    def __init__(self, longest: float = 2.0, seed: Any = GLOBAL) -> None:
        super().__init__(longest, seed)

    @classmethod
    def test_instances(cls) -> Iterator[Any]:
        yield cls(2.0)


class CopiesForget(Arrow):
    def __getstate__(self) -> Any:
        return {**self.__dict__, "_np_random": None}


class CannotBePickled(Arrow):
    def __init__(self, longest: float = 2.0) -> None:
        super().__init__(longest)
        self.reward = lambda: 0

    __hash__ = Arrow.__hash__

    @classmethod
    def test_instances(cls) -> Iterator[Any]:
        yield cls(3.0)


class SeedsTheWorld(Arrow):
    def seed(self, seed: Any = None) -> Any:
        random.seed(seed)
        return super().seed(seed)


class DrawsFromTheWorld(Arrow):
    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        random.random()  # noqa: S311 - this is the defect to find
        return super().sample(mask, probability)


class TakesBoth(Arrow):
    n = 2

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        for given in (mask, probability):
            if given is not None and len(given) != 2:
                raise ValueError(given)
        return super().sample()


class IgnoresMasks(Arrow):
    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return super().sample()


class SeveralAreAList(Arrow):
    def sample_n(self, n: int) -> Any:
        return [self.sample() for _ in range(n)]


class Identity(Arrow):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class EqualToAll(Arrow):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def test_instances(cls) -> Iterator[Any]:
        yield cls(2.0)


class EqualAlways(Arrow):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, EqualAlways)

    __hash__ = None  # type: ignore[assignment]


class HashOfTheMoment(Arrow):
    def __hash__(self) -> int:
        return id(self)


class CannotBeShown(Arrow):
    def __repr__(self) -> str:
        return f"{self.absent}"  # type: ignore[attr-defined]


class KeepsArrays(Arrow):
    def to_jsonable(self, sample_n: Any) -> Any:
        return list(sample_n)


class LosesDigits(Arrow):
    def to_jsonable(self, sample_n: Any) -> Any:
        return [np.round(x, 3).tolist() for x in sample_n]


class KeepsLists(Arrow):
    def from_jsonable(self, sample_n: Any) -> Any:
        return list(sample_n)


class PlainJson(Arrow):
    """A space without a dtype, so that `Space.from_jsonable` does not convert elements to arrays."""

    def __init__(self, longest: float = 2.0) -> None:
        super().__init__(longest)
        self.dtype = None

    def decode(self, arrays: Any) -> Any:
        return np.array(arrays[0])


class FlattensReversed(Arrow):
    pass


@ops.unflatten.register(FlattensReversed)
def _unflatten_reversed(space: Any, x: Any) -> Any:
    return np.asarray(x)[::-1].copy()


class SaysAnotherLength(Arrow):
    pass


@ops.flatdim.register(SaysAnotherLength)
def _flatdim_wrong(space: Any) -> int:
    return 3


class BatchesOfMore(Arrow):
    pass


@ops.batch_space.register(BatchesOfMore)
def _batch_space_of_more(space: Any, n: int = 1) -> Any:
    return Picky(space, n)


class Picky(Rows):
    def contains(self, x: Any) -> bool:
        return super().contains(x) and x.dtype == np.float32


class TurnedAround(Rows):
    pass


class IteratesBackwards(Arrow):
    pass


@ops.batch_space.register(IteratesBackwards)
def _batch_turned_around(space: Any, n: int = 1) -> Any:
    return TurnedAround(space, n)


@ops.iterate.register(TurnedAround)
def _iterate_backwards(space: Any, items: Any) -> Iterator[Any]:
    return iter(items[::-1])


class IgnoresOut(Arrow):
    pass


@ops.concatenate.register(IgnoresOut)
def _concatenate_anew(space: Any, items: Any, out: Any) -> Any:
    return np.stack(list(items))


class UnlikeItself(Arrow):
    pass


@ops.is_space_dtype_shape_equiv.register(UnlikeItself)
def _unlike(space_1: Any, space_2: Any) -> bool:
    return space_1 is not space_2


@ops.flatten.register(Arrow)
def _flatten(space: Any, x: Any) -> Any:
    return np.array(x)


@ops.unflatten.register(Arrow)
def _unflatten(space: Any, x: Any) -> Any:
    return np.array(x)


class Small(Arrow):
    """A space whose layout loses digits because of its dtype. Its other operations use arrays of the right dtype."""

    def layout(self) -> Any:
        return (Field.of(np.float32, (2,)),)


class EncodesHalf(Arrow):
    def encode(self, x: Any, out: Any) -> None:
        np.add(out[0], x, out=out[0])


class DecodesViews(Arrow):
    def decode(self, arrays: Any) -> Any:
        return arrays[0]


class LosesShared(Arrow):
    pass


@ops.write_to_shared_memory.register(LosesShared)
def _write_nothing(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    pass


BROKEN: dict[str, list[type]] = {
    "GK700": [NeedsAnArgument],
    "GK701": [SamplesOutside],
    "GK702": [ExamplesOutside],
    "GK703": [ContainsRaises, ContainsReturnsMore],
    "GK704": [ForgetsTheSeed, DrawsFromElsewhere],
    "GK705": [ReturnsAnotherSeed, ReturnsNoSeed],
    "GK706": [DefaultGenerator],
    "GK707": [CopiesForget, CannotBePickled],
    "GK708": [SeedsTheWorld, DrawsFromTheWorld],
    "GK709": [TakesBoth, IgnoresMasks],
    "GK710": [SeveralAreAList],
    "GK721": [Identity, EqualToAll],
    "GK722": [EqualAlways],
    "GK723": [HashOfTheMoment],
    "GK724": [CannotBeShown],
    "GK725": [KeepsArrays, LosesDigits, KeepsLists, PlainJson],
    "GK741": [FlattensReversed],
    "GK742": [SaysAnotherLength],
    "GK743": [BatchesOfMore],
    "GK744": [IteratesBackwards],
    "GK745": [IgnoresOut],
    "GK746": [UnlikeItself],
    "GK751": [Small, EncodesHalf],
    "GK752": [DecodesViews],
    "GK753": [LosesShared],
}
CASES = [pytest.param(code, cls, id=f"{code}-{cls.__name__}") for code, several in BROKEN.items() for cls in several]
ADVICE = {IgnoresMasks, PlainJson}


@functools.cache
def checked(cls: type) -> Report:
    return check(cls)


@pytest.mark.parametrize("code, cls", CASES)
def test_rule_reports_the_broken_space_and_no_other_rule_does(code: str, cls: type) -> None:
    if code == "GK753":
        pytest.importorskip("gymkernel_util_vector", reason="shared memory is a plugin's")
    report = checked(cls)

    assert {finding.code for finding in report.findings} == {code}, [str(finding) for finding in report.findings]
    assert report.findings[0].severity == ("warning" if cls in ADVICE else "error")
    assert report.findings[0].file == __file__


@pytest.mark.parametrize("code, cls", [case for case in CASES if case.values[0] != "GK700"])
def test_program_of_a_finding_runs(code: str, cls: type, capsys: pytest.CaptureFixture[str]) -> None:
    for finding in checked(cls).findings:
        program = compile(finding.reproducer, "reproducer", "exec")
        try:
            exec(program, {cls.__name__: cls})  # noqa: S102 - users are expected to run this program
        except Exception as exc:  # noqa: BLE001 - the failure message contains the exception
            assert type(exc).__name__ in finding.message  # noqa: PT017 - the program may also end without an exception
        else:
            assert capsys.readouterr().out


def test_every_space_rule_has_a_broken_example() -> None:
    spec_round_trip = {"GK726"}  # tested below, because this space needs an entry point
    about = {"GK003", "GK005", "GK006", "GK911", "GK912"}
    assert {rule.code for rule in rules("spaces")} - about - spec_round_trip == BROKEN.keys()


@pytest.mark.parametrize("cls", [Arrow, Word, Foreign])
@pytest.mark.parametrize("as_instance", [False, True], ids=["class", "instance"])
def test_sound_spaces_pass(cls: Any, as_instance: bool) -> None:
    report = check(cls() if as_instance else cls)

    assert not report.findings, [str(finding) for finding in report.findings]
    assert {"GK701", "GK703", "GK704", "GK707", "GK721"} <= set(report.passed)
    assert ("GK751" in report.passed) is (cls is Arrow)


def test_rules_that_need_more_instances_are_skipped() -> None:
    report = check(Arrow(2.0))

    assert report.skipped["GK706"] == "a second instance is needed; check the class"
    assert report.skipped["GK722"].startswith("several spaces are needed")


def test_own_constructor_does_not_use_test_instances_of_the_base() -> None:
    class Longer(Arrow):
        def __init__(self) -> None:
            super().__init__(9.0)

    assert check(Longer, select=["GK701"]).found["spaces"] == ["Longer(9.0)"]


def test_finding_names_the_space_and_the_number_of_spaces() -> None:
    class Long(Arrow):
        broken: ClassVar[Any] = (3.0,)

        def contains(self, x: Any) -> bool:
            return super().contains(x) and self.longest not in self.broken

    class Each(Long):
        broken = 2.0, 3.0

    first, each = (check(cls, select=["GK701"]).findings[0] for cls in (Long, Each))
    assert first.message.startswith("Long(3.0): sample number 1 is not in the space")
    assert "[*" in first.reproducer
    assert each.message.endswith("(2 of the 2 spaces tried)")


@pytest.mark.slow
def test_non_space_has_no_instances(install: Callable[..., Path]) -> None:
    source = (
        "class Pair(tuple): pass\nclass Broken:\n    def __init_subclass__(cls): raise KeyError\nclass B(Broken): pass"
    )
    install("acme-pair", modules={"acme_pair": "class Pair(tuple): pass"}, spaces={"Pair": "acme_pair:Pair"})
    install("acme-broken", modules={"acme_broken": source}, spaces={"Broken": "acme_broken:B"})

    pair, broken = check("spaces.Pair"), check("spaces.Broken")
    assert not pair.findings
    assert pair.skipped["GK701"] == "Pair is not a space"
    assert [finding.code for finding in broken.findings] == ["GK911"]
    assert broken.skipped["GK701"] == "the entry point cannot be loaded (GK911)"


FILE = """
import time
from gymkernel import Space

class Coin(Space):
    def sample(self, mask=None, probability=None):
        {sample}
        return int(self.np_random.integers(2))

    def contains(self, x):
        return isinstance(x, int) and x in (0, 1)

    def __eq__(self, other):
        return isinstance(other, Coin)

    def to_spec(self):
        return {{}}

    @classmethod
    def from_spec(cls, spec):
        return {made}
"""


@pytest.mark.slow
def test_space_in_a_file_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "coins.py").write_text(FILE.format(sample="pass", made="cls()") + "\nCOIN = Coin()\n")

    for target in ("coins.py", "coins.py:Coin", "coins:Coin", "coins.py:COIN"):
        report = check(target)
        assert report.found["class"] == "coins:Coin"
        assert {finding.code for finding in report.findings} == {"GK709"}  # the space ignores masks
        assert "space = COIN" in report.findings[0].reproducer or "space = Coin()" in report.findings[0].reproducer


@pytest.mark.slow
def test_hanging_or_exiting_space_is_reported_and_the_check_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    hang = "if mask is not None: time.sleep(60)"
    (tmp_path / "hangs.py").write_text(FILE.format(sample=hang, made="cls()"))
    (tmp_path / "exits.py").write_text(FILE.format(sample="raise SystemExit(3)", made="cls()"))

    for seconds in (1, 30):  # on a busy machine, calls that do not hang take longer
        hangs = check("hangs.py", timeout=seconds)
        if len(hangs.findings) == 1 and "GK721" in hangs.passed:
            break
    exits = check("exits.py")
    assert [finding.code for finding in hangs.findings] == ["GK003"]
    assert hangs.findings[0].message == f"the space did not return in {seconds} s"
    assert hangs.skipped["GK709"] == f"the space did not return in {seconds} s (GK003)"
    assert "GK721" in hangs.passed
    assert [finding.code for finding in exits.findings] == ["GK003"], [str(finding) for finding in exits.findings]
    assert "sys.exit(3)" in exits.findings[0].message


OTHER = "\nclass Other(Coin):\n    def __eq__(self, other):\n        return isinstance(other, Other)\n"
DESCRIBED: dict[str, list[tuple[str, str]]] = {"GK726": [("Other()", OTHER), ("None", "")]}


@pytest.mark.slow
@pytest.mark.parametrize("made, more", DESCRIBED["GK726"])
def test_description_that_creates_another_space_is_reported(install: Callable[..., Path], made: str, more: str) -> None:
    source = FILE.format(sample="assert mask is None is probability", made=made) + more
    install("acme-coin", modules={"acme_coin": source}, spaces={"Coin": "acme_coin:Coin"})

    report = check("spaces.Coin")
    assert [finding.code for finding in report.findings] == ["GK726"]
    assert report.findings[0].method == "to_spec"


def test_space_rules_are_plain_functions() -> None:
    codes = {row.function: row.code for row in table() if row.kind == "spaces"}
    assert len({codes[space_rule.__name__] for space_rule in SPACE_RULES}) == len(SPACE_RULES)
    for space_rule in SPACE_RULES:
        assert codes[space_rule.__name__] in {rule.code for rule in rules("spaces")}
        assert space_rule.__doc__
