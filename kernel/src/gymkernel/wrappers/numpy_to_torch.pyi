# stamped by tools/sync.py

from gymkernel_wrapper_numpy_to_torch import *
from gymkernel.wrappers._installed import NumpyToTorch as NumpyToTorch
