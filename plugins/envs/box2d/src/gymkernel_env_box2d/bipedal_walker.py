"""BipedalWalker, in which a robot with two legs walks over uneven ground."""

from __future__ import annotations

import math
import struct
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel import error
from gymkernel.error import DependencyNotInstalled
from gymkernel_env_box2d.actions import numbers
from gymkernel_env_box2d.base import Box2DEnv, reset_needed
from gymkernel_env_box2d.engine import STEP_TIME, LegListener, edgeShape, fixtureDef, polygonShape
from gymkernel_env_box2d.engine import world as new_world
from gymkernel_env_box2d.walker_bodies import RAYS, LidarCallback, create_hull, create_legs
from gymkernel_env_box2d.walker_constants import (
    FPS,
    FRICTION,
    HULL_FD,
    HULL_POLY,
    INITIAL_RANDOM,
    LEG_DOWN,
    LEG_FD,
    LEG_H,
    LEG_W,
    LIDAR_RANGE,
    LOWER_FD,
    MOTORS_TORQUE,
    SCALE,
    SPEED_HIP,
    SPEED_KNEE,
    TERRAIN_GRASS,
    TERRAIN_HEIGHT,
    TERRAIN_LENGTH,
    TERRAIN_STARTPAD,
    TERRAIN_STEP,
    VIEWPORT_H,
    VIEWPORT_W,
)
from gymkernel_env_box2d.walker_drawing import draw_walker
from gymkernel_env_box2d.walker_heuristic import BipedalWalkerHeuristics
from gymkernel_env_box2d.walker_terrain import Profile, create_edges, sample_clouds
from gymkernel_space_box import Box
from gymkernel_util_compatibility.ezpickle import EzPickle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import Info, Options

__all__ = ["FPS", "FRICTION", "HULL_FD", "HULL_POLY", "INITIAL_RANDOM", "LEG_DOWN", "LEG_FD", "LEG_H", "LEG_W"]
__all__ += ["LIDAR_RANGE", "LOWER_FD", "MOTORS_TORQUE", "SCALE", "SPEED_HIP", "SPEED_KNEE", "TERRAIN_GRASS"]
__all__ += ["TERRAIN_HEIGHT", "TERRAIN_LENGTH", "TERRAIN_STARTPAD", "TERRAIN_STEP", "VIEWPORT_H", "VIEWPORT_W"]
__all__ += ["BipedalWalker", "BipedalWalkerHardcore", "BipedalWalkerHeuristics", "ContactDetector"]
__all__ += ["DependencyNotInstalled", "EzPickle"]

StepResult = tuple["NDArray[np.float32]", float | np.float32, bool, bool, dict[str, Any]]
FLOAT32 = np.dtype(np.float32)
WIDTH, HEIGHT = VIEWPORT_W / SCALE, VIEWPORT_H / SCALE
COST = 0.00035 * MOTORS_TORQUE
COST_FLOAT32 = float(np.float32(COST))
write_floats: Callable[..., None] = struct.Struct("24f").pack_into


class ContactDetector(LegListener):
    """A contact listener that ends the episode if the hull touches the ground, and records which legs touch the ground.

    Args:
        env: the environment whose attributes `game_over` and `legs` are updated.
    """

    main_body, feet = "hull", slice(1, None, 2)


