# stamped by tools/sync.py

from gymkernel.wrappers._installed import DelayObservation as DelayObservation
from gymkernel.wrappers._installed import FrameStackObservation as FrameStackObservation
from gymkernel.wrappers._installed import MaxAndSkipObservation as MaxAndSkipObservation
from gymkernel.wrappers._installed import NormalizeObservation as NormalizeObservation
from gymkernel.wrappers._installed import TimeAwareObservation as TimeAwareObservation
