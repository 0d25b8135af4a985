"""Test that the spaces of every installed package, and randomly nested spaces, satisfy every rule for spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gymkernel import checks, spaces
from gymkernel.spaces import utils
from gymkernel.testing import conformance

if TYPE_CHECKING:
    from collections.abc import Callable

# Each of these tests checks one distribution in separate processes. The tests below check every kind of space here.
test_box = pytest.mark.slow(conformance("gymkernel-space-box"))
test_dict = pytest.mark.slow(conformance("gymkernel-space-dict"))
test_discrete = pytest.mark.slow(conformance("gymkernel-space-discrete"))
test_graph = pytest.mark.slow(conformance("gymkernel-space-graph"))
test_multi_binary = pytest.mark.slow(conformance("gymkernel-space-multi-binary"))
test_multi_discrete = pytest.mark.slow(conformance("gymkernel-space-multi-discrete"))
test_one_of = pytest.mark.slow(conformance("gymkernel-space-one-of"))
test_sequence = pytest.mark.slow(conformance("gymkernel-space-sequence"))
test_text = pytest.mark.slow(conformance("gymkernel-space-text"))
test_tuple = pytest.mark.slow(conformance("gymkernel-space-tuple"))

sizes = st.integers(1, 3)
bounds = st.integers(-5, 5)


@st.composite
def boxes(draw: Callable[..., Any]) -> Any:
    dtype = draw(st.sampled_from([np.float32, np.float64, np.int8, np.int32, np.uint8]))
    shape = tuple(draw(st.lists(sizes, max_size=3)))
    low = 0 if dtype is np.uint8 else draw(bounds)
    high = low + draw(st.integers(0, 9))
    if np.dtype(dtype).kind == "f":
        low, high = draw(st.sampled_from([(low, high), (low, np.inf), (-np.inf, high), (-np.inf, np.inf)]))
    return spaces.Box(low, high, shape, dtype)


FLAT: tuple[Any, ...] = (
    boxes(),
    st.builds(spaces.Discrete, st.integers(1, 9), start=bounds),
    st.builds(spaces.MultiDiscrete, st.lists(sizes, min_size=1, max_size=3)),
    st.builds(spaces.MultiBinary, st.one_of(sizes, st.tuples(sizes, sizes))),
)
TEXTS = st.builds(
    spaces.Text, st.integers(2, 5), min_length=st.integers(0, 2), charset=st.sampled_from(["ab", "0123", "éλ🙂"])
)
GRAPHS = st.builds(spaces.Graph, st.one_of(*FLAT[:2]), st.one_of(st.none(), *FLAT[:2]))


def nested(leaves: Any) -> Any:
    """Return a Hypothesis strategy that generates nested spaces."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(spaces.Tuple),
            st.dictionaries(st.sampled_from("xyz"), inner, min_size=1, max_size=3).map(spaces.Dict),
            st.lists(inner, min_size=1, max_size=3).map(spaces.OneOf),
            st.builds(spaces.Sequence, inner, stack=st.booleans()),
        ),
        max_leaves=5,
    )


@pytest.mark.parametrize(
    "space", [nested(st.one_of(*FLAT)), nested(st.one_of(*FLAT, TEXTS, GRAPHS))], ids=["arrays", "all"]
)
@settings(max_examples=settings().max_examples // 2, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_nested_spaces_pass_the_rules(space: Any, data: st.DataObject) -> None:
    example = data.draw(space)

    report = checks.check(example)

    assert not report.findings, [str(finding) for finding in report.findings]
    assert not report.failure


@given(nested(st.one_of(*FLAT, TEXTS, GRAPHS)), nested(st.one_of(*FLAT, TEXTS, GRAPHS)))
def test_spaces_with_equal_descriptions_are_equal(one: Any, other: Any) -> None:
    assert (one == other) is (utils.space_to_spec(one) == utils.space_to_spec(other))
