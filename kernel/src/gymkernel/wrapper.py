"""`Wrapper`: an environment around another, and the kinds of it that change observations, actions or rewards alone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import lru_cache, singledispatch
from operator import attrgetter
from types import EllipsisType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsFloat

from gymkernel import plugins
from gymkernel.env import Env
from gymkernel.forwarding import forwarded
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, WrapperActType, WrapperObsType
from gymkernel.specs import EnvSpec, WrapperSpec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Where = EllipsisType | NDArray[np.bool_]

__all__ = ["ActionWrapper", "ObservationWrapper", "RewardWrapper", "Wrapper", "is_vector_env", "record_given"]

_ABSENT: object = object()
"""What no attribute is."""
VALUES = frozenset({bool, float, int, str, type(None)})
"""Types whose objects nobody can change, so that no copy is needed."""
CONTAINERS = frozenset({list, tuple, set, dict})
"""Types that are data where all in them is."""


@singledispatch
def is_vector_env(env: Any) -> bool:
    """Whether an object is a vector environment, by its class: each base class of vector environments is registered.

    Args:
        env: an object of any class.
    """
    return False


class Wrapper(Env[WrapperObsType, WrapperActType], Generic[WrapperObsType, WrapperActType, ObsType, ActType]):
    """Base of wrappers: an environment around another, which changes nothing until a subclass does.

    Attributes other than those of `Env` are not handed on: ask `get_wrapper_attr` for them.

    Args:
        env: the environment inside, of any library; it stays the same for the wrapper's life.

    >>> class Halved(Wrapper):
    ...     def step(self, action):
    ...         observation, reward, terminated, truncated, info = self.env.step(action)
    ...         return observation, reward / 2, terminated, truncated, info
    """

    env: Env[ObsType, ActType]
    batched: ClassVar[bool] = False
    """Whether `observation`, `action` or `reward` takes a batch, so that it is called once for a whole vector step."""

    _saved_kwargs: dict[str, Any]
    _unwrapped: Any = None
    _cached_spec: tuple[Any, Any] = None, None

    if not TYPE_CHECKING:

        def __new__(cls, env: Any = None, *args: Any, **kwargs: Any) -> Any:
            """Record the arguments; around a vector environment, a wrapper that is vectorized is the vectorized one."""
            if not isinstance(env, Env) and is_vector_env(env):
                for other in plugins.providers("vector_wrappers", cls.__name__):
                    if other.value.replace(":", ".").startswith(f"{cls.__module__.partition('.')[0]}."):
                        return other.load()(env, *args, **kwargs)
            self = super().__new__(cls)
            if env is not None or kwargs:  # else it is unpickled
                record_given(self, args, kwargs)
            return self

    def __init__(self, env: EnvLike[ObsType, ActType]) -> None:
        if not isinstance(env, Env):
            expected = f"{type(self).__name__} wraps an environment"
            for require_env in plugins.load_all("adapters", ["gymkernel.wrapper.Wrapper"], "other APIs are not seen"):
                require_env(env, expected)
            if isinstance(env, type) or not (hasattr(env, "step") and hasattr(env, "reset")):
                raise TypeError(f"{expected} (an object with reset and step), got {env!r}")
        self.env = env  # type: ignore[assignment] # of any library: what it lacks is asked for where it is used

    def step(self, action: WrapperActType) -> tuple[WrapperObsType, SupportsFloat, bool, bool, Info]:
        """Act once, on the environment inside."""
        return self.env.step(action)  # type: ignore[arg-type,return-value]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[WrapperObsType, Info]:
        """Begin an episode of the environment inside."""
        return self.env.reset(seed=seed, options=options)  # type: ignore[return-value]

    def on_reset(self, where: Where = ...) -> None:
        """Forget the last episode; a wrapper of one of the kinds below that remembers something of it defines this.

        Args:
            where: the environments in which an episode begins: of a batch a mask, or `...` for all.
        """

    def render(self) -> Any:
        """Render the environment inside."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment inside."""
        self.env.close()

    @property
    def unwrapped(self) -> Env[Any, Any]:
        """The environment inside all wrappers."""
        found = self._unwrapped
        if found is None:
            self._unwrapped = found = getattr(self.env, "unwrapped", self.env)
        return found  # type: ignore[no-any-return]

    if not TYPE_CHECKING:
        observation_space = forwarded("observation_space")
        action_space = forwarded("action_space")
        metadata = forwarded("metadata")
        render_mode = property(attrgetter("env.render_mode"), doc="The render mode of the environment inside.")
        np_random_seed = property(attrgetter("env.np_random_seed"), doc="The seed of the environment inside.")

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of the environment inside."""
        return self.env.np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self.env.np_random = value

    @property
    def _np_random(self) -> np.random.Generator:  # type: ignore[override]
        raise AttributeError(f"{type(self).__name__} has no generator itself; use np_random, or unwrapped._np_random")

    @classmethod
    def class_name(cls) -> str:
        """The name of the class."""
        return cls.__name__

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override]
        """The spec from which `make` builds this stack again; None where the environment inside has none.

        A wrapper is in it with the arguments that it was given, or that it records itself (`RecordConstructorArgs`).
        """
        inner = getattr(self.env, "spec", None)
        known, found = self._cached_spec
        if known is not inner:  # the environment inside was given another
            found = None if inner is None else self.update_spec(inner)
            self._cached_spec = inner, found
        return found  # type: ignore[no-any-return]

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """The spec of this wrapper around an environment of `spec`; wrappers that are fields of a spec override it.

        Args:
            spec: of the environment inside, which is left as it is.
        """
        recorded: dict[str, Any] | None = getattr(self, "_saved_kwargs", None)
        own = self.wrapper_spec(**recorded or {})
        if type(recorded) is not dict:  # not known, or such as may not travel
            own.kwargs = recorded
        updated = copy.copy(spec)
        updated.additional_wrappers = (*spec.additional_wrappers, own)
        return updated

    @classmethod
    def wrapper_spec(cls, **kwargs: Any) -> WrapperSpec:
        """A spec of this wrapper with the given arguments.

        Args:
            **kwargs: the arguments of the constructor, but for the environment.
        """
        return WrapperSpec(cls.class_name(), f"{cls.__module__}:{cls.__qualname__}", kwargs)

    def has_wrapper_attr(self, name: str) -> bool:
        """Whether this wrapper, one inside it, or the environment has an attribute."""
        return hasattr(self, name) or _has(self.env, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """The attribute of the outermost wrapper, or the environment, that has it."""
        layer: Any = self
        innermost = self.unwrapped
        while (found := getattr(layer, name, _ABSENT)) is _ABSENT:
            if layer is innermost:
                message = f"neither a wrapper of {self} nor the environment itself has an attribute {name!r}"
                raise AttributeError(message)
            layer = layer.env
        return found

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set the attribute on the outermost layer that has it; where none has, on this wrapper if `force`."""
        if not hasattr(self, name) and _has(self.env, name):
            if hasattr(self.env, "set_wrapper_attr"):
                return bool(self.env.set_wrapper_attr(name, value, force=False))
            setattr(self.env, name, value)
            return True
        return super().set_wrapper_attr(name, value, force=force)

    def __str__(self) -> str:
        return f"<{type(self).__name__}{self.env}>"

    __repr__ = __str__


