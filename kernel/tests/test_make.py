"""Tests of `make` and `make_vec`, which create environments and add wrappers."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import gymkernel
from gymkernel import Env, Wrapper, error, make, make_vec, register
from gymkernel._known import KNOWN
from gymkernel.making import VectorizeMode
from gymkernel.specs import EnvSpec, WrapperSpec
from gymkernel.utils import RecordConstructorArgs
from gymkernel.vector_env import AutoresetMode, VectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

WRAPPERS = """
    import copy
    from gymkernel import Wrapper
    from gymkernel.utils import RecordConstructorArgs

    class PassiveEnvChecker(Wrapper):
        def update_spec(self, spec):
            spec = copy.copy(spec); spec.disable_env_checker = False; return spec

    class OrderEnforcing(Wrapper):
        def update_spec(self, spec):
            spec = copy.copy(spec); spec.order_enforce = True; return spec

    class TimeLimit(Wrapper):
        def __init__(self, env, max_episode_steps):
            super().__init__(env)
            self.limit = max_episode_steps
        def update_spec(self, spec):
            spec = copy.copy(spec); spec.max_episode_steps = self.limit; return spec

    class HumanRendering(Wrapper, RecordConstructorArgs):
        def __init__(self, env):
            RecordConstructorArgs.__init__(self)
            Wrapper.__init__(self, env)

    class NotebookRendering(HumanRendering): pass

    class RenderCollection(HumanRendering): pass

    class AutoResetWrapper(HumanRendering): pass

    class EnvCompatibility:
        @classmethod
        def creator(cls, create):
            def make(render_mode=None, **kwargs):
                old = create(**kwargs)
                old.wanted = render_mode
                return old
            make.metadata = create.metadata
            return make
