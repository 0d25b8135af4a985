"""Test cases about the calls to a vector environment: resets, steps, steps of some environments, and other methods."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gymkernel.error import ClosedEnvironmentError, ResetNeeded
from gymkernel.infos import info_of
from gymkernel.ops import iterate
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.cases import Backend, case, expect, refuses
from gymkernel_tool_check.backends.comparison import assert_same, beside, play
from gymkernel_tool_check.backends.observations import EVERY_SPACE, MODES
from gymkernel_tool_check.backends.players import SPACES, box, players
from gymkernel_tool_check.probes.probe_envs import ReferenceVectorEnv

SEEDS: dict[str, Any] = {
    "None": None,
    "3": 3,
    "int64": np.int64(3),
    "list": [1, None, 3, None, 5],
    "array": np.arange(5),
    "tuple": (np.int32(4),) * 5,
}


@case(*((name, {"seed": seed}) for name, seed in SEEDS.items()))
def seeds(backend: Backend, seed: Any) -> None:
    """Check an integer seed, which is incremented for each environment, and a list with one seed per environment."""
    plain = ReferenceVectorEnv(players(box), AutoresetMode.NEXT_STEP)
    with backend(players(box)) as envs:
        assert_same(envs.reset(seed=seed), plain.reset(seed=seed), "reset")
        if seed is not None:
            expect(envs.np_random_seed[0], plain.envs[0].np_random_seed, "np_random_seed of environment 0")


@case(("too few", {"seed": [1, 2]}), ("text", {"seed": "abc"}))
def wrong_seeds_are_refused(backend: Backend, seed: Any) -> None:
    """Check that invalid seeds raise an exception, and that the vector environment can be reset afterwards."""
    with backend(players(box)) as envs:
        refuses(lambda: envs.reset(seed=seed), (ValueError, TypeError))
        envs.reset(seed=1)


@case()
def environments_reset_alone(backend: Backend) -> None:
    """Check resets of only some environments, selected by a mask, at the beginning and in the middle of episodes."""
    plain = ReferenceVectorEnv(players(box, tell=True), AutoresetMode.NEXT_STEP)
    with backend(players(box, tell=True)) as envs:
        for k, mask in enumerate(([1, 0, 0, 1, 0], [0, 1, 1, 0, 1], [0, 0, 0, 0, 1])):
            options = {"reset_mask": np.array(mask, np.bool_), "k": k}
            assert_same(envs.reset(seed=k, options=options), plain.reset(seed=k, options=options), f"reset {k}")
        for step in range(12):
            actions = np.full(5, 3 + step % 5)
            assert_same(envs.step(actions), plain.step(actions), f"step {step}")
            if step == 5:
                options = {"reset_mask": np.array([0, 1, 0, 0, 1], np.bool_)}
                assert_same(envs.reset(options=options), plain.reset(options=options), "reset between")


@case(
    ("list", {"mask": [True] * 5}),
    ("floats", {"mask": np.ones(5)}),
    ("too short", {"mask": np.ones(4, np.bool_)}),
    ("none", {"mask": np.zeros(5, np.bool_)}),
    ("column", {"mask": np.ones((5, 1), np.bool_)}),
)
def wrong_reset_masks_are_refused(backend: Backend, mask: Any) -> None:
    """Check that a reset mask is rejected unless it is a bool array that selects at least one environment."""
    with backend(players(box)) as envs:
        refuses(lambda: envs.reset(options={"reset_mask": mask}), (TypeError, ValueError), "reset_mask")


# a batch of empty tuples would have no length
@case(*((name, {"make": make}) for name, make in EVERY_SPACE if name != "Tuple1"))
def actions_of_every_space(backend: Backend, make: Any) -> None:
    """Check that a backend preserves the types and dtypes of actions, for every action space."""
    play(backend, players(box, make), "NextStep", steps=6)


@case(
    ("list", {"actions": [3, 4, 5, 6, 7]}),
    ("int32", {"actions": np.arange(3, 8, dtype=np.int32)}),
    ("tuple", {"actions": (3,) * 5}),
)
def actions_arrive_in_the_types_in_which_they_were_given(backend: Backend, actions: Any) -> None:
    """Check that each environment receives its action with the same type as in a plain loop."""
    with beside(backend, players(box)) as (envs, plain):
        assert_same(envs.step(actions), plain.step(actions), "step")


@case()
def a_wrong_number_of_actions_steps_nothing(backend: Backend) -> None:
    """Check that a wrong number of actions raises before any environment is stepped, and that the next step works."""
    with beside(backend, players(box)) as (envs, plain):
        for actions in (np.full(4, 3), [3] * 6, np.full(0, 3)):
            refuses(partial(envs.step, actions), ValueError, "5")
        assert_same(envs.step(np.full(5, 3)), plain.step(np.full(5, 3)), "step")


@case()
def stepping_too_early_is_refused(backend: Backend) -> None:
    """Check that `step` raises before the first reset and, in DISABLED mode, after an episode has ended."""
    with backend(players(box, n=2), autoreset_mode="Disabled") as envs:
        refuses(lambda: envs.step(np.array([3, 3])), ResetNeeded)
        envs.reset()
        while not any(map(np.any, envs.step(np.array([3, 3]))[2:4])):
            pass
        refuses(lambda: envs.step(np.array([3, 3])), ResetNeeded, "(?i)environment")


@case()
def attributes_and_methods(backend: Backend) -> None:
    """Check that a vector environment can read attributes of its environments, and call their methods."""
    with backend(players(box, n=3)) as envs:
        expect(envs.get_attr("number"), (0, 1, 2), "get_attr")
        expect(envs.call("number"), (0, 1, 2), "call")
        expect(envs.call("has_wrapper_attr", "nothing"), (False,) * 3, "a method's results")
        refuses(lambda: envs.get_attr("nothing"), AttributeError, "nothing")
        refuses(lambda: envs.set_attr("total", [1]), ValueError, "3")
        envs.reset()


@case()
def closed_means_closed(backend: Backend) -> None:
    """Check that a vector environment can be closed twice, and that every other call raises afterwards."""
    envs = backend(players(box))
    envs.close()
    envs.close()
    expect(envs.closed, True, "closed")
    refuses(envs.reset, ClosedEnvironmentError)
    refuses(lambda: envs.step(np.full(5, 3)), ClosedEnvironmentError)


@case()
def what_a_constructor_raises_is_raised(backend: Backend) -> None:
    """Check that exceptions in an environment's constructor propagate, and that an empty list of functions raises."""

    def broken() -> Any:
        raise LookupError("no licence")

    refuses(lambda: backend([*players(box), broken]), LookupError, "no licence")
    refuses(lambda: backend([]), ValueError, "at least one")


