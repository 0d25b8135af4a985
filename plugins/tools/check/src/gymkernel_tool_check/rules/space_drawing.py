"""GK70x: rules about sampling from a space, and about which values it contains."""

from __future__ import annotations

import contextlib
import copy
import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from gymkernel.space import examples
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.probes.copies import pickled
from gymkernel_tool_check.probes.space_instances import SpaceInstances
from gymkernel_tool_check.probes.trace import is_space
from gymkernel_tool_check.rules.space_rules import (
    SEED,
    batch_elements,
    copy_of,
    draw_samples,
    draws_elements,
    place_of,
    require_reproducible,
    space_rule,
    why_outside,
)
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, short
from gymkernel_util_spaces.texts import error_text

PLAIN: Final[list[Any]] = [None, "strange", b"strange", 3, -1, True, 0.5, 1j, [], (), {}, set(), [[1], [2, 3]]]
STRANGE: Final[dict[str, Any]] = {
    **{repr(value): value for value in (*PLAIN, (None, None), {"a": 1}, {3: None})},
    "object()": object(),
    "2**70": 2**70,
    "float('nan')": float("nan"),
    "int": int,
    "np.int8(3)": np.int8(3),
    "np.array(3)": np.array(3),
    "np.zeros(0)": np.zeros(0),
    "np.zeros((2, 3, 4))": np.zeros((2, 3, 4)),
    "np.array(['a', 'b'])": np.array(["a", "b"]),
    "np.array([None, {}], object)": np.array([None, {}], object),
    "np.array([float('nan')])": np.array([float("nan")]),
}
SAMPLES: Final = 30
COPIES: Final[dict[str, Callable[[Any], Any]]] = {"pickle": pickled, "copy.deepcopy": copy.deepcopy}


def can_be_tried(subject: Subject, tried: SpaceInstances) -> Faults:
    """Call the class's `test_instances()`, or its constructor without arguments.

    Why: Checks, documentation and other people's tests must be able to create the space without knowing which arguments
    to pass.
    Fix: Define a classmethod test_instances() that yields a few small spaces, or give every argument a default value.
    """
    if tried.error is not None:
        exc = tried.error
        yield Fault(f"creating a space for testing raised {error_text(exc)}", "__init__", place=place_of(exc))
    elif wrong := [space for space in tried.spaces if not is_space(space)]:
        yield Fault(f"expected spaces, got {short(wrong[0])} ({type(wrong[0]).__name__})", "test_instances")
    elif not tried.spaces:
        yield Fault("test_instances() yields no spaces", "test_instances")


@space_rule
def samples_are_elements(space: Any) -> Faults:
    """Draw samples, and check that the space contains each of them.

    Why: Random exploration uses samples as actions, while wrappers and checks call contains. If the two methods
    disagree, one of them is wrong.
    Fix: Use the same dtype and the same bounds in sample and contains.
    """
    twin = copy_of(space)
    with contextlib.suppress(Exception):  # GK704 reports the exception
        twin.seed(SEED)
    for i in range(SAMPLES):
        x = twin.sample()
        if why := why_outside(space, x):
            show = f"space.seed({SEED})\nprint(all(space.contains(space.sample()) for _ in range({i + 1})))  # False"
            yield Fault(f"sample number {i + 1} is not in the space: {why}", "contains", show=show, seed=SEED)


@space_rule
def examples_are_elements(space: Any) -> Faults:
    """Check that the space contains each of the first values from `examples()`.

    Why: Tests and checks use the examples as edge cases, so they must be elements of the space.
    Fix: Yield only elements of the space from examples().
    """
    if not callable(getattr(space, "examples", None)):
        raise Skip("the space has no method examples()")
    if "examples" not in vars(type(space)) and not draws_elements(space):
        raise Skip("the examples are samples, which are not in the space (GK701)")
    for i, x in enumerate(itertools.islice(examples(space), 50)):
        if why := why_outside(space, x):
            show = "print(all(space.contains(x) for x in space.examples()))  # False"
            yield Fault(f"example number {i + 1} is not in the space: {why}", "examples", show=show)


@space_rule
def membership_is_always_decided(space: Any) -> Faults:
    """Call `contains` with values of many types and with a sample.

    Why: Wrappers and checks call contains with whatever an environment returns. An exception in contains hides the
    actual defect.
    Fix: Check the type, the dtype and the shape of a value before its content, and return False if any of them is
    wrong.
    """
    values = STRANGE.copy()
    with contextlib.suppress(Exception):  # GK701 reports the exception
        values["space.sample()"] = copy_of(space).sample()
    for text, x in values.items():
        show = f"print(space.contains({text}))"
        try:
            answer = space.contains(x)
        except Exception as exc:  # noqa: BLE001 - any exception is a defect
            message = f"contains({text}) raised {error_text(exc)}"
            yield Fault(message, "contains", show=show, place=place_of(exc))
        if not isinstance(answer, bool | np.bool_):
            message = f"contains({text}) returned {short(answer)} ({type(answer).__name__}), not True or False"
            yield Fault(message, "contains", show=show)


