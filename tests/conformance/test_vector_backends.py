"""Test that the same environments return the same results with every installed vector backend.

Backends are found by their entry points, so a third-party backend is tested as soon as it is installed. Authors of
other backends can run the same tests with `gymkernel.testing.backend_conformance`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel import plugins
from gymkernel.testing import backend_conformance
from gymkernel.vector import SyncVectorEnv
from gymkernel_tool_check.backends.every_case import EVERY_CASE
from gymkernel_tool_check.backends.observations import MODES
from gymkernel_tool_check.backends.players import SPACES, players

IN_EVERY_MODE = {
    "observations_of_every_space": ("NextStep]",),
    "random_nested_spaces": ("NextStep]",),
    "infos_of_changing_types_and_shapes": ("[copy-NextStep]", "[views-SameStep]", "[copy-Disabled]"),
    "some_environments_step_and_the_others_stay_as_they_are": ("[Box-NextStep]", "[Dict-SameStep]", "[Text-Disabled]"),
}
"""The ends of the names of the fast test cases among those that have a test case for every mode."""


def marks(name: str) -> Any:
    """Return the mark "slow" for most of the test cases that have a test case for every mode."""
    return () if name.endswith(IN_EVERY_MODE.get(name.partition("[")[0], "")) else (pytest.mark.slow,)


@pytest.mark.parametrize("case", [pytest.param(each, id=each.name, marks=marks(each.name)) for each in EVERY_CASE])
def test_backend_contract(backend: Any, case: Any) -> None:
    case(backend)


def test_every_installed_space_is_in_the_contract() -> None:
    assert set(plugins.names("spaces")) - {"GraphInstance"} <= set(SPACES)


def space(name: str) -> Any:
    return getattr(gym.spaces, name)


def nested(leaves: list[str]) -> Any:
    leaf = st.sampled_from([make for name in leaves for make in SPACES[name]]).map(lambda make: make)
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(
                lambda makers: lambda: space("Tuple")([make() for make in makers])
            ),
            st.dictionaries(st.sampled_from("xyz"), inner, min_size=1, max_size=3).map(
                lambda makers: lambda: space("Dict")({key: make() for key, make in makers.items()})
            ),
        ),
        max_leaves=5,
    )


@pytest.mark.skipif("Dict" not in plugins.names("spaces"), reason="the test nests Dict, which is not installed")
@settings(max_examples=min(15, settings().max_examples))
@given(data=st.data())
def test_random_nested_spaces(kit: Any, backend: Any, data: st.DataObject) -> None:
    everything = nested(list(SPACES))
    make, make_action = data.draw(everything), data.draw(nested(["Box", "Discrete", "MultiDiscrete"]))
    kit.play(backend, players(make, make_action, n=3), data.draw(st.sampled_from(MODES)), steps=12)


def test_make_vec_selects_the_backend_by_name(backend: Any) -> None:
    for name in (backend.__name__, backend.__name__.removesuffix("VectorEnv").lower()):
        with gym.make_vec("CartPole-v1", 3, name) as envs:
            assert type(envs) is backend
            assert repr(envs) == f"{backend.__name__}(CartPole-v1, num_envs=3)"
            assert envs.reset(seed=1)[0].shape == (3, 4)


def test_cartpole_is_the_same_in_every_backend(kit: Any, backend: Any) -> None:
    kit.play(backend, [lambda: gym.make("CartPole-v1", max_episode_steps=20)] * 4, "NextStep", steps=80)


class LosesRewards(SyncVectorEnv[Any, Any, Any]):
    """A faulty backend that returns only zero rewards."""

    def step(self, actions: Any) -> Any:
        observations, rewards, *rest = super().step(actions)
        return observations, np.zeros_like(rewards), *rest


def failing(backend: Any, select: str) -> dict[str, str]:
    """Run the public conformance tests on a backend, and return the error messages of those that fail."""
    test = backend_conformance(backend, select=select)
    found: dict[str, str] = {}
    for parameter in test.pytestmark[0].args[1]:  # type: ignore[attr-defined]
        try:
            test(case=parameter.values[0])
        except AssertionError as exc:
            found[parameter.id] = str(exc)
    return found


def test_kit_finds_a_defect() -> None:
    assert failing("SyncVectorEnv", "actions_arrive") == {}
    messages = failing(LosesRewards, "actions_arrive")
    assert len(messages) == 3
    assert all("step[1]" in message for message in messages.values())


def test_kit_rejects_unknown_expected_failures() -> None:
    marked = backend_conformance(LosesRewards, expected_failures={"seeds[3]": "known"}).pytestmark[0]  # type: ignore[attr-defined]
    assert [parameter.id for parameter in marked.args[1] if parameter.marks] == ["seeds[3]"]
    with pytest.raises(ValueError, match="names of test cases"):
        backend_conformance(LosesRewards, expected_failures={"seed": "known"})


def test_backend_arguments_are_passed_on() -> None:
    with pytest.raises(TypeError, match="colour"):
        backend_conformance("SyncVectorEnv", select="closed", colour=1)(
            case=next(each for each in EVERY_CASE if each.name == "closed_means_closed")
        )
