"""The `DmControlEnv` class, a gymkernel environment for the tasks in dm_control's suite."""

from __future__ import annotations

from typing import Any

from gymkernel_bridge_dm_env.inward import DmEnv
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker

__all__ = ["DmControlEnv"]

REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing)
"""The wrappers that `gymkernel.make` adds to the environment. Importing them here ensures that they are installed."""


class DmControlEnv(DmEnv):
    """A gymkernel environment for a task in dm_control's suite.

    `reset(seed=s)` creates the same environment as `suite.load(..., task_kwargs={"random": s})`.

    Args:
        domain_name: the domain, such as "cartpole".
        task_name: the task, such as "balance".
        task_kwargs: keyword arguments for the task, or None. A seed under the key "random" is used until the first
            reset with a seed.
        environment_kwargs: keyword arguments for the environment, such as `{"flat_observation": True}`, or None.
        render_mode: "rgb_array" or None.
        **render_kwargs: keyword arguments for `physics.render`, such as `height`, `width` and `camera_id`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}  # noqa: RUF012 - as in the base class

    def __init__(
        self,
        domain_name: str,
        task_name: str,
        task_kwargs: dict[str, Any] | None = None,
        environment_kwargs: dict[str, Any] | None = None,
        render_mode: str | None = None,
        **render_kwargs: Any,
    ) -> None:
        from dm_control import suite

        first = dict(task_kwargs or {})

        def load(seed: int) -> Any:
            arguments = {**first, "random": first.pop("random", seed)}  # a seed in task_kwargs is used only once
            return suite.load(domain_name, task_name, arguments, environment_kwargs)

        super().__init__(load, render_mode, **render_kwargs)
