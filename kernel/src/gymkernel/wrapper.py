"""The base classes of wrappers, including those that change observations, actions or rewards."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import lru_cache, singledispatch
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsFloat

from gymkernel import plugins
from gymkernel.env import Env
from gymkernel.forwarding import forwarded
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Where, WrapperActType, WrapperObsType
from gymkernel.specs import EnvSpec, WrapperSpec

if TYPE_CHECKING:
    import numpy as np

__all__ = ["ActionWrapper", "ObservationWrapper", "RewardWrapper", "Wrapper", "adopt", "has_attribute", "is_vector_env"]

_ABSENT: object = object()
"""A default value for `getattr` that indicates that the attribute does not exist."""
VALUES: frozenset[type] = frozenset({bool, float, int, str, type(None)})
"""Types of immutable objects, which need not be copied."""
CONTAINERS = frozenset({list, tuple, set, dict})
"""Types of containers that are plain data if all their elements are."""


@singledispatch
def is_vector_env(env: Any) -> bool:
    """Return whether an object is a vector environment. Libraries register their base classes with this function.

    Args:
        env: an object of any class.
    """
    return False


@singledispatch
def adopt(env: Any) -> None:
    """Modify another library's environment in place, so that it is compatible with gymkernel.

    Companion plugins register functions for the classes of other libraries. This function is called by `make`,
    `make_vec` and the vector backends for every environment that they create, and by wrappers for environments from
    other libraries.

    Args:
        env: an environment or a vector environment from any library.
    """


class Wrapper(Env[WrapperObsType, WrapperActType], Generic[WrapperObsType, WrapperActType, ObsType, ActType]):
    """The base class of wrappers. By default, it passes every call on to the wrapped environment.

    A subclass overrides the methods whose behaviour it changes.

    Only the attributes of `Env` are available on the wrapper. To access other attributes of the wrapped environment,
    use `get_wrapper_attr`.

    Args:
        env: the environment to wrap, from any library. It must not be replaced later.

    >>> class Halved(Wrapper):
    ...     def step(self, action):
    ...         observation, reward, terminated, truncated, info = self.env.step(action)
    ...         return observation, reward / 2, terminated, truncated, info
    """

    env: Env[ObsType, ActType]
    batched: ClassVar[bool] = False
    """Whether the methods `observation`, `action` and `reward` accept batches. If so, the vector version of the wrapper
    calls them once per step instead of once per environment."""

    _saved_kwargs: dict[str, Any]
    _unwrapped: Any = None
    _cached_spec: tuple[Any, Any] = None, None

    if not TYPE_CHECKING:

        def __new__(cls, env: Any = None, *args: Any, **kwargs: Any) -> Any:
            """Record the constructor arguments. For a vector environment, create the vector version if possible."""
            if not isinstance(env, Env) and is_vector_env(env):
                for plugin in plugins.providers("vector_wrappers", cls.__name__):
                    if plugin.value.replace(":", ".").startswith(f"{cls.__module__.partition('.')[0]}."):
                        return plugin.load()(env, *args, **kwargs)
            self = super().__new__(cls)
            if env is not None or kwargs:  # unpickling passes no arguments
                record_arguments(self, args, kwargs)
            return self

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        if not isinstance(env, Env):
            is_env = hasattr(env, "step") and hasattr(env, "reset")
            admit(env, f"{type(self).__name__} expects an environment", " (an object with reset and step)", is_env)
        self.env = env  # type: ignore[assignment] # a missing attribute raises an error when it is used

    def step(self, action: WrapperActType) -> tuple[WrapperObsType, SupportsFloat, bool, bool, Info]:
        """Perform one action in the wrapped environment."""
        return self.env.step(action)  # type: ignore[arg-type,return-value]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[WrapperObsType, Info]:
        """Start a new episode of the wrapped environment."""
        return self.env.reset(seed=seed, options=options)  # type: ignore[return-value]

    def on_reset(self, where: Where = ...) -> None:
        """Discard the state of the last episode. A wrapper with such state must override this method.

        Args:
            where: the environments in which an episode starts: a mask for a batch, or `...` for all environments.
        """

    def render(self) -> Any:
        """Render the wrapped environment."""
        return self.env.render()

    def close(self) -> None:
        """Close the wrapped environment."""
        self.env.close()

    @property
    def unwrapped(self) -> Env[Any, Any]:
        """The environment inside all wrappers."""
        innermost = self._unwrapped
        if innermost is None:
            self._unwrapped = innermost = getattr(self.env, "unwrapped", self.env)
        return innermost  # type: ignore[no-any-return]

    if not TYPE_CHECKING:
        observation_space = forwarded("observation_space")
        action_space = forwarded("action_space")
        metadata = forwarded("metadata")
        render_mode = property(attrgetter("env.render_mode"), doc="The render mode of the wrapped environment.")
        np_random_seed = property(attrgetter("env.np_random_seed"), doc="The seed of the wrapped environment.")

    @property
    def np_random(self) -> np.random.Generator:
        """The wrapped environment's random number generator."""
        return self.env.np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self.env.np_random = value

    @property
    def _np_random(self) -> np.random.Generator:  # type: ignore[override]
        raise AttributeError(f"{self.class_name()} has no generator of its own; use np_random or unwrapped._np_random")

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class."""
        return cls.__name__

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override]
        """The spec from which `make` can create the environment with this wrapper, or None.

        The spec contains the constructor arguments of the wrapper, or the arguments that the wrapper passed to
        `RecordConstructorArgs`. If the environment has no spec, the wrapper has no spec either.
        """
        inner = getattr(self.env, "spec", None)
        cached_inner, updated = self._cached_spec
        if cached_inner is not inner:  # the spec of the wrapped environment has been replaced
            updated = None if inner is None else self.update_spec(inner)
            self._cached_spec = inner, updated
        return updated  # type: ignore[no-any-return]

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """Add this wrapper to the spec of an environment.

        A wrapper for which `EnvSpec` has a field, such as `TimeLimit`, overrides this method.

        Args:
            spec: the spec of the wrapped environment, which is not modified.
        """
        recorded: dict[str, Any] | None = getattr(self, "_saved_kwargs", None)
        own = self.wrapper_spec(**recorded or {})
        if type(recorded) is not dict:  # the arguments were not recorded or are not plain data
            own.kwargs = recorded
        updated = copy.copy(spec)
        updated.additional_wrappers = (*spec.additional_wrappers, own)
        return updated

    @classmethod
    def wrapper_spec(cls, **kwargs: Any) -> WrapperSpec:
        """Create a spec of this wrapper with the given arguments.

        Args:
            **kwargs: the arguments of the constructor, except the environment.
        """
        return WrapperSpec(cls.class_name(), f"{cls.__module__}:{cls.__qualname__}", kwargs)

    def has_wrapper_attr(self, name: str) -> bool:
        """Return whether this wrapper, an inner wrapper or the environment has an attribute."""
        return hasattr(self, name) or has_attribute(self.env, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """Look up an attribute in the wrappers, from the outside to the inside, and in the environment."""
        layer: Any = self
        innermost = self.unwrapped
        while (value := getattr(layer, name, _ABSENT)) is _ABSENT:
            if layer is innermost:
                message = f"neither a wrapper of {self} nor the environment itself has an attribute {name!r}"
                raise AttributeError(message)
            layer = layer.env
        return value

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute on the outermost wrapper that has it, on the environment or, with `force`, here."""
        if not hasattr(self, name) and has_attribute(self.env, name):
            if hasattr(self.env, "set_wrapper_attr"):
                return bool(self.env.set_wrapper_attr(name, value, force=False))
            setattr(self.env, name, value)
            return True
        return super().set_wrapper_attr(name, value, force=force)

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.env}>"

    __repr__ = __str__