def record_given(wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Keep copies of the arguments of a wrapper that is being made, but for the environment, in its `_saved_kwargs`.

    Nothing is kept where an argument has no name by which it could be given again, or is no data (numbers, strings,
    arrays, and containers of them): a function, a model or a lock may be neither copied, nor pickled, nor written as
    JSON, so a wrapper that is made of such says itself what it records.

    Args:
        wrapper: the new object, before its `__init__` ran.
        args: the arguments by place, without the environment.
        kwargs: the arguments by name.
    """
    try:
        env, names, defaults = _parameters(type(wrapper).__init__)
        given = {**defaults, **dict(zip(names, args)), **kwargs}  # noqa: B905 - the rest has its defaults
        given.pop(env, None)
        if len(args) <= len(names) and all(map(_is_data, given.values())):
            plain = VALUES.issuperset(map(type, given.values()))
            # In the wrapper's own way, what it needs may not be there yet.
            kept = given if plain else {name: _kept(value) for name, value in given.items()}
            object.__setattr__(wrapper, "_saved_kwargs", kept)
    except Exception:  # noqa: BLE001 - a constructor without a signature, an argument of a foreign runtime
        return


def _kept(value: Any) -> Any:
    """A copy; a number of NumPy's as one of Python's, which JSON holds."""
    number = getattr(value, "shape", None) == () and value.dtype.kind in "biuf"
    return value.item() if number else copy.deepcopy(value)


@lru_cache(512)
def _parameters(init: Callable[..., None]) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Of a constructor: the environment's name, those of what goes by position behind it, and the defaults."""
    import inspect  # for wrappers alone, not for `gymkernel list`

    every = list(inspect.signature(init).parameters.values())[1:]
    named = [one for one in every if one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}]
    env = next((one for one in every if one.name == "env"), *every[:1])
    others = [one for one in named if one is not env]
    by_position = [one.name for one in others if one.kind is not one.KEYWORD_ONLY and every[0] is env]
    unnamed = {one.name: one for one in every if one.kind is one.POSITIONAL_ONLY and one is not env}  # which is no data
    return env.name, tuple(by_position), {one.name: one.default for one in others} | unnamed


