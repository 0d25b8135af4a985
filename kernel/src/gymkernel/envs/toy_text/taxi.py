"""`gymkernel.envs.toy_text.taxi`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_env_toy_text import TaxiEnv as TaxiEnv
    from gymkernel_env_toy_text import TaxiVectorEnv as TaxiVectorEnv

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
