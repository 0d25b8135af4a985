"""The hook is called gymkernel_env_created, so a function with another name is never called."""

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
from gymkernel.hooks import hookimpl


@hookimpl
def gymkernel_env_created(env, spec):
    env.unwrapped.metadata["made_by"] = "acme"
"""
FILES = {
    "acme_walks-1.0.dist-info/METADATA": METADATA,
    "acme_walks-1.0.dist-info/entry_points.txt": "[gymkernel.hooks]\nacme-walks = acme_walks\n",
    "acme_walks/__init__.py": SOURCE,
    "acme_walks/py.typed": "",
}
Wrong = {**FILES, "acme_walks/__init__.py": SOURCE.replace("env_created", "env_made")}
Right = FILES
