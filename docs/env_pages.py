"""Write the gallery: a page for each environment of this repository, from its docstring, its specs and its spaces.

One class or function creates each environment. The environment's ids differ in arguments, limits or vectorised forms.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import equations
import numpy as np
import plots

import gymkernel
from gymkernel import spaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gymkernel.envs.registration import EnvSpec

__all__ = ["Environment", "environments", "ids", "pages"]

ROOT: Final = Path(__file__).resolve().parents[1]
FAMILIES: Final = {
    "classic-control": ("Classic control", "Physics in a few lines: carts, poles and pendulums."),
    "toy-text": ("Toy texts", "Finitely many states, for planning as well as learning."),
    "grid-world": ("Grid world", "The example of the tutorials, as a plugin."),
    "box2d": ("Box2D", "Rigid bodies in two dimensions: a lander, a walker and a racing car."),
    "mujoco": ("MuJoCo", "Robots and pendulums in three dimensions, with contacts and motors."),
    "functional": ("Environments as functions", "The caller owns the state and can look ahead or go back."),
}
"""The families in the order of the gallery, by plugin, each with a title and a description."""
FORMS: Final = {"classic-control-numba": "numba", "mujoco": "MuJoCo"}
"""What a plugin's vectorised forms use, if this is not NumPy."""
SIMULATORS: Final = ("box2d", "mujoco")
"""The plugins whose speed is compared with Gymnasium in the guide."""
SECTIONS: Final = {
    "Action": "Actions",
    "Observation": "Observations",
    "Reward": "Rewards",
    "Reset": "Start of an episode",
    "Termination": "End of an episode",
    "An episode ends": "End of an episode",
    "Episodes do not": "End of an episode",
    "Truncation": "End of an episode",
    "Info": "Infos",
}
"""The first words of a docstring's paragraph, and the heading for the paragraph."""
ORDER: Final = ("", "Actions", "Observations", "Rewards", "Start of an episode", "End of an episode", "Infos")
ARGUMENT: Final = re.compile(r"    (\*{0,2}\w+): (.*)")


@dataclass(slots=True)
class Environment:
    """An environment that has a page in the gallery.

    Attributes:
        name: the name of the page and of the film.
        title: the title of the page.
        plugin: the folder of the plugin.
        maker: the class of the environment, or the class of the functions.
        described: the class or function whose docstring and arguments are shown.
        offered: the import path of the class for links, or "" if there is none.
        specs: the specs of the ids, the main id first.
        plugins: the folder of the plugin of each id.
    """

    name: str
    title: str
    plugin: str
    maker: Any
    described: Any
    offered: str
    specs: list[EnvSpec] = field(default_factory=list)
    plugins: dict[str, str] = field(default_factory=dict)

    @property
    def doc(self) -> str:
        """The docstring of the class or function that is shown."""
        return inspect.getdoc(self.described) or ""

    @property
    def line(self) -> str:
        """The first line of the docstring."""
        return self.doc.partition("\n\n")[0].replace("\n", " ")


def environments() -> list[Environment]:
    """Return all environments, ordered by family."""
    found: dict[str, Environment] = {}
    for folder in (*FAMILIES, "classic-control-numba"):
        project = tomllib.loads((ROOT / "plugins" / "envs" / folder / "pyproject.toml").read_text(encoding="utf-8"))
        for env_id in sorted(project["project"]["entry-points"]["gymkernel.envs"], key=_newest_first):
            spec = gymkernel.spec(env_id)
            key = str(spec.entry_point)
            if key not in found:
                found[key] = _environment(spec, folder)
            found[key].specs.append(spec)
            found[key].plugins[env_id] = folder
    return list(found.values())


def ids(found: Iterable[Environment]) -> dict[str, str]:
    """Return the page of each id."""
    return {spec.id: f"environments/{item.name}" for item in found for spec in item.specs}


def _newest_first(env_id: str) -> tuple[str, int]:
    name, _, version = env_id.rpartition("-v")
    return name, -int(version)


