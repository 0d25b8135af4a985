"""Tests of the ids of gymkernel's plugins in Gymnasium."""

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
from gymkernel_bridge_gymnasium import KernelEnv, KernelVectorEnv, register_ids
from gymkernel_bridge_gymnasium.registration import KernelSpec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def pole() -> Iterator[str]:
    """Register a CartPole with short episodes without a plugin, and yield its id."""
    gym.register("Pole-v0", gym.spec("CartPole-v1").entry_point, max_episode_steps=3)
    register_ids()
    yield "gymkernel/Pole-v0"
    del gym.registry["Pole-v0"]
    register_ids()


def python(code: str) -> str:
    """Run code in a new process, and return its output."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_gymnasium_creates_our_environment_by_module_and_id() -> None:
    env = gymnasium.make("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1")

    assert isinstance(env.unwrapped, KernelEnv)
    assert isinstance(env.unwrapped.kernel_env.unwrapped, gym.Env)


def test_gymnasiums_environment_keeps_its_id() -> None:
    gymnasium.make("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1")
    gymnasium.make_vec("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1", 2)

    assert not isinstance(gymnasium.make("CartPole-v1").unwrapped, KernelEnv)
    assert not isinstance(gym.make("gymnasium/CartPole-v1").unwrapped, KernelEnv)


@pytest.mark.parametrize("first", ["", "import gymnasium; ", "import gymkernel; gymkernel.make('CartPole-v1'); "])
def test_import_registers_ids_without_loading_plugins(first: str) -> None:
    seen = python(
        f"{first}import gymkernel_bridge_gymnasium, gymnasium, sys; "
        "print('gymkernel/CartPole-v1' in gymnasium.registry, 'gymkernel_env_classic_control' in sys.modules)"
    )

    assert seen == f"True {'make' in first}"


@pytest.mark.parametrize("module", ["specs", "registration", "entries", "inward", "outward", "creators.single"])
def test_ids_are_registered_in_any_import_order(module: str) -> None:
    seen = python(
        f"import importlib, sys; importlib.import_module('gymkernel_bridge_gymnasium.{module}'); "
        "import gymnasium; print('gymkernel/CartPole-v1' in gymnasium.registry, type(gymnasium.__loader__).__name__)"
    )

    assert seen == "True SourceFileLoader"


def test_failed_gymnasium_import_can_be_retried(tmp_path: Path) -> None:
    (tmp_path / "gymnasium.py").write_text("raise OSError('no disk')\n")

    seen = python(
        f"import sys, gymkernel_bridge_gymnasium\nsys.path.insert(0, {str(tmp_path)!r})\n"
        "try:\n    import gymnasium\nexcept OSError:\n    sys.path.pop(0)\n"
        "import gymnasium\nprint('gymkernel/CartPole-v1' in gymnasium.registry)"
    )

    assert seen == "True"


def test_creating_our_environments_does_not_import_gymnasium() -> None:
    assert python("import gymkernel, sys; gymkernel.make('CartPole-v1'); print('gymnasium' in sys.modules)") == "False"


def test_limit_is_gymnasiums_and_checkers_are_ours() -> None:
    env = gymnasium.make("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1")

    layers = str(env)

    assert [layers.count(name) for name in ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")] == [1, 1, 1]
    assert env.spec is not None
    assert env.spec.max_episode_steps == 500


def test_spec_from_json_or_pickle_recreates_the_environment() -> None:
    spec = gymnasium.make("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1").spec
    assert spec is not None

    for again in (TheirSpec.from_json(spec.to_json()), pickle.loads(pickle.dumps(spec))):
        assert str(gymnasium.make(again)) == str(gymnasium.make("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1"))
        assert again.max_episode_steps == 500


def test_manually_converted_environment_has_a_working_spec() -> None:
    env = KernelEnv(gym.make("CartPole-v1", sutton_barto_reward=True))

    assert isinstance(env.spec, KernelSpec)
    again = gymnasium.make(env.spec)

    assert again.get_wrapper_attr("_sutton_barto_reward")
    assert again.spec is not None
    assert again.spec.max_episode_steps == 500


def test_vector_environment_is_our_vectorised_form() -> None:
    envs = gymnasium.make_vec("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1", 3)

    assert isinstance(envs, KernelVectorEnv)
    assert type(envs.kernel_env).__name__ == "CartPoleVectorEnv"
    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasium_backends_step_our_environments(mode: str) -> None:
    envs = gymnasium.make_vec("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1", 2, vectorization_mode=mode)
    seen = envs.reset(seed=3)[0]
    envs.close()

    assert np.array_equal(seen[0], gym.make("CartPole-v1").reset(seed=3)[0])


@pytest.mark.parametrize("env_id", ["gymkernel_bridge_gymnasium:gymkernel/CartPole-v1", "gymkernel/Pole-v0"])
@pytest.mark.usefixtures("pole")
def test_spawned_worker_creates_plugin_and_registered_ids(env_id: str) -> None:
    context = {"context": "spawn"}

    envs = gymnasium.make_vec(env_id, 2, vectorization_mode="async", vector_kwargs=context)
    observations = envs.reset(seed=3)[0]
    envs.close()

    assert observations in envs.observation_space


def test_vector_environment_uses_the_named_backend(pole: str) -> None:
    envs: Any = gymnasium.make_vec(
        pole, 2, backend="sync", backend_kwargs={"autoreset_mode": "SameStep"}, sutton_barto_reward=True
    )
    envs.reset(seed=1)

    assert envs.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    steps = [envs.step(np.ones(2, np.int64)) for _ in range(3)]
    assert [truncations.tolist() for _, _, _, truncations, _ in steps] == [[False, False], [False, False], [True, True]]
    assert steps[0][1].tolist() == [0, 0]


class TestBareIds:
    """Tests that an id without a namespace refers to Gymnasium's environment if no plugin provides the id."""

    @pytest.mark.parametrize(
        "call", ["make('CartPole-v1')", "make('CartPole')", "make_vec('CartPole-v1', 2)", "spec('Taxi-v4')"]
    )
    def test_plugin_id_works_without_gymnasium(self, call: str) -> None:
        code = f"import gymkernel, sys, warnings; warnings.simplefilter('ignore'); made = gymkernel.{call}; "

        assert python(code + "print('gymnasium' in sys.modules, 'Gymnasium' in repr(made))") == "False False"

    def test_disabled_id_falls_back_to_gymnasium(self) -> None:
        made = "type(gymkernel.make({!r}).unwrapped).__module__"
        code = f"import gymkernel; print({made.format('CartPole-v1')}, {made.format('Pendulum-v1')})"

        seen = python(f"import os; os.environ['GYMKERNEL_DISABLE'] = 'envs.CartPole-v1'; {code}")

        assert seen == "gymnasium.envs.classic_control.cartpole gymkernel_env_classic_control.pendulum"

    def test_version_only_in_gymnasium_works_with_a_warning(self) -> None:
        gymnasium.register("Taxi-v1", "gymnasium.envs.toy_text:TaxiEnv")
        try:
            with pytest.warns(DeprecationWarning, match="Taxi-v1 is out of date. .* upgrading to version `v4`"):
                env = gym.make("Taxi-v1")
        finally:
            del gymnasium.registry["Taxi-v1"]

        assert type(env.unwrapped).__module__ == "gymnasium.envs.toy_text.taxi"

    def test_info_names_gymnasiums_environment_of_the_same_id(self) -> None:
        shown = subprocess.run(
            [sys.executable, "-m", "gymkernel", "info", "CartPole-v1"], capture_output=True, text=True, check=True
        ).stdout

        assert "Gymnasium also has an environment with this id: gymnasium/CartPole-v1" in shown

    # SDL's timer thread still runs in this process if an earlier test has rendered with pygame.
    @pytest.mark.filterwarnings("ignore:.*other threads are running:RuntimeWarning")
    @pytest.mark.parametrize("context", ["spawn", "fork"])
    def test_workers_create_ids_registered_by_the_program(self, context: str) -> None:
        gymnasium.register(
            "Mast-v0", "gymnasium.envs.classic_control:CartPoleEnv", kwargs={"sutton_barto_reward": True}
        )
        try:
            envs = gym.make_vec("Mast-v0", 2, "async", vector_kwargs={"context": context})
            wanted = gymnasium.make("Mast-v0").reset(seed=3)[0]
        finally:
            del gymnasium.registry["Mast-v0"]
        seen = envs.reset(seed=3)[0]
        rewards = envs.step(np.ones(2, np.int64))[1]
        envs.close()

        assert np.array_equal(seen[0], wanted)
        assert rewards.tolist() == [0.0, 0.0]

    @pytest.mark.slow
    @pytest.mark.parametrize("env_id", ["Mast-v0", "mast_pack:Mast-v0"])
    @pytest.mark.parametrize(
        "command", ["info", "rollout --episodes 1", "bench --seconds 0.1 --num-envs 1", "render --out m.png"]
    )
    def test_commands_accept_bare_ids(self, tmp_path: Path, command: str, env_id: str) -> None:
        """Use ids from packages that the bridge imports automatically, and ids of the form `package:id`."""
        source = "import gymnasium\ngymnasium.register('Mast-v0', 'gymnasium.envs.classic_control:CartPoleEnv')\n"
        (tmp_path / "mast_pack.py").write_text(source, encoding="utf-8")
        known = "from gymkernel import third_party as t; t.ENVS['Mast-*'] = 'm'; t.MODULES['m'] = 'mast_pack'"
        words = [*command.split(), env_id]
        begin = f"import sys; sys.path.insert(0, '.'); sys.argv[1:] = {words}"
        code = f"{begin}; {known}; from gymkernel.cli import main; main()"

        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

        assert done.returncode == 0, done.stderr
        assert "Mast-v0" in done.stdout or (tmp_path / "m.png").exists()