def admit(env: Any, expected: str, details: str, is_env: bool) -> None:
    """Prepare an environment from another library for a wrapper, or raise an error if the object cannot be wrapped.

    Args:
        env: the object that a wrapper received.
        expected: the beginning of the error message, such as "TimeLimit expects an environment".
        details: the attributes that an environment needs, for the message about an object of an unknown API.
        is_env: whether the object has these attributes. A class may have them, too, but it is rejected.

    Raises:
        TypeError: if the object is not an environment, or if it is an environment with a different API.
    """
    for require_env in plugins.load_all("adapters", ["gymkernel.wrapper.Wrapper"], "other APIs are unknown"):
        require_env(env, expected)
    if isinstance(env, type) or not is_env:
        raise TypeError(f"{expected}{details}, got {env!r}")
    adopt(env)


def record_arguments(wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Store copies of a wrapper's constructor arguments, except the environment, in `_saved_kwargs`.

    Arguments are stored only if all of them are plain data (numbers, strings, arrays, and containers of these) and can
    be passed by name. A function, a model or a lock may not support copying, pickling or conversion to JSON, so a
    wrapper with such an argument must record its arguments itself, with `RecordConstructorArgs`.

    Args:
        wrapper: the new object, before its `__init__` is called.
        args: the positional arguments, except the environment.
        kwargs: the keyword arguments.
    """
    try:
        env, names, defaults = _parameters(type(wrapper).__init__)
        arguments = {**defaults, **dict(zip(names, args)), **kwargs}  # noqa: B905 - the remaining parameters have defaults
        arguments.pop(env, None)
        plain = VALUES.issuperset(map(type, arguments.values()))
        if len(args) <= len(names) and (plain or all(map(_is_data, arguments.values()))):
            copies = arguments if plain else {name: _copy_data(value) for name, value in arguments.items()}
            # The wrapper may define a __setattr__ that needs attributes that do not exist yet.
            object.__setattr__(wrapper, "_saved_kwargs", copies)
    except Exception:  # noqa: BLE001 - the constructor may have no signature, and arguments may be any objects
        return


def _copy_data(value: Any) -> Any:
    """Copy a value. Convert NumPy scalars to Python numbers, which JSON can represent."""
    number = getattr(value, "shape", None) == () and value.dtype.kind in "biuf"
    return value.item() if number else copy.deepcopy(value)


@lru_cache(512)
def _parameters(init: Callable[..., None]) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Return the name of the environment parameter, the names of other positional parameters, and the defaults."""
    import inspect  # imported here to keep `gymkernel list` fast

    every = list(inspect.signature(init).parameters.values())[1:]
    named = [p for p in every if p.kind in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY}]
    env = next((p for p in every if p.name == "env"), *every[:1])
    others = [p for p in named if p is not env]
    by_position = [p.name for p in others if p.kind is not p.KEYWORD_ONLY and every[0] is env]
    # A `Parameter` object is not plain data. Therefore, nothing is recorded if a parameter is positional-only.
    unnamed = {p.name: p for p in every if p.kind is p.POSITIONAL_ONLY and p is not env}
    return env.name, tuple(by_position), {p.name: p.default for p in others} | unnamed