def _environment(spec: EnvSpec, folder: str) -> Environment:
    with gymkernel.make(spec.id) as env:
        maker: Any = type(env.unwrapped)
        functions = getattr(env.unwrapped, "func_env", None)
    namespace, _, name = spec.id.rpartition("/")
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.partition("-v")[0]).replace("Cart Pole", "CartPole")
    slug = title.replace("CartPole", "cart pole").replace(" ", "-").lower()
    if functions is not None:
        maker, title, slug = type(functions), f"{title} as functions", f"{namespace}-{slug}"
    # The classes of the MuJoCo environments share their code. What differs is in the class of the task.
    described = getattr(maker, "task_class", maker)
    return Environment(slug, title, folder, maker, described, _offered(maker, folder))


def _offered(maker: Any, folder: str) -> str:
    """Return the path from which a class is imported, in a module of `gymkernel` or in the plugin's own package."""
    project = tomllib.loads((ROOT / "plugins" / "envs" / folder / "pyproject.toml").read_text(encoding="utf-8"))
    package = project["project"]["name"].replace("-", "_")
    places = project["project"]["entry-points"].get("gymkernel.modules", {})
    place = next((f"gymkernel.{place}" for place, module in places.items() if module == package), package)
    if not hasattr(importlib.import_module(package), maker.__name__):
        place = f"{place}.{maker.__module__.rpartition('.')[2]}"
    return f"{place}.{maker.__name__}"


def pages(found: list[Environment]) -> dict[str, str]:
    """Return the text of each page by its name. The gallery is the page "index"."""
    return {"index": "\n".join(_gallery(found)), **{item.name: "\n".join(_page(item)) for item in found}}


def _gallery(found: list[Environment]) -> Iterator[str]:
    yield "# Environments"
    yield ""
    yield "The environments of the plugins in this repository, each with its own page. For all others,"
    yield "`gymkernel list envs` shows what is installed, and"
    yield "[the compatibility table](../reference/compatibility.md) lists environments of other libraries."
    yield ""
    for folder, (title, what) in FAMILIES.items():
        yield from (f"## {title}", "", f"{what} {_installation(folder)}", "")
        yield from ("::::{grid} 1 2 3 3", ":gutter: 3", ":class-container: gallery", "")
        for item in found:
            if item.plugin == folder:
                yield from _card(item)
        yield from ("::::", "")
    head = ["id", "observations", "actions", "steps", "solved at", "form"]
    yield from ("## All ids", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head))
    for item in found:
        for spec in item.specs:
            yield "| " + " | ".join(_row(item, spec)) + " |"
    yield ""
    yield "Steps: the number of steps after which `make` truncates an episode."
    yield "Solved at: the mean return at which the task counts as solved."
    yield "Form: what `make_vec` uses by default, which is operations on NumPy arrays, code"
    yield "that numba compiles, or MuJoCo simulations on several threads. If there is no such form,"
    yield "a backend steps the environments."
    yield ""
    yield from ("```{toctree}", ":hidden:", "", *(f"{item.title} <{item.name}>" for item in found), "```", "")


def _card(environment: Environment) -> Iterator[str]:
    yield from (":::{grid-item-card}", f":link: /environments/{environment.name}", ":link-type: doc", "")
    yield from ("```{film} " + environment.name, f":alt: {environment.line}", "```", "")
    yield from ("```{card-footer}", f"**{environment.title}**  ", environment.line, "```", ":::", "")


def _row(environment: Environment, spec: EnvSpec) -> Iterator[str]:
    observations, actions = _spaces(environment)
    yield f"[`{spec.id}`]({environment.name}.md)"
    yield f"`{_short(observations)}`"
    yield f"`{_short(actions)}`"
    yield str(spec.max_episode_steps or "no limit")
    yield _threshold(spec)
    form = "none" if spec.vector_entry_point is None else FORMS.get(environment.plugins[spec.id], "NumPy")
    yield f"[{form}](../reference/api/envs.{environment.plugins[spec.id]}.md)" if form == "numba" else form


def _threshold(spec: EnvSpec) -> str:
    return "not set" if spec.reward_threshold is None else f"{spec.reward_threshold:g}"


