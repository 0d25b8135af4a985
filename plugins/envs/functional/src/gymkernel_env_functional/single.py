"""The class `FunctionalEnv`, which turns a `FuncEnv` into an `Env`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel import logger
from gymkernel.env import Env
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel_env_functional.func_env import ActType, FuncEnv, ObsType

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Options
    from gymkernel.specs import EnvSpec

__all__ = ["FunctionalEnv", "render_mode_of"]


class FunctionalEnv(Env[ObsType, ActType]):
    """An environment that calls the functions of a `FuncEnv` and stores their state and random number generator.

    Attributes:
        func_env: the functions that define the environment.
        state: the current state, or None before the first reset. You can set it, for example to return to an earlier
            state.

    Args:
        func_env: the functions that define the environment.
        metadata: the metadata of the environment. If None, the metadata contains the render mode "rgb_array" if
            `func_env` supports rendering.
        render_mode: "rgb_array" or None.
        spec: the spec from which the environment is created, or None.
        params: the parameters that are passed to all functions, or None for the defaults.

    Raises:
        UnsupportedMode: if `metadata` does not contain the render mode.

    >>> from gymkernel_env_functional import CartPoleFunctional
    >>> env = FunctionalEnv(CartPoleFunctional())
    >>> observation, info = env.reset(seed=123)
    >>> kept = env.state
    >>> first = env.step(1)
    >>> env.state = kept
    >>> bool((env.step(1)[0] == first[0]).all())
    True
    """

    def __init__(
        self,
        func_env: FuncEnv[Any, ObsType, ActType, Any, Any, Any, Any],
        metadata: dict[str, Any] | None = None,
        render_mode: str | None = None,
        spec: EnvSpec | None = None,
        params: Any = None,
    ) -> None:
        self.func_env = func_env
        self.observation_space, self.action_space = func_env.observation_space, func_env.action_space
        self.metadata, self.render_mode = render_mode_of(func_env, metadata, render_mode)
        self.spec = spec
        self.state: Any = None
        self._params: dict[str, Any] = {} if params is None else {"params": params}
        self._render_state: Any = None

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment to a state that `initial` samples. The info is the result of `state_info`."""
        super().reset(seed=seed)
        func, rng, params = self.func_env, self.np_random, self._params
        self.state = func.initial(rng, **params)
        return func.observation(self.state, rng, **params), func.state_info(self.state, **params)

    def step(self, action: ActType) -> tuple[ObsType, float, bool, bool, Info]:
        """Perform one action. The info is the result of `transition_info`.

        Raises:
            ResetNeeded: if the environment has not been reset yet.
        """
        state = self.state
        if state is None:
            raise ResetNeeded("step was called before reset; call reset first to get the initial observation")
        func, rng, params = self.func_env, self.np_random, self._params
        next_state = func.transition(state, action, rng, **params)
        observation = func.observation(next_state, rng, **params)
        reward = func.reward(state, action, next_state, rng, **params)
        terminated = func.terminal(next_state, rng, **params)
        info = func.transition_info(state, action, next_state, **params)
        self.state = next_state
        return observation, float(reward), bool(terminated), False, info

    def render(self) -> Any:
        """Render the current state as a uint8 array of shape (height, width, 3)."""
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass render_mode="rgb_array"')
            return None
        if self.state is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._render_state is None:
            self._render_state = self.func_env.render_init(**self._params)
        self._render_state, image = self.func_env.render_image(self.state, self._render_state, **self._params)
        return image

    def close(self) -> None:
        """Release the resources of the render state."""
        if self._render_state is not None:
            self.func_env.render_close(self._render_state, **self._params)
            self._render_state = None


def render_mode_of(
    func_env: FuncEnv[Any, Any, Any, Any, Any, Any, Any], metadata: dict[str, Any] | None, render_mode: str | None
) -> tuple[dict[str, Any], str | None]:
    """Return the metadata and the render mode. If the metadata does not contain the mode, raise UnsupportedMode."""
    if metadata is None:
        can_draw = type(func_env).render_image is not FuncEnv.render_image
        metadata = {"render_modes": ["rgb_array"] if can_draw else [], "render_fps": 30}
    modes = metadata.get("render_modes", [])
    if render_mode is not None and render_mode not in modes:
        raise UnsupportedMode(f"Expected render_mode to be one of {modes} or None, got {render_mode!r}")
    return metadata, render_mode
