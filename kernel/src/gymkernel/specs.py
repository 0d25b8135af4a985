"""Specs of environments, the mapping of ids to specs, and `make`."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
import sys
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from gymkernel import error, logger, plugins
from gymkernel.ids import ENV_ID_RE, get_env_id, parse_env_id, unknown, well_formed

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, Sequence, ValuesView
    from types import ModuleType

    from gymkernel.env import Env
    from gymkernel.vector_env import VectorEnv

__all__ = ["ENV_ID_RE", "EnvSpec", "VectorizeMode", "WrapperSpec", "current_namespace", "find_highest_version"]
__all__ += ["get_env_id", "load_env_creator", "make", "make_vec", "namespace", "parse_env_id", "pprint_registry"]
__all__ += ["register", "register_envs", "registry", "spec"]

EnvCreator = Callable[..., "Env[Any, Any]"]
VectorEnvCreator = Callable[..., "VectorEnv[Any, Any, Any]"]


class VectorizeMode(Enum):
    """The ways of `make_vec` that always have a name; an installed backend's own name is one too."""

    ASYNC = "async"
    SYNC = "sync"
    VECTOR_ENTRY_POINT = "vector_entry_point"


@dataclass
class WrapperSpec:
    """How to put a wrapper on: its name, `module:Class`, and arguments (None: it did not record them)."""

    name: str
    entry_point: str
    kwargs: dict[str, Any] | None


@dataclass
class EnvSpec:
    """How to make an environment.

    Attributes:
        id: `[namespace/]name[-vN]`.
        entry_point: what makes one environment: a callable, or `module:attribute`.
        reward_threshold: mean return at which the task counts as solved.
        nondeterministic: whether equal seeds and actions may give different trajectories.
        max_episode_steps: steps after which `TimeLimit` truncates; None for no limit.
        order_enforce: whether `make` adds `OrderEnforcing`.
        disable_env_checker: whether `make` leaves out `PassiveEnvChecker`.
        kwargs: arguments of the entry point.
        additional_wrappers: wrappers that `make` puts on last.
        vector_entry_point: what makes `num_envs` environments at once: a callable, or `module:attribute`.
        namespace, name, version: the parts of the id.

    >>> EnvSpec.from_json(EnvSpec("lab/Maze-v2", "lab.maze:Maze", kwargs={"size": 5}).to_json()).version
    2
    """

    id: str
    entry_point: EnvCreator | str | None = None
    reward_threshold: float | None = None
    nondeterministic: bool = False
    max_episode_steps: int | None = None
    order_enforce: bool = True
    disable_env_checker: bool = False
    kwargs: dict[str, Any] = field(default_factory=dict)
    namespace: str | None = field(init=False)
    name: str = field(init=False)
    version: int | None = field(init=False)
    additional_wrappers: tuple[WrapperSpec, ...] = ()
    vector_entry_point: VectorEnvCreator | str | None = None

    def __post_init__(self) -> None:
        """Take the id apart."""
        self.additional_wrappers = tuple(self.additional_wrappers)
        self.namespace, self.name, self.version = parse_env_id(self.id)

    def make(self, **kwargs: Any) -> Env[Any, Any]:
        """`make` with this spec."""
        return make(self, **kwargs)

    def to_json(self) -> str:
        """The spec as JSON; a ValueError names the field that has no such form (a callable, say)."""
        fields = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.init}
        fields["additional_wrappers"] = [vars(wrapper) for wrapper in self.additional_wrappers]
        for name, value in fields.items():
            try:
                json.dumps(value)
            except TypeError as exc:
                message = f"{name} of the spec of {self.id} cannot be written as JSON: {value!r} ({exc})"
                raise ValueError(message) from exc
        return json.dumps(fields)

    @staticmethod
    def from_json(json_env_spec: str) -> EnvSpec:
        """The spec that `to_json` wrote."""
        try:
            fields = json.loads(json_env_spec)
            wrappers = tuple(WrapperSpec(**wrapper) for wrapper in fields.pop("additional_wrappers", ()))
            return EnvSpec(**fields, additional_wrappers=wrappers)
        except (TypeError, ValueError, AttributeError) as exc:
            message = f"Expected the JSON that EnvSpec.to_json writes, got {json_env_spec!r}: {exc}"
            raise ValueError(message) from exc

    def pprint(
        self, disable_print: bool = False, include_entry_points: bool = False, print_all: bool = False
    ) -> str | None:
        """Print what differs from the defaults, one field a line; or return it where `disable_print`.

        Args:
            disable_print: return the text.
            include_entry_points: with the entry points of environment and wrappers.
            print_all: with the fields that have their default values.
        """
        lines = [f"id={self.id}"]
        for one in dataclasses.fields(self):
            value, default = getattr(self, one.name), {"order_enforce": True, "kwargs": {}, "additional_wrappers": ()}
            if one.name == "id" or not one.init or (one.name.endswith("entry_point") and not include_entry_points):
                continue
            if one.name == "additional_wrappers" and value:
                shown = [f"  {w.name}({w.kwargs})" + f" {w.entry_point}" * include_entry_points for w in value]
                lines += ["additional_wrappers:", *shown]
            elif print_all or value != default.get(one.name, one.default):
                lines.append(f"{one.name}={value}")
        return _shown("\n".join(lines), disable_print)


