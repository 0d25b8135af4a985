"""A plugin's rule raises an exception, so the defects that the rule looks for would go unnoticed."""

METADATA = """\
Metadata-Version: 2.4
Name: acme-rules
Version: 1.0
Summary: Rules of our laboratory
Requires-Python: >=3.11
License-Expression: MIT
Requires-Dist: gymkernel>=0.1,<1

# acme-rules
"""
SOURCE = """\
from gymkernel.checks import Fault, rule


@rule("ACME001", "it is ours", why="Ours are better.", fix="Name it acme-...", kind="distributions")
def is_ours(subject, seen):
    if not subject.found["{key}"].startswith("acme-"):
        yield Fault("it is not ours")
"""
FILES = {
    "acme_rules-1.0.dist-info/METADATA": METADATA,
    "acme_rules-1.0.dist-info/entry_points.txt": "[gymkernel.checks]\ndistributions.acme = acme_rules\n",
}
Wrong = {**FILES, "acme_rules.py": SOURCE.replace("{key}", "owner")}
Right = {**FILES, "acme_rules.py": SOURCE.replace("{key}", "distribution")}