def _is_data(value: Any) -> bool:
    """Return whether a value is plain data: a number, a string, an array, or a container of these."""
    kind = type(value)
    if kind in CONTAINERS:
        return all(map(_is_data, [*value, *value.values()] if kind is dict else value))
    dtype = getattr(value, "dtype", None) if kind.__module__ == "numpy" else None
    return issubclass(kind, tuple(VALUES)) or (dtype is not None and not dtype.hasobject)


def has_attribute(env: Any, name: str) -> bool:
    """Return whether an environment or one of its wrappers has an attribute.

    Args:
        env: an environment from any library, which need not have a method `has_wrapper_attr`.
        name: the name of the attribute.
    """
    return bool(env.has_wrapper_attr(name)) if hasattr(env, "has_wrapper_attr") else hasattr(env, name)


class ObservationWrapper(Wrapper[WrapperObsType, ActType, ObsType, ActType]):
    """The base class of wrappers that change only observations.

    A subclass defines `observation` and sets `observation_space`.

    A subclass with `batched = True` supports vector environments. `gymkernel.vector.VectorizedObservationWrapper`
    creates its vector version, which passes batches of observations to `observation`. The first axis of a batch is the
    index of the environment. If the wrapper has state that depends on the episode, it must define `on_reset(where=...)`
    and `observation(observation, where=...)`. The shape of each array with such state must begin with
    `gymkernel.vector.utils.batch_axes(env)`, which is `()` for a single environment and `(num_envs,)` for a batch.

    Args:
        env: the environment to wrap, from any library.

    >>> class Rounded(ObservationWrapper):
    ...     def observation(self, observation):
    ...         return observation.round(1)
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[WrapperObsType, Info]:
        """Start a new episode, and transform the first observation."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.on_reset()
        return self.observation(observation), info

    def step(self, action: ActType) -> tuple[WrapperObsType, SupportsFloat, bool, bool, Info]:
        """Perform one action, and transform the observation."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observation(observation), reward, terminated, truncated, info

    def observation(self, observation: ObsType) -> WrapperObsType:
        """Transform an observation for the agent. The result must not share memory with the argument.

        Args:
            observation: the observation of the wrapped environment. It must not be modified.
        """
        raise NotImplementedError


class ActionWrapper(Wrapper[ObsType, WrapperActType, ObsType, ActType]):
    """The base class of wrappers that change only actions. A subclass defines `action` and sets `action_space`.

    Args:
        env: the environment to wrap, from any library.

    >>> class Reversed(ActionWrapper):
    ...     def action(self, action):
    ...         return -action
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Start a new episode of the wrapped environment."""
        result = self.env.reset(seed=seed, options=options)
        self.on_reset()
        return result

    def step(self, action: WrapperActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Transform the action, and perform it in the wrapped environment."""
        return self.env.step(self.action(action))

    def action(self, action: WrapperActType) -> ActType:
        """Transform an action for the wrapped environment.

        Args:
            action: the agent's action, an element of this wrapper's `action_space`.
        """
        raise NotImplementedError


class RewardWrapper(Wrapper[ObsType, ActType, ObsType, ActType]):
    """The base class of wrappers that change only rewards. A subclass defines `reward`.

    Args:
        env: the environment to wrap, from any library.

    >>> class Tenth(RewardWrapper):
    ...     def reward(self, reward):
    ...         return float(reward) / 10
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Start a new episode of the wrapped environment."""
        result = self.env.reset(seed=seed, options=options)
        self.on_reset()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Perform one action, and transform the reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, self.reward(reward), terminated, truncated, info

    def reward(self, reward: SupportsFloat) -> SupportsFloat:
        """Transform a reward for the agent.

        Args:
            reward: the reward of the wrapped environment.
        """
        raise NotImplementedError
