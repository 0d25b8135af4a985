"""Tests of tools/sync.py on copies of this checkout."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import sync

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
BOX = "plugins/spaces/box/pyproject.toml"
FACADE = "kernel/src/gymkernel/spaces/__init__.py"
RUN = "plugins/tools/run/pyproject.toml"
STUB = f"{FACADE}i"
GUIDE = "docs/guides/rollout-performance.md"
MEASURED = (
    *(f"docs/{name}.json" for name in ("benchmarks", "rollouts", "growth")),
    GUIDE,
    "docs/guides/performance.md",
)
"""Files with benchmark results, and the guides into which the results are inserted."""


@dataclass(frozen=True)
class Checkout:
    """A copy of this checkout for tests to modify, in which tools/sync.py runs."""

    root: Path
    capsys: pytest.CaptureFixture[str]
    edited: dict[str, str] = field(default_factory=dict)
    """The original text of each edited file."""

    def sync(self, *options: str) -> tuple[int, str, str]:
        code = sync.main(self.root, list(options))
        written = self.capsys.readouterr()
        return code, written.out, written.err

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text
        self.edited.setdefault(path, text)
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def stamped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of this checkout in which all generated text is up to date, even if the checkout is not."""
    root = tmp_path_factory.mktemp("stamped") / "checkout"
    ignored = ".*", "__pycache__", "tests"
    shutil.copytree(ROOT / "kernel", root / "kernel", ignore=shutil.ignore_patterns(*ignored))
    for kind in sorted(path.name for path in (ROOT / "plugins").iterdir() if path.is_dir()):
        # The stamps depend only on the code of wrappers. `utils` contains wrappers for compatibility.
        ignore = shutil.ignore_patterns(*ignored, *([] if kind in {"wrappers", "utils"} else ["*.py"]))
        shutil.copytree(ROOT / "plugins" / kind, root / "plugins" / kind, ignore=ignore)
    (root / "docs" / "guides").mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE", "requirements-dev.txt", *MEASURED):
        shutil.copy(ROOT / name, root / name)
    sync.main(root, [])
    return root


