"""Tests that messages match the regular expressions that third-party programs and test suites use, in both libraries.

Each entry in the table has the expression, the project that uses it, and the call that causes the message.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import pytest

import gymkernel

GYMNASIUM = "Gymnasium's tests"
Cause = Callable[[Any], Any]


class Bare:
    """A factory for a library's environments that support no render mode or one render mode."""

    def __init__(self, *modes: str) -> None:
        self.modes = list(modes)

    def __call__(self, library: Any) -> Any:
        class Room(library.Env):  # type: ignore[misc]
            metadata = {"render_modes": self.modes, "render_fps": 30}  # noqa: RUF012 - the API declares it in this way
            observation_space = action_space = library.spaces.Discrete(2)

            def __init__(self, render_mode: str | None = None) -> None:
                self.render_mode = render_mode

            def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
                return 0, {}

        return Room


def make(env_id: str, **kwargs: Any) -> Cause:
    return lambda library: library.make(env_id, **kwargs)


def make_vec(env_id: str, mode: Any) -> Cause:
    return lambda library: library.make_vec(env_id, vectorization_mode=mode)


def registered(*env_ids: str, then: Cause = lambda library: None, **kwargs: Any) -> Cause:
    """Return a function that registers ids, calls `then`, and removes the ids again."""

    def cause(library: Any) -> None:
        try:
            for env_id in env_ids:
                library.register(env_id, kwargs.get("entry_point", Bare("rgb_array")(library)))
            then(library)
        finally:
            for env_id in env_ids:
                library.registry.pop(env_id, None)

    return cause


def vector_only(library: Any) -> None:
    library.register("Many-v0", vector_entry_point="nowhere:Many")
    try:
        library.make_vec("Many-v0", vectorization_mode="sync")
    finally:
        del library.registry["Many-v0"]


def ordered(method: str, *arguments: Any) -> Cause:
    def cause(library: Any) -> None:
        env = library.wrappers.OrderEnforcing(Bare("rgb_array")(library)("rgb_array"))
        getattr(env, method)(*arguments)

    return cause


MAZES = "lab/Maze-v0", "lab/Maze-v9", "lab/Maze-v15"
TABLE: list[tuple[str, str, Cause]] = [
    (r"is out of date\. You should consider upgrading to version", "ale-py, highway-env", make("CartPole-v0")),
    (r"The environment CartPole-v0 is out of date\..* `v1`\.", GYMNASIUM, make("CartPole-v0")),
    (
        r"Using the latest versioned environment `lab/Maze-v15` instead of the unversioned environment `lab/Maze`\.",
        GYMNASIUM,
        registered(*MAZES, then=make("lab/Maze")),
    ),
    (r"^Malformed environment ID: “Breakout-v0”", GYMNASIUM, make("“Breakout-v0”")),
    (r"\(Currently all IDs must be of the form \[namespace/\]\(env-name\)-v\(version\)\.", GYMNASIUM, make("a b")),
    (r"Did you mean: `CartPole`\?", GYMNASIUM, make("cartpole-v1")),
    (r"Environment `Unknown1` doesn't exist\.", GYMNASIUM, make("Unknown1-v1")),
    (
        r"doesn't exist in namespace lab\. Did you mean: `Maze`\?",
        GYMNASIUM,
        registered(*MAZES, then=make("lab/Mase-v0")),
    ),
    (r"Namespace labb not found\. Did you mean: `lab`\?", GYMNASIUM, registered(*MAZES, then=make("labb/Maze-v0"))),
    (r"Namespace nowhere not found\.", GYMNASIUM, make("nowhere/Maze-v0")),
    (
        r"`v12` for environment `CartPole` doesn't exist\. It provides versioned environments: \[ `v0`, `v1` \]",
        GYMNASIUM,
        make("CartPole-v12"),
    ),
    (
        r"It provides versioned environments: \[ `v0`, `v9`, `v15` \]",
        GYMNASIUM,
        registered(*MAZES, then=make("lab/Maze-v1000")),
    ),
    (
        r"`lab/Walk` doesn't exist\. It provides the default version",
        GYMNASIUM,
        registered("lab/Walk", then=make("lab/Walk-v6")),
    ),
    (
        r"Environment version v1 for `lab/Maze` is deprecated\. Please use `lab/Maze-v15` instead\.",
        GYMNASIUM,
        registered(*MAZES, then=make("lab/Maze-v1")),
    ),
    (
        (
            r"Can't register the unversioned environment `lab/Maze` when the versioned environment `lab/Maze-v15` "
            r"of the same name already exists"
        ),
        GYMNASIUM,
        registered(*MAZES, "lab/Maze"),
    ),
    (
        (
            r"Can't register the versioned environment `lab/Walk-v0` when the unversioned environment `lab/Walk` "
            r"of the same name already exists\."
        ),
        GYMNASIUM,
        registered("lab/Walk", "lab/Walk-v0"),
    ),
    (
        r"Overriding environment lab/Walk-v0 already in registry\.",
        "Gymnasium",
        registered("lab/Walk-v0", "lab/Walk-v0"),
    ),
    (
        (
            r"You are trying to use 'human' rendering for an environment that doesn't natively support it\. The "
            r"HumanRendering wrapper is being applied to your environment\."
        ),
        GYMNASIUM,
        registered("lab/Walk-v0", then=make("lab/Walk-v0", render_mode="human")),
    ),
    (
        (
            r"The environment is being initialised with render_mode='ansi' that is not in the possible render_modes "
            r"\(\['rgb_array'\]\)\."
        ),
        GYMNASIUM,
        registered("lab/Walk-v0", then=make("lab/Walk-v0", render_mode="ansi")),
    ),
    (
        r"Cannot create vectorized environment for lab/Walk-v0 because it doesn't have a vector entry point defined\.",
        GYMNASIUM,
        registered("lab/Walk-v0", then=make_vec("lab/Walk-v0", "vector_entry_point")),
    ),
    (
        r"Cannot create vectorized environment for Many-v0 because it doesn't have an entry point defined\.",
        GYMNASIUM,
        vector_only,
    ),
    (r"Invalid vectorization mode: 'invalid', valid modes: \['async', ", GYMNASIUM, make_vec("CartPole-v1", "invalid")),
    (
        r"^Cannot call env\.step\(\) before calling env\.reset\(\)$",
        "examples in Gymnasium's docstrings",
        ordered("step", 0),
    ),
    (
        (
            r"^Cannot call `env\.render\(\)` before calling `env\.reset\(\)`, if this is an intended action, set "
            r"`disable_render_order_enforcing=True` on the OrderEnforcer wrapper\.$"
        ),
        "examples in Gymnasium's docstrings",
        ordered("render"),
    ),
]
LIBRARIES = [gymkernel, gymnasium]


def messages(cause: Cause, library: Any) -> list[str]:
    """Return the warnings and the error that a call causes."""
    error = []
    with warnings.catch_warnings(record=True, action="always") as seen:
        try:
            cause(library)
        except Exception as exc:  # noqa: BLE001 - the exception is compared
            error = [str(exc)]
    plain = (re.sub(r"\x1b\[\d*m", "", str(item.message)) for item in seen)
    return [text.removeprefix("WARN: ") for text in plain] + error


@pytest.mark.parametrize("library", LIBRARIES, ids=["ours", "gymnasium"])
@pytest.mark.parametrize("expression, where, cause", TABLE, ids=[entry[0] for entry in TABLE])
def test_message_matches_the_expression(library: Any, expression: str, where: str, cause: Cause) -> None:
    said = messages(cause, library)

    assert any(re.search(expression, item) for item in said), f"{where} matches {expression}; seen: {said}"
