"""Names: where the field has a term for a thing, no private word stands for it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "kernel" / "src").rglob("*.py"), *ROOT.glob("plugins/*/*/src/**/*.py")])

PRIVATE: Final = {
    "Board": "BatchState",
    "Flight": "a partial step (send/recv)",
    "Ground": "ProbeEnv",
    "Misfit": "ObservationMismatch",
    "Narrowing": "Clipping",
    "Patience": "SpinWait",
    "Specimens": "SpaceInstances",
    "StandIn": "EnvView",
    "Surroundings": "GlobalState",
    "Team": "WorkerPool",
    "Worn": "WrappedRun",
    "actor": "actions",
    "grounds": "probe_envs",
    "lifeline": "parent watch",
    "misfit": "observation mismatch",
    "narrowing": "action_clipping",
    "patience": "timeout",
    "specimens": "test_instances",
    "suited": "recommend_workers",
    "surroundings": "global_state",
    "wearing": "wrapping",
    "worn": "wrapped, or applied",
}
"""Words that mean nothing else here, with what to write instead: no identifier and no module has such a name."""

IN_CHECKER: Final = {
    "Law": "a space rule",
    "Plain": "ReferenceVectorEnv",
    "Row": "ProbeVectorEnv",
    "causes": "what the causes are of",
    "elsewhere": "other_processes",
    "families": "rules",
    "law": "space_rule",
    "laws": "space_rules",
    "trial": "probe_spaces",
}
IN_VECTOR: Final = {
    "Mail": "side messages",
    "Questions": "attribute calls",
    "Share": "EnvShard",
    "Worker": "WorkerHandle or WorkerLoop",
    "advice": "recommend_workers",
    "board": "batch state",
    "channel": "transport",
    "flight": "partial steps",
    "questions": "attribute calls",
    "share": "shard",
    "team": "pool",
    "words": "control block",
}
IN_WRAPPERS: Final = {"begin": "on_reset", "forms": "vectorized wrappers", "lead": "batch_axes"}
AMBIGUOUS: Final = {
    "kernel/": IN_WRAPPERS,
    "plugins/tools/check/": IN_CHECKER,
    "plugins/utils/vector/": IN_VECTOR,
    "plugins/utils/tools/": {"telling": "command_errors"},
    "plugins/utils/wrappers/": IN_WRAPPERS,
    "plugins/vector/": IN_VECTOR,
    "plugins/wrappers/": IN_WRAPPERS,
}
"""Words with an innocent use elsewhere, by folder: no class, no function and no module there has such a name."""


def forbidden(place: str) -> dict[str, str]:
    """What has another name in the file at this place, if a class, a function or the module itself has it."""
    found = dict(PRIVATE)
    for start, several in AMBIGUOUS.items():
        found |= several if place.startswith(start) else {}
    return found


def names(place: str, text: str) -> Iterator[tuple[int, str]]:
    """Each forbidden name in a module, with its line; 0 is the path itself."""
    defined = forbidden(place)
    yield from ((0, word) for part in Path(place).with_suffix("").parts if (word := part.strip("_")) in defined)
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) if (word := name.strip("_")) in defined:
                yield node.lineno, word
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) if (
                word := name.strip("_")
            ) in PRIVATE:
                yield node.lineno, word


@pytest.mark.parametrize(
    "place, text, found",
    [
        ("plugins/tools/check/src/gymkernel_tool_check/probes/probe_envs.py", "class Ground: pass", [(1, "Ground")]),
        ("plugins/tools/check/src/gymkernel_tool_check/grounds.py", "", [(0, "grounds")]),
        ("plugins/tools/check/src/gymkernel_tool_check/families/reset.py", "", [(0, "families")]),
        (
            "plugins/vector/sync/src/gymkernel_vector_sync/_team.py",
            "def wait(patience): ...",
            [(0, "team"), (1, "patience")],
        ),
        ("plugins/wrappers/lag/src/gymkernel_wrapper_lag/__init__.py", "def begin(self): ...", [(1, "begin")]),
        ("plugins/envs/maze/src/gymkernel_env_maze/__init__.py", "def begin(self): ...\nrow = law = share = 1", []),
    ],
)
def test_private_words_are_seen(place: str, text: str, found: list[tuple[int, str]]) -> None:
    assert list(names(place, text)) == found


def test_no_private_word_is_a_name() -> None:
    found = []
    for path in SOURCES:
        place = path.relative_to(ROOT).as_posix()
        rather = forbidden(place)
        several = names(place, path.read_text(encoding="utf-8"))
        found += [f"{place}:{line}: {name}: rather {rather[name]}" for line, name in several]

    assert found == []
