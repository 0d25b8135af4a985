"""Tests of functions that parse environment ids, and of the errors for unknown ids."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.ids import ENV_ID_RE, get_env_id, parse_env_id, unknown, well_formed

WORDS = st.from_regex(r"[A-Za-z_][\w:]{0,5}", fullmatch=True).filter(str.isascii)


PACKAGE = " If the id belongs to a package that registers its ids when it is imported, write package:id"
FORM = "(Currently all IDs must be of the form [namespace/](env-name)-v(version). (namespace is optional))"


class TestGrammar:
    @pytest.mark.parametrize(
        "env_id,parts",
        [
            ("CartPole-v1", (None, "CartPole", 1)),
            ("CartPole", (None, "CartPole", None)),
            ("ALE/Pong-v5", ("ALE", "Pong", 5)),
            ("lab/group/Maze-v0", ("lab/group", "Maze", 0)),
            ("my-lab/My-Maze-v10", ("my-lab", "My-Maze", 10)),
            ("Maze.Big_2-v3", (None, "Maze.Big_2", 3)),
            ("Maze-v", (None, "Maze-v", None)),
            ("Maze-vX", (None, "Maze-vX", None)),
            ("Maze-v1-v2", (None, "Maze-v1", 2)),
        ],
    )
    def test_id_is_split_into_its_parts(self, env_id: str, parts: tuple[str | None, str, int | None]) -> None:
        assert parse_env_id(env_id) == parts
        assert get_env_id(*parts) == env_id

    @given(st.one_of(st.none(), WORDS), WORDS, st.one_of(st.none(), st.integers(0, 99)))
    def test_splitting_and_joining_are_inverse(self, ns: str | None, name: str, version: int | None) -> None:
        assert parse_env_id(get_env_id(ns, name, version)) == (ns, name, version)

    @pytest.mark.parametrize("env_id", ["", "a b", "/Maze", "Maze/", "a//b", "Maze-v1\n", "Maze!", "-v1 ", "é è"])
    def test_invalid_id_error_says_what_was_expected(self, env_id: str) -> None:
        expected = f"Malformed environment ID: {env_id}. {FORM}"

        with pytest.raises(error.Error, match=f"^{re.escape(expected)}$"):
            parse_env_id(env_id)

    def test_invalid_ids_are_skipped_in_a_list(self) -> None:
        assert well_formed(["Maze-v0", "not an id", "lab/Maze"]) == [(None, "Maze", 0), ("lab", "Maze", None)]

    def test_pattern_is_public(self) -> None:
        match = ENV_ID_RE.fullmatch("ALE/Pong-v5")

        assert match is not None
        assert match.groupdict() == {"namespace": "ALE", "name": "Pong", "version": "5"}


IDS = ["Maze-v1", "Maze-v3", "Walk", "Mazes-v0", "lab/Maze-v0", "lab/Swim-v0", "not an id"]
KNOWN = {"Pole-v0": "acme-poles", "Pole-v1": "acme-poles", "Lander-v3": "acme-lander"}
KNOWN |= {
    "Grid-*": "acme-grids",
    "Grid-Fifteen-v0": "acme-grids",
    "arcade/*": "acme-arcade",
    "arcade/One-v5": "acme-arcade",
}


@pytest.mark.parametrize(
    "env_id,kind,message",
    [
        (
            "Maze-v7",
            error.VersionNotFound,
            (
                "Environment version `v7` for environment `Maze` doesn't exist. "
                "It provides versioned environments: [ `v1`, `v3` ]"
            ),
        ),
        (
            "Maze-v2",
            error.DeprecatedEnv,
            "Environment version v2 for `Maze` is deprecated. Please use `Maze-v3` instead.",
        ),
        (
            "Maze-v0",
            error.DeprecatedEnv,
            "Environment version v0 for `Maze` is deprecated. Please use `Maze-v3` instead.",
        ),
        ("Maze", error.Error, "Maze has no version; use Maze-v3 (available versions: `v1`, `v3`)"),
        (
            "Walk-v0",
            error.DeprecatedEnv,
            "Environment version `v0` for environment `Walk` doesn't exist. It provides the default version `Walk`",
        ),
        ("Pole-v1", error.NameNotFound, "Pole-v1 is not installed; run: pip install acme-poles"),
        ("Pole", error.NameNotFound, "Pole is not installed; run: pip install acme-poles"),
        (
            "Pole-v9",
            error.VersionNotFound,
            (
                "Environment version `v9` for environment `Pole` doesn't exist. "
                "It provides versioned environments: [ `v0`, `v1` ]; run: pip install acme-poles"
            ),
        ),
        (
            "Lander-v2",
            error.DeprecatedEnv,
            (
                "Environment version v2 for `Lander` is deprecated. Please use `Lander-v3` instead; run: pip install "
                "acme-lander"
            ),
        ),
        ("Lander", error.NameNotFound, "Lander is not installed; run: pip install acme-lander"),
        ("Landr-v3", error.NameNotFound, "Environment `Landr` doesn't exist. Did you mean: `Lander`?" + PACKAGE),
        ("Grid-Empty-5x5-v0", error.NameNotFound, "Grid-Empty-5x5-v0 is not installed; run: pip install acme-grids"),
        ("Grid-Empty", error.NameNotFound, "Grid-Empty is not installed; run: pip install acme-grids"),
        (
            "grid-fifteen-v0",
            error.NameNotFound,
            "Environment `grid-fifteen` doesn't exist. Did you mean: `Grid-Fifteen`?" + PACKAGE,
        ),
        ("arcade/Any-v5", error.NameNotFound, "arcade/Any-v5 is not installed; run: pip install acme-arcade"),
        (
            "Arcade/Any-v5",
            error.NamespaceNotFound,
            "Namespace Arcade not found. Did you mean: `arcade`?",
        ),
        ("Mase-v0", error.NameNotFound, "Environment `Mase` doesn't exist. Did you mean: `Maze`?" + PACKAGE),
        ("maze-v1", error.NameNotFound, "Environment `maze` doesn't exist. Did you mean: `Maze`?" + PACKAGE),
        ("pole-v1", error.NameNotFound, "Environment `pole` doesn't exist. Did you mean: `Pole`?" + PACKAGE),
        (
            "lab/Swimm-v0",
            error.NameNotFound,
            "Environment `Swimm` doesn't exist in namespace lab. Did you mean: `Swim`?" + PACKAGE,
        ),
        (
            "Xyzzy-v0",
            error.NameNotFound,
            ("Environment `Xyzzy` doesn't exist. Register it, or see `gymkernel list envs`." + PACKAGE),
        ),
        ("labb/Maze-v0", error.NamespaceNotFound, "Namespace labb not found. Did you mean: `lab`?"),
        (
            "xyzzy/Maze-v0",
            error.NamespaceNotFound,
            (
                "Namespace xyzzy not found. Have you installed and imported the package that provides xyzzy? Then "
                "write package:xyzzy/Maze-v0"
            ),
        ),
        ("no id", error.Error, f"Malformed environment ID: no id. {FORM}"),
    ],
)
def test_lookup_raises_the_most_helpful_error(env_id: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        unknown(env_id, IDS, KNOWN, {})

    assert type(caught.value) is kind
    assert str(caught.value) == message


def test_empty_registry_raises_too() -> None:
    with pytest.raises(error.NameNotFound):
        unknown("Maze-v0", [], {}, {})
