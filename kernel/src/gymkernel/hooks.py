"""Hooks, through which pluggy calls every plugin that implements them; imported at the first hook call.

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
    """The hooks and their arguments; an implementation may accept any subset of the arguments."""

    @hookspec(firstresult=True)
    def gymkernel_resolve_env(self, env_id: str) -> Any:
        """Return the `EnvSpec` of an id that is not registered, or None; for packages with too many ids to list.

        An implementation may raise `UnregisteredEnv` or `DeprecatedEnv` if it is responsible for the id but there is no
        such environment. The caller receives this error.

        Args:
            env_id: an id `[namespace/]name[-vN]` that is not registered; or `module:[namespace/]name[-vN]`, after the
                module was imported, regardless of registrations.
        """

    @hookspec
    def gymkernel_env_created(self, env: EnvLike[Any, Any], spec: Any) -> None:
        """React to an environment that `make` has created and wrapped.

        Args:
            env: the outermost wrapper.
            spec: the `EnvSpec` from which the environment was created.
        """

    @hookspec(historic=True)
    def gymkernel_plugin_loaded(self, plugin: plugins.Plugin) -> None:
        """React to a plugin that was imported. Hook plugins that are registered later also receive earlier events.

        Args:
            plugin: the entry point whose module was imported.
        """

    @hookspec
    def gymkernel_worker_setup(self) -> list[Any]:  # type: ignore[empty-body]
        """Return functions that repeat the program's registrations in workers that are not forked."""

    @hookspec
    def gymkernel_report_lines(self) -> list[str]:  # type: ignore[empty-body]
        """Return lines for the head of `gymkernel list --load` and of check reports, such as a simulator's version."""


_managers: dict[str, pluggy.PluginManager] = {}
"""Holds the only plugin manager, until the next `refresh`."""


def manager() -> pluggy.PluginManager:
    """Return pluggy's plugin manager with every enabled hook plugin; the first call after a scan creates the manager.

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
    """Call a hook of each plugin; if a plugin raises an error, a warning is issued and the others are called.

    `UnregisteredEnv` and `DeprecatedEnv` are not failures: they are raised by the plugin that is responsible for an id.

    Args:
        hook: the name of a function of `Specification`, such as "gymkernel_env_created".
        default: the result if no plugin returns a result, and of hooks without results.
        arguments: the arguments of the hook by name.

    Returns:
        The first result if the hook stops at the first result; otherwise, the list of all results that are not None.
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
