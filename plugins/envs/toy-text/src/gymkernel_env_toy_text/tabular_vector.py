"""FrozenLake, CliffWalking and Taxi as vector environments. Their environments share one table of transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_env_toy_text import taxi_rules
from gymkernel_env_toy_text.cliffwalking import CliffWalkingEnv
from gymkernel_env_toy_text.frozen_lake import FrozenLakeEnv
from gymkernel_env_toy_text.taxi import TaxiEnv
from gymkernel_env_toy_text.vector import Columns, ToyVectorEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_toy_text.tabular import TabularEnv, Transitions
    from gymkernel_util_vector.native import Indexes

__all__ = ["CliffWalkingVectorEnv", "FrozenLakeVectorEnv", "TabularVectorEnv", "TaxiVectorEnv"]


class Table:
    """A table of transitions in flat arrays. Each pair of a state and an action has a row with an item per outcome.

    Args:
        transitions: for every state and every action, a list of (probability, next state, reward, terminated).
    """

    def __init__(self, transitions: Transitions) -> None:
        rows = [outcomes for actions in transitions.values() for outcomes in actions.values()]
        self.width = max(map(len, rows))
        padded = [(*row, *[(0.0, 0, 0.0, False)] * (self.width - len(row))) for row in rows]
        self.prob = np.array([outcome[0] for row in padded for outcome in row], np.float64)
        self.state = np.array([outcome[1] for row in padded for outcome in row], np.int64)
        self.reward = np.array([outcome[2] for row in padded for outcome in row], np.float64)
        self.terminated = np.array([outcome[3] for row in padded for outcome in row], np.bool_)
        sums = self.prob.reshape(-1, self.width).cumsum(axis=1)
        self._total = sums[:, -1].copy()
        self._leaks = bool((self._total < 1).any())
        for i, row in enumerate(rows):
            sums[i, len(row) :] = np.inf
        self._limits = [np.ascontiguousarray(column) for column in sums.T]

    def places(self, rows: Indexes, numbers: NDArray[np.float64]) -> Indexes:
        """Return the outcomes that random numbers from [0, 1) select.

        A number selects the first outcome whose cumulative probability exceeds the number. If there is no such outcome
        because of rounding, the first outcome in the row is selected.

        Returns:
            The indices of the outcomes in `prob`, `state`, `reward` and `terminated`.
        """
        if self.width == 1:
            return rows
        places = rows * self.width
        for limit in self._limits[:-1]:
            places += limit[rows] <= numbers
        if self._leaks:
            beyond = self._total[rows] <= numbers
            places[beyond] = rows[beyond] * self.width
        return places


class TabularVectorEnv(ToyVectorEnv):
    """A base class for vector environments whose dynamics are defined by a table that only the constructor reads.

    Attributes:
        P: the table of the single environment. Changes to this table have no effect.
        s: an int64 array with the state of each environment. Programs may set this attribute.

    The arguments and exceptions are the same as for `ToyVectorEnv`, with one additional argument.

    Args:
        **options: the arguments of the single environment, whose class is `single`. The render mode must not be
            "human".
    """

    _other_kinds = "Of"  # single environments also accept 1.0 as the action 1

    single: type[TabularEnv]

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        self._single: TabularEnv = self.single(**options)
        super().__init__(self._single, num_envs, max_episode_steps, autoreset_mode)
        self.P = self._single.P
        self.s = np.zeros(num_envs, np.int64)
        self._table = Table(self.P)
        self._first = np.cumsum(self._single.initial_state_distrib)
        self._last = np.full(num_envs, -1, np.int64)
        """The most recent action in each environment, or -1 after a reset."""

    def _begin(self, starting: Indexes) -> Columns:
        state = self._first.searchsorted(self._streams.random(starting), side="right")
        state[state == self._first.size] = 0
        self.s[starting] = state
        self._last[starting] = -1
        return {"prob": np.ones(starting.size, np.int64)}

    def _act(self, chosen: Indexes, acting: Indexes | None) -> tuple[NDArray[np.float64], NDArray[np.bool_], Columns]:
        table = self._table
        state = self.s if acting is None else self.s[acting]
        places = table.places(state * self._choices + chosen, self._streams.random(acting))
        if acting is None:
            self.s, self._last = table.state[places], chosen.astype(np.int64)
        else:
            self.s[acting], self._last[acting] = table.state[places], chosen
        return table.reward[places], table.terminated[places], {"prob": table.prob[places]}

    def _observations(self) -> NDArray[np.int64]:
        return self.s.copy()

    def _observation(self, i: int) -> int:
        return int(self.s[i])

    def _render_one(self, i: int) -> Any:
        last = int(self._last[i])
        self._single.s, self._single.lastaction = int(self.s[i]), None if last < 0 else last
        return self._single.render()


class FrozenLakeVectorEnv(TabularVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `FrozenLakeEnv` on the same map at once.

    The arguments and exceptions are the same as for `TabularVectorEnv`. The options, such as `map_name` and
    `is_slippery`, are the same as for `FrozenLakeEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("FrozenLake-v1", num_envs=3, is_slippery=False)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 2, 0]))
    >>> observations
    array([4, 1, 0])
    """

    single = FrozenLakeEnv


