# stamped by tools/sync.py

from gymkernel_wrapper_jax_to_numpy.vector import *
from gymkernel.wrappers.vector._installed import JaxToNumpy as JaxToNumpy