@pytest.fixture
def checkout(stamped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Checkout:
    shutil.copytree(stamped, tmp_path, dirs_exist_ok=True)
    return Checkout(tmp_path, capsys)


@pytest.fixture
def shared(stamped: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Checkout]:
    """Return the copy of all tests in this file. Files that a test edits are restored, but no other files."""
    checkout = Checkout(stamped, capsys)
    yield checkout
    for path, text in checkout.edited.items():
        (stamped / path).write_text(text, encoding="utf-8")


def test_generated_files_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert Checkout(ROOT, capsys).sync("--check") == (0, "", "")


@pytest.mark.parametrize(
    "path, old, new",
    [
        (BOX, 'version = "0.1.0"\n', ""),
        pytest.param(BOX, '"gymkernel>=0.1,<1"', '"gymkernel"', marks=pytest.mark.slow),
        pytest.param(
            RUN, "[spaces,wrappers,vector,envs]>=0.1,<1", "[spaces,wrappers,vector,envs]", marks=pytest.mark.slow
        ),
        pytest.param(BOX, 'build-backend = "uv_build"', 'build-backend = "another"', marks=pytest.mark.slow),
        pytest.param(STUB, "    from gymkernel_space_box import Box as Box\n", "", marks=pytest.mark.slow),
        pytest.param(STUB, "from gymkernel.space import Space as Space\n", "", marks=pytest.mark.slow),
        pytest.param("kernel/src/gymkernel/_known.py", '"Box"', '"Bax"', marks=pytest.mark.slow),
        pytest.param(
            "kernel/src/gymkernel/__init__.py", '__version__ = "', '__version__ = "9.', marks=pytest.mark.slow
        ),
        pytest.param("kernel/pyproject.toml", '    "gymkernel-space-box>=0.1,<1",\n', "", marks=pytest.mark.slow),
        pytest.param("pyproject.toml", "gymkernel-space-box = { workspace = true }\n", "", marks=pytest.mark.slow),
        pytest.param(
            "pyproject.toml", '    "$MYPY_CONFIG_FILE_DIR/plugins/spaces/box/src",\n', "", marks=pytest.mark.slow
        ),
        pytest.param("README.md", "[gymkernel-space-box]", "[gymkernel-space-bax]", marks=pytest.mark.slow),
        pytest.param("requirements-dev.txt", "-e ./plugins/spaces/box\n", "", marks=pytest.mark.slow),
        pytest.param("docs/guides/performance.md", "| `gymkernel list`", "| `gymkernel lost`", marks=pytest.mark.slow),
    ],
)
def test_stale_files_are_named_and_rewritten(shared: Checkout, path: str, old: str, new: str) -> None:
    before = shared.read(path)
    shared.edit(path, old, new)
    assert shared.sync("--check")[:2] == (1, f"{path} is stale\n")
    assert shared.sync() == (0, f"stamped {path}\n", "")
    assert shared.read(path) == before


@pytest.mark.slow
def test_root_version_is_copied_to_every_distribution(checkout: Checkout) -> None:
    checkout.edit("pyproject.toml", 'version = "0.1.0"', 'version = "2.3.0"')
    assert checkout.sync()[0] == 0
    box = tomllib.loads(checkout.read(BOX))["project"]
    assert box["version"] == "2.3.0"
    assert "gymkernel>=2.3,<3" in box["dependencies"]
    assert '__version__ = "2.3.0"' in checkout.read("kernel/src/gymkernel/__init__.py")


@pytest.mark.slow
def test_handwritten_text_is_kept(checkout: Checkout) -> None:
    checkout.edit(BOX, "dependencies = [", "# as little as can be\ndependencies = [ # and no more\n    ")
    checkout.edit(BOX, "[build-system]", "# below is stamped\n[build-system]")
    checkout.edit(BOX, '"gymkernel>=0.1,<1"', '"gymkernel"')
    assert checkout.sync()[0] == 0
    text = checkout.read(BOX)
    assert "# as little as can be\ndependencies = [ # and no more\n" in text
    assert "# below is stamped\n[build-system]" in text
    assert '"gymkernel>=0.1,<1"' in text


def test_new_plugin_is_completed_from_a_few_lines(checkout: Checkout) -> None:
    folder = checkout.root / "plugins" / "wrappers" / "shout-reward"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "gymkernel-wrapper-shout-reward"\ndescription = "Makes rewards louder"\n'
        'dependencies = ["gymkernel"]\n\n[project.entry-points."gymkernel.wrappers"]\n'
        'ShoutReward = "gymkernel_wrapper_shout_reward:ShoutReward"\n',
        encoding="utf-8",
    )
    assert checkout.sync()[0] == 0
    stamped = tomllib.loads(checkout.read("plugins/wrappers/shout-reward/pyproject.toml"))
    other = tomllib.loads(checkout.read(BOX))
    assert list(stamped["project"])[:7] == list(other["project"])[:7]
    assert stamped["build-system"] == other["build-system"]
    for path, line in {
        "kernel/src/gymkernel/wrappers/__init__.pyi": "from gymkernel_wrapper_shout_reward import ShoutReward",
        "kernel/src/gymkernel/_known.py": '"ShoutReward": "gymkernel-wrapper-shout-reward"',
        "kernel/pyproject.toml": '"gymkernel-wrapper-shout-reward>=0.1,<1"',
        "requirements-dev.txt": "-e ./plugins/wrappers/shout-reward",
        "README.md": "| [gymkernel-wrapper-shout-reward](plugins/wrappers/shout-reward) | `ShoutReward` |",
    }.items():
        assert line in checkout.read(path)


@pytest.mark.slow
def test_helper_gets_the_module_named_by_its_prefix(checkout: Checkout) -> None:
    checkout.edit(
        BOX,
        "[build-system]",
        '[project.entry-points."gymkernel.utils"]\n"utils.boxes.pack" = "gymkernel_space_box:pack"\n\n[build-system]',
    )

    code, *_ = checkout.sync()

    assert code == 0
    assert "from gymkernel_space_box import pack as pack" in checkout.read("kernel/src/gymkernel/utils/boxes.pyi")
    assert '"utils.boxes.pack": "gymkernel-space-box"' in checkout.read("kernel/src/gymkernel/_known.py")


