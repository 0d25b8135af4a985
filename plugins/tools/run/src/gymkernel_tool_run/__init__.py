"""The command `gymkernel run` and the function `as_gymnasium`, which run Gymnasium programs on gymkernel."""

from __future__ import annotations
