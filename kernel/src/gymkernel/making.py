"""The functions `make` and `make_vec`, which create environments and vector environments from ids and specs."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

from gymkernel import error, logger, plugins
from gymkernel.env import Env
from gymkernel.registration import find, load_env_creator
from gymkernel.specs import EnvSpec
from gymkernel.suggestions import did_you_mean

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
from gymkernel.wrapper import adopt

__all__ = ["VectorizeMode", "make", "make_vec"]


MAKE_OPTIONS = ("max_episode_steps", "disable_env_checker")
"""The arguments of `make` that the spec of a vector environment may contain."""
VECTOR_OPTIONS = ("num_envs", "vectorization_mode", "vector_kwargs", "wrappers")
"""The arguments of `make_vec` that are stored in the spec of a vector environment."""


class VectorizeMode(Enum):
    """A vectorization mode for `make_vec`. `make_vec` also accepts the name of any vector backend."""

    ASYNC = "async"
    SYNC = "sync"
    VECTOR_ENTRY_POINT = "vector_entry_point"


def _wrapper(name: str, why: str) -> Any:
    """Return the wrapper class with the given name. If the class is unavailable, the error says why it is needed."""
    try:
        return plugins.get("wrappers", name)
    except (error.PluginError, error.UnknownName) as exc:
        exc.add_note(f"It is needed because {why}.")
        raise


def make(
    id: str | EnvSpec,  # noqa: A002 - the name is part of the API
    max_episode_steps: int | None = None,
    disable_env_checker: bool | None = None,
    *,
    autoreset: bool = False,
    apply_api_compatibility: bool | None = None,
    **kwargs: Any,
) -> Env[Any, Any]:
    """Create an environment and add the wrappers that its spec requests.

    The following wrappers are added, from the inside to the outside: `PassiveEnvChecker`, `OrderEnforcing`,
    `TimeLimit`, `AutoResetWrapper` (if `autoreset` is set), the additional wrappers of the spec, and one of
    `HumanRendering`, `NotebookRendering` and `RenderCollection` (if the render mode requires it). Each wrapper is a
    plugin. If a required plugin is not installed, the ImportError contains the command that installs it.

    Args:
        id: an id `[module:][namespace/]name[-vN]` or a spec. If the id includes a module, the module is imported first.
            For the spec of a vector environment, `make` creates one of the environments in it.
        max_episode_steps: the maximum number of steps per episode. None means the limit in the spec, and -1 means no
            limit.
        disable_env_checker: whether to omit `PassiveEnvChecker`. None means the setting in the spec.
        autoreset: whether the step that ends an episode also starts the next episode.
        apply_api_compatibility: whether the environment implements the API of Gym before version 0.26 and must
            therefore be wrapped in `EnvCompatibility`. The spec's kwargs may also contain this argument.
        **kwargs: arguments for the environment's constructor, which take precedence over the spec's kwargs.
    """
    env_spec = id if isinstance(id, EnvSpec) else find(id)
    if "vectorization_mode" in env_spec.kwargs:  # this is the spec of a vector environment
        env_spec, make_kwargs, options = _separate_options(env_spec)
        arguments = zip(MAKE_OPTIONS, (max_episode_steps, disable_env_checker), strict=True)
        make_kwargs.update((name, value) for name, value in arguments if value is not None)
        return _make_one(env_spec, options.get("wrappers", ()), make_kwargs | kwargs)  # type: ignore[no-any-return]
    env_kwargs = {**copy.deepcopy(env_spec.kwargs), **kwargs} if env_spec.kwargs else kwargs
    if apply_api_compatibility is not None:
        env_kwargs["apply_api_compatibility"] = apply_api_compatibility
    env, outermost = _bare(env_spec, env_kwargs)
    applied = _applied_wrappers(env, env_spec)
    if not (env_spec.disable_env_checker if disable_env_checker is None else disable_env_checker):
        why = f"{env_spec.id} is checked as it runs (pass disable_env_checker=True to omit the checks)"
        env = _wrapper("PassiveEnvChecker", why)(env)
    if env_spec.order_enforce:
        env = _wrapper("OrderEnforcing", f"the spec of {env_spec.id} has order_enforce=True")(env)
    limit = env_spec.max_episode_steps if max_episode_steps is None else max_episode_steps
    if limit is not None and limit != -1:
        why = f"{env_spec.id} is limited to {limit} steps (pass max_episode_steps=-1 to remove the limit)"
        env = _wrapper("TimeLimit", why)(env, limit)
    if autoreset:
        env = _wrapper("AutoResetWrapper", f"{env_spec.id} is created with autoreset=True")(env)
    for wrapper in env_spec.additional_wrappers[applied:]:
        if wrapper.kwargs is None:
            lost = f"{wrapper.name} in the spec of {env_spec.id} did not record its arguments, so it cannot be applied"
            raise ValueError(f"{lost} again; derive it from gymkernel.utils.RecordConstructorArgs")
        env = load_env_creator(wrapper.entry_point)(env, **wrapper.kwargs)
    if outermost is not None:
        env = outermost(env)
    plugins.call_hook("gymkernel_env_created", env=env, spec=env_spec)
    return env  # type: ignore[no-any-return]


def _bare(env_spec: EnvSpec, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Create an environment without wrappers. Also return the wrapper class that the render mode requires, if any."""
    if env_spec.entry_point is None:
        raise error.Error(f"{env_spec.id} has no entry_point and can only be created by make_vec")
    outermost, is_old = None, kwargs.pop("apply_api_compatibility", False)
    try:
        creator = load_env_creator(env_spec.entry_point)
        if is_old:
            creator = _wrapper("EnvCompatibility", f"{env_spec.id} uses the API of Gym before 0.26").creator(creator)
        if kwargs.get("render_mode") is not None:
            outermost = _render_wrapper(env_spec, creator, kwargs)
        env = creator(**kwargs)
    except (TypeError, AttributeError, ModuleNotFoundError) as exc:
        exc.add_note(f"{env_spec.id} is created by {env_spec.entry_point!r} with {kwargs}.")
        raise
    if not (hasattr(env, "step") and hasattr(env, "reset")):
        raise TypeError(f"The entry point of {env_spec.id} must create an environment with reset and step, not {env!r}")
    adapters = ["gymkernel.wrapper.Wrapper"]
    for check in () if isinstance(env, Env) else plugins.load_all("adapters", adapters, "unchecked"):
        check(env, f"The entry point of {env_spec.id} must create an environment")
    adopt(env)
    if is_old:
        kwargs["apply_api_compatibility"] = True
    base = copy.copy(env_spec)
    base.max_episode_steps, base.order_enforce, base.disable_env_checker = None, False, True
    base.kwargs, base.additional_wrappers = kwargs, ()
    getattr(env, "unwrapped", env).spec = base
    return env, outermost


