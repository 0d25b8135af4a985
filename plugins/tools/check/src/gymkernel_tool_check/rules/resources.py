"""GK95x: rules about the speed, the resources and the output of an environment."""

from __future__ import annotations

from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.probes.global_state import Changes
from gymkernel_tool_check.probes.growth import Growth, Slowing, growth
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.rules.outputs import result_of
from gymkernel_tool_check.subject import Subject

SMALL = 128
"""If a single value grows by less than this many bytes per episode, the finding is a warning instead of an error."""


def _number(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 or rate == int(rate) else f"{rate:.1f}"


def _episodes(count: str) -> str:
    lines = ["for episode in range(100):", "    env.reset()", "    for _ in range(15):"]
    lines += ["        if any(env.step(env.action_space.sample())[2:4]):", "            break"]
    return "\n".join([*lines, "    if episode % 20 == 0:", f"        print({count})"])


def memory_stays(subject: Subject, seen: Growth) -> Faults:
    """Measure the sizes of attributes, of Python's memory and of the process after every few episodes.

    A cache may grow up to its limit.

    Why: A training run has millions of episodes. If memory grows in each of them, the operating system eventually kills
    the process without a message in the log.
    Fix: In reset, clear the data that step collects. Limit the size of caches, for example with deque(maxlen=...) or
    lru_cache(maxsize=...).
    """
    opened = max((slope.rate for where, slope in (*seen.open_files, *seen.tasks) if where == "episode"), default=0.0)
    kept = [slope for slope in seen.containers if slope.rate > opened]
    if opened and not kept:
        raise Skip("open files or threads use memory (GK952, GK953)")
    if kept:
        first = kept[0]
        message = f"{first.name} grows by {_number(first.rate)} {'elements' if first.rate != 1 else 'element'} in an "
        message += f"episode of at most 15 steps, and did not stop growing in {seen.episodes} episodes"
        message += f"; {len(kept) - 1} more containers also grow" if len(kept) > 1 else ""
        size = first.size
        slow = first.rate <= 1 and size is not None and size.newest < SMALL
        show = _episodes(size.expression if size is not None else "vars(env)")
        show = f"import sys\n{show}" if "sys." in show else show
        table = size is not None and size.table  # a table of states stops growing once it contains all of them
        yield Fault(message, "step", show, severity=("info" if table else "warning") if slow else None)
    elif seen.memory is not None:
        message = f"Python's memory grows by {_number(seen.memory.rate)} blocks in an episode of at most 15 steps, "
        message += f"during {seen.episodes} episodes, but no attribute grows: a closure, a cache or a cycle keeps data"
        yield Fault(message, "step", f"import sys\n{_episodes('sys.getallocatedblocks()')}")
    elif seen.resident is not None:
        message = f"the process grows by {seen.resident.rate / 1024:.0f} kB in an episode of at most 15 steps, during "
        message += f"{seen.episodes} episodes, but no attribute grows"
        yield Fault(message, "step", _episodes("open('/proc/self/statm').read().split()[1]"))


def files_are_closed(subject: Subject, seen: Growth) -> Faults:
    """Count open files, sockets and pipes after every few episodes, and after instances have been closed.

    Why: A training run has millions of episodes. Once about a thousand files are open, the process cannot open any more
    files, not even to save a checkpoint.
    Fix: Open each file once and close it in close, or open it in a with statement.
    """
    if not seen.known:
        raise Skip("open files cannot be listed on this system")
    for where, slope in seen.open_files:
        many = "file" if slope.rate == 1 else "files"
        what = f"{_number(slope.rate)} more open {many} (the last: {slope.last})"
        yield _left(subject, where, what, 'len(os.listdir("/proc/self/fd"))')


def tasks_end(subject: Subject, seen: Growth) -> Faults:
    """Count threads and child processes after every few episodes, and after instances have been closed.

    Why: A training run has millions of episodes. Every thread that is left running keeps its stack and its data, so the
    machine runs out of memory.
    Fix: Start each thread or process only once, and stop and join it in close.
    """
    for where, slope in seen.tasks:
        what = f"{_number(slope.rate)} more {'thread or process' if slope.rate == 1 else 'threads or processes'}"
        what += f" (the last: {slope.last})"
        yield _left(subject, where, what, 'len(os.listdir("/proc/self/task"))')


def _left(subject: Subject, where: str, what: str, count: str) -> Fault:
    """Create a fault about resources that each episode or instance leaves behind, as counted by `count`."""
    if where == "episode":
        return Fault(f"each episode leaves {what}", "reset", f"import os\n{_episodes(count)}")
    make = subject.recipe.statement
    lines = ["import os", "for _ in range(5):", f"    {make}", "    env.reset()"]
    lines += ["    env.step(env.action_space.sample())", "    env.close()", f"    print({count})"]
    message = f"each instance that is created, used, closed and deleted leaves {what}"
    return Fault(message, "close", Program("\n".join(lines)))


def nothing_is_printed(subject: Subject, seen: Changes) -> Faults:
    """Capture standard output during the constructor, reset, step and close. Printing in render is allowed.

    Why: With many workers, the printed text adds up to millions of lines, which break progress bars and corrupt output
    that other programs parse.
    Fix: Log the text at debug level with the logging module, or put it into the info.
    """
    printed = seen["print"]
    if not printed:
        return
    where = " and ".join(dict.fromkeys(change.phase for change in printed))
    first = printed[0]
    show = "env.reset()\nenv.step(env.action_space.sample())\nenv.close()"
    method = "__init__" if first.phase == "the constructor" else first.phase
    yield Fault(f"{where} {'print' if ' and ' in where else 'prints'} to standard output: {first.detail}", method, show)


def steps_stay_fast(subject: Subject, seen: Slowing) -> Faults:
    """Alternately time the steps of an instance that has run many episodes and those of a new instance.

    Why: A training run has millions of episodes. If each takes a little longer than the previous one, the run never
    ends.
    Fix: Do not iterate over the whole history in every step. Update running sums instead.
    """
    if not seen.steady or seen.used < 3 * seen.fresh or seen.used - seen.fresh < 2e-5:
        return
    grown = result_of(subject, growth)
    if grown is not None and grown.containers:
        raise Skip("the environment uses more and more memory (GK951)")
    message = f"a step takes {1e6 * seen.used:.0f} µs after {seen.episodes} episodes, but {1e6 * seen.fresh:.0f} µs "
    message += "in a new instance"
    yield Fault(message, "step", f"import time\n{_episodes(_TIMED)}")


_TIMED = "-time.perf_counter() + (env.reset(), env.step(env.action_space.sample()), time.perf_counter())[2]"


def speed(subject: Subject, seen: dict[str, float]) -> Faults:
    """Measure the duration of the constructor and of a reset, and the number of steps per second.

    A rate of a thousand steps per second is fast enough.

    Why: Training usually takes a million steps or more. Slow steps therefore dominate the duration of a run.
    Fix: Profile step and reset. `gymkernel bench` measures whether it is faster to step several environments at once.
    """
    rate = seen.get("steps_per_second")
    if rate is None:
        raise Skip("the environment does not run long enough to be timed")
    if rate < ENOUGH:
        times = [f"{1e3 * seen[key]:.3g} ms for {what}" for key, what in _TIMES.items() if key in seen]
        message = ", ".join([f"{rate:.3g} steps per second, {1e6 / rate / 3600:.2g} hours for a million steps", *times])
        show = "import time\nenv.reset()\nstart = time.perf_counter()\nenv.step(env.action_space.sample())\n"
        yield Fault(message, "step", f"{show}print(time.perf_counter() - start)")


ENOUGH = 1000.0
_TIMES = {"reset_seconds": "a reset", "construct_seconds": "the constructor"}
