"""Write overview tables of all spaces, wrappers and backends, with links to their pages."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Final

from gymkernel import ActionWrapper, ObservationWrapper, RewardWrapper, plugins, spaces
from gymkernel.vector.utils import batch_space

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["pages"]

EXAMPLES: Final = {
    "Box": "Box(-1, 1, (3,))",
    "Dict": "Dict(speed=Box(-1, 1, (2,)), gear=Discrete(5))",
    "Discrete": "Discrete(5)",
    "Graph": "Graph(Box(0, 1, (2,)), Discrete(3))",
    "MultiBinary": "MultiBinary(4)",
    "MultiDiscrete": "MultiDiscrete([2, 3])",
    "OneOf": "OneOf([Discrete(3), Box(0, 1, (2,))])",
    "Sequence": "Sequence(Discrete(4))",
    "Text": 'Text(5, charset="01")',
    "Tuple": "Tuple([Discrete(3), Box(0, 1, (2,))])",
}
"""An example of each kind of space."""
FORMERLY: Final = {"AutoResetWrapper", "FrameStack", "GrayScaleObservation", "LazyFrames", "PixelObservationWrapper"}
OTHERS: Final = {"VectorListInfo", "EnvCompatibility"}
"""Names of the API of 2022 that have replacements. The migration guide lists these names."""


def pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    return {
        name: "\n".join(page) + "\n"
        for name, page in {"spaces": _spaces(), "wrappers": _wrappers(), "backends": _backends()}.items()
    }


def _spaces() -> Iterator[str]:
    yield from (
        "# Spaces",
        "",
        "The spaces of observations and actions. [The guide](../../guides/spaces.md) explains how to use",
    )
    yield from ("them, and how to write your own space.", "")
    yield "| space | what it holds | for example | shared memory | a batch |"
    yield "| --- " * 5 + "|"
    for name, example in EXAMPLES.items():
        space = eval(example, {known: getattr(spaces, known) for known in EXAMPLES})  # noqa: S307 - the expressions are written above
        laid = "yes" if space.layout() is not None else "no, a pipe"
        batch = type(batch_space(space, 2)).__name__
        yield f"| `{name}` | {_line(getattr(spaces, name))} | `{example}` | {laid} | a `{batch}` |"
    yield ""
    yield from _toctree([f"{name} <gymkernel.spaces.{name}>" for name in EXAMPLES])


def _wrappers() -> Iterator[str]:
    yield from ("# Wrappers", "", "Wrappers change what an environment receives and returns.")
    yield "[The guide](../../guides/wrappers.md) explains when to use which wrapper. A wrapper with both forms is in"
    yield "`gymkernel.wrappers` for one environment, and under the same name in `gymkernel.wrappers.vector` for many."
    yield ""
    singles, vectors = (set(plugins.names(kind)) - FORMERLY - OTHERS for kind in ("wrappers", "vector_wrappers"))
    groups: dict[str, list[str]] = {
        "Observations": [],
        "Actions": [],
        "Rewards": [],
        "Episodes, frames and the rest": [],
    }
    for name in sorted(singles | vectors):
        kind = "wrappers" if name in singles else "vector_wrappers"
        groups[_group(name, plugins.get(kind, name))].append(name)
    for title, names in groups.items():
        yield from (f"## {title}", "", "| wrapper | what it does | one | many | arguments |", "| --- " * 5 + "|")
        for name in names:
            kind = "wrappers" if name in singles else "vector_wrappers"
            thing = plugins.get(kind, name)
            forms = ["yes" if name in have else "no" for have in (singles, vectors)]
            yield f"| `{name}` | {_line(thing)} | {forms[0]} | {forms[1]} | {_arguments(thing)} |"
        yield ""
    files = {
        plugins.providers("wrappers" if name in singles else "vector_wrappers", name)[0].distribution: name
        for name in sorted(singles | vectors, reverse=True)
    }
    files.pop("gymkernel-util-compatibility", None)
    entries = []
    for name in sorted(files.values()):
        facade = "gymkernel.wrappers" if name in singles else "gymkernel.wrappers.vector"
        entries.append(f"{name} <{facade}.{name}>")
    yield from _toctree(entries)


def _group(name: str, thing: Any) -> str:
    for word, base, title in (
        ("Observation", ObservationWrapper, "Observations"),
        ("Action", ActionWrapper, "Actions"),
        ("Reward", RewardWrapper, "Rewards"),
    ):
        if name.endswith(word) or issubclass(thing, base):
            return title
    return "Episodes, frames and the rest"


def _backends() -> Iterator[str]:
    yield from ("# Vector backends", "", "A vector backend steps many environments together.")
    yield "`make_vec(id, num_envs, vectorization_mode=...)` chooses a backend."
    yield "[The guide](../../guides/vector-environments.md) explains the backends, and"
    yield "`gymkernel bench` measures which backend is the fastest for an environment. The results are equal."
    yield ""
    yield from ("| backend | `vectorization_mode` | where steps run | use it for | arguments |", "| --- " * 5 + "|")
    rows = {
        "SyncVectorEnv": ('"sync"', "in this process, in turn", "steps of a few microseconds; debugging"),
        "AsyncVectorEnv": (
            '"async"',
            "in workers, one for each core, which write into shared memory",
            "steps of 20 microseconds and more",
        ),
        "RayVectorEnv": (
            '"ray"',
            "in processes of a Ray cluster, on one machine or many",
            "steps of a millisecond and more, where one machine is too small",
        ),
    }
    for name, (mode, where, when) in rows.items():
        yield f"| `{name}` | `{mode}` | {where} | {when} | {_arguments(plugins.get('vector', name))} |"
    own = ["the environment's own", '`"vector_entry_point"`', "in this process, with operations on arrays"]
    own += ["environments that have one; see the [gallery](../../environments/index.md)", "those of the environment"]
    yield f"| {' | '.join(own)} |"
    yield ""
    yield from _toctree([f"{name} <gymkernel.vector.{name}>" for name in rows])


def _line(thing: Any) -> str:
    line = re.sub(r"\s+", " ", (inspect.getdoc(thing) or "").partition("\n\n")[0])
    return line.replace("|", "\\|")


def _arguments(thing: Any) -> str:
    names = [name for name in inspect.signature(thing).parameters if name not in {"self", "env", "args", "kwargs"}]
    return ", ".join(f"`{name}`" for name in names) or "none"


def _toctree(entries: list[str]) -> Iterator[str]:
    yield from ("```{toctree}", ":hidden:", "", *entries, "```", "")