class EnvRegistry(MutableMapping[str, EnvSpec]):
    """The specs by id: those registered by call, and those of installed plugins, which load when they are looked up."""

    def __init__(self) -> None:
        self._registered: dict[str, EnvSpec] = {}
        self._deleted: set[str] = set()
        self._newest: dict[tuple[str | None, str], int] = {}
        self._generation = -1

    def __getitem__(self, env_id: str) -> EnvSpec:
        if env_id in self._registered:
            return self._registered[env_id]
        if env_id not in self:
            raise KeyError(env_id)
        provided = plugins.get("envs", env_id)
        who = plugins.providers("envs", env_id)[0]
        if not isinstance(provided, EnvSpec):
            if not callable(provided):
                seen = f"{who.value} is {provided!r}"
                message = f"{who.distribution} {who.version} must name an EnvSpec or what makes {env_id}, but {seen}"
                raise error.RegistrationError(message)
            return EnvSpec(env_id, who.value)
        if provided.id != env_id:
            message = f"{who.distribution} {who.version} names {env_id} in its metadata and {provided.id} in its spec"
            raise error.RegistrationError(message)
        return provided

    def __setitem__(self, env_id: str, value: EnvSpec) -> None:
        self._registered[env_id] = value
        self._deleted.discard(env_id)
        self._generation = -1

    def __delitem__(self, env_id: str) -> None:
        if env_id not in self:
            raise KeyError(env_id)
        self._registered.pop(env_id, None)
        self._deleted.add(env_id)
        self._generation = -1

    def __iter__(self) -> Iterator[str]:
        yield from self._registered
        yield from (n for n in plugins.names("envs") if n not in self._registered and n not in self._deleted)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, env_id: object) -> bool:
        if env_id in self._registered:
            return True
        return isinstance(env_id, str) and env_id not in self._deleted and bool(plugins.providers("envs", env_id))

    def items(self) -> ItemsView[str, EnvSpec]:
        """(id, spec) of every environment; a broken plugin is warned of and left out."""
        found = {}
        for env_id in self:
            try:
                found[env_id] = self[env_id]
            except error.Error as exc:
                logger.warn(f"left out of the registry: {exc}")
        return found.items()

    def values(self) -> ValuesView[EnvSpec]:
        """The spec of every environment; a broken plugin is warned of and left out."""
        return dict(self.items()).values()

    def newest(self, ns: str | None, name: str) -> int | None:
        """The highest version of a name."""
        if self._generation != plugins.generation:
            self._newest.clear()
            for one_ns, one_name, version in well_formed(self):
                if version is not None:
                    key = one_ns, one_name
                    self._newest[key] = max(version, self._newest.get(key, -1))
            self._generation = plugins.generation
        return self._newest.get((ns, name))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"


