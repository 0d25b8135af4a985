"""Hooks: functions that plugins implement and that gymkernel calls through pluggy.

To implement a hook, decorate a function with `@hookimpl` in the module of a `gymkernel.hooks` entry point. Hooks are
called only for rare events, never during a step. If an implementation raises an error, gymkernel issues a warning with
the name of the plugin and still calls the other implementations.

This module is imported when a hook is first called.
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
    """The specification of all hooks. An implementation may omit arguments that it does not need."""

    @hookspec(firstresult=True)
    def gymkernel_resolve_env(self, env_id: str) -> Any:
        """Return the `EnvSpec` for an id that is not registered, or None if the plugin does not know the id.

        This hook is for packages with too many environments to register. If an id belongs to the package but the
        environment does not exist, raise `UnregisteredEnv` or `DeprecatedEnv`. `make` then raises the same error.

        Args:
            env_id: an id `[namespace/]name[-vN]` that is not registered. If an id includes a module, as in
                `module:[namespace/]name[-vN]`, the hook is called after the module has been imported, even if the id
                is registered.
        """

    @hookspec
    def gymkernel_env_created(self, env: EnvLike[Any, Any], spec: Any) -> None:
        """React to an environment that `make` has created.

        Args:
            env: the new environment, including its wrappers.
            spec: the spec from which the environment was created.
        """

    @hookspec(historic=True)
    def gymkernel_plugin_loaded(self, plugin: plugins.Plugin) -> None:
        """React to the import of a plugin, even if the import happened before this hook was registered.

        Args:
            plugin: the entry point whose module was imported.
        """

    @hookspec
    def gymkernel_worker_setup(self) -> list[Any]:  # type: ignore[empty-body]
        """Return functions that repeat the main process's registrations in a worker process if it was not forked."""

    @hookspec
    def gymkernel_report_lines(self) -> list[str]:  # type: ignore[empty-body]
        """Return lines, such as a simulator's version, for the top of `gymkernel list --load` and of check reports."""


_managers: dict[str, pluggy.PluginManager] = {}
"""A dictionary that contains the plugin manager under the key "built" after it has been created. `refresh` removes the
manager."""


def manager() -> pluggy.PluginManager:
    """Return pluggy's plugin manager, in which all enabled hook plugins are registered.

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
    """Register a hook plugin. If this fails, or if the plugin implements an unknown hook, issue a warning."""
    who, name = f"hooks of {plugin.distribution} {plugin.version}", f"{plugin.distribution}:{plugin.name}"
    try:
        built.register(plugin.load(), name)
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - the plugin or pluggy may raise any exception
        logger.warn(f"{who} are skipped: {exc}")
        if built.has_plugin(name):
            built.unregister(name=name)
        return
    for caller in built.get_hookcallers(plugin.object) or ():
        if not caller.has_spec():
            logger.warn(f"{who} implement {caller.name}, but no such hook exists")


def call(hook: str, default: Any, arguments: dict[str, Any]) -> Any:
    """Call every plugin's implementation of a hook. If an implementation raises an error, issue a warning and continue.

    `UnregisteredEnv` and `DeprecatedEnv` are not caught, because plugins raise these errors on purpose.

    Args:
        hook: the name of a method of `Specification`, such as "gymkernel_env_created".
        default: the value to return if the hook has no results, or if it stops at the first result and no plugin
            returns a result.
        arguments: the hook's arguments, keyed by name.

    Returns:
        The first result if the hook stops at the first result. Otherwise, a list of all results that are not None.
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
