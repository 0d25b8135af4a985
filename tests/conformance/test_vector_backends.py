"""One contract: the same environments return the same through every vector backend that is installed.

A third party's backend is tested here as soon as it is installed, since backends are found by their entry points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gymkernel as gym
from gymkernel import Space, ops, plugins
from gymkernel.error import ClosedEnvironmentError, ResetNeeded
from gymkernel.space import Field
from gymkernel.vector.utils import info_of, iterate

if TYPE_CHECKING:
    from collections.abc import Callable

MODES = ["NextStep", "SameStep", "Disabled"]
mode = pytest.mark.parametrize("mode", MODES)


class Angle(Space[Any]):
    """A third party's space with a layout and nothing registered."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.uniform(-np.pi, np.pi, size=1)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (1,)

    def layout(self) -> Any:
        return (Field.of(float, (1,)),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Angle)

    __hash__ = None  # type: ignore[assignment]


class Mission(Space[str]):
    """A third party's space that says nothing of itself."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "go " * int(self.np_random.integers(1, 4))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mission)

    __hash__ = None  # type: ignore[assignment]


@ops.create_zero_array.register(Mission)
def _(space: Mission) -> str:
    return ""


def space(name: str) -> Any:
    return getattr(gym.spaces, name)


EXAMPLES: dict[str, list[Callable[[], Any]]] = {
    "Box": [
        lambda: space("Box")(-1, 1, (4,)),
        lambda: space("Box")(0, 255, (6, 5, 2), np.uint8),
        lambda: space("Box")(2, 9, (), np.int16),
        lambda: space("Box")(-1, 1, (0,)),
    ],
    "Discrete": [lambda: space("Discrete")(5, start=3)],
    "MultiDiscrete": [lambda: space("MultiDiscrete")([3, 4, 2]), lambda: space("MultiDiscrete")([[3, 4], [2, 5]])],
    "MultiBinary": [lambda: space("MultiBinary")(4), lambda: space("MultiBinary")((2, 3))],
    "Text": [lambda: space("Text")(6)],
    "Tuple": [lambda: space("Tuple")((space("Box")(-1, 1, (2,)), space("Discrete")(3))), lambda: space("Tuple")(())],
    "Dict": [lambda: space("Dict")({"a": space("Box")(-1, 1, (2,)), "b": space("Discrete")(3)})],
    "Sequence": [lambda: space("Sequence")(space("Box")(-1, 1, (2,))), lambda: space("Sequence")(space("Discrete")(3))],
    "Graph": [lambda: space("Graph")(space("Box")(-1, 1, (2,)), space("Discrete")(3))],
    "OneOf": [lambda: space("OneOf")((space("Box")(-1, 1, (2,)), space("Discrete")(3)))],
    "Angle": [Angle],
    "Mission": [Mission],
}
MAKERS = [
    pytest.param(make, id=f"{name}{k}")
    for name, makers in EXAMPLES.items()
    for k, make in enumerate(makers)
    if name in plugins.names("spaces") or not hasattr(gym.spaces, name)
]
box = EXAMPLES["Box"][0]
discrete = EXAMPLES["Discrete"][0]


def players(kit: Any, make: Any, make_action: Any = discrete, n: int = 5, **kwargs: Any) -> list[Any]:
    return [lambda i=i: kit.Player(i, make, make_action, **kwargs) for i in range(n)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("mode", ["NextStep", *(pytest.param(one, marks=pytest.mark.slow) for one in MODES[1:])])
def test_observations_of_every_space(kit: Any, backend: Any, make: Any, mode: str) -> None:
    kit.play(backend, players(kit, make), mode)


@pytest.mark.parametrize("make", [one for one in MAKERS if one.id != "Tuple1"])  # a batch of nothing has no length
def test_actions_of_every_space(kit: Any, backend: Any, make: Any) -> None:
    kit.play(backend, players(kit, box, make), "NextStep", steps=6)


def nested(leaves: list[str]) -> Any:
    leaf = st.sampled_from([make for name in leaves for make in EXAMPLES[name]]).map(lambda make: make)
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


@pytest.mark.skipif("Dict" not in plugins.names("spaces"), reason="nests Dict")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_nested_spaces(kit: Any, backend: Any, data: st.DataObject) -> None:
    everything = nested([name for name in EXAMPLES if name in plugins.names("spaces")])
    make, make_action = data.draw(everything), data.draw(nested(["Box", "Discrete", "MultiDiscrete"]))
    kit.play(backend, players(kit, make, make_action, n=3), data.draw(st.sampled_from(MODES)), steps=12)


@mode
@pytest.mark.parametrize("copy", [True, False], ids=["copy", "views"])
def test_infos_of_changing_types_and_shapes(kit: Any, backend: Any, mode: str, copy: bool) -> None:
    kit.play(backend, players(kit, box, tell=True), mode, steps=24, copy=copy)


@pytest.mark.parametrize(
    "seed", [None, 3, np.int64(3), [1, None, 3, None, 5], np.arange(5), (np.int32(4),) * 5], ids=repr
)
def test_seeds(kit: Any, backend: Any, seed: Any) -> None:
    plain = kit.Plain(players(kit, box), "NextStep")
    with backend(players(kit, box)) as envs:
        kit.assert_same(envs.reset(seed=seed), plain.reset(seed=seed), "reset")
        if seed is not None:
            assert envs.np_random_seed[0] == plain.envs[0].np_random_seed


@pytest.mark.parametrize("seed", [[1, 2], "abc"], ids=repr)
def test_wrong_seeds_are_refused(kit: Any, backend: Any, seed: Any) -> None:
    with backend(players(kit, box)) as envs:
        with pytest.raises((ValueError, TypeError)):
            envs.reset(seed=seed)
        envs.reset(seed=1)


def test_environments_reset_alone(kit: Any, backend: Any) -> None:
    plain = kit.Plain(players(kit, box, tell=True), gym.vector.AutoresetMode.NEXT_STEP)
    with backend(players(kit, box, tell=True)) as envs:
        for k, mask in enumerate(([1, 0, 0, 1, 0], [0, 1, 1, 0, 1], [0, 0, 0, 0, 1])):
            options = {"reset_mask": np.array(mask, np.bool_), "k": k}
            kit.assert_same(envs.reset(seed=k, options=options), plain.reset(seed=k, options=options), f"reset {k}")
        for step in range(12):
            actions = np.full(5, 3 + step % 5)
            kit.assert_same(envs.step(actions), plain.step(actions), f"step {step}")
            if step == 5:
                options = {"reset_mask": np.array([0, 1, 0, 0, 1], np.bool_)}
                kit.assert_same(envs.reset(options=options), plain.reset(options=options), "reset between")


@pytest.mark.parametrize(
    "mask", [[True] * 5, np.ones(5), np.ones(4, np.bool_), np.zeros(5, np.bool_), np.ones((5, 1), np.bool_)], ids=str
)
def test_wrong_masks_are_refused(kit: Any, backend: Any, mask: Any) -> None:
    with backend(players(kit, box)) as envs, pytest.raises((TypeError, ValueError), match="reset_mask"):
        envs.reset(options={"reset_mask": mask})


def test_stepping_too_early_is_refused(kit: Any, backend: Any) -> None:
    with backend(players(kit, box, n=2), autoreset_mode="Disabled") as envs:
        with pytest.raises(ResetNeeded):
            envs.step(np.array([3, 3]))
        envs.reset()
        done = np.zeros(2, np.bool_)
        while not done.any():
            _, _, ends, cuts, _ = envs.step(np.array([3, 3]))
            done = ends | cuts
        with pytest.raises(ResetNeeded, match=r"(?i)environment"):
            envs.step(np.array([3, 3]))


def test_a_wrong_number_of_actions_is_refused_and_nothing_has_happened(kit: Any, backend: Any) -> None:
    plain = kit.Plain(players(kit, box), gym.vector.AutoresetMode.NEXT_STEP)
    with backend(players(kit, box)) as envs:
        envs.reset(seed=1)
        plain.reset(seed=1)
        for actions in (np.full(4, 3), [3] * 6, np.full(0, 3)):
            with pytest.raises(ValueError, match="5"):
                envs.step(actions)
        kit.assert_same(envs.step(np.full(5, 3)), plain.step(np.full(5, 3)), "step")


@pytest.mark.parametrize("actions", [[3, 4, 5, 6, 7], np.arange(3, 8, dtype=np.int32), (3,) * 5], ids=str)
def test_actions_arrive_in_the_types_in_which_they_were_given(kit: Any, backend: Any, actions: Any) -> None:
    plain = kit.Plain(players(kit, box), gym.vector.AutoresetMode.NEXT_STEP)
    with backend(players(kit, box)) as envs:
        envs.reset(seed=1)
        plain.reset(seed=1)
        kit.assert_same(envs.step(actions), plain.step(actions), "step")


def test_observation_modes(kit: Any, backend: Any) -> None:
    makers = [lambda i=i: kit.Player(i, lambda: space("Box")(0, 1 + i, (2,)), discrete) for i in range(3)]
    with pytest.raises(RuntimeError, match="observation space"):
        backend(makers)
    with backend(makers, observation_mode="different") as envs:
        assert envs.observation_space == space("Box")(0, np.repeat([[1], [2], [3]], 2, 1).astype(np.float32), (3, 2))
        plain = kit.Plain(makers, gym.vector.AutoresetMode.NEXT_STEP)
        kit.assert_same(envs.reset(seed=1), plain.reset(seed=1), "reset")
    single = space("Box")(0, 9, (2,))
    with backend(makers, observation_mode=(ops.batch_space(single, 3), single)) as envs:
        assert envs.single_observation_space == single
        envs.reset()
    with pytest.raises(RuntimeError, match="shape and dtype"):
        backend(
            [makers[0], lambda: kit.Player(0, lambda: space("Box")(0, 1, (3,)), discrete)], observation_mode="different"
        )
    with pytest.raises(RuntimeError, match="action space"):
        backend([makers[0], lambda: kit.Player(0, lambda: space("Box")(0, 1, (2,)), box)])
    with pytest.raises(ValueError, match="observation_mode"):
        backend(makers, observation_mode="other")


@pytest.mark.parametrize("make", [Angle, Mission], ids=["layout", "nothing"])
@pytest.mark.parametrize("observation_mode", ["same", "different", "explicit"])
def test_spaces_of_third_parties_in_every_observation_mode(
    kit: Any, backend: Any, make: Any, observation_mode: str
) -> None:
    single = make()
    chosen = (ops.batch_space(single, 5), single) if observation_mode == "explicit" else observation_mode
    kit.play(backend, players(kit, make), "NextStep", observation_mode=chosen)


def test_batches_are_of_their_own_unless_views_are_asked_for(kit: Any, backend: Any) -> None:
    with backend(players(kit, box)) as envs:
        first, _ = envs.reset(seed=1)
        kept = first.copy()
        envs.step(np.full(5, 3))
        np.testing.assert_array_equal(first, kept)


def test_attributes_and_methods(kit: Any, backend: Any) -> None:
    with backend(players(kit, box, n=3)) as envs:
        assert envs.get_attr("number") == envs.call("number") == (0, 1, 2)
        envs.set_attr("total", [4, 5, 6])
        assert envs.get_attr("total") == (4, 5, 6)
        envs.set_attr("total", 7)
        assert envs.get_attr("total") == (7, 7, 7)
        assert envs.call("has_wrapper_attr", "nothing") == (False,) * 3
        with pytest.raises(AttributeError, match="nothing"):
            envs.get_attr("nothing")
        with pytest.raises(ValueError, match="3"):
            envs.set_attr("total", [1])
        envs.reset()


@mode
@pytest.mark.parametrize("make", [box, *EXAMPLES["Dict"], *EXAMPLES["Text"]], ids=["Box", "Dict", "Text"])
def test_some_environments_step_and_the_others_stay_as_they_are(kit: Any, backend: Any, make: Any, mode: str) -> None:
    n, draw = 5, np.random.default_rng(3)
    fns = players(kit, make, n=n, tell=True)
    with backend(fns, autoreset_mode=mode) as envs:
        alone = [kit.Plain([fn], envs.autoreset_mode) for fn in fns]
        envs.reset(seed=4)
        for i, one in enumerate(alone):
            one.reset(seed=4 + i)
        for _ in range(40):
            mask = draw.random(n) < 0.6
            actions = draw.integers(3, 8, n)
            observations, rewards, terminations, truncations, infos = envs.step_masked(actions, mask)
            seen = list(iterate(envs.observation_space, observations))
            for i in np.flatnonzero(mask).tolist():
                _, *results, info = alone[i].step(actions[i : i + 1])
                kit.assert_same([rewards[i], terminations[i], truncations[i]], [part[0] for part in results])
                assert info_of(infos, i).keys() == info_of(info, 0).keys()
            kit.assert_same(seen, [one.observations[0] for one in alone])
            for part in (rewards, terminations, truncations):
                assert not part[~mask].any()
            if mode == "Disabled" and (terminations | truncations).any():
                ended = np.flatnonzero(terminations | truncations).tolist()
                envs.reset(options={"reset_mask": terminations | truncations})
                for i in ended:
                    alone[i].reset()


def test_no_environment_at_all_may_step(kit: Any, backend: Any) -> None:
    with backend(players(kit, box)) as envs:
        first, _ = envs.reset(seed=1)
        observations, rewards, *_, infos = envs.step_masked(np.full(5, 3), np.zeros(5, np.bool_))
    np.testing.assert_array_equal(observations, first)
    assert not rewards.any()
    assert infos == {}


@pytest.mark.parametrize("mask", [np.ones(4, np.bool_), np.ones(5, np.int64), [True] * 5], ids=["short", "int", "list"])
def test_what_is_no_mask_steps_nothing(kit: Any, backend: Any, mask: Any) -> None:
    with backend(players(kit, box)) as envs:
        envs.reset(seed=1)
        with pytest.raises(ValueError, match=r"^Expected a mask of bool for 5 environments"):
            envs.step_masked(np.full(5, 3), mask)
        assert envs.call("total") == (0,) * 5


def test_methods_of_some_environments(kit: Any, backend: Any) -> None:
    mask = np.array([True, False, True])
    with backend(players(kit, box, n=3)) as envs:
        envs.reset(seed=4)
        drawn = envs.call_masked(mask, "np_random.uniform", 0, high=2)
        again = envs.call_masked(~mask, "np_random.uniform", 0, high=2)
        alone = [np.random.Generator(np.random.PCG64(np.random.SeedSequence(4 + i))).uniform(0, 2) for i in range(3)]
        assert drawn == (alone[0], None, alone[2])
        assert again == (None, alone[1], None)
        with pytest.raises(AttributeError, match="nothing"):
            envs.call_masked(mask, "np_random.nothing")


def test_closed_means_closed(kit: Any, backend: Any) -> None:
    envs = backend(players(kit, box))
    envs.close()
    envs.close()
    assert envs.closed
    with pytest.raises(ClosedEnvironmentError):
        envs.reset()
    with pytest.raises(ClosedEnvironmentError):
        envs.step(np.full(5, 3))


def test_what_a_constructor_raises_is_raised(kit: Any, backend: Any) -> None:
    def broken() -> Any:
        raise LookupError("no licence")

    with pytest.raises(LookupError, match="no licence"):
        backend([*players(kit, box), broken])
    with pytest.raises(ValueError, match="at least one"):
        backend([])


def test_make_vec_takes_the_backend_by_its_name(backend: Any) -> None:
    for name in (backend.__name__, backend.__name__.removesuffix("VectorEnv").lower()):
        with gym.make_vec("CartPole-v1", 3, name) as envs:
            assert type(envs) is backend
            assert repr(envs) == f"{backend.__name__}(CartPole-v1, num_envs=3)"
            assert envs.reset(seed=1)[0].shape == (3, 4)


def test_cartpole_is_the_same_everywhere(kit: Any, backend: Any) -> None:
    kit.play(backend, [lambda: gym.make("CartPole-v1", max_episode_steps=20)] * 4, "NextStep", steps=80)


class Reusing(gym.Env[Any, Any]):
    """An environment that returns one array again and again."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = box(), discrete()
        self.array = np.zeros(4, np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.array[:] = 0
        return self.array, {"array": self.array}

    def step(self, action: Any) -> Any:
        self.array += 1
        return self.array, np.float32(1), bool(self.array[0] == 2), False, {"array": self.array}


def test_an_environment_may_use_its_arrays_again(backend: Any) -> None:
    with backend([Reusing] * 2, autoreset_mode="SameStep") as envs:
        envs.reset()
        first = envs.step(np.full(2, 3))[0]
        observations, _, ends, _, infos = envs.step(np.full(2, 3))
        assert ends.all()
        assert first.tolist() == [[1] * 4] * 2
        assert observations.tolist() == [[0] * 4] * 2
        assert [one.tolist() for one in infos["final_obs"]] == [[2] * 4] * 2


@pytest.mark.parametrize("name", ["Text", "OneOf", "Graph", "Sequence"])
def test_parts_without_arrays_are_read_anew_every_step(kit: Any, backend: Any, name: str) -> None:
    """Gymnasium's D1 (the placeholder of the constructor, forever) and D7 (a raw TypeError)."""
    if name not in plugins.names("spaces"):
        pytest.skip(f"{name} is not installed")
    make = EXAMPLES[name][0]
    with backend(players(kit, make)) as envs:
        seen = [str(envs.reset(seed=1)[0])] + [str(envs.step(np.full(5, 3))[0]) for _ in range(4)]
    assert len(set(seen)) > 1
