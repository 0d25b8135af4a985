"""The entry point refers to a plain function, which is not a click command."""

METADATA = """\
Metadata-Version: 2.4
Name: acme-walks
Version: 1.0
Summary: Walks that go nowhere
Requires-Python: >=3.11
License-Expression: MIT
Requires-Dist: gymkernel>=0.1,<1
Requires-Dist: click>=8

# acme-walks
"""
SOURCE = """\
import click


@click.command()
def walk():
    \"\"\"Walk.\"\"\"
"""
FILES = {
    "acme_walks-1.0.dist-info/METADATA": METADATA,
    "acme_walks-1.0.dist-info/entry_points.txt": "[gymkernel.commands]\nwalk = acme_walks:walk\n",
    "acme_walks/__init__.py": SOURCE,
    "acme_walks/py.typed": "",
}
Wrong = {**FILES, "acme_walks/__init__.py": SOURCE.replace("@click.command()\n", "")}
Right = FILES
