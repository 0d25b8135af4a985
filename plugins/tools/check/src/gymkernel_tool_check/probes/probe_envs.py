"""Small environments that record their calls, for testing wrappers and vector backends."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from gymkernel import ops
from gymkernel.env import Env
from gymkernel.infos import batch_infos
from gymkernel.specs import EnvSpec
from gymkernel.vector_env import AutoresetMode, VectorEnv, reset_mask, seeds
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_util_spaces.compare import snapshot

__all__ = ["VARIANTS", "ProbeEnv", "ProbeVectorEnv", "ReferenceVectorEnv", "digest"]

SPACES: Final[dict[str, tuple[Callable[[], Any], Callable[[], Any]]]] = {
    "boxes": (partial(Box, -2, 2, (3,)), partial(Box, -1, 1, (2,))),
    "choices": (partial(Box, -2, 2, (3,)), partial(Discrete, 3)),
    "picture": (partial(Box, 0, 255, (16, 16, 3), np.uint8), partial(Discrete, 3)),
    "numbers": (partial(Discrete, 5), partial(Discrete, 3)),
    "record": (lambda: Dict({"place": Box(-2, 2, (3,)), "goal": Box(-2, 2, (3,))}), partial(Discrete, 3)),
}
"""For each variant of `ProbeEnv`, the functions that create its observation space and its action space."""
VARIANTS: Final = tuple(SPACES)


def _spaces(variant: str | Sequence[Callable[[], Any]]) -> tuple[Any, Any]:
    """Return the observation space and the action space for a variant."""
    make_observation_space, make_action_space = SPACES[variant] if isinstance(variant, str) else variant
    return make_observation_space(), make_action_space()


def digest(x: Any) -> float:
    """Return a number that depends on the values, types and dtypes in a nested value."""
    with np.printoptions(floatmode="unique", threshold=sys.maxsize):
        return float(zlib.crc32(repr(x).encode()))


class ProbeEnv(Env[Any, Any]):
    """An environment with short episodes that records its calls.

    If the caller passes functions that create the spaces, some episodes are truncated, and the reward is the `digest`
    of the action.

    Args:
        variant: one of `VARIANTS`, or a pair of functions that create the observation space and the action space.
        number: a number that identifies the environment. It is added to the episode lengths and to the infos.
        render_mode: "rgb_array" or None.
        tell: whether the infos contain values whose types and shapes change at every step.

    Attributes:
        resets: the (seed, options) pair of every reset.
        actions: every action that was received, each with a copy that was made immediately.
        observations: every observation that was returned, each with a copy that was made immediately.
        closed: the number of calls to `close`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012 - declared as in `Env`

    def __init__(
        self,
        variant: str | Sequence[Callable[[], Any]] = "boxes",
        number: int = 0,
        render_mode: str | None = None,
        *,
        tell: bool = False,
    ) -> None:
        self.observation_space, self.action_space = _spaces(variant)
        self.variant, self.number, self.render_mode, self.tell = variant, number, render_mode, tell
        self.is_named = isinstance(variant, str)
        self.spec = EnvSpec(
            "ProbeEnv-v0",
            "gymkernel_tool_check.probes.probe_envs:ProbeEnv",
            kwargs={"variant": variant, "number": number, "render_mode": render_mode} if self.is_named else {},
            order_enforce=False,
            disable_env_checker=True,
        )
        self._source = _spaces(variant)[0]
        self._source.seed(number)
        self.resets: list[tuple[Any, Any]] = []
        self.actions: list[tuple[Any, Any]] = []
        self.observations: list[tuple[Any, Any]] = []
        self.closed = self.steps = self.total = 0
        self.fails_at = -1

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode. With a seed, all later observations are reproducible."""
        super().reset(seed=seed)
        if seed is not None:
            self._source.seed(seed)
        self.resets.append((seed, options))
        self.steps = 0
        if self.is_named:
            return self._observe(), {"number": self.number}
        info = {"resets": len(self.resets)} if self.tell else {}
        return self._observe(), info | ({"options": dict(options)} if options else {})

    def _observe(self) -> Any:
        observation = self._source.sample()
        self.observations.append((observation, snapshot(observation)))
        return observation

    def step(self, action: Any) -> Any:
        """Take a step. The reward depends on the action."""
        self.actions.append((action, snapshot(action)))
        self.steps += 1
        self.total += 1
        if self.total == self.fails_at:
            raise ArithmeticError("the probe environment fails at this step")
        terminated = self.steps >= 4 + self.number
        truncated = not terminated and not self.is_named and self.total % 7 == 0
        reward = float(np.sum(np.asarray(action, np.float64))) + self.steps if self.is_named else digest(action)
        return self._observe(), reward, terminated, truncated, self._info()

    def _info(self) -> dict[str, Any]:
        """Return an info dictionary.

        If `tell` is true, the info contains numbers and arrays whose types and shapes change, or is empty.
        """
        odd = (self.total + self.number) % 2
        if self.is_named:
            info = {"number": self.number, "place": np.full(2, self.steps, np.float32)}
            return info if self.steps % 2 else {"odd": self.steps}
        if not self.tell or (self.total + self.number) % 4 == 0:
            return {}
        return {
            "number": self.total / 2 if odd else self.total,
            "array": np.arange(2 + odd * self.number % 2, dtype=np.float32),
            "equal": np.full(3, self.number),
            "nested": {"text": f"{self.number}", "deep": {"x": np.float32(self.total)}},
            "mixed": {"x": 1} if odd else 2,
            "object": [self.number],
        }

    def render(self) -> Any:
        """Return a single-coloured image."""
        return np.full((8, 8, 3), self.steps, np.uint8)

    def close(self) -> None:
        """Count the calls to this method."""
        self.closed += 1

    def fail_after(self, total: int) -> None:
        """Let a later step raise an exception.

        Args:
            total: the total number of steps after which the exception is raised.
        """
        self.fails_at = self.total + total


class ReferenceVectorEnv:
    """A plain loop over environments, with which the results of vector environments are compared."""

    def __init__(self, env_fns: Sequence[Callable[[], Any]], mode: AutoresetMode | str) -> None:
        self.envs = [make() for make in env_fns]
        self.n, self.mode = len(self.envs), AutoresetMode(mode)
        self.single = self.envs[0].observation_space
        self.actions = ops.batch_space(self.envs[0].action_space, self.n)
        self.done = [False] * self.n
        self.rows: list[Any] = [ops.create_zero_array(self.single)] * self.n

    def _batch(self) -> Any:
        return ops.concatenate(self.single, self.rows, ops.create_empty_array(self.single, self.n))

    def reset(self, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Reset all environments, or only those selected by `options["reset_mask"]`."""
        mask, options = reset_mask(options, self.n)
        infos = []
        for i, own_seed in enumerate(seeds(seed, self.n)):
            if mask is None or mask[i]:
                self.rows[i], info = self.envs[i].reset(seed=own_seed, options=options)
                self.done[i] = False
                infos.append((i, info))
        return self._batch(), batch_infos(infos, self.n)

    def step(self, actions: Any, mask: Any = None) -> Any:
        """Step all environments, or only those selected by the mask.

        The autoreset mode determines what happens when an episode ends.
        """
        rewards, ends, cuts = np.zeros(self.n), np.zeros(self.n, np.bool_), np.zeros(self.n, np.bool_)
        infos: list[Any] = []
        finals: list[Any] = []
        for i, action in enumerate(list(ops.iterate(self.actions, actions))):
            if mask is not None and not mask[i]:
                continue
            if self.done[i] and self.mode is AutoresetMode.NEXT_STEP:
                self.rows[i], info = self.envs[i].reset()
                self.done[i] = False
            else:
                self.rows[i], rewards[i], ends[i], cuts[i], info = self.envs[i].step(action)
                self.done[i] = bool(ends[i] or cuts[i])
                if self.done[i] and self.mode is AutoresetMode.SAME_STEP:
                    finals.append((i, {"final_obs": self.rows[i], "final_info": info}))
                    self.rows[i], info = self.envs[i].reset()
                    self.done[i] = False
            infos.append((i, info))
        return self._batch(), rewards, ends, cuts, {**batch_infos(finals, self.n), **batch_infos(infos, self.n)}


