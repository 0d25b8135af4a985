"""What runs in a worker: build a share of the environments, then answer the parent until it is gone."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import socket
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_vector_async._channel import Channel, guarded
from gymkernel_vector_async._errors import exception_text, failure_of
from gymkernel_vector_async._layout import arrays_of, nested, private
from gymkernel_vector_async._lifeline import hold_on
from gymkernel_vector_async._main_module import LazyMain
from gymkernel_vector_async._memory import Block
from gymkernel_vector_async._pickling import dumps, dumps_by_name, learn_classes
from gymkernel_vector_async._records import Arrays, Mail
from gymkernel_vector_async._registrations import register_again
from gymkernel_vector_async._share import Share
from gymkernel_vector_async._words import (
    ANSWER,
    ASLEEP,
    AT_WORK,
    COMMAND,
    CPU,
    MAILED,
    MEASURED,
    NAPS,
    PARENT_ASLEEP,
    QUEUE,
    REQUEST,
    SLOT,
    STEP,
    STEPS,
    WALL,
    WORDS,
    Patience,
    fence,
)

if TYPE_CHECKING:
    from gymkernel_vector_async._layout import Address
    from gymkernel_vector_async._memory import Descriptor
    from gymkernel_vector_async._records import Settings

__all__ = ["Job", "Provided", "main"]


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is started with."""

    number: int
    first: int
    env_fns: list[Any] | None
    """None where the process is not forked: they follow as a message."""
    settings: Settings
    channel: Descriptor
    block: Descriptor
    served: bool
    """Whether it is started by a fork server."""
    watch: bool
    """Whether the parent's end is to be watched by a thread, because the system cannot end this process with it."""


@dataclass(frozen=True, slots=True)
class Provided:
    """What a worker that is not forked is told before it begins."""

    path: list[str]
    main: dict[str, str]
    """Where the program's main module is."""
    functions: bytes
    registrations: bytes


def main(job: Job) -> None:
    """Run a worker; the function that its process starts with."""
    channel = Channel(socket.socket(fileno=job.channel.fd))
    guarded.add(channel.fd)
    hold_on(channel, served=job.served, watch=job.watch)
    code = 0
    try:
        provided: Provided | None = pickle.loads(_read(channel))  # noqa: S301 - from this program's own parent
        _Worker(job, channel, _functions(provided) if provided else job.env_fns or []).run()
    except (EOFError, BrokenPipeError):
        os._exit(0)  # the parent is gone
    except BaseException as exc:  # noqa: BLE001 - the parent hears of all
        with contextlib.suppress(Exception):
            channel.send(dumps(("broken", failure_of(exc, job.first, "start"))))
        code = 1
    channel.close()
    if code:
        os._exit(code)


def _read(channel: Channel) -> bytes:
    """The next message; waits for it."""
    while (data := channel.next()) is None:
        if channel.closed:
            raise EOFError
        channel.wait()
    return data


def _functions(provided: Provided) -> list[Any]:
    """Make this process what it would be if it had been forked, as far as that goes, and the functions."""
    sys.path[:] = provided.path
    LazyMain(provided.main).install()
    functions: list[Any] = pickle.loads(provided.functions)  # noqa: S301 - as above
    learn_classes()
    register_again(provided.registrations)
    return functions


