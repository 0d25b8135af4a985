"""The function `spec_from_gym`, which converts specs of gym, and the function that finds gym's specs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gymkernel.error import NameNotFound, UnregisteredEnv
from gymkernel.ids import get_env_id, parse_env_id, well_formed
from gymkernel.specs import EnvSpec
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker
from gymkernel_wrapper_time_limit import TimeLimit

__all__ = ["PREFIX", "find_gym_spec", "import_gym", "spec_from_gym"]

PREFIX = "gym/"
"""The prefix of gym's ids in gymkernel."""
REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing, TimeLimit)
"""The wrappers that `gymkernel.make` adds for converted specs.

They are imported here to ensure that they are installed.
"""


def import_gym() -> Any:
    """Import gym.

    Raises:
        gymkernel.error.NameNotFound: if gym cannot be imported. The message contains the command that installs gym.
    """
    try:
        return import_module("gym")
    except ModuleNotFoundError as exc:
        raise NameNotFound(f'{exc}, which ids of gym require; run: pip install "gym>=0.21,<0.27"') from exc


def find_gym_spec(gym_id: str) -> Any:
    """Return gym's spec for an id. For an id without a version, return the spec of the newest version.

    Args:
        gym_id: an id in gym's registry, such as `CartPole-v1`, without the prefix `gym/`.

    Raises:
        gymkernel.error.UnregisteredEnv: if gym has no such id or is not installed.
    """
    gym = import_gym()
    registry = import_module("gym.envs.registration").registry
    ids = list(getattr(registry, "env_specs", registry))
    namespace, name, version = parse_env_id(gym_id)
    if version is None:
        versions = [v for ns, base, v in well_formed(ids) if (ns, base) == (namespace, name) and v is not None]
        gym_id = get_env_id(namespace, name, max(versions, default=None))
    if gym_id not in ids:
        raise UnregisteredEnv(f"gym {gym.__version__} has no environment {gym_id}")
    return gym.spec(gym_id)


def spec_from_gym(spec: Any) -> EnvSpec | None:
    """Convert a gym spec to a gymkernel spec. gymkernel then adds the time limit and the checkers.

    Args:
        spec: a gym spec. None and gymkernel's specs are returned unchanged.
    """
    if spec is None or isinstance(spec, EnvSpec):
        return spec
    return EnvSpec(
        f"{PREFIX}{spec.id}",
        f"{__package__}.making:make_gym",
        reward_threshold=spec.reward_threshold,
        nondeterministic=spec.nondeterministic,
        max_episode_steps=spec.max_episode_steps,
        kwargs={"gym_id": spec.id},
    )
