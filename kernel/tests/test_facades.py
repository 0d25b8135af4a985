"""Tests of facades, which are modules whose attributes are the installed plugins, such as `gymkernel.spaces`."""

from __future__ import annotations

import importlib
import pickle
from typing import TYPE_CHECKING

import pytest

import gymkernel
import gymkernel.wrappers.vector
from gymkernel import error, plugins
from gymkernel._known import KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Install = Callable[..., Path]

FACADES = {
    "spaces": "gymkernel.spaces",
    "wrappers": "gymkernel.wrappers",
    "vector": "gymkernel.vector",
    "vector_wrappers": "gymkernel.wrappers.vector",
}


@pytest.fixture(params=list(FACADES.items()), ids=list(FACADES))
def kind_and_module(request: pytest.FixtureRequest) -> tuple[str, str]:
    kind, module = request.param
    return kind, module


def test_plugin_is_an_attribute_of_its_facade(install: Install, kind_and_module: tuple[str, str]) -> None:
    kind, module = kind_and_module
    install("acme", modules={"acme_one": "class One: pass"}, **{kind: {"One": "acme_one:One"}})

    one = importlib.import_module(module).One

    assert one.__module__ == "acme_one"


def test_plugin_can_be_imported_from_its_facade(install: Install) -> None:
    install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})

    from gymkernel.spaces import One  # type: ignore[attr-defined]

    assert One is gymkernel.spaces.One  # type: ignore[attr-defined]


def test_unknown_name_raises_attribute_error(install: Install, kind_and_module: tuple[str, str]) -> None:
    assert not hasattr(importlib.import_module(kind_and_module[1]), "Nope")


def test_private_names_are_never_looked_up(install: Install) -> None:
    install("acme", modules={"acme_one": ""}, spaces={"_one": "acme_one:One"})

    with pytest.raises(AttributeError, match=r"^module 'gymkernel.spaces' has no attribute '_one'$"):
        _ = gymkernel.spaces._one  # type: ignore[attr-defined]


def test_import_error_has_the_message_about_the_missing_plugin(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KNOWN["spaces"], "Obelisk", "gymkernel-space-obelisk")

    with pytest.raises(
        ImportError, match=r"^spaces\.Obelisk is not installed; run: pip install gymkernel-space-obelisk$"
    ):
        from gymkernel.spaces import Obelisk  # type: ignore[attr-defined]  # noqa: F401


def test_import_error_has_the_message_about_the_broken_plugin(install: Install) -> None:
    install("acme", modules={"acme_broken": "1 / 0"}, spaces={"Bad": "acme_broken:Bad"})

    with pytest.raises(error.BrokenPlugin, match="ZeroDivisionError"):
        from gymkernel.spaces import Bad  # type: ignore[attr-defined]  # noqa: F401


def test_dir_lists_installed_names_without_loading_them(install: Install, kind_and_module: tuple[str, str]) -> None:
    kind, module = kind_and_module
    install("acme", **{kind: {"One": "acme_absent:One"}})

    listed = importlib.import_module(module).__dir__()  # `dir` would sort the result

    assert "One" in listed
    assert set(vars(importlib.import_module(module))) <= set(listed)
    assert listed == sorted(listed)
    assert plugins.plugins(kind)[0].state is plugins.State.FOUND


def test_loaded_plugins_are_cached_until_a_refresh(install: Install) -> None:
    install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})
    assert gymkernel.spaces.One  # type: ignore[attr-defined]
    assert "One" in vars(gymkernel.spaces)

    plugins.refresh()

    assert "One" not in vars(gymkernel.spaces)
    assert plugins.cached == []


def test_plugin_can_import_another_plugin_through_the_facade(install: Install) -> None:
    install("acme-a", modules={"acme_a": "class A: pass"}, spaces={"A": "acme_a:A"})
    install("acme-b", modules={"acme_b": "from gymkernel.spaces import A\nclass B(A): pass"}, spaces={"B": "acme_b:B"})

    assert gymkernel.spaces.B.__mro__[1].__name__ == "A"  # type: ignore[attr-defined]


