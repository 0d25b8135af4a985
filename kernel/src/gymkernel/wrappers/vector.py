"""The installed wrappers around vector environments, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    # stamped by tools/sync.py
    from gymkernel_wrapper_clip_reward.vector import ClipReward as ClipReward
    from gymkernel_wrapper_reshape_observation.vector import ReshapeObservation as ReshapeObservation
    # end of stamp
else:
    __getattr__, __dir__ = facade(__name__, "vector_wrappers", globals())

__all__: list[str] = []
