"""The command `gymkernel run` and the function `as_gymnasium`, with which programs for Gymnasium run on gymkernel."""

from __future__ import annotations