def offer(checkout: Checkout, **names: str) -> None:
    """Add helpers to the box plugin. A double underscore in an argument's name represents a dot."""
    entries = [f'"{name.replace("__", ".")}" = "gymkernel_space_box:{value}"' for name, value in names.items()]
    group = "\n".join(['[project.entry-points."gymkernel.utils"]', *entries])
    checkout.edit(BOX, "[build-system]", f"{group}\n\n[build-system]")


@pytest.mark.slow
def test_helpers_in_a_package_and_its_submodules(checkout: Checkout) -> None:
    offer(checkout, envs__shapes__Box="Box", envs__shapes__cube__Cube="Cube", envs__shapes__cube__SIZE="SIZE")

    assert checkout.sync()[0] == 0

    package = checkout.read("kernel/src/gymkernel/envs/shapes/__init__.pyi")
    assert package.startswith("# stamped by ")
    assert "from gymkernel.envs.shapes import cube as cube\nfrom gymkernel_space_box import Box as Box\n" in package
    assert (
        "from gymkernel_space_box import SIZE as SIZE\nfrom gymkernel_space_box import Cube as Cube\n"
        in checkout.read("kernel/src/gymkernel/envs/shapes/cube.pyi")
    )
    assert "import shapes as shapes" in checkout.read("kernel/src/gymkernel/envs/__init__.pyi")
    assert checkout.sync("--check") == (0, "", "")


@pytest.mark.slow
def test_generated_package_has_no_own_names(checkout: Checkout) -> None:
    offer(checkout, envs__shapes__flat__square__Square="Square")

    assert checkout.sync()[0] == 0

    outer = checkout.read("kernel/src/gymkernel/envs/shapes/__init__.pyi")
    assert outer.endswith("\n\nfrom gymkernel.envs.shapes import flat as flat\n")
    assert "import square as square" in checkout.read("kernel/src/gymkernel/envs/shapes/flat/__init__.pyi")
    assert "import Square as Square" in checkout.read("kernel/src/gymkernel/envs/shapes/flat/square.pyi")


@pytest.mark.slow
def test_module_becomes_a_package_and_is_deleted_when_empty(checkout: Checkout) -> None:
    before = checkout.read(BOX)
    offer(checkout, envs__shapes__Box="Box")
    checkout.sync()
    checkout.edit(BOX, '"envs.shapes.Box" =', '"envs.shapes.cube.Cube" =')

    assert checkout.sync("--check")[0] == 1
    code, written, _ = checkout.sync()

    assert code == 0
    assert "removed kernel/src/gymkernel/envs/shapes.pyi\n" in written
    assert "import Box" not in checkout.read("kernel/src/gymkernel/envs/shapes/__init__.pyi")

    (checkout.root / BOX).write_text(before, encoding="utf-8")
    checkout.sync()
    assert not list((checkout.root / "kernel/src/gymkernel/envs").rglob("shapes/*.pyi"))


def provide(checkout: Checkout, *paths: str) -> None:
    """Add modules below gymkernel to the box plugin."""
    entries = "\n".join(f'"{path}" = "gymkernel_space_box"' for path in paths)
    checkout.edit(BOX, '"spaces.box" = "gymkernel_space_box"', f'"spaces.box" = "gymkernel_space_box"\n{entries}')


@pytest.mark.slow
def test_stub_of_a_path_lists_everything_in_its_module(checkout: Checkout) -> None:
    provide(checkout, "envs.crates.wooden")

    assert checkout.sync()[0] == 0

    assert "\nfrom gymkernel_space_box import *\n" in checkout.read("kernel/src/gymkernel/envs/crates/wooden.pyi")
    assert "import wooden as wooden" in checkout.read("kernel/src/gymkernel/envs/crates/__init__.pyi")
    assert '"envs.crates.wooden": "gymkernel-space-box"' in checkout.read("kernel/src/gymkernel/_known.py")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path, message",
    [
        ("utils.seeding", "kernel/src/gymkernel/utils/seeding.py has the same path; remove one of the two"),
        ("wrappers.utils", "RunningMeanStd, rescale_box, update_mean_var_count_from_moments cannot be added to it"),
        ("vector", "SyncVectorEnv cannot be added to it"),
    ],
)
def test_path_is_a_module_or_has_names_without_a_file(checkout: Checkout, path: str, message: str) -> None:
    provide(checkout, path)
    code, _, errors = checkout.sync()
    assert code == 1
    assert message in errors