class ProbeVectorEnv(VectorEnv[Any, Any, Any]):
    """A vector environment of `ProbeEnv`s that records its calls, for testing vector wrappers."""

    def __init__(
        self,
        variant: str | Sequence[Callable[[], Any]] = "boxes",
        num_envs: int = 3,
        autoreset_mode: str = "NextStep",
    ) -> None:
        env_fns = [partial(ProbeEnv, variant, i, "rgb_array") for i in range(num_envs)]
        self._reference = ReferenceVectorEnv(env_fns, AutoresetMode(autoreset_mode))
        self.num_envs, self.variant = num_envs, variant
        self.single_observation_space, self.single_action_space = _spaces(variant)
        self.observation_space = ops.batch_space(self.single_observation_space, num_envs)
        self.action_space = ops.batch_space(self.single_action_space, num_envs)
        self.metadata = {**ProbeEnv.metadata, "autoreset_mode": self._reference.mode}
        self.render_mode, self.spec = "rgb_array", EnvSpec("ProbeVectorEnv-v0")
        self.resets: list[tuple[Any, Any]] = []
        self.actions: list[tuple[Any, Any]] = []
        self.observations: list[tuple[Any, Any]] = []
        self.closings = 0

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        """Reset every environment."""
        self.resets.append((seed, options))
        observations, infos = self._reference.reset(seed, options)
        self.observations.append((observations, snapshot(observations)))
        return observations, infos

    def step(self, actions: Any) -> Any:
        """Step every environment."""
        return self.step_masked(actions, None)

    def step_masked(self, actions: Any, mask: Any) -> Any:
        """Step the environments selected by the mask."""
        self.actions.append((actions, snapshot(actions)))
        returned = self._reference.step(actions, mask)
        self.observations.append((returned[0], snapshot(returned[0])))
        return returned

    def render(self) -> tuple[Any, ...]:
        """Return one image per environment."""
        return tuple(env.render() for env in self._reference.envs)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The random number generators of the environments."""
        return tuple(env.np_random for env in self._reference.envs)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seeds of the environments."""
        return tuple(env.np_random_seed for env in self._reference.envs)

    def close_extras(self, **kwargs: Any) -> None:
        """Count the calls to this method."""
        self.closings += 1