def _applied_wrappers(env: Any, env_spec: EnvSpec) -> int:
    """Return how many of the spec's additional wrappers the environment already has."""
    applied = tuple(getattr(getattr(env, "spec", None), "additional_wrappers", ()))
    expected = env_spec.additional_wrappers[: len(applied)]
    if expected and applied != expected:
        both = f"the wrappers {applied} from its entry point, but its spec begins with {expected}"
        raise ValueError(f"{env_spec.id} has {both}; remove the wrappers from either of them")
    return len(applied)


def _render_wrapper(env_spec: EnvSpec, creator: Any, kwargs: dict[str, Any]) -> Any:
    """Return the wrapper that implements a missing render mode, and put a supported render mode into `kwargs`."""
    mode, metadata = kwargs["render_mode"], getattr(creator, "metadata", None)
    if metadata is None or isinstance(metadata, property):  # the entry point may be a wrapper class
        return None
    if not isinstance(metadata, Mapping):
        raise error.InvalidMetadata(f"Expected the metadata of {env_spec.id} to be a dictionary, got {metadata!r}")
    modes = metadata.get("render_modes", ())
    arrays = [m for m in ("rgb_array", "rgb_array_list") if mode == "human" and m in modes]
    inline = bool(arrays) and "ipykernel" in sys.modules and "NotebookRendering" in plugins.names("wrappers")
    if mode in modes and not inline:
        return None
    if arrays:
        kwargs["render_mode"] = arrays[0]
        if not inline:
            text = "'human' rendering for an environment that doesn't natively support it. The HumanRendering wrapper"
            logger.warn(f"You are trying to use {text} is being applied to your environment.", stacklevel=4)
        return _wrapper("NotebookRendering" if inline else "HumanRendering", f"{env_spec.id} cannot show frames itself")
    if isinstance(mode, str) and mode.removesuffix("_list") in modes:
        kwargs["render_mode"] = mode.removesuffix("_list")
        return _wrapper("RenderCollection", f"render_mode={mode} collects frames")
    possible = f"that is not in the possible render_modes ({modes})"
    logger.warn(f"The environment is being initialised with render_mode={mode!r} {possible}.", stacklevel=4)
    return None


