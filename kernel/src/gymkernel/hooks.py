"""Hooks: functions that plugins implement and that gymkernel calls through pluggy.

This module is imported when a hook is first called.

A plugin implements a hook with `@hookimpl` in the module of its `gymkernel.hooks` entry point. Hooks are for rare
events, never for steps. If an implementation raises an error, a warning names its plugin, and the other implementations
are still called.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pluggy

from gymkernel import error, logger, plugins

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike

__all__ = ["Specification", "call", "hookimpl", "manager"]

hookspec = pluggy.HookspecMarker("gymkernel")
hookimpl = pluggy.HookimplMarker("gymkernel")


class Specification:
    """The specification of all hooks; an implementation may accept any subset of its hook's arguments."""

    @hookspec(firstresult=True)
    def gymkernel_resolve_env(self, env_id: str) -> Any:
        """Return the `EnvSpec` for an unregistered id, or None; for packages that have too many ids to register.

        An implementation may raise `UnregisteredEnv` or `DeprecatedEnv` if it is responsible for the id but no such
        environment exists. The caller of `make` receives this error.

        Args:
            env_id: an unregistered id, `[namespace/]name[-vN]`; or `module:[namespace/]name[-vN]`, registered or not,
                after the module has been imported.
        """

    @hookspec
    def gymkernel_env_created(self, env: EnvLike[Any, Any], spec: Any) -> None:
        """React to the creation of an environment by `make`.

        Args:
            env: the new environment, including its wrappers.
            spec: the `EnvSpec` from which the environment was created.
        """

    @hookspec(historic=True)
    def gymkernel_plugin_loaded(self, plugin: plugins.Plugin) -> None:
        """React to the import of a plugin. Hook plugins that are registered later are also called for earlier imports.

        Args:
            plugin: the entry point whose module was imported.
        """

    @hookspec
    def gymkernel_worker_setup(self) -> list[Any]:  # type: ignore[empty-body]
        """Return functions that repeat the program's registrations in worker processes that were not forked."""

    @hookspec
    def gymkernel_report_lines(self) -> list[str]:  # type: ignore[empty-body]
        """Return lines for the top of `gymkernel list --load` and of check reports, such as a simulator's version."""


_managers: dict[str, pluggy.PluginManager] = {}
"""Contains the plugin manager under "built", until the next `refresh`."""


def manager() -> pluggy.PluginManager:
    """Return the pluggy plugin manager with all enabled hook plugins; the first call after a scan creates it.

    >>> class Announce:
    ...     @hookimpl
    ...     def gymkernel_report_lines(self):
    ...         return ["simulator 3.1"]
    >>> _ = manager().register(Announce(), "announce")
    >>> [line for lines in call("gymkernel_report_lines", [], {}) for line in lines][-1]
    'simulator 3.1'
    >>> _ = manager().unregister(name="announce")
    """
    if "built" not in _managers:
        _managers["built"] = pluggy.PluginManager("gymkernel")
        _managers["built"].add_hookspecs(Specification)
        plugins.cached.append((_managers, "built"))
        for plugin in plugins.plugins("hooks"):
            if plugin.state is not plugins.State.DISABLED:
                _register(_managers["built"], plugin)
    return _managers["built"]


def _register(built: pluggy.PluginManager, plugin: plugins.Plugin) -> None:
    """Register a hook plugin; warn if this fails or if the plugin implements an unknown hook."""
    who, name = f"hooks of {plugin.distribution} {plugin.version}", f"{plugin.distribution}:{plugin.name}"
    try:
        built.register(plugin.load(), name)
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - pluggy rejects signatures, and replays past events
        logger.warn(f"{who} are skipped: {exc}")
        if built.has_plugin(name):
            built.unregister(name=name)
        return
    for caller in built.get_hookcallers(plugin.object) or ():
        if not caller.has_spec():
            logger.warn(f"{who} implement {caller.name}, but there is no such hook")


def call(hook: str, default: Any, arguments: dict[str, Any]) -> Any:
    """Call a hook in each plugin that implements it. If a plugin raises an error, warn and call the others.

    `UnregisteredEnv` and `DeprecatedEnv` are passed on to the caller, because a plugin that is responsible for an id
    raises them on purpose.

    Args:
        hook: the name of a function of `Specification`, such as "gymkernel_env_created".
        default: the return value for a hook without results, and for a hook whose first result counts if no plugin
            returns a result.
        arguments: the hook's arguments, keyed by name.

    Returns:
        The first result if only the first result counts; otherwise, the list of all results that are not None.
    """
    built = manager()
    caller = getattr(built.hook, hook)
    if caller.is_historic():
        built.subset_hook_caller(hook, built.get_plugins()).call_historic(kwargs=arguments)  # for later plugins
        for impl in reversed(caller.get_hookimpls()):
            try:
                impl.function(*[arguments[name] for name in impl.argnames])
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - a plugin may raise any exception
                _report(hook, built.get_name(impl.plugin), exc)
        return default
    is_first = bool(caller.spec and caller.spec.opts.get("firstresult"))
    results: list[Any] = []
    implementers = [impl.plugin for impl in reversed(caller.get_hookimpls())]
    for plugin in implementers:
        start = time.perf_counter()
        others = [other for other in implementers if other is not plugin]
        try:
            result = built.subset_hook_caller(hook, others)(**arguments)
        except (error.UnregisteredEnv, error.DeprecatedEnv):
            raise
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - a plugin may raise any exception
            _report(hook, built.get_name(plugin), exc)
            continue
        plugins.trace(f"hook {hook} of {built.get_name(plugin)}", start)
        if is_first and result is not None:
            return result
        results += [] if is_first else result
    return default if is_first else results


def _report(hook: str, name: str | None, exc: BaseException) -> None:
    logger.warn(f"{hook} of {name} failed: {type(exc).__name__}: {exc}")


plugins.hook_caller = call
