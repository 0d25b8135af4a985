"""CarRacing, in which an agent drives a car around a random track and sees the track from above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import DependencyNotInstalled, InvalidAction
from gymkernel_env_box2d.actions import DOWN, LEFT, RIGHT, UP, choice, numbers
from gymkernel_env_box2d.base import Box2DEnv, reset_needed
from gymkernel_env_box2d.car_constants import (
    BORDER,
    BORDER_MIN_COUNT,
    FPS,
    GRASS_DIM,
    MAX_SHAPE_DIM,
    PLAYFIELD,
    SCALE,
    STATE_H,
    STATE_W,
    TRACK_DETAIL_STEP,
    TRACK_RAD,
    TRACK_TURN_RATE,
    TRACK_WIDTH,
    VIDEO_H,
    VIDEO_W,
    WINDOW_H,
    WINDOW_W,
    ZOOM,
    ZOOM_FOLLOW,
)
from gymkernel_env_box2d.car_drawing import View, draw_field, draw_instruments, draw_quads, grass_patches
from gymkernel_env_box2d.car_dynamics import Car
from gymkernel_env_box2d.car_track import (
    START_ALPHA,
    border_quad,
    find_loop,
    has_border,
    is_closed,
    road_quad,
    sample_checkpoints,
    trace_curve,
)
from gymkernel_env_box2d.drawing import load_pygame, to_pixels
from gymkernel_env_box2d.engine import STEP_TIME, ContactListener, fixtureDef, polygonShape
from gymkernel_env_box2d.engine import world as new_world
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete
from gymkernel_util_compatibility.ezpickle import EzPickle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import Info, Options

__all__ = ["BORDER", "BORDER_MIN_COUNT", "FPS", "GRASS_DIM", "MAX_SHAPE_DIM", "PLAYFIELD", "SCALE", "STATE_H"]
__all__ += ["STATE_W", "TRACK_DETAIL_STEP", "TRACK_RAD", "TRACK_TURN_RATE", "TRACK_WIDTH", "VIDEO_H", "VIDEO_W"]
__all__ += ["WINDOW_H", "WINDOW_W", "ZOOM", "ZOOM_FOLLOW"]
__all__ += ["Car", "CarRacing", "DependencyNotInstalled", "EzPickle", "FrictionDetector", "InvalidAction"]

StepResult = tuple["NDArray[np.uint8]", float, bool, bool, dict[str, Any]]
GRASS = grass_patches()
PIXEL_MODES = {"state_pixels", "state_pixels_list"}


class FrictionDetector(ContactListener):
    """A contact listener that records which tiles each wheel touches, and rewards the first visit to each tile.

    Args:
        env: the environment whose attributes `reward`, `tile_visited_count` and `new_lap` are updated.
        lap_complete_percent: the fraction of the tiles that must be visited before the start counts as the finish.
    """

    def __init__(self, env: Any, lap_complete_percent: float) -> None:
        super().__init__()
        self.env, self.lap_complete_percent = env, lap_complete_percent

    def BeginContact(self, contact: Any) -> None:  # noqa: N802 - Box2D calls this name
        """Record the start of a contact."""
        tile, other = self._participants(contact)
        if tile is None or other is None:
            return
        other.tiles.add(tile)
        if not tile.road_visited:
            tile.road_visited = True
            self._visit(tile)

    def EndContact(self, contact: Any) -> None:  # noqa: N802 - Box2D calls this name
        """Record the end of a contact."""
        tile, other = self._participants(contact)
        if tile is not None and other is not None:
            other.tiles.remove(tile)

    def _participants(self, contact: Any) -> tuple[Any, Any]:
        """Return the tile and the wheel that touch each other. Any other object is replaced with None.

        The colour of the tile is reset to the colour of the road.
        """
        first, second = contact.fixtureA.body.userData, contact.fixtureB.body.userData
        tile, other = None, None
        if first and "road_friction" in first.__dict__:
            tile, other = first, second
        if second and "road_friction" in second.__dict__:
            tile, other = second, first
        if tile is None:
            return None, None
        tile.color[:] = self.env.road_color
        return tile, other if other and "tiles" in other.__dict__ else None

    def _visit(self, tile: Any) -> None:
        env, count = self.env, len(self.env.track)
        env.reward += 1000.0 / count
        env.tile_visited_count += 1
        if tile.idx == 0 and env.tile_visited_count / count > self.lap_complete_percent:
            env.new_lap = True


class CarRacing(Box2DEnv["NDArray[np.uint8]", "int | np.integer[Any] | NDArray[np.floating[Any]]"]):
    """An environment in which an agent drives a car around a random track and sees the track from above.

    The car has rear-wheel drive and a strong engine, so it slides if it accelerates in a turn. A step takes 0.02 s.
    Bars below the view show, from left to right, the speed, the angular velocities of the four wheels, the steering
    angle and the rate of turning.

    Action, `Box` of 3 float32:

    | part | quantity | unit | bounds of the space |
    |---|---|---|---|
    | 0 | steering, from the left to the right | greatest angle | ±1 |
    | 1 | accelerator | full power | 0 to 1 |
    | 2 | brake, which locks the wheels at 0.9 or more | full strength | 0 to 1 |

    With `continuous=False`, actions are `Discrete(5)`. The action 0 does nothing, 1 steers to the right, 2 steers to
    the left, 3 accelerates with 20 % of the power, and 4 brakes with 80 % of the strength.

    Observation, `Box` of shape (96, 96, 3), uint8: the image of the track, with red, green and blue values.

    Reward: 1000 divided by the number of tiles for each new tile of the track, and -0.1 for each step. The last step
    has a reward of -100 if the car leaves the field.

    Termination: the car has visited all tiles, or passes the start after it has visited enough tiles, or leaves the
    field. `make` adds a `TimeLimit`, which truncates the episode after 1000 steps.

    Info: in the last step, `lap_finished` is True if the car has finished a lap and False if it has left the field.

    Reset: the track is sampled. With `domain_randomize`, the colours are also sampled, unless `options["randomize"]` is
    false.

    Args:
        render_mode: "rgb_array", "state_pixels" (images like the observations), "human" (a window) or None.
        verbose: whether to print messages about the generation of the track.
        lap_complete_percent: the fraction of the tiles that must be visited before a lap counts as complete.
        domain_randomize: whether the colours of the road and the field are random.
        continuous: whether actions are three numbers instead of one of five choices.

    Raises:
        UnsupportedMode: if the render mode is not supported.
        DependencyNotInstalled: if pygame-ce, which also draws the observations, is not installed.

    >>> import gymkernel as gym
    >>> env = gym.make("CarRacing-v3", continuous=False)
    >>> observation, info = env.reset(seed=123)
    >>> observation.shape, len(env.unwrapped.track)
    ((96, 96, 3), 322)
    >>> observation, reward, terminated, truncated, info = env.step(3)
    >>> terminated
    False
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array", "state_pixels"], "render_fps": FPS}  # noqa: RUF012 - Env declares it without ClassVar
    window_size = WINDOW_W, WINDOW_H

    def __init__(
        self,
        render_mode: str | None = None,
        verbose: bool = False,
        lap_complete_percent: float = 0.95,
        domain_randomize: bool = False,
        continuous: bool = True,
    ) -> None:
        EzPickle.__init__(self, render_mode, verbose, lap_complete_percent, domain_randomize, continuous)
        self._initialize(render_mode)
        self.continuous, self.domain_randomize = continuous, domain_randomize
        self.lap_complete_percent, self.verbose = lap_complete_percent, verbose
        self._init_colors()
        self.contactListener_keepref = FrictionDetector(self, lap_complete_percent)
        self.world: Any = new_world((0, 0), contactListener=self.contactListener_keepref)
        self.road: list[Any] = []
        self.road_poly: list[tuple[Any, Any]] = []
        self.car: Car | None = None
        self.reward = self.prev_reward = self.t = 0.0
        self.tile_visited_count, self.new_lap = 0, False
        self.fd_tile = fixtureDef(shape=polygonShape(vertices=[(0, 0), (1, 0), (1, -1), (0, -1)]))
        self.action_space = (
            Box(np.array([-1, 0, 0], np.float32), np.array([1, 1, 1], np.float32)) if continuous else Discrete(5)
        )
        self.observation_space = Box(0, 255, (STATE_H, STATE_W, 3), np.uint8)
        self._font: Any = None
        self._label: tuple[str, Any] = ("", None)
        self._quads: tuple[Any, int, NDArray[np.float64]] = (None, 0, np.empty((0, 4, 2)))

    def _init_colors(self) -> None:
        """Set the colours of the road, the field and the light squares of grass."""
        if self.domain_randomize:
            self._sample_colors()
            return
        self.road_color = np.array([102, 102, 102])
        self.bg_color = np.array([102, 204, 102])
        self.grass_color = np.array([102, 230, 102])

    def _sample_colors(self) -> None:
        self.road_color = self.np_random.uniform(0, 210, size=3)
        self.bg_color = self.np_random.uniform(0, 210, size=3)
        self.grass_color = np.copy(self.bg_color)
        self.grass_color[self.np_random.integers(3)] += 20

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[NDArray[np.uint8], Info]:
        """Create a new track, and place the car at its start.

        With `domain_randomize`, the option "randomize" determines whether the colours are sampled. Its default is True.
        """
        super().reset(seed=seed)
        self._destroy()
        # The environment must keep a reference to the listener, because Box2D does not.
        self.world.contactListener_bug_workaround = FrictionDetector(self, self.lap_complete_percent)
        self.world.contactListener = self.world.contactListener_bug_workaround
        self.reward = self.prev_reward = self.t = 0.0
        self.tile_visited_count, self.new_lap = 0, False
        self.road_poly = []
        if self.domain_randomize and (options or {}).get("randomize", True):
            self._sample_colors()
        while not self._create_track():
            self._report("the track is not closed; another track is generated")
        self.car = Car(self.world, *self.track[0][1:4])
        if self.render_mode == "human":
            self.render()
        return self.step(None)[0], {}

    def _report(self, message: str) -> None:
        if self.verbose:
            print(message)  # noqa: T201 - the caller asked for messages

    def _create_track(self) -> bool:
        """Sample a track and create its tiles. Return whether the track is closed."""
        self.start_alpha = START_ALPHA
        curve = trace_curve(sample_checkpoints(self.np_random))
        self.road = []
        loop = find_loop(curve)
        if loop is None:
            return False
        self._report(f"the track has {loop[1] - loop[0]} tiles: sections {loop[0]} to {loop[1]} of the curve")
        track = curve[loop[0] : loop[1] - 1]
        if not is_closed(track):
            return False
        for i, border in enumerate(has_border(track)):
            self._create_tile(i, road_quad(track, i))
            if border:
                self.road_poly.append((border_quad(track, i), (255, 0, 0) if i % 2 else (255, 255, 255)))
        self.track = track
        return True

    def _create_tile(self, i: int, corners: list[tuple[float, float]]) -> None:
        """Create a tile of the road, which detects wheels but does not collide with them."""
        self.fd_tile.shape.vertices = corners
        tile = self.world.CreateStaticBody(fixtures=self.fd_tile)
        tile.userData = tile
        tile.color = self.road_color + 0.01 * (i % 3) * 255
        tile.road_visited, tile.road_friction, tile.idx = False, 1.0, i
        tile.fixtures[0].sensor = True
        self.road_poly.append((corners, tile.color))
        self.road.append(tile)

    def step(self, action: Any) -> StepResult:
        """Apply an action, and simulate 0.02 s. If the action is None, the car rolls, and the reward is 0.

        Raises:
            InvalidAction: if the action does not match the action space.
            ResetNeeded: if the environment has not been reset yet.
        """
        car = self.car
        if car is None:
            raise reset_needed("step")
        if action is not None:
            self._drive(car, action)
        car.step(STEP_TIME)
        self.world.Step(STEP_TIME, 180, 60)
        self.t += STEP_TIME
        self.state = self._pixels(load_pygame(), "state_pixels", (STATE_W, STATE_H))
        reward, terminated, info = 0.0, False, {}
        if action is not None:
            self.reward -= 0.1
            car.fuel_spent = 0.0
            reward = self.reward - self.prev_reward
            self.prev_reward = self.reward
            if self.tile_visited_count == len(self.track) or self.new_lap:
                terminated, info["lap_finished"] = True, True
            x, y = car.hull.position
            if abs(x) > PLAYFIELD or abs(y) > PLAYFIELD:
                terminated, info["lap_finished"] = True, False
                reward = -100.0
        if self.render_mode == "human":
            self.render()
        return self.state, reward, terminated, False, info

    def _drive(self, car: Car, action: Any) -> None:
        """Apply an action to the car."""
        if self.continuous:
            steering, gas, brake = numbers(action, 3)
            car.steer(-steering)
        else:
            chosen = choice(action, 5)
            car.steer(-0.6 * (chosen == 1) + 0.6 * (chosen == 2))
            gas, brake = 0.2 * (chosen == 3), 0.8 * (chosen == 4)
        car.gas(gas)
        car.brake(brake)

    def _render(self, mode: str) -> NDArray[np.uint8] | None:
        pygame = load_pygame()
        if self.car is None:
            raise reset_needed("render")
        if mode == "human":
            self._open_window()
            self._draw(pygame, mode)
            self._show(self.surf)
            return None
        return self._pixels(pygame, mode, (STATE_W, STATE_H) if mode in PIXEL_MODES else (VIDEO_W, VIDEO_H))

    def _pixels(self, pygame: Any, mode: str, size: tuple[int, int]) -> NDArray[np.uint8]:
        """Draw the scene, and scale it down to an image of the given width and height."""
        self._draw(pygame, mode)
        return to_pixels(pygame.transform.smoothscale(self.surf, size))

    def _draw(self, pygame: Any, mode: str) -> None:
        """Draw the scene on a new surface, and store the surface in `surf`."""
        car: Any = self.car
        surface = pygame.Surface((WINDOW_W, WINDOW_H))
        angle, (x, y) = -car.hull.angle, car.hull.position
        # In the first second, the camera zooms in.
        zoom = 0.1 * SCALE * max(1 - self.t, 0) + ZOOM * SCALE * min(self.t, 1)
        turned = pygame.math.Vector2((-x * zoom, -y * zoom)).rotate_rad(angle)
        place = WINDOW_W / 2 + turned[0], WINDOW_H / 4 + turned[1]
        self._draw_road(pygame, surface, View(angle, zoom, place))
        car.draw(surface, zoom, place, angle, mode not in PIXEL_MODES)
        self.surf = pygame.transform.flip(surface, False, True)
        draw_instruments(pygame, self.surf, car)
        label = self._draw_label(pygame, f"{self.reward:04.0f}")
        place = label.get_rect(center=(60, WINDOW_H - WINDOW_H * 2.5 / 40.0))
        self.surf.blit(label, place)

    def _draw_road(self, pygame: Any, surface: Any, view: View) -> None:
        background, grass = _colour(self.bg_color), _colour(self.grass_color)
        draw_field(pygame, surface, view, background)
        draw_quads(pygame, surface, view, GRASS, lambda _: grass)
        polygons = self.road_poly
        if self._quads[0] is not polygons or self._quads[1] != len(polygons):
            corners = np.array([corners for corners, _ in polygons], np.float64).reshape(-1, 4, 2)
            self._quads = polygons, len(polygons), corners
        draw_quads(pygame, surface, view, self._quads[2], lambda i: _colour(polygons[i][1]))

    def _draw_label(self, pygame: Any, text: str) -> Any:
        """Return a surface with the given text. The font is loaded only once, because this takes a millisecond."""
        if self._label[0] != text:
            pygame.font.init()
            arguments = text, True, (255, 255, 255), (0, 0, 0)
            try:
                label = self._font.render(*arguments)
            except (AttributeError, pygame.error):  # the font has not been loaded yet, or pygame has been shut down
                self._font = pygame.font.Font(pygame.font.get_default_font(), 42)
                label = self._font.render(*arguments)
            self._label = text, label
        return self._label[1]

    def _destroy(self) -> None:
        """Remove all bodies from the world."""
        if self.car is None:
            return
        for tile in self.road:
            self.world.DestroyBody(tile)
        self.road = []
        self.car.destroy()
        self.car = None

    def get_keys_to_action(self) -> dict[tuple[int, ...], Any]:
        """Return the action for each combination of arrow keys in `play`."""
        if not self.continuous:
            return {(): 0, (RIGHT,): 1, (LEFT,): 2, (UP,): 3, (DOWN,): 4}
        actions = {}
        for side, steering in (((), 0.0), ((LEFT,), -1.0), ((RIGHT,), 1.0)):
            for pedal, gas, brake in (((), 0.0, 0.0), ((UP,), 1.0, 0.0), ((DOWN,), 0.0, 0.8)):
                actions[(*pedal, *side)] = np.array([steering, gas, brake], np.float32)
        return actions

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action, or of each number in a continuous action."""
        if self.continuous:
            return ["steering", "accelerator", "brake"]
        return ["do nothing", "steer to the right", "steer to the left", "accelerate", "brake"]


def _colour(colour: Any) -> tuple[int, ...]:
    """Convert a colour, which may be an array of floats, to a tuple of integers."""
    return tuple(map(int, colour))
