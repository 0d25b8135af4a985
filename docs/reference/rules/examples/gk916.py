"""The distribution has no description, so package indexes show an empty page."""

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
Wrong = {**FILES, "acme_walks-1.0.dist-info/METADATA": METADATA.replace("Summary: Walks that go nowhere\n", "")}
Right = FILES
