"""Test that all vector backends accept and reject the same values returned by environments.

An observation is accepted if the space's arrays can represent it unchanged, except that a float may lose digits. Bounds
are not checked. A reward must be a number, a flag must be a bool, a number or None, and an info must be a mapping.
"""

from __future__ import annotations

import copy
from collections import OrderedDict, UserDict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from gymkernel import Env, Space, ops, plugins
from gymkernel.error import Error
from gymkernel.space import Field
from gymkernel.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, OneOf, Sequence, Text, Tuple
from gymkernel_util_vector.writing import ObservationMismatch

pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered in cast"),
    pytest.mark.filterwarnings("ignore:Warning. converting a masked element to nan"),
]
MODES = ["NextStep", "SameStep", "Disabled"]
WHERE = ["step", "last step", "reset", "automatic reset"]
BAD = 1
"""The index of the environment that returns the tested values. The other environments return ordinary values."""


class Own(Space[Any]):
    """A third-party space whose elements are single arrays."""

    def __init__(self, dtype: Any, shape: tuple[int, ...]) -> None:
        super().__init__(shape, dtype)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return np.asarray(self.np_random.random(self.shape) < 0.5, self.dtype)[...]

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == self.shape and x.dtype == self.dtype

    def layout(self) -> Any:
        return (Field.of(self.dtype, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.layout() == other.layout()

    __hash__ = None  # type: ignore[assignment]


fields: Any = st.sampled_from([np.float32, np.float16, np.float64, np.uint8, np.int16, np.int64, np.bool_])
shapes = st.sampled_from([(), (1,), (2,), (2, 3), (0,), (2, 0)])
leaves: Any = st.one_of(
    st.builds(lambda dtype, shape: Box(0, 1, shape, dtype), fields, shapes),
    st.builds(Own, fields, shapes),
    st.sampled_from([Discrete(3), Discrete(5, start=-2), MultiDiscrete([3, 4]), MultiBinary(2), MultiBinary((2, 2))]),
    st.sampled_from([Text(4), OneOf([Discrete(3), Box(0, 1, (2,))]), Sequence(Discrete(3))]),
)
spaces = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(Tuple), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(Dict)
    ),
    max_leaves=4,
)
NUMBERS = [
    0,
    1,
    2.0,
    1.5,
    300,
    -1,
    2**40,
    2**70,
    1e300,
    np.nan,
    np.inf,
    1j,
    True,
    "1",
    b"1",
    None,
    [],
    {},
    (),
    Fraction,
]
NUMBERS += [np.int8(1), np.uint16(7), np.float32(0.5), np.bool_(True), Fraction(1, 2), Decimal(1), "", "ab", "a b", "é"]
NUMBERS += [
    np.array(1),
    np.array([1.0]),
    [1],
    [[0, 1]],
    np.array([1.0, 0.0], object),
    np.ma.masked,
    (1, 2),
    {0: 1, 1: 0},
]
CHANGES = [
    lambda x: x + 0.5,
    lambda x: np.asarray(x, np.float64),
    lambda x: np.asarray(x, np.int64),
    lambda x: np.asarray(x, np.int8),
    lambda x: np.asarray(x, np.bool_),
    lambda x: np.asarray(x, object),
    lambda x: np.asarray(x, str),
    np.ma.array,
    lambda x: np.asarray(x)[None],
    lambda x: np.asarray(x)[..., None],
    lambda x: np.concatenate([x, x]),
    lambda x: x[:-1],
    lambda x: x[0],
    lambda x: x.tolist(),
    lambda x: tuple(x.tolist()),
    lambda x: [x],
    lambda x: x * 300,
    lambda x: -x,
]