EACH = pytest.mark.parametrize("make", [gym.make, gym.make_vec, gym.spec], ids=["make", "make_vec", "spec"])


class TestModules:
    """Tests of `module:id` with ids that both libraries have."""

    @pytest.fixture(autouse=True)
    def registries(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        theirs, ours, deleted = dict(gymnasium.registry), dict(gym.registry.registered), set(gym.registry.deleted)
        monkeypatch.syspath_prepend(tmp_path)
        yield
        gymnasium.registry.clear()
        gymnasium.registry.update(theirs)
        gym.registry.registered, gym.registry.deleted = ours, deleted
        for name in ("dune", "envpool"):
            sys.modules.pop(name, None)

    @EACH
    def test_package_with_its_own_api_is_never_replaced_silently(self, tmp_path: Path, make: Any) -> None:
        (tmp_path / "envpool.py").write_text("import gymnasium", encoding="utf-8")

        for env_id in ("envpool:CartPole-v1", "envpool:CartPole"):
            with pytest.raises(
                gym.error.NameNotFound, match=r"Importing envpool did not register .*Write envpool\.make"
            ):
                make(env_id)

    @EACH
    def test_module_that_registers_nothing_warns(self, make: Any) -> None:
        with pytest.warns(UserWarning, match="Importing json did not register CartPole-v1, so this is gymkernel's own"):
            made = make("json:CartPole-v1")

        spec = made if make is gym.spec else made.spec
        assert "gymkernel_env_classic_control" in spec.entry_point

    @EACH
    @pytest.mark.parametrize("library", ["gymnasium", "gymkernel"])
    @pytest.mark.parametrize("before", [False, True])
    def test_module_that_registers_the_id_is_used(self, tmp_path: Path, make: Any, library: str, before: bool) -> None:
        source = (
            f"import {library} as lib, warnings\nwith warnings.catch_warnings():\n    warnings.simplefilter('ignore')\n"
            "    lib.register('CartPole-v1', 'dune:make')\n"
            "def make(**o):\n    from gymnasium.envs.classic_control import PendulumEnv\n    return PendulumEnv(**o)\n"
        )
        (tmp_path / "dune.py").write_text(source, encoding="utf-8")
        if before:
            __import__("dune")

        made = make("dune:CartPole-v1")

        assert (made if make is gym.spec else made.spec).entry_point == "dune:make"
        assert gymnasium.make("dune:CartPole-v1").spec is not None

    @EACH
    @pytest.mark.parametrize("module", ["gymkernel_env_classic_control", "gymkernel_env_classic_control.cartpole"])
    def test_module_of_the_plugin_is_used_without_a_warning(self, make: Any, module: str) -> None:
        made = make(f"{module}:CartPole-v1")

        assert "gymkernel_env_classic_control" in (made if make is gym.spec else made.spec).entry_point