STEPPED = {name: SPACES[name][0] for name in ("Box", "Dict", "Text") if name in SPACES}


@case(*((f"{name}-{mode}", {"make": make, "mode": mode}) for name, make in STEPPED.items() for mode in MODES))
def some_environments_step_and_the_others_stay_as_they_are(backend: Backend, make: Any, mode: str) -> None:
    """Check that the selected environments are stepped as in a plain loop, and that the others do not change."""
    n, draw = 5, np.random.default_rng(3)
    fns = players(make, n=n, tell=True)
    with backend(fns, autoreset_mode=mode) as envs:
        alone = [ReferenceVectorEnv([fn], envs.autoreset_mode) for fn in fns]
        envs.reset(seed=4)
        for i, loop in enumerate(alone):
            loop.reset(seed=4 + i)
        for _ in range(40):
            mask = draw.random(n) < 0.6
            actions = draw.integers(3, 8, n)
            observations, rewards, terminations, truncations, infos = envs.step_masked(actions, mask)
            seen = list(iterate(envs.observation_space, observations))
            for i in np.flatnonzero(mask).tolist():
                _, *results, info = alone[i].step(actions[i : i + 1])
                assert_same([rewards[i], terminations[i], truncations[i]], [part[0] for part in results], f"{i}")
                expect(info_of(infos, i).keys(), info_of(info, 0).keys(), f"the keys of info {i}")
            assert_same(seen, [loop.rows[0] for loop in alone], "observations")
            for part in (rewards, terminations, truncations):
                expect(bool(part[~mask].any()), False, "whether others have results")
            if mode == "Disabled" and (terminations | truncations).any():
                ended = np.flatnonzero(terminations | truncations).tolist()
                envs.reset(options={"reset_mask": terminations | truncations})
                for i in ended:
                    alone[i].reset()


@case()
def no_environment_at_all_may_step(backend: Backend) -> None:
    """Check that a mask that selects no environment is accepted."""
    with backend(players(box)) as envs:
        first, _ = envs.reset(seed=1)
        observations, rewards, *_, infos = envs.step_masked(np.full(5, 3), np.zeros(5, np.bool_))
    assert_same(observations, first, "observations")
    expect((bool(rewards.any()), infos), (False, {}), "whether there are rewards, and infos")


@case(
    ("short", {"mask": np.ones(4, np.bool_)}), ("int", {"mask": np.ones(5, np.int64)}), ("list", {"mask": [True] * 5})
)
def what_is_no_mask_steps_nothing(backend: Backend, mask: Any) -> None:
    """Check that an invalid mask raises an exception, and that no environment is stepped."""
    with backend(players(box)) as envs:
        envs.reset(seed=1)
        refuses(
            lambda: envs.step_masked(np.full(5, 3), mask),
            ValueError,
            r"^Expected the mask to be a NumPy array of dtype bool and shape \(5,\)",
        )
        expect(envs.call("total"), (0,) * 5, "the number of steps of each")


@case()
def methods_of_some_environments(backend: Backend) -> None:
    """Check that methods can be called on selected environments, including methods of their random generators."""
    mask = np.array([True, False, True])
    with backend(players(box, n=3)) as envs:
        envs.reset(seed=4)
        drawn = envs.call_masked(mask, "np_random.uniform", 0, high=2)
        again = envs.call_masked(~mask, "np_random.uniform", 0, high=2)
        alone = [np.random.Generator(np.random.PCG64(np.random.SeedSequence(4 + i))).uniform(0, 2) for i in range(3)]
        expect(drawn, (alone[0], None, alone[2]), "what those of the mask draw")
        expect(again, (None, alone[1], None), "what the others draw")
        refuses(lambda: envs.call_masked(mask, "np_random.nothing"), AttributeError, "nothing")