registry = EnvRegistry()
current_namespace: str | None = None


def find_highest_version(ns: str | None, name: str) -> int | None:
    """The highest registered version of a name, None where there is none."""
    return registry.newest(ns, name)


def load_env_creator(name: str) -> Any:
    """What `module:attribute` names, imported."""
    module, _, attribute = name.partition(":")
    if not attribute:
        message = f"Expected an entry point of the form module:attribute, got {name!r}"
        raise error.Error(message)
    __import__(module)
    found: Any = sys.modules[module]
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def _creator(entry_point: Any) -> Any:
    return load_env_creator(entry_point) if isinstance(entry_point, str) else entry_point


def register_envs(env_module: ModuleType) -> None:
    """Do nothing: a use of a module that registers environments when it is imported, for linters."""


@contextlib.contextmanager
def namespace(ns: str) -> Iterator[None]:
    """Register what is registered inside under a namespace.

    >>> with namespace("lab"):
    ...     register("Maze-v0", entry_point="lab.maze:Maze")
    >>> registry.pop("lab/Maze-v0").name
    'Maze'
    """
    global current_namespace  # noqa: PLW0603 - the name is part of this API
    before, current_namespace = current_namespace, ns
    try:
        yield
    finally:
        current_namespace = before


def register(
    id: str,  # noqa: A002 - the name is part of this API
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
    """Register an environment under an id; the arguments are the fields of `EnvSpec`.

    Raises:
        ValueError: neither entry point is given.
        RegistrationError: a versioned environment would stand beside an unversioned one of the same name.
    """
    if entry_point is None and vector_entry_point is None:
        message = f"Expected an entry_point or a vector_entry_point for {id}, got neither"
        raise ValueError(message)
    ns, name, version = parse_env_id(id)
    ns = ns if current_namespace is None else current_namespace
    full_id = get_env_id(ns, name, version)
    beside = None if version is None else get_env_id(ns, name, None)
    if version is None and (newest := registry.newest(ns, name)) is not None:
        beside = get_env_id(ns, name, newest)
    if beside in registry:
        message = f"{full_id} cannot stand beside {beside}: give every environment of one name a version, or none"
        raise error.RegistrationError(message)
    if full_id in registry:
        logger.warn(f"{full_id} is registered already; the new registration takes its place", stacklevel=2)
    registry[full_id] = EnvSpec(
        full_id,
        entry_point,
        reward_threshold,
        nondeterministic,
        max_episode_steps,
        order_enforce,
        disable_env_checker,
        {} if kwargs is None else kwargs,
        additional_wrappers,
        vector_entry_point,
    )


def _find(env_id: str) -> EnvSpec:
    """The spec of `[module:]id`; without a version, that of the newest."""
    module, colon, name = env_id.partition(":")
    if colon:
        try:
            __import__(module)
        except ModuleNotFoundError as exc:
            exc.add_note(
                f"The part of {env_id!r} before the colon is a module to import first, which registers {name}."
            )
            raise
        env_id = name
    if env_id not in registry:
        resolved = plugins.call_hook("gymkernel_resolve_env", env_id=env_id)
        if isinstance(resolved, EnvSpec):
            return resolved
        if resolved is not None:
            message = f"Expected gymkernel_resolve_env to return an EnvSpec or None for {env_id}, got {resolved!r}"
            raise TypeError(message)
    ns, name, version = parse_env_id(env_id)
    newest = registry.newest(ns, name)
    if newest is None or version == newest:
        return _registered(env_id)
    if version is None:
        env_id = get_env_id(ns, name, newest)
        logger.warn(f"{name} names no version; this is the newest, {env_id}", stacklevel=3)
    elif version < newest and env_id in registry:
        logger.deprecation(f"{env_id} is out of date; consider {get_env_id(ns, name, newest)}", stacklevel=3)
    return _registered(env_id)


def _registered(env_id: str) -> EnvSpec:
    found = registry.get(env_id)
    return unknown(env_id, registry, plugins.missing("envs")) if found is None else found


def spec(env_id: str) -> EnvSpec:
    """The spec registered under an id; a look-up error has a suggestion."""
    return _registered(env_id)


def _wrapper(name: str, why: str) -> Any:
    """A wrapper that a spec or argument needs; where it is not installed, the error says who needs it."""
    try:
        return plugins.get("wrappers", name)
    except (error.PluginError, error.UnknownName) as exc:
        exc.add_note(f"It is needed because {why}.")
        raise


def make(
    id: str | EnvSpec,  # noqa: A002 - the name is part of this API
    max_episode_steps: int | None = None,
    disable_env_checker: bool | None = None,
    **kwargs: Any,
) -> Env[Any, Any]:
    """Make an environment and wrap it as its spec asks.

    From the inside: `PassiveEnvChecker`, `OrderEnforcing`, `TimeLimit`, the spec's additional wrappers, and
    `HumanRendering` or `RenderCollection` where the render mode needs one. Each is a plugin; one that is needed and not
    installed is an ImportError with the command that installs it.

    Args:
        id: `[module:][namespace/]name[-vN]`, or a spec; the module is imported first.
        max_episode_steps: instead of the spec's; -1 for no limit.
        disable_env_checker: instead of the spec's.
        **kwargs: over those of the spec, for the environment's constructor.
    """
    env_spec = id if isinstance(id, EnvSpec) else _find(_id(id))
    env_kwargs = {**copy.deepcopy(env_spec.kwargs), **kwargs} if env_spec.kwargs else kwargs
    env, outermost = _bare(env_spec, env_kwargs)
    worn = _worn(env, env_spec)
    if not (env_spec.disable_env_checker if disable_env_checker is None else disable_env_checker):
        env = _wrapper(
            "PassiveEnvChecker", f"{env_spec.id} is checked as it runs (disable_env_checker=True leaves it out)"
        )(env)
    if env_spec.order_enforce:
        env = _wrapper("OrderEnforcing", f"the spec of {env_spec.id} has order_enforce=True")(env)
    limit = env_spec.max_episode_steps if max_episode_steps is None else max_episode_steps
    if limit is not None and limit != -1:
        env = _wrapper("TimeLimit", f"{env_spec.id} is limited to {limit} steps (max_episode_steps=-1 lifts it)")(
            env, limit
        )
    for wrapper in env_spec.additional_wrappers[worn:]:
        if wrapper.kwargs is None:
            message = (
                f"{wrapper.name} in the spec of {env_spec.id} did not record its arguments, so it cannot be put on "
                "again; derive it from gymkernel.utils.RecordConstructorArgs"
            )
            raise ValueError(message)
        env = load_env_creator(wrapper.entry_point)(env, **wrapper.kwargs)
    if outermost is not None:
        env = outermost(env)
    plugins.call_hook("gymkernel_env_created", env=env, spec=env_spec)
    return env  # type: ignore[no-any-return]


def _bare(env_spec: EnvSpec, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The environment as its entry point makes it, and the wrapper that its render mode needs."""
    if env_spec.entry_point is None:
        message = f"{env_spec.id} has no entry_point; it can only be made by make_vec"
        raise error.Error(message)
    outermost = None
    try:
        creator = _creator(env_spec.entry_point)
        if kwargs.get("render_mode") is not None:
            outermost = _render_wrapper(env_spec, creator, kwargs)
        env = creator(**kwargs)
    except (TypeError, AttributeError, ModuleNotFoundError) as exc:
        exc.add_note(f"{env_spec.id} is made by {env_spec.entry_point!r} with {kwargs}.")
        raise
    if not (hasattr(env, "step") and hasattr(env, "reset")):
        message = f"The entry point of {env_spec.id} must make an environment (with reset and step), and made {env!r}"
        raise TypeError(message)
    base = copy.copy(env_spec)
    base.max_episode_steps, base.order_enforce, base.disable_env_checker = None, False, True
    base.kwargs, base.additional_wrappers = kwargs, ()
    getattr(env, "unwrapped", env).spec = base
    return env, outermost


def _worn(env: Any, env_spec: EnvSpec) -> int:
    """How many of the spec's additional wrappers the entry point has put on itself."""
    worn = tuple(getattr(getattr(env, "spec", None), "additional_wrappers", ()))
    wanted = env_spec.additional_wrappers[: len(worn)]
    if worn and wanted and worn != wanted:
        message = (
            f"{env_spec.id} comes with the wrappers {worn} from its entry point, but its spec begins with {wanted}; "
            "leave them out of one of the two"
        )
        raise ValueError(message)
    return len(worn)


def _id(env_id: object) -> str:
    if not isinstance(env_id, str):
        message = f"Expected an environment id or an EnvSpec, got {env_id!r} ({type(env_id).__name__})"
        raise TypeError(message)
    return env_id


def _render_wrapper(env_spec: EnvSpec, creator: Any, kwargs: dict[str, Any]) -> Any:
    """The wrapper that gives a render mode which the environment has not itself; puts one that it has into kwargs."""
    mode, metadata = kwargs["render_mode"], getattr(creator, "metadata", None)
    if metadata is None or isinstance(metadata, property):  # of a wrapper class, say: not known before it is made
        return None
    if not isinstance(metadata, Mapping):
        message = f"Expected metadata of {env_spec.id} to be a dictionary, got {metadata!r}"
        raise error.InvalidMetadata(message)
    modes = metadata.get("render_modes", ())
    if mode in modes:
        return None
    if mode == "human" and (arrays := [m for m in ("rgb_array", "rgb_array_list") if m in modes]):
        logger.warn(f"{env_spec.id} has no render mode human; its {arrays[0]} is shown by HumanRendering", stacklevel=4)
        kwargs["render_mode"] = arrays[0]
        return _wrapper("HumanRendering", f"{env_spec.id} cannot draw on the screen itself")
    if isinstance(mode, str) and mode.endswith("_list") and mode.removesuffix("_list") in modes:
        kwargs["render_mode"] = mode.removesuffix("_list")
        return _wrapper("RenderCollection", f"render_mode={mode} collects frames")
    logger.warn(f"{env_spec.id} has no render mode {mode!r}; it offers {list(modes)}", stacklevel=4)
    return None


def _make_one(env_spec: EnvSpec, wrappers: Sequence[Callable[[Any], Any]], kwargs: dict[str, Any]) -> Any:
    """One environment of a vector environment; a function of the module, so that it pickles."""
    env = make(env_spec, **kwargs)
    for wrapper in wrappers:
        env = wrapper(env)
    return env


def _backend(mode: str) -> Any:
    """The vector backend of a name: `sync` and `SyncVectorEnv` mean the same."""
    found = {*(plugin.name for plugin in plugins.plugins("vector")), *plugins.missing("vector")}
    known = {name.removesuffix("VectorEnv").lower(): name for name in found}
    name = known.get(mode, mode)
    if name not in found:
        modes = sorted(short for short, full in known.items() if plugins.providers("vector", full))
        message = (
            f"No vector backend {mode!r} is installed; there is {', '.join([*modes, 'vector_entry_point'])} "
            f"(for more, run: pip install gymkernel[vector])"
        )
        raise ValueError(message)
    return plugins.get("vector", name)


def make_vec(
    id: str | EnvSpec,  # noqa: A002 - the name is part of this API
    num_envs: int = 1,
    vectorization_mode: VectorizeMode | str | None = None,
    vector_kwargs: dict[str, Any] | None = None,
    wrappers: Sequence[Callable[[Any], Any]] | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Make a vector environment.

    Args:
        id: `[module:][namespace/]name[-vN]`, or a spec (that of a vector environment makes it again).
        num_envs: number of environments.
        vectorization_mode: the name of an installed backend ("sync", "async", ...), or "vector_entry_point" for the
            environment's own vectorised form; None takes that form where there is one, else "sync".
        vector_kwargs: for the backend.
        wrappers: called on every environment, in order; not with "vector_entry_point".
        **kwargs: for every environment.
    """
    env_spec = copy.copy(id if isinstance(id, EnvSpec) else _find(_id(id)))
    env_kwargs = copy.deepcopy(env_spec.kwargs)
    num_envs = env_kwargs.pop("num_envs", num_envs)
    vectorization_mode = env_kwargs.pop("vectorization_mode", vectorization_mode)
    vector_kwargs = env_kwargs.pop("vector_kwargs", vector_kwargs) or {}
    wrappers = env_kwargs.pop("wrappers", wrappers) or ()
    env_spec.kwargs = env_kwargs
    env_kwargs = {**env_kwargs, **kwargs}
    own = env_spec.vector_entry_point
    if vectorization_mode is None:
        vectorization_mode = VectorizeMode.SYNC if own is None else VectorizeMode.VECTOR_ENTRY_POINT
    mode = vectorization_mode.value if isinstance(vectorization_mode, VectorizeMode) else vectorization_mode
    if mode == "vector_entry_point":
        for what, given in (("vector_kwargs", vector_kwargs), ("wrappers", wrappers or env_spec.additional_wrappers)):
            if given:
                message = f"{what} ({given}) cannot be used with the vector_entry_point of {env_spec.id}; use a backend"
                raise error.Error(message)
        if own is None:
            message = f"{env_spec.id} has no vector_entry_point; use vectorization_mode='sync'"
            raise error.Error(message)
        if env_spec.max_episode_steps is not None:
            env_kwargs.setdefault("max_episode_steps", env_spec.max_episode_steps)
        env: Any = _creator(own)(num_envs=num_envs, **env_kwargs)
    else:
        backend = _backend(mode)
        if env_spec.entry_point is None:
            message = f"{env_spec.id} has no entry_point; use vectorization_mode='vector_entry_point'"
            raise error.Error(message)
        env = backend([partial(_make_one, env_spec, tuple(wrappers), kwargs)] * num_envs, **vector_kwargs)
    made = copy.copy(env_spec)
    made.kwargs = {**env_kwargs, "num_envs": num_envs, "vectorization_mode": mode}
    made.kwargs.update({"vector_kwargs": vector_kwargs} if vector_kwargs else {})
    made.kwargs.update({"wrappers": wrappers} if wrappers else {})
    env.unwrapped.spec = made
    if "autoreset_mode" not in env.metadata:
        logger.warn(f"{env} does not say when it resets: its metadata has no autoreset_mode", stacklevel=2)
    return env  # type: ignore[no-any-return]


def pprint_registry(
    print_registry: Mapping[str, EnvSpec] = registry,
    *,
    num_cols: int = 3,
    exclude_namespaces: Sequence[str] | None = None,
    disable_print: bool = False,
) -> str | None:
    """Print the ids by namespace, or by the module that provides them; or return the text where `disable_print`.

    Args:
        print_registry: specs by id.
        num_cols: columns of the table.
        exclude_namespaces: groups to leave out.
        disable_print: return the text.
    """
    groups: dict[str, list[str]] = {}
    for env_id, one in print_registry.items():
        where = (
            one.entry_point if isinstance(one.entry_point, str) else getattr(one.entry_point, "__module__", "") or ""
        )
        parts = where.partition(":")[0].split(".")
        group = one.namespace or (parts[2] if len(parts) > 2 else parts[-1]) or one.name
        groups.setdefault(group, []).append(env_id)
    lines = []
    for group, ids in groups.items():
        if group not in (exclude_namespaces or ()):
            width = max(map(len, ids))
            rows = [sorted(ids)[i : i + num_cols] for i in range(0, len(ids), num_cols)]
            lines += [f"===== {group} =====", *(" ".join(i.ljust(width) for i in row).rstrip() for row in rows)]
    return _shown("\n".join(lines), disable_print)


def _shown(text: str, disable_print: bool) -> str | None:
    if disable_print:
        return text
    sys.stdout.write(f"{text}\n")
    return None
