# stamped by tools/sync.py

from gymkernel_wrapper_jax_to_numpy import *
from gymkernel.wrappers._installed import JaxToNumpy as JaxToNumpy
