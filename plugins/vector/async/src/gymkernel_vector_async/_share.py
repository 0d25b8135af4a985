"""`Share`: the environments of one process, stepped one after another, their results written straight into arrays."""

from __future__ import annotations

import contextlib
import copy
import operator
from typing import TYPE_CHECKING, Any

from gymkernel.vector.utils import BatchWriter, batch_space, batch_steps, check_reset, check_step, iterate
from gymkernel_vector_async._errors import exception_text, failure_of
from gymkernel_vector_async._records import Mail

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel.vector.utils import BatchPlan
    from gymkernel_vector_async._errors import Failure
    from gymkernel_vector_async._records import Arrays, Settings

__all__ = ["Share"]

Result = tuple[Any, Any, Any, Any, Any]


class _Raised:
    """Stands for the result of an environment that raised."""

    def __init__(self, exc: BaseException) -> None:
        self.exc = exc


class Share:
    """Environments `first`, `first + 1`, ... of a vector environment.

    Args:
        first: index of the first one.
        env_fns: functions that make one each.
        settings: how they are stepped.
        own: whether this is the parent's process, in which Ctrl-C ends more than an environment.
    """

    def __init__(
        self, first: int, env_fns: Sequence[Callable[[], Any]], settings: Settings, *, own: bool = False
    ) -> None:
        self.caught: Any = (Exception, SystemExit) if own else BaseException
        self.first, self.env_fns, self.settings = first, list(env_fns), settings
        self.n = len(self.env_fns)
        self.positions = range(self.n)
        self.envs: list[Any] = []
        self.next_step, self.same_step = settings.mode == "NextStep", settings.mode == "SameStep"
        self.done = [False] * self.n
        self.any_done = False
        self.restarts = [0] * self.n
        self.last: list[Any] = [None] * self.n
        """The last observations, kept where an episode may have to be ended without one."""
        self.progress: Any = [0]
        """Where the position of the environment at work is noted; a worker puts in shared memory."""

    def build(self) -> list[Failure]:
        """Make the environments; the failures of all that cannot be made."""
        failures = []
        for k, make in enumerate(self.env_fns):
            self.progress[0] = k
            try:
                env = make()
                if not (hasattr(env, "step") and hasattr(env, "reset")):
                    message = f"Expected the function to make an environment (with reset and step), got {env!r:.200}"
                    raise TypeError(message)
                self.envs.append(env)
            except self.caught as exc:
                failures.append(failure_of(exc, self.first + k, "construction"))
        return failures

    def spaces(self) -> tuple[list[tuple[Any, Any]], list[int]]:
        """The different pairs (observation space, action space), and which one each environment has."""
        different: list[tuple[Any, Any]] = []
        which = []
        for env in self.envs:
            pair = (env.observation_space, env.action_space)
            for j, known in enumerate(different):
                if known[0] == pair[0] and known[1] == pair[1]:
                    which.append(j)
                    break
            else:
                which.append(len(different))
                different.append(pair)
        return different, which

    def attach(self, plan: BatchPlan, arrays: Arrays) -> None:
        """Take the arrays that results are written into."""
        self.arrays = arrays
        space, check = self.envs[0].observation_space, self.settings.check
        self.writers = [
            BatchWriter(plan, slot, self.n, space, check=check, first=self.first) for slot in arrays.observations
        ]
        self.has_odd = bool(plan.odd)
        self._action_space = batch_space(self.envs[0].action_space, self.n)
        self._iterate = iterate.dispatch(type(self._action_space))

    def detach(self) -> None:
        """Let go of the arrays."""
        self.arrays, self.writers = None, []  # type: ignore[assignment]

    def split(self, actions: Any) -> list[Any]:
        """The action of each environment, out of a batch for this share."""
        return list(self._iterate(self._action_space, actions))

    def step(self, actions: Sequence[Any], slot: int) -> Mail | None:
        """Act once in every environment of the share."""
        results: list[Any] = []
        append, progress = results.append, self.progress
        if self.any_done and self.next_step:
            for progress[0], env, done, action in zip(self.positions, self.envs, self.done, actions, strict=True):
                try:
                    append(self._reset_in_step(progress[0]) if done else env.step(action))
                except self.caught as exc:
                    append(_Raised(exc))
        else:
            for progress[0], env, action in zip(self.positions, self.envs, actions, strict=True):
                try:
                    append(env.step(action))
                except self.caught as exc:
                    append(_Raised(exc))
        return self._keep(results, actions, slot)

    def _keep(self, results: list[Any], actions: Sequence[Any], slot: int) -> Mail | None:
        """Write all results at once; where anything is out of the ordinary, one by one."""
        try:
            told = self._kept(results, slot)
        except Exception:  # noqa: BLE001 - it is found out which environment it was
            told = None
        if told is None:
            return self._keep_each(results, actions, slot)
        if not (told or self.has_odd or not self.arrays.shared):
            return None
        return self._send_along(Mail(infos=told), range(self.n), slot)

    def _kept(self, results: list[Any], slot: int) -> list[tuple[int, dict[str, Any]]] | None:
        """Write all results, and return the infos if there are any; None where environments are to be reset at once."""
        arrays = self.arrays
        observations, rewards, ended, cut, infos, any_done, told = batch_steps(results, self.first)
        if any_done and self.same_step:
            return None
        arrays.rewards[...], arrays.terminations[...], arrays.truncations[...] = rewards, ended, cut
        self.any_done = any_done
        if any_done:
            self.done = (ended | cut).tolist()
        self.writers[slot].fill(observations)
        if self.settings.restart:
            self.last = list(observations)
        return list(enumerate(infos, self.first)) if told else []

    def _keep_each(self, results: list[Any], actions: Sequence[Any], slot: int) -> Mail | None:
        mail = Mail()
        for k, result in enumerate(results):
            self._keep_one(k, result, actions[k], slot, mail)
        self.any_done = any(self.done)
        return self._send_along(mail, range(self.n), slot)

    def step_one(self, k: int, action: Any, slot: int) -> Mail | None:
        """Act in one environment."""
        self.progress[0] = k
        try:
            result = self._reset_in_step(k) if self.done[k] and self.next_step else self.envs[k].step(action)
        except self.caught as exc:
            result = _Raised(exc)
        mail = Mail()
        self._keep_one(k, result, action, slot, mail)
        self.any_done = any(self.done)
        return self._send_along(mail, (k,), slot)

    def _reset_in_step(self, k: int) -> Result:
        observation, info = check_reset(self.envs[k].reset(), self.first + k)
        self.done[k] = False
        return observation, 0.0, False, False, info

    def _keep_one(self, k: int, result: Any, action: Any, slot: int, mail: Mail) -> None:
        """Check and write one result; what is wrong with it becomes a failure, or a restart."""
        arrays, writer, i = self.arrays, self.writers[slot], self.first + k
        try:
            if isinstance(result, _Raised):
                raise result.exc
            observation, reward, terminated, truncated, info = check_step(result, i)
            writer.put(k, observation)
            if self.settings.restart:
                self.last[k] = observation
        except self.caught as exc:
            failure = failure_of(exc, i, "step", f"action {exception_text(action)}")
            told = self._restarted(k, failure, mail)
            if told is None:
                return
            info = told
            observation, reward, terminated, truncated = self.last[k], 0.0, False, True
            writer.put(k, observation)
        self.done[k] = terminated or truncated
        arrays.rewards[k], arrays.terminations[k], arrays.truncations[k] = reward, terminated, truncated
        if self.done[k] and self.same_step:
            final = {"final_obs": copy.deepcopy(observation), "final_info": info}
            restarted = {key: info[key] for key in ("env_restarted", "env_error") if "env_restarted" in info}
            self.done[k] = False
            begun = self._begin(k, None, None, slot, mail, "step")
            if begun is None:
                return
            mail.finals.append((i, final))
            info = {**begun, **restarted}
        if info:
            mail.infos.append((i, info))

    def _restarted(self, k: int, failure: Failure, mail: Mail) -> dict[str, Any] | None:
        """Make an environment anew, and its info; None, and a failure in the mail, where that is over."""
        limit = self.settings.max_restarts
        while self.settings.restart and (limit is None or self.restarts[k] < limit):
            self.restarts[k] += 1
            with contextlib.suppress(BaseException):  # it is broken, and nobody else holds it
                self.envs[k].close()
            try:
                self.envs[k] = self.env_fns[k]()
            except self.caught as exc:
                failure = failure_of(exc, self.first + k, "restart")
            else:
                return {"env_restarted": True, "env_error": failure.error}
        self.done[k] = False
        mail.failures.append(failure)
        return None

    def _begin(self, k: int, seed: Any, options: Any, slot: int, mail: Mail, phase: str) -> dict[str, Any] | None:
        """Begin an episode, and return its info; None, and a failure in the mail, where that does not succeed."""
        told: dict[str, Any] = {}
        while True:
            try:
                begun = self.envs[k].reset() if phase == "step" else self.envs[k].reset(seed=seed, options=options)
                observation, info = check_reset(begun, self.first + k)
                self.writers[slot].put(k, observation)
            except self.caught as exc:
                failure = failure_of(exc, self.first + k, "reset", f"seed {seed}")
                again = self._restarted(k, failure, mail)
                if again is None:
                    return None
                told = again
            else:
                self.done[k] = False
                if self.settings.restart:
                    self.last[k] = observation
                return {**info, **told}

    def reset(self, items: Sequence[tuple[int, Any]], options: dict[str, Any] | None, slot: int) -> Mail | None:
        """Begin an episode in the environments at some positions, with a seed each."""
        mail = Mail()
        for k, seed in items:
            self.progress[0] = k
            info = self._begin(k, seed, options, slot, mail, "reset")
            if info:
                mail.infos.append((self.first + k, info))
        self.any_done = any(self.done)
        return self._send_along(mail, [k for k, _ in items], slot)

    def _send_along(self, mail: Mail, positions: Sequence[int], slot: int) -> Mail | None:
        """Put into a mail what shared memory does not hold."""
        if self.has_odd:
            odd = self.writers[slot].odd
            mail.odd = [(self.first + k, [parts[k] for parts in odd]) for k in positions]
        if not self.arrays.shared:
            start, stop = (positions[0], positions[0] + 1) if len(positions) == 1 else (0, self.n)
            rows = [array[start:stop] for array in self.arrays.observations[slot]]
            mail.rows = (self.first + start, self.first + stop, rows)
        return mail or None

    def lose(self) -> None:
        """Take over from a share whose process ended: every environment is about to reset."""
        self.done, self.any_done = [self.next_step] * self.n, self.next_step

    def ask(self, what: str, name: str, args: Any, kwargs: Any) -> tuple[list[Any], list[Failure]]:
        """Answer "call", "masked" (args: whether, for each), "get", "set" (args: a value for each) or "render"."""
        results: list[Any] = []
        failures = []
        for k, env in enumerate(self.envs):
            self.progress[0] = k
            try:
                if what == "render":
                    results.append(env.render())
                elif what == "set":
                    results.append(env.set_wrapper_attr(name, args[k]))
                elif what == "masked":
                    results.append(_found(env, name)(*kwargs["args"], **kwargs["kwargs"]) if args[k] else None)
                else:
                    found = _found(env, name)
                    results.append(found(*args, **kwargs) if what == "call" and callable(found) else found)
            except self.caught as exc:
                failures.append(
                    failure_of(exc, self.first + k, "call" if what in {"call", "masked"} else f"{what} {name}".strip())
                )
        return results, failures

    def close(self) -> list[Failure]:
        """Close every environment, also where one of them raises."""
        failures = []
        for k, env in enumerate(self.envs):
            try:
                env.close()
            except self.caught as exc:
                failures.append(failure_of(exc, self.first + k, "close"))
        self.envs = []
        return failures


def _found(env: Any, name: str) -> Any:
    """An attribute through the wrappers of an environment, or with dots, one of it."""
    first, _, rest = name.partition(".")
    found = env.get_wrapper_attr(first)
    return operator.attrgetter(rest)(found) if rest else found
