"""GK95x: what an environment takes from its process, and does to it."""

from __future__ import annotations

from gymkernel_tool_check.definition import Fault, Faults, Skip, rule
from gymkernel_tool_check.probes.global_state import GlobalState, global_state
from gymkernel_tool_check.probes.growth import Growth, Slowing, growth, slowing
from gymkernel_tool_check.probes.measure import measure
from gymkernel_tool_check.probes.trace import Trace
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.subject import Subject

SMALL = 128
"""Bytes of a value, one of which is kept in an episode, that will not fill the memory for long."""
LONG = "A run has millions of episodes"


def _number(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 or rate == int(rate) else f"{rate:.1f}"


def _episodes(count: str) -> str:
    lines = ["for episode in range(100):", "    env.reset()", "    for _ in range(15):"]
    lines += ["        if any(env.step(env.action_space.sample())[2:4]):", "            break"]
    return "\n".join([*lines, "    if episode % 20 == 0:", f"        print({count})"])


@rule(
    "GK951",
    "memory does not grow",
    why=f"{LONG}: what grows with each is killed by the system on the second day, with nothing in the log.",
    mend="Clear in reset what step collects, and give caches a bound: deque(maxlen=...), lru_cache(maxsize=...).",
    probe=growth,
)
def memory_stays(subject: Subject, seen: Growth) -> Faults:
    """After batches of episodes: each attribute, Python's memory, the process. What is cached once is left alone."""
    opened = max((slope.rate for where, slope in (*seen.open_files, *seen.tasks) if where == "episode"), default=0.0)
    kept = [slope for slope in seen.containers if slope.rate > opened]
    if opened and not kept:
        raise Skip("open files or threads hold memory (GK952, GK953)")
    if kept:
        first = kept[0]
        message = f"{first.name} grows by {_number(first.rate)} {'elements' if first.rate != 1 else 'element'} in an "
        message += f"episode of at most 15 steps, for {seen.episodes} episodes without end"
        message += f"; so do {len(kept) - 1} more" if len(kept) > 1 else ""
        size = first.size
        slow = first.rate <= 1 and size is not None and size.newest < SMALL
        show = _episodes(size.expression if size is not None else "vars(env)")
        show = f"import sys\n{show}" if "sys." in show else show
        table = size is not None and size.table  # that it is filled with all there is may take a while
        yield Fault(message, "step", show, severity=("info" if table else "warning") if slow else None)
    elif seen.memory is not None:
        message = f"Python's memory grows by {_number(seen.memory.rate)} blocks in an episode of at most 15 steps, for "
        message += f"{seen.episodes} episodes, in none of its attributes: a closure, a cache or a cycle keeps them"
        yield Fault(message, "step", f"import sys\n{_episodes('sys.getallocatedblocks()')}")
    elif seen.resident is not None:
        message = f"the process grows by {seen.resident.rate / 1024:.0f} kB in an episode of at most 15 steps, for "
        message += f"{seen.episodes} episodes, and none of its attributes does"
        yield Fault(message, "step", _episodes("open('/proc/self/statm').read().split()[1]"))


@rule(
    "GK952",
    "files are closed",
    why=f"{LONG}, and a process may open a thousand files: then nothing can be opened any more, checkpoints included.",
    mend="Open what is needed once, or in a with statement, and close it in close.",
    probe=growth,
)
def files_are_closed(subject: Subject, seen: Growth) -> Faults:
    """Open files, sockets and pipes after batches of episodes, and after instances that were closed."""
    if not seen.known:
        raise Skip("this system does not tell which files are open")
    for where, slope in seen.open_files:
        many = "file" if slope.rate == 1 else "files"
        what = f"{_number(slope.rate)} more open {many} (the last: {slope.last})"
        yield _left(subject, where, what, 'len(os.listdir("/proc/self/fd"))')


@rule(
    "GK953",
    "threads and processes end",
    why=f"{LONG}: each thread keeps its stack and what it works with, until the system gives no more.",
    mend="Start what is needed once, and stop and join it in close.",
    probe=growth,
)
def tasks_end(subject: Subject, seen: Growth) -> Faults:
    """Threads and child processes after batches of episodes, and after instances that were closed."""
    for where, slope in seen.tasks:
        what = f"{_number(slope.rate)} more {'thread or process' if slope.rate == 1 else 'threads or processes'}"
        what += f" (the last: {slope.last})"
        yield _left(subject, where, what, 'len(os.listdir("/proc/self/task"))')


def fast_leak(trace: Trace) -> Fault:
    """The fault (GK951) of steps that keep so much that the recorded run has shown it."""
    message = f"the process grows by {trace.leak / 2**20:.0f} MiB with each step, for {len(trace.steps)} steps, and "
    message += "reset does not free that"
    lines = ["env.reset()", "for _ in range(3):", "    env.step(env.action_space.sample())", "    env.reset()"]
    return Fault(message, "step", "\n".join([*lines, "    print(open('/proc/self/statm').read().split()[1])"]))


def _left(subject: Subject, where: str, what: str, count: str) -> Fault:
    """What each episode or instance leaves; `count` is an expression that shows how much there is of it."""
    if where == "episode":
        return Fault(f"each episode leaves {what}", "reset", f"import os\n{_episodes(count)}")
    make = subject.recipe.statement
    lines = ["import os", "for _ in range(5):", f"    {make}", "    env.reset()"]
    lines += ["    env.step(env.action_space.sample())", "    env.close()", f"    print({count})"]
    message = f"each instance that is made, used, closed and forgotten leaves {what}"
    return Fault(message, "close", Program("\n".join(lines)))


@rule(
    "GK954",
    "nothing is printed",
    why="Sixty workers print a million lines an hour, over the progress bar and into the output that a program reads.",
    mend="Use logging, at the level debug, or put it into info.",
    probe=global_state,
    severity="warning",
)
def nothing_is_printed(subject: Subject, seen: GlobalState) -> Faults:
    """On standard output, by the constructor, reset, step and close; rendering may."""
    printed = seen.of("print")
    if not printed:
        return
    where = " and ".join(dict.fromkeys(change.phase for change in printed))
    first = printed[0]
    show = "env.reset()\nenv.step(env.action_space.sample())\nenv.close()"
    method = "__init__" if first.phase == "the constructor" else first.phase
    yield Fault(f"{where} {'print' if ' and ' in where else 'prints'} on standard output: {first.detail}", method, show)


@rule(
    "GK957",
    "steps stay fast",
    why=f"{LONG}: each takes a little longer than the one before, and the run that began well never ends.",
    mend="Let no step go through all that was before; keep running sums instead.",
    probe=slowing,
    severity="warning",
    profile="thorough",
)
def steps_stay_fast(subject: Subject, seen: Slowing) -> Faults:
    """An instance after many episodes and a fresh one, timed in turns."""
    if not seen.steady or seen.used < 3 * seen.fresh or seen.used - seen.fresh < 2e-5:
        return
    try:
        grown = subject.get(growth)
    except Skip:
        grown = None
    if grown is not None and grown.containers:
        raise Skip("it collects more and more (GK951)")
    message = f"a step takes {1e6 * seen.used:.0f} µs after {seen.episodes} episodes, and {1e6 * seen.fresh:.0f} µs in "
    message += "a fresh instance"
    yield Fault(message, "step", f"import time\n{_episodes(_TIMED)}")


_TIMED = "-time.perf_counter() + (env.reset(), env.step(env.action_space.sample()), time.perf_counter())[2]"


@rule(
    "GK958",
    "steps are fast enough to train with",
    why="Most learning takes a million steps and more: where they are slow, most of the time of a run is theirs.",
    mend="Profile step and reset; `gymkernel bench` tells whether stepping several at once pays.",
    probe=measure,
    severity="info",
    profile="thorough",
)
def speed(subject: Subject, seen: dict[str, float]) -> Faults:
    """Steps in a second, and the time of a reset and of the constructor; a thousand steps a second are enough."""
    rate = seen.get("steps_per_second")
    if rate is None:
        raise Skip("it does not run long enough to be timed")
    if rate < ENOUGH:
        times = [f"{1e3 * seen[key]:.3g} ms for {what}" for key, what in _TIMES.items() if key in seen]
        message = ", ".join([f"{rate:.3g} steps in a second, {1e6 / rate / 3600:.2g} hours for a million", *times])
        show = "import time\nenv.reset()\nstart = time.perf_counter()\nenv.step(env.action_space.sample())\n"
        yield Fault(message, "step", f"{show}print(time.perf_counter() - start)")


ENOUGH = 1000.0
_TIMES = {"reset_seconds": "a reset", "construct_seconds": "the constructor"}
