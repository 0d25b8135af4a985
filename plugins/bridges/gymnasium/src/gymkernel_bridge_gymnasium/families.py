"""Ids of Gymnasium's, those of packages too that register theirs when they are imported."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from gymkernel import error

if TYPE_CHECKING:
    from gymnasium.envs.registration import EnvSpec as TheirSpec

__all__ = ["FAMILIES", "Family", "gymnasium_spec"]


class Family(NamedTuple):
    """Environments whose ids begin alike, and what registers them."""

    beginnings: tuple[str, ...]
    module: str
    distribution: str


FAMILIES = (
    Family(("ALE/",), "ale_py", "ale-py"),
    Family(("MiniGrid-", "BabyAI-"), "minigrid", "minigrid"),
    Family(
        (
            *("highway-", "merge-", "roundabout-", "parking-", "intersection-", "racetrack-"),
            *("exit-", "two-way-", "u-turn-", "lane-keeping-"),
        ),
        "highway_env",
        "highway-env",
    ),
    Family(
        ("Fetch", "HandReach", "HandManipulate", "AdroitHand", "PointMaze", "AntMaze", "FrankaKitchen"),
        "gymnasium_robotics",
        "gymnasium-robotics",
    ),
    Family(
        ("mo-", "deep-sea-", "resource-gathering-", "four-room-", "minecart-", "breakable-bottles-", "fruit-tree-"),
        "mo_gymnasium",
        "mo-gymnasium",
    ),
    Family(("Meta-World/",), "metaworld", "metaworld"),
    Family(("dm_control/", "GymV21Environment", "GymV26Environment"), "shimmy", "shimmy"),
)
"""Known families: an id is enough, nobody needs to import the package first."""


def gymnasium_spec(env_id: str) -> TheirSpec:
    """Gymnasium's spec of `[module:]id`; without a version, that of the newest.

    The package of a known family is imported where its id is asked for.

    Raises:
        UnregisteredEnv: there is none; the message says what to install or import.
    """
    import gymnasium
    from gymnasium.envs.registration import find_highest_version, get_env_id, parse_env_id

    module, colon, name = env_id.rpartition(":")
    if colon:
        _import(module, f"register {name}")
    try:
        namespace, base, version = parse_env_id(name)
    except gymnasium.error.Error as exc:
        raise error.NameNotFound(f"Gymnasium has no environment {env_id}: {exc}") from None
    family = next((one for one in FAMILIES if name.startswith(one.beginnings)), None)
    if family is not None and not _is_theirs(name):
        _import(family.module, f"have {name}", family.distribution)
    if version is None and (newest := find_highest_version(namespace, base)) is not None:
        name = get_env_id(namespace, base, newest)
    try:
        found = gymnasium.spec(name)
    except gymnasium.error.Error as exc:
        hint = "" if colon else "; if a package registers it when imported, ask for gymnasium/<package>:<id>"
        raise error.NameNotFound(f"Gymnasium has no environment {env_id}: {str(exc).rstrip('.')}{hint}") from None
    if not _is_theirs(name):
        raise error.NameNotFound(f"Gymnasium has no environment {name} of its own; gymkernel has: ask for {name}")
    return found


def _is_theirs(name: str) -> bool:
    """Whether Gymnasium has an environment under a name which is not one of gymkernel's."""
    import gymnasium

    from gymkernel_bridge_gymnasium.specs import KernelSpec

    return not isinstance(gymnasium.registry.get(name, KernelSpec), KernelSpec | type)


def _import(module: str, purpose: str, distribution: str | None = None) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as exc:
        wanted = (
            distribution if distribution and exc.name == module else str(exc.name).partition(".")[0].replace("_", "-")
        )
        raise error.NameNotFound(f"To {purpose}, {exc.name} has to be installed; run: pip install {wanted}") from exc