@space_rule
def one_seed_gives_one_sequence(space: Any) -> Faults:
    """Seed a space and draw samples, and repeat this with the same seed for the same space and for a copy.

    Why: If samples are not reproducible, runs that use them cannot be reproduced either.
    Fix: Draw only from self.np_random, and restart this generator in the method seed.
    """
    twin = copy_of(space)
    twin.seed(SEED)
    first = draw_samples(twin, SAMPLES)
    for which, other in (("the same space", twin), ("a copy", copy_of(space))):
        other.seed(SEED)
        if changed := difference(first, draw_samples(other, SAMPLES), "the samples"):
            show = f"for _ in range(2):\n    space.seed({SEED})\n"
            show += f"    print([space.sample() for _ in range({SAMPLES})])"
            yield Fault(f"seed({SEED}) gave different samples for {which}: {changed}", "sample", show=show, seed=SEED)


@space_rule
def seed_returns_what_seeds_again(space: Any) -> Faults:
    """Call `seed` with an integer and with None, and pass each result to `seed` again.

    Why: If the seed is chosen at random, a run can only be reproduced with the value that seed returned.
    Fix: Return the seed that was used. If the space contains other spaces, return one seed for each of them, and accept
    such seeds as an argument.
    """
    require_reproducible(space)
    twin = copy_of(space)
    for seed in (SEED, None):
        used = twin.seed(seed)
        first = draw_samples(twin)
        show = f"used = space.seed({seed})\nprint([space.sample() for _ in range(5)])\n"
        show += "space.seed(used)\nprint([space.sample() for _ in range(5)])"
        if used is None:
            yield Fault(f"seed({seed}) returned None", "seed", show=f"print(space.seed({seed}))", seed=seed)
        try:
            twin.seed(used)
        except Exception as exc:  # noqa: BLE001 - any exception is a defect
            message = f"seed({seed}) returned {short(used)}, and seeding with this value raised {error_text(exc)}"
            yield Fault(message, "seed", show=show, seed=seed, place=place_of(exc))
        if changed := difference(first, draw_samples(twin), "the samples"):
            message = f"seed({seed}) returned {short(used)}, which gives different samples: {changed}"
            yield Fault(message, "seed", show=show, seed=seed)


@partial(space_rule, others="made_twice")
def generators_are_apart(space: Any, again: Any) -> Faults:
    """Sample from one of two equal spaces, before and after seeding it, and check that the other space is unaffected.

    Why: If spaces share a generator, samples in one environment change those in another, so results depend on the
    number of environments.
    Fix: Do not create a generator at module level, in the class body or as a default argument. Use np_random, which
    creates a generator for each space.
    """
    require_reproducible(again)
    show = "other = type(space)()  # or created like `space`\nother.seed(1)\nbefore = copy.deepcopy(other).sample()\n"
    show += "space.sample()\nprint(before, other.sample())"
    draw_samples(space, SAMPLES), draw_samples(again, SAMPLES)  # this creates the generators of all inner spaces
    expected, witness = draw_samples(copy_of(again)), draw_samples(copy_of(again))
    draw_samples(space)
    changed = difference(expected, draw_samples(again), "its samples")
    # if the witness differs, copies do not continue like their originals (GK707)
    if changed and difference(expected, witness) is None:
        yield Fault(f"sampling from one space changed the samples of another: {changed}", "__init__", show=show)
    again.seed(SEED)
    expected = draw_samples(again)
    again.seed(SEED)
    space.seed(SEED + 1)
    draw_samples(space)
    if changed := difference(expected, draw_samples(again), "its samples"):
        yield Fault(f"seeding one space changed the samples of another: {changed}", "seed", show=show)


@space_rule
def copies_go_on_apart(space: Any) -> Faults:
    """Draw a sample, copy the space with pickle and deepcopy, and draw from both the copy and the original.

    Why: Wrappers copy spaces, and workers and checkpoints pickle them. With a copy, a run must continue as it would
    with the original.
    Fix: Include all attributes in __getstate__ and __reduce__, and store the generator on the instance.
    """
    require_reproducible(space)
    for way, make in COPIES.items():
        text = "pickle.loads(pickle.dumps(space))" if way == "pickle" else "copy.deepcopy(space)"
        show = f"space.seed({SEED})\nspace.sample()\nother = {text}\nprint(other.sample(), space.sample())"
        twin = copy_of(space)
        twin.seed(SEED)
        twin.sample()
        try:
            of_copy = draw_samples(make(twin))
        except Exception as exc:  # noqa: BLE001 - any exception is a defect
            yield Fault(f"{way} raised {error_text(exc)}", "__reduce__", show=show, place=place_of(exc))
        if changed := difference(draw_samples(twin), of_copy, "the samples"):
            message = f"a copy made by {way} gives different samples or shares the generator: {changed} in the copy"
            yield Fault(message, "__reduce__", show=show, seed=SEED)


