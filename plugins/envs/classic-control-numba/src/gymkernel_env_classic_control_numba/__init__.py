"""The classic control vector environments, compiled by numba. Example: `make_vec("numba/CartPole-v1")`."""

from __future__ import annotations

import copy
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel.registration import spec

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec
    from gymkernel_env_classic_control_numba.acrobot import NumbaAcrobotVectorEnv
    from gymkernel_env_classic_control_numba.cartpole import NumbaCartPoleVectorEnv
    from gymkernel_env_classic_control_numba.mountain_car import (
        NumbaMountainCarContinuousVectorEnv,
        NumbaMountainCarVectorEnv,
    )
    from gymkernel_env_classic_control_numba.pendulum import NumbaPendulumVectorEnv

__all__ = ["ACROBOT_V1", "CARTPOLE_V0", "CARTPOLE_V1", "MOUNTAIN_CAR_CONTINUOUS_V0", "MOUNTAIN_CAR_V0", "PENDULUM_V1"]
__all__ += ["NumbaAcrobotVectorEnv", "NumbaCartPoleVectorEnv", "NumbaMountainCarContinuousVectorEnv"]
__all__ += ["NumbaMountainCarVectorEnv", "NumbaPendulumVectorEnv"]

_MODULE = {
    "NumbaAcrobotVectorEnv": "acrobot",
    "NumbaCartPoleVectorEnv": "cartpole",
    "NumbaMountainCarContinuousVectorEnv": "mountain_car",
    "NumbaMountainCarVectorEnv": "mountain_car",
    "NumbaPendulumVectorEnv": "pendulum",
}


def _compiled_spec(plain: EnvSpec, name: str) -> EnvSpec:
    """Return the spec of the compiled version of an environment. The id of the version is in the namespace `numba`."""
    own = f"{__name__}.{_MODULE[name]}:{name}"
    return replace(plain, id=f"numba/{plain.id}", vector_entry_point=own, kwargs=copy.deepcopy(plain.kwargs))


CARTPOLE_V0 = _compiled_spec(spec("CartPole-v0"), "NumbaCartPoleVectorEnv")
CARTPOLE_V1 = _compiled_spec(spec("CartPole-v1"), "NumbaCartPoleVectorEnv")
MOUNTAIN_CAR_V0 = _compiled_spec(spec("MountainCar-v0"), "NumbaMountainCarVectorEnv")
MOUNTAIN_CAR_CONTINUOUS_V0 = _compiled_spec(spec("MountainCarContinuous-v0"), "NumbaMountainCarContinuousVectorEnv")
PENDULUM_V1 = _compiled_spec(spec("Pendulum-v1"), "NumbaPendulumVectorEnv")
ACROBOT_V1 = _compiled_spec(spec("Acrobot-v1"), "NumbaAcrobotVectorEnv")


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
