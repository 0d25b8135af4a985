"""The `Shard` class, which all engines use to step a group of environments with a copy of the policy."""

from __future__ import annotations

import copy
import math
import re
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_rollout.collecting.errors import Failure
from gymkernel_tool_rollout.collecting.fitting import fit
from gymkernel_tool_rollout.collecting.fragment import FragmentArrays, FragmentShape, Outcome, final_batch
from gymkernel_tool_rollout.collecting.policies import PickledPolicy, call, looks_like_extras
from gymkernel_tool_rollout.collecting.tables import Table, plan_of_extras, plan_of_space, refuse_extras
from gymkernel_util_spaces.plans import plan_of
from gymkernel_util_spaces.texts import add_note
from gymkernel_util_vector.arguments import check_made
from gymkernel_vector_sync import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Memory = Callable[[int], Any]

__all__ = ["Recipe", "Shard", "Ticket"]

DIRECT_BYTES: Final = 1 << 14
"""The minimum size of a time step's observations, in bytes, at which environments write directly into the fragment.

Smaller observations are copied, which is faster than redirecting the environments' output at every step."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A description from which a shard can be created, possibly in another process.

    Attributes:
        shard: the index of the shard.
        indices: the indices of the shard's environments among all environments.
        env_fns: functions that each create an environment.
        seed: the seed of environment 0. Environment i has the seed `seed + i`.
    """

    shard: int
    indices: range
    env_fns: tuple[Callable[[], Any], ...]
    seed: int

    def __str__(self) -> str:
        first, last = self.indices[0], self.indices[-1]
        environments = f"environment {first}" if first == last else f"environments {first} to {last}"
        return f"shard {self.shard} ({environments})"


class Ticket(NamedTuple):
    """A request to a shard for one fragment.

    Attributes:
        serial: the fragment's sequence number within its shard.
        generation: how many times the shard has been restarted. When this number changes, the shard creates new
            environments.
        rows: the maximum number of time steps.
        version: the version of the policy that the shard must use.
        policy: the policy itself; None if the shard already has this version.
        episodes: how many episodes each environment still has to complete; None if episodes are not counted.
        memory: the engine's description of the memory into which the arrays are written; None to allocate new arrays.
    """

    serial: int
    generation: int
    rows: int
    version: int
    policy: PickledPolicy | None = None
    episodes: tuple[int, ...] | None = None
    memory: Any = None