def _form(environment: Environment, spec: EnvSpec) -> str:
    if spec.vector_entry_point is None:
        return "none: a backend steps them"
    form = FORMS.get(environment.plugins[spec.id], "NumPy")
    return {"numba": "compiled by numba", "MuJoCo": "simulations on several threads"}.get(form, "arrays of NumPy")


def _spaces(environment: Environment) -> tuple[Any, Any]:
    with gymkernel.make(environment.specs[0].id) as env:
        return env.observation_space, env.action_space


def _short(space: Any) -> str:
    """Return a short form of a space. Different bounds of a Box are shown only on the environment's page."""
    if isinstance(space, spaces.Box):
        same = (space.low == space.low.flat[0]).all() and (space.high == space.high.flat[0]).all()
        bounds = f"{space.low.flat[0]:g}, {space.high.flat[0]:g}, " if same else ""
        return f"Box({bounds}{space.shape}, {space.dtype})"
    if isinstance(space, spaces.Dict):
        return "Dict(" + ", ".join(f"{key}: {_short(part)}" for key, part in space.items()) + ")"
    return " ".join(str(space).split())


def _page(environment: Environment) -> Iterator[str]:
    main = environment.specs[0]
    yield from (f"# {environment.title}", "", environment.line, "")
    yield from ("```{film} " + environment.name, f":alt: {environment.line}", "```", "")
    observations, actions = _spaces(environment)
    with gymkernel.make(main.id) as env:
        modes = ", ".join(f"`{mode}`" for mode in env.metadata["render_modes"])
    yield from (
        "| property | value |",
        "| --- | --- |",
        "| ids | " + ", ".join(f"`{spec.id}`" for spec in environment.specs) + " |",
    )
    yield f"| actions | `{_short(actions)}` |"
    yield f"| observations | `{_short(observations)}` |"
    yield f"| limit of steps | {main.max_episode_steps or 'none'} |"
    yield f"| solved at a mean return of | {_threshold(main)} |"
    yield f"| render modes | {modes} |"
    yield f"| comes with | [`gymkernel-env-{environment.plugin}`](../reference/api/envs.{environment.plugin}.md) |"
    yield ""
    yield from ("## Creating the environment", "", _installation(environment.plugin), "")
    yield from ("```python", "import gymkernel as gym", "", f'env = gym.make("{main.id}", render_mode="rgb_array")')
    yield f'envs = gym.make_vec("{main.id}", num_envs=64)'
    yield from ("```", "")
    yield from _described(environment, observations, actions)
    yield from _arguments(environment)
    yield from _versions(environment)
    yield from _example(environment)
    yield from _speed(environment)
    if environment.offered:
        yield from (
            "## Reference",
            "",
            "```{eval-rst}",
            f".. autoclass:: {environment.offered}",
            "   :members:",
            "",
            "```",
            "",
        )


def _installation(plugin: str) -> str:
    """Return the command that installs a plugin with environments."""
    return f"`pip install gymkernel-env-{plugin}` (from a clone: `uv pip install ./plugins/envs/{plugin}`)"


def _described(environment: Environment, observations: Any, actions: Any) -> Iterator[str]:
    """Yield the docstring's paragraphs under headings, and tables of the spaces below them."""
    parts: dict[str, list[str]] = {title: [] for title in ORDER}
    if environment.plugin == "functional":
        parts[""] += [
            f"The same task as `{environment.specs[0].id.partition('/')[2]}`, whose page has the equations.",
            "",
        ]
    heading = ""
    for block in _blocks(environment.doc)[1:]:
        label = next((label for label in SECTIONS if block.startswith(label)), "")
        if label:
            heading = SECTIONS[label]
            block = re.sub(rf"^{label}(: |, )", "", block)  # noqa: PLW2901 - the heading already has this label
            block = block[:1].upper() + block[1:] if not block.startswith("`") else block  # noqa: PLW2901
        elif not block.startswith(("|", "    ")) and heading not in {"Actions", "Observations"}:
            heading = ""
        parts[heading] += [*_markdown(block), ""]
    for title, text in parts.items():
        if title == "Actions":
            yield from (f"## {title}", "", *text, *_meanings(text, actions), *_table(actions))
        elif title == "Observations":
            yield from (f"## {title}", "", *text, *_table(observations))
        elif text:
            yield from (f"## {title or 'The task'}", "", *text)


