"""Registration of environments: the mapping from ids to specs, and functions that search the mapping."""

import contextlib
import sys
from collections.abc import ItemsView, Iterator, Mapping, MutableMapping, Sequence, ValuesView
from functools import singledispatch
from operator import attrgetter
from types import ModuleType
from typing import Any

from gymkernel import error, logger, plugins
from gymkernel.ids import get_env_id, parse_env_id, unknown, well_formed
from gymkernel.specs import EnvCreator, EnvSpec, VectorEnvCreator, WrapperSpec, shown

__all__ = ["EnvRegistry", "current_namespace", "find", "find_highest_version", "load_env_creator", "namespace"]
__all__ += ["pprint_registry", "register", "register_envs", "registry", "spec"]


class EnvRegistry(MutableMapping[str, EnvSpec]):
    """A mapping from ids to specs, which contains all registered environments and the environments of plugins.

    A plugin is imported when its id is looked up.
    """

    def __init__(self) -> None:
        self.registered: dict[str, EnvSpec] = {}
        self.deleted: set[str] = set()
        self._newest: dict[tuple[str | None, str], int] = {}
        self._generation = -1

    def __getitem__(self, env_id: str) -> EnvSpec:
        if env_id in self.registered:
            return self.registered[env_id]
        if env_id not in self:
            raise KeyError(env_id)
        provided = plugins.get("envs", env_id)
        who = plugins.providers("envs", env_id)[0]
        if not isinstance(provided, EnvSpec):
            if not callable(provided):
                seen = f"{who.value} is {provided!r}"
                message = f"{who.distribution} {who.version}: {env_id} must be an EnvSpec or a callable, but {seen}"
                raise error.RegistrationError(message)
            return EnvSpec(env_id, who.value)
        if provided.id != env_id:
            message = f"{who.distribution} {who.version} names {env_id} in its metadata but {provided.id} in its spec"
            raise error.RegistrationError(message)
        return provided

    def __setitem__(self, env_id: str, value: EnvSpec) -> None:
        self.registered[env_id] = value
        self.deleted.discard(env_id)
        self._generation = -1

    def __delitem__(self, env_id: str) -> None:
        if env_id not in self:
            raise KeyError(env_id)
        self.registered.pop(env_id, None)
        self.deleted.add(env_id)
        self._generation = -1

    def __iter__(self) -> Iterator[str]:
        yield from self.registered
        yield from (n for n in plugins.names("envs") if n not in self.registered and n not in self.deleted)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, env_id: object) -> bool:
        if env_id in self.registered:
            return True
        return isinstance(env_id, str) and env_id not in self.deleted and bool(plugins.providers("envs", env_id))

    def items(self) -> ItemsView[str, EnvSpec]:
        """Return the ids and specs of all environments. Broken plugins are omitted with a warning."""
        found = {}
        for env_id in self:
            try:
                found[env_id] = self[env_id]
            except error.Error as exc:
                logger.warn(f"An environment is omitted from the registry: {exc}")
        return found.items()

    def values(self) -> ValuesView[EnvSpec]:
        """Return the specs of all environments. Broken plugins are omitted with a warning."""
        return dict(self.items()).values()

    def newest(self, ns: str | None, name: str) -> int | None:
        """Return the newest version of an environment.

        Args:
            ns: the namespace of the environment, or None.
            name: the name of the environment, without a version.

        Returns:
            The version, or None if no version of the environment exists.
        """
        if self._generation != plugins.generation:
            self._newest.clear()
            for namespace, base_name, version in well_formed(self):
                if version is not None:
                    key = namespace, base_name
                    self._newest[key] = max(version, self._newest.get(key, -1))
            self._generation = plugins.generation
        return self._newest.get((ns, name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"


registry = EnvRegistry()
current_namespace: str | None = None


def find_highest_version(ns: str | None, name: str) -> int | None:
    """Return the highest version of an environment, or None if no version of the environment exists.

    Args:
        ns: the namespace of the environment, or None.
        name: the name of the environment, without a version.
    """
    return registry.newest(ns, name)


def load_env_creator(name: Any) -> Any:
    """Import the object that an entry point `module:attribute` refers to.

    Args:
        name: the entry point, such as "acme_maze.envs:Maze". An object that is not a string is returned unchanged.

    Raises:
        gymkernel.error.Error: if `name` contains no colon.
        ImportError: if the module cannot be imported.
        AttributeError: if the module has no such attribute.
    """
    if not isinstance(name, str):
        return name
    module, _, attribute = name.partition(":")
    if not attribute:
        raise error.Error(f"Expected an entry point of the form module:attribute, got {name!r}")
    __import__(module)
    return attrgetter(attribute)(sys.modules[module])


def register_envs(env_module: ModuleType) -> None:
    """Do nothing. Passing a module to this function shows linters that the module is imported for a reason.

    Args:
        env_module: a module that registers environments when it is imported.
    """


@contextlib.contextmanager
def namespace(ns: str) -> Iterator[None]:
    """Add a namespace to the ids of all environments that are registered within a `with` block.

    Args:
        ns: the namespace, which replaces any namespace that an id already has.

    >>> with namespace("lab"):
    ...     register("Maze-v0", entry_point="lab.maze:Maze")
    >>> registry.pop("lab/Maze-v0").name
    'Maze'
    """
    global current_namespace  # noqa: PLW0603 - the name is part of the API
    before, current_namespace = current_namespace, ns
    try:
        yield
    finally:
        current_namespace = before


def register(
    id: str,  # noqa: A002 - the name is part of the API
    entry_point: EnvCreator | str | None = None,
    reward_threshold: float | None = None,
    nondeterministic: bool = False,
    max_episode_steps: int | None = None,
    order_enforce: bool = True,
    disable_env_checker: bool = False,
    additional_wrappers: tuple[WrapperSpec, ...] = (),
    vector_entry_point: VectorEnvCreator | str | None = None,
    kwargs: dict[str, Any] | None = None,
) -> None:
    """Register an environment under an id. The other arguments are fields of `EnvSpec`.

    Args:
        id: the id, `[namespace/]name[-vN]`. If the id is already registered, a warning is issued.
        entry_point: a callable that creates an environment, or its import path, `module:attribute`. The module is
            imported when the first environment is created.
        reward_threshold: the mean return at which the task is considered solved. gymkernel does not use this value.
        nondeterministic: whether the same seed and actions may lead to different trajectories. If so, `gymkernel check`
            does not compare trajectories.
        max_episode_steps: the number of steps after which `TimeLimit` truncates an episode, or None for no limit.
        order_enforce: whether `make` adds `OrderEnforcing`.
        disable_env_checker: whether `make` omits `PassiveEnvChecker`.
        additional_wrappers: the wrappers that `make` applies last, from the inside to the outside.
        vector_entry_point: a callable that creates a vector environment for `make_vec`, or its import path,
            `module:attribute`.
        kwargs: the keyword arguments for the entry point. Arguments of `make` take precedence.

    Raises:
        ValueError: if neither entry point is given.
        RegistrationError: if the same name would be registered both with and without a version.
    """
    if entry_point is None and vector_entry_point is None:
        raise ValueError(f"Expected an entry_point or a vector_entry_point for {id}, got neither")
    ns, name, version = parse_env_id(id)
    ns = ns if current_namespace is None else current_namespace
    full_id = get_env_id(ns, name, version)
    newest = registry.newest(ns, name) if version is None else None
    beside = get_env_id(ns, name, newest)
    if newest is not None or (version is not None and beside in registry and parse_env_id(beside) == (ns, name, None)):
        kinds = ("unversioned", "versioned")[:: 1 if version is None else -1]
        message = f"Can't register the {kinds[0]} environment `{full_id}` when the {kinds[1]} environment `{beside}` of"
        raise error.RegistrationError(f"{message} the same name already exists. Give both a version, or none.")
    if full_id in registry:
        logger.warn(f"Overriding environment {full_id} already in registry.", stacklevel=2)
    limits = reward_threshold, nondeterministic, max_episode_steps, order_enforce, disable_env_checker
    registry[full_id] = EnvSpec(full_id, entry_point, *limits, kwargs or {}, additional_wrappers, vector_entry_point)


@singledispatch
def find(env_id: Any) -> EnvSpec:
    """Return the spec of the environment with the given id. If the id has no version, use the newest version.

    Companion plugins register functions that convert the specs of other libraries.

    Args:
        env_id: the id, `[module:][namespace/]name[-vN]`. The module is imported first, because it may register the id.

    Raises:
        gymkernel.error.UnregisteredEnv: if the id is unknown. The message suggests a similar id or the command that
            installs the environment.
        gymkernel.error.DeprecatedEnv: if the requested version is no longer available.
    """
    module, env_id = _import_module(env_id)
    known = None if module else registry.get(env_id)
    parts = known is not None and known.id == env_id and (known.namespace, known.name, known.version)
    ns, name, version = parts or parse_env_id(env_id)
    newest = registry.newest(ns, name)
    if known is None or version is None:
        known = _look_up(env_id if version is not None else get_env_id(ns, name, newest), module)
    if version is None and known.version is not None:
        latest = f"Using the latest versioned environment `{known.id}`"
        logger.warn(f"{latest} instead of the unversioned environment `{env_id}`.", stacklevel=4)
    elif (version or 0) < (newest or 0):
        better = f"You should consider upgrading to version `v{newest}`."
        logger.deprecation(f"The environment {env_id} is out of date. {better}", stacklevel=4)
    return known


def _import_module(env_id: str) -> tuple[str, str]:
    """Import the module in `module:id`, and return both parts. A colon after a slash is part of the id."""
    if not isinstance(env_id, str):
        raise TypeError(f"Expected an environment id or an EnvSpec, got {env_id!r} ({type(env_id).__name__})")
    module, colon, env_name = env_id.partition(":")
    if not colon or "/" in module:
        return "", env_id
    try:
        __import__(module)
    except ModuleNotFoundError as exc:
        from gymkernel.third_party import MODULES

        command = next((f"; run: pip install {extra}" for extra, name in MODULES.items() if name == exc.name), "")
        message = f"{exc}; the part of {env_id!r} before the colon is a module that registers {env_name}{command}"
        raise ModuleNotFoundError(message, name=exc.name) from exc
    return module, env_name


def _look_up(env_id: str, module: str = "") -> EnvSpec:
    """Return the spec that is registered under an id, or that a hook returns for the id.

    If the id includes a module, hooks take precedence, because the module may register the id with another library.
    """
    by_module = plugins.call_hook("gymkernel_resolve_env", env_id=f"{module}:{env_id}") if module else None
    if (found := by_module or registry.get(env_id)) is not None:
        return found
    resolved = plugins.call_hook("gymkernel_resolve_env", env_id=env_id)
    if resolved is None:
        from gymkernel.third_party import ENVS

        disabled = {p.name: p.problem() for p in plugins.plugins("envs") if p.state is plugins.State.DISABLED}
        absent = {key: extra for key, extra in ENVS.items() if not plugins.providers("envs", key)}
        return unknown(env_id, registry, {**plugins.missing("envs"), **absent}, disabled)
    if not isinstance(resolved, EnvSpec):
        raise TypeError(f"Expected gymkernel_resolve_env to return an EnvSpec or None for {env_id}, got {resolved!r}")
    return resolved


_find_spec = find  # other libraries use this name


def _check_version_exists(ns: str | None, name: str, version: int | None) -> None:
    """Raise an error if no environment with this name and version exists."""
    if version is not None or registry.newest(ns, name) is None:
        _look_up(get_env_id(ns, name, version))


def spec(env_id: str) -> EnvSpec:
    """Return the spec of the environment with the given id, which must include the version.

    Args:
        env_id: the id, `[module:][namespace/]name-vN`. The module is imported first, because it may register the id.

    Raises:
        gymkernel.error.UnregisteredEnv: if the id is unknown. The message suggests a similar id or the command that
            installs the environment.
        gymkernel.error.Error: if the id has no version, although versions of the environment exist.
    """
    module, name = _import_module(env_id)
    found = _look_up(name, module)
    if found.version is not None and parse_env_id(name)[2] is None:
        raise error.Error(f"{name} has no version, which only make allows; the newest version is {found.id}")
    return found


def pprint_registry(
    print_registry: Mapping[str, EnvSpec] = registry,
    *,
    num_cols: int = 3,
    exclude_namespaces: Sequence[str] | None = None,
    disable_print: bool = False,
) -> str | None:
    """Print the ids of all environments, grouped by namespace or, without a namespace, by plugin or module.

    Args:
        print_registry: the specs of the environments, keyed by id.
        num_cols: the number of columns.
        exclude_namespaces: the namespaces, plugins and modules to omit, or None.
        disable_print: whether to return the text instead of printing it.
    """
    groups: dict[str, list[str]] = {}
    for env_id, env_spec in print_registry.items():
        creator = env_spec.entry_point
        place = creator if isinstance(creator, str) else getattr(creator, "__module__", None) or ""
        parts = place.partition(":")[0].split(".")
        family = parts[0].removeprefix("gymkernel_env_") if parts[0].startswith("gymkernel_env_") else parts[-1]
        group = env_spec.namespace or (parts[2] if len(parts) > 2 else family) or env_spec.name
        groups.setdefault(group, []).append(env_id)
    lines = []
    for group, ids in groups.items():
        if group not in (exclude_namespaces or ()):
            width = max(map(len, ids))
            rows = [sorted(ids)[i : i + num_cols] for i in range(0, len(ids), num_cols)]
            lines += [f"===== {group} =====", *(" ".join(i.ljust(width) for i in row).rstrip() for row in rows)]
    return shown("\n".join(lines), disable_print)
