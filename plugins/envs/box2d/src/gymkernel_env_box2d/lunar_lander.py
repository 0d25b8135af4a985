"""LunarLander, in which an agent lands a spacecraft with a main engine and two side engines."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel import error, logger
from gymkernel.error import DependencyNotInstalled
from gymkernel_env_box2d.actions import DOWN, LEFT, RIGHT, UP, choice, numbers
from gymkernel_env_box2d.base import Box2DEnv, reset_needed
from gymkernel_env_box2d.engine import STEP_TIME, LegListener
from gymkernel_env_box2d.engine import world as new_world
from gymkernel_env_box2d.lunar_bodies import (
    create_lander,
    create_leg,
    create_moon,
    create_particle,
    ground_fixture,
    terrain_heights,
)
from gymkernel_env_box2d.lunar_constants import (
    CHUNKS,
    FPS,
    INITIAL_RANDOM,
    LANDER_POLY,
    LEG_AWAY,
    LEG_DOWN,
    LEG_H,
    LEG_SPRING_TORQUE,
    LEG_W,
    MAIN_ENGINE_POWER,
    MAIN_ENGINE_Y_LOCATION,
    SCALE,
    SIDE_ENGINE_AWAY,
    SIDE_ENGINE_HEIGHT,
    SIDE_ENGINE_POWER,
    VIEWPORT_H,
    VIEWPORT_W,
)
from gymkernel_env_box2d.lunar_drawing import age_particles, draw_lander
from gymkernel_env_box2d.lunar_heuristic import demo_heuristic_lander, heuristic
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete
from gymkernel_util_compatibility.ezpickle import EzPickle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import Info, Options

__all__ = ["CHUNKS", "FPS", "INITIAL_RANDOM", "LANDER_POLY", "LEG_AWAY", "LEG_DOWN", "LEG_H", "LEG_SPRING_TORQUE"]
__all__ += ["LEG_W", "MAIN_ENGINE_POWER", "MAIN_ENGINE_Y_LOCATION", "SCALE", "SIDE_ENGINE_AWAY"]
__all__ += ["SIDE_ENGINE_HEIGHT", "SIDE_ENGINE_POWER", "VIEWPORT_H", "VIEWPORT_W"]
__all__ += ["ContactDetector", "DependencyNotInstalled", "EzPickle", "LunarLander", "LunarLanderContinuous"]
__all__ += ["demo_heuristic_lander", "heuristic"]

StepResult = tuple["NDArray[np.float32]", float, bool, bool, dict[str, Any]]
FLOAT32 = np.dtype(np.float32)
WIDTH, HEIGHT = VIEWPORT_W / SCALE, VIEWPORT_H / SCALE
HALF_WIDTH, HALF_HEIGHT = VIEWPORT_W / SCALE / 2, VIEWPORT_H / SCALE / 2
LEG_REACH = LEG_DOWN / SCALE
write_floats: Callable[..., None] = struct.Struct("8f").pack_into


class ContactDetector(LegListener):
    """A contact listener that ends the episode if the body touches the ground, and records which legs touch it.

    Args:
        env: the environment whose attributes `game_over` and `legs` are updated.
    """

    main_body, feet = "lander", slice(2)


class LunarLander(Box2DEnv["NDArray[np.float32]", "int | np.integer[Any] | NDArray[np.floating[Any]]"]):
    """An environment in which an agent lands a spacecraft on a pad between two flags.

    The lander starts at the top and is pushed in a random direction. Each engine adds an impulse to the lander, with
    random deviations. A step takes 0.02 s.

    Action, `Discrete(4)`: 0 fires no engine, 1 fires the left engine, 2 fires the main engine, 3 fires the right
    engine.

    With `continuous`, the action space is a `Box` of 2 float32:

    | part | quantity | unit | bounds of the space |
    |---|---|---|---|
    | 0 | power of the main engine | see below | ±1 |
    | 1 | power of the side engines | full power | ±1 |

    The main engine is off if the first number is at most 0, and its power increases from 50 % to 100 % between 0 and 1.
    The left engine fires if the second number is below -0.5, and the right engine if it is above 0.5, with 50 % to
    100 % of the full power. Between -0.5 and 0.5, both side engines are off.

    Observation, `Box` of 8 float32:

    | part | quantity | unit | bounds of the space |
    |---|---|---|---|
    | 0 | horizontal position, from the pad | half widths of the image | ±2.5 |
    | 1 | vertical position, from the pad | half heights of the image | ±2.5 |
    | 2 | horizontal velocity | 5 units of length per second | ±10 |
    | 3 | vertical velocity | 7.5 units of length per second | ±10 |
    | 4 | angle, counterclockwise from upright | rad | ±2π |
    | 5 | angular velocity | 2.5 rad/s | ±10 |
    | 6 | 1 if the first leg touches the ground, else 0 | | 0 to 1 |
    | 7 | 1 if the second leg touches the ground, else 0 | | 0 to 1 |

    Reward: the change of a potential, which is 10 for each leg on the ground, minus 100 times the distance from the
    pad, minus 100 times the speed, minus 100 times the absolute angle. The main engine costs 0.3 and a side engine 0.03
    per step at full power. The reward of the last step is -100 after a crash and 100 after a landing.

    Termination: the body touches the ground, the lander leaves the image to the left or right, or the lander has come
    to rest. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Reset: the terrain, the push at the start, and the phase of the wind are sampled.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.
        continuous: whether actions are two numbers instead of one of four choices.
        gravity: the vertical acceleration, between -12 and 0.
        enable_wind: whether wind pushes and turns the lander while no leg touches the ground.
        wind_power: the largest force of the wind, from 0 to 20.
        turbulence_power: the largest torque of the wind, from 0 to 2.

    Raises:
        UnsupportedMode: if the render mode is not supported.
        ValueError: if the gravity is not between -12 and 0.

    >>> import gymkernel as gym
    >>> env = gym.make("LunarLander-v3")
    >>> observation, info = env.reset(seed=123)
    >>> observation.shape, env.unwrapped.helipad_y
    ((8,), 3.3333333333333335)
    >>> observation, reward, terminated, truncated, info = env.step(2)
    >>> terminated
    False
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": FPS}  # noqa: RUF012 - Env declares it without ClassVar
    gymkernel_possible_failures: ClassVar = {
        "GK401": "the lander can turn by more than 2π, and the observation space is that of Gymnasium"
    }

    def __init__(
        self,
        render_mode: str | None = None,
        continuous: bool = False,
        gravity: float = -10.0,
        enable_wind: bool = False,
        wind_power: float = 15.0,
        turbulence_power: float = 1.5,
    ) -> None:
        EzPickle.__init__(self, render_mode, continuous, gravity, enable_wind, wind_power, turbulence_power)
        self._initialize(render_mode)
        if not -12.0 < gravity < 0.0:
            raise ValueError(f"Expected gravity to be greater than -12 and less than 0, got {gravity!r}")
        if not 0.0 <= wind_power <= 20.0:
            logger.warn(f"wind_power should be between 0 and 20, got {wind_power!r}")
        if not 0.0 <= turbulence_power <= 2.0:
            logger.warn(f"turbulence_power should be between 0 and 2, got {turbulence_power!r}")
        self.gravity, self.enable_wind = gravity, enable_wind
        self.wind_power, self.turbulence_power = wind_power, turbulence_power
        self.continuous = continuous
        self.world: Any = new_world(gravity=(0, gravity))
        self._ground = ground_fixture()
        self.moon: Any = None
        self.lander: Any = None
        self.legs: list[Any] = []
        self.particles: list[Any] = []
        self.prev_reward = None
        self.prev_shaping: float | None = None
        self.game_over = False
        high = np.array([2.5, 2.5, 10.0, 10.0, 2 * math.pi, 10.0, 1.0, 1.0], np.float32)
        low = np.array([-2.5, -2.5, -10.0, -10.0, -2 * math.pi, -10.0, -0.0, -0.0], np.float32)
        self.observation_space = Box(low, high)
        self.action_space = Box(-1, 1, (2,), dtype=np.float32) if continuous else Discrete(4)

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[np.float32], Info]:
        """Create a new terrain and a new lander. There are no options."""
        super().reset(seed=seed)
        self._destroy()
        self.world = new_world(gravity=(0, self.gravity))
        # The environment must keep a reference to the listener, because Box2D does not.
        self.world.contactListener_keepref = ContactDetector(self)
        self.world.contactListener = self.world.contactListener_keepref
        self.game_over, self.prev_shaping = False, None
        xs = [WIDTH / (CHUNKS - 1) * i for i in range(CHUNKS)]
        heights = terrain_heights(self.np_random, HEIGHT)
        self.helipad_x1, self.helipad_x2 = xs[CHUNKS // 2 - 1], xs[CHUNKS // 2 + 1]
        self.helipad_y = HEIGHT / 4
        self.moon, self.sky_polys = create_moon(self.world, self._ground, xs, heights, HEIGHT)
        start = HALF_WIDTH, HEIGHT
        self.lander = create_lander(self.world, start)
        push = [self.np_random.uniform(-INITIAL_RANDOM, INITIAL_RANDOM) for _ in range(2)]
        self.lander.ApplyForceToCenter((push[0], push[1]), True)
        if self.enable_wind:
            self.wind_idx = self.np_random.integers(-9999, 9999)
            self.torque_idx = self.np_random.integers(-9999, 9999)
        self.legs = [create_leg(self.world, self.lander, start, side) for side in (-1, 1)]
        self.drawlist = [self.lander, *self.legs]
        if self.render_mode == "human":
            self.render()
        return self.step(np.zeros(2) if self.continuous else 0)[0], {}

    def step(self, action: int | np.integer[Any] | NDArray[np.floating[Any]]) -> StepResult:
        """Fire the engines, and simulate 0.02 s.

        Raises:
            InvalidAction: if the action is not in the action space. Numbers outside [-1, 1] are clipped.
            ResetNeeded: if the environment has not been reset yet.
        """
        lander = self.lander
        if lander is None:
            raise reset_needed("step")
        left, right = self.legs[0], self.legs[1]
        main, side = self._powers(action)
        if self.enable_wind and not (left.ground_contact or right.ground_contact):
            self._apply_wind(lander)
        angle = lander.angle
        sine, cosine = math.sin(angle), math.cos(angle)
        draw = self.np_random.random
        # These expressions give the same numbers as np_random.uniform(-1, 1), which takes several times as long.
        along, across = (-1.0 + 2.0 * draw()) / SCALE, (-1.0 + 2.0 * draw()) / SCALE
        if main:
            self._fire_main(lander, main, sine, cosine, along, across)
        if side:
            self._fire_side(lander, side, sine, cosine, along, across)
        self.world.Step(STEP_TIME, 180, 60)
        return self._outcome(lander, left.ground_contact, right.ground_contact, main, abs(side))

    def _powers(self, action: Any) -> tuple[float, float]:
        """Return the power of the main engine and of the side engines, which is negative for the left engine."""
        if not self.continuous:
            chosen = choice(action, 4)
            return (1.0, 0.0) if chosen == 2 else (0.0, float(chosen - 2) if chosen else 0.0)
        main, side = numbers(action, 2)
        strength = abs(side)
        return (
            (min(main, 1.0) + 1.0) * 0.5 if main > 0.0 else 0.0,
            math.copysign(min(strength, 1.0), side) if strength > 0.5 else 0.0,
        )

    def _apply_wind(self, lander: Any) -> None:
        """Push and rotate the lander with the wind, whose strength is a non-periodic function of time."""
        lander.ApplyForceToCenter((_wind(self.wind_idx) * self.wind_power, 0.0), True)
        lander.ApplyTorque(_wind(self.torque_idx) * self.turbulence_power, True)
        self.wind_idx += 1
        self.torque_idx += 1

    def _fire_main(self, lander: Any, power: float, sine: float, cosine: float, along: float, across: float) -> None:
        """Apply the impulse of the main engine, with random deviations of the engine's position."""
        offset = MAIN_ENGINE_Y_LOCATION / SCALE + 2 * along
        x, y = sine * offset + -cosine * across, -cosine * offset - sine * across
        position = lander.position
        place = position.x + x, position.y + y
        if self.render_mode is not None:
            impulse = x * MAIN_ENGINE_POWER * power, y * MAIN_ENGINE_POWER * power
            self._create_particle(3.5, *place, power).ApplyLinearImpulse(impulse, place, True)
        impulse = -x * MAIN_ENGINE_POWER * power, -y * MAIN_ENGINE_POWER * power
        lander.ApplyLinearImpulse(impulse, place, True)

    def _fire_side(self, lander: Any, power: float, sine: float, cosine: float, along: float, across: float) -> None:
        """Apply the impulse of a side engine, with random deviations of the engine's position."""
        direction = 1.0 if power > 0 else -1.0
        power = abs(power)
        offset = 3 * across + direction * SIDE_ENGINE_AWAY / SCALE
        x, y = sine * along + -cosine * offset, -cosine * along - sine * offset
        position = lander.position
        # The 17 differs from SIDE_ENGINE_HEIGHT, as in Gymnasium.
        place = position.x + x - sine * 17 / SCALE, position.y + y + cosine * SIDE_ENGINE_HEIGHT / SCALE
        if self.render_mode is not None:
            impulse = x * SIDE_ENGINE_POWER * power, y * SIDE_ENGINE_POWER * power
            self._create_particle(0.7, *place, power).ApplyLinearImpulse(impulse, place, True)
        impulse = -x * SIDE_ENGINE_POWER * power, -y * SIDE_ENGINE_POWER * power
        lander.ApplyLinearImpulse(impulse, place, True)

    def _outcome(self, lander: Any, left: bool, right: bool, main: float, side: float) -> StepResult:
        """Compute the results of a step from the state of the lander, the contacts and the power of each engine."""
        position, velocity, angle = lander.position, lander.linearVelocity, lander.angle
        x = (position.x - HALF_WIDTH) / HALF_WIDTH
        y = (position.y - (self.helipad_y + LEG_REACH)) / HALF_HEIGHT
        x_speed, y_speed = velocity.x * HALF_WIDTH / FPS, velocity.y * HALF_HEIGHT / FPS
        first, second = 1.0 if left else 0.0, 1.0 if right else 0.0
        observation = np.empty(8, FLOAT32)
        turning = 20.0 * lander.angularVelocity / FPS
        write_floats(observation, 0, x, y, x_speed, y_speed, angle, turning, first, second)
        shaping = (
            -100 * math.sqrt(x * x + y * y)
            - 100 * math.sqrt(x_speed * x_speed + y_speed * y_speed)
            - 100 * abs(angle)
            + 10 * first
            + 10 * second
        )
        reward = 0.0 if self.prev_shaping is None else shaping - self.prev_shaping
        self.prev_shaping = shaping
        reward -= main * 0.30
        reward -= side * 0.03
        terminated = False
        if self.game_over or abs(x) >= 1.0:
            terminated, reward = True, -100.0
        if not lander.awake:
            terminated, reward = True, 100.0
        if self.render_mode == "human":
            self.render()
        return observation, reward, terminated, False, {}

    def _create_particle(self, mass: float, x: float, y: float, ttl: float) -> Any:
        """Create an exhaust particle, and remove particles whose lifetime is over."""
        particle = create_particle(self.world, mass, (x, y))
        particle.ttl = ttl
        self.particles.append(particle)
        self._clean_particles(False)
        return particle

    def _clean_particles(self, all_particle: bool) -> None:
        """Remove all particles, or only the oldest particles whose lifetime is over."""
        while self.particles and (all_particle or self.particles[0].ttl < 0):
            self.world.DestroyBody(self.particles.pop(0))

    def _destroy(self) -> None:
        """Remove all bodies from the world."""
        if self.moon is None:
            return
        self.world.contactListener = None
        self.world.contactListener_keepref = None
        self._clean_particles(True)
        for body in (self.moon, self.lander, *self.legs):
            self.world.DestroyBody(body)
        self.moon = self.lander = None
        self.legs, self.drawlist = [], []

    def _paint(self, pygame: Any) -> tuple[Any, float]:
        if self.lander is None:
            raise reset_needed("render")
        age_particles(self.particles)
        self._clean_particles(False)
        self.surf = draw_lander(pygame, self)
        return self.surf, 0.0

    def get_keys_to_action(self) -> dict[tuple[int, ...], Any]:
        """Return the action for each combination of arrow keys in `play`."""
        if self.continuous:
            pairs = {(): (0, 0), (UP,): (1, 0), (LEFT,): (0, -1), (RIGHT,): (0, 1), (UP, LEFT): (1, -1)}
            return {
                keys: np.array(pair, np.float32)
                for keys, pair in {**pairs, (UP, RIGHT): (1, 1), (DOWN,): (0, 0)}.items()
            }
        return {(): 0, (LEFT,): 1, (UP,): 2, (RIGHT,): 3}

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action, or of each number in a continuous action."""
        if self.continuous:
            return ["power of the main engine", "power of the side engines"]
        return ["fire no engine", "fire the left engine", "fire the main engine", "fire the right engine"]


def _wind(index: Any) -> float:
    """Return the strength of the wind in the step with the given index, as a number between -1 and 1."""
    return math.tanh(math.sin(0.02 * index) + math.sin(math.pi * 0.01 * index))


class LunarLanderContinuous:
    """A class whose constructor raises an error that explains how to create the continuous version of LunarLander."""

    def __init__(self) -> None:
        raise error.Error(
            'LunarLanderContinuous is not a class of its own; use make("LunarLander-v3", continuous=True)'
        )