@pytest.mark.slow
def test_handwritten_facade_gets_names_of_plugins(checkout: Checkout) -> None:
    offer(checkout, utils__seeding__pack="pack")
    code, _, errors = checkout.sync()
    assert code == 1
    assert "kernel/src/gymkernel/utils/seeding.py is no facade, so pack would not be found there" in errors

    (checkout.root / "kernel/src/gymkernel/utils/seeding.py").write_text(
        "from gymkernel.plugins import facade\n\n__getattr__, __dir__ = facade(__name__, 'utils', globals())\n",
        encoding="utf-8",
    )
    assert checkout.sync()[0] == 0
    assert "from gymkernel_space_box import pack as pack" in checkout.read("kernel/src/gymkernel/utils/seeding.pyi")


@pytest.mark.slow
def test_facade_stub_lists_names_of_file_and_plugins(checkout: Checkout) -> None:
    stub = "kernel/src/gymkernel/spaces/__init__.pyi"
    checkout.edit(
        FACADE,
        "__getattr__, __dir__ =",
        "if TYPE_CHECKING:\n    from gymkernel.specs import EnvSpec\n\n__getattr__, __dir__ =",
    )
    checkout.edit(
        FACADE,
        "from gymkernel.ops import",
        "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nfrom gymkernel.ops import",
    )
    text = (
        checkout.read(FACADE) + '\n\ndef unlike(spec: EnvSpec, n: int = 1) -> str:\n    """Say why."""\n    return ""\n'
    )
    (checkout.root / FACADE).write_text(text, encoding="utf-8")
    (checkout.root / "kernel/src/gymkernel/spaces/shapes.py").touch()

    assert checkout.sync()[0] == 0

    lines = checkout.read(stub).splitlines()
    assert {
        "from gymkernel.specs import EnvSpec",  # a stub re-exports an imported name only if the import has an `as`
        "from gymkernel.space import Space as Space",
        "    from gymkernel.spaces import shapes as shapes",
        "    from gymkernel_space_box import Box as Box",
        '    "Box",',
        '    "Space",',
        '    "unlike",',
    } <= set(lines)
    assert lines[-2:] == ["def unlike(spec: EnvSpec, n: int=1) -> str:", "    ..."]
    assert not [line for line in lines if "facade" in line or "annotations" in line]
    assert '    "shapes",' not in lines


@pytest.mark.slow
def test_stub_is_deleted_with_its_facade(checkout: Checkout) -> None:
    path = checkout.root / "kernel/src/gymkernel/utils/boxes.py"
    path.write_text("__getattr__, __dir__ = facade(__name__, 'utils', globals())\n", encoding="utf-8")
    checkout.sync()
    assert path.with_suffix(".pyi").is_file()

    path.write_text("", encoding="utf-8")

    assert "kernel/src/gymkernel/utils/boxes.pyi is stale\n" in checkout.sync("--check")[1]
    assert "removed kernel/src/gymkernel/utils/boxes.pyi\n" in checkout.sync()[1]
    assert not path.with_suffix(".pyi").exists()


@pytest.mark.slow
def test_readme_lists_import_paths_of_helpers(checkout: Checkout) -> None:
    offer(checkout, envs__shapes__Box="Box", envs__shapes__cube__Cube="Cube", wrappers__utils__pack="pack")
    provide(checkout, "envs.crates")
    checkout.sync()
    # no entry for `envs.shapes`, which contains another path of Box, or for `spaces.box`
    assert "| `Box`, `envs.crates`, `envs.shapes.cube`, `wrappers.utils` |" in checkout.read("README.md")


@pytest.mark.slow
def test_heavy_plugins_are_installed_by_name_only(checkout: Checkout) -> None:
    checkout.edit("pyproject.toml", "heavy = [", 'heavy = ["gymkernel-vector-sync", ')
    assert checkout.sync()[0] == 0
    root = tomllib.loads(checkout.read("pyproject.toml"))
    assert not [name for name in root["project"]["dependencies"] if "vector-sync" in name]
    assert "gymkernel-vector-sync" in root["tool"]["uv"]["sources"]
    assert "gymkernel-vector-sync" not in checkout.read("kernel/pyproject.toml")
    assert "vector/sync" not in checkout.read("requirements-dev.txt")
    assert "plugins/vector/sync" in root["tool"]["pytest"]["norecursedirs"]


