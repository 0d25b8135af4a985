"""Tests of the intended differences from Gymnasium 1.4, which this file lists completely with their reasons.

A number such as D9 belongs to the project's list of defects that were reproduced with Gymnasium's wheel. Every test
checks the behaviour of both libraries. A test fails if Gymnasium changes and the difference disappears. The values that
vector environments accept from environments have their own lists in test_returned_values.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control import cartpole as peer
from tests.peers.both import LIBRARIES, outcome, same

import gymkernel
from gymkernel_env_classic_control import CartPoleEnv, CartPoleVectorEnv

N = 2


def infos_of(library: Any, *infos: dict[str, Any]) -> Any:
    envs = library.vector.VectorEnv()
    envs.num_envs = len(infos)
    batch: dict[str, Any] = {}
    for i, info in enumerate(infos):
        batch = envs._add_info(batch, info, i)
    return batch


def both(call: Any) -> tuple[Any, Any]:
    ours, theirs = (outcome(call, library) for library in LIBRARIES)
    return ours, theirs


class TestSpaces:
    def test_custom_space_has_all_operations_d8(self) -> None:
        def flattened(library: Any) -> Any:
            class Pair(library.Space):  # type: ignore[misc]
                def layout(self) -> Any:
                    return (gymkernel.space.Field.of("f4", (2,)),)

            return library.spaces.flatten(Pair(), np.ones(2, np.float32)).tolist()

        assert both(flattened) == ([1.0, 1.0], "it raises")

    def test_box_subclass_works_with_batch_differing_spaces_d8(self) -> None:
        def batched(library: Any) -> Any:
            class Own(library.spaces.Box):  # type: ignore[misc]
                pass

            return library.vector.utils.batch_differing_spaces([Own(0, 1), Own(0, 2)]).shape

        assert both(batched) == ((2, 1), "it raises")

    def test_empty_elements_keep_their_number(self) -> None:
        def kept(library: Any) -> Any:
            space = library.spaces.Tuple([])
            return space.from_jsonable(space.to_jsonable([(), ()]))

        def iterated(library: Any) -> Any:
            made = library.spaces
            space = library.vector.utils.batch_space(made.Dict(a=made.Tuple([]), b=made.Discrete(3)), 2)
            return [int(x["b"]) for x in library.vector.utils.iterate(space, {"a": (), "b": np.array([2, 1])})]

        assert both(kept) == ([(), ()], [])
        assert both(iterated) == ([2, 1], "it raises")

    def test_numpy_integers_are_valid_seeds_d12(self) -> None:
        assert both(lambda library: library.spaces.Discrete(5).seed(np.int64(3))) == (3, "it raises")
        assert both(lambda library: library.make("CartPole-v1").reset(seed=np.uint8(3))[1]) == ({}, "it raises")
        envs = [library.make_vec("CartPole-v1", 2, "sync") for library in LIBRARIES]
        assert [outcome(lambda: env.reset(seed=np.int64(3))[1]) for env in envs] == [{}, "it raises"]  # noqa: B023

    def test_uint64_samples_reach_the_maximum_d14(self) -> None:
        ours, theirs = both(lambda library: library.spaces.Box(0, 2**64 - 1, (100,), np.uint64, seed=1).sample())
        assert ours.max() > 2**63
        assert not theirs.any()

    def test_int64_samples_reach_the_maximum_d14(self) -> None:
        top = np.iinfo(np.int64).max
        ours, theirs = both(lambda library: library.spaces.Box(0, top, (100,), np.int64, seed=1).sample())
        assert ours.max() > 2**60
        assert isinstance(theirs, str)  # Gymnasium raises an error

    def test_bounds_of_the_caller_are_not_modified(self) -> None:
        def lowered(library: Any) -> Any:
            low = np.array([-np.inf, 0])
            library.spaces.Box(low, np.array([5.0, 5.0]), dtype=np.int32)
            return low[0]

        ours, theirs = both(lowered)
        assert ours == -np.inf
        assert theirs != -np.inf

    def test_zero_dimensional_box_samples_arrays(self) -> None:
        ours, theirs = both(lambda library: type(library.spaces.Box(0, 5, (), np.int8).sample()))
        assert (ours, theirs) == (np.ndarray, np.int8)

    def test_contains_returns_false_for_incomparable_values(self) -> None:
        ragged = ([0.5], 1, [1, 2])
        assert both(lambda library: library.spaces.MultiDiscrete([2, 2, 2]).contains(ragged)) == (False, "it raises")
        assert both(lambda library: library.spaces.Tuple([]).contains(np.array(1))) == (False, "it raises")


class TestVectorEnvironments:
    def test_infos_keep_the_values_of_every_environment_d9(self) -> None:
        ours, theirs = both(lambda library: infos_of(library, {"x": 1}, {"x": 1.5})["x"].tolist())
        assert ours == [1, 1.5]
        assert theirs == [1, 1]

    def test_infos_with_arrays_of_different_shapes_d9(self) -> None:
        ours, theirs = both(lambda library: infos_of(library, {"x": np.zeros(2)}, {"x": np.zeros(3)}))
        assert [len(x) for x in ours["x"]] == [2, 3]
        assert theirs == "it raises"

    def test_reset_does_not_modify_the_callers_options_d10(self) -> None:
        def left(library: Any) -> Any:
            envs = library.make_vec("CartPole-v1", N, "sync")
            envs.reset(seed=1)
            options = {"reset_mask": np.array([True, False])}
            envs.reset(options=options)
            return list(options)

        assert both(left) == (["reset_mask"], [])

    def test_observation_wrappers_support_same_step_d11(self) -> None:
        def wrapped(library: Any) -> Any:
            class Negative(library.vector.VectorObservationWrapper):  # type: ignore[misc]
                def observations(self, observations: Any) -> Any:
                    return -observations

            options = {"autoreset_mode": library.vector.AutoresetMode.SAME_STEP}
            envs = Negative(library.make_vec("CartPole-v1", N, "sync", vector_kwargs=options, max_episode_steps=1))
            envs.reset(seed=1)
            return [final.shape for final in envs.step(np.zeros(N, np.int64))[4]["final_obs"]]

        assert both(wrapped) == ([(4,), (4,)], "it raises")

    def test_vector_environment_is_a_context_manager(self) -> None:
        def opened(library: Any) -> Any:
            with library.make_vec("CartPole-v1", N) as envs:
                return type(envs).__name__

        assert both(opened) == ("CartPoleVectorEnv", "it raises")

    def test_closed_vector_environment_raises(self) -> None:
        def closed(library: Any) -> str:
            envs = library.make_vec("CartPole-v1", N, "sync")
            envs.reset(seed=1)
            envs.close()
            try:
                envs.step(np.zeros(N, np.int64))
            except library.error.ClosedEnvironmentError:
                return "says so"
            return "steps on"

        assert both(closed) == ("says so", "steps on")


class TestWrappers:
    def test_info_at_the_limit_has_the_old_key(self) -> None:
        def limit_infos(library: Any) -> list[dict[str, Any]]:
            env = library.make("Pendulum-v1", max_episode_steps=2)
            env.reset(seed=1)
            return [env.step(np.zeros(1, np.float32))[4] for _ in range(2)]

        assert both(limit_infos) == ([{}, {"TimeLimit.truncated": True}], [{}, {}])

    def test_wrapper_of_a_vector_environment_is_its_vector_form(self) -> None:
        def recorded(library: Any) -> str:
            envs = library.wrappers.RecordEpisodeStatistics(library.make_vec("CartPole-v1", N, "sync"))
            return f"{type(envs).__module__} {envs.num_envs}"

        assert both(recorded) == ("gymkernel_wrapper_record_episode_statistics.vector 2", "it raises")

    def test_time_without_a_limit_is_unbounded(self) -> None:
        def high(library: Any) -> float:
            env = library.wrappers.TimeAwareObservation(library.make("CartPole-v1", max_episode_steps=-1))
            return float(env.observation_space.high[-1])

        assert both(high) == (np.inf, "it raises")


class TestRegistration:
    def test_namespaces_can_be_nested(self) -> None:
        parsed = both(lambda library: library.envs.registration.parse_env_id("lab/deep/Maze-v0"))
        assert parsed == (("lab/deep", "Maze", 0), "it raises")


class TestCartPole:
    def test_errors_have_their_own_type(self) -> None:
        ours: Any = CartPoleEnv()
        theirs: Any = peer.CartPoleEnv()
        with pytest.raises(gymkernel.error.ResetNeeded):
            ours.step(0)
        with pytest.raises(AssertionError):
            theirs.step(0)
        ours.reset(seed=1)
        theirs.reset(seed=1)
        with pytest.raises(gymkernel.error.InvalidAction):
            ours.step(2)
        with pytest.raises(AssertionError):
            theirs.step(2)

    def test_failing_reset_changes_nothing(self) -> None:
        seeds = []
        for cls in (CartPoleEnv, peer.CartPoleEnv):
            env = cls()
            env.reset(seed=1)
            outcome(env.reset, seed=9, options={"low": 1})
            seeds.append(env.np_random_seed)
        assert seeds == [1, 9]

    def test_vectorised_form_supports_partial_resets(self) -> None:
        marked = np.array([True, False])
        moved = []
        for cls in (CartPoleVectorEnv, peer.CartPoleVectorEnv):
            envs = cls(N)
            before, _ = envs.reset(seed=1)
            after, _ = envs.reset(options={"reset_mask": marked})
            moved.append((before != after).all(axis=1).tolist())
        assert moved == [[True, False], [True, True]]

    def test_vectorised_form_accepts_a_seed_for_each_environment(self) -> None:
        single, _ = gymnasium.make("CartPole-v1").reset(seed=7)
        ours, theirs = (outcome(cls(N).reset, seed=[3, 7]) for cls in (CartPoleVectorEnv, peer.CartPoleVectorEnv))
        assert same(ours[0][1], single)
        assert theirs == "it raises"

    def test_vectorised_form_supports_every_autoreset_mode(self) -> None:
        ours, theirs = (
            outcome(library.make_vec, "CartPole-v1", N, "vector_entry_point", autoreset_mode="SameStep")
            for library in LIBRARIES
        )
        assert ours.metadata["autoreset_mode"].value == "SameStep"
        assert theirs == "it raises"

    def test_actions_can_be_a_list(self) -> None:
        answers = []
        for cls in (CartPoleVectorEnv, peer.CartPoleVectorEnv):
            envs = cls(N)
            envs.reset(seed=1)
            answers.append(outcome(envs.step, [0, 1]))
        assert answers[0][1].tolist() == [1, 1]
        assert answers[1] == "it raises"

    def test_rewards_are_never_negative_zero(self) -> None:
        signs = []
        for cls in (CartPoleVectorEnv, peer.CartPoleVectorEnv):
            envs = cls(N, sutton_barto_reward=True)
            envs.reset(seed=1)
            signs.append(bool(np.signbit(envs.step(np.zeros(N, np.int64))[1]).any()))
        assert signs == [False, True]