@st.composite
def elements(draw: Any, space: Any) -> Any:
    """Return elements of a space. In some of them, one inner value is changed."""
    x = space.sample()
    if isinstance(space, Tuple | Dict) and len(space.spaces) and draw(st.integers(0, 3)):
        keys = list(space.spaces) if isinstance(space, Dict) else list(range(len(space.spaces)))
        key = draw(st.sampled_from(keys))
        inner = draw(elements(space[key]))
        return {**x, key: inner} if isinstance(space, Dict) else (*x[:key], inner, *x[key + 1 :])
    if isinstance(space, Dict):
        odd = [
            x,
            {**x, "more": 1},
            dict(list(x.items())[1:]),
            list(x.values()),
            OrderedDict(x),
            UserDict(x),
            None,
            3,
            "x",
        ]
        return draw(st.sampled_from(odd))
    if isinstance(space, Tuple):
        odd = [x, list(x), (*x, 1), x[1:], dict(enumerate(x)), np.array([*x, 0], object)[:-1], None, 3, "ab"]
        return draw(st.sampled_from(odd))
    if draw(st.booleans()):
        return draw(st.sampled_from(NUMBERS))
    try:
        return draw(st.sampled_from(CHANGES))(x)
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError):
        return x


steps: Any = st.one_of(
    st.sampled_from(NUMBERS).map(lambda reward: ("reward", reward)),
    st.sampled_from(NUMBERS).map(lambda flag: ("terminated", flag)),
    st.sampled_from(NUMBERS).map(lambda flag: ("truncated", flag)),
    st.sampled_from(
        [{}, {"a": 1}, OrderedDict(a=1), UserDict(a=1), MappingProxyType({"a": 1}), None, [], "", (), 3, [("a", 1)]]
    ).map(lambda info: ("info", info)),
    st.sampled_from([0, 3, 4, 6]).map(lambda n: ("values", n)),
)


class ScriptedEnv(Env[Any, Any]):
    """An environment whose results are selected by the action.

    The action is an index into `values`. An action equal to the length of `values` selects an ordinary result.
    """

    def __init__(self, space: Any, values: list[Any]) -> None:
        self.observation_space, self.action_space = space, Discrete(len(values) + 1)
        self.values: list[Any] = values
        self.next: Any = None
        self.good = self.fixed(space)

    @staticmethod
    def fixed(space: Any) -> Any:
        """Return the same element of a space on every call."""
        twin = copy.deepcopy(space)
        twin.seed(7)
        return twin.sample()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        chosen, self.next = self.next if options is None else self.values[options["which"]][1], None
        return (self.good if chosen is None else chosen[0]), {}

    def step(self, action: Any) -> Any:
        where, chosen = [*self.values, ("", None)][action]
        result: dict[str, Any] = {
            "observation": self.good,
            "reward": 1.0,
            "terminated": where in {"last step", "automatic reset"},
            "truncated": False,
            "info": {},
        }
        if where in {"step", "last step"}:
            result["observation"] = chosen[0]
        elif where == "automatic reset":
            self.next = chosen
        elif where == "values":
            return (*result.values(), 0)[:chosen]
        elif where:
            result[where] = chosen
        return tuple(result.values())


def outcome(act: Any) -> Any:
    """Return a call's result, or the type and message of the error that the call raised."""
    try:
        return act()
    except Exception as exc:
        failure = exc.__cause__ if isinstance(exc, Error) else exc  # a backend may raise its own subclass
        is_expected = isinstance(exc, ObservationMismatch | TypeError) and f"environment {BAD}" in str(failure)
        if not is_expected or str(failure) not in str(exc):
            raise
        return ObservationMismatch if isinstance(exc, ObservationMismatch) else TypeError, str(failure)


def results_of(envs: Any, values: list[Any]) -> Any:
    """For each value, yield the outcomes of a reset and of a step in which an environment returns the value."""
    ordinary = np.full(envs.num_envs, len(values))
    for which, (where, _) in enumerate(values):
        mask = np.arange(envs.num_envs) == BAD
        envs.reset()
        if where == "reset":
            yield outcome(lambda which=which, mask=mask: envs.reset(options={"which": which, "reset_mask": mask}))
            continue
        actions = np.where(mask, which, ordinary)
        yield outcome(lambda actions=actions: envs.step(actions))
        if where == "automatic reset" and envs.autoreset_mode.value == "NextStep":
            yield outcome(lambda: envs.step(ordinary))


