"""The Box2D environments: a lunar lander, a walking robot and a racing car, all in two dimensions."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymkernel.specs import EnvSpec

if TYPE_CHECKING:
    from gymkernel_env_box2d.bipedal_walker import BipedalWalker, BipedalWalkerHardcore
    from gymkernel_env_box2d.car_racing import CarRacing
    from gymkernel_env_box2d.lunar_lander import LunarLander, LunarLanderContinuous

__all__ = ["BIPEDAL_WALKER_HARDCORE_V3", "BIPEDAL_WALKER_V3", "CAR_RACING_V3"]
__all__ += ["LUNAR_LANDER_CONTINUOUS_V3", "LUNAR_LANDER_V3"]
__all__ += ["BipedalWalker", "BipedalWalkerHardcore", "CarRacing", "LunarLander", "LunarLanderContinuous"]

_MODULE = {
    "BipedalWalker": "bipedal_walker",
    "BipedalWalkerHardcore": "bipedal_walker",
    "CarRacing": "car_racing",
    "LunarLander": "lunar_lander",
    "LunarLanderContinuous": "lunar_lander",
}
_PATHS = {*_MODULE.values(), "car_dynamics"}


def _spec(env_id: str, name: str, steps: int, threshold: float, **kwargs: Any) -> EnvSpec:
    return EnvSpec(
        env_id,
        entry_point=f"{__name__}.{_MODULE[name]}:{name}",
        max_episode_steps=steps,
        reward_threshold=threshold,
        kwargs=kwargs,
    )


LUNAR_LANDER_V3 = _spec("LunarLander-v3", "LunarLander", 1000, 200)
LUNAR_LANDER_CONTINUOUS_V3 = _spec("LunarLanderContinuous-v3", "LunarLander", 1000, 200, continuous=True)
BIPEDAL_WALKER_V3 = _spec("BipedalWalker-v3", "BipedalWalker", 1600, 300)
BIPEDAL_WALKER_HARDCORE_V3 = _spec("BipedalWalkerHardcore-v3", "BipedalWalker", 2000, 300, hardcore=True)
CAR_RACING_V3 = _spec("CarRacing-v3", "CarRacing", 1000, 900)


def _get_attribute(name: str) -> Any:
    """Import a class or a submodule of this package when it is first accessed."""
    if name in _PATHS:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)


if not TYPE_CHECKING:
    __getattr__ = _get_attribute