class _Worker:
    """The state of a worker."""

    def __init__(self, job: Job, channel: Channel, env_fns: list[Any]) -> None:
        self.job, self.channel = job, channel
        self.share = Share(job.first, env_fns, job.settings)
        self.block = Block(job.block.fd)
        self.seen = 0
        self.patience = Patience(crowded=job.settings.crowded)

    def run(self) -> None:
        """Build, attach, then answer until told to close."""
        share = self.share
        failures = share.build()
        if failures:
            share.close()
            self._say(("built", failures, None))
            return
        different, which = share.spaces()
        env = share.envs[0]
        self._say(("built", [], (_each(different), which, dumps((dict(env.metadata), env.render_mode)))))
        if not self._attach(pickle.loads(_read(self.channel))):  # noqa: S301 - from this program's own parent
            share.close()
            return
        while self._answer():
            pass

    def _say(self, message: Any) -> None:
        self.channel.send(dumps(message))
        if self.channel.closed:
            raise EOFError

    def _attach(self, address: Address | None) -> bool:
        """Map the block; False where the parent has decided not to go on."""
        if address is None:
            return False
        share, block, n = self.share, self.block, self.share.n
        block.attach(address.size)
        self.parent = block.words(0, WORDS)
        self.words = block.words(8 * WORDS * (1 + self.job.number), WORDS)
        share.progress = self.words[AT_WORK : AT_WORK + 1]
        whole, rows = arrays_of(block, address)
        mine = slice(share.first, share.first + n)
        shared = bool(address.observations)
        slots = [[leaf[mine] for leaf in slot] for slot in rows] if shared else private(address, n)
        share.attach(
            address.plan,
            Arrays(slots, whole["rewards"][mine], whole["terminations"][mine], whole["truncations"][mine], shared),
        )
        self.actions = [leaf[mine] for leaf in whole["actions"]]
        self.action_plan = address.action_plan
        self.tickets = whole["tickets"][mine]
        self.served, self.mailed = whole["served"][mine], whole["mailed"][mine]
        self.measured = 0
        return True

    def _answer(self) -> bool:
        """Wait for a request and answer it; False after the last."""
        self._await()
        words = self.words
        number = words[REQUEST]  # before the rest: a parent that gives up on a request writes the next one meanwhile
        command, slot = words[COMMAND], words[SLOT]
        if command == STEP:
            self.seen = number
            if self.measured < MEASURED:
                mail = self._measured_step(slot)
            else:
                mail = self.share.step(self._batch_of_actions(), slot)
            self._post(mail)
        elif command == QUEUE:
            latest = number
            while (data := self.channel.next()) is not None:  # sent before, or after a request that was given up
                if not self._obey(pickle.loads(data)):  # noqa: S301 - from this program's own parent
                    return False
                latest = max(latest, self.seen)
            self._serve_tickets(slot)
            if latest == number:  # a later one has its answer
                words[MAILED], words[ANSWER] = 0, number
            self.seen = latest
        else:
            return self._obey(pickle.loads(_read(self.channel)))  # noqa: S301 - from this program's own parent
        return True

    def _await(self) -> None:
        """Wait for the next request: look again for a while, then sleep."""
        words, seen = self.words, self.seen
        if self.patience.turned(words, REQUEST, seen, away=True):
            return
        nap: float | None = 0.02  # the first one is short, lest the bell was missed by a hair
        while words[REQUEST] == seen:
            words[ASLEEP] = 1
            fence()
            if words[REQUEST] == seen:
                self.channel.wait(nap)
                self.channel.take()
                nap = None
            words[ASLEEP] = 0
            if self.channel.closed:
                raise EOFError

    def _batch_of_actions(self) -> list[Any]:
        copies = [leaf.copy() for leaf in self.actions]  # an environment may keep its action
        return self.share.split(nested(self.action_plan.tree, copies))

    def _measured_step(self, slot: int) -> Mail | None:
        actions = self._batch_of_actions()
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        naps = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
        mail = self.share.step(actions, slot)
        words = self.words
        words[CPU] += time.thread_time_ns() - cpu
        words[WALL] += time.perf_counter_ns() - wall
        words[NAPS] += resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - naps
        words[STEPS] += 1
        self.measured += 1
        return mail

    def _post(self, mail: Any) -> None:
        """Publish an answer, and the message that goes with it."""
        words = self.words
        data = None if mail is None else self._letter(mail)
        words[MAILED] = data is not None
        words[ANSWER] = self.seen
        fence()
        if data is not None:
            self.channel.send(data)
        elif self.parent[PARENT_ASLEEP]:
            self.channel.bell()

    def _letter(self, mail: Any, ticket: tuple[int, int] | None = None) -> bytes:
        """A message in bytes; what cannot be pickled becomes a failure of its environment."""
        try:
            return dumps((self.seen, ticket, mail))
        except Exception as exc:  # noqa: BLE001 - the parent hears of all
            if not isinstance(mail, Mail):
                return dumps((self.seen, ticket, ([], [failure_of(exc, self.share.first, "call")])))
            for name in ("infos", "finals", "odd"):
                kept = []
                for i, value in getattr(mail, name):
                    try:
                        dumps(value)
                    except Exception as exc:  # noqa: BLE001 - as above
                        what = "an info" if name != "odd" else "an observation"
                        text = TypeError(f"Expected {what} that can be pickled, got {exception_text(value)}: {exc}")
                        mail.failures.append(failure_of(text, i, "step"))
                    else:
                        kept.append((i, value))
                setattr(mail, name, kept)
            return dumps((self.seen, ticket, mail))

    def _serve_tickets(self, slot: int) -> None:
        """Step the environments that have a new ticket, one by one, each published as soon as it is ready."""
        share, tickets, served = self.share, self.tickets, self.served
        while True:
            waiting = np.flatnonzero(tickets != served).tolist()
            if not waiting:
                break
            for k in waiting:
                ticket = int(tickets[k])
                copies = [leaf[k : k + 1].copy() for leaf in self.actions]
                self._serve(k, ticket, share.split(nested(self.action_plan.tree, copies))[0], slot)

    def _serve(self, k: int, ticket: int, action: Any, slot: int) -> None:
        """Step one environment and publish its result."""
        mail = self.share.step_one(k, action, slot)
        if mail is not None:
            self.mailed[k] = ticket
            self.channel.send(self._letter(mail, (self.share.first + k, ticket)))
        self.served[k] = ticket
        fence()
        if self.parent[PARENT_ASLEEP]:
            self.channel.bell()

    def _obey(self, message: tuple[Any, ...]) -> bool:
        """Do what a message says: (number of the request, what, arguments...)."""
        self.seen, what, *rest = message
        share = self.share
        if what == "step":
            actions, slot = rest
            self._post(share.step(list(actions), slot))
        elif what == "one":
            k, ticket, action, slot = rest
            self.tickets[k] = ticket
            self._serve(k, ticket, action, slot)
            self._serve_tickets(slot)
            self._post(None)
        elif what == "reset":
            self._post(share.reset(*rest))
        elif what == "lost":
            share.lose()
            self._post(None)
        elif what == "close":
            self.words[AT_WORK] = -1  # the parent sees that its request was heard
            self._post((share.close(),))
            return False
        else:
            self._post(share.ask(what, *rest))
        return True


def _each(different: list[tuple[Any, Any]]) -> list[tuple[bool, bytes]]:
    """The spaces of environments, pickled: whether by name, so that classes are the parent's own, or by value."""
    pickled = []
    for pair in different:
        try:
            pickled.append((True, dumps_by_name(pair)))
        except Exception:  # noqa: BLE001 - a class that has no name to import it by
            try:
                pickled.append((False, dumps(pair)))
            except Exception:  # noqa: BLE001 - the parent then makes an environment for its spaces
                pickled.append((False, b""))
    return pickled