def _make_one(env_spec: EnvSpec, wrappers: Sequence[Callable[[Any], Any]], kwargs: dict[str, Any]) -> Any:
    """Create one of the environments in a vector environment. Unlike a local function, this can be pickled."""
    env = make(env_spec, **kwargs)
    for wrapper in wrappers:
        env = wrapper(env)
    return env


def _backend(mode: str) -> Any:
    """Return the vector backend for a mode such as "sync" or a class name such as "SyncVectorEnv"."""
    backends = sorted(plugins.known("vector"))
    known = {name.removesuffix("VectorEnv").lower(): name for name in backends}
    name = known.get(str(mode), mode)
    if name not in backends:
        installed = sorted(short for short, full in known.items() if plugins.providers("vector", full))
        valid = [*installed, "vector_entry_point"]
        hint = did_you_mean(str(mode), [*known, *backends, *valid], "for more, run: pip install gymkernel[vector]")
        raise ValueError(f"Invalid vectorization mode: {mode!r}, valid modes: {valid}; {hint}")
    return plugins.get("vector", name)


def _separate_options(env_spec: EnvSpec) -> tuple[EnvSpec, dict[str, Any], dict[str, Any]]:
    """Return a copy of a spec without the arguments of `make` and `make_vec`, and return these arguments separately."""
    bare_spec, kwargs = copy.copy(env_spec), copy.deepcopy(env_spec.kwargs)
    bare_spec.kwargs = kwargs
    make_kwargs = {name: kwargs.pop(name) for name in MAKE_OPTIONS if name in kwargs}
    vector_options = {name: kwargs.pop(name) for name in VECTOR_OPTIONS if name in kwargs}
    return bare_spec, make_kwargs, vector_options


def _check_vec(num_envs: Any, vector_kwargs: Any, wrappers: Any) -> None:
    """Raise an error if an argument of `make_vec` is invalid."""
    message = f"Expected num_envs to be an integer of at least 1, got {num_envs!r}"
    if not isinstance(num_envs, Integral) or isinstance(num_envs, bool):
        raise TypeError(message)
    if num_envs < 1:
        raise ValueError(message)
    if not isinstance(vector_kwargs or {}, Mapping):
        raise TypeError(f"Expected vector_kwargs to be a dictionary for the vector backend, got {vector_kwargs!r}")
    if not isinstance(wrappers or (), Sequence) or not all(map(callable, wrappers or ())):
        raise TypeError(f"Expected wrappers to be a list of functions that take an environment, got {wrappers!r}")


