"""The `DmControlEnv` class, a task of dm_control's suite."""

from __future__ import annotations

from typing import Any

from gymkernel_bridge_dm_env.inward import DmEnv
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker

__all__ = ["DmControlEnv"]

REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing)
"""The wrappers that `gymkernel.make` adds. They are imported here to ensure that they are installed."""


class DmControlEnv(DmEnv):
    """A task of dm_control's suite.

    A reset with the seed s creates the same environment as `suite.load(..., task_kwargs={"random": s})`.

    Args:
        domain_name: the domain, such as "cartpole".
        task_name: the task, such as "balance".
        task_kwargs: keyword arguments for the task, or None. The key "random" contains the seed of the first episodes.
        environment_kwargs: keyword arguments for the environment, such as `{"flat_observation": True}`, or None.
        render_mode: "rgb_array" or None.
        **render_kwargs: keyword arguments for `physics.render`: `height`, `width`, `camera_id`, ...
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
