# stamped by tools/sync.py

from gymkernel.ops import create_zero_array as create_zero_array
from gymkernel_util_wrappers.rescale_box import rescale_box as rescale_box
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd as RunningMeanStd
from gymkernel_util_wrappers.running_mean_std import (
    update_mean_var_count_from_moments as update_mean_var_count_from_moments,
)
