"""The plugin registry, which finds installed plugins and loads them on demand.

A scan reads entry points without importing anything. When a plugin is first requested, its state changes from FOUND to
LOADED or BROKEN, and remains the same from then on. A broken plugin affects only the code that requests it.

The environment variable `GYMKERNEL_DISABLE` is a comma-separated list of plugins to disable. An entry is the name of a
distribution, a plugin such as `spaces.Box`, or `*` for all plugins. If `GYMKERNEL_TRACE=1` is set, imports of plugins
and calls of hooks are logged to standard error.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any, Final

from gymkernel import error
from gymkernel._known import KNOWN
from gymkernel.suggestions import did_you_mean

__all__ = ["KINDS", "Plugin", "State", "call_hook", "facade", "get", "has_module", "kernel_version"]
__all__ += ["known", "load_all", "load_everything", "missing", "names", "plugins", "providers", "refresh", "unreadable"]

CLASSES: Final = ("spaces", "wrappers", "vector", "vector_wrappers")
"""The kinds whose plugins are classes."""
PLACES: Final = ("utils", "modules")
"""The kinds whose plugins are named by a path below `gymkernel`, such as `vector.utils.Buffer` or `spaces.box`."""
PLURAL: Final = ("checks", "adapters", "companions", "hooks")
"""The kinds for which several distributions may provide plugins of the same name."""
KINDS: Final = (*CLASSES, *PLACES, "envs", "commands", *PLURAL)


class State(Enum):
    """The state of a plugin, which determines whether the plugin can be used."""

    FOUND = "found"
    LOADED = "loaded"
    BROKEN = "broken"
    DISABLED = "disabled"


@dataclass(slots=True, eq=False)
class Plugin:
    """A plugin: an entry point of an installed distribution.

    Attributes:
        kind: the group of the entry point without the prefix `gymkernel.`, such as "spaces" or "envs".
        name: the name of the entry point, such as "Box" or "CartPole-v1".
        value: the module, and usually the attribute, that the entry point refers to, such as "acme_maze:Maze".
        distribution: the name of the distribution that contains the plugin.
        version: the version of the distribution.
        requires: the kernel versions that the distribution supports, such as ">=0.1,<1". An empty string means that it
            supports all versions.
        summary: the distribution's one-line description.
        state: the state of the plugin.
        switch: the entries in GYMKERNEL_DISABLE that disable the plugin, or an empty string if it is not disabled.
        cause: the exception that occurred when the plugin was loaded, or None if no exception has occurred.
        object: the object that the entry point refers to, or None if the plugin has not been loaded.
    """

    kind: str
    name: str
    value: str
    distribution: str
    version: str
    requires: str
    summary: str = ""
    state: State = State.FOUND
    switch: str = ""
    cause: BaseException | None = None
    object: Any = None

    @property
    def label(self) -> str:
        """The plugin's kind and name, as accepted by `GYMKERNEL_DISABLE`, such as "spaces.Box"."""
        return f"{self.kind}.{self.name}"

    def load(self) -> Any:
        """Import the plugin and return its object. If the import fails, do not try again in later calls."""
        if self.state is State.LOADED:
            return self.object
        if self.state is State.DISABLED:
            raise error.DisabledPlugin(self.problem())
        if self.cause is None:
            start = time.perf_counter()
            try:
                self.object = _resolve(self)
            except (Exception, SystemExit) as exc:  # noqa: BLE001 - a plugin may raise any exception
                self.state, self.cause = State.BROKEN, exc
            else:
                self.state = State.LOADED
                trace(f"loaded {self.label} from {self.distribution} {self.version}", start)
                if self.kind != "hooks":
                    call_hook("gymkernel_plugin_loaded", plugin=self)
                return self.object
        raise error.BrokenPlugin(self.problem()) from self.cause

    @property
    def extra(self) -> str:
        """The extra that installs the package that this plugin lacks, such as `"gymkernel[box2d]"`."""
        from gymkernel.third_party import MODULES

        return next((extra for extra, module in MODULES.items() if module == _missing_package(self.cause)), "")

    def problem(self) -> str:
        """Explain why the plugin is broken or disabled and how to fix it, or return an empty string."""
        if self.state is State.DISABLED:
            by = f"{self.label} of {self.distribution} is disabled by GYMKERNEL_DISABLE={self.switch}"
            return f"{by}; remove this entry from the variable"
        if self.cause is None:
            return ""
        who = f"{self.label} of {self.distribution} {self.version} ({self.value}) cannot be loaded"
        reason = f"{type(self.cause).__name__}: {self.cause}".removesuffix(": ")
        if isinstance(self.cause, error.PluginError):  # its message already contains a remedy
            return f"{who}: {reason}"
        remedy = f"pip install --upgrade {self.distribution}"
        if isinstance(self.cause, _NeedsOtherKernel):
            reason, remedy = str(self.cause), f"pip install --upgrade gymkernel {self.distribution}"
        absent = _missing_package(self.cause)
        if self.extra:
            what = f"gymkernel.{self.name}" if self.kind in PLACES else self.label
            return f"{what} needs {absent}, which is not installed; run: pip install {self.extra}"
        if absent == "gymkernel":
            remedy = "pip install --upgrade gymkernel"
        elif absent and absent != _top(self.value):
            remedy = f"pip install {absent.replace('_', '-')}"
        return f"{who}: {reason}; run: {remedy}, or set GYMKERNEL_DISABLE={self.distribution}"


