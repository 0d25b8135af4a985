"""The classes `DmEnv`, which wraps a dm_env environment, and `DmControlEnv`, for the tasks in dm_control's suite."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.env import Env
from gymkernel.error import DependencyNotInstalled, Error, ResetNeeded
from gymkernel_bridge_dm_env.specs import element_of, space_of, value_of
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Options

__all__ = ["DmControlEnv", "DmEnv", "from_dm_env"]

LARGEST_SEED: Final = 2**32 - 1
"""The largest seed of NumPy's `RandomState`, the random generator that most dm_env environments use."""
REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing)
"""The wrappers that `gymkernel.make` adds to the environment. Importing them here ensures that they are installed."""


class DmEnv(Env[Any, Any]):
    """A gymkernel environment that wraps a dm_env environment.

    An episode ends with a `TimeStep` whose step type is LAST. If the discount of this time step is 0, the episode is
    terminated. Otherwise, the episode is truncated. `info["discount"]` contains the discount of each step.

    dm_env has no method for seeding an environment. If `env` is a function, `reset(seed=...)` calls the function with
    the seed and uses the new environment. If `env` is a dm_control environment, its random generator is seeded. For any
    other environment, `reset(seed=...)` raises an error.

    Args:
        env: a dm_env environment, or a function or class that takes a seed and returns a dm_env environment.
        render_mode: "rgb_array" for environments with `physics`, or None.
        **render_kwargs: keyword arguments for `physics.render`, such as `height`, `width` and `camera_id`.

    Raises:
        TypeError: if `env` is neither an environment nor callable, if its rewards or discounts are not single numbers,
            if a spec cannot be converted to a space, or if `physics.render` does not accept a keyword argument.
        ValueError: if the render mode is not supported.
    """

    def __init__(self, env: Any, render_mode: str | None = None, **render_kwargs: Any) -> None:
        is_env = hasattr(env, "action_spec") and not isinstance(env, type)
        self._make: Callable[[int], Any] | None = None if is_env else env
        if self._make is not None and not callable(env):
            raise TypeError(f"Expected a dm_env environment, or a function that creates one from a seed, got {env!r}")
        self.dm_env: Any = env if self._make is None else self._make(_draw_seed(self.np_random))
        """The wrapped environment."""
        for name in ("reward_spec", "discount_spec"):
            spec = getattr(self.dm_env, name)()
            if getattr(spec, "shape", None) != ():
                kind = name.removesuffix("_spec")
                raise TypeError(f"Expected each {kind} of {self.dm_env} to be a single number, got the spec {spec}")
        self._observation_spec, self._action_spec = self.dm_env.observation_spec(), self.dm_env.action_spec()
        self.observation_space, self.action_space = space_of(self._observation_spec), space_of(self._action_spec)
        self.metadata = {"render_modes": ["rgb_array"] if hasattr(self.dm_env, "physics") else []}
        if hasattr(self.dm_env, "control_timestep"):
            self.metadata["render_fps"] = max(round(1 / self.dm_env.control_timestep()), 1)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            modes = self.metadata["render_modes"] or "none, because the environment has no physics"
            raise ValueError(
                f"Expected render_mode to be None or one of the render modes ({modes}), got {render_mode!r}"
            )
        _check_render_arguments(self.dm_env, render_kwargs)
        self.render_mode, self._render_kwargs = render_mode, render_kwargs
        self._is_done = True

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, Info]:
        """Start a new episode. Options are ignored, because dm_env has no reset options.

        Args:
            seed: a seed, or None to continue with the environment's current random generator. Seeds of 2**32 or more
                are hashed.
            options: ignored.

        Raises:
            gymkernel.error.Error: if a seed is given, but the environment cannot be seeded.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seed(_as_random_state_seed(seed))
        self._is_done = False
        return element_of(self._observation_spec, self.dm_env.reset().observation), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Perform one action. `info["discount"]` contains the discount.

        Raises:
            ResetNeeded: if the episode has ended, or if `reset` has not been called.
        """
        if self._is_done:
            raise ResetNeeded(f"Expected a call of reset before this step of {self}")
        time_step = self.dm_env.step(value_of(self._action_spec, action))
        discount = 1.0 if time_step.discount is None else float(time_step.discount)
        self._is_done = bool(time_step.last())
        terminated = self._is_done and discount == 0
        reward = 0.0 if time_step.reward is None else float(time_step.reward)
        observation = element_of(self._observation_spec, time_step.observation)
        return observation, reward, terminated, self._is_done and not terminated, {"discount": discount}

    def render(self) -> Any:
        """Return a rendered image of shape (height, width, 3), or None if the render mode is None.

        Raises:
            DependencyNotInstalled: if OpenGL does not work, as on a computer without a display if the environment
                variable `MUJOCO_GL` is not set.
        """
        if self.render_mode is None:
            return None
        try:
            return self.dm_env.physics.render(**self._render_kwargs)
        except Exception as exc:
            if "OpenGL" not in str(exc):
                raise
            now = repr(os.environ["MUJOCO_GL"]) if "MUJOCO_GL" in os.environ else "not set"
            raise DependencyNotInstalled(
                f"Rendering needs OpenGL, which does not work here ({exc}); set the environment variable MUJOCO_GL to "
                f"egl or osmesa, which need no display, before you start Python (it is {now})"
            ) from exc

    def close(self) -> None:
        """Close the wrapped environment."""
        self.dm_env.close()

    def _seed(self, seed: int) -> None:
        if self._make is not None:
            self.dm_env.close()
            self.dm_env = self._make(seed)
            return
        generator = getattr(getattr(self.dm_env, "task", None), "random", None)
        if not isinstance(generator, np.random.RandomState):
            kind = type(self.dm_env).__name__
            raise Error(
                f"{kind} cannot be seeded, because dm_env has no method for that; pass a function that creates the "
                f"environment from a seed, such as from_dm_env(lambda seed: {kind}(seed=seed))"
            )
        generator.seed(seed)


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


def from_dm_env(env: Any, render_mode: str | None = None, **render_kwargs: Any) -> DmEnv:
    """Convert a dm_env environment to a gymkernel environment.

    Args:
        env: a dm_env environment. If `reset` should accept seeds, pass a function that takes a seed and returns an
            environment instead.
        render_mode: "rgb_array" for environments with `physics`, or None.
        **render_kwargs: keyword arguments for `physics.render`, such as `height`, `width` and `camera_id`.

    Raises:
        TypeError, ValueError: if the environment cannot be converted. See `DmEnv`.
    """
    return DmEnv(env, render_mode, **render_kwargs)


def _check_render_arguments(env: Any, arguments: dict[str, Any]) -> None:
    """Raise an error for arguments that `render` would pass to `physics.render`, which does not accept them."""
    if not arguments:
        return
    accepted: dict[str, Any] = {}
    if hasattr(env, "physics"):
        accepted = dict(inspect.signature(env.physics.render).parameters)
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted.values()):
        return
    for name in arguments:
        if name not in accepted:
            names = ", ".join(accepted) or "none, because the environment has no physics"
            raise TypeError(
                f"Expected keyword arguments of physics.render ({names}), got {name!r}; arguments of a dm_control task "
                "or environment belong in task_kwargs or environment_kwargs"
            )


def _draw_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(0, LARGEST_SEED, endpoint=True))


def _as_random_state_seed(seed: int) -> int:
    return seed if seed <= LARGEST_SEED else int(np.random.SeedSequence(seed).generate_state(1)[0])
