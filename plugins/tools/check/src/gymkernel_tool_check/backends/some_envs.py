"""Test cases in which only some environments are stepped or called, while the other environments must not change."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.infos import info_of
from gymkernel.ops import iterate
from gymkernel_tool_check.backends.cases import Backend, case, expect, refuses
from gymkernel_tool_check.backends.comparison import assert_same
from gymkernel_tool_check.backends.observations import MODES
from gymkernel_tool_check.backends.players import SPACES, box, players
from gymkernel_tool_check.probes.probe_envs import ReferenceVectorEnv

__all__: list[str] = []

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