def make_vec(
    id: str | EnvSpec,  # noqa: A002 - the name is part of the API
    num_envs: int = 1,
    vectorization_mode: VectorizeMode | str | None = None,
    vector_kwargs: dict[str, Any] | None = None,
    wrappers: Sequence[Callable[[Any], Any]] | None = None,
    **kwargs: Any,
) -> VectorEnv[Any, Any, Any]:
    """Create a vector environment.

    Args:
        id: an id `[module:][namespace/]name[-vN]` or a spec. If it is the spec of a vector environment, the same vector
            environment is created again.
        num_envs: the number of environments, at least 1.
        vectorization_mode: the name of an installed backend ("sync", "async", ...), or "vector_entry_point" for the
            vector environment that the spec's `vector_entry_point` creates. By default, "vector_entry_point" is used if
            the spec has one and neither `vector_kwargs` nor `wrappers` are given. Otherwise, "sync" is used.
        vector_kwargs: arguments for the backend.
        wrappers: functions that are applied to each environment, in order. They cannot be combined with
            "vector_entry_point".
        **kwargs: arguments for the constructor of every environment.

    Raises:
        TypeError, ValueError: if an argument is invalid.
    """
    env_spec, make_kwargs, options = _separate_options(id if isinstance(id, EnvSpec) else find(id))
    arguments: Any = zip(VECTOR_OPTIONS, (num_envs, vectorization_mode, vector_kwargs, wrappers), strict=True)
    num_envs, vectorization_mode, vector_kwargs, wrappers = (options.get(name, value) for name, value in arguments)
    _check_vec(num_envs, vector_kwargs, wrappers)
    kwargs = {**make_kwargs, **kwargs}
    env_kwargs = {**env_spec.kwargs, **kwargs}
    vector_entry_point = env_spec.vector_entry_point
    if vectorization_mode is None:
        needs_backend = env_spec.entry_point is not None and (vector_kwargs or wrappers or env_spec.additional_wrappers)
        vectorization_mode = "sync" if vector_entry_point is None or needs_backend else "vector_entry_point"
    mode: Any = getattr(vectorization_mode, "value", vectorization_mode)  # the enum may be another library's
    failure = f"Cannot create vectorized environment for {env_spec.id} because it doesn't have"
    if mode == "vector_entry_point":
        for name, value in (("vector_kwargs", vector_kwargs), ("wrappers", wrappers or env_spec.additional_wrappers)):
            if value:
                message = f"{name} ({value}) cannot be used with the vector_entry_point of {env_spec.id}; use a backend"
                raise error.Error(message)
        if vector_entry_point is None:
            raise error.Error(f"{failure} a vector entry point defined. Use vectorization_mode='sync'")
        if env_spec.max_episode_steps is not None:
            env_kwargs.setdefault("max_episode_steps", env_spec.max_episode_steps)
        own_kwargs = {name: value for name, value in env_kwargs.items() if name != "disable_env_checker"}
        env: Any = load_env_creator(vector_entry_point)(num_envs=num_envs, **own_kwargs)
        adopt(env)
    else:
        backend = _backend(mode)
        if env_spec.entry_point is None:
            raise error.Error(f"{failure} an entry point defined. Use vectorization_mode='vector_entry_point'")
        env = backend([partial(_make_one, env_spec, tuple(wrappers or ()), kwargs)] * num_envs, **(vector_kwargs or {}))
    vector_spec = copy.copy(env_spec)
    values = (num_envs if num_envs != 1 else None, mode, vector_kwargs, wrappers)
    vector_spec.kwargs = env_kwargs | {name: value for name, value in zip(VECTOR_OPTIONS, values, strict=True) if value}
    env.unwrapped.spec = vector_spec
    if "autoreset_mode" not in env.metadata:
        logger.warn(f"The metadata of {env} has no autoreset_mode; set it to a member of AutoresetMode", stacklevel=2)
    return env  # type: ignore[no-any-return]
