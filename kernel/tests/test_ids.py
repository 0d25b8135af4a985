"""Environment ids: their grammar, and the error for one that nothing registers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import error
from gymkernel.ids import ENV_ID_RE, get_env_id, parse_env_id, unknown, well_formed

WORDS = st.from_regex(r"[A-Za-z_][\w:]{0,5}", fullmatch=True).filter(str.isascii)


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
    def test_parts(self, env_id: str, parts: tuple[str | None, str, int | None]) -> None:
        assert parse_env_id(env_id) == parts
        assert get_env_id(*parts) == env_id

    @given(st.one_of(st.none(), WORDS), WORDS, st.one_of(st.none(), st.integers(0, 99)))
    def test_parts_and_ids_are_each_others_inverse(self, ns: str | None, name: str, version: int | None) -> None:
        assert parse_env_id(get_env_id(ns, name, version)) == (ns, name, version)

    @pytest.mark.parametrize("env_id", ["", "a b", "/Maze", "Maze/", "a//b", "Maze-v1\n", "Maze!", "-v1 ", "é è"])
    def test_what_is_no_id_says_what_was_expected(self, env_id: str) -> None:
        expected = f"Malformed environment id {env_id!r}: expected [namespace/]name[-vN], such as ALE/Pong-v5"

        with pytest.raises(error.Error, match=f"^{re.escape(expected)}$"):
            parse_env_id(env_id)

    def test_what_is_no_id_is_passed_over_among_many(self) -> None:
        assert well_formed(["Maze-v0", "not an id", "lab/Maze"]) == [(None, "Maze", 0), ("lab", "Maze", None)]

    def test_the_pattern_is_public(self) -> None:
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
        ("Maze-v7", error.VersionNotFound, "Maze has no version v7; there is v1, v3"),
        ("Maze-v2", error.DeprecatedEnv, "Maze has no version v2 any more; use Maze-v3 (there is v1, v3)"),
        ("Maze-v0", error.DeprecatedEnv, "Maze has no version v0 any more; use Maze-v3 (there is v1, v3)"),
        ("Maze", error.Error, "Maze names no version; use Maze-v3 (there is v1, v3)"),
        ("Walk-v0", error.DeprecatedEnv, "Walk has no versions; use Walk"),
        ("Pole-v1", error.NameNotFound, "Pole-v1 is not installed; run: pip install acme-poles"),
        ("Pole", error.NameNotFound, "Pole is not installed; run: pip install acme-poles"),
        ("Pole-v9", error.VersionNotFound, "Pole has no version v9; there is v0, v1; run: pip install acme-poles"),
        (
            "Lander-v2",
            error.DeprecatedEnv,
            "Lander has no version v2 any more; use Lander-v3 (there is v3); run: pip install acme-lander",
        ),
        ("Lander", error.NameNotFound, "Lander is not installed; run: pip install acme-lander"),
        ("Landr-v3", error.NameNotFound, "No environment Landr is registered; did you mean Lander?"),
        ("Grid-Empty-5x5-v0", error.NameNotFound, "Grid-Empty-5x5-v0 is not installed; run: pip install acme-grids"),
        ("Grid-Empty", error.NameNotFound, "Grid-Empty is not installed; run: pip install acme-grids"),
        (
            "grid-fifteen-v0",
            error.NameNotFound,
            "No environment grid-fifteen is registered; did you mean Grid-Fifteen?",
        ),
        ("arcade/Any-v5", error.NameNotFound, "arcade/Any-v5 is not installed; run: pip install acme-arcade"),
        (
            "Arcade/Any-v5",
            error.NamespaceNotFound,
            "No environment in namespace Arcade is registered; did you mean arcade?",
        ),
        ("Mase-v0", error.NameNotFound, "No environment Mase is registered; did you mean Maze?"),
        ("maze-v1", error.NameNotFound, "No environment maze is registered; did you mean Maze?"),
        ("pole-v1", error.NameNotFound, "No environment pole is registered; did you mean Pole?"),
        ("lab/Swimm-v0", error.NameNotFound, "No environment Swimm is registered in namespace lab; did you mean Swim?"),
        (
            "Xyzzy-v0",
            error.NameNotFound,
            (
                "No environment Xyzzy is registered; register it, import the package that does, or see "
                "`gymkernel list envs`"
            ),
        ),
        ("labb/Maze-v0", error.NamespaceNotFound, "No environment in namespace labb is registered; did you mean lab?"),
        (
            "xyzzy/Maze-v0",
            error.NamespaceNotFound,
            (
                "No environment in namespace xyzzy is registered; is the package that provides xyzzy installed and "
                "imported?"
            ),
        ),
        ("no id", error.Error, "Malformed environment id 'no id': expected [namespace/]name[-vN], such as ALE/Pong-v5"),
    ],
)
def test_the_error_that_helps_most(env_id: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        unknown(env_id, IDS, KNOWN, {})

    assert type(caught.value) is kind
    assert str(caught.value) == message


def test_where_nothing_is_registered_there_is_an_error_too() -> None:
    with pytest.raises(error.NameNotFound):
        unknown("Maze-v0", [], {}, {})
