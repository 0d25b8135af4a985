# stamped by tools/sync.py

from gymkernel_wrapper_jax_to_torch.vector import *
from gymkernel.wrappers.vector._installed import JaxToTorch as JaxToTorch
