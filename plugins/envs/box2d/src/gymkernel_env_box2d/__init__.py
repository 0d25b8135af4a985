"""The Box2D environments: a lunar lander, a walking robot and a racing car, all in two dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.specs import EnvSpec
from gymkernel_util_compatibility.lazy_names import lazy_names

if TYPE_CHECKING:
    from gymkernel_env_box2d.bipedal_walker import BipedalWalker, BipedalWalkerHardcore
    from gymkernel_env_box2d.car_racing import CarRacing
    from gymkernel_env_box2d.lunar_lander import LunarLander, LunarLanderContinuous

__all__ = ["BIPEDAL_WALKER_HARDCORE_V3", "BIPEDAL_WALKER_V3", "CAR_RACING_V3"]
__all__ += ["LUNAR_LANDER_CONTINUOUS_V3", "LUNAR_LANDER_V3"]
__all__ += ["BipedalWalker", "BipedalWalkerHardcore", "CarRacing", "LunarLander", "LunarLanderContinuous"]

__getattr__ = lazy_names(
    __name__,
    bipedal_walker=("BipedalWalker", "BipedalWalkerHardcore"),
    car_dynamics=(),
    car_racing=("CarRacing",),
    lunar_lander=("LunarLander", "LunarLanderContinuous"),
)


def _spec(env_id: str, entry_point: str, steps: int, threshold: float, **kwargs: Any) -> EnvSpec:
    return EnvSpec(
        env_id,
        entry_point=f"{__name__}.{entry_point}",
        max_episode_steps=steps,
        reward_threshold=threshold,
        kwargs=kwargs,
    )


LUNAR_LANDER_V3 = _spec("LunarLander-v3", "lunar_lander:LunarLander", 1000, 200)
LUNAR_LANDER_CONTINUOUS_V3 = _spec("LunarLanderContinuous-v3", "lunar_lander:LunarLander", 1000, 200, continuous=True)
BIPEDAL_WALKER_V3 = _spec("BipedalWalker-v3", "bipedal_walker:BipedalWalker", 1600, 300)
BIPEDAL_WALKER_HARDCORE_V3 = _spec("BipedalWalkerHardcore-v3", "bipedal_walker:BipedalWalker", 2000, 300, hardcore=True)
CAR_RACING_V3 = _spec("CarRacing-v3", "car_racing:CarRacing", 1000, 900)
