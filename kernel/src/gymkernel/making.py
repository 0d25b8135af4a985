"""`make` and `make_vec`: from a spec to an environment with the wrappers that it asks for."""

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
from gymkernel.registration import adopt, find, load_env_creator
from gymkernel.specs import EnvSpec
from gymkernel.suggestions import did_you_mean

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["VectorizeMode", "make", "make_vec"]


OF_MAKE = ("max_episode_steps", "disable_env_checker")
OPTIONS = ("num_envs", "vectorization_mode", "vector_kwargs", "wrappers")  # of make_vec, in the spec that it records


class VectorizeMode(Enum):
    """The ways of `make_vec` that always have a name; an installed backend's own name is one too."""

    ASYNC = "async"
    SYNC = "sync"
    VECTOR_ENTRY_POINT = "vector_entry_point"


def _wrapper(name: str, why: str) -> Any:
    """Return a wrapper that a spec or argument needs; if it is not installed, the error says what needs it."""
    try:
        return plugins.get("wrappers", name)
    except (error.PluginError, error.UnknownName) as exc:
        exc.add_note(f"It is needed because {why}.")
        raise


def make(
    id: str | EnvSpec,  # noqa: A002 - the name is part of this API
    max_episode_steps: int | None = None,
    disable_env_checker: bool | None = None,
    *,
    autoreset: bool = False,
    apply_api_compatibility: bool | None = None,
    **kwargs: Any,
) -> Env[Any, Any]:
    """Make an environment and wrap it as its spec asks.

    From the inside: `PassiveEnvChecker`, `OrderEnforcing`, `TimeLimit`, `AutoResetWrapper` where that is asked for, the
    spec's additional wrappers, and `HumanRendering` (in a notebook `NotebookRendering`) or `RenderCollection` where the
    render mode needs one. Each is a plugin; one that is needed and not installed is an ImportError with the command
    that installs it.

    Args:
        id: `[module:][namespace/]name[-vN]` (the module is imported first), or a spec, of many environments, too.
        max_episode_steps: instead of the spec's; -1 for no limit.
        disable_env_checker: instead of the spec's.
        autoreset: whether the step that ends an episode begins the next one.
        apply_api_compatibility: whether the environment is of the API before 0.26 and goes into `EnvCompatibility`;
            also in the kwargs of a spec.
        **kwargs: over those of the spec, for the environment's constructor.
    """
    env_spec = id if isinstance(id, EnvSpec) else find(id)
    if "vectorization_mode" in env_spec.kwargs:  # of a vector environment, of whose environments this makes one
        env_spec, own, options = _taken_apart(env_spec)
        given = zip(OF_MAKE, (max_episode_steps, disable_env_checker), strict=True)
        own.update((name, value) for name, value in given if value is not None)
        return _make_one(env_spec, options.get("wrappers", ()), {**own, **kwargs})  # type: ignore[no-any-return]
    env_kwargs = {**copy.deepcopy(env_spec.kwargs), **kwargs} if env_spec.kwargs else kwargs
    if apply_api_compatibility is not None:
        env_kwargs["apply_api_compatibility"] = apply_api_compatibility
    env, outermost = _bare(env_spec, env_kwargs)
    applied = _applied_wrappers(env, env_spec)
    if not (env_spec.disable_env_checker if disable_env_checker is None else disable_env_checker):
        why = f"{env_spec.id} is checked as it runs (disable_env_checker=True leaves it out)"
        env = _wrapper("PassiveEnvChecker", why)(env)
    if env_spec.order_enforce:
        env = _wrapper("OrderEnforcing", f"the spec of {env_spec.id} has order_enforce=True")(env)
    limit = env_spec.max_episode_steps if max_episode_steps is None else max_episode_steps
    if limit is not None and limit != -1:
        why = f"{env_spec.id} is limited to {limit} steps (max_episode_steps=-1 lifts it)"
        env = _wrapper("TimeLimit", why)(env, limit)
    if autoreset:
        env = _wrapper("AutoResetWrapper", f"{env_spec.id} is made with autoreset=True")(env)
    for wrapper in env_spec.additional_wrappers[applied:]:
        if wrapper.kwargs is None:
            lost = f"{wrapper.name} in the spec of {env_spec.id} did not record its arguments, so it cannot be put on"
            raise ValueError(f"{lost} again; derive it from gymkernel.utils.RecordConstructorArgs")
        env = load_env_creator(wrapper.entry_point)(env, **wrapper.kwargs)
    if outermost is not None:
        env = outermost(env)
    plugins.call_hook("gymkernel_env_created", env=env, spec=env_spec)
    return env  # type: ignore[no-any-return]