class _NeedsOtherKernel(Exception):  # noqa: N818 - users never see this exception
    """Raised if a plugin's distribution requires a different version of the kernel."""


_table: dict[str, dict[str, list[Plugin]]] | None = None
_unreadable: list[str] = []
cached: list[tuple[dict[Any, Any], Any]] = []
"""The dictionaries and keys under which objects from plugins are cached. `refresh` deletes these entries."""
generation = 0
"""A counter that `refresh` increments, so that caches from earlier scans can be detected."""
hook_caller: Callable[[str, Any, dict[str, Any]], Any] | None = None
"""The function that calls hooks, or None as long as no hook plugin has imported `gymkernel.hooks`, which sets it."""


def plugins(kind: str | None = None) -> list[Plugin]:
    """Return all plugins, including disabled and broken plugins, sorted by kind, name and distribution.

    Args:
        kind: one of `KINDS`; None for all kinds.
    """
    kinds = KINDS if kind is None else (_valid(kind),)
    return [plugin for k in kinds for _, found in sorted(_scan()[k].items()) for plugin in found]


def names(kind: str) -> list[str]:
    """Return the sorted names of all installed and enabled plugins of a kind, without importing them.

    Args:
        kind: one of `KINDS`.
    """
    return sorted(name for name in _scan()[_valid(kind)] if providers(kind, name))


def providers(kind: str, name: str) -> list[Plugin]:
    """Return all enabled plugins of a kind that have the given name.

    Args:
        kind: one of `KINDS`.
        name: the name of an entry point.

    Returns:
        A list, which contains several plugins if several distributions provide the same name.
    """
    return [plugin for plugin in _scan()[_valid(kind)].get(name, ()) if plugin.state is not State.DISABLED]


def missing(kind: str) -> dict[str, str]:
    """Return the names of all plugins of a kind that are known but not installed, and their distributions.

    Args:
        kind: one of `KINDS`.
    """
    return {name: dist for name, dist in KNOWN.get(_valid(kind), {}).items() if name not in _scan()[kind]}


def unreadable() -> list[str]:
    """Return an error message for each installed distribution whose metadata could not be read."""
    _scan()
    return list(_unreadable)


def known(kind: str) -> set[str]:
    """Return the names of all plugins of a kind, including disabled plugins and known plugins that are not installed.

    Args:
        kind: one of `KINDS`.
    """
    return {plugin.name for plugin in plugins(kind)} | KNOWN.get(kind, {}).keys()


def get(kind: str, name: str) -> Any:
    """Load a plugin and return the object that its entry point refers to.

    Args:
        kind: one of `KINDS`, such as "spaces".
        name: the name of the entry point, such as "Box".

    Returns:
        The object, such as a class or a module. Every call returns the same object.

    Raises:
        MissingPlugin: if the plugin is not installed. The message contains the command that installs it.
        PluginConflict, DisabledPlugin, BrokenPlugin: if the plugin cannot be used. These exceptions are ImportErrors,
            as is `MissingPlugin`.
        UnknownName: if no known plugin has this name. The message suggests a similar name. This exception is an
            AttributeError.
    """
    found = _scan()[_valid(kind)].get(name, [])
    label = ("gymkernel " if kind == "commands" else "gymkernel." if kind in PLACES else f"{kind}.") + name
    live = [plugin for plugin in found if plugin.state is not State.DISABLED]
    # A plugin's own module takes precedence over a bridge's module of another library under the same path.
    own = [p for p in live if kind == "modules" and _top(p.value) == p.distribution.replace("-", "_")]
    if len(own or live) == 1:
        return (own or live)[0].load()
    if live:
        who = " and ".join(f"{plugin.distribution} {plugin.version}" for plugin in live)
        others = [plugin for plugin in live if plugin.distribution != KNOWN.get(kind, {}).get(name)] or live
        remedy = f"uninstall one, or set GYMKERNEL_DISABLE={others[-1].distribution}"
        raise error.PluginConflict(f"{label} is provided by {who}; {remedy}")
    if found:
        return found[0].load()
    if distribution := KNOWN.get(kind, {}).get(name):
        raise error.MissingPlugin(f"{label} is not installed; run: pip install {distribution}")
    hint = did_you_mean(name, known(kind), f"`gymkernel list {kind}` shows what is installed")
    # If only `name` is set, Python 3.12 does not append a suggestion of its own.
    raise error.UnknownName(f"gymkernel has no {label}; {hint}", name=name, obj=None)


