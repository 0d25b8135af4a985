"""The environments of a `FunctionalVectorEnv`: their states, and how functions are called for some of them."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gymkernel.ops import concatenate, create_empty_array
from gymkernel_env_functional import batches

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_functional.func_env import FuncEnv

    Functions = FuncEnv[Any, Any, Any, Any, Any, Any, Any]
    Indexes = NDArray[np.intp]
    Infos = list[tuple[int, dict[str, Any]]]
    Acted = tuple[NDArray[np.float64], NDArray[np.bool_], Infos]

__all__ = ["BatchedRows", "LoopedRows", "Rows"]


class Rows(Protocol):
    """What both kinds offer."""

    state: Any
    generators: list[np.random.Generator]

    def begin(self, where: Indexes) -> Infos:
        """Begin episodes of some environments; return their infos, those that are not empty."""

    def act(self, where: Indexes, actions: Any) -> Acted:
        """Act in some environments; `actions` has one for each of all."""

    def observations(self) -> Any:
        """The batch of all observations, in memory of its own."""

    def observation(self, i: int) -> Any:
        """The observation of one, in memory of its own."""

    def states(self) -> list[Any]:
        """The state of each."""


class LoopedRows:
    """Functions that take one state; they are called for one environment after the other."""

    def __init__(self, func_env: Functions, num_envs: int, given: dict[str, Any]) -> None:
        self._func, self._n, self._given = func_env, num_envs, given
        self.state: list[Any] | None = None
        self.generators: list[np.random.Generator] = []
        self._seen: list[Any] = [None] * num_envs

    def begin(self, where: Indexes) -> Infos:
        """As `FunctionalEnv.reset`."""
        state = self.state = self.state or [None] * self._n
        infos = []
        for i in where.tolist():
            rng = self.generators[i]
            state[i] = self._func.initial(rng, **self._given)
            self._seen[i] = self._func.observation(state[i], rng, **self._given)
            infos.append((i, self._func.state_info(state[i], **self._given)))
        return [one for one in infos if one[1]]

    def act(self, where: Indexes, actions: Any) -> Acted:
        """As `FunctionalEnv.step`."""
        func, given, before = self._func, self._given, self.state or []
        state = self.state = list(before)
        rewards, terminated, infos = np.zeros(where.size), np.zeros(where.size, np.bool_), []
        for k, i in enumerate(where.tolist()):
            rng, action = self.generators[i], actions[i]
            state[i] = func.transition(before[i], action, rng, **given)
            self._seen[i] = func.observation(state[i], rng, **given)
            rewards[k] = func.reward(before[i], action, state[i], rng, **given)
            terminated[k] = func.terminal(state[i], rng, **given)
            infos.append((i, func.transition_info(before[i], action, state[i], **given)))
        return rewards, terminated, [one for one in infos if one[1]]

    def observations(self) -> Any:
        """The batch that the space of observations makes."""
        space = self._func.observation_space
        return concatenate(space, self._seen, create_empty_array(space, self._n))

    def observation(self, i: int) -> Any:
        """A copy."""
        return copy.deepcopy(self._seen[i])

    def states(self) -> list[Any]:
        """The list itself."""
        return self.state or []


class BatchedRows:
    """Functions that take many states at once; `initial` is asked for one after the other."""

    def __init__(self, func_env: Functions, num_envs: int, given: dict[str, Any]) -> None:
        self._func, self._n, self._given = func_env, num_envs, given
        self.state: Any = None
        self.generators: list[np.random.Generator] = []
        self._seen: Any = None

    def begin(self, where: Indexes) -> Infos:
        """As `FunctionalEnv.reset`."""
        if not where.size:
            return []
        rngs = [self.generators[i] for i in where.tolist()]
        state = batches.stack([self._func.initial(rng, **self._given) for rng in rngs])
        self._put(where, state, self._func.observation(state, rngs, **self._given))
        return self._infos(where, self._func.state_info(state, **self._given))

    def act(self, where: Indexes, actions: Any) -> Acted:
        """As `FunctionalEnv.step`."""
        if not where.size:
            return np.zeros(0), np.zeros(0, np.bool_), []
        func, given, whole = self._func, self._given, where.size == self._n
        rngs = self.generators if whole else [self.generators[i] for i in where.tolist()]
        before, chosen = (self.state, actions) if whole else (batches.take(self.state, where), actions[where])
        state = func.transition(before, chosen, rngs, **given)
        seen = func.observation(state, rngs, **given)
        rewards = func.reward(before, chosen, state, rngs, **given)
        terminated = func.terminal(state, rngs, **given)
        infos = self._infos(where, func.transition_info(before, chosen, state, **given))
        self._put(where, state, seen)
        return np.asarray(rewards, np.float64), np.asarray(terminated, np.bool_), infos

    def _put(self, where: Indexes, state: Any, seen: Any) -> None:
        """Put states and observations into their rows, of arrays that are new."""
        if where.size == self._n:
            self.state, self._seen = state, seen
            return
        rest = np.delete(np.arange(self._n), where)
        self.state = batches.merge(self._n, [(where, state), (rest, batches.take(self.state, rest))])
        self._seen = batches.merge(self._n, [(where, seen), (rest, batches.take(self._seen, rest))])

    def _infos(self, where: Indexes, infos: dict[str, Any]) -> Infos:
        return list(zip(where.tolist(), batches.rows(infos, where.size), strict=True)) if infos else []

    def observations(self) -> Any:
        """A copy."""
        return batches.take(self._seen, np.arange(self._n))

    def observation(self, i: int) -> Any:
        """A copy of one row."""
        (one,) = batches.rows(batches.take(self._seen, np.array([i])), 1)
        return one

    def states(self) -> list[Any]:
        """The rows."""
        return batches.rows(self.state, self._n)