class Shard:
    """A group of environments with its own copy of the policy, which collects fragments on request.

    Args:
        recipe: the indices, seed and functions from which the environments are created.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._envs: Any = None
        self._generation = self._failed = -1
        """The current generation, and the most recent generation in which a request failed."""
        self._policy: Any = None
        self._version = -1
        self._make()

    def _make(self) -> None:
        functions = [
            partial(_make_env, make, i) for make, i in zip(self.recipe.env_fns, self.recipe.indices, strict=True)
        ]
        self._envs = SyncVectorEnv(functions, False, autoreset_mode=AutoresetMode.SAME_STEP, list_infos=True)
        self._n = n = self._envs.num_envs
        self._plans = [
            plan_of_space(self._envs.single_observation_space),
            plan_of_space(self._envs.single_action_space),
        ]
        tree = self._plans[1].tree
        self._paired = tree if looks_like_extras(tree) else None
        plain = plan_of(self._envs.single_observation_space).batch(shared=False, encode=False)
        size = n * sum(leaf.dtype.itemsize * math.prod(leaf.shape) for leaf in plain.leaves)
        self._is_direct = plain.dense and plain == self._plans[0] and size >= DIRECT_BYTES
        """Whether environments write their observations directly into the fragment."""
        self._returns, self._clock, self._starts = np.zeros(n), 0, [0] * n
        """The returns of the current episodes, the current time step, and the first time step of each episode."""
        self._is_new = True

    def _start(self, generation: int) -> None:
        """Create new environments after a restart, and start an episode in each of them."""
        recipe = self.recipe
        if not self._is_new:
            self.close()
            self._make()
        self._generation, self._is_new = generation, False
        seeds: Any = [recipe.seed + i for i in recipe.indices]
        if generation:
            seeds = [int(_derive_seed(recipe.seed, i, generation)) for i in recipe.indices]
        self._observations, _ = self._envs.reset(seed=seeds)
        self._version = -1

    def collect(self, ticket: Ticket, memory: Memory | None = None) -> Outcome:
        """Collect a fragment and return the outcome. Return exceptions, except Ctrl-C, as failures.

        After a failure, the state of the environments is undefined. Therefore, later requests also fail until a request
        with a new generation restarts the shard.

        Args:
            ticket: the request for the fragment.
            memory: a function that takes a size in bytes and returns shared memory, which begins with two integers: the
                current time step and whether the shard must stop. None to allocate new arrays.
        """
        generation = ticket.generation
        if generation <= self._failed:
            failure = Failure("An earlier fragment failed, and the shard was not restarted")
            return Outcome(ticket.serial, failure=failure, generation=generation)
        try:
            return self._collect(ticket, memory)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - every exception is reported to the program
            self._failed = generation
            self._note_source(exc)
            return Outcome(ticket.serial, failure=Failure.of(exc), generation=generation)

    def _collect(self, ticket: Ticket, memory: Memory | None) -> Outcome:
        start = time.perf_counter()
        if ticket.generation != self._generation:
            self._start(ticket.generation)
        if ticket.version != self._version:
            self._take_policy(ticket)
        actions, extras = self._act()
        plan = plan_of_extras(extras, self._n) if extras else None
        shape = FragmentShape(ticket.rows, self._n, self._plans[0], self._plans[1], plan)
        block = None if memory is None else memory(shape.size())
        arrays = FragmentArrays(shape, block)
        outcome = Outcome(ticket.serial, ticket.version, shape, generation=ticket.generation)
        outcome.arrays = arrays if block is None else None
        space = self._envs.single_observation_space
        arrays.tables["observations"].keep_objects(space)
        arrays.tables["actions"].keep_objects(self._envs.single_action_space)
        header = None if block is None else memoryview(block)[:16].cast("q")
        ended: list[tuple[int, int, float, int, Any]] = []
        outcome.rows = self._fill(arrays, ended, ticket, actions, extras, header)
        last = arrays.tables["last_observations"]
        last.keep_objects(space)
        last.put(0, self._observations)
        arrays.cut(outcome.rows)
        times, indices, returns, lengths, finals = zip(*ended, strict=True) if ended else ((),) * 5
        outcome.ends = {
            "episode_ends": np.array((times, indices), np.int64).T,
            "episode_returns": np.array(returns, np.float64),
            "episode_lengths": np.array(lengths, np.int64),
            "final_observations": final_batch(self._plans[0], space, finals),
        }
        if block is not None:
            outcome.objects = arrays.objects()
        outcome.seconds = time.perf_counter() - start
        return outcome

    def _take_policy(self, ticket: Ticket) -> None:
        if ticket.policy is None:
            raise RuntimeError(
                f"Expected the request for fragment {ticket.serial} to include policy version {ticket.version}"
            )
        self._policy = ticket.policy.load()
        start = getattr(self._policy, "start", None)
        if start is not None:
            numbers = self.recipe.seed, self.recipe.shard, ticket.version, ticket.generation
            start(self._envs, int(_derive_seed(*numbers)))
        self._version, self._who = ticket.version, f"the policy (version {ticket.version})"

    def _act(self) -> tuple[Any, Mapping[str, Any]]:
        try:
            actions, extras = call(self._policy, self._observations, self._paired)
        except (Exception, SystemExit) as exc:
            add_note(exc, f"It comes from the policy (version {self._version}), in {self.recipe}.")
            raise
        return fit(self._plans[1], actions, self._n, self._who, self.recipe.indices.start), extras

    def _observer(self, table: Table) -> Callable[[int], None]:
        """Return a function that stores the observations of a given time step in the table.

        If the environments write directly into the table, the function directs them to the next row instead.
        """
        put, envs = table.writer(), self._envs
        if not self._is_direct:
            return lambda t: put(t, self._observations)
        following = zip(*(array[1:] for array in table.arrays), strict=True)

        def observe(t: int) -> None:
            if t == 0:
                put(0, self._observations)
            envs.write_into(next(following, None))  # after the last time step, the environments use their own arrays

        return observe

    def _fill(
        self, arrays: FragmentArrays, ended: list[Any], ticket: Ticket, actions: Any, extras: Any, header: Any
    ) -> int:
        """Step until the arrays are full or all episodes are complete, and return the number of time steps.

        The results of `_end` are added to `ended`.
        """
        envs, tables, returns = self._envs, arrays.tables, self._returns
        put_observations, put_actions = self._observer(tables["observations"]), tables["actions"].writer()
        put_extras = tables["extras"].writer() if "extras" in tables else refuse_extras
        rewards, terminations, truncations, mask = tables["columns"].arrays
        episodes = None if ticket.episodes is None else np.array(ticket.episodes)
        active = np.ones(self._n, np.bool_) if episodes is None else episodes > 0
        all_active = bool(active.all())
        mask[...] = True
        for t in range(arrays.shape.rows):
            if header is not None:
                header[0] = t
                if header[1]:
                    raise InterruptedError("The collector was closed")
            if t:
                actions, extras = self._act()
            put_observations(t)
            put_actions(t, actions)
            put_extras(t, extras)
            result = envs.step(actions) if all_active else envs.step_masked(actions, active)
            self._observations, reward, terminated, truncated, infos = result
            rewards[t], terminations[t], truncations[t] = reward, terminated, truncated
            returns += reward
            self._clock += 1
            if not all_active:
                mask[t] = active
            # Searching the bytes is twice as fast as `any`.
            if 1 in terminated.tobytes() or 1 in truncated.tobytes():
                done = np.flatnonzero(terminated | truncated).tolist()
                ended += self._end(t, done, infos)
                if episodes is not None:
                    episodes[done] -= 1
                    active = episodes > 0
                    all_active = bool(active.all())
                    if not active.any():
                        break
        if t + 1 < arrays.shape.rows:  # the next fragment may overwrite the last observations
            self._observations = copy.deepcopy(self._observations)
        return t + 1

    def _end(self, t: int, indices: list[int], infos: list[Any]) -> list[tuple[int, int, float, int, Any]]:
        """Record the end of episodes at time step t.

        For each episode, return t, the position of its environment, its return, its length and its final observation.
        """
        ended = []
        for i in indices:
            ended.append((t, i, self._returns.item(i), self._clock - self._starts[i], infos[i]["final_obs"]))
            self._returns[i], self._starts[i] = 0.0, self._clock
        return ended

    def _note_source(self, exc: BaseException) -> None:
        """Name the shard in the exception's note about its source, or add such a note."""
        existing = getattr(exc, "__notes__", [])
        indices, notes = self.recipe.indices, existing if isinstance(existing, list) else []
        for k, note in enumerate(notes):
            match = re.fullmatch(r"It comes from (?:the reset of )?environment (\d+)\b.*", note)
            if match:
                notes[k] = f"It comes from environment {indices[int(match[1])]}, number {match[1]} of {self.recipe}."
                return
        if not any(note.startswith("It comes from") for note in notes):
            add_note(exc, f"It comes from {self.recipe}.")

    def close(self) -> None:
        """Close all environments, then raise the first error, with a note that names its environment."""
        try:
            self._envs.close()
        except (Exception, SystemExit) as exc:
            self._note_source(exc)
            raise


def _make_env(make: Callable[[], Any], index: int) -> Any:
    """Create an environment. If this fails, add the environment's index to the exception as a note."""
    try:
        env = make()
        check_made(env, set())
    except (Exception, SystemExit) as exc:
        add_note(exc, f"It comes from the function that makes environment {index}.")
        raise
    return env


def _derive_seed(*numbers: int) -> Any:
    """Derive a seed that depends on all of the given numbers."""
    return np.random.SeedSequence(numbers).generate_state(1)[0]
