"""A program for Gymnasium finds every name that this stage of gymkernel covers, with a signature that fits."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import pytest

import gymkernel

pytestmark = pytest.mark.filterwarnings("ignore:.*matplotlib is not installed:UserWarning")  # gymnasium.utils.play
HEAVY = {"utils.play": "gymkernel-tool-play", "utils.save_video": "gymkernel-util-video"}
"""Modules whose names a heavy plugin provides, which one installs by its name."""

MODULES = {
    "": "Env Wrapper ObservationWrapper ActionWrapper RewardWrapper Space VectorizeMode make make_vec spec "
    "pprint_registry register register_envs registry envs error experimental logger spaces utils vector wrappers "
    "__version__",
    "envs.classic_control": "AcrobotEnv CartPoleEnv Continuous_MountainCarEnv MountainCarEnv PendulumEnv",
    "envs.classic_control.acrobot": "AcrobotEnv",
    "envs.classic_control.cartpole": "CartPoleEnv CartPoleVectorEnv",
    "envs.classic_control.continuous_mountain_car": "Continuous_MountainCarEnv",
    "envs.classic_control.mountain_car": "MountainCarEnv",
    "envs.classic_control.pendulum": "PendulumEnv",
    "envs.toy_text": "BlackjackEnv CliffWalkingEnv FrozenLakeEnv TaxiEnv",
    "envs.toy_text.blackjack": "BlackjackEnv",
    "envs.toy_text.cliffwalking": "CliffWalkingEnv",
    "envs.toy_text.frozen_lake": "FrozenLakeEnv MAPS generate_random_map is_valid",
    "envs.toy_text.taxi": "TaxiEnv",
    "experimental.functional": "FuncEnv",
    "core": "Env Wrapper ObservationWrapper ActionWrapper RewardWrapper ActType ObsType RenderFrame WrapperObsType "
    "WrapperActType",
    "spaces": "Space Box Discrete Text MultiDiscrete MultiBinary Graph GraphInstance Tuple Sequence Dict OneOf flatdim "
    "flatten_space flatten unflatten",
    "spaces.utils": "FlatType flatdim flatten unflatten flatten_space is_space_dtype_shape_equiv",
    "vector": "VectorEnv VectorWrapper VectorObservationWrapper VectorActionWrapper VectorRewardWrapper SyncVectorEnv "
    "AsyncVectorEnv AutoresetMode utils",
    "vector.utils": "batch_space batch_differing_spaces iterate concatenate create_empty_array create_shared_memory "
    "read_from_shared_memory write_to_shared_memory CloudpickleWrapper clear_mpi_env_vars",
    "wrappers": "TimeLimit OrderEnforcing PassiveEnvChecker "
    # of observations
    "AddRenderObservation AtariPreprocessing DelayObservation DiscretizeObservation DtypeObservation FilterObservation "
    "FlattenObservation FrameStackObservation GrayscaleObservation MaxAndSkipObservation NormalizeObservation "
    "RescaleObservation ReshapeObservation ResizeObservation TimeAwareObservation TransformObservation",
    "wrappers.vector": "DtypeObservation FilterObservation FlattenObservation GrayscaleObservation "
    "NormalizeObservation RescaleObservation ReshapeObservation ResizeObservation TransformObservation "
    "VectorizeTransformObservation",
    "wrappers.utils": "create_zero_array rescale_box RunningMeanStd update_mean_var_count_from_moments",
    "envs.registration": "registry current_namespace EnvSpec WrapperSpec VectorizeMode register make make_vec spec "
    "pprint_registry register_envs namespace load_env_creator parse_env_id get_env_id find_highest_version ENV_ID_RE",
    "utils": "colorize EzPickle RecordConstructorArgs seeding",
    "utils.colorize": "colorize",
    "utils.ezpickle": "EzPickle",
    "utils.record_constructor": "RecordConstructorArgs",
    "utils.seeding": "np_random RNG RandomNumberGenerator",
    "utils.performance": "benchmark_step benchmark_vector_step benchmark_init benchmark_render",
    "utils.play": "play PlayableGame PlayPlot display_arr MissingKeysToAction",
    "utils.save_video": "capped_cubic_video_schedule save_video",
    "utils.env_checker": "check_env data_equivalence check_reset_seed_determinism check_reset_options "
    "check_step_determinism check_returned_data_not_reused check_reset_return_info_deprecation check_seed_deprecation "
    "check_reset_return_type check_space_limit",
    "utils.passive_env_checker": "env_reset_passive_checker env_step_passive_checker env_render_passive_checker "
    "check_space check_observation_space check_action_space check_obs data_shares_objects "
    "env_data_reuse_passive_checker",
    "utils.env_match": "check_environments_match",
    "utils.step_api_compatibility": "convert_to_terminated_truncated_step_api convert_to_done_step_api "
    "step_api_compatibility",
    "error": "Error UnregisteredEnv NamespaceNotFound NameNotFound VersionNotFound DeprecatedEnv RegistrationError "
    "DependencyNotInstalled UnsupportedMode InvalidMetadata ResetNeeded InvalidAction MissingArgument "
    "InvalidProbability InvalidBound DeprecatedWrapper "
    "AlreadyPendingCallError NoAsyncCallError ClosedEnvironmentError CustomSpaceError",
    "logger": "warn deprecation error min_level WARN ERROR",
}
BOTH = "gymkernel", "gymnasium"
NAMES = [(module, name) for module, names in MODULES.items() for name in names.split()]


def found(library: str, module: str, name: str) -> Any:
    """A name of a library; a test that needs one whose heavy third-party packages are not here is skipped."""
    try:
        return getattr(import_module(f"{library}.{module}".rstrip(".")), name)
    except gymkernel.error.PluginError as exc:
        if module in HEAVY and (isinstance(exc, gymkernel.error.MissingPlugin) or lacks_a_package(exc)):
            pytest.skip(f"{HEAVY[module]} is not installed, or not with what it needs: {exc}")
        raise
    except import_module("gymnasium").error.DependencyNotInstalled as exc:
        pytest.skip(f"gymnasium.{module} needs what is not installed: {exc}")


def lacks_a_package(exc: BaseException) -> bool:
    cause = exc.__cause__
    return isinstance(cause, ModuleNotFoundError) and not str(cause.name).startswith("gymkernel")


@pytest.mark.parametrize("module, name", NAMES)
def test_the_name_is_there_and_of_its_kind(module: str, name: str) -> None:
    ours, theirs = found("gymkernel", module, name), found("gymnasium", module, name)
    assert inspect.isclass(ours) == inspect.isclass(theirs)
    assert callable(ours) == callable(theirs)
    if inspect.isclass(theirs) and issubclass(theirs, Exception):
        bases = {base.__name__ for base in theirs.__mro__}
        assert bases <= {base.__name__ for base in ours.__mro__}


def parameters(function: Any) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(function).parameters.values() if p.name not in {"self", "cls"}]


ENCODER = {"save_video": "fps"}
"""Where Gymnasium hands any further keyword on to moviepy, which is not used here, the one that programs give."""


def assert_fits(ours: Any, theirs: Any) -> None:
    """Every call that theirs takes, ours takes with the same meaning."""
    mine = {p.name: p for p in parameters(ours)}
    swallows = any(p.kind is p.VAR_KEYWORD for p in mine.values())
    position = 0
    for parameter in parameters(theirs):
        if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
            further = any(p.kind is parameter.kind for p in mine.values())
            assert further or ENCODER.get(theirs.__name__) in mine, f"{parameter} is missing in {mine}"
            continue
        assert parameter.name in mine or swallows, f"{parameter} is missing in {list(mine)}"
        fitting = mine.get(parameter.name)
        if fitting is None:
            continue
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            assert list(mine).index(parameter.name) == position, f"{parameter} is not argument {position}"
            assert fitting.kind is not parameter.KEYWORD_ONLY
        assert (fitting.default is inspect.Parameter.empty) <= (parameter.default is inspect.Parameter.empty), parameter
        simple = None, bool, int, float, str, tuple
        if isinstance(parameter.default, simple[1:]) or parameter.default is None:
            assert fitting.default == parameter.default, f"{fitting}, not {parameter}"
        position += 1


CALLABLES = [(module, name) for module, name in NAMES if module not in {"error", "core"} and name != "registry"]


@pytest.mark.parametrize("module, name", CALLABLES)
def test_the_signature_fits(module: str, name: str) -> None:
    ours, theirs = found("gymkernel", module, name), found("gymnasium", module, name)
    if not callable(theirs):
        return
    try:
        inspect.signature(theirs)
    except (TypeError, ValueError):
        return
    if inspect.isclass(theirs) and hasattr(theirs, "__members__"):
        values = [{name: member.value for name, member in one.__members__.items()} for one in (ours, theirs)]
        assert values[0] == values[1]
        return
    if name not in {"VectorEnv", "Env", "RNG", "RandomNumberGenerator", "ObsType", "ActType"}:
        assert_fits(ours, theirs)


CLASSES = [("", "Env"), ("", "Wrapper"), ("", "Space"), ("vector", "VectorEnv"), ("vector", "VectorWrapper")]
CLASSES += [("vector", "SyncVectorEnv"), ("spaces", "Box"), ("spaces", "Discrete"), ("spaces", "MultiDiscrete")]
CLASSES += [
    ("spaces", "Tuple"),
    ("wrappers", "TimeLimit"),
    ("wrappers", "OrderEnforcing"),
    ("envs.registration", "EnvSpec"),
]
CLASSES += [
    ("vector", "VectorObservationWrapper"),
    ("vector", "VectorActionWrapper"),
    ("vector", "VectorRewardWrapper"),
]


@pytest.mark.parametrize("module, name", CLASSES)
def test_public_members_are_there_and_fit(module: str, name: str) -> None:
    ours, theirs = found("gymkernel", module, name), found("gymnasium", module, name)
    for member, value in inspect.getmembers(theirs):
        if member.startswith("_"):
            continue
        assert hasattr(ours, member), member
        if inspect.isfunction(value):
            assert_fits(getattr(ours, member), value)


ENVIRONMENTS = [(module, name) for module, name in NAMES if module.startswith("envs.") and name.endswith("Env")]


@pytest.mark.parametrize("module, name", ENVIRONMENTS)
def test_an_environment_imported_by_its_path_plays_the_same(module: str, name: str) -> None:
    envs = [found(library, module, name)() for library in BOTH]
    actions = envs[1].action_space
    actions.seed(3)
    assert type(envs[0]).__name__ == name
    assert plain(envs[0].reset(seed=1)[0]) == plain(envs[1].reset(seed=1)[0])
    for action in [actions.sample() for _ in range(5)]:
        (mine, *_), (their, *_) = envs[0].step(action), envs[1].step(action)
        assert plain(mine) == plain(their)
        if "Vector" not in name and _[1]:
            break


def plain(observation: Any) -> Any:
    return observation.tolist() if hasattr(observation, "tolist") else observation


def test_a_map_drawn_by_its_path_is_the_same() -> None:
    drawn = [found(library, "envs.toy_text.frozen_lake", "generate_random_map")(6, 0.7, 5) for library in BOTH]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("package", ["envs.classic_control", "envs.toy_text"])
def test_everything_of_a_package_is_imported_by_a_star(package: str) -> None:
    names: dict[str, Any] = {}
    exec(f"from gymkernel.{package} import *", names)  # noqa: S102 - the statement is what is tested
    assert set(import_module(f"gymnasium.{package}").__all__) <= names.keys()


def test_underscored_names_that_others_lean_on() -> None:
    for library in (import_module("gymkernel"), import_module("gymnasium")):
        env, envs = library.make("CartPole-v1"), library.make_vec("CartPole-v1", 2, "sync")
        env.reset(seed=1)
        assert env.unwrapped._np_random is env.np_random
        assert env.observation_space._shape == (4,)
        assert env.observation_space._np_random is None
        assert env._saved_kwargs == {"max_episode_steps": 500}
        assert env.env._disable_render_order_enforcing is False
        assert list(envs._add_info({}, {"a": 1}, 1)) == ["a", "_a"]


def test_every_public_name_at_the_top_is_covered() -> None:
    gymnasium = import_module("gymnasium")
    assert set(gymnasium.__all__) <= set(MODULES[""].split())
    assert set(MODULES[""].split()) <= set(dir(gymkernel))