@pytest.mark.slow
def test_heavy_extras_are_installed_by_name_only(checkout: Checkout) -> None:
    assert "gymkernel-tool-rollout[plot,video]" in checkout.read("kernel/pyproject.toml")
    checkout.edit("pyproject.toml", "heavy-extras = [", 'heavy-extras = ["gymkernel-tool-rollout[plot]", ')
    assert checkout.sync()[0] == 0
    assert "gymkernel-tool-rollout[video]" in checkout.read("kernel/pyproject.toml")


@pytest.mark.slow
def test_extra_full_has_light_and_chosen_plugins(checkout: Checkout) -> None:
    checkout.edit("pyproject.toml", 'full = [\n    "gymkernel-tool-play",', "full = [")
    checkout.edit(
        "plugins/tools/bench/pyproject.toml",
        "[build-system]",
        '[project.optional-dependencies]\nx = ["y"]\n[build-system]',
    )
    assert checkout.sync()[0] == 0
    extras = tomllib.loads(checkout.read("kernel/pyproject.toml"))["project"]["optional-dependencies"]
    full = {item.name: item for item in map(Requirement, extras["full"])}
    light = {Requirement(item).name for item in extras["all"]}
    assert light < set(full)
    assert "gymkernel-util-video" in full
    assert "gymkernel-tool-play" not in full
    assert "gymkernel-bridge-gymnasium" not in full
    assert full["gymkernel-tool-rollout"].extras == {"plot", "video"}
    assert full["gymkernel-tool-bench"].extras == {"x"}
    assert full["gymkernel-util-video"].specifier == full["gymkernel-space-box"].specifier
    rows = {line.partition("]")[0]: line for line in checkout.read("README.md").splitlines()}
    assert rows["| [gymkernel-tool-play"].endswith("| its name |")
    assert rows["| [gymkernel-util-video"].endswith("| full |")
    assert rows["| [gymkernel-space-box"].endswith("| all, full |")


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder, remedy",
    [
        ("plugins/spaces/left-over", "plugins/spaces/left-over has no pyproject.toml"),
        ("plugins/toys/ball", "plugins/toys is not a kind"),
    ],
)
def test_stray_folder_is_reported_with_a_remedy(checkout: Checkout, folder: str, remedy: str) -> None:
    (checkout.root / folder / "__pycache__").mkdir(parents=True)
    code, _, errors = checkout.sync("--check")
    assert code == 1
    assert remedy in errors


@pytest.mark.slow
def test_cluster_guide_shows_the_measurements(checkout: Checkout) -> None:
    figures = json.loads(checkout.read("docs/growth.json"))
    for row in figures["rows"]:
        row["driver"], row["bytes"] = 0.5, 1250.0  # two million steps per second, and one million at 10 Gbit/s
    (checkout.root / "docs" / "growth.json").write_text(json.dumps(figures), encoding="utf-8")
    assert checkout.sync("--check")[0] == 1
    assert checkout.sync()[0] == 0
    text = checkout.read(GUIDE)
    (line,) = [line for line in text.splitlines() if line.startswith("| 100 µs of work | 1") and line.count("|") == 10]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    program, network = (float(cells[k].replace(",", "")) for k in (4, 6))
    assert 1.8 < program / network < 2.2
    assert "| the program, fragments: CartPole, another machine | 490 | 490 | 490 | 490 |" in text


@pytest.mark.slow
def test_missing_measurements_are_named(checkout: Checkout) -> None:
    name = "1 ms of work, exponential, Ray, through its store, driver"
    checkout.edit("docs/rollouts.json", name, "another")
    code, _, errors = checkout.sync("--check")
    assert code == 1
    assert name in errors
    assert "tox run -e bench-ray" in errors


@pytest.mark.slow
def test_path_can_be_a_module_of_a_dependency(checkout: Checkout) -> None:
    checkout.edit(BOX, '"spaces.box" = "gymkernel_space_box"', '"spaces.box" = "numpy.random"')
    assert checkout.sync()[0] == 0
    assert "from numpy.random import *" in checkout.read("kernel/src/gymkernel/spaces/box.pyi")


