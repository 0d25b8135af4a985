"""make adds the time limit with a wrapper that no module imports, so the dependency is easily forgotten."""

METADATA = """\
Metadata-Version: 2.4
Name: acme-walks
Version: 1.0
Summary: Walks that go nowhere
Requires-Python: >=3.11
License-Expression: MIT
Requires-Dist: gymkernel>=0.1,<1

# acme-walks
"""
SOURCE = """\
from gymkernel import Env
from gymkernel.envs.registration import EnvSpec


class Walk(Env):
    \"\"\"A walk.\"\"\"


WALK = EnvSpec("Walk-v0", "acme_walks:Walk", max_episode_steps=100, order_enforce=False, disable_env_checker=True)
"""
FILES = {
    "acme_walks-1.0.dist-info/METADATA": METADATA,
    "acme_walks-1.0.dist-info/entry_points.txt": "[gymkernel.envs]\nWalk-v0 = acme_walks:WALK\n",
    "acme_walks/__init__.py": SOURCE,
    "acme_walks/py.typed": "",
}
Wrong = FILES
LIMIT = "Requires-Dist: gymkernel-wrapper-time-limit>=0.1,<1\n\n# acme"
Right = {**FILES, "acme_walks-1.0.dist-info/METADATA": METADATA.replace("\n# acme", LIMIT)}
