"""`gymkernel.utils.env_checker`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_tool_check.env_checker import check_env as check_env
from gymkernel_tool_check.env_checker import check_reset_options as check_reset_options
from gymkernel_tool_check.env_checker import (
        check_reset_return_info_deprecation as check_reset_return_info_deprecation,
    )
from gymkernel_tool_check.env_checker import check_reset_return_type as check_reset_return_type
from gymkernel_tool_check.env_checker import check_reset_seed_determinism as check_reset_seed_determinism
from gymkernel_tool_check.env_checker import check_returned_data_not_reused as check_returned_data_not_reused
from gymkernel_tool_check.env_checker import check_seed_deprecation as check_seed_deprecation
from gymkernel_tool_check.env_checker import check_space_limit as check_space_limit
from gymkernel_tool_check.env_checker import check_step_determinism as check_step_determinism
from gymkernel_tool_check.env_checker import data_equivalence as data_equivalence
from gymkernel_wrapper_passive_env_checker import data_shares_objects as data_shares_objects
