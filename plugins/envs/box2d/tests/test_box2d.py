"""Tests of the Box2D environments: arguments, errors, attributes, reproducibility, images and memory."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel import error
from gymkernel_env_box2d.bipedal_walker import BipedalWalker, BipedalWalkerHardcore, BipedalWalkerHeuristics
from gymkernel_env_box2d.car_racing import CarRacing
from gymkernel_env_box2d.lunar_lander import LunarLander, LunarLanderContinuous, demo_heuristic_lander, heuristic

if TYPE_CHECKING:
    from collections.abc import Callable

IDS = (
    "LunarLander-v3",
    "LunarLanderContinuous-v3",
    "BipedalWalker-v3",
    "BipedalWalkerHardcore-v3",
    "CarRacing-v3",
)
CLASSES: list[Callable[..., Any]] = [LunarLander, BipedalWalker, CarRacing]
each_class = pytest.mark.parametrize("create", CLASSES)


def trajectory(env: Any, seed: int, steps: int) -> list[Any]:
    """Perform random actions, and return the observations, rewards and flags."""
    env.action_space.seed(seed)
    seen: list[Any] = [env.reset(seed=seed)[0].tobytes()]
    for _ in range(steps):
        observation, *rest = env.step(env.action_space.sample())
        seen.append((observation.tobytes(), *rest))
    return seen


@pytest.mark.parametrize("env_id", IDS)
def test_made_environment_returns_members_of_its_spaces(env_id: str) -> None:
    env = gym.make(env_id)
    observation, info = env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(3):
        assert observation in env.observation_space
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert isinstance(reward, float | np.float32)
    assert (terminated, truncated, info) == (False, False, {})


@each_class
def test_fresh_environments_with_the_same_seed_agree(create: Callable[..., Any]) -> None:
    assert trajectory(create(), 5, 8) == trajectory(create(), 5, 8)


def test_used_lander_has_the_same_trajectory_as_a_fresh_lander() -> None:
    used = LunarLander(enable_wind=True)
    trajectory(used, 1, 60)
    assert trajectory(used, 5, 60) == trajectory(LunarLander(enable_wind=True), 5, 60)


@each_class
def test_step_and_render_need_a_reset(create: Callable[..., Any]) -> None:
    env = create(render_mode="rgb_array")
    with pytest.raises(error.ResetNeeded, match="step was called before reset"):
        env.step(env.action_space.sample())
    with pytest.raises(error.ResetNeeded, match="render was called before reset"):
        env.render()


@each_class
def test_unknown_render_mode_is_refused(create: Callable[..., Any]) -> None:
    with pytest.raises(error.UnsupportedMode, match="Expected render_mode to be 'human', 'rgb_array'"):
        create(render_mode="ansi")


@pytest.mark.parametrize(
    "env, action",
    [
        (LunarLander(), 4),
        (LunarLander(), 1.0),
        (LunarLander(continuous=True), np.zeros(3, np.float32)),
        (LunarLander(continuous=True), "up"),
        (BipedalWalker(), [0.0, 0.0]),
        (BipedalWalker(), [[0.0], [0.0, 1.0]]),
        (CarRacing(continuous=False), -1),
        (CarRacing(), 2),
    ],
)
def test_invalid_action_is_refused(env: Any, action: Any) -> None:
    env.reset(seed=1)
    with pytest.raises(error.InvalidAction, match="Expected"):
        env.step(action)


@pytest.mark.parametrize("gravity", [0.0, -12.0, 3.0, float("nan")])
def test_gravity_out_of_range_is_refused(gravity: float) -> None:
    with pytest.raises(ValueError, match="Expected gravity to be greater than -12 and less than 0"):
        LunarLander(gravity=gravity)


@pytest.mark.parametrize("name", ["wind_power", "turbulence_power"])
def test_unusual_wind_causes_a_warning(name: str) -> None:
    with pytest.warns(UserWarning, match=f"{name} should be between 0 and"):
        LunarLander(**dict[str, Any]({name: -1.0}))


@pytest.mark.parametrize("create", [LunarLanderContinuous, BipedalWalkerHardcore])
def test_class_of_a_variant_names_the_argument(create: Callable[[], Any]) -> None:
    with pytest.raises(error.Error, match="use make"):
        create()


@each_class
def test_copies_and_pickles_are_created_from_the_arguments(create: Callable[..., Any]) -> None:
    env = create(render_mode="rgb_array")
    env.reset(seed=1)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.render_mode == "rgb_array"
        assert trajectory(other, 3, 2) == trajectory(create(), 3, 2)


def test_lander_has_the_documented_attributes() -> None:
    env = LunarLander()
    env.reset(seed=2)
    assert (env.helipad_x1, env.helipad_x2) == (8.0, 12.0)
    assert env.helipad_y == pytest.approx(10 / 3)
    assert [leg.ground_contact for leg in env.legs] == [False, False]
    assert env.world.bodyCount == len([env.moon, env.lander, *env.legs])
    assert len(env.sky_polys) == 10
    assert env.drawlist == [env.lander, *env.legs]


def test_walker_has_the_documented_attributes() -> None:
    env = BipedalWalker(hardcore=True)
    env.reset(seed=2)
    assert (len(env.legs), len(env.joints), len(env.lidar), len(env.terrain_x)) == (4, 4, 10, 200)
    assert env.world.bodyCount == len(env.terrain) + 5
    assert all(0 < ray.fraction <= 1 for ray in env.lidar)


def test_car_has_the_documented_attributes() -> None:
    env = CarRacing()
    env.reset(seed=2)
    assert env.car is not None
    assert (len(env.car.wheels), len(env.road)) == (4, len(env.track))
    assert len(env.road_poly) >= len(env.track)
    assert env.world.bodyCount == len(env.road) + 5


def test_heuristic_lands(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo_heuristic_lander(LunarLander(), seed=0) > 200
    assert "sum of rewards" in capsys.readouterr().out


def test_heuristic_controls_the_continuous_engines() -> None:
    env = LunarLander(continuous=True)
    action = heuristic(env, env.reset(seed=0)[0])
    assert action.shape == (2,)
    assert (np.abs(action) <= 1).all()


def test_heuristic_walks() -> None:
    env, controller, total = BipedalWalker(), BipedalWalkerHeuristics(), 0.0
    observation, _ = env.reset(seed=0)
    for _ in range(150):
        observation, reward, *_ = env.step(controller.step_heuristic(observation))
        total += float(reward)
    assert env.hull.position.x > 5
    assert total > 0


@pytest.mark.parametrize("randomize", [True, False])
def test_option_determines_whether_colours_are_sampled(randomize: bool) -> None:
    env = CarRacing(domain_randomize=True)
    env.reset(seed=1)
    before = env.bg_color.copy()
    env.reset(options={"randomize": randomize})
    assert (env.bg_color == before).all() != randomize


@pytest.mark.parametrize(
    "create, shape", [(LunarLander, (400, 600, 3)), (BipedalWalker, (400, 600, 3)), (CarRacing, (400, 600, 3))]
)
def test_images_are_new_arrays_that_show_the_scene(create: Callable[..., Any], shape: tuple[int, ...]) -> None:
    env = create(render_mode="rgb_array")
    env.reset(seed=1)
    first, second = env.render(), env.render()
    assert (first.shape, first.dtype) == (shape, np.uint8)
    assert not np.shares_memory(first, second)
    assert len(np.unique(first.reshape(-1, 3), axis=0)) > 4


def test_car_can_be_drawn_in_another_mode() -> None:
    env = CarRacing()
    observation, _ = env.reset(seed=1)

    image = env._render("state_pixels")

    assert image is not None
    assert np.array_equal(image, observation)


def test_mode_state_pixels_returns_the_observation() -> None:
    env = CarRacing(render_mode="state_pixels")
    observation, _ = env.reset(seed=1)
    image: Any = env.render()
    assert (image == observation).all()


@each_class
def test_window_shows_steps(create: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = create(render_mode="human")
    env.reset(seed=1)
    env.step(env.action_space.sample())
    assert env.screen.get_size() == env.window_size
    env.close()
    assert (env.screen, env.isopen) == (None, False)


@pytest.mark.parametrize("create", [LunarLander, CarRacing])
@pytest.mark.parametrize("continuous", [True, False])
def test_keys_select_valid_actions(create: Callable[..., Any], continuous: bool) -> None:
    env = create(continuous=continuous)
    actions = env.get_keys_to_action()
    assert () in actions
    assert all(action in env.action_space for action in actions.values())
    count = env.action_space.shape[0] if continuous else env.action_space.n
    assert len(env.get_action_meanings()) == count


def test_lander_does_not_import_pygame_and_prints_nothing() -> None:
    code = (
        "import gymkernel, sys; e = gymkernel.make('LunarLander-v3'); e.reset(seed=1); print('pygame' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_the_car_prints_nothing_and_keeps_the_environment_variables() -> None:
    code = (
        "import gymkernel, os; before = dict(os.environ); e = gymkernel.make('CarRacing-v3');"
        "e.reset(seed=1); print(dict(os.environ) == before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


def living_objects(env: Any, resets: int) -> int:
    """Reset an environment several times, and return the number of Python objects that exist afterwards."""
    for _ in range(resets):
        env.reset()
        env.step(env.action_space.sample())
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.parametrize("create", [LunarLander, BipedalWalker])
def test_resets_leave_no_objects_behind(create: Callable[..., Any]) -> None:
    env = create()
    env.reset(seed=1)
    before = living_objects(env, 3)
    assert living_objects(env, 30) - before < 30


@pytest.mark.slow
@pytest.mark.parametrize(
    "create, resets, limit", [(LunarLander, 10_000, 2_000), (BipedalWalker, 1_500, 1_500), (CarRacing, 120, 10_000)]
)
def test_many_resets_do_not_leak_memory(create: Callable[..., Any], resets: int, limit: int) -> None:
    """The limit is in kilobytes. Each shape that is not freed would take 0.3 kilobytes."""
    resource = pytest.importorskip("resource", reason="the memory of a process is measured on POSIX only")
    env = create()
    env.reset(seed=1)
    living_objects(env, resets // 10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    living_objects(env, resets)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < limit