BACKENDS: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in plugins.names("vector") if name != "SyncVectorEnv"]
BACKENDS += [("AsyncVectorEnv", {"shared_memory": False})] * ("AsyncVectorEnv" in plugins.names("vector"))


def compare_backends(kit: Any, space: Any, values: list[Any], mode: str) -> list[Any]:
    """Compare every backend's results with those of the synchronous backend, and return the latter."""
    make = [lambda: ScriptedEnv(space, values)] * 3
    with plugins.get("vector", "SyncVectorEnv")(make, autoreset_mode=mode) as envs:
        expected = list(results_of(envs, values))
    for name, options in BACKENDS:
        with plugins.get("vector", name)(make, autoreset_mode=mode, **options) as envs:
            for k, (seen, wanted) in enumerate(zip(results_of(envs, values), expected, strict=True)):
                kit.assert_same(seen, wanted, f"{name} {options}: outcome {k} of {values}")
    return expected


@st.composite
def scripts(draw: Any) -> Any:
    space = draw(spaces)
    space.seed(draw(st.integers(0, 99)))
    observed = st.tuples(st.sampled_from(WHERE), elements(space).map(lambda x: (x,)))
    return space, draw(st.lists(st.one_of(observed, observed, steps), min_size=1, max_size=12))


def _assert_backends_agree(kit: Any, script: Any, mode: str) -> None:
    space, values = script
    if mode == "Disabled":
        values = [value for value in values if value[0] != "automatic reset"]
    compare_backends(kit, space, values, mode)


quick = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


@pytest.mark.parametrize("mode", MODES)
@quick
@given(script=scripts())
def test_backends_accept_and_reject_the_same_values(kit: Any, mode: str, script: Any) -> None:
    _assert_backends_agree(kit, script, mode)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@settings(quick, max_examples=30)
@given(script=scripts())
def test_backends_accept_and_reject_many_values_alike(kit: Any, mode: str, script: Any) -> None:
    _assert_backends_agree(kit, script, mode)


def is_held(space: Any, x: Any) -> bool:
    """Return whether a space's arrays can represent a value. This is a slow, independent implementation."""
    if isinstance(space, Dict):
        return hasattr(x, "keys") and all(key in x and is_held(part, x[key]) for key, part in space.spaces.items())
    if isinstance(space, Tuple):
        whole = hasattr(x, "__len__") and len(x) == len(space.spaces) and not isinstance(x, str)
        keys = x if isinstance(x, dict) else range(len(space.spaces))
        return whole and all(i in keys and is_held(part, x[i]) for i, part in enumerate(space.spaces))
    array = np.asarray(x, None if is_regular(x) else object)
    right = array.shape == space.shape and array.dtype.kind in "biuf"
    return right and all(is_number(space, number) for number in array.flat)


def is_regular(x: Any) -> bool:
    """Return whether NumPy can create an array from a value."""
    try:
        np.asarray(x)
    except ValueError:
        return False
    return True


def is_number(space: Any, number: Any) -> bool:
    """Return whether a number stays the same when it is converted to a space's dtype."""
    if space.dtype.kind == "f":
        return True
    low, high = (0, 1) if space.dtype.kind == "b" else (np.iinfo(space.dtype).min, np.iinfo(space.dtype).max)
    return bool(np.isfinite(number)) and int(number) == number and low <= int(number) <= high


arrays = st.recursive(
    leaves.filter(lambda space: not isinstance(space, Text | OneOf | Sequence)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(Tuple), st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(Dict)
    ),
    max_leaves=4,
)


