"""Functions that import the target of a check and return a `Subject` for it."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from gymkernel import error, plugins
from gymkernel.making import make
from gymkernel.space import Space
from gymkernel.specs import EnvSpec
from gymkernel.vector_env import VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_tool_check import installed
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.probes.space_instances import is_space_class
from gymkernel_tool_check.probes.trace import is_space
from gymkernel_tool_check.recipe import Recipe
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.targets import Target, disabled_by
from gymkernel_util_spaces.compare import short
from gymkernel_util_tools.target_lookup import (
    TargetError,
    class_of_file,
    find_attribute,
    find_module,
    find_spec,
    load_file,
    newest,
    parse,
)

__all__ = ["adjusted", "load", "subject_of"]


def load(target: Any, options: Options) -> Subject:
    """Return a subject for a `Target`, which is imported, or for an object, as `subject_of` does.

    Raises:
        TargetError: if the target does not exist.
    """
    return adjusted(_load(target, options) if isinstance(target, Target) else subject_of(target, options))


def adjusted(subject: Subject) -> Subject:
    """Apply the options `make_kwargs` and `nondeterministic` to a subject.

    Raises:
        TargetError: if arguments were given, but the check does not create this kind of target.
    """
    subject.nondeterministic |= subject.options.nondeterministic
    if given := subject.options.make_kwargs:
        if subject.make is None:
            message = (
                f"{subject.name} takes no arguments; make_kwargs can only be used if the target creates an environment"
            )
            raise TargetError(message)
        plain = subject.make
        subject.make = lambda **more: plain(**{**given, **more})
        subject.recipe = subject.recipe.calling(*(f"{name}={value!r}" for name, value in given.items()))
    return subject


def _load(target: Target, options: Options) -> Subject:
    if target.origin == "plugin":
        return _plugin_subject(target, options)
    if target.origin == "distribution":
        found = {"kind": target.kind, "name": target.name, "distribution": target.name, "version": target.version}
        return Subject(target.text, target.kind, options=options, found=found)
    if target.origin == "id":
        return _env_subject(target.name, target.text, options)
    return _object_subject(target.text, options)


def _object_subject(text: str, options: Options) -> Subject:
    """Return a subject for "module:Class", "path.py:Class" or "module:id". The import must register the id."""
    origin, place, name = parse(text)
    path = Path(place) if origin == "file" else None
    try:
        module = find_module(place) if path is None else load_file(path)
    except TargetError:
        raise
    except Exception as exc:  # noqa: BLE001 - GK001 reports the exception
        return _broken(text, exc, options)
    if path is not None:
        name = name or class_of_file(module, path, spaces=True)
    try:
        found = find_attribute(module, name, place)
    except TargetError:
        if path is None:
            with contextlib.suppress(TargetError):
                return _env_subject(text, text, options)
        raise
    folder = "." if path is None else os.path.relpath(path.parent)
    source = place if path is None else path.stem
    imports = f"from {source} import {name.partition('.')[0]}{f'  # in {folder}' if folder != '.' else ''}"
    return subject_of(found, options, text, imports, name)


def _plugin_subject(target: Target, options: Options) -> Subject:
    plugin = next(
        p for p in plugins.plugins(target.kind) if (p.name, p.distribution) == (target.name, target.distribution)
    )
    try:
        thing = plugin.load()
    except error.PluginError:
        thing = None  # reported as GK911
    found = {"kind": target.kind, "name": plugin.name, "class": plugin.value}
    found |= {"distribution": plugin.distribution, "version": plugin.version}
    module, _, name = plugin.value.partition(":")
    recipe = Recipe(name, (), (f"from {module} import {name.partition('.')[0]}",), "space")
    return Subject(target.text, target.kind, object=thing, plugin=plugin, options=options, recipe=recipe, found=found)


def _env_subject(env_id: str, text: str, options: Options) -> Subject:
    env_id = newest(env_id)
    name = env_id.partition(":")[2] or env_id
    plugin = next(iter(plugins.providers("envs", name)), None)
    found: dict[str, Any] = {"kind": "envs", "name": env_id}
    try:
        spec = find_spec(env_id)
    except error.PluginError as exc:
        return replace(_broken(text, exc, options), plugin=plugin, found=found)
    except (error.Error, ImportError) as exc:
        raise TargetError(disabled_by(env_id) or str(exc)) from exc
    if plugin is None:
        plugin = next(iter(plugins.providers("envs", spec.id)), None)
    if plugin is not None:
        found |= {"distribution": plugin.distribution, "version": plugin.version}
    found["name"] = spec.id
    return _creatable_subject(
        Subject(text, plugin=plugin, options=options, recipe=_by_id(env_id), found=found), env_id, spec
    )


def _creatable_subject(subject: Subject, given: str | EnvSpec, spec: Any) -> Subject:
    """Complete the subject with a function that creates the environment from an id or a spec."""
    subject.make = lambda **more: make(given, disable_env_checker=True, **more)
    subject.nondeterministic = bool(spec.nondeterministic)
    return subject


def _by_id(env_id: str) -> Recipe:
    return Recipe("gym.make", (f'"{env_id}"',), ("import gymkernel as gym",))


def _broken(text: str, exc: Exception, options: Options) -> Subject:
    """Return a subject whose constructor raises the exception from the failed import, so that GK001 reports it."""

    def make(**given: Any) -> Any:
        raise exc

    return Subject(text, make=make, options=options, found={"kind": "envs", "name": text})


def subject_of(thing: Any, options: Options, text: str = "", imports: str = "", name: str = "") -> Subject:
    """Return a subject for a spec, a class, a function that creates an environment, an environment, or a space."""
    text = text or str(getattr(thing, "__qualname__", None) or getattr(thing, "id", thing))
    module = str(getattr(thing, "__module__", "") or "")
    head = (imports,) if imports else ()
    found: dict[str, Any] = {"kind": "envs", "name": name or text}
    package = module.partition(".")[0]
    if package and (version := installed.version(package)) is not None:
        found |= {"distribution": installed.normalize(package), "version": version}
    if isinstance(thing, EnvSpec):
        subject = Subject(text, object=thing, options=options, recipe=_by_id(thing.id), found=found)
        return _creatable_subject(subject, thing, thing)
    if isinstance(thing, type):
        bases = (("wrappers", Wrapper), ("spaces", Space), ("vector_wrappers", VectorWrapper), ("vector", VectorEnv))
        kind = next((kind for kind, base in bases if issubclass(thing, base)), "envs")
        if kind == "envs" and is_space_class(thing) and not hasattr(thing, "step"):
            kind = "spaces"  # the class comes from another library
        if kind != "envs":
            recipe = Recipe(name or text, (), head, "space")
            return Subject(text, kind, object=thing, options=options, recipe=recipe, found={**found, "kind": kind})
    if is_space(thing) and not hasattr(thing, "step"):
        recipe = Recipe(name or "...", None, head, "space", "" if name else short(thing))
        return Subject(text, "spaces", live=thing, options=options, recipe=recipe, found={**found, "kind": "spaces"})
    if callable(thing) and not (hasattr(thing, "reset") and hasattr(thing, "step") and not isinstance(thing, type)):
        recipe = Recipe(name or text, (), head)
        return Subject(text, make=thing, options=options, recipe=recipe, found=found)
    if callable(getattr(thing, "reset", None)) and callable(getattr(thing, "step", None)):
        nondeterministic = bool(getattr(getattr(thing, "spec", None), "nondeterministic", False))
        return Subject(text, live=thing, options=options, nondeterministic=nondeterministic, found=found)
    raise TargetError(f"{text} is {thing!r} ({type(thing).__name__}); expected an environment, its class, or a space")
