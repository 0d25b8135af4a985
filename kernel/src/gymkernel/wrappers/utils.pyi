"""Of plugins; stamped by tools/sync.py."""

from gymkernel.ops import create_zero_array as create_zero_array
from gymkernel_util_wrappers.batch_flattener import batch_flattener as batch_flattener
from gymkernel_util_wrappers.merge_steps import merge_infos as merge_infos
from gymkernel_util_wrappers.merge_steps import merge_observations as merge_observations
from gymkernel_util_wrappers.merge_steps import merge_results as merge_results
from gymkernel_util_wrappers.merge_steps import step_part as step_part
from gymkernel_util_wrappers.merge_steps import with_final_info as with_final_info
from gymkernel_util_wrappers.render_noise import render_noise as render_noise
from gymkernel_util_wrappers.render_noise import spoiled as spoiled
from gymkernel_util_wrappers.rescale_box import rescale_box as rescale_box
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd as RunningMeanStd
from gymkernel_util_wrappers.running_mean_std import (
    update_mean_var_count_from_moments as update_mean_var_count_from_moments,
)
from gymkernel_util_wrappers.space_checks import parts_of as parts_of
from gymkernel_util_wrappers.space_checks import require_box as require_box
from gymkernel_util_wrappers.space_checks import require_image as require_image