@settings(quick, max_examples=120)
@given(data=st.data())
def test_only_representable_values_are_accepted(data: Any) -> None:
    space = data.draw(arrays)
    space.seed(3)
    x = data.draw(elements(space))
    values = [("step", (x,))]

    with plugins.get("vector", "SyncVectorEnv")([lambda: ScriptedEnv(space, values)] * 3) as envs:
        (seen,) = list(results_of(envs, values))

    assert (len(seen) == 5) == is_held(space, x)
    if len(seen) == 5:
        good = envs.envs[0].good
        _assert_batch(space, seen[0], [envs.envs[0].good, x, envs.envs[2].good])
        assert space.contains(good)


def _assert_batch(space: Any, batch: Any, rows: list[Any]) -> None:
    if isinstance(space, Dict | Tuple):
        assert len(batch) == len(space.spaces)
        for key in space.spaces if isinstance(space, Dict) else range(len(space.spaces)):
            _assert_batch(space[key], batch[key], [row[key] for row in rows])
        return
    if isinstance(space, Own):
        assert type(batch) is tuple
        batch = np.array(batch)
    assert type(batch) is np.ndarray
    assert batch.dtype == space.dtype
    assert batch.tolist() == [np.asarray(row).astype(space.dtype).tolist() for row in rows] or space.dtype.kind == "f"


@pytest.mark.parametrize("copied", [True, False], ids=["copies", "views"])
@pytest.mark.parametrize(
    "space,x,text",
    [
        (Discrete(3), 1.5, "of shape () and dtype int64 from environment 1, got np.float64(1.5)"),
        (Box(0, 255, (), np.uint8), 300, "of shape () and dtype uint8 from environment 1, got np.int64(300)"),
        (Dict(a=Tuple([Box(0, 255, (), np.uint8)])), {"a": (2.7,)}, "['a'][0] of shape () and dtype uint8 from"),
        (Dict(a=Discrete(3), b=Text(2)), {"a": "1", "b": "x"}, "['a'] of shape () and dtype int64 from environment 1"),
        (Dict(a=Discrete(3), b=Text(2)), {"a": 1, "b": "xyz"}, "['b'] in Text(1, 2, charset="),
        (Dict(a=Discrete(3)), {}, "that is a dictionary with ['a'] from environment 1, got {}"),
        (Tuple([Discrete(3)]), (1, 2), "that is a tuple of 1 from environment 1, got (1, 2)"),
        (Box(0, 1, (2,)), np.zeros((2, 1)), "of shape (2,) and dtype float32 from environment 1, got shape (2, 1)"),
    ],
    ids=str,
)
def test_message_names_environment_part_and_both_values(space: Any, x: Any, text: str, copied: bool) -> None:
    values = [("step", (x,))]
    with plugins.get("vector", "SyncVectorEnv")([lambda: ScriptedEnv(space, values)] * 3, copy=copied) as envs:
        ((kind, message),) = list(results_of(envs, values))
        envs.reset()
        envs.step(np.full(3, 1))  # the environments continue after a reset

    assert kind is ObservationMismatch
    assert text in message


def test_rejected_observation_is_not_stored() -> None:
    values = [("step", (1.5,)), ("reset", (1.5,))]
    with plugins.get("vector", "SyncVectorEnv")([lambda: ScriptedEnv(Discrete(3), values)] * 3) as envs:
        first, _ = envs.reset()
        with pytest.raises(ObservationMismatch):
            envs.step(np.array([2, 0, 2]))
        with pytest.raises(ObservationMismatch):
            envs.reset(options={"which": 1, "reset_mask": np.array([False, True, False])})
        observed, *_ = envs.step(np.full(3, 2))

        assert observed.tolist() == first.tolist()


def test_differing_spaces_are_validated_by_their_common_structure() -> None:
    made = [lambda high=high: ScriptedEnv(Box(0, high, (), np.uint8), [("step", (300,))]) for high in (5, 9, 200)]
    with plugins.get("vector", "SyncVectorEnv")(made, observation_mode="different") as envs:
        ((kind, _),) = list(results_of(envs, [("step", (300,))]))

    assert kind is ObservationMismatch
    assert ops.is_space_dtype_shape_equiv(Box(0, 5, (), np.uint8), Box(0, 9, (), np.uint8))
