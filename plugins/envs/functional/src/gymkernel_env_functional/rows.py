"""Classes that store the states (rows) of a `FunctionalVectorEnv` and call its functions for selected rows."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import concatenate, create_empty_array
from gymkernel_env_functional import batches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_functional.func_env import FuncEnv

    Functions = FuncEnv[Any, Any, Any, Any, Any, Any, Any]
    Indexes = NDArray[np.intp]
    Infos = list[tuple[int, dict[str, Any]]]
    ActResult = tuple[NDArray[np.float64], NDArray[np.bool_], Infos]

__all__ = ["BatchedRows", "Infos", "LoopedRows"]


class LoopedRows:
    """A store for the states of environments whose functions are called separately for each state."""

    def __init__(self, func_env: Functions, num_envs: int, params: dict[str, Any]) -> None:
        self._func, self._n, self._params = func_env, num_envs, params
        self.state: list[Any] | None = None
        self.generators: list[np.random.Generator] = []
        self._seen: list[Any] = [None] * num_envs

    def begin(self, where: Indexes) -> Infos:
        """Start episodes in the same way as `FunctionalEnv.reset`."""
        state = self.state = self.state or [None] * self._n
        infos = []
        for i in where.tolist():
            rng = self.generators[i]
            state[i] = self._func.initial(rng, **self._params)
            self._seen[i] = self._func.observation(state[i], rng, **self._params)
            infos.append((i, self._func.state_info(state[i], **self._params)))
        return [(i, info) for i, info in infos if info]

    def act(self, where: Indexes, actions: Any) -> ActResult:
        """Step the environments in the same way as `FunctionalEnv.step`."""
        func, params, before = self._func, self._params, self.state or []
        state = self.state = list(before)
        rewards, terminated, infos = np.zeros(where.size), np.zeros(where.size, np.bool_), []
        for k, (i, action) in enumerate(zip(where.tolist(), actions, strict=True)):
            rng = self.generators[i]
            state[i] = func.transition(before[i], action, rng, **params)
            self._seen[i] = func.observation(state[i], rng, **params)
            rewards[k] = func.reward(before[i], action, state[i], rng, **params)
            terminated[k] = func.terminal(state[i], rng, **params)
            infos.append((i, func.transition_info(before[i], action, state[i], **params)))
        return rewards, terminated, [(i, info) for i, info in infos if info]

    def observations(self) -> Any:
        """Return a copy of all observations as an element of the batched observation space."""
        space = self._func.observation_space
        return concatenate(space, self._seen, create_empty_array(space, self._n))

    def observation(self, i: int) -> Any:
        """Return a copy of the observation of one environment."""
        return copy.deepcopy(self._seen[i])

    def states(self) -> list[Any]:
        """Return the states as a list."""
        return self.state or []


class BatchedRows:
    """A store for the states of environments whose functions, except `initial`, accept a batch of states."""

    def __init__(self, func_env: Functions, num_envs: int, params: dict[str, Any]) -> None:
        self._func, self._n, self._params = func_env, num_envs, params
        self.state: Any = None
        self.generators: list[np.random.Generator] = []
        self._seen: Any = None

    def begin(self, where: Indexes) -> Infos:
        """Start episodes in the same way as `FunctionalEnv.reset`."""
        if not where.size:
            return []
        rngs = [self.generators[i] for i in where.tolist()]
        state = batches.stack([self._func.initial(rng, **self._params) for rng in rngs])
        self._write_rows(where, state, self._func.observation(state, rngs, **self._params))
        return self._infos(where, self._func.state_info(state, **self._params))

    def act(self, where: Indexes, actions: Any) -> ActResult:
        """Step the environments in the same way as `FunctionalEnv.step`."""
        if not where.size:
            return np.zeros(0), np.zeros(0, np.bool_), []
        func, params, whole = self._func, self._params, where.size == self._n
        rngs = self.generators if whole else [self.generators[i] for i in where.tolist()]
        before = self.state if whole else batches.take(self.state, where)
        state = func.transition(before, actions, rngs, **params)
        seen = func.observation(state, rngs, **params)
        rewards = func.reward(before, actions, state, rngs, **params)
        terminated = func.terminal(state, rngs, **params)
        infos = self._infos(where, func.transition_info(before, actions, state, **params))
        self._write_rows(where, state, seen)
        return np.array(rewards, np.float64), np.array(terminated, np.bool_), infos

    def _write_rows(self, where: Indexes, state: Any, seen: Any) -> None:
        """Store the states and observations of the given environments in new arrays."""
        if where.size == self._n:
            self.state, self._seen = state, seen
            return
        rest = np.delete(np.arange(self._n), where)
        self.state = batches.merge(self._n, [(where, state), (rest, batches.take(self.state, rest))])
        self._seen = batches.merge(self._n, [(where, seen), (rest, batches.take(self._seen, rest))])

    def _infos(self, where: Indexes, infos: dict[str, Any]) -> Infos:
        return list(zip(where.tolist(), batches.rows(infos, where.size), strict=True)) if infos else []

    def observations(self) -> Any:
        """Return a copy of all observations."""
        return batches.take(self._seen, np.arange(self._n))

    def observation(self, i: int) -> Any:
        """Return a copy of the observation of one environment."""
        (row,) = batches.rows(batches.take(self._seen, np.array([i])), 1)
        return row

    def states(self) -> list[Any]:
        """Return the state of each environment as a list."""
        return batches.rows(self.state, self._n)
