"""Test cases that check that vector backends return observations and infos unchanged."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gymkernel import ops, spaces
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.cases import Backend, case, expect, refuses
from gymkernel_tool_check.backends.comparison import beside, play
from gymkernel_tool_check.backends.players import (
    SPACES,
    ReusingEnv,
    box,
    discrete,
    players,
    random_space,
)
from gymkernel_tool_check.probes.probe_envs import ProbeEnv

__all__ = ["EVERY_SPACE", "MODES"]

MODES: Final = tuple(mode.value for mode in AutoresetMode)
EVERY_SPACE: Final = [(f"{name}{k}", make) for name, makers in SPACES.items() for k, make in enumerate(makers)]
NESTS: Final = {"Dict", "Tuple"} <= SPACES.keys()


@case(*((f"{name}-{mode}", {"make": make, "mode": mode}) for name, make in EVERY_SPACE for mode in MODES))
def observations_of_every_space(backend: Backend, make: Any, mode: str) -> None:
    """Check the observations of every space, for a few episodes and with all kinds of resets."""
    play(backend, players(make), mode)


@case(*((f"{k}-{mode}", {"seed": k, "mode": mode}) for k in range(4) for mode in MODES if NESTS))
def random_nested_spaces(backend: Backend, seed: int, mode: str) -> None:
    """Check a randomly generated nested observation space that all environments share."""
    draw = np.random.default_rng([seed, len(mode)])
    make = random_space(draw, [name for name in SPACES if name not in {"Dict", "Tuple"}])
    make_action = random_space(draw, [name for name in ("Box", "Discrete", "MultiDiscrete") if name in SPACES])
    play(backend, players(make, make_action, n=3), mode, steps=12)


@case(*((f"copy-{mode}", {"copy": True, "mode": mode}) for mode in MODES))
@case(*((f"views-{mode}", {"copy": False, "mode": mode}) for mode in MODES))
def infos_of_changing_types_and_shapes(backend: Backend, mode: str, copy: bool) -> None:
    """Check infos whose value types and shapes change from step to step."""
    play(backend, players(box, tell=True), mode, steps=24, copy=copy)


@case()
def observation_modes(backend: Backend) -> None:
    """Check environments whose spaces differ only in their bounds, and environments whose spaces cannot be batched."""

    def bounded(i: int) -> Any:
        return ProbeEnv((lambda: spaces.Box(0, 1 + i, (2,)), discrete), i)

    makers = [lambda i=i: bounded(i) for i in range(3)]
    refuses(lambda: backend(makers), RuntimeError, "observation space")
    with beside(backend, makers, observation_mode="different") as (envs, _):
        together = spaces.Box(0, np.repeat([[1], [2], [3]], 2, 1).astype(np.float32), (3, 2))
        expect(envs.observation_space, together, "the batched space")
    single = spaces.Box(0, 9, (2,))
    with backend(makers, observation_mode=(ops.batch_space(single, 3), single)) as envs:
        expect(envs.single_observation_space, single, "the single space")
        envs.reset()

    def of(space: Any, action_space: Any) -> Any:
        return lambda: ProbeEnv((space, action_space))

    other_shape = of(lambda: spaces.Box(0, 1, (3,)), discrete)
    other_action = of(lambda: spaces.Box(0, 1, (2,)), box)
    refuses(lambda: backend([makers[0], other_shape], observation_mode="different"), RuntimeError, "shape and dtype")
    refuses(lambda: backend([makers[0], other_action]), RuntimeError, "action space")
    refuses(lambda: backend(makers, observation_mode="other"), ValueError, "observation_mode")


@case(
    *(
        (f"{mode}-{name}", {"make": SPACES[name][0], "observation_mode": mode})
        for name in ("Angle", "Mission")
        for mode in ("same", "different", "explicit")
    )
)
def spaces_of_third_parties_in_every_observation_mode(backend: Backend, make: Any, observation_mode: str) -> None:
    """Check third-party spaces, both with and without a layout, in every observation mode."""
    single = make()
    chosen = (ops.batch_space(single, 5), single) if observation_mode == "explicit" else observation_mode
    play(backend, players(make), "NextStep", observation_mode=chosen)


@case()
def environments_may_use_their_arrays_again(backend: Backend) -> None:
    """Check that environments may reuse their observation arrays, even for the final observation in SAME_STEP mode."""
    with backend([ReusingEnv] * 2, autoreset_mode="SameStep") as envs:
        envs.reset()
        first = envs.step(np.full(2, 3))[0]
        observations, _, ends, _, infos = envs.step(np.full(2, 3))
        expect(ends.tolist(), [True] * 2, "terminations")
        expect(first.tolist(), [[1] * 4] * 2, "the observation before")
        expect(observations.tolist(), [[0] * 4] * 2, "the observation")
        expect([observation.tolist() for observation in infos["final_obs"]], [[2] * 4] * 2, "infos['final_obs']")


@case(*((name, {"name": name}) for name in ("Text", "OneOf", "Graph", "Sequence") if name in SPACES))
def parts_without_arrays_are_read_anew_every_step(backend: Backend, name: str) -> None:
    """Check that parts of an observation that are not arrays are updated at every step."""
    with backend(players(SPACES[name][0])) as envs:
        seen = {str(envs.reset(seed=1)[0]), *(str(envs.step(np.full(5, 3))[0]) for _ in range(4))}
    expect(len(seen) > 1, True, "whether observations change")
