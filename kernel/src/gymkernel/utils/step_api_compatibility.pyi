# stamped by tools/sync.py

from gymkernel_util_compatibility.step_api_compatibility import *
from gymkernel.wrappers._installed import EnvCompatibility as EnvCompatibility
from gymkernel.wrappers._installed import StepAPICompatibility as StepAPICompatibility
