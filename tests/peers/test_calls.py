"""Tests that helpers and constructors accept and reject the same arguments as Gymnasium's, with the same kind of error.

`test_arguments` covers the wrappers. `DIFFERENT` has the same meaning as in that module.
"""

from __future__ import annotations

from importlib import import_module, util
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.peers.verdicts import environment, missing_reasons, shown, surprises

if TYPE_CHECKING:
    from collections.abc import Callable

A = np.array
KEYS: list[Any] = [{(97,): 0}, {"a": 0}, {97: 0}, {"a": 9}, {(): 0}, {1.5: 0}, {(1.5,): 0}, {("a", 98): 0}, {"": 0}]
KEYS += [{("ab",): 0}, None, [], "a", {None: 0}, {}]
STEPS: list[Any] = [
    (0, 0, True, {}),
    (0, 0, True, False, {}),
    (0, 0, {}),
    (0, 0, A([True]), {}),
    (0, 0, A([True]), A([False]), {}),
    (0, 0, A([True]), [{}]),
    (0, 0, A([True]), A([True]), [{}, {}]),
    (0, 0, A([True]), "x"),
    (0, 0, A([True, False]), A([True, False]), "x"),
    (0, 0, True, None),
    (0, 0, True, True, None),
    (0,) * 6,
    None,
]
SEEDS = [None, 3, [1, 2], [1], (1, 2), "a", [None, None], -1, 1.5, A([1, 2]), [1, 2, 3]]
OPTIONS: list[Any] = [None, {}, {"a": 1}, {"reset_mask": A([True, False])}, {"reset_mask": A([False, False])}, 3, "x"]
OPTIONS += [{"reset_mask": item} for item in ([True, False], A([1, 0]), A([True]), A([[True, True]]), None)]
ACTIONS = [A([0, 1]), [0, 1], (0, 1), A([0]), [0, 1, 2], None, 3, A([0.5, 1])]
IDS = ["CartPole-v1", "CartPole", "no", "", 3, None, "a b", "CartPole-v9", "Cartpole-v1", "no/CartPole-v1"]
MODES = ["sync", "vector_entry_point", None, "no", 3]


def helper(library: Any, path: str, name: str) -> Any:
    return getattr(import_module(f"{library.__name__}.{path}"), name)


def game(library: Any, env: str = "image", **kwargs: Any) -> Any:
    return helper(library, "utils.play", "PlayableGame")(environment(library, env), **kwargs)


def play(library: Any, metadata: dict[str, Any] | None = None, **kwargs: Any) -> None:
    """Play one step, and then close the window."""
    import pygame

    env = environment(library, "image")
    env.metadata = {"render_modes": ["rgb_array"], "render_fps": 1000, **(metadata or {})}
    pygame.display.init()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    helper(library, "utils.play", "play")(env, **kwargs)


def several(library: Any, env: str = "box", **kwargs: Any) -> Any:
    return library.vector.SyncVectorEnv([lambda: environment(library, env)] * 2, **kwargs)


def reset_again(library: Any, options: Any) -> None:
    envs = several(library)
    envs.reset(seed=1)
    envs.reset(options=options)


def step_several(library: Any, actions: Any) -> None:
    envs = several(library, "discrete")
    envs.reset(seed=1)
    envs.step(actions)


def benchmark(name: str, make: Callable[[Any], Any]) -> Callable[[Any, Any], object]:
    return lambda library, given: helper(library, "utils.performance", name)(make(library), target_duration=given)


def convert(five: bool, vector: bool) -> Callable[[Any, Any], object]:
    path = "utils.step_api_compatibility"
    return lambda library, given: helper(library, path, "step_api_compatibility")(given, five, vector)


def space(library: Any) -> Any:
    return library.spaces.Box(0, 1)


def made(**names: str) -> Callable[[Any, Any], object]:
    """Return a function that calls `make` for CartPole-v1 with one argument."""
    ((_, name),) = names.items()
    return lambda library, given: library.make("CartPole-v1", **{name: given})