def _bare(env_spec: EnvSpec, kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Make an environment by its entry point; return it with the wrapper that its render mode needs."""
    if env_spec.entry_point is None:
        raise error.Error(f"{env_spec.id} has no entry_point; it can only be made by make_vec")
    outermost, is_old = None, kwargs.pop("apply_api_compatibility", False)
    try:
        creator = load_env_creator(env_spec.entry_point)
        if is_old:
            creator = _wrapper("EnvCompatibility", f"{env_spec.id} is of the API before 0.26").creator(creator)
        if kwargs.get("render_mode") is not None:
            outermost = _render_wrapper(env_spec, creator, kwargs)
        env = creator(**kwargs)
    except (TypeError, AttributeError, ModuleNotFoundError) as exc:
        exc.add_note(f"{env_spec.id} is made by {env_spec.entry_point!r} with {kwargs}.")
        raise
    if not (hasattr(env, "step") and hasattr(env, "reset")):
        raise TypeError(f"The entry point of {env_spec.id} must make an environment (with reset and step), not {env!r}")
    for ask in () if isinstance(env, Env) else plugins.load_all("adapters", ["gymkernel.wrapper.Wrapper"], "unchecked"):
        ask(env, f"The entry point of {env_spec.id} must make an environment")
    adopt(env)
    if is_old:
        kwargs["apply_api_compatibility"] = True
    base = copy.copy(env_spec)
    base.max_episode_steps, base.order_enforce, base.disable_env_checker = None, False, True
    base.kwargs, base.additional_wrappers = kwargs, ()
    getattr(env, "unwrapped", env).spec = base
    return env, outermost


def _applied_wrappers(env: Any, env_spec: EnvSpec) -> int:
    """Return how many of the spec's additional wrappers the entry point has put on itself."""
    applied = tuple(getattr(getattr(env, "spec", None), "additional_wrappers", ()))
    wanted = env_spec.additional_wrappers[: len(applied)]
    if wanted and applied != wanted:
        both = f"the wrappers {applied} from its entry point, but its spec begins with {wanted}"
        raise ValueError(f"{env_spec.id} comes with {both}; leave them out of one of the two")
    return len(applied)


def _render_wrapper(env_spec: EnvSpec, creator: Any, kwargs: dict[str, Any]) -> Any:
    """Return the wrapper for a render mode that the environment lacks, and put a mode that it has into kwargs."""
    mode, metadata = kwargs["render_mode"], getattr(creator, "metadata", None)
    if metadata is None or isinstance(metadata, property):  # of a wrapper class, say: not known before it is made
        return None
    if not isinstance(metadata, Mapping):
        raise error.InvalidMetadata(f"Expected metadata of {env_spec.id} to be a dictionary, got {metadata!r}")
    modes = metadata.get("render_modes", ())
    arrays = [one for one in ("rgb_array", "rgb_array_list") if mode == "human" and one in modes]
    inline = bool(arrays) and "ipykernel" in sys.modules and "NotebookRendering" in plugins.names("wrappers")
    if mode in modes and not inline:
        return None
    if arrays:
        kwargs["render_mode"] = arrays[0]
        if not inline:
            words = "'human' rendering for an environment that doesn't natively support it. The HumanRendering wrapper"
            logger.warn(f"You are trying to use {words} is being applied to your environment.", stacklevel=4)
        name = f"{'Notebook' if inline else 'Human'}Rendering"
        return _wrapper(name, f"{env_spec.id} cannot draw on the screen itself")
    if isinstance(mode, str) and mode.removesuffix("_list") in modes:
        kwargs["render_mode"] = mode.removesuffix("_list")
        return _wrapper("RenderCollection", f"render_mode={mode} collects frames")
    possible = f"that is not in the possible render_modes ({modes})"
    logger.warn(f"The environment is being initialised with render_mode={mode!r} {possible}.", stacklevel=4)
    return None


def _make_one(env_spec: EnvSpec, wrappers: Sequence[Callable[[Any], Any]], kwargs: dict[str, Any]) -> Any:
    """Make one environment of a vector environment; a function of the module, so that it pickles."""
    env = make(env_spec, **kwargs)
    for wrapper in wrappers:
        env = wrapper(env)
    return env


def _backend(mode: str) -> Any:
    """Return the vector backend of a name: `sync` and `SyncVectorEnv` mean the same."""
    found = sorted(plugins.known("vector"))
    known = {name.removesuffix("VectorEnv").lower(): name for name in found}
    name = known.get(str(mode), mode)
    if name not in found:
        installed = sorted(short for short, full in known.items() if plugins.providers("vector", full))
        valid = [*installed, "vector_entry_point"]
        hint = did_you_mean(str(mode), [*known, *found, *valid], "for more, run: pip install gymkernel[vector]")
        raise ValueError(f"Invalid vectorization mode: {mode!r}, valid modes: {valid}; {hint}")
    return plugins.get("vector", name)


def _taken_apart(env_spec: EnvSpec) -> tuple[EnvSpec, dict[str, Any], dict[str, Any]]:
    """Return a spec with the arguments of the environment only, the arguments of `make`, and those of `make_vec`."""
    bare, kwargs = copy.copy(env_spec), copy.deepcopy(env_spec.kwargs)
    bare.kwargs = kwargs
    of_make, options = ({name: kwargs.pop(name) for name in names if name in kwargs} for names in (OF_MAKE, OPTIONS))
    return bare, of_make, options


def _check_vec(num_envs: Any, vector_kwargs: Any, wrappers: Any) -> None:
    """Refuse invalid arguments of `make_vec` before anything is made."""
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
        num_envs: number of environments, at least 1.
        vectorization_mode: the name of an installed backend ("sync", "async", ...), or "vector_entry_point" for the
            environment's own vectorised form; None takes that form where there is one and no `vector_kwargs` or
            `wrappers` are asked for, else "sync".
        vector_kwargs: for the backend.
        wrappers: called on every environment, in order; not with "vector_entry_point".
        **kwargs: for every environment.

    Raises:
        TypeError, ValueError: an argument that cannot be meant.
    """
    env_spec, own_kwargs, options = _taken_apart(id if isinstance(id, EnvSpec) else find(id))
    asked: Any = zip(OPTIONS, (num_envs, vectorization_mode, vector_kwargs, wrappers), strict=True)
    num_envs, vectorization_mode, vector_kwargs, wrappers = (options.get(name, value) for name, value in asked)
    _check_vec(num_envs, vector_kwargs, wrappers)
    kwargs = {**own_kwargs, **kwargs}
    env_kwargs = {**env_spec.kwargs, **kwargs}
    own = env_spec.vector_entry_point
    if vectorization_mode is None:
        backed = env_spec.entry_point is not None and (vector_kwargs or wrappers or env_spec.additional_wrappers)
        vectorization_mode = VectorizeMode.SYNC if own is None or backed else VectorizeMode.VECTOR_ENTRY_POINT
    mode: Any = getattr(vectorization_mode, "value", vectorization_mode)  # also of another library's enum
    if mode == "vector_entry_point":
        for what, given in (("vector_kwargs", vector_kwargs), ("wrappers", wrappers or env_spec.additional_wrappers)):
            if given:
                message = f"{what} ({given}) cannot be used with the vector_entry_point of {env_spec.id}; use a backend"
                raise error.Error(message)
        if own is None:
            why = "it doesn't have a vector entry point defined. Use vectorization_mode='sync'"
            raise error.Error(f"Cannot create vectorized environment for {env_spec.id} because {why}")
        if env_spec.max_episode_steps is not None:
            env_kwargs.setdefault("max_episode_steps", env_spec.max_episode_steps)
        for_own = {name: value for name, value in env_kwargs.items() if name != "disable_env_checker"}  # `make` has it
        env: Any = load_env_creator(own)(num_envs=num_envs, **for_own)
        adopt(env)
    else:
        backend = _backend(mode)
        if env_spec.entry_point is None:
            why = "it doesn't have an entry point defined. Use vectorization_mode='vector_entry_point'"
            raise error.Error(f"Cannot create vectorized environment for {env_spec.id} because {why}")
        env = backend([partial(_make_one, env_spec, tuple(wrappers or ()), kwargs)] * num_envs, **(vector_kwargs or {}))
    made = copy.copy(env_spec)
    options = dict(zip(OPTIONS, (num_envs if num_envs != 1 else None, mode, vector_kwargs, wrappers), strict=True))
    made.kwargs = {**env_kwargs, **{name: value for name, value in options.items() if value}}
    env.unwrapped.spec = made
    if "autoreset_mode" not in env.metadata:
        logger.warn(f"{env} does not say when it resets: its metadata has no autoreset_mode", stacklevel=2)
    return env  # type: ignore[no-any-return]