@space_rule
def global_generators_are_left_alone(space: Any) -> Faults:
    """Compare the states of `random` and `numpy.random` before and after seeding the space and sampling from it.

    Why: A program that has seeded random or numpy.random gets different numbers once it samples from a space.
    Fix: Use only self.np_random, and seed no other generator.
    """
    twin = copy_of(space)
    calls = [("sample()", twin.sample), ("seed(1)", lambda: twin.seed(1)), ("seed(2)", lambda: twin.seed(2))]
    for what, call in calls:
        before = random.getstate(), np.random.get_state()  # noqa: NPY002 - the rule checks this generator
        with contextlib.suppress(Exception):  # GK701 and GK704 report the exception
            call()
        after = random.getstate(), np.random.get_state()  # noqa: NPY002 - the rule checks this generator
        for name, state_before, state_after in zip(("random", "numpy.random"), before, after, strict=True):
            if difference(state_before, state_after) is not None:
                state = "random.getstate()" if name == "random" else "hash(str(np.random.get_state()))"
                show = f"before = {state}\nspace.{what}\nprint({state} == before)  # False"
                yield Fault(f"{what} changed the state of {name}", what.partition("(")[0], show=show)


@space_rule
def mask_and_probability_are_one_too_many(space: Any) -> Faults:
    """Pass `sample` both a mask and a probability, which are either valid or objects that no space can use.

    Why: sample can use only one of the two arguments, so the other one would be silently ignored.
    Fix: Raise a ValueError if both arguments are passed. If the space supports neither of them, define draw instead of
    sample.
    """
    if _accepts(space, object(), object()):
        message = "sample accepts any mask and any probability and ignores them; expected an exception"
        yield Fault(message, "sample", show="print(space.sample(mask=object()))", severity="warning")
    for mask, probability in _weights(space):
        if not (_accepts(space, mask, None) and _accepts(space, None, probability)):
            continue
        if _accepts(space, mask, probability):
            show = f"print(space.sample(mask={_literal(mask)}, probability={_literal(probability)}))"
            message = "sample(mask=..., probability=...) returned an element and ignored one of the arguments"
            yield Fault(message, "sample", show=show)


def _weights(space: Any) -> Iterator[tuple[Any, Any]]:
    """Yield masks and probabilities, each with the structure that some kind of space accepts."""
    with contextlib.suppress(Exception):
        n = min(int(space.n), 1000)
        yield np.ones(n, np.int8), np.full(n, 1 / n)
    with contextlib.suppress(Exception):
        yield tuple(np.ones(n, np.int8) for n in space.nvec), tuple(np.full(n, 1 / n) for n in space.nvec)
    with contextlib.suppress(Exception):
        yield np.ones(space.shape, np.int8), np.full(space.shape, 0.5)
    parts = getattr(space, "spaces", None)
    if isinstance(parts, dict):
        yield (dict.fromkeys(parts),) * 2
    elif isinstance(parts, tuple):
        yield ((None,) * len(parts),) * 2
    yield ((None, None),) * 2


def _literal(x: Any) -> str:
    return " ".join(repr(x).replace("array(", "np.array(").replace("dtype=", "dtype=np.").split())


def _accepts(space: Any, mask: Any, probability: Any) -> bool:
    given = {name: x for name, x in (("mask", mask), ("probability", probability)) if x is not None}
    try:
        copy_of(space).sample(**given)
    except Exception:  # noqa: BLE001 - any exception counts as a rejection
        return False
    return True


@space_rule
def several_samples_are_a_batch(space: Any) -> Faults:
    """Draw three elements at once, and check that the batched space contains the result.

    Why: Callers that draw several elements at once store the result as a batch.
    Fix: Return an element of batch_space(space, n) from sample_n(n), or inherit the method from Space.
    """
    if not callable(getattr(space, "sample_n", None)):
        raise Skip("the space has no method sample_n")
    if not draws_elements(space):
        raise Skip("samples are not in the space (GK701)")
    together, _, batch = batch_elements(space)
    if why_outside(together, batch):
        raise Skip("the batched space does not contain a batch of elements (GK743)")
    if why := why_outside(together, copy_of(space).sample_n(3)):
        show = "print(ops.batch_space(space, 3).contains(space.sample_n(3)))  # False"
        yield Fault(f"sample_n(3) is not in {short(together)}: {why}", "sample_n", show=show)
