"""Importable names for Gymnasium's entry points, so that specs can be written as JSON and used in other processes.

`gymkernel_bridge_gymnasium.entries:envs.LunarLander-v3=gymnasium/envs/box2d/lunar_lander%3ALunarLander` creates an
instance of the class LunarLander with Gymnasium's id. With `vector_envs` instead of `envs`, the name creates the
environment's own vector environment. Gymnasium looks up the text after the colon as a single attribute of this module,
whereas gymkernel splits it at each dot.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec as TheirSpec

import gymkernel_bridge_gymnasium as bridge
from gymkernel import error
from gymkernel.ids import well_formed
from gymkernel.making import make
from gymkernel.specs import EnvSpec
from gymkernel.third_party import ENVS, MODULES

if TYPE_CHECKING:
    from gymkernel_bridge_gymnasium.inward import GymnasiumVectorEnv

__all__ = ["EnvEntry", "ObjectivesEntry", "VectorEntry", "absent_module", "envs", "extra_of", "objective_envs"]
__all__ += ["vector_envs"]

MARKS = {".": "%2E", ":": "%3A"}
"""The escape sequences for characters that have a special meaning in the name of an entry point."""

RESERVED = ("id", "max_episode_steps", "disable_env_checker")
"""Arguments of `gymnasium.make` that a constructor may also have, and then receives through the spec."""


@dataclass(frozen=True)
class _Entry:
    """The base class of entry points that create a Gymnasium environment.

    Attributes:
        gymnasium_id: the environment's id in Gymnasium.
        entry_point: a callable, or a string of the form `module:attribute`.
    """

    gymnasium_id: str
    entry_point: str | Callable[..., Any]

    def portable(self) -> Any:
        """Return a name by which gymkernel can import this object, or the object itself if it contains a callable."""
        if callable(self.entry_point):
            return self
        module, _, attribute = self.entry_point.partition(":")
        name = f"{self.gymnasium_id}={module.replace('.', '/')}:{attribute}"
        for mark, written in MARKS.items():
            name = name.replace(mark, written)
        return f"{__name__}:{self._kind}.{name}"

    _kind = ""


class EnvEntry(_Entry):
    """An entry point that creates a Gymnasium environment without a time limit or checkers; gymkernel adds them.

    >>> EnvEntry("Pendulum-v1", "gymnasium.envs.classic_control.pendulum:PendulumEnv")(g=9.81).reset(seed=1)[0].shape
    (3,)
    """

    _kind = "envs"

    def __call__(self, **kwargs: Any) -> Any:
        """Create the environment.

        Args:
            **kwargs: keyword arguments for the constructor.

        Returns:
            The environment itself, or a `GymnasiumEnv` if Gymnasium adds wrappers, for example for rendering.
        """
        reserved: dict[str, Any] = {name: kwargs.pop(name) for name in RESERVED if name in kwargs}
        spec = TheirSpec(
            self.gymnasium_id, self.entry_point, order_enforce=False, disable_env_checker=True, kwargs=reserved
        )
        with _install_hints(self.gymnasium_id):
            env = gymnasium.make(spec, **kwargs)
        return env if env.unwrapped is env else bridge.GymnasiumEnv(env)


class VectorEntry(_Entry):
    """An entry point that creates the vector environment that a Gymnasium environment itself provides."""

    _kind = "vector_envs"

    def __call__(self, num_envs: int = 1, **kwargs: Any) -> GymnasiumVectorEnv:
        """Create the vector environment.

        Args:
            num_envs: the number of environments.
            **kwargs: keyword arguments for the constructor.
        """
        spec = TheirSpec(self.gymnasium_id, vector_entry_point=self.entry_point, kwargs=kwargs)
        with _install_hints(self.gymnasium_id):
            return bridge.GymnasiumVectorEnv(
                gymnasium.make_vec(spec, num_envs, vectorization_mode="vector_entry_point")
            )


class ObjectivesEntry(_Entry):
    """An entry point that creates an MO-Gymnasium vector environment, with one reward vector per environment."""

    _kind = "objective_envs"

    def __call__(self, num_envs: int = 1, max_episode_steps: int | None = None, **kwargs: Any) -> GymnasiumVectorEnv:
        """Create the vector environment.

        Args:
            num_envs: the number of environments.
            max_episode_steps: the time limit of each environment, in steps; None for no limit.
            **kwargs: keyword arguments for each environment's constructor.
        """
        library: Any = import_module("mo_gymnasium.wrappers.vector")
        spec = EnvSpec(self.gymnasium_id, self.entry_point, max_episode_steps=max_episode_steps, kwargs=kwargs)
        return bridge.GymnasiumVectorEnv(
            library.MOSyncVectorEnv([partial(make, spec, disable_env_checker=True)] * num_envs)
        )


class _Names:
    """A namespace whose attributes are all entry points of the same class."""

    def __init__(self, cls: type[_Entry]) -> None:
        self._cls = cls

    def __getattr__(self, name: str) -> _Entry:
        for mark, written in MARKS.items():
            name = name.replace(written, mark)
        env_id, equals, entry_point = name.partition("=")
        module, colon, attribute = entry_point.partition(":")
        if not (equals and colon):
            raise AttributeError(
                f"Expected the name of an entry point in the form id=package/module:attribute, got {name!r}"
            )
        return self._cls(env_id, f"{module.replace('/', '.')}:{attribute}")


envs = _Names(EnvEntry)
vector_envs = _Names(VectorEntry)
objective_envs = _Names(ObjectivesEntry)


def __getattr__(name: str) -> Any:
    """Return the entry point for a name such as `envs.LunarLander-v3=...`, which Gymnasium looks up as a whole."""
    kind, dot, entry = name.partition(".")
    if not dot or kind not in {"envs", "vector_envs", "objective_envs"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(globals()[kind], entry)


@contextmanager
def _install_hints(env_id: str) -> Iterator[None]:
    """Replace errors about missing packages with errors that contain the installation command."""
    try:
        yield
    except (gymnasium.error.DependencyNotInstalled, ImportError) as exc:
        if (absent := absent_module(env_id)) is not None:
            message = f"{env_id} needs {absent}, which is not installed; run: pip install {extra_of(env_id)}"
            raise error.DependencyNotInstalled(message) from exc
        if isinstance(exc, ImportError):
            raise
        raise error.DependencyNotInstalled(str(exc)) from exc


def extra_of(env_id: str) -> str | None:
    """Return the requirement to pass to `pip install` for an environment id, or None if it is unknown.

    Args:
        env_id: the environment's id, with any version.

    >>> extra_of("ALE/Pong-v5"), extra_of("LunarLander-v2"), extra_of("Maze-v0")
    ('"gymkernel[atari]"', '"gymkernel[box2d]"', None)
    """
    names = [parts[:2] for parts in well_formed([env_id])]
    for pattern, extra in ENVS.items():
        if fnmatch.fnmatchcase(env_id, pattern) or [parts[:2] for parts in well_formed([pattern])] == names:
            return extra
    return None


def absent_module(env_id: str) -> str | None:
    """Return the name of a missing module that a known environment needs, or None if no module is missing.

    Args:
        env_id: the environment's id, with any version.
    """
    extra = extra_of(env_id)
    return MODULES[extra] if extra is not None and find_spec(MODULES[extra]) is None else None
