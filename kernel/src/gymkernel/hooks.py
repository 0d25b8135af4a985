"""Hooks: points at which every plugin that cares is called, through pluggy; imported at the first hook call.

A plugin implements a hook with `@hookimpl` in the module that its `gymkernel.hooks` entry point names. Hooks are for
what happens rarely, never for a step. An implementation that raises is reported with its plugin's name, and the others
run.
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
    """The hooks and their arguments; an implementation may take any subset of the arguments."""

    @hookspec(firstresult=True)
    def gymkernel_resolve_env(self, env_id: str) -> Any:
        """Return the `EnvSpec` of an id that nothing registers, or None; for packs with too many ids to list.

        An `UnregisteredEnv` or `DeprecatedEnv` raised here reaches the caller: the id is yours, and there is none such.

        Args:
            env_id: `[namespace/]name[-vN]`, which no registration has; or `module:[namespace/]name[-vN]` after the
                module was imported, whatever is registered.
        """

    @hookspec
    def gymkernel_env_created(self, env: EnvLike[Any, Any], spec: Any) -> None:
        """`make` made and wrapped an environment.

        Args:
            env: the outermost wrapper.
            spec: the `EnvSpec` from which the environment was made.
        """

    @hookspec(historic=True)
    def gymkernel_plugin_loaded(self, plugin: plugins.Plugin) -> None:
        """A plugin was imported; told again to hook plugins that come later.

        Args:
            plugin: the entry point whose module was imported.
        """

    @hookspec
    def gymkernel_worker_setup(self) -> list[Any]:  # type: ignore[empty-body]
        """Return functions for workers that are not forked, which give them what the program registered by call."""

    @hookspec
    def gymkernel_report_lines(self) -> list[str]:  # type: ignore[empty-body]
        """Return lines for the head of `gymkernel list --load` and of check reports, such as a simulator's version."""


_managers: dict[str, pluggy.PluginManager] = {}
"""The one manager, until the next `refresh`."""


def manager() -> pluggy.PluginManager:
    """Pluggy's plugin manager, with every enabled hook plugin registered; made at the first call.

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
    """Register a hook plugin; one that cannot be, or that implements no hook there is, is told of."""
    who, name = f"hooks of {plugin.distribution} {plugin.version}", f"{plugin.distribution}:{plugin.name}"
    try:
        built.register(plugin.load(), name)
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - pluggy objects to signatures, and history is told to the plugin's code
        logger.warn(f"{who} are left out: {exc}")
        if built.has_plugin(name):
            built.unregister(name=name)
        return
    for caller in built.get_hookcallers(plugin.object) or ():
        if not caller.has_spec():
            logger.warn(f"{who} implement {caller.name}, and there is no such hook")


def call(hook: str, default: Any, arguments: dict[str, Any]) -> Any:
    """Call a hook plugin by plugin, so that one which raises is named and stops nobody else.

    An `UnregisteredEnv` or `DeprecatedEnv` is no failure: it is the answer of the plugin to which an id belongs.

    Args:
        hook: the name of a function of `Specification`, such as "gymkernel_env_created".
        default: what is returned where nobody answers, and for hooks that answer with nothing.
        arguments: the hook's arguments by name.

    Returns:
        The first answer of a hook that takes one; of others the list of all answers that are not None.
    """
    built = manager()
    caller = getattr(built.hook, hook)
    if caller.is_historic():
        built.subset_hook_caller(hook, built.get_plugins()).call_historic(kwargs=arguments)  # for those who come later
        for impl in reversed(caller.get_hookimpls()):
            try:
                impl.function(*[arguments[name] for name in impl.argnames])
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - a hook is somebody else's code
                _report(hook, built.get_name(impl.plugin), exc)
        return default
    first = bool(caller.spec and caller.spec.opts.get("firstresult"))
    results: list[Any] = []
    everyone = [impl.plugin for impl in reversed(caller.get_hookimpls())]
    for plugin in everyone:
        start = time.perf_counter()
        others = [other for other in everyone if other is not plugin]
        try:
            result = built.subset_hook_caller(hook, others)(**arguments)
        except (error.UnregisteredEnv, error.DeprecatedEnv):
            raise
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - a hook is somebody else's code
            _report(hook, built.get_name(plugin), exc)
            continue
        plugins.trace(f"hook {hook} of {built.get_name(plugin)}", start)
        if first and result is not None:
            return result
        results += [] if first else result
    return default if first else results


def _report(hook: str, name: str | None, exc: BaseException) -> None:
    logger.warn(f"{hook} of {name} failed: {type(exc).__name__}: {exc}")


plugins.hook_caller = call
