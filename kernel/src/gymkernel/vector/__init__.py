"""The installed vector backends, by name, and the bases of vector environments and of wrappers around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.forms import VectorActionForm, VectorForm, VectorObservationForm, VectorRewardForm
from gymkernel.making import make_vec as make
from gymkernel.plugins import facade
from gymkernel.vector import utils
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorActionWrapper, VectorObservationWrapper, VectorRewardWrapper, VectorWrapper

if TYPE_CHECKING:
    # stamped by tools/sync.py
    from gymkernel_vector_async import AsyncVectorEnv as AsyncVectorEnv
    from gymkernel_vector_sync import SyncVectorEnv as SyncVectorEnv
    # end of stamp

    __all__ = ["AutoresetMode", "VectorActionForm", "VectorActionWrapper", "VectorEnv", "VectorForm"]
    __all__ += ["VectorObservationForm", "VectorObservationWrapper", "VectorRewardForm", "VectorRewardWrapper"]
    __all__ += ["VectorWrapper", "make", "utils"]
else:
    __getattr__, __dir__ = facade(__name__, "vector", globals())