"""
NAMES = ["PassiveEnvChecker", "OrderEnforcing", "TimeLimit", "HumanRendering", "RenderCollection", "AutoResetWrapper"]
NAMES += ["EnvCompatibility", "NotebookRendering"]


class Maze(Env[Any, Any]):
    metadata = {"render_modes": ["rgb_array", "ansi"]}  # noqa: RUF012 - as in Gymnasium

    def __init__(self, size: int = 1, walls: list[int] | None = None, render_mode: str | None = None) -> None:
        self.size, self.walls, self.render_mode = size, walls, render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return 0, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return 0, 0.0, False, False, {}


class Marked(Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """A wrapper that records its arguments."""

    def __init__(self, env: Any, mark: str = "x") -> None:
        RecordConstructorArgs.__init__(self, mark=mark)
        Wrapper.__init__(self, env)
        self.mark = mark


class Unrecorded(Wrapper[Any, Any, Any, Any]):
    def __init__(self, env: Any, *marks: str) -> None:
        super().__init__(env)


@pytest.fixture
def wrappers(install: Install) -> None:
    """Install a distribution with all wrappers that `make` adds."""
    install("acme", modules={"acme_wrappers": WRAPPERS}, wrappers={name: f"acme_wrappers:{name}" for name in NAMES})


@pytest.fixture
def bare(install: Install) -> EnvSpec:
    """Return a spec for which `make` adds no wrapper."""
    return EnvSpec("Maze-v0", Maze, order_enforce=False, disable_env_checker=True)


def layers(env: Any) -> list[str]:
    """Return the class names of all layers, from the outside to the inside."""
    found = [type(env).__name__]
    while isinstance(env, Wrapper):
        env = env.env
        found.append(type(env).__name__)
    return found


@pytest.mark.usefixtures("wrappers")
class TestWrappers:
    def test_wrappers_are_applied_in_order(self) -> None:
        register("Maze-v0", Maze, max_episode_steps=9, additional_wrappers=(Marked.wrapper_spec(mark="a"),))

        with pytest.warns(UserWarning, match="HumanRendering"):
            env = make("Maze-v0", render_mode="human")

        assert layers(env) == ["HumanRendering", "Marked", "TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "Maze"]

    def test_autoreset_wraps_the_time_limit(self, bare: EnvSpec) -> None:
        bare.max_episode_steps = 9
        bare.additional_wrappers = (Marked.wrapper_spec(mark="a"),)

        assert layers(make(bare)) == ["Marked", "TimeLimit", "Maze"]
        assert layers(make(bare, autoreset=True)) == ["Marked", "AutoResetWrapper", "TimeLimit", "Maze"]

    def test_apply_api_compatibility_converts_an_old_environment(self, bare: EnvSpec) -> None:
        env: Any = make(bare, apply_api_compatibility=True, size=4, render_mode="ansi")

        assert (env.wanted, env.render_mode, env.size) == ("ansi", None, 4)
        assert env.spec.kwargs == {"size": 4, "render_mode": "ansi", "apply_api_compatibility": True}
        assert make(env.spec).wanted == "ansi"  # type: ignore[attr-defined]
        assert make(env.spec, apply_api_compatibility=False).render_mode == "ansi"
        assert make(bare, apply_api_compatibility=False).spec.kwargs == {}  # type: ignore[union-attr]

    def test_plain_registration_gets_checker_and_order_enforcing(self) -> None:
        register("Maze-v0", Maze)
        assert layers(make("Maze-v0")) == ["OrderEnforcing", "PassiveEnvChecker", "Maze"]

    def test_spec_can_disable_checker_and_order_enforcing(self, bare: EnvSpec) -> None:
        assert layers(make(bare)) == ["Maze"]

    @pytest.mark.parametrize("limit,steps", [(None, 9), (5, 5), (0, 0)])
    def test_time_limit_comes_from_the_spec(self, limit: int | None, steps: int) -> None:
        register("Maze-v0", Maze, max_episode_steps=9)

        env = make("Maze-v0", max_episode_steps=limit)

        assert layers(env)[0] == "TimeLimit"
        assert env.get_wrapper_attr("limit") == steps
        assert env.spec is not None
        assert env.spec.max_episode_steps == steps

    def test_time_limit_can_be_passed_to_make(self, bare: EnvSpec) -> None:
        assert layers(make(bare, max_episode_steps=3)) == ["TimeLimit", "Maze"]

    def test_limit_of_minus_one_disables_the_time_limit(self) -> None:
        register("Maze-v0", Maze, max_episode_steps=9)

        env = make("Maze-v0", max_episode_steps=-1)

        assert "TimeLimit" not in layers(env)
        assert env.spec is not None
        assert env.spec.max_episode_steps is None

    @pytest.mark.parametrize("spec_says", [True, False])
    @pytest.mark.parametrize("caller_says", [True, False, None])
    def test_checker_is_disabled_by_caller_or_spec(self, spec_says: bool, caller_says: bool | None) -> None:
        register("Maze-v0", Maze, disable_env_checker=spec_says)

        env = make("Maze-v0", disable_env_checker=caller_says)

        disabled = spec_says if caller_says is None else caller_says
        assert ("PassiveEnvChecker" in layers(env)) is not disabled

    def test_spec_of_a_created_environment_recreates_it(self) -> None:
        register("Maze-v0", Maze, max_episode_steps=9, kwargs={"size": 2})
        env = Marked(make("Maze-v0", size=3, max_episode_steps=4), mark="b")
        assert env.spec is not None

        again = make(env.spec)

        assert layers(again) == layers(env)
        assert (again.unwrapped.size, again.get_wrapper_attr("limit")) == (3, 4)  # type: ignore[attr-defined]
        assert again.get_wrapper_attr("mark") == "b"
        assert again.spec == env.spec

    def test_json_of_a_created_environments_spec_recreates_it(self) -> None:
        register("Maze-v0", f"{__name__}:Maze", max_episode_steps=9)
        env = Marked(make("Maze-v0", size=3), mark="b")
        assert env.spec is not None

        again = make(EnvSpec.from_json(env.spec.to_json()))

        assert layers(again) == layers(env)
        assert again.spec == env.spec

    def test_wrapper_without_recorded_arguments_cannot_be_recreated(self, bare: EnvSpec) -> None:
        env = Unrecorded(make(bare), "a")
        assert env.spec is not None

        with pytest.raises(ValueError, match="Unrecorded in the spec of Maze-v0 did not record its arguments"):
            make(env.spec)


class TestMissingWrappers:
    """Tests that a missing wrapper causes an ImportError and is not silently omitted."""

    @pytest.mark.parametrize(
        "name,fields,why",
        [
            ("PassiveEnvChecker", {"order_enforce": False}, "pass disable_env_checker=True to omit the checks"),
            ("OrderEnforcing", {"disable_env_checker": True}, "the spec of Maze-v0 has order_enforce=True"),
            (
                "TimeLimit",
                {"disable_env_checker": True, "order_enforce": False, "max_episode_steps": 9},
                "Maze-v0 is limited to 9 steps (pass max_episode_steps=-1 to remove the limit)",
            ),
        ],
    )
    def test_error_names_the_pip_command_and_the_reason(
        self, install: Install, monkeypatch: pytest.MonkeyPatch, name: str, fields: dict[str, Any], why: str
    ) -> None:
        monkeypatch.setitem(KNOWN["wrappers"], name, f"acme-{name.lower()}")
        register("Maze-v0", Maze, **fields)

        with pytest.raises(
            ImportError, match=f"{name} is not installed; run: pip install acme-{name.lower()}"
        ) as caught:
            make("Maze-v0")

        (note,) = caught.value.__notes__
        assert note.startswith("It is needed because ")
        assert why in note

    def test_missing_render_wrapper_raises_too(self, bare: EnvSpec, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KNOWN["wrappers"], "RenderCollection", "acme-collection")

        with pytest.raises(ImportError, match="pip install acme-collection") as caught:
            make(bare, render_mode="ansi_list")

        assert any("render_mode=ansi_list" in note for note in caught.value.__notes__)

    def test_unknown_missing_wrapper_error_names_the_reason(
        self, install: Install, bare: EnvSpec, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delitem(KNOWN["wrappers"], "TimeLimit")

        with pytest.raises(error.UnknownName) as caught:
            make(bare, max_episode_steps=9)

        assert any("Maze-v0 is limited to 9 steps" in note for note in caught.value.__notes__)


class TestRenderModes:
    def test_supported_render_mode_is_passed_to_the_environment(self, bare: EnvSpec) -> None:
        env = make(bare, render_mode="ansi")

        assert layers(env) == ["Maze"]
        assert env.render_mode == "ansi"

    @pytest.mark.usefixtures("wrappers")
    def test_human_mode_displays_rgb_frames(self, bare: EnvSpec) -> None:
        sentence = "The HumanRendering wrapper is being applied to your environment."
        with pytest.warns(UserWarning, match=sentence) as caught:
            env = make(bare, render_mode="human")

        assert layers(env) == ["HumanRendering", "Maze"]
        assert env.unwrapped.render_mode == "rgb_array"
        assert caught[0].filename == __file__

    @pytest.mark.usefixtures("wrappers")
    @pytest.mark.parametrize("modes", [["rgb_array"], ["human", "rgb_array"]])
    def test_human_mode_displays_in_the_notebook_cell(
        self, bare: EnvSpec, monkeypatch: pytest.MonkeyPatch, modes: list[str]
    ) -> None:
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
        monkeypatch.setattr(Maze, "metadata", {"render_modes": modes})
        env = make(bare, render_mode="human")

        assert layers(env) == ["NotebookRendering", "Maze"]
        assert env.unwrapped.render_mode == "rgb_array"

    def test_notebook_without_the_plugin_opens_a_window(self, bare: EnvSpec, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
        monkeypatch.setattr(Maze, "metadata", {"render_modes": ["human", "rgb_array"]})

        assert layers(make(bare, render_mode="human")) == ["Maze"]

    @pytest.mark.usefixtures("wrappers")
    def test_list_mode_collects_frames(self, bare: EnvSpec) -> None:
        env = make(bare, render_mode="ansi_list")

        assert layers(env) == ["RenderCollection", "Maze"]
        assert env.unwrapped.render_mode == "ansi"

    def test_supported_human_mode_needs_no_wrapper(self, install: Install) -> None:
        class Shown(Maze):
            metadata = {"render_modes": ["human", "rgb_array"]}  # noqa: RUF012 - as in Gymnasium

        env = make(EnvSpec("Maze-v0", Shown, order_enforce=False, disable_env_checker=True), render_mode="human")

        assert layers(env) == ["Shown"]
        assert env.render_mode == "human"

    @pytest.mark.parametrize("mode", ["video", "video_list", "depth", 3])
    def test_unsupported_render_mode_warns_and_lists_supported_modes(self, bare: EnvSpec, mode: Any) -> None:
        with pytest.warns(
            UserWarning, match=r"render_mode=.* that is not in the possible render_modes \(\['rgb_array', 'ansi'\]\)"
        ) as caught:
            make(bare, render_mode=mode)

        assert caught[0].filename == __file__

    def test_render_mode_of_a_function_is_passed_to_the_function(self, install: Install) -> None:
        def make_maze(render_mode: str) -> Maze:
            return Maze(render_mode=render_mode)

        env = make(EnvSpec("Maze-v0", make_maze, order_enforce=False, disable_env_checker=True), render_mode="strange")

        assert env.render_mode == "strange"

    def test_render_mode_of_a_wrapper_class_is_passed_to_the_class(self, install: Install) -> None:
        class Dressed(Wrapper[Any, Any, Any, Any]):
            def __init__(self, render_mode: str) -> None:
                super().__init__(Maze(render_mode=render_mode))

        env = make(EnvSpec("Maze-v0", Dressed, order_enforce=False, disable_env_checker=True), render_mode="ansi")

        assert env.render_mode == "ansi"

    def test_metadata_of_none_raises(self, install: Install) -> None:
        class Odd(Maze):
            metadata = ["human"]  # type: ignore[assignment]  # noqa: RUF012 - as in Gymnasium

        with pytest.raises(
            error.InvalidMetadata, match=r"Expected the metadata of Maze-v0 to be a dictionary, got \['human"
        ):
            make(EnvSpec("Maze-v0", Odd), render_mode="human")  # type: ignore[arg-type] # by its metadata


class TestArguments:
    def test_arguments_of_the_caller_override_the_spec(self, bare: EnvSpec) -> None:
        bare.kwargs = {"size": 2, "walls": [1]}

        maze: Any = make(bare, size=5)

        assert (maze.size, maze.walls) == (5, [1])
        assert maze.spec.kwargs == {"size": 5, "walls": [1]}

    def test_environments_do_not_share_mutable_arguments(self, bare: EnvSpec) -> None:
        bare.kwargs = {"walls": [1]}

        first: Any = make(bare)
        first.walls.append(2)
        second: Any = make(bare)

        assert second.walls == [1]
        assert bare.kwargs == {"walls": [1]}

    def test_constructor_type_error_names_the_environment(self, bare: EnvSpec) -> None:
        with pytest.raises(TypeError, match="unexpected keyword argument 'colour'") as caught:
            make(bare, colour=3)

        assert caught.value.__notes__ == [f"Maze-v0 is created by {Maze!r} with {{'colour': 3}}."]

    @pytest.mark.parametrize("entry_point", ["no_such_module:Maze", "gymkernel.env:NoSuchClass"])
    def test_missing_entry_point_error_names_the_environment(self, install: Install, entry_point: str) -> None:
        with pytest.raises((ImportError, AttributeError)) as caught:
            make(EnvSpec("Maze-v0", entry_point))

        assert caught.value.__notes__ == [f"Maze-v0 is created by {entry_point!r} with {{}}."]

    def test_other_constructor_errors_are_not_changed(self, install: Install) -> None:
        def broken() -> Maze:
            raise OSError("no display")

        with pytest.raises(OSError, match=r"^no display$"):
            make(EnvSpec("Maze-v0", broken))

    def test_registered_spec_is_not_changed(self, install: Install) -> None:
        register("Maze-v0", Maze, order_enforce=False, disable_env_checker=True, kwargs={"size": 2})

        env = make("Maze-v0", size=7, max_episode_steps=-1)

        assert env.spec is not None
        env.spec.kwargs["size"] = 9
        assert gymkernel.spec("Maze-v0").kwargs == {"size": 2}


class TestEntryPoints:
    def test_entry_point_text_names_module_and_attribute(self, install: Install) -> None:
        env = make(EnvSpec("Maze-v0", f"{__name__}:Maze", order_enforce=False, disable_env_checker=True))

        assert type(env) is Maze

    def test_entry_point_that_returns_no_environment_raises(self, install: Install) -> None:
        with pytest.raises(TypeError, match=r"Maze-v0 must create an environment with reset and step, not 3"):
            make(EnvSpec("Maze-v0", lambda: 3))  # type: ignore[arg-type]

    @pytest.mark.parametrize("method", ["reset", "step"])
    def test_entry_point_that_returns_an_incomplete_environment_raises(self, install: Install, method: str) -> None:
        half: Any = type("Half", (), {method: None})

        with pytest.raises(TypeError, match="Maze-v0 must create an environment"):
            make(EnvSpec("Maze-v0", half))

    def test_entry_point_is_required(self, install: Install) -> None:
        with pytest.raises(error.Error, match="Maze-v0 has no entry_point and can only be created by make_vec"):
            make(EnvSpec("Maze-v0", vector_entry_point="lab:Mazes"))

    def test_entry_point_can_return_a_foreign_environment(self, install: Install) -> None:
        class Duck:
            metadata: dict[str, Any] = {}  # noqa: RUF012 - as in Gymnasium
            spec: Any

            def reset(self) -> None: ...
            def step(self) -> None: ...

        spec = EnvSpec("Duck-v0", Duck, order_enforce=False, disable_env_checker=True)  # type: ignore[arg-type]

        duck: Any = make(spec)

        assert type(duck) is Duck
        assert duck.spec.id == "Duck-v0"

    def test_entry_point_can_return_a_wrapped_environment(self, install: Install) -> None:
        spec = EnvSpec("Maze-v0", lambda: Marked(Maze(), "own"), order_enforce=False, disable_env_checker=True)

        env = make(spec)

        assert layers(env) == ["Marked", "Maze"]
        assert env.spec is not None
        assert [w.name for w in env.spec.additional_wrappers] == ["Marked"]

    def test_existing_wrappers_are_not_added_again(self, install: Install) -> None:
        spec = EnvSpec("Maze-v0", lambda: Marked(Maze(), "own"), order_enforce=False, disable_env_checker=True)
        env = Marked(make(spec), "outer")
        assert env.spec is not None

        again = make(env.spec)

        assert layers(again) == ["Marked", "Marked", "Maze"]
        assert [again.mark, again.env.mark] == ["outer", "own"]  # type: ignore[attr-defined]

    def test_wrappers_that_differ_from_the_spec_raise(self, install: Install) -> None:
        spec = EnvSpec(
            "Maze-v0",
            lambda: Marked(Maze(), "own"),
            order_enforce=False,
            disable_env_checker=True,
            additional_wrappers=(WrapperSpec("Other", "lab:Other", {}),),
        )

        with pytest.raises(ValueError, match=r"Maze-v0 has the wrappers .*own.* but its spec begins with .*Other"):
            make(spec)

    def test_entry_point_can_call_make(self, bare: EnvSpec) -> None:
        def outer() -> Any:
            inner = Marked(make(bare), "own")
            assert inner.spec is not None  # as a wrapper that reads the spec in its constructor does
            return inner

        env = make(EnvSpec("Outer-v0", outer, order_enforce=False, disable_env_checker=True))

        assert env.spec is not None
        assert env.spec.id == "Outer-v0"
        assert env.unwrapped.spec is not None
        assert env.unwrapped.spec.id == "Outer-v0"


class TestLookUp:
    @pytest.fixture(autouse=True)
    def _mazes(self, install: Install) -> None:
        for version in (1, 3):
            register(f"Maze-v{version}", Maze, order_enforce=False, disable_env_checker=True)
        register("Walk", Maze, order_enforce=False, disable_env_checker=True)

    def made(self, env_id: str) -> str:
        env = make(env_id)
        assert env.spec is not None
        return env.spec.id

    def test_make_accepts_an_id(self) -> None:
        assert self.made("Maze-v3") == "Maze-v3"
        assert self.made("Walk") == "Walk"

    def test_id_without_version_uses_the_newest_with_a_warning(self) -> None:
        with pytest.warns(
            UserWarning,
            match="Using the latest versioned environment `Maze-v3` instead of the unversioned environment `Maze`.",
        ) as caught:
            env = make("Maze")

        assert env.spec is not None
        assert env.spec.id == "Maze-v3"
        assert caught[0].filename == __file__

    def test_old_version_warns_about_deprecation(self) -> None:
        with pytest.warns(
            DeprecationWarning,
            match="The environment Maze-v1 is out of date. You should consider upgrading to version `v3`.",
        ) as caught:
            env = make("Maze-v1")

        assert env.spec is not None
        assert env.spec.id == "Maze-v1"
        assert caught[0].filename == __file__

    @pytest.mark.parametrize(
        "env_id,kind",
        [
            ("Maze-v2", error.DeprecatedEnv),
            ("Maze-v4", error.VersionNotFound),
            ("Mase-v1", error.NameNotFound),
            ("lab/Maze-v1", error.NamespaceNotFound),
            ("a b", error.Error),
        ],
    )
    def test_lookup_errors(self, env_id: str, kind: type[Exception]) -> None:
        with pytest.raises(kind) as caught:
            make(env_id)

        assert type(caught.value) is kind

    @pytest.mark.parametrize("thing", [3, None, Maze])
    def test_argument_that_is_neither_id_nor_spec_is_rejected(self, thing: Any) -> None:
        with pytest.raises(TypeError, match="Expected an environment id or an EnvSpec, got"):
            make(thing)

    def test_module_before_the_id_is_imported_first(self, install: Install) -> None:
        source = """
            from gymkernel import Env, register
            class Late(Env):
                def reset(self, *, seed=None, options=None): return 0, {}
                def step(self, action): return 0, 0.0, False, False, {}
            register("lab/Late-v0", Late, order_enforce=False, disable_env_checker=True)
        """
        install("acme", modules={"acme_late": source})

        assert self.made("acme_late:lab/Late-v0") == "lab/Late-v0"

    def test_missing_module_error_says_why_it_was_imported(self) -> None:
        with pytest.raises(ModuleNotFoundError) as caught:
            make("no_such_module:Maze-v0")

        assert caught.value.name == "no_such_module"
        assert isinstance(caught.value.__cause__, ModuleNotFoundError)
        assert str(caught.value) == (
            "No module named 'no_such_module'; the part of 'no_such_module:Maze-v0' before the colon is a module that "
            "registers Maze-v0"
        )

    def test_spec_is_found_by_module_and_id(self, install: Install) -> None:
        source = "import gymkernel; gymkernel.register('lab/Late-v1', lambda: None)"
        install("acme", modules={"acme_later": source})

        assert gymkernel.spec("acme_later:lab/Late-v1").id == "lab/Late-v1"


VECTOR = """
    from gymkernel.vector_env import AutoresetMode, VectorEnv

    class Backend(VectorEnv):
        def __init__(self, env_fns, **options):
            self.envs = [make() for make in env_fns]
            self.num_envs, self.options = len(self.envs), options
            self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    class SyncVectorEnv(Backend): pass
    class AsyncVectorEnv(Backend): pass
    class TurboVectorEnv(Backend): pass
    class Remote(Backend): pass
