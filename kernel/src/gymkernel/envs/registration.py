"""Registration and creation of environments, under the module path that Gymnasium uses."""

from typing import Any

from gymkernel import registration
from gymkernel.ids import ENV_ID_RE, get_env_id, parse_env_id
from gymkernel.making import VectorizeMode, make, make_vec
from gymkernel.registration import (
    find_highest_version,
    load_env_creator,
    namespace,
    pprint_registry,
    register,
    register_envs,
    registry,
    spec,
)
from gymkernel.specs import EnvCreator, EnvSpec, VectorEnvCreator, WrapperSpec

__all__ = ["ENV_ID_RE", "EnvCreator", "EnvSpec", "VectorEnvCreator", "VectorizeMode", "WrapperSpec"]
__all__ += ["find_highest_version", "get_env_id", "load_env_creator", "make", "make_vec", "namespace", "parse_env_id"]
__all__ += ["pprint_registry", "register", "register_envs", "registry", "spec"]


def __getattr__(name: str) -> Any:  # for private names and for current_namespace, whose value changes
    return getattr(registration, name)
