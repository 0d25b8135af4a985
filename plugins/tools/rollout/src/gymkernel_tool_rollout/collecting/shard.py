"""`Shard`: some environments and the policy that acts in them; every engine runs this code, wherever it is."""

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
from gymkernel_tool_rollout.collecting.errors import Failure, environments
from gymkernel_tool_rollout.collecting.extras import plan_of_extras, refuse_extras
from gymkernel_tool_rollout.collecting.fitting import fit
from gymkernel_tool_rollout.collecting.fragment import Ends, FragmentArrays, FragmentShape, Outcome, final_batch
from gymkernel_tool_rollout.collecting.policies import PickledPolicy, call, looks_like_extras
from gymkernel_tool_rollout.collecting.tables import Table, plan_of_space
from gymkernel_util_spaces.plans import plan_of
from gymkernel_util_spaces.texts import add_note
from gymkernel_util_vector.arguments import check_made
from gymkernel_vector_sync import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Memory = Callable[[int], Any]

__all__ = ["Recipe", "Shard", "Ticket"]

DIRECT_BYTES: Final = 1 << 14
"""Of the observations of a time step, from which on they are written to where they are to be; less is copied there in
the time that it takes to say where."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Of what a shard is made.

    Attributes:
        shard: its number.
        indices: of its environments, among all.
        env_fns: functions that make one each.
        seed: of environment 0 of all; the others have the next numbers.
    """

    shard: int
    indices: range
    env_fns: tuple[Callable[[], Any], ...]
    seed: int

    def __str__(self) -> str:
        return f"shard {self.shard} ({environments(self.indices)})"


class Ticket(NamedTuple):
    """What is asked of a shard: one fragment.

    Attributes:
        serial: its number in the shard.
        generation: how often the shard was begun anew; where that is new to it, it makes its environments again.
        rows: time steps, at most.
        version: of the policy.
        policy: the policy, where the shard does not have this version yet.
        episodes: how many each environment has left; None where only steps count.
        memory: where the arrays are to be, as the engine says it; None for anywhere.
    """

    serial: int
    generation: int
    rows: int
    version: int
    policy: PickledPolicy | None = None
    episodes: tuple[int, ...] | None = None
    memory: Any = None