def test_instances_pickle_by_the_plugins_module(install: Install) -> None:
    install("acme", modules={"acme_one": "class One: pass"}, spaces={"One": "acme_one:One"})

    copied = pickle.loads(pickle.dumps(gymkernel.spaces.One()))  # type: ignore[attr-defined]

    assert type(copied) is gymkernel.spaces.One  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "module,names",
    [
        ("gymkernel", "Env Wrapper ObservationWrapper ActionWrapper RewardWrapper Space make make_vec spec register"),
        ("gymkernel", "registry VectorizeMode pprint_registry register_envs core envs spaces utils vector wrappers"),
        ("gymkernel", "error logger __version__"),
        ("gymkernel.core", "Env Wrapper ObservationWrapper ActionWrapper RewardWrapper ObsType ActType RenderFrame"),
        ("gymkernel.core", "WrapperObsType WrapperActType"),
        ("gymkernel.spaces", "Space flatdim flatten flatten_space unflatten utils"),
        ("gymkernel.spaces.utils", "flatdim flatten flatten_space unflatten is_space_dtype_shape_equiv"),
        (
            "gymkernel.vector",
            "VectorEnv VectorWrapper VectorObservationWrapper VectorActionWrapper AutoresetMode utils",
        ),
        ("gymkernel.vector", "VectorRewardWrapper"),
        ("gymkernel.vector.utils", "batch_space batch_differing_spaces iterate concatenate create_empty_array"),
        ("gymkernel.vector.utils", "create_shared_memory read_from_shared_memory write_to_shared_memory"),
        ("gymkernel.wrappers", "vector utils ActionWrapper ObservationWrapper RewardWrapper"),
        ("gymkernel.vector.vector_env", "VectorEnv VectorWrapper VectorObservationWrapper VectorActionWrapper"),
        ("gymkernel.vector.vector_env", "VectorRewardWrapper AutoresetMode ArrayType"),
        ("gymkernel.vector.utils.space_utils", "batch_space iterate concatenate create_empty_array"),
        ("gymkernel.vector.utils.shared_memory", "create_shared_memory read_from_shared_memory"),
        ("gymkernel.spaces.space", "Space"),
        ("gymkernel.wrappers.utils", "create_zero_array"),
        ("gymkernel.utils", "colorize RecordConstructorArgs"),
        ("gymkernel.utils.seeding", "np_random RNG RandomNumberGenerator"),
        ("gymkernel.envs.registration", "registry EnvSpec WrapperSpec VectorizeMode register make make_vec spec"),
        ("gymkernel.envs.registration", "pprint_registry register_envs namespace current_namespace load_env_creator"),
        ("gymkernel.envs.registration", "parse_env_id get_env_id find_highest_version ENV_ID_RE"),
        ("gymkernel.error", "Error UnregisteredEnv NamespaceNotFound NameNotFound VersionNotFound DeprecatedEnv"),
        ("gymkernel.error", "RegistrationError DependencyNotInstalled UnsupportedMode InvalidMetadata ResetNeeded"),
        ("gymkernel.error", "InvalidAction MissingArgument InvalidProbability InvalidBound DeprecatedWrapper"),
        ("gymkernel.error", "AlreadyPendingCallError NoAsyncCallError ClosedEnvironmentError CustomSpaceError"),
        ("gymkernel.logger", "warn deprecation error min_level WARN ERROR"),
    ],
)
def test_documented_names_exist(module: str, names: str) -> None:
    home = importlib.import_module(module)

    assert [name for name in names.split() if not hasattr(home, name)] == []


def test_package_dir_is_complete() -> None:
    assert set(gymkernel.__all__) <= set(dir(gymkernel))
    assert all(hasattr(gymkernel, name) for name in gymkernel.__all__)


def test_package_has_no_undocumented_names() -> None:
    with pytest.raises(AttributeError, match=r"^module 'gymkernel' has no attribute 'nope'$"):
        getattr(gymkernel, "nope")  # noqa: B009 - mypy would reject direct access


