"""Tests that the table of third-party environments matches the packages that its extras install."""

from __future__ import annotations

import fnmatch
import json
import os
import subprocess
import sys

import pytest

from gymkernel import plugins
from gymkernel.third_party import ENVS, MODULES, REGISTERING

os.environ.setdefault("PYGLET_HEADLESS", "true")  # miniworld needs this setting without a display
pytestmark = pytest.mark.slow

INSTALLED = (
    *(
        "ale_py",
        "flappy_bird_gymnasium",
        "gym_aloha",
        "gym_anytrading",
        "gym_pusht",
        "gymnasium_robotics",
        "highway_env",
    ),
    *("minigrid", "miniworld", "mo_gymnasium", "panda_gym", "popgym", "vizdoom"),
)
"""The modules in the table that this tox environment installs."""
BUILT_IN = ("Box2D", "jax", "mujoco")
"""Packages that Gymnasium's own environments need."""

REPORT = """
import gymnasium, json
before = dict(gymnasium.registry)
import MODULE
own = [env_id for env_id, spec in before.items() if not callable(spec.entry_point)]
print(json.dumps(own if "MODULE" == "gymnasium" else sorted(set(gymnasium.registry) - set(before))))
"""


def registered(module: str) -> list[str]:
    """Return the ids that importing a module registers, without those that only name the package that replaced them."""
    words = [sys.executable, "-W", "ignore", "-c", REPORT.replace("MODULE", module)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    ids: list[str] = json.loads(done.stdout.splitlines()[-1])
    return ids


def rows(env_id: str) -> set[str]:
    """Return the extras with a row that matches an id."""
    return {extra for row, extra in ENVS.items() if fnmatch.fnmatchcase(env_id, row)}


@pytest.mark.parametrize("module", INSTALLED)
def test_ids_and_table_rows_match(module: str) -> None:
    ids = registered(REGISTERING.get(module, module))
    extra = next(extra for extra, item in MODULES.items() if item == module)

    assert not [env_id for env_id in ids if len(rows(env_id)) != 1]
    assert not [row for row, env in ENVS.items() if env == extra and not fnmatch.filter(ids, row)]


def test_every_gymnasium_id_is_ours_or_has_an_extra() -> None:
    ids, ours = set(registered("gymnasium")), {*plugins.names("envs"), *plugins.missing("envs")}
    extras = {extra for extra, module in MODULES.items() if module in BUILT_IN}
    older = {env_id for env_id in ids if env_id.endswith("-v4") and f"{env_id[:-1]}5" in ENVS}

    assert not [
        env_id for env_id in ids - older if env_id not in ours and not (rows(env_id) <= extras and rows(env_id))
    ]
    assert {row for row, extra in ENVS.items() if extra in extras} <= ids