"""


class Mazes(VectorEnv[Any, Any, Any]):
    """A vector environment of mazes."""

    def __init__(self, num_envs: int, **arguments: Any) -> None:
        self.num_envs, self.arguments = num_envs, arguments
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}


@pytest.fixture
def backends(install: Install) -> None:
    """Install a distribution with three vector backends."""
    names = ("SyncVectorEnv", "AsyncVectorEnv", "TurboVectorEnv", "Remote")
    install("acme-vector", modules={"acme_vector": VECTOR}, vector={name: f"acme_vector:{name}" for name in names})


MODES = ["async", "remote", "sync", "turbo", "vector_entry_point"]


@pytest.mark.usefixtures("backends")
class TestMakeVec:
    @pytest.fixture(autouse=True)
    def _registered(self) -> None:
        register("Maze-v0", Maze, order_enforce=False, disable_env_checker=True, kwargs={"size": 2})
        register("Both-v0", Maze, vector_entry_point=Mazes, order_enforce=False, disable_env_checker=True)
        register("Many-v0", vector_entry_point=f"{__name__}:Mazes", max_episode_steps=7)

    def make(self, *arguments: Any, **named: Any) -> Any:
        return make_vec(*arguments, **named)

    def test_default_mode_is_sync(self) -> None:
        envs = self.make("Maze-v0", 3)

        assert type(envs).__name__ == "SyncVectorEnv"
        assert [type(env) for env in envs.envs] == [Maze, Maze, Maze]
        assert [env.size for env in envs.envs] == [2, 2, 2]

    @pytest.mark.parametrize("num_envs", [0, -1, 2.0, "2", None, True, float("nan"), [2]], ids=range(8))
    @pytest.mark.parametrize("mode", [None, "sync", "vector_entry_point"])
    def test_invalid_num_envs_is_rejected(self, num_envs: Any, mode: Any) -> None:
        kind = ValueError if type(num_envs) is int else TypeError
        with pytest.raises(kind, match=r"^Expected num_envs to be an integer of at least 1, got ") as raised:
            self.make("Both-v0", num_envs, mode)
        assert str(raised.value).endswith(f"got {num_envs!r}")

    @pytest.mark.parametrize("vector_kwargs", ["copy", 1, [1], [("copy", False)], True], ids=range(5))
    def test_vector_kwargs_must_be_a_dictionary(self, vector_kwargs: Any) -> None:
        with pytest.raises(TypeError, match=r"^Expected vector_kwargs to be a dictionary .*, got ") as raised:
            self.make("Maze-v0", 2, "sync", vector_kwargs)
        assert str(raised.value).endswith(f"got {vector_kwargs!r}")

    @pytest.mark.parametrize(
        "wrappers", [Maze, 1, "Maze", [1], [None], [[Maze]], {"maze": Maze}, iter([Maze])], ids=range(8)
    )
    def test_wrappers_must_be_a_list_of_functions(self, wrappers: Any) -> None:
        with pytest.raises(TypeError, match=r"^Expected wrappers to be a list of functions .*, got ") as raised:
            self.make("Maze-v0", 2, "sync", wrappers=wrappers)
        assert str(raised.value).endswith(f"got {wrappers!r}")

    @pytest.mark.parametrize("mode", [1, True, b"sync", ["sync"], {}, "SYNC", VectorizeMode], ids=range(7))
    def test_invalid_mode_error_lists_the_modes(self, mode: Any) -> None:
        with pytest.raises(ValueError, match=r"^Invalid vectorization mode: .*, valid modes: .*sync") as raised:
            self.make("Maze-v0", 2, mode)
        assert f"Invalid vectorization mode: {mode!r}, valid" in str(raised.value)

    def test_default_mode_is_the_vectorised_form_if_there_is_one(self) -> None:
        assert type(self.make("Both-v0", 3)) is Mazes
        assert self.make("Both-v0").num_envs == 1

    @pytest.mark.parametrize(
        "mode,backend",
        [
            ("sync", "SyncVectorEnv"),
            (VectorizeMode.SYNC, "SyncVectorEnv"),
            ("SyncVectorEnv", "SyncVectorEnv"),
            ("turbo", "TurboVectorEnv"),
            ("TurboVectorEnv", "TurboVectorEnv"),
            ("remote", "Remote"),
            ("Remote", "Remote"),
            ("vector_entry_point", "Mazes"),
            (VectorizeMode.VECTOR_ENTRY_POINT, "Mazes"),
        ],
        ids=str,
    )
    def test_mode_is_the_name_of_a_backend(self, mode: Any, backend: str) -> None:
        assert type(self.make("Both-v0", 2, mode)).__name__ == backend

    @pytest.mark.parametrize("mode", ["warp", "SYNC", ""])
    def test_unknown_mode_error_lists_installed_backends(self, mode: str) -> None:
        expected = f"Invalid vectorization mode: {mode!r}, valid modes: {MODES}"

        with pytest.raises(ValueError, match=re.escape(expected)):
            self.make("Maze-v0", 2, mode)

    @pytest.mark.parametrize("mode,suggestion", [("snc", "sync"), ("SyncVectorEn", "SyncVectorEnv"), ("turb", "turbo")])
    def test_misspelled_mode_gets_a_suggestion(self, mode: str, suggestion: str) -> None:
        with pytest.raises(ValueError, match=f"did you mean {suggestion}\\?$"):
            self.make("Maze-v0", 2, mode)

    def test_missing_backend_is_not_listed_as_installed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KNOWN["vector"], "WarpVectorEnv", "gymkernel-vector-warp")

        with pytest.raises(ValueError, match=re.escape(f"valid modes: {MODES}")):
            self.make("Maze-v0", 2, "drift")

    def test_missing_known_backend_names_its_pip_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(KNOWN["vector"], "WarpVectorEnv", "gymkernel-vector-warp")

        with pytest.raises(ImportError, match="run: pip install gymkernel-vector-warp"):
            self.make("Maze-v0", 2, "warp")

    def test_disabled_backend_error_says_so(self, disable: Callable[..., None]) -> None:
        disable("vector.SyncVectorEnv")

        with pytest.raises(error.DisabledPlugin, match=r"vector\.SyncVectorEnv of acme-vector is disabled"):
            self.make("Maze-v0", 2, "sync")

    def test_kwargs_and_vector_kwargs_are_passed_on(self) -> None:
        envs = self.make("Maze-v0", 2, "sync", {"copy": False}, size=5)

        assert envs.options == {"copy": False}
        assert [env.size for env in envs.envs] == [5, 5]

    def test_wrappers_are_applied_to_each_environment_in_order(self) -> None:
        envs = self.make("Maze-v0", 2, wrappers=[Unrecorded, Marked])

        assert [layers(env) for env in envs.envs] == [["Marked", "Unrecorded", "Maze"]] * 2

    def test_time_limit_applies_to_the_vectorised_form(self) -> None:
        assert self.make("Many-v0", 2).arguments == {"max_episode_steps": 7}
        assert self.make("Many-v0", 2, max_episode_steps=3).arguments == {"max_episode_steps": 3}

    @pytest.mark.parametrize("named", [{"vector_kwargs": {"copy": False}}, {"wrappers": [Marked]}])
    def test_vectorised_form_rejects_wrappers_and_vector_kwargs(self, named: dict[str, Any]) -> None:
        with pytest.raises(error.Error, match=f"^{next(iter(named))} .* cannot be used with the vector_entry_point of"):
            self.make("Both-v0", 2, "vector_entry_point", **named)

    @pytest.mark.parametrize("named", [{"vector_kwargs": {"copy": False}}, {"wrappers": [Marked]}])
    def test_default_mode_uses_a_backend_for_wrappers(self, named: dict[str, Any]) -> None:
        assert isinstance(self.make("Both-v0", 2), Mazes)
        assert not isinstance(self.make("Both-v0", 2, **named), Mazes)
        with pytest.raises(error.Error, match=f"^{next(iter(named))} .* cannot be used with the vector_entry_point of"):
            self.make("Many-v0", 2, **named)

    def test_vectorised_form_rejects_disable_env_checker(self) -> None:
        assert self.make("Many-v0", 2, disable_env_checker=True).arguments == {"max_episode_steps": 7}

    def test_vectorised_form_rejects_additional_wrappers_of_the_spec(self) -> None:
        spec = EnvSpec("Both-v1", Maze, vector_entry_point=Mazes, additional_wrappers=(Marked.wrapper_spec(mark="a"),))

        with pytest.raises(error.Error, match=r"^wrappers .* cannot be used with the vector_entry_point of Both-v1"):
            self.make(spec, 2, "vector_entry_point")

    def test_default_mode_uses_a_backend_for_additional_wrappers(self) -> None:
        register(
            "Both-v1",
            Maze,
            vector_entry_point=Mazes,
            order_enforce=False,
            disable_env_checker=True,
            additional_wrappers=(Marked.wrapper_spec(mark="a"),),
        )

        assert layers(self.make("Both-v1").envs[0]) == ["Marked", "Maze"]

    def test_each_form_needs_its_entry_point(self) -> None:
        with pytest.raises(
            error.Error, match=r"because it doesn't have a vector entry point defined\. Use vectorization_mode='sync'"
        ):
            self.make("Maze-v0", 2, "vector_entry_point")
        with pytest.raises(
            error.Error,
            match=r"Many-v0 because it doesn't have an entry point defined\. Use .*'vector_entry_point'",
        ):
            self.make("Many-v0", 2, "sync")

    def test_spec_of_a_vector_environment_recreates_it(self) -> None:
        envs = self.make("Maze-v0", 3, "turbo", {"copy": False}, [Marked], size=5)

        again = self.make(envs.spec)

        assert type(again).__name__ == "TurboVectorEnv"
        assert (again.num_envs, again.options) == (3, {"copy": False})
        assert [layers(env) for env in again.envs] == [["Marked", "Maze"]] * 3
        assert again.envs[0].unwrapped.size == 5
        assert again.spec == envs.spec

    def test_vector_spec_contains_only_the_passed_arguments(self) -> None:
        assert self.make("Maze-v0").spec.kwargs == {"size": 2, "vectorization_mode": "sync"}
        assert self.make("Maze-v0", 3).spec.kwargs == {"size": 2, "vectorization_mode": "sync", "num_envs": 3}

    def test_spec_can_record_that_no_mode_was_passed(self, bare: EnvSpec) -> None:
        bare.kwargs = {"vectorization_mode": "sync", "vector_kwargs": None, "wrappers": None}

        envs = self.make(bare, 2)

        assert [layers(env) for env in envs.envs] == [["Maze"]] * 2
        assert envs.options == {}

    @pytest.mark.usefixtures("wrappers")
    def test_time_limit_of_the_caller_is_in_the_spec(self) -> None:
        envs = self.make("Maze-v0", 2, max_episode_steps=5)

        again = self.make(envs.spec)

        assert [env.get_wrapper_attr("limit") for env in again.envs] == [5, 5]

    def test_make_creates_one_environment_from_a_vector_spec(self) -> None:
        spec = self.make("Maze-v0", 3, wrappers=[Marked], size=5, walls=[1]).spec

        env: Any = make(spec, size=7)

        assert layers(env) == ["Marked", "Maze"]
        assert (env.unwrapped.size, env.unwrapped.walls) == (7, [1])

    @pytest.mark.usefixtures("wrappers")
    def test_arguments_of_make_override_a_vector_spec(self) -> None:
        spec = self.make("Maze-v0", 3, max_episode_steps=5, disable_env_checker=True).spec

        assert make(spec).get_wrapper_attr("limit") == 5
        assert layers(make(spec, 4, False)) == ["TimeLimit", "PassiveEnvChecker", "Maze"]
        assert make(spec, 4).get_wrapper_attr("limit") == 4

    def test_make_creates_one_environment_from_a_vectorised_spec(self) -> None:
        envs = self.make("Many-v0", 3, colour="red")

        again = self.make(envs.spec)

        assert (again.num_envs, again.arguments) == (3, {"max_episode_steps": 7, "colour": "red"})
        assert again.spec == envs.spec

    def test_registered_spec_is_not_changed(self) -> None:
        self.make("Maze-v0", 3, size=9)

        assert gymkernel.spec("Maze-v0").kwargs == {"size": 2}

    def test_vector_environments_do_not_share_mutable_arguments(self) -> None:
        envs = self.make(EnvSpec("M-v0", Maze, order_enforce=False, disable_env_checker=True, kwargs={"walls": [1]}), 2)

        envs.envs[0].walls.append(2)

        assert envs.envs[1].walls == [1]

    def test_metadata_without_autoreset_mode_warns(self) -> None:
        class Silent(Mazes):
            def __init__(self, num_envs: int) -> None:
                super().__init__(num_envs)
                self.metadata = {}

        with pytest.warns(UserWarning, match="The metadata of .* has no autoreset_mode") as caught:
            make_vec(EnvSpec("Silent-v0", vector_entry_point=Silent))

        assert caught[0].filename == __file__


@pytest.mark.parametrize("method", ["pickle", "cloudpickle"])
def test_env_functions_can_be_pickled(method: str) -> None:
    from gymkernel.making import _make_one

    dumps = pytest.importorskip(method).dumps
    spec = EnvSpec("Maze-v0", f"{__name__}:Maze", order_enforce=False, disable_env_checker=True)

    assert dumps((_make_one, spec))
