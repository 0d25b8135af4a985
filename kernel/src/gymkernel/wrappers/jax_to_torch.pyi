# stamped by tools/sync.py

from gymkernel_wrapper_jax_to_torch import *
from gymkernel.wrappers._installed import JaxToTorch as JaxToTorch