class CliffWalkingVectorEnv(TabularVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `CliffWalkingEnv` at once.

    The arguments and exceptions are the same as for `TabularVectorEnv`. The options, such as `is_slippery`, are the
    same as for `CliffWalkingEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CliffWalking-v1", num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> envs.step(np.array([0, 1, 2]))[1]
    array([  -1., -100.,   -1.])
    """

    single = CliffWalkingEnv


class TaxiVectorEnv(TabularVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `TaxiEnv` at once.

    The infos contain "action_mask", an int8 array of shape (num_envs, 6).

    The arguments and exceptions are the same as for `TabularVectorEnv`. The options, such as `is_rainy` and
    `fickle_passenger`, are the same as for `TaxiEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("Taxi-v4", num_envs=2, is_rainy=True)
    >>> observations, infos = envs.reset(seed=[3, 4])
    >>> infos["action_mask"]
    array([[1, 0, 1, 0, 0, 0],
           [0, 1, 1, 0, 0, 0]], dtype=int8)
    """

    single = TaxiEnv
    _single: TaxiEnv

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        super().__init__(num_envs, max_episode_steps, autoreset_mode, **options)
        self.fickle_step = np.zeros(num_envs, np.bool_)
        """A mask of the environments whose passenger is fickle and has not changed the destination yet."""
        self.taxi_orientation = np.zeros(num_envs, np.int64)
        self._masks = taxi_rules.masks()

    def _begin(self, starting: Indexes) -> Columns:
        super()._begin(starting)
        if self._single.fickle_passenger:
            self.fickle_step[starting] = self._streams.random(starting) < self._single.fickle_probability
        self.taxi_orientation[starting] = 0
        return {"prob": np.ones(starting.size), "action_mask": self._masks[self.s[starting]]}

    def _act(self, chosen: Indexes, acting: Indexes | None) -> tuple[NDArray[np.float64], NDArray[np.bool_], Columns]:
        before = self.s.copy()
        rewards, terminated, infos = super()._act(chosen, acting)
        changing = self.fickle_step & (before // 4 % 5 == 4) & (before // 20 != self.s // 20)
        (where,) = changing.nonzero()
        if where.size:
            self.fickle_step[where] = False
            old = before[where] % 4
            new = self._streams.integers(3, where)
            self.s[where] += new + (new >= old) - old
        if self.render_mode is not None:
            self.taxi_orientation = np.where((self._last >= 0) & (self._last < 4), self._last, self.taxi_orientation)
        infos["action_mask"] = self._masks[self.s if acting is None else self.s[acting]]
        return rewards, terminated, infos

    def _render_one(self, i: int) -> Any:
        self._single.taxi_orientation = int(self.taxi_orientation[i])
        return super()._render_one(i)