def load_all(kind: str, sought: Iterable[str], lost: str) -> list[Any]:
    """Load all plugins that have one of the given names, and return their objects. Skip broken plugins with a warning.

    Args:
        kind: one of `KINDS`.
        sought: the names of the plugins.
        lost: the words at the end of the warning that say what does not work without the plugin.
    """
    from gymkernel import logger  # imported here because most programs do not need it

    loaded = []
    for plugin in [provider for name in sought for provider in providers(kind, name)]:
        try:
            loaded.append(plugin.load())
        except error.PluginError as exc:
            logger.warn(f"{exc}; {lost}", stacklevel=4)
    return loaded


def load_everything(kinds: Iterable[str]) -> None:
    """Load all enabled plugins of the given kinds. If a plugin is broken, its `cause` is set to the exception.

    Args:
        kinds: the kinds to load, which must be in `KINDS`.
    """
    for plugin in [entry for kind in kinds for entry in plugins(kind)]:
        with contextlib.suppress(error.PluginError):
            plugin.load()


def refresh() -> None:
    """Discard the results of the last scan and all cached objects from plugins.

    Call this function after installing a distribution or changing `GYMKERNEL_DISABLE` in a running program.
    """
    global _table, generation  # noqa: PLW0603 - caches the results of the scan
    _table = None
    generation += 1
    importlib.invalidate_caches()
    for namespace, name in cached:
        namespace.pop(name, None)
    cached.clear()