class BipedalWalker(Box2DEnv["NDArray[np.float32]", "NDArray[np.floating[Any]]"]):
    """An environment in which a robot with two legs walks over uneven ground.

    Each leg has a hip and a knee with motors. A step takes 0.02 s. With `hardcore`, the ground has stumps, stairs and
    pits.

    Action, `Box` of 4 float32:

    | part | quantity | unit | bounds of the space |
    |---|---|---|---|
    | 0, 2 | torque on the hip of the first and the second leg | maximum torque | ±1 |
    | 1, 3 | torque on the knee of the first and the second leg | maximum torque | ±1 |

    The sign is the direction in which the motor turns, and the absolute value limits the torque.

    Observation, `Box` of 24 float32:

    | part | quantity | unit | bounds of the space |
    |---|---|---|---|
    | 0 | angle of the hull | rad | ±π |
    | 1 | angular velocity of the hull | 25 rad/s | ±5 |
    | 2 | horizontal velocity of the hull | 8.33 units of length per second | ±5 |
    | 3 | vertical velocity of the hull | 12.5 units of length per second | ±5 |
    | 4, 9 | angle of the hip of the first and the second leg | rad | ±π |
    | 5, 10 | angular velocity of the hip | 4 rad/s | ±5 |
    | 6, 11 | angle of the knee plus 1 | rad | ±π |
    | 7, 12 | angular velocity of the knee | 6 rad/s | ±5 |
    | 8, 13 | 1 if the leg touches the ground, else 0 | | 0 to 5 |
    | 14 to 23 | distances to the ground along the rays of the lidar | 5.33 units of length | ±1 |

    Reward: 130/30 for each unit of length that the hull moves forward, minus 5 times the increase of the absolute angle
    of the hull, minus 0.028 times the sum of the absolute actions. The last step has a reward of -100 if the robot
    falls.

    Termination: the hull touches the ground, or the robot leaves the terrain on the left or reaches its end on the
    right. `make` adds a `TimeLimit`, which truncates the episode after 1600 steps, or after 2000 steps in
    BipedalWalkerHardcore-v3.

    Reset: the terrain, the clouds and the push at the start are sampled. The Box2D world is reused, as in Gymnasium.
    Therefore, the last bits of a trajectory may also depend on earlier episodes.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.
        hardcore: whether the ground has stumps, stairs and pits.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("BipedalWalker-v3")
    >>> observation, info = env.reset(seed=123)
    >>> observation.shape, len(env.unwrapped.joints)
    ((24,), 4)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    >>> terminated
    False
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": FPS}  # noqa: RUF012 - Env declares it without ClassVar
    gymkernel_possible_failures: ClassVar = dict.fromkeys(
        ("GK207", "GK501", "GK503", "GK602", "GK902"),
        "episodes share a Box2D world, as in Gymnasium, so their last bits can differ",
    )

    def __init__(self, render_mode: str | None = None, hardcore: bool = False) -> None:
        EzPickle.__init__(self, render_mode, hardcore)
        self._initialize(render_mode)
        self.world: Any = new_world()
        self.terrain: list[Any] = []
        self.hull: Any = None
        self.legs: list[Any] = []
        self.joints: list[Any] = []
        self.lidar: list[LidarCallback] = []
        self.prev_shaping: float | None = None
        self.game_over = False
        self.scroll = 0.0
        self.hardcore = hardcore
        corners = [(0, 0), (1, 0), (1, -1), (0, -1)]
        self.fd_polygon = fixtureDef(shape=polygonShape(vertices=corners), friction=FRICTION)
        self.fd_edge = fixtureDef(shape=edgeShape(vertices=[(0, 0), (1, 1)]), friction=FRICTION, categoryBits=0x0001)
        leg = [math.pi, 5.0, math.pi, 5.0]
        high = np.array([math.pi, 5.0, 5.0, 5.0, *leg, 5.0, *leg, 5.0, *[1.0] * 10], np.float32)
        low = -high
        low[[8, 13]] = -0.0
        self.observation_space = Box(low, high)
        self.action_space = Box(np.full(4, -1, np.float32), np.full(4, 1, np.float32))
        self._cell = array("f", [0.0])  # rounds numbers to float32

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[np.float32], Info]:
        """Create a new terrain, and place the robot at its start. There are no options."""
        super().reset(seed=seed)
        self._destroy()
        # The environment must keep a reference to the listener, because Box2D does not.
        self.world.contactListener_bug_workaround = ContactDetector(self)
        self.world.contactListener = self.world.contactListener_bug_workaround
        self.game_over, self.prev_shaping = False, None
        self.scroll, self.lidar_render = 0.0, 0
        self._generate_terrain(self.hardcore)
        self._generate_clouds()
        self.hull = create_hull(self.world)
        self.hull.ApplyForceToCenter((self.np_random.uniform(-INITIAL_RANDOM, INITIAL_RANDOM), 0), True)
        self.legs, self.joints = create_legs(self.world, self.hull)
        self.drawlist = [*self.terrain, *self.legs, self.hull]
        self.lidar = [LidarCallback() for _ in RAYS]
        if self.render_mode == "human":
            self.render()
        return self.step(np.zeros(4))[0], {}

    def _generate_terrain(self, hardcore: bool) -> None:
        """Create the ground, and store the coordinates of its points in `terrain_x` and `terrain_y`."""
        self.terrain = []
        self.terrain_x, self.terrain_y = Profile(self.np_random, self._add_block).sample(hardcore=hardcore)
        edges, self.terrain_poly = create_edges(self.world, self.fd_edge, self.terrain_x, self.terrain_y)
        self.terrain += edges
        self.terrain.reverse()

    def _add_block(self, corners: list[tuple[float, float]]) -> None:
        """Create an obstacle."""
        self.fd_polygon.shape.vertices = corners
        block = self.world.CreateStaticBody(fixtures=self.fd_polygon)
        block.color1, block.color2 = (255, 255, 255), (153, 153, 153)
        self.terrain.append(block)

    def _generate_clouds(self) -> None:
        """Sample the clouds, which appear in images but do not affect the simulation."""
        self.cloud_poly = sample_clouds(self.np_random)

    def step(self, action: NDArray[np.floating[Any]]) -> StepResult:
        """Drive the motors, and simulate 0.02 s.

        Raises:
            InvalidAction: if the action does not consist of four numbers. Numbers outside [-1, 1] are clipped.
            ResetNeeded: if the environment has not been reset yet.
        """
        hull = self.hull
        if hull is None:
            raise reset_needed("step")
        powers = numbers(action, 4)
        torques = [min(abs(power), 1.0) for power in powers]
        first, second, third, fourth = self.joints
        for joint, speed, power, torque in zip(
            self.joints, (SPEED_HIP, SPEED_KNEE, SPEED_HIP, SPEED_KNEE), powers, torques, strict=True
        ):
            joint.motorSpeed = float(speed if power > 0 else -speed if power < 0 else power)
            joint.maxMotorTorque = MOTORS_TORQUE * torque
        self.world.Step(STEP_TIME, 180, 60)
        position, velocity, angle = hull.position, hull.linearVelocity, hull.angle
        x = position.x
        observation = np.empty(24, FLOAT32)
        write_floats(
            observation,
            0,
            angle,
            2.0 * hull.angularVelocity / FPS,
            0.3 * velocity.x * WIDTH / FPS,
            0.3 * velocity.y * HEIGHT / FPS,
            first.angle,
            first.speed / SPEED_HIP,
            second.angle + 1.0,
            second.speed / SPEED_KNEE,
            1.0 if self.legs[1].ground_contact else 0.0,
            third.angle,
            third.speed / SPEED_HIP,
            fourth.angle + 1.0,
            fourth.speed / SPEED_KNEE,
            1.0 if self.legs[3].ground_contact else 0.0,
            *self._scan(position, x),
        )
        self.scroll = x - WIDTH / 5
        is_float32 = isinstance(action, np.ndarray) and action.dtype == FLOAT32
        reward = self._reward(130 * x / SCALE - 5.0 * abs(angle), torques, is_float32=is_float32)
        terminated = False
        if self.game_over or x < 0:
            terminated, reward = True, -100.0
        if x > (TERRAIN_LENGTH - TERRAIN_GRASS) * TERRAIN_STEP:
            terminated = True
        if self.render_mode == "human":
            self.render()
        return observation, reward, terminated, False, {}

    def _scan(self, position: Any, x: float) -> list[float]:
        """Cast the lidar's rays, and return the distance to the ground along each ray as a fraction of its length."""
        y, cast = position.y, self.world.RayCast
        for ray, (right, down) in zip(self.lidar, RAYS, strict=True):
            ray.fraction = 1.0
            ray.p1 = position
            ray.p2 = end = (x + right, y - down)
            cast(ray, position, end)
        return [ray.fraction for ray in self.lidar]

    def _reward(self, shaping: float, torques: list[float], *, is_float32: bool) -> float | np.float32:
        """Return the change of the potential minus the cost of the torques.

        If the action is float32, the results of all operations after the first are rounded to float32, as in NumPy. As
        in Gymnasium, the reward is a float32 in this case, so that sums of rewards are equal, too.
        """
        reward = 0.0 if self.prev_shaping is None else shaping - self.prev_shaping
        self.prev_shaping = shaping
        if not is_float32:
            for torque in torques:
                reward -= COST * torque
            return reward
        cell = self._cell
        cell[0] = reward
        for torque in torques:
            reward = cell[0]
            cell[0] = COST_FLOAT32 * torque
            cell[0] = reward - cell[0]
        return np.float32(cell[0])

    def _destroy(self) -> None:
        """Remove all bodies from the world."""
        if not self.terrain:
            return
        self.world.contactListener = None
        for body in (*self.terrain, self.hull, *self.legs):
            self.world.DestroyBody(body)
        self.terrain, self.hull, self.legs, self.joints = [], None, [], []

    def _paint(self, pygame: Any) -> tuple[Any, float]:
        if self.hull is None:
            raise reset_needed("render")
        self.surf = draw_walker(pygame, self)
        return self.surf, self.scroll * SCALE


class BipedalWalkerHardcore:
    """A class whose constructor raises an error that explains how to create the hardcore version of BipedalWalker."""

    def __init__(self) -> None:
        raise error.Error(
            'BipedalWalkerHardcore is not a class of its own; use make("BipedalWalker-v3", hardcore=True)'
        )
