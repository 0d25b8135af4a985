"""`gymkernel.utils.passive_env_checker`: names that plugins provide, where these are installed."""

# stamped by tools/sync.py
from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.plugins import facade

if TYPE_CHECKING:
    from gymkernel_wrapper_passive_env_checker import check_action_space as check_action_space
    from gymkernel_wrapper_passive_env_checker import check_obs as check_obs
    from gymkernel_wrapper_passive_env_checker import check_observation_space as check_observation_space
    from gymkernel_wrapper_passive_env_checker import check_space as check_space
    from gymkernel_wrapper_passive_env_checker import data_shares_objects as data_shares_objects
    from gymkernel_wrapper_passive_env_checker import env_data_reuse_passive_checker as env_data_reuse_passive_checker
    from gymkernel_wrapper_passive_env_checker import env_render_passive_checker as env_render_passive_checker
    from gymkernel_wrapper_passive_env_checker import env_reset_passive_checker as env_reset_passive_checker
    from gymkernel_wrapper_passive_env_checker import env_step_passive_checker as env_step_passive_checker

    __all__: list[str] = []
else:
    __getattr__, __dir__ = facade(__name__, "utils", globals())
# end of stamp
