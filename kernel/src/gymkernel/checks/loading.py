"""From the words after `gymkernel check` to a subject: importing what they mean."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymkernel import _metadata, error, plugins
from gymkernel.checks.subject import Subject
from gymkernel.checks.targets import EXPECTED, FILE, TargetError

if TYPE_CHECKING:
    from types import ModuleType

    from gymkernel.checks.subject import Options
    from gymkernel.checks.targets import Target

__all__ = ["adjusted", "load", "newest", "subject_of"]


def load(target: Target, options: Options) -> Subject:
    """The subject of a target, imported.

    Raises:
        TargetError: there is nothing of this name.
    """
    return adjusted(_load(target, options))


def adjusted(subject: Subject) -> Subject:
    """The subject as its options want it: with these arguments, or known to be nondeterministic.

    Raises:
        TargetError: there are arguments, and nothing to make with them.
    """
    subject.nondeterministic |= subject.options.nondeterministic
    if given := subject.options.make_kwargs:
        if subject.make is None:
            message = f"{subject.name} is not made with arguments; make_kwargs are for what makes an environment"
            raise TargetError(message)
        plain, lines = subject.make, subject.recipe.rstrip().removesuffix(")")
        subject.make = lambda **more: plain(**{**given, **more})
        arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
        subject.recipe = f"{lines}{'' if lines.endswith('(') else ', '}{arguments})"
    return subject


def _load(target: Target, options: Options) -> Subject:
    if target.form == "plugin":
        return _plugin_subject(target, options)
    if target.form == "distribution":
        found = {"kind": target.kind, "name": target.name, "distribution": target.name, "version": target.version}
        return Subject(target.text, target.kind, options=options, found=found)
    if target.form == "id":
        return _env_subject(target.name, target.text, options)
    sys.path.insert(0, str(Path.cwd()))
    return _file_subject(target.text, options) if target.form == "file" else _object_subject(target.text, options)


def _object_subject(text: str, options: Options) -> Subject:
    """`module:Class`, or `module:id` of an environment that the import of the module registers."""
    module, _, name = text.partition(":")
    try:
        loaded = importlib.import_module(module)
    except Exception as exc:
        absent = exc.name if isinstance(exc, ModuleNotFoundError) and exc.name else None
        if absent is not None and f"{module}.".startswith(f"{absent}."):
            message = f"there is no module {absent}; expected {EXPECTED}"
            raise TargetError(message) from exc
        return _broken(text, exc, options)
    try:
        found = _attribute(loaded, name)
    except AttributeError:
        return _registered(text, loaded, name, options)
    return subject_of(found, options, text, f"from {module} import {name.partition('.')[0]}", name)


def _registered(text: str, module: ModuleType, name: str, options: Options) -> Subject:
    try:
        return _env_subject(text, text, options)
    except TargetError as exc:
        near = difflib.get_close_matches(name, vars(module), n=1)
        message = f"{module.__name__} has no {name}{f'; did you mean {near[0]}?' if near else ''}"
        raise TargetError(message) from exc


def _attribute(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _file_subject(text: str, options: Options) -> Subject:
    match = FILE.fullmatch(text)
    path, name = Path(match["path"] if match else text), match["name"] if match else None
    if not path.is_file():
        message = f"there is no file {path}"
        raise TargetError(message)
    module_name = path.stem
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        message = f"{path} cannot be imported"
        raise TargetError(message)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as exc:  # noqa: BLE001 - told as GK001
        return _broken(text, exc, options)
    name = name or _only_class(module, path)
    try:
        found = _attribute(module, name)
    except AttributeError:
        near = difflib.get_close_matches(name, vars(module), n=1)
        message = f"{path} has no {name}{f'; did you mean {near[0]}?' if near else ''}"
        raise TargetError(message) from None
    folder = os.path.relpath(path.parent)
    imports = f"from {module_name} import {name.partition('.')[0]}{f'  # in {folder}' if folder != '.' else ''}"
    return subject_of(found, options, text, imports, name)


def _only_class(module: ModuleType, path: Path) -> str:
    from gymkernel.space import Space
    from gymkernel.wrapper import Wrapper

    own = [thing for thing in vars(module).values() if isinstance(thing, type) and thing.__module__ == module.__name__]
    named = [
        cls for cls in own if any(base.__name__ == "Env" for base in cls.__mro__[1:]) and not issubclass(cls, Wrapper)
    ]
    named = named or [cls for cls in own if issubclass(cls, Space)]
    if len(named) == 1:
        return named[0].__name__
    names = ", ".join(f"{path}:{cls.__name__}" for cls in named)
    message = f"say which class of {path} to check: {names}"
    if not named:
        message = f"{path} defines no subclass of Env or Space; name one"
    raise TargetError(message)


def _plugin_subject(target: Target, options: Options) -> Subject:
    plugin = next(
        p for p in plugins.plugins(target.kind) if (p.name, p.distribution) == (target.name, target.distribution)
    )
    try:
        thing = plugin.load()
    except error.PluginError:
        thing = None  # told as GK911
    found = {"kind": target.kind, "name": plugin.name, "class": plugin.value}
    found |= {"distribution": plugin.distribution, "version": plugin.version}
    module, _, name = plugin.value.partition(":")
    recipe = f"from {module} import {name.partition('.')[0]}\n\nspace = {name}()"
    return Subject(target.text, target.kind, object=thing, plugin=plugin, options=options, recipe=recipe, found=found)


def _env_subject(env_id: str, text: str, options: Options) -> Subject:
    from gymkernel.envs import registration

    env_id = newest(env_id)
    name = env_id.partition(":")[2] or env_id
    providers = plugins.providers("envs", name)
    plugin = providers[0] if providers else None
    found: dict[str, Any] = {"kind": "envs", "name": env_id}
    recipe = f'import gymkernel as gym\n\nenv = gym.make("{env_id}")'
    try:
        spec = registration.spec(env_id)
    except error.PluginError as exc:
        subject = _broken(text, exc, options)
        subject.plugin, subject.found = plugin, found
        return subject
    except (error.Error, ImportError) as exc:
        raise TargetError(str(exc)) from exc
    if plugin is None:
        plugin = next(iter(plugins.providers("envs", spec.id)), None)
    if plugin is not None:
        found |= {"distribution": plugin.distribution, "version": plugin.version}
    return Subject(
        text,
        make=lambda **given: registration.make(env_id, disable_env_checker=True, **given),
        plugin=plugin,
        options=options,
        recipe=recipe,
        nondeterministic=bool(spec.nondeterministic),
        found=found | {"name": spec.id},
    )


def newest(env_id: str) -> str:
    """The id with its newest version, where it was written without one."""
    from gymkernel.envs import registration

    try:
        ns, name, version = registration.parse_env_id(env_id)
    except error.Error:
        return env_id
    if version is not None or env_id in registration.registry:
        return env_id
    found = registration.find_highest_version(ns, name)
    return env_id if found is None else registration.get_env_id(ns, name, found)


def _broken(text: str, exc: Exception, options: Options) -> Subject:
    """A subject of which nothing but the failing import can be told."""

    def make(**given: Any) -> Any:
        raise exc

    return Subject(text, make=make, options=options, found={"kind": "envs", "name": text})


def subject_of(thing: Any, options: Options, text: str = "", imports: str = "", name: str = "") -> Subject:
    """The subject of an object: a spec, a class, a function that makes an environment, an environment, or a space."""
    from gymkernel.checks.compare import short
    from gymkernel.checks.laws import is_space_class
    from gymkernel.checks.trace import is_space
    from gymkernel.envs import registration
    from gymkernel.space import Space
    from gymkernel.vector_env import VectorEnv
    from gymkernel.vector_wrapper import VectorWrapper
    from gymkernel.wrapper import Wrapper

    text = text or str(getattr(thing, "__qualname__", None) or getattr(thing, "id", thing))
    module = str(getattr(thing, "__module__", "") or "")
    found: dict[str, Any] = {"kind": "envs", "name": name or text}
    package = module.partition(".")[0]
    if package and (version := _metadata.version(package)) is not None:
        found |= {"distribution": _metadata.normalize(package), "version": version}
    if isinstance(thing, registration.EnvSpec):
        spec = thing
        return Subject(
            text,
            make=lambda **given: registration.make(spec, disable_env_checker=True, **given),
            object=spec,
            options=options,
            recipe=f'import gymkernel as gym\n\nenv = gym.make("{spec.id}")',
            nondeterministic=spec.nondeterministic,
            found=found,
        )
    if isinstance(thing, type):
        bases = (("wrappers", Wrapper), ("spaces", Space), ("vector_wrappers", VectorWrapper), ("vector", VectorEnv))
        kind = next((kind for kind, base in bases if issubclass(thing, base)), "envs")
        if kind == "envs" and is_space_class(thing) and not hasattr(thing, "step"):
            kind = "spaces"  # of another library
        if kind != "envs":
            recipe = "\n\n".join(filter(None, [imports, f"space = {name or text}()"]))
            return Subject(text, kind, object=thing, options=options, recipe=recipe, found={**found, "kind": kind})
    if is_space(thing) and not hasattr(thing, "step"):
        made = name or f"...  # {short(thing)}"
        recipe = "\n\n".join(filter(None, [imports, f"space = {made}"]))
        return Subject(text, "spaces", live=thing, options=options, recipe=recipe, found={**found, "kind": "spaces"})
    if callable(thing) and not (hasattr(thing, "reset") and hasattr(thing, "step") and not isinstance(thing, type)):
        call = name or text
        recipe = "\n\n".join(filter(None, [imports, f"env = {call}()"]))
        return Subject(text, make=thing, options=options, recipe=recipe, found=found)
    if callable(getattr(thing, "reset", None)) and callable(getattr(thing, "step", None)):
        nondeterministic = bool(getattr(getattr(thing, "spec", None), "nondeterministic", False))
        return Subject(text, live=thing, options=options, nondeterministic=nondeterministic, found=found)
    message = f"{text} is {thing!r} ({type(thing).__name__}); expected an environment, what makes one, or a space"
    raise TargetError(message)