def _blocks(doc: str) -> list[str]:
    """Return the paragraphs of a docstring before its arguments and its example."""
    body = re.split(r"\n\n(?:Args|Attributes|Raises):|\n\nSee `\w+` for the arguments|\n\n>>> ", doc)[0]
    return [block for block in re.split(r"\n\s*\n", body) if block.strip()]


def _markdown(block: str) -> list[str]:
    """Convert a paragraph, a table, equations or preformatted text to Markdown."""
    lines = block.splitlines()
    if not block.startswith("    "):
        return [
            line.replace("| | what", "| part | what") if line.startswith("| |") else line for line in _filled(lines)
        ]
    if all(equations.is_equation(line) for line in lines):
        return [
            "```{raw} html",
            '<div class="equations">',
            *(equations.mathml(line) for line in lines),
            "</div>",
            "```",
        ]
    return ["```text", *(line[4:] for line in lines), "```"]


def _filled(lines: list[str]) -> list[str]:
    """Put a dash into the blank cells of a table, for example if a number has no unit."""
    if not lines[0].startswith("|"):
        return lines
    return [re.sub(r"\|\s+(?=\|)", "| \N{EN DASH} ", line) if i > 1 else line for i, line in enumerate(lines)]


def _meanings(text: list[str], space: Any) -> Iterator[str]:
    """Yield a table of the meanings of numbered actions, if the docstring lists them."""
    sentence = " ".join(text)
    found = re.findall(r"(?<![\w.])(\d) ([^,;.:(]+)", sentence.partition(":")[2])
    if isinstance(space, spaces.Discrete) and [int(number) for number, _ in found] == list(range(int(space.n))):
        yield from ("| action | does |", "| --- | --- |")
        yield from (f"| {number} | {what.removesuffix(' and').strip()} |" for number, what in found)
        yield ""


def _table(space: Any) -> Iterator[str]:
    """Yield a table that has one row for each part of a space."""
    yield from ("| space | shape | dtype | least | greatest |", "| --- | --- | --- | --- | --- |")
    for name, part in _parts(space):
        label = f"`{name}`: " if name else ""
        if isinstance(part, spaces.Box):
            bounds = [f"`{_numbers(bound)}`" for bound in (part.low, part.high)]
            yield f"| {label}`Box` | `{part.shape}` | `{part.dtype}` | {bounds[0]} | {bounds[1]} |"
        elif isinstance(part, spaces.Discrete):
            least = int(part.start)
            yield f"| {label}`Discrete` | one number | `{part.dtype}` | `{least}` | `{least + int(part.n) - 1}` |"
        else:
            raise NotImplementedError(f"docs/env_pages.py cannot show {part}; add a row for such spaces")
    yield ""


def _numbers(bound: Any) -> str:
    """Format the bounds as a list, or as one number if all bounds are equal."""
    numbers = [f"{number:.4g}" for number in np.ravel(bound)]
    return numbers[0] if len(set(numbers)) == 1 else ", ".join(numbers)


def _parts(space: Any) -> list[tuple[str, Any]]:
    if isinstance(space, spaces.Dict):
        return list(space.items())
    if isinstance(space, spaces.Tuple):
        return [(str(i), part) for i, part in enumerate(space.spaces)]
    return [("", space)]


def _arguments(environment: Environment) -> Iterator[str]:
    """Yield a table of the arguments that `make` accepts for this environment."""
    if environment.plugin == "functional":
        params = importlib.import_module("gymkernel_env_functional")
        constants = getattr(params, environment.described.__name__.replace("Functional", "Params"))
        described = _documented(inspect.getdoc(constants) or "", "Attributes")
        given = {name: entry.default for name, entry in inspect.signature(constants).parameters.items()}
    else:
        described, given = _described_arguments(environment.described)
    if environment.described is not environment.maker and environment.plugin == "mujoco":
        others, defaults = _described_arguments(environment.maker)
        names = importlib.import_module("gymkernel_env_mujoco.task_envs").RENDERING
        described |= {name: others[name] for name in (*names, "default_camera_config")}
        given |= {name: defaults.get(name) for name in (*names, "default_camera_config")}
    yield from (
        "## Arguments",
        "",
        f'Arguments of `make` and `make_vec`: `gym.make("{environment.specs[0].id}", ...)`.',
        "",
    )
    yield from ("| argument | default | meaning |", "| --- | --- | --- |")
    for name, default in given.items():
        if name in described:
            yield f"| `{name}` | `{environment.specs[0].kwargs.get(name, default)!r}` | {described[name]} |"
    yield ""


