"""The command `gymkernel info`."""

import contextlib
import inspect
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any, cast

import click

from gymkernel import _metadata, error, plugins, registration
from gymkernel.cli import completion, inventory
from gymkernel.cli.terminal import Terminal, echo
from gymkernel.making import VectorizeMode, make
from gymkernel.suggestions import did_you_mean
from gymkernel.third_party import ENVS

__all__ = ["info"]

SCHEMA = "gymkernel.info/1"
Row = tuple[str, str]


@click.command()
@click.argument("name", shell_complete=completion.names)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="The output format.")
def info(name: str, form: str) -> None:
    """Describe an environment, a plugin or a distribution.

    NAME can be an environment id; the name of a space, wrapper or vector backend, with or without its kind (Box or
    spaces.Box); a vectorization mode (async, sync, vector_entry_point, ...); the path of a helper or module
    (vector.utils.Buffer, spaces.box); or the name of a distribution.
    """
    sections = _sections(name)
    if not sections:
        hint = did_you_mean(name, {*_all_names(), *ENVS}, "gymkernel list shows what is installed", most=3)
        if re.fullmatch(r"[a-zA-Z]+\d{3}", name):
            hint = f"gymkernel check --explain {name.upper()} explains a rule"
        raise click.UsageError(f"{name} is unknown; {hint}")
    if form == "json":
        records = [{"title": title, **dict(rows)} for title, rows in sections]
        echo(json.dumps({"schema": SCHEMA, "name": name, "found": records}, indent=2))
        return
    terminal = Terminal()
    for i, (title, rows) in enumerate(sections):
        if i:
            terminal.write("")
        terminal.write(terminal.paint(title, bold=True))
        for label, text in rows:
            terminal.write(*terminal.wrap(f"  {label}", text, 16))


def _all_names() -> set[str]:
    names = {plugin.name for plugin in plugins.plugins()} | {plugin.distribution for plugin in plugins.plugins()}
    names |= {name for kind in inventory.KIND_WORDS for name in plugins.known(kind)}
    return names | {mode.value for mode in VectorizeMode} | {_mode(name) for name in plugins.known("vector")}


def _sections(name: str) -> list[tuple[str, list[Row]]]:
    sections = [
        (f"{plugin.name} ({inventory.KIND_WORDS[kind]})", _plugin_rows(plugin))
        for kind in inventory.KIND_WORDS
        for plugin in plugins.plugins(kind)
        if name in {plugin.name, plugin.label} or (kind == "vector" and name == _mode(plugin.name))
    ]
    sections += [
        (f"{known} ({inventory.KIND_WORDS[kind]})", [("state", f"not installed; run: pip install {distribution}")])
        for kind in inventory.KIND_WORDS
        for known, distribution in plugins.missing(kind).items()
        if name == known or (kind == "vector" and name == _mode(known))
    ]
    if name == VectorizeMode.VECTOR_ENTRY_POINT.value:
        sections.append((f"{name} (vectorization mode)", _vector_entry_point_rows()))
    inside = [p for p in plugins.plugins() if _metadata.normalize(p.distribution) == _metadata.normalize(name)]
    if inside:
        sections.append((f"{inside[0].distribution} (distribution)", _distribution_rows(inside)))
    sections += [plugin.load()() for plugin in plugins.providers("adapters", f"gymkernel info {name}")]
    return sections or _spec_section(name)


def _mode(backend: str) -> str:
    """Return the vectorization mode that selects a vector backend, such as "async" for AsyncVectorEnv."""
    return backend.removesuffix("VectorEnv").lower()


def _vector_entry_point_rows() -> list[Row]:
    ids = sorted(spec.id for spec in registration.registry.values() if spec.vector_entry_point is not None)
    about = "The environment's own vectorised form, for make_vec(vectorization_mode=...)."
    return [("about", about), ("environments", ", ".join(ids) or "none installed")]


