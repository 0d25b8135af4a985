"""GK91x and GK92x: rules about the entry points of a distribution package."""

from __future__ import annotations

import inspect
from typing import Any

import click

from gymkernel import error, plugins
from gymkernel.suggestions import did_you_mean
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.introspect import source_of
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short


def plugin_of(subject: Subject) -> plugins.Plugin:
    """Return the entry point that is checked."""
    if subject.plugin is None:
        raise Skip("no installed distribution provides this target")
    found: plugins.Plugin = subject.plugin
    return found


def loads(subject: Subject, seen: Any) -> Faults:
    """Load the entry point, and check that the loaded object is suitable for its kind of plugin.

    Why: A broken entry point raises an exception only when a user first uses the name.
    Fix: Let the entry point refer to a class that can be imported, and declare all dependencies of its module.
    """
    plugin = plugin_of(subject)
    try:
        plugin.load()
    except error.PluginError as exc:
        if plugin.extra:  # an extra that the entry point requires may be missing
            raise Skip(str(exc)) from exc
        yield Fault(str(exc), "class")


def sole_provider(subject: Subject, seen: Any) -> Faults:
    """Check that no other installed distribution package provides a plugin with the same name.

    Why: If two distributions provide the same name, the name is ambiguous, and using it raises an error.
    Fix: Choose another name, or uninstall one of the distributions.
    """
    plugin = plugin_of(subject)
    others = [provider for provider in plugins.providers(plugin.kind, plugin.name) if provider is not plugin]
    if others and plugin.kind not in plugins.PLURAL:
        who = ", ".join(f"{provider.distribution} {provider.version}" for provider in others)
        yield Fault(f"{plugin.label} is also provided by {who}", "class")


def is_a_command(subject: Subject, seen: Any) -> Faults:
    """Check that the entry point loads a click command.

    Why: Otherwise, `gymkernel --help` lists the command, but `gymkernel NAME` fails.
    Fix: Let the entry point refer to a click group, or to a function decorated with @click.command().
    """
    found = _loaded(subject)
    if not isinstance(found, click.Command):
        message = f"expected a click command, got {short(found)} ({type(found).__name__})"
        yield Fault(message, "class", show=f"print({subject.recipe.value})")


def hooks_exist(subject: Subject, seen: Any) -> Faults:
    """Check that every function that is decorated with `@hookimpl` or named `gymkernel_...` implements a hook.

    Why: A function with a wrong name or without @hookimpl is silently ignored.
    Fix: Import the decorator with `from gymkernel.hooks import hookimpl`, and give the function the name and the
    arguments of a hook.
    """
    from gymkernel.hooks import Specification

    known = {name: function for name, function in vars(Specification).items() if name.startswith("gymkernel_")}
    module = _loaded(subject)
    written = 0
    for name, function in inspect.getmembers(module, inspect.isroutine):
        options = getattr(function, "gymkernel_impl", None)
        if options is None and not name.startswith("gymkernel_"):
            continue
        written += 1
        hook = (options or {}).get("specname") or name
        place = source_of(function)
        if hook not in known:
            near = did_you_mean(hook, known)
            yield Fault(f"there is no hook {hook}{near and f'; {near}'}", place=place)
        elif options is None:
            yield Fault(f"{name} is not decorated with @hookimpl, so it is never called", place=place)
        elif more := [word for word in inspect.signature(function).parameters if word not in _arguments(known[hook])]:
            message = f"{hook} takes {', '.join(more)}; the hook provides {', '.join(_arguments(known[hook]))}"
            yield Fault(message, place=place)
    if not written:
        yield Fault(f"{subject.found['class']} does not implement any hook", "class")


def _arguments(hook: Any) -> list[str]:
    return [name for name in inspect.signature(hook).parameters if name != "self"]


def _loaded(subject: Subject) -> Any:
    if subject.object is None:
        raise Skip("the entry point cannot be loaded (GK911)")
    return subject.object