def facade(module: str, kind: str, namespace: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Create `__getattr__` and `__dir__` (PEP 562) for a facade: a module whose attributes are plugins of one kind.

    A facade also has an attribute for each plugin of the kind "utils" whose name begins with the path of the module.
    For example, the plugin `vector.utils.Buffer` is an attribute of `gymkernel.vector.utils`, and
    `vector.VectorizedWrapper` is an attribute of `gymkernel.vector`, although it is not a vector backend.

    Args:
        module: the full name of the module, such as "gymkernel.spaces".
        kind: the kind of plugins that the module provides.
        namespace: the module's `globals()`, where loaded plugins are cached until the next `refresh`.
    """
    below = f"{module.partition('.')[2]}."

    def get_attribute(name: str) -> Any:
        if name == "__all__":  # used by `from ... import *`
            own = {own for own in namespace if not own.startswith("_")} - {"TYPE_CHECKING", "annotations", "facade"}
            return sorted(own.union(offered()))
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        path = f"{module}.{name}"
        if PathFinder.find_spec(path, namespace.get("__path__", ())) is None:  # files take precedence and need no scan
            try:
                found = _provided(kind, below, name)
            except error.UnknownName:
                if not has_module(path):
                    raise
            else:
                namespace[name] = found
                cached.append((namespace, name))
                return found
        return importlib.import_module(path)

    def offered() -> list[str]:
        return [*([] if kind == "utils" else names(kind)), *_inside("utils", below)]

    def directory() -> list[str]:
        return sorted({*namespace, *offered(), *_inside("modules", below)})

    return get_attribute, directory


def has_module(path: str) -> bool:
    """Return whether a module exists. This imports the module's parent packages, but not the module.

    Args:
        path: the dotted path of the module, such as "gymkernel.spaces.box".
    """
    from importlib.util import find_spec  # imported here because the import is slow and rarely needed

    return find_spec(path) is not None


def call_hook(hook: str, default: Any = None, /, **arguments: Any) -> Any:
    """Call every plugin's implementation of a hook. If no hook plugin is installed, pluggy is not imported.

    Args:
        hook: the name of the hook, such as "gymkernel_resolve_env".
        default: the value to return if no plugin returns a result.
        **arguments: the hook's arguments.

    Returns:
        The result of `gymkernel.hooks.call`.
    """
    if hook_caller is None and (found := names("hooks")):
        load_everything(["hooks"])  # this imports `gymkernel.hooks`, which sets `hook_caller`
        if hook_caller is None:
            load_all("hooks", found, f"so {hook} is not called")
    return default if hook_caller is None else hook_caller(hook, default, arguments)


def kernel_version() -> str:
    """Return the version of the kernel."""
    return str(vars(sys.modules["gymkernel"])["__version__"])


def trace(event: str, start: float | None = None) -> None:
    """Log an event, and the time since `start`, to standard error if `GYMKERNEL_TRACE` is set."""
    if os.environ.get("GYMKERNEL_TRACE", "0") not in {"", "0"}:
        from gymkernel.utils.printable import printable

        took = "" if start is None else f" in {(time.perf_counter() - start) * 1e3:.1f} ms"
        sys.stderr.write(f"gymkernel: {printable(event)}{took}\n")


def _scan() -> dict[str, dict[str, list[Plugin]]]:
    global _table  # noqa: PLW0603 - caches the results of the scan
    if _table is None:
        from gymkernel import _metadata

        start = time.perf_counter()
        table: dict[str, dict[str, list[Plugin]]] = {kind: {} for kind in KINDS}
        distributions, _unreadable[:] = _metadata.scan()
        words = [word.strip() for word in os.environ.get("GYMKERNEL_DISABLE", "").split(",")]
        disabled = {_metadata.normalize(word): word for word in words if word}
        for dist in sorted(distributions, key=lambda d: d.name):
            for kind, name, value in dist.entry_points:
                plugin = Plugin(kind, name, value, dist.name, dist.version, dist.requires, dist.summary)
                if disabled and dist.name != "gymkernel":
                    matches = disabled.keys() & {"*", _metadata.normalize(dist.name), _metadata.normalize(plugin.label)}
                    plugin.state = State.DISABLED if matches else State.FOUND
                    plugin.switch = ",".join(sorted(disabled[match] for match in matches))
                if kind in table:
                    table[kind].setdefault(name, []).append(plugin)
        _table = table
        sys.modules["gymkernel"]._Finder.watch(table["companions"].keys())  # noqa: SLF001 - part of this package
        trace(f"scanned {len(distributions)} distributions with plugins", start)
    return _table


def _resolve(plugin: Plugin) -> Any:
    from gymkernel import _metadata

    if _metadata.excludes(plugin.requires, kernel_version()):
        raise _NeedsOtherKernel(f"it needs gymkernel{plugin.requires}, but {kernel_version()} is installed")
    module, _, attribute = plugin.value.partition(":")
    loaded: Any = importlib.import_module(module.strip())
    for part in filter(None, attribute.strip().split(".")):
        loaded = getattr(loaded, part)
    expected = ModuleType if plugin.kind in {"modules", "checks"} else type if plugin.kind in CLASSES else object
    if not isinstance(loaded, expected):
        kind = "class" if expected is type else "module"
        raise TypeError(f"its entry point must refer to a {kind}, but {plugin.value} is a {type(loaded).__name__}")
    return loaded


def _missing_package(cause: BaseException | None) -> str:
    """Return the top-level package whose absence caused an exception, or an empty string."""
    while cause is not None and not isinstance(cause, ModuleNotFoundError):
        cause = cause.__cause__
    return _top(cause.name or "") if cause is not None else ""


def _top(name: str) -> str:
    return name.partition(":")[0].partition(".")[0].strip()


def _provided(kind: str, below: str, name: str) -> Any:
    """Load an attribute of a facade, which is a plugin of the facade's kind or of the kind "utils"."""
    is_helper = kind == "utils" or (_is_known("utils", below + name) and not _is_known(kind, name))
    return get("utils", below + name) if is_helper else get(kind, name)


def _inside(kind: str, below: str) -> list[str]:
    """Return the names of the plugins directly below a path, without the path."""
    inside = [name.removeprefix(below) for name in names(kind) if name.startswith(below)]
    return [name for name in inside if "." not in name]


def _is_known(kind: str, name: str) -> bool:
    return name in _scan()[kind] or name in KNOWN.get(kind, {})


def _valid(kind: str) -> str:
    if kind not in KINDS:
        raise ValueError(f"Expected a kind of plugin ({', '.join(KINDS)}), got {kind!r}")
    return kind
