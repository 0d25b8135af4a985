"""The command `gymkernel run` and the function `as_gymnasium`, with which Gymnasium programs run on gymkernel."""

from __future__ import annotations
