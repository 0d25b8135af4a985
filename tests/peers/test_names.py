"""A program for Gymnasium finds every name that this stage of gymkernel covers, with a signature that fits."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

import pytest

import gymkernel

LATER = {
    "spaces": "Dict Graph GraphInstance MultiBinary OneOf Sequence Text",
    "vector": "AsyncVectorEnv",
    "vector.utils": "CloudpickleWrapper clear_mpi_env_vars",
    "wrappers.utils": "RunningMeanStd update_mean_var_count_from_moments",
}
"""What other stages bring; a name that is there already is tested all the same."""

MODULES = {
    "": "Env Wrapper ObservationWrapper ActionWrapper RewardWrapper Space VectorizeMode make make_vec spec "
    "pprint_registry register register_envs registry envs error experimental logger spaces utils vector wrappers "
    "__version__",
    "experimental.functional": "FuncEnv",
    "core": "Env Wrapper ObservationWrapper ActionWrapper RewardWrapper ActType ObsType RenderFrame WrapperObsType "
    "WrapperActType",
    "spaces": "Space Box Discrete Text MultiDiscrete MultiBinary Graph GraphInstance Tuple Sequence Dict OneOf flatdim "
    "flatten_space flatten unflatten",
    "spaces.utils": "flatdim flatten unflatten flatten_space is_space_dtype_shape_equiv",
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
    "utils.seeding": "np_random RNG RandomNumberGenerator",
    "utils.env_checker": "check_env data_equivalence check_reset_seed_determinism check_reset_options "
    "check_step_determinism check_returned_data_not_reused check_reset_return_info_deprecation check_seed_deprecation "
    "check_reset_return_type check_space_limit",
    "utils.passive_env_checker": "env_reset_passive_checker env_step_passive_checker env_render_passive_checker "
    "check_space check_observation_space check_action_space check_obs data_shares_objects "
    "env_data_reuse_passive_checker",
    "utils.env_match": "check_environments_match",
    "error": "Error UnregisteredEnv NamespaceNotFound NameNotFound VersionNotFound DeprecatedEnv RegistrationError "
    "DependencyNotInstalled UnsupportedMode InvalidMetadata ResetNeeded InvalidAction MissingArgument "
    "InvalidProbability InvalidBound DeprecatedWrapper "
    "AlreadyPendingCallError NoAsyncCallError ClosedEnvironmentError CustomSpaceError",
    "logger": "warn deprecation error min_level WARN ERROR",
}
NAMES = [(module, name) for module, names in MODULES.items() for name in names.split()]


def found(library: str, module: str, name: str) -> Any:
    holder = import_module(f"{library}.{module}".rstrip("."))
    try:
        return getattr(holder, name)
    except (AttributeError, ImportError):
        if library == "gymkernel" and name in LATER.get(module, "").split():
            pytest.skip(f"{module}.{name} comes with another stage")
        raise


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


def assert_fits(ours: Any, theirs: Any) -> None:
    """Every call that theirs takes, ours takes with the same meaning."""
    mine = {p.name: p for p in parameters(ours)}
    swallows = any(p.kind is p.VAR_KEYWORD for p in mine.values())
    position = 0
    for parameter in parameters(theirs):
        if parameter.kind in {parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL}:
            assert any(p.kind is parameter.kind for p in mine.values()), f"{parameter} is missing in {mine}"
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