@pytest.mark.slow
def test_provider_of_another_packages_modules_is_an_extra(checkout: Checkout) -> None:
    assert """"envs.box2d": '"gymkernel[box2d]"',""" in checkout.read("kernel/src/gymkernel/_known.py")
    assert "from gymkernel_env_box2d import *" in checkout.read("kernel/src/gymkernel/envs/box2d.pyi")


@pytest.mark.parametrize(
    "path, old, new, message",
    [
        (BOX, "gymkernel-space-box", "gymkernel-box", "expected the name 'gymkernel-space-box' for this folder"),
        (BOX, "gymkernel_space_box:Box", "numpy:ndarray", "which is outside gymkernel_space_box"),
        pytest.param(
            BOX, '"gymkernel_space_box"', '"jax.core"', "which is outside gymkernel_space_box", marks=pytest.mark.slow
        ),
        pytest.param(
            "plugins/wrappers/clip-reward/src/gymkernel_wrapper_clip_reward/__init__.py",
            "class ClipReward(",
            "class Clip(",
            "gymkernel_wrapper_clip_reward does not define ClipReward; define the class there",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "plugins/wrappers/clip-reward/src/gymkernel_wrapper_clip_reward/vector.py",
            "(VectorizedRewardWrapper[ObsType, ActType, ArrayType])",
            "(VectorizedRewardWrapper[ObsType, ActType])",
            "VectorizedRewardWrapper has the type parameters ObsType, ActType, ArrayType; write an argument for each",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "pyproject.toml",
            '["envs.box2d"]',
            '["envs.box3d"]',
            "box2d has envs.box3d, which no plugin provides; remove it from the list",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "plugins/spaces/tuple/pyproject.toml",
            'Tuple = "',
            'Box = "',
            "spaces.Box is provided by",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "README.md",
            "<!-- /plugins -->",
            "",
            "has no lines '<!-- plugins -->' and '<!-- /plugins -->'",
            marks=pytest.mark.slow,
        ),
        (
            FACADE,
            "import flatdim,",
            "import flatdim as Box,",
            "defines Box and therefore hides gymkernel_space_box:Box",
        ),
        pytest.param(
            FACADE,
            "__getattr__, ",
            "shape = ()\n__getattr__, ",
            "move other code into a module, and import it from there",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "pyproject.toml",
            "heavy = [",
            'heavy = ["gymkernel-env-none", ',
            "which does not exist; remove it from the list",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "pyproject.toml",
            "heavy-extras = [",
            'heavy-extras = ["gymkernel-tool-bench[none]", ',
            "heavy-extras lists gymkernel-tool-bench[none], which does not exist; remove it from the list",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "pyproject.toml",
            "full = [",
            'full = ["gymkernel-vector-sync", ',
            "which is not heavy; remove it from the list",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "docs/benchmarks.json",
            '"with infos, 64"',
            '"with infos, 65"',
            "has no case 'with infos, 64' in 'SyncVectorEnv, time of a vector step'; change tools/figures.py",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "requirements-dev.txt", "numpy==", "nampy==", "has no pin that satisfies numpy>=2.0", marks=pytest.mark.slow
        ),
    ],
)
def test_problems_to_fix_by_hand_are_named(shared: Checkout, path: str, old: str, new: str, message: str) -> None:
    shared.edit(path, old, new)
    code, _, errors = shared.sync("--check")
    assert code == 1
    assert message in errors


@pytest.mark.slow
def test_missing_facade_is_named(checkout: Checkout) -> None:
    (checkout.root / FACADE).unlink()
    code, _, errors = checkout.sync()
    assert code == 1
    assert f"{FACADE} does not exist" in errors


def test_nothing_heavy_is_pinned() -> None:
    workspace = sync.load(ROOT)
    light = {canonicalize_name(Requirement(item).name) for item in sync._third_party(workspace)}
    heavy = [member for member in workspace.members if member not in workspace.light]
    asked = {need for member in heavy for need in member.project["dependencies"] if not need.startswith("gymkernel")}
    unwanted = {canonicalize_name(Requirement(item).name) for item in asked} - light
    pins = [line for line in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines() if "==" in line]
    pinned = {canonicalize_name(Requirement(pin).name) for pin in pins}
    assert not pinned & unwanted, "only heavy plugins need some of the pins; remove a pin and run tools/sync.py"