def _plugin_rows(plugin: plugins.Plugin) -> list[Row]:
    rows = [("distribution", f"{plugin.distribution} {plugin.version}")]
    rows += [("needs", f"gymkernel{plugin.requires}")] if plugin.requires else []
    thing = None
    if inventory.problem(plugin)[0] in {"found", "loaded"}:
        with contextlib.suppress(error.PluginError):
            thing = plugin.load()
    state, trouble = inventory.problem(plugin)
    rows += [("state", f"{state}: {trouble}" if trouble else state), ("entry point", plugin.value)]
    if thing is None:
        return rows
    if plugin.kind == "envs":
        return [*rows, *_env_rows(plugin.name)]
    if plugin.kind == "commands":
        about = thing.get_short_help_str(sys.maxsize) if hasattr(thing, "get_short_help_str") else repr(thing)
        return [*rows, ("about", about)]
    if plugin.kind == "vector":
        rows.append(("mode", f'make_vec(..., vectorization_mode="{_mode(plugin.name)}")'))
    rows += _object_rows(thing)
    if plugin.kind == "spaces":
        from gymkernel.cli.matrix import of_class

        origins = of_class(thing)
        for origin in dict.fromkeys(origins.values()):
            rows.append((origin, ", ".join(name for name, other in origins.items() if other == origin)))
    return rows


def _object_rows(thing: Any) -> list[Row]:
    rows = []
    with contextlib.suppress(TypeError, OSError, ValueError):
        rows.append(("source", f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}"))
    with contextlib.suppress(TypeError, ValueError):
        rows.append(("signature", f"{thing.__name__}{_signature(thing)}"))
    doc = (inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
    return rows + ([("about", doc)] if doc else [])


def _signature(thing: Any) -> str:
    """Return the signature of a function or class, without annotations."""
    parameters = inspect.signature(thing).parameters.values()
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(plain))


def _env_rows(env_id: str) -> list[Row]:
    try:
        spec = registration.spec(env_id)
    except (error.Error, ImportError) as exc:
        return [("spec", str(exc))]
    rows = [("id", spec.id)]
    shown = spec.pprint(disable_print=True, include_entry_points=True, print_all=True) or ""
    for line in shown.splitlines():
        label, _, value = line.partition("=")
        if label not in {"id", "name", "namespace", "version"} and value not in {"None", "()", "{}"}:
            rows.append((label, value))
    rows = [("spec", ", ".join(f"{label}={value}" for label, value in rows))]
    try:
        env = make(env_id, disable_env_checker=True)
    except Exception as exc:  # noqa: BLE001 - if the environment cannot be created, the other rows are still shown
        rows.append(("make", f"failed: {type(exc).__name__}: {exc}"))
        with contextlib.suppress(Exception):
            rows += _object_rows(registration.load_env_creator(spec.entry_point))
        return rows
    layers, layer = list[str](), cast("Any", env)
    while layer is not env.unwrapped:
        layers.append(type(layer).__name__)
        layer = layer.env
    rows += [("observation", " ".join(repr(env.observation_space).split())), ("action", repr(env.action_space))]
    rows.append(("render modes", ", ".join(map(str, env.metadata.get("render_modes", ()))) or "none"))
    checker = ["PassiveEnvChecker"] if not spec.disable_env_checker else []
    rows.append(("make adds", ", ".join([*layers, *checker]) or "nothing"))
    rows += _object_rows(type(env.unwrapped))
    env.close()
    with contextlib.suppress(error.Error, ImportError):  # a plugin adds Gymnasium's environments under this prefix
        other = registration.spec(f"gymnasium/{env_id}").id
        rows.append(("namesake", f"Gymnasium also has an environment with this id: {other}"))
    return rows


def _distribution_rows(inside: list[plugins.Plugin]) -> list[Row]:
    first = inside[0]
    rows = [("version", first.version), ("needs", ", ".join(_metadata.dependencies(first.distribution)) or "nothing")]
    for plugin in inside:
        state, trouble = inventory.problem(plugin)
        rows.append((plugin.kind, f"{plugin.name} = {plugin.value}{f'  {state}: {trouble}' if trouble else ''}"))
    return rows


def _spec_section(name: str) -> list[tuple[str, list[Row]]]:
    """Describe the environment with an id that is not the name of a plugin, such as `module:id`."""
    folder = str(Path.cwd())
    if ":" in name and folder not in sys.path and "" not in sys.path:
        sys.path.insert(0, folder)  # like `python -m`
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec = registration.find(name)
    except (error.Error, ImportError) as exc:
        known = inventory.items("envs", name)
        return [(f"{name} (environment)", [("state", str(exc))])] if known else []
    for plugin in plugins.providers("envs", spec.id):
        return [(f"{spec.id} (environment)", _plugin_rows(plugin))]
    return [(f"{spec.id} (environment)", _env_rows(name))]
