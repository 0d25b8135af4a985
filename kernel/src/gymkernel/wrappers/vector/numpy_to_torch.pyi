# stamped by tools/sync.py

from gymkernel_wrapper_numpy_to_torch.vector import *
from gymkernel.wrappers.vector._installed import NumpyToTorch as NumpyToTorch
