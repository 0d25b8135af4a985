"""`FunctionalEnv`: a functional environment in the usual form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel import logger
from gymkernel.env import Env
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel_env_functional.func_env import ActType, FuncEnv, ObsType

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Options
    from gymkernel.specs import EnvSpec

__all__ = ["FunctionalEnv", "draws", "render_mode_of"]


class FunctionalEnv(Env[ObsType, ActType]):
    """An `Env` that keeps the state and the generator which a `FuncEnv` is given and gives back.

    Attributes:
        func_env: the functions.
        state: the state; None before the first reset. It may be set, to search ahead or to go back.

    Args:
        func_env: the functions.
        metadata: the environment's; by default "rgb_array" is a render mode where `func_env` draws.
        render_mode: "rgb_array" or None.
        spec: the spec it is made from.
        params: constants for all functions; None leaves them to the functions.

    Raises:
        UnsupportedMode: a render mode that is not in the metadata.

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
        self._given = {} if params is None else {"params": params}
        self._render_state: Any = None

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode in a state that `initial` draws; the info is that of `state_info`."""
        super().reset(seed=seed)
        func, rng, given = self.func_env, self.np_random, self._given
        self.state = func.initial(rng, **given)
        return func.observation(self.state, rng, **given), func.state_info(self.state, **given)

    def step(self, action: ActType) -> tuple[ObsType, float, bool, bool, Info]:
        """Act once; the info is that of `transition_info`. Before the first reset, ResetNeeded is raised."""
        state = self.state
        if state is None:
            raise ResetNeeded("step was called before reset; call reset first, it returns the first observation")
        func, rng, given = self.func_env, self.np_random, self._given
        reached = func.transition(state, action, rng, **given)
        observation = func.observation(reached, rng, **given)
        reward = func.reward(state, action, reached, rng, **given)
        terminated = func.terminal(reached, rng, **given)
        info = func.transition_info(state, action, reached, **given)
        self.state = reached
        return observation, float(reward), bool(terminated), False, info

    def render(self) -> Any:
        """Draw the state: uint8 of (height, width, 3)."""
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass render_mode="rgb_array"')
            return None
        if self.state is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._render_state is None:
            self._render_state = self.func_env.render_init(**self._given)
        self._render_state, image = self.func_env.render_image(self.state, self._render_state, **self._given)
        return image

    def close(self) -> None:
        """Give back what drawing took."""
        if self._render_state is not None:
            self.func_env.render_close(self._render_state, **self._given)
            self._render_state = None


def draws(func_env: FuncEnv[Any, Any, Any, Any, Any, Any, Any]) -> bool:
    """Whether an environment has a picture of its own."""
    return type(func_env).render_image is not FuncEnv.render_image


def render_mode_of(
    func_env: FuncEnv[Any, Any, Any, Any, Any, Any, Any], metadata: dict[str, Any] | None, render_mode: str | None
) -> tuple[dict[str, Any], str | None]:
    """Metadata and render mode, checked against each other."""
    if metadata is None:
        metadata = {"render_modes": ["rgb_array"] if draws(func_env) else [], "render_fps": 30}
    modes = metadata.get("render_modes", [])
    if render_mode is not None and render_mode not in modes:
        raise UnsupportedMode(f"Expected render_mode to be one of {modes} or None, got {render_mode!r}")
    return metadata, render_mode
