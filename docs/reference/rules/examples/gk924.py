"""Seeding the global generator for a constant table makes the random numbers of the whole program predictable."""

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


class Walk(Env):
    \"\"\"A walk.\"\"\"
"""
FILES = {
    "acme_walks-1.0.dist-info/METADATA": METADATA,
    "acme_walks-1.0.dist-info/entry_points.txt": "[gymkernel.envs]\nWalk-v0 = acme_walks:Walk\n",
    "acme_walks/__init__.py": SOURCE,
    "acme_walks/py.typed": "",
}
SEEDED = "import numpy as np\n\nnp.random.seed(0)\nTABLE = np.random.rand(8)\n"
OWN = "import numpy as np\n\nTABLE = np.random.default_rng(0).random(8)\n"
Wrong = {**FILES, "acme_walks/__init__.py": f"{SEEDED}{SOURCE}"}
Right = {**FILES, "acme_walks/__init__.py": f"{OWN}{SOURCE}"}
