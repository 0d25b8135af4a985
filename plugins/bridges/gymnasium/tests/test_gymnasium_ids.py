"""Test using each library's ids and specs in the other library."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec as TheirSpec

import gymkernel as gym
from gymkernel_bridge_gymnasium import GymnasiumEnv, KernelEnv, register_ids
from gymkernel_bridge_gymnasium.registration import our_name, own_ids, worker_setup

if TYPE_CHECKING:
    from collections.abc import Iterator

JOINED = "import gymkernel, gymnasium; assert issubclass(gymkernel.Env, gymnasium.Env)"
"""Code for a new process that fails if the bridge has not joined the two libraries."""


class Walk(gym.Env[Any, Any]):
    """A gymkernel environment that tests register."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None, far: int = 9) -> None:
        self.observation_space = gym.spaces.Box(0, far, (1,))
        self.action_space = gym.spaces.Discrete(2)
        self.render_mode, self.far = render_mode, far

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.place = np.zeros(1, np.float32)
        return self.place.copy(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.place = np.minimum(self.place + action, self.far).astype(np.float32)
        return self.place.copy(), 1.0, bool(self.place[0] >= self.far), False, {}

    def render(self) -> Any:
        return np.zeros((4, 4, 3), np.uint8)


@pytest.fixture
def walk() -> Iterator[str]:
    """Return an id that is registered with `register` instead of by a plugin."""
    gym.register("Walk-v0", Walk, max_episode_steps=5)
    register_ids()
    yield "Walk-v0"
    del gym.registry["Walk-v0"]
    register_ids()


class TestOutward:
    def test_every_id_is_registered_under_our_namespace(self) -> None:
        import gymkernel_bridge_gymnasium  # noqa: F401

        assert {our_name(env_id) for env_id in own_ids()} <= set(gymnasium.registry)

    @pytest.mark.parametrize("limit, length", [(3, 3), (None, 5), (-1, 9), (7, 7)])
    def test_time_limit_of_make_is_used(self, walk: str, limit: int | None, length: int) -> None:
        env = gymnasium.make(f"gymkernel/{walk}", max_episode_steps=limit)
        env.reset(seed=1)

        steps = 1
        while not any(env.step(1)[2:4]):
            steps += 1

        assert steps == length

    def test_time_limit_stays_inside_outer_wrappers(self) -> None:
        wrapper = gym.envs.registration.WrapperSpec("Wrapper", "gymkernel:Wrapper", {})
        gym.register("Wrapped-v0", Walk, max_episode_steps=5, additional_wrappers=(wrapper,))
        register_ids()

        env = gymnasium.make("gymkernel/Wrapped-v0")

        assert str(env) == "<KernelEnv <Wrapper<TimeLimit<OrderEnforcing<PassiveEnvChecker<Walk<Wrapped-v0>>>>>>>"
        del gym.registry["Wrapped-v0"]

    def test_removed_id_raises(self, walk: str) -> None:
        spec = gym.registry.pop(walk)

        register_ids()

        assert f"gymkernel/{walk}" not in gymnasium.registry
        gym.registry[walk] = spec

    def test_arguments_reach_the_environment(self, walk: str) -> None:
        assert gymnasium.make(f"gymkernel/{walk}", far=4).get_wrapper_attr("far") == 4

    def test_bare_name_unknown_to_gymnasium_is_ours(self, walk: str) -> None:
        assert isinstance(gymnasium.make(walk).unwrapped, KernelEnv)

    def test_creator_metadata_adds_render_wrappers(self, walk: str) -> None:
        env = gymnasium.make(f"gymkernel/{walk}", render_mode="rgb_array_list")
        env.reset(seed=1)
        env.step(0)

        assert isinstance(env, gymnasium.wrappers.RenderCollection)
        frames: Any = env.render()
        assert len(frames) == 2

    def test_unknown_id_raises_gymnasiums_error(self) -> None:
        with pytest.raises(gymnasium.error.NameNotFound):
            gymnasium.make("gymkernel_bridge_gymnasium:NoSuchThing-v1")

    def test_spec_of_a_removed_plugin_raises(self) -> None:
        with pytest.raises(AttributeError, match="gymkernel has no environment Gone-v1; run `gymkernel list envs`"):
            gymnasium.make(TheirSpec("Gone-v1", "gymkernel_bridge_gymnasium.creators.single:Gone-v1"))


class TestInward:
    def test_id_gets_only_our_time_limit_and_checkers(self) -> None:
        env = gym.make("gymnasium/CartPole-v1")

        assert str(env) == "<TimeLimit<OrderEnforcing<PassiveEnvChecker<CartPoleEnv<gymnasium/CartPole-v1>>>>>"
        assert env.spec is not None
        assert (env.spec.max_episode_steps, env.spec.reward_threshold) == (500, 475.0)

    @pytest.mark.parametrize("limit, length", [(3, 3), (None, 200), (250, 250)])
    def test_time_limit_of_make_is_used(self, limit: int | None, length: int) -> None:
        env = gym.make("gymnasium/Pendulum-v1", max_episode_steps=limit)
        env.reset(seed=1)

        steps = 1
        while not env.step(np.zeros(1, np.float32))[3]:
            steps += 1

        assert steps == length

    def test_id_without_version_is_the_newest_only_for_make(self) -> None:
        with pytest.warns(UserWarning, match="CartPole-v1"):
            env = gym.make("gymnasium/CartPole")
        assert env.spec is not None
        assert env.spec.id == "gymnasium/CartPole-v1"
        with pytest.raises(gym.error.Error, match=r"the newest version is gymnasium/CartPole-v1$"):
            gym.spec("gymnasium/CartPole")

    def test_additional_wrappers_stay_outside_the_time_limit(self) -> None:
        spec = gymnasium.wrappers.RecordEpisodeStatistics(gymnasium.make("Pendulum-v1")).spec

        assert spec is not None
        env = GymnasiumEnv(gymnasium.make(spec))

        assert env.spec.max_episode_steps is None
        assert str(gym.make(env.spec)).startswith("<RecordEpisodeStatistics<TimeLimit")

    def test_module_of_an_id_is_imported_first(self, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        source = "import gymnasium\ngymnasium.register('Far-v0', 'gymnasium.envs.classic_control:CartPoleEnv')\n"
        (tmp_path / "far_pack.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

        env = gym.make("gymnasium/far_pack:Far-v0")

        assert env.spec is not None
        assert env.spec.id == "gymnasium/Far-v0"
        assert gym.make("far_pack:gymnasium/Far-v0").spec is not None
        del gymnasium.registry["Far-v0"]

    def test_packaged_environment_is_pickled_by_its_spec(self) -> None:
        gymnasium.register("Home-v0", "gymnasium.envs.classic_control:PendulumEnv", kwargs={"g": 5.0})

        spec = gym.envs.registration.EnvSpec.from_json(gym.spec("gymnasium/Home-v0").to_json())
        del gymnasium.registry["Home-v0"]

        assert gym.make(spec).get_wrapper_attr("g") == 5.0

    def test_unserializable_spec_is_pickled(self) -> None:
        gymnasium.register("Made-v0", lambda **kwargs: gymnasium.make("Pendulum-v1", **kwargs).unwrapped)

        spec = gym.spec("gymnasium/Made-v0")
        del gymnasium.registry["Made-v0"]

        assert gym.make(spec).observation_space.shape == (3,)

    def test_registered_ids_are_known_in_another_process(self) -> None:
        gymnasium.register("Local-v0", "gymnasium.envs.classic_control:CartPoleEnv")
        pickled = pickle.dumps(gym.spec("gymnasium/Local-v0"))
        del gymnasium.registry["Local-v0"]
        code = f"import pickle, gymkernel; print(gymkernel.make(pickle.loads({pickled!r})).observation_space.shape)"

        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

        assert done.stdout.strip() == "(4,)"

    def test_first_import_in_a_worker_joins_the_libraries(self) -> None:
        setups = [pickle.dumps(setup) for setup in worker_setup()]
        code = f"import pickle; [pickle.loads(setup)() for setup in {setups!r}]; {JOINED}"

        subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)

    def test_first_import_in_a_program_joins_the_libraries(self) -> None:
        code = f"from gymkernel_bridge_gymnasium import register_ids; {JOINED}"

        subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)

    @pytest.mark.parametrize(
        "env_id, kind, message",
        [
            ("ALE/NoSuch-v5", gym.error.NameNotFound, r"pip install \"gymkernel\[atari\]\"|.NoSuch. doesn't exist"),
            (
                "no_such_module:Far-v0",
                gym.error.NameNotFound,
                "To register Far-v0, no_such_module must be installed; run: pip install no-such-module",
            ),
            (
                "Pendulumm-v1",
                gym.error.NameNotFound,
                r"Environment `Pendulumm` doesn't exist. Did you mean: `Pendulum`\?",
            ),
            ("CartPole-v9", gym.error.VersionNotFound, r"It provides versioned environments: \[ `v0`, `v1` \]"),
            ("two words", gym.error.Error, "Malformed environment ID: gymnasium/two words"),
        ],
    )
    def test_missing_id_error_says_what_to_do(self, env_id: str, kind: type[Exception], message: str) -> None:
        with pytest.raises(kind, match=message):
            gym.make(f"gymnasium/{env_id}")
