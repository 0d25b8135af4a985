"""The command `gymkernel new`, and the function `files`, which creates the files of a new plugin.

>>> from gymkernel_tool_new import files
>>> sorted(str(path) for path in files("space", "AcmeCompass", author="Acme"))[-2:]
['src/acme_compass/py.typed', 'tests/test_acme_compass.py']
"""

from __future__ import annotations

from gymkernel_tool_new.templates import KINDS, Names, files, named

__all__ = ["KINDS", "Names", "files", "named"]
