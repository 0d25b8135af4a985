"""Functions that find and convert gym's environment specs, and resolve ids that begin with `gym/`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gymkernel.error import UnregisteredEnv
from gymkernel.specs import EnvSpec
from gymkernel_util_compatibility.id_families import IdFamily
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker
from gymkernel_wrapper_time_limit import TimeLimit

__all__ = ["find_gym_spec", "resolve", "spec_from_gym"]

REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing, TimeLimit)
"""The wrappers that `gymkernel.make` adds to environments with converted specs.

Importing them here ensures that they are installed.
"""


def find_gym_spec(gym_id: str) -> Any:
    """Return gym's spec for an id.

    Args:
        gym_id: an id in gym's registry, such as `CartPole-v1`, without the prefix `gym/`.

    Raises:
        gymkernel.error.NameNotFound: if gym has no such id or is not installed.
    """
    resolved = FAMILY.resolve(f"{FAMILY.prefix}/{gym_id}")
    return import_module("gym").spec(gym_id if resolved is None else resolved.kwargs["gym_id"])


def _names() -> list[str]:
    """Return all ids in gym's registry, which is a dictionary or, before gym 0.26, an object that contains one."""
    registry = import_module("gym.envs.registration").registry
    return list(getattr(registry, "env_specs", registry))


def spec_from_gym(spec: Any) -> EnvSpec | None:
    """Convert a gym spec to a gymkernel spec, so that `make` adds gymkernel's own time limit and checkers.

    Args:
        spec: a gym spec. None or a gymkernel spec is returned unchanged.
    """
    if spec is None or isinstance(spec, EnvSpec):
        return spec
    return EnvSpec(
        f"{FAMILY.prefix}/{spec.id}",
        f"{__package__}.making:make_gym",
        reward_threshold=spec.reward_threshold,
        nondeterministic=spec.nondeterministic,
        max_episode_steps=spec.max_episode_steps,
        kwargs={"gym_id": spec.id},
    )


def _find(_: str, gym_id: str) -> Any:
    return spec_from_gym(import_module("gym").spec(gym_id))


FAMILY = IdFamily("gym", "gym", '"gymkernel[gym]"', _names, _find)
"""The ids in gym's registry, with the prefix `gym/`."""


def resolve(env_id: str) -> EnvSpec | None:
    """Return the spec for an id with the prefix `gym/`.

    Args:
        env_id: `gym/` and an id in gym's registry, or `gym/module:name`, where `name` is an attribute of the module or
            an id that the module registers with gym.

    Raises:
        gymkernel.error.UnregisteredEnv: if gym has no such id, or if the module cannot be imported.

    >>> resolve("gym/no_such_module:Maze")
    Traceback (most recent call last):
    gymkernel.error.UnregisteredEnv: No module named 'no_such_module', which the id gym/no_such_module:Maze requires
    """
    gym_id = env_id.removeprefix(f"{FAMILY.prefix}/")
    module, colon, name = gym_id.partition(":")
    if not colon:
        return FAMILY.resolve(env_id)
    try:
        imported = import_module(module)
    except ModuleNotFoundError as exc:
        raise UnregisteredEnv(f"{exc}, which the id {env_id} requires") from exc
    if hasattr(imported, name):
        return EnvSpec(env_id, f"{__package__}.making:make_gym", kwargs={"gym_id": gym_id})
    found = spec_from_gym(find_gym_spec(name))
    if found is not None:  # worker processes must also import the module
        found.kwargs = {"gym_id": f"{module}:{name}"}
    return found