class Shard:
    """The environments of one process, or a part of those of the program, and a policy.

    Args:
        recipe: of what it is made.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._envs: Any = None
        self._generation = self._failed = -1
        """How often it was begun anew, and in which generation something went wrong."""
        self._policy: Any = None
        self._version = -1
        self._make()

    def _make(self) -> None:
        functions = [partial(_made, make, i) for make, i in zip(self.recipe.env_fns, self.recipe.indices, strict=True)]
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
        """Whether environments write observations to where they are to be."""
        self._returns, self._clock, self._began = np.zeros(n), 0, [0] * n
        """Of the episodes that are under way, and the time step at which they began."""
        self._fresh = True

    def _begin(self, generation: int) -> None:
        """Begin first episodes, in environments that are new."""
        recipe = self.recipe
        if not self._fresh:
            self.close()
            self._make()
        self._generation, self._fresh = generation, False
        seeds: Any = [recipe.seed + i for i in recipe.indices]
        if generation:
            seeds = [int(_drawn(recipe.seed, i, generation)) for i in recipe.indices]
        self._observations, _ = self._envs.reset(seed=seeds)
        self._version = -1

    def collect(self, ticket: Ticket, memory: Memory | None = None) -> Outcome:
        """Collect a fragment; what is raised on the way is the outcome then, but for Ctrl-C.

        What was asked for in the same generation is not collected afterwards: the environments are not what they were.

        Args:
            ticket: what is asked.
            memory: gives so many bytes of memory that is shared with the program; the fragment is written there. It
                begins with two integers: the time step at which this is, and whether it is to stop.
        """
        generation = ticket.generation
        if generation <= self._failed:
            failure = Failure("A fragment before failed, and the shard was not begun anew")
            return Outcome(ticket.serial, failure=failure, generation=generation)
        try:
            return self._collected(ticket, memory)
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the program hears of all
            self._failed = generation
            self._note_place(exc)
            return Outcome(ticket.serial, failure=Failure.of(exc), generation=generation)

    def _collected(self, ticket: Ticket, memory: Memory | None) -> Outcome:
        start = time.perf_counter()
        if ticket.generation != self._generation:
            self._begin(ticket.generation)
        if ticket.version != self._version:
            self._take_policy(ticket)
        actions, extras = self._act()
        told = plan_of_extras(extras, self._n) if extras else None
        shape = FragmentShape(ticket.rows, self._n, self._plans[0], self._plans[1], told)
        place = None if memory is None else memory(shape.size())
        arrays = FragmentArrays(shape, place)
        outcome = Outcome(ticket.serial, ticket.version, shape, generation=ticket.generation)
        outcome.arrays = arrays if place is None else None
        space = self._envs.single_observation_space
        arrays.tables["observations"].keep_objects(space)
        arrays.tables["actions"].keep_objects(self._envs.single_action_space)
        header = None if place is None else memoryview(place)[:16].cast("q")
        outcome.rows = self._fill(arrays, outcome.ends, ticket, actions, extras, header)
        last = arrays.tables["last_observations"]
        last.keep_objects(space)
        last.put(0, self._observations)
        arrays.cut(outcome.rows)
        outcome.ends.observations = final_batch(self._plans[0], space, outcome.ends.observations)
        if place is not None:
            outcome.objects = arrays.objects()
        outcome.seconds = time.perf_counter() - start
        return outcome

    def _take_policy(self, ticket: Ticket) -> None:
        if ticket.policy is None:
            raise RuntimeError(
                f"Expected policy version {ticket.version} with the request for fragment {ticket.serial}"
            )
        self._policy = ticket.policy.load()
        begin = getattr(self._policy, "start", None)
        if begin is not None:
            begin(self._envs, int(_drawn(self.recipe.seed, self.recipe.shard, ticket.version, ticket.generation)))
        self._version, self._who = ticket.version, f"the policy (version {ticket.version})"

    def _act(self) -> tuple[Any, Mapping[str, Any]]:
        try:
            actions, extras = call(self._policy, self._observations, self._paired)
        except (Exception, SystemExit) as exc:
            add_note(exc, f"It comes from the policy (version {self._version}), in {self.recipe}.")
            raise
        return fit(self._plans[1], actions, self._n, self._who, self.recipe.indices.start), extras

    def _observer(self, table: Table) -> Callable[[int], None]:
        """What, at time step t, writes its observations into the table, or has the next ones written there."""
        put, envs = table.writer(), self._envs
        if not self._is_direct:
            return lambda t: put(t, self._observations)
        following = zip(*(array[1:] for array in table.arrays), strict=True)

        def observe(t: int) -> None:
            if t == 0:
                put(0, self._observations)
            envs.write_into(next(following, None))  # those after the last time step stay with the environments

        return observe

    def _fill(self, arrays: FragmentArrays, ends: Ends, ticket: Ticket, actions: Any, extras: Any, header: Any) -> int:
        """Act until the arrays are full, or every environment had its episodes; how many rows are filled."""
        envs, tables, returns = self._envs, arrays.tables, self._returns
        observe, act = self._observer(tables["observations"]), tables["actions"].writer()
        tell = tables["extras"].writer() if "extras" in tables else refuse_extras
        rewards, terminations, truncations, mask = arrays.columns.values()
        left = None if ticket.episodes is None else np.array(ticket.episodes)
        alive = np.ones(self._n, np.bool_) if left is None else left > 0
        everyone = bool(alive.all())
        mask[...] = True
        ends.observations = []
        for t in range(arrays.shape.rows):
            if header is not None:
                header[0] = t
                if header[1]:
                    raise InterruptedError("The collector was closed")
            if t:
                actions, extras = self._act()
            observe(t)
            act(t, actions)
            tell(t, extras)
            result = envs.step(actions) if everyone else envs.step_masked(actions, alive)
            self._observations, reward, ended, cut, infos = result
            rewards[t], terminations[t], truncations[t] = reward, ended, cut
            returns += reward
            self._clock += 1
            if not everyone:
                mask[t] = alive
            if 1 in ended.tobytes() or 1 in cut.tobytes():  # in half the time of `any`
                done = np.flatnonzero(ended | cut).tolist()
                self._end(t, done, ends, infos)
                if left is not None:
                    left[done] -= 1
                    alive = left > 0
                    everyone = bool(alive.all())
                    if not alive.any():
                        break
        if t + 1 < arrays.shape.rows:  # they stand where the next fragment may be written
            self._observations = copy.deepcopy(self._observations)
        return t + 1

    def _end(self, t: int, indices: list[int], ends: Ends, infos: list[Any]) -> None:
        returns, clock, began = self._returns, self._clock, self._began
        for i in indices:
            ends.times.append(t)
            ends.indices.append(i)
            ends.observations.append(infos[i]["final_obs"])
            ends.returns.append(returns.item(i))
            ends.lengths.append(clock - began[i])
            returns[i], began[i] = 0.0, clock

    def _note_place(self, exc: BaseException) -> None:
        """Say in the notes of an exception which environment it comes from, by its index among all."""
        found_notes = getattr(exc, "__notes__", [])
        indices, notes = self.recipe.indices, found_notes if isinstance(found_notes, list) else []
        for k, note in enumerate(notes):
            found = re.fullmatch(r"It comes from (?:the reset of )?environment (\d+)\b.*", note)
            if found:
                notes[k] = f"It comes from environment {indices[int(found[1])]}, number {found[1]} of {self.recipe}."
                return
        if not any(note.startswith("It comes from") for note in notes):
            add_note(exc, f"It comes from {self.recipe}.")

    def close(self) -> None:
        """Close the environments; the first error is raised at the end, and its notes say where it comes from."""
        try:
            self._envs.close()
        except (Exception, SystemExit) as exc:
            self._note_place(exc)
            raise


def _made(make: Callable[[], Any], index: int) -> Any:
    """An environment; what goes wrong has a note with its index."""
    try:
        env = make()
        check_made(env, set())
    except (Exception, SystemExit) as exc:
        add_note(exc, f"It comes from the function that makes environment {index}.")
        raise
    return env


def _drawn(*numbers: int) -> Any:
    """A seed that depends on all numbers."""
    return np.random.SeedSequence(numbers).generate_state(1)[0]
