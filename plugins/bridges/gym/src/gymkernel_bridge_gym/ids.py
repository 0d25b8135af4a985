"""The function `resolve`, which returns the spec for an id with the prefix `gym/`."""

from __future__ import annotations

from importlib import import_module

from gymkernel.error import UnregisteredEnv
from gymkernel.specs import EnvSpec
from gymkernel_bridge_gym.specs import FAMILY, find_gym_spec, spec_from_gym

__all__ = ["resolve"]


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