def _described_arguments(maker: Any) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the descriptions and the default values of a class's arguments, including those of its base classes."""
    described: dict[str, str] = {}
    given: dict[str, Any] = {}
    for cls in reversed(maker.__mro__):
        if cls.__module__.startswith("gymkernel_"):
            doc = inspect.getdoc(cls) or ""
            described = _documented(doc, "Attributes") | described | _documented(doc, "Args")
            given |= {name: entry.default for name, entry in inspect.signature(cls).parameters.items()}
    own = inspect.signature(maker).parameters
    accepts_more = any(entry.kind is entry.VAR_KEYWORD for entry in own.values())
    return described, given if accepts_more else {name: entry.default for name, entry in own.items()}


def _documented(doc: str, section: str) -> dict[str, str]:
    """Return the arguments in a section of a docstring, each with its description."""
    found: dict[str, str] = {}
    body = doc.partition(f"{section}:\n")[2].partition("\n\n")[0]
    name = ""
    for line in body.splitlines():
        if match := ARGUMENT.fullmatch(line):
            name, found[match[1]] = match[1], match[2]
        elif name:
            found[name] += f" {line.strip()}"
    return found


def _versions(environment: Environment) -> Iterator[str]:
    yield from (
        "## Ids",
        "",
        "| id | arguments | steps | solved at | vectorised form |",
        "| --- | --- | --- | --- | --- |",
    )
    for spec in environment.specs:
        given = ", ".join(f"`{name}={value!r}`" for name, value in spec.kwargs.items()) or "none"
        steps = spec.max_episode_steps or "no limit"
        solved = _threshold(spec)
        form = _form(environment, spec)
        form = f"[{form}](../reference/api/envs.{environment.plugins[spec.id]}.md)" if "numba" in form else form
        yield f"| `{spec.id}` | {given} | {steps} | {solved} | {form} |"
    yield ""


def _example(environment: Environment) -> Iterator[str]:
    """Yield the example of the docstring, which the tests run."""
    start = environment.doc.find(">>> ")
    if start < 0:
        return
    names = {"np": "import numpy as np"}
    code = environment.doc[start:]
    used = {node.id for node in ast.walk(ast.parse(_code(code))) if isinstance(node, ast.Name)}
    imports = [f">>> {line}" for name, line in names.items() if name in used]
    own = {environment.described.__name__, environment.described.__name__.replace("Functional", "Params")}
    imports += [f">>> from {environment.offered.rpartition('.')[0]} import {name}" for name in sorted(own & used)]
    yield from ("## Example", "", "```pycon", *imports, code, "```", "")


def _code(example: str) -> str:
    return "\n".join(line[4:] for line in example.splitlines() if line.startswith((">>> ", "... ")))


def _speed(environment: Environment) -> Iterator[str]:
    rows = plots.speeds(environment.specs[0].id)
    if rows:
        yield from ("## Speed", "", "Measured against Gymnasium 1.4 in the same run, in turns.", "")
        yield from ("| benchmark | times as fast |", "| --- | --- |")
        yield from (*(f"| {what} | {ratio} |" for what, ratio in rows), "")
        yield from ("[Performance](../guides/performance.md) explains how to repeat the measurement.", "")
    else:
        if environment.plugin in SIMULATORS:
            guide = f"[The guide](../guides/environments.md#{environment.plugin})"
            about = f"{guide} compares the speed with other libraries."
        else:
            about = "Gymnasium has no such environment."
        yield from ("## Speed", "", f"{about} To measure the speed on your machine, run:", "")
        yield from ("```console", f"$ gymkernel bench {environment.specs[0].id}", "```", "")