def test_current_namespace_is_up_to_date() -> None:
    from gymkernel.envs import registration

    with registration.namespace("lab"):
        assert registration.current_namespace == "lab"
    assert registration.current_namespace is None


def test_registration_has_no_undocumented_names() -> None:
    from gymkernel.envs import registration

    assert not hasattr(registration, "nope")


def test_helper_is_in_the_module_named_by_its_prefix(install: Install) -> None:
    install("acme", modules={"acme_one": "def one(): pass"}, utils={"wrappers.utils.one": "acme_one:one"})

    from gymkernel.wrappers import utils

    assert utils.one.__module__ == "acme_one"  # type: ignore[attr-defined]
    assert "one" in dir(utils)
    assert "one" not in dir(gymkernel.wrappers)


def test_unknown_plugin_error_names_the_kind(install: Install) -> None:
    with pytest.raises(AttributeError, match=r"^gymkernel has no spaces\.Nothing") as caught:
        _ = gymkernel.spaces.Nothing  # type: ignore[attr-defined]

    assert caught.value.name == "Nothing"


def test_unknown_helper_error_names_the_module(install: Install) -> None:
    from gymkernel.wrappers import utils

    with pytest.raises(AttributeError, match=r"^gymkernel has no gymkernel\.wrappers\.utils\.nothing"):
        _ = utils.nothing  # type: ignore[attr-defined]


def test_package_does_not_contain_the_names_of_its_submodules(install: Install) -> None:
    entries = {"wrappers.utils.one": "acme_one:one", "wrappers.utils.inside.two": "acme_one:two"}
    install("acme", modules={"acme_one": "def one(): pass\ndef two(): pass"}, utils=entries)
    found: dict[str, object] = {}

    exec("from gymkernel.wrappers.utils import *", found)  # noqa: S102 - the statement is tested

    assert "one" in found
    assert "inside.two" not in dir(importlib.import_module("gymkernel.wrappers.utils"))


def test_helper_in_a_facade_is_not_a_plugin_of_that_kind(install: Install) -> None:
    install("acme", modules={"acme_one": "class Form: pass"}, utils={"vector.Form": "acme_one:Form"})
    found: dict[str, object] = {}

    from gymkernel.vector import Form  # type: ignore[attr-defined]

    exec("from gymkernel.vector import *", found)  # noqa: S102 - the statement is tested
    assert found["Form"] is Form
    assert "Form" in dir(gymkernel.vector)
    assert "Form" not in plugins.names("vector")


def test_plugin_takes_precedence_over_a_helper(install: Install) -> None:
    install("acme", modules={"acme_one": "class Box: pass"}, spaces={"Box": "acme_one:Box"})
    install("other", modules={"other_one": "class Box: pass"}, utils={"spaces.Box": "other_one:Box"})

    assert gymkernel.spaces.Box.__module__ == "acme_one"


def test_missing_helper_error_names_its_distribution(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN["utils"], "vector.Obelisk", "gymkernel-util-obelisk")

    with pytest.raises(
        ImportError, match=r"^gymkernel\.vector\.Obelisk is not installed; run: pip install gymkernel-util-obelisk$"
    ):
        from gymkernel.vector import Obelisk  # type: ignore[attr-defined]  # noqa: F401


@pytest.mark.parametrize("name", ["Wrapper", "ActionWrapper", "ObservationWrapper", "RewardWrapper"])
def test_wrapper_base_classes_are_in_the_wrappers_facade(name: str) -> None:
    assert getattr(gymkernel.wrappers, name) is getattr(gymkernel, name)


def test_star_import_has_the_installed_plugins(install: Install, kind_and_module: tuple[str, str]) -> None:
    kind, module = kind_and_module
    install("acme", modules={"acme_one": "class One: pass"}, **{kind: {"One": "acme_one:One"}})
    found: dict[str, object] = {}

    exec(f"from {module} import *", found)  # noqa: S102 - the statement is tested

    assert "One" in found
    assert not found.keys() & {"TYPE_CHECKING", "annotations", "facade"}
    assert {name for name in found if name.startswith("_")} == {"__builtins__"}
