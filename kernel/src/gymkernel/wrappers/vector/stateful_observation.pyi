# stamped by tools/sync.py

from gymkernel_wrapper_normalize_observation.vector import *
from gymkernel.wrappers.vector._installed import NormalizeObservation as NormalizeObservation