DURATIONS = [0, 0.001, -1, "1", None]
CALLS: dict[str, tuple[list[Any], Callable[[Any, Any], object]]] = {
    "PlayableGame keys": (KEYS, lambda library, given: game(library, keys_to_action=given)),
    "PlayableGame action of a Box": ([{(97,): 0}], lambda library, given: game(library, "box", keys_to_action=given)),
    "PlayableGame zoom": (
        [None, 1, 2.5, 0, -1, float("nan"), "2"],
        lambda library, given: game(library, keys_to_action={(97,): 0}, zoom=given),
    ),
    "play keys": (KEYS, lambda library, given: play(library, keys_to_action=given)),
    "play noop": ([0, 9, None, "x"], lambda library, given: play(library, keys_to_action={"a": 0}, noop=given)),
    "play fps": ([None, 100, 50.5], lambda library, given: play(library, keys_to_action={"a": 0}, fps=given)),
    "play render_fps": (
        [100, 50.5, "9", None],
        lambda library, given: play(library, {"render_fps": given}, keys_to_action={"a": 0}),
    ),
    "play seed": ([None, 3, -1, 1.5, "3"], lambda library, given: play(library, keys_to_action={"a": 0}, seed=given)),
    "np_random": (
        [None, 0, 3, -1, 2.0, "3", True, np.int64(3), [1], 2**70],
        lambda library, given: library.utils.seeding.np_random(given),
    ),
    "benchmark_step": (DURATIONS, benchmark("benchmark_step", lambda library: environment(library, "box"))),
    "benchmark_render": (DURATIONS, benchmark("benchmark_render", lambda library: environment(library, "box"))),
    "benchmark_init": (DURATIONS, benchmark("benchmark_init", lambda library: lambda: environment(library, "box"))),
    "benchmark_vector_step": (DURATIONS, benchmark("benchmark_vector_step", several)),
    "five values": (STEPS, convert(True, False)),
    "four values": (STEPS, convert(False, False)),
    "five values of several": (STEPS, convert(True, True)),
    "four values of several": (STEPS, convert(False, True)),
    "SyncVectorEnv env_fns": (
        [[], None, [3], [None], 3],
        lambda library, given: library.vector.SyncVectorEnv(given),
    ),
    "SyncVectorEnv autoreset_mode": (
        ["NextStep", "SameStep", "Disabled", "no", None, 3],
        lambda library, given: several(library, autoreset_mode=given),
    ),
    "SyncVectorEnv observation_mode": (
        ["same", "different", "no", None, 3],
        lambda library, given: several(library, observation_mode=given),
    ),
    "SyncVectorEnv copy": ([True, False, None, "x"], lambda library, given: several(library, copy=given)),
    "SyncVectorEnv seed": (SEEDS, lambda library, given: several(library).reset(seed=given)),
    "SyncVectorEnv options": (OPTIONS, reset_again),
    "SyncVectorEnv actions": (ACTIONS, step_several),
    "make id": (IDS, lambda library, given: library.make(given)),
    "spec id": (IDS, lambda library, given: library.spec(given)),
    "make max_episode_steps": ([None, 1, 0, -1, -2, 2.5, "3", True], made(name="max_episode_steps")),
    "make render_mode": ([None, "rgb_array", "no", 3, "ansi"], made(name="render_mode")),
    "make disable_env_checker": ([None, True, False, "x", 0], made(name="disable_env_checker")),
    "make an unknown argument": ([1], made(name="unknown")),
    "make_vec num_envs": (
        [1, 2, 0, -1, 2.0, "2", None, True],
        lambda library, given: library.make_vec("CartPole-v1", given, "sync"),
    ),
    "make_vec vectorization_mode": (MODES, lambda library, given: library.make_vec("CartPole-v1", 2, given)),
    "make_vec wrappers": (
        [None, (), [3], [lambda env: env], 3],
        lambda library, given: library.make_vec("CartPole-v1", 2, "sync", wrappers=given),
    ),
    "make_vec vector_kwargs": (
        [None, {}, {"no": 1}, {"copy": False}],
        lambda library, given: library.make_vec("CartPole-v1", 2, "sync", vector_kwargs=given),
    ),
    "batch_space n": (
        [1, 2, 0, -1, 2.0, "2", None],
        lambda library, given: library.vector.utils.batch_space(space(library), given),
    ),
    "create_empty_array n": (
        [1, 0, -1, 2.0, "2", None],
        lambda library, given: library.vector.utils.create_empty_array(space(library), given),
    ),
    "create_empty_array fn": (
        [np.zeros, np.ones, None, 3],
        lambda library, given: library.vector.utils.create_empty_array(space(library), 2, fn=given),
    ),
    "flatdim": ([3, None, "x"], lambda library, given: library.spaces.utils.flatdim(given)),
    "flatten_space": ([3, None, "x"], lambda library, given: library.spaces.utils.flatten_space(given)),
}
DIFFERENT = {
    "Seeds may be NumPy integers.": [
        r"np_random\(np.int64\(3\)\) -> taken",
        r"SyncVectorEnv seed\(array\(\[1, 2\]\)\) -> taken",
    ],
    "Counts are checked.": [
        r"make max_episode_steps\(True\) -> refused",
        r"make_vec num_envs\(True\) -> refused",
        r"benchmark_\w+\(-1\) -> refused",
    ],
    "None keeps its meaning from 2022.": [r"create_empty_array n\(None\) -> taken"],
    "If two things are wrong, the two libraries may report different ones.": [
        r"SyncVectorEnv seed\(1.5\) -> another error"
    ],
    "Invalid arguments are rejected immediately.": [
        r"PlayableGame keys\(\{\((1.5|'ab'),\): 0\}\) -> refused",
        r"SyncVectorEnv copy\((None|'x')\) -> refused",
        r"SyncVectorEnv options\('x'\) -> refused",
        r"make render_mode\(('no'|'ansi')\) -> refused",
    ],
    "`play` accepts more kinds of arguments.": [
        r"PlayableGame keys\(\{97: 0\}\) -> taken",
        r"play keys\(\{\(\): 0\}\) -> taken",
        r"play render_fps\(50.5\) -> taken",
    ],
}
"""The differences, grouped by reason, each with gymkernel's behaviour. The guide explains the reasons."""


@pytest.fixture(autouse=True)
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_accepted_and_rejected_alike(name: str) -> None:
    if name.startswith(("play", "Playable")):
        pytest.importorskip("pygame")
        if util.find_spec("gymkernel_tool_play") is None:
            pytest.skip(reason="gymkernel-tool-play is not installed")
    values, call = CALLS[name]
    wrong = [
        surprises(f"{name}({shown(given)})", lambda library: call(library, given), DIFFERENT)  # noqa: B023 - the function is called immediately
        for given in values
    ]
    assert not list(filter(None, wrong))


def test_every_reason_is_in_the_guide() -> None:
    assert missing_reasons(DIFFERENT) == []