def _is_data(value: Any) -> bool:
    """Whether a value is a number, a string or an array, or a container of nothing but such."""
    kind = type(value)
    if kind in CONTAINERS:
        return all(map(_is_data, [*value, *value.values()] if kind is dict else value))
    dtype = getattr(value, "dtype", None) if kind.__module__ == "numpy" else None
    return kind in VALUES or (dtype is not None and not dtype.hasobject)


def _has(env: Any, name: str) -> bool:
    return bool(env.has_wrapper_attr(name)) if hasattr(env, "has_wrapper_attr") else hasattr(env, name)


class ObservationWrapper(Wrapper[WrapperObsType, ActType, ObsType, ActType]):
    """Base of wrappers that change observations alone: define `observation`, and set `observation_space`.

    One that says `batched = True` is vectorized for the asking (`gymkernel.vector.VectorizedObservationWrapper`): its
    `observation` also gets batches, with the environments in front. One that remembers something of the episode defines
    `on_reset(where=...)` and `observation(observation, where=...)`, and keeps it in arrays with the axes of
    `gymkernel.vector.utils.batch_axes(env)` in front: `()` for one environment, `(num_envs,)` for a batch.

    Args:
        env: the environment inside, of any library.

    >>> class Rounded(ObservationWrapper):
    ...     def observation(self, observation):
    ...         return observation.round(1)
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[WrapperObsType, Info]:
        """Begin an episode; the observation goes through `observation`."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.on_reset()
        return self.observation(observation), info

    def step(self, action: ActType) -> tuple[WrapperObsType, SupportsFloat, bool, bool, Info]:
        """Act once; the observation goes through `observation`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observation(observation), reward, terminated, truncated, info

    def observation(self, observation: ObsType) -> WrapperObsType:
        """Return the observation that the agent sees, in memory of its own.

        Args:
            observation: what the environment inside returned, which must not be changed.
        """
        raise NotImplementedError


class ActionWrapper(Wrapper[ObsType, WrapperActType, ObsType, ActType]):
    """Base of wrappers that change actions alone: define `action`, and set `action_space`.

    Args:
        env: the environment inside, of any library.

    >>> class Reversed(ActionWrapper):
    ...     def action(self, action):
    ...         return -action
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Begin an episode of the environment inside."""
        result = self.env.reset(seed=seed, options=options)
        self.on_reset()
        return result

    def step(self, action: WrapperActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once, with what `action` makes of the action."""
        return self.env.step(self.action(action))

    def action(self, action: WrapperActType) -> ActType:
        """Return the action for the environment inside.

        Args:
            action: what the agent chose, an element of `action_space` of this wrapper.
        """
        raise NotImplementedError


class RewardWrapper(Wrapper[ObsType, ActType, ObsType, ActType]):
    """Base of wrappers that change rewards alone: define `reward`.

    Args:
        env: the environment inside, of any library.

    >>> class Tenth(RewardWrapper):
    ...     def reward(self, reward):
    ...         return float(reward) / 10
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[ObsType, Info]:
        """Begin an episode of the environment inside."""
        result = self.env.reset(seed=seed, options=options)
        self.on_reset()
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once; the reward goes through `reward`."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, self.reward(reward), terminated, truncated, info

    def reward(self, reward: SupportsFloat) -> SupportsFloat:
        """Return the reward that the agent sees.

        Args:
            reward: what the environment inside returned.
        """
        raise NotImplementedError
