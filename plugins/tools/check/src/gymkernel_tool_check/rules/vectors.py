"""GK65x and GK66x: vector backends, which make a vector environment of any environments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from gymkernel import ops
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends import vector_backends as probes
from gymkernel_tool_check.backends.vector_backends import ENVS, Closings, Made, Run
from gymkernel_tool_check.definition import Fault, Faults, Skip, rule
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["program"]

backend_rule = functools.partial(rule, kind="vector")
SAME: Final = "Results depend on the backend: what was found with one cannot be repeated with another"


def program(subject: Subject, *lines: str, mode: str = "NextStep", variant: str = "boxes") -> str:
    """Make the backend around three small environments, and go on."""
    name = subject.recipe.value
    make = f'[lambda i=i: probe_envs.ProbeEnv("{variant}", i) for i in range({ENVS})]'
    return "\n".join([f'envs = {name}({make}, autoreset_mode="{mode}")', *lines])


@backend_rule(
    "GK650",
    "it can be made of functions that make environments",
    why="make_vec(id, num_envs, 'name of the backend') calls it with a list of functions and autoreset_mode.",
    mend="Take (env_fns, ..., autoreset_mode=AutoresetMode.NEXT_STEP), or its value as a string.",
    probe=probes.made,
)
def can_be_made(subject: Subject, seen: Made) -> Faults:
    """Around three environments."""
    if seen.error is not None:
        message = f"the constructor raised {error_text(seen.error)}"
        yield Fault(message, "__init__", program(subject))


@backend_rule(
    "GK651",
    "its spaces are batches of those of the environments",
    why="Buffers and networks are built from the spaces, and learners ask metadata when episodes begin anew.",
    mend="Use gymkernel.ops.batch_space(space, num_envs), and set metadata['autoreset_mode'] to the mode.",
    probe=probes.made,
)
def spaces_are_batches(subject: Subject, seen: Made) -> Faults:
    """The four spaces, num_envs, and metadata."""
    env, one = seen.require(), seen.reference.envs[0]
    if getattr(env, "num_envs", None) != ENVS:
        message = f"num_envs is {getattr(env, 'num_envs', None)!r}, for {ENVS} environments"
        yield Fault(message, "__init__", program(subject, "print(envs.num_envs)"))
    for name in ("observation_space", "action_space"):
        single = getattr(one, name)
        for label, expected in ((f"single_{name}", single), (name, ops.batch_space(single, ENVS))):
            space = getattr(env, label, None)
            if space != expected:
                message = f"{label} is {short(space)}, where {short(expected)} was expected"
                yield Fault(message, "__init__", program(subject, f"print(envs.{label})"))
    mode = (getattr(env, "metadata", None) or {}).get("autoreset_mode")
    if mode is not AutoresetMode.NEXT_STEP:
        message = f"metadata['autoreset_mode'] is {mode!r}, not {AutoresetMode.NEXT_STEP}"
        yield Fault(message, "__init__", program(subject, "print(envs.metadata)"))


@backend_rule(
    "GK652",
    "every call works",
    why="A crash in the middle of an episode ends the run of all environments.",
    mend="Handle every space that gymkernel.ops does, and the end of an episode in each mode.",
    probe=probes.runs,
)
def calls_work(subject: Subject, seen: list[Run]) -> Faults:
    """Resets and steps in each mode and with each kind of space; the shape of what is returned."""
    for run in seen:
        lines = ("envs.reset(seed=11)", "for _ in range(14):", "    print(len(envs.step(envs.action_space.sample())))")
        show = program(subject, *lines, mode=run.mode, variant=run.variant)
        if run.error is not None:
            when, exc = run.error
            message = f"{when} raised {error_text(exc)} (mode {run.mode}, {run.variant})"
            yield Fault(message, when.partition(" ")[0], show)
            return
        if "result" in run.mismatch:
            when, detail = run.mismatch["result"]
            yield Fault(f"{when}: {detail}", when.partition(" ")[0], show)
            return


def _mismatch(subject: Subject, seen: list[Run], mode: str, parts: tuple[str, ...]) -> Faults:
    """The first place in which a run in a mode is not what a plain loop over the environments gives."""
    for run in seen:
        if run.mode != mode or run.error is not None:
            continue
        for part in parts:
            if part in run.mismatch:
                when, detail = run.mismatch[part]
                message = f"at {when}, in the {part}, {detail}"
                reset = ["    done = result[2] | result[3]", "    if done.any():"]
                reset += ['        print(envs.reset(options={"reset_mask": done}))']
                lines = ["print(envs.reset(seed=11))", "envs.action_space.seed(3)", "for _ in range(8):"]
                lines += ["    result = envs.step(envs.action_space.sample())", "    print(result)"]
                lines += reset if mode == "Disabled" else []
                show = program(subject, *lines, mode=mode, variant=run.variant)
                yield Fault(message, when.partition(" ")[0], show)
                return


VALUES: Final = ("observations", "rewards", "terminations", "truncations")


def _with_next_step(seen: list[Run]) -> None:
    """Skip where the mode that all know is broken in the same way."""
    if any(run.mismatch.keys() & set(VALUES) for run in seen if run.mode == "NextStep"):
        raise Skip("its results differ in the mode NEXT_STEP, too (GK653)")


@backend_rule(
    "GK653",
    "it returns what the environments return",
    why=f"{SAME}.",
    mend="Return their observations, rewards (float64) and flags (bool) in their places; the step after an end resets.",
    probe=probes.runs,
)
def gives_the_same(subject: Subject, seen: list[Run]) -> Faults:
    """In the mode NEXT_STEP, with each kind of space, against a loop over the same environments."""
    yield from _mismatch(subject, seen, "NextStep", VALUES)


@backend_rule(
    "GK654",
    "SAME_STEP resets in the step that ends an episode",
    why="The value of the last observation is lost, or the first of the next episode counts as the last of this.",
    mend="Return the next episode's first observation; put the last into infos['final_obs'] and infos['final_info'].",
    probe=probes.runs,
)
def same_step(subject: Subject, seen: list[Run]) -> Faults:
    """Against a loop over the same environments."""
    _with_next_step(seen)
    known = any("infos" in run.mismatch for run in seen if run.mode == "NextStep")  # GK657 tells of it
    yield from _mismatch(subject, seen, "SameStep", VALUES if known else (*VALUES, "infos"))


@backend_rule(
    "GK655",
    "DISABLED leaves resets to the caller",
    why="Whoever resets by options={'reset_mask': mask} gets episodes cut short in the environments next to those.",
    mend="Reset the environments of the mask and no others; keep the last observations of the others in the batch.",
    probe=probes.runs,
)
def disabled(subject: Subject, seen: list[Run]) -> Faults:
    """Against a loop over the same environments, whose ended ones are reset by a mask."""
    _with_next_step(seen)
    yield from _mismatch(subject, seen, "Disabled", VALUES)


@backend_rule(
    "GK656",
    "seeds reach the environments",
    why="Workers run one and the same episode, or no run can be repeated.",
    mend="Use gymkernel.vector.utils.seeds: seed, seed + 1, ... for an integer, else one for each environment.",
    probe=probes.seedings,
)
def seeds_arrive(subject: Subject, seen: list[tuple[Any, str]]) -> Faults:
    """One integer, a list; and a list that is too short is refused."""
    if seen:
        seed, wrong = seen[0]
        yield Fault(f"reset(seed={seed}) {wrong}", "reset", program(subject, f"print(envs.reset(seed={seed}))"))


@backend_rule(
    "GK657",
    "infos are batched",
    why="Learners read infos['key'][i] where infos['_key'][i] is True, and would read the values of another one.",
    mend="Use gymkernel.vector.utils.batch_infos, or add each info with self._add_info.",
    probe=probes.runs,
)
def infos_are_batched(subject: Subject, seen: list[Run]) -> Faults:
    """One array for each key, and a mask under `_key` of who has it."""
    _with_next_step(seen)
    for mode in ("NextStep", "Disabled"):
        same = not any(run.mismatch.keys() & set(VALUES) for run in seen if run.mode == mode)
        if same and (faults := list(_mismatch(subject, seen, mode, ("infos",)))):
            yield from faults
            return


@backend_rule(
    "GK658",
    "batches stay as they were returned",
    why="Rollouts keep them: with one shared array, every entry is the last one.",
    mend="Return a copy of the array into which observations are written, unless the caller asks for copy=False.",
    probe=probes.runs,
)
def batches_stay(subject: Subject, seen: list[Run]) -> Faults:
    """Every batch of observations is kept, and compared at the end."""
    for run in seen:
        if run.overwritten is not None:
            when, detail = run.overwritten
            lines = ("first, _ = envs.reset(seed=11)", "before = repr(first)", "envs.step(envs.action_space.sample())")
            show = program(subject, *lines, "print(before, first)", mode=run.mode, variant=run.variant)
            yield Fault(f"the observations of {when} changed later: {detail}", "step", show)
            return


@backend_rule(
    "GK659",
    "close works twice, and later calls raise",
    why="A with statement, a wrapper and an error handler each close it; later calls are mistakes that should show.",
    mend="Define close_extras, which VectorEnv.close calls once, and raise ClosedEnvironmentError in reset and step.",
    probe=probes.closings,
)
def closes(subject: Subject, seen: Closings) -> Faults:
    """After a step; then reset and step."""
    if seen.error is not None:
        which, exc = seen.error
        message = f"{which} raised {error_text(exc)}"
        yield Fault(message, "close", program(subject, "envs.reset(seed=1)", "envs.close()", "envs.close()"))
    elif seen.after:
        lines = ("envs.reset(seed=1)", "envs.close()", "print(envs.reset())")
        yield Fault(seen.after, "reset", program(subject, *lines))


@backend_rule(
    "GK660",
    "errors of an environment are passed on",
    why="When one of a hundred environments fails, only its message says which and why.",
    mend="Raise what it raised, or an error from it that names the environment, and let close work afterwards.",
    probe=probes.failures,
)
def errors_are_told(subject: Subject, seen: list[str]) -> Faults:
    """By a constructor, and by a step."""
    if seen:
        lines = "def broken():\n    raise LookupError('no licence')\n\n"
        yield Fault(seen[0], "step", f"{lines}print({subject.recipe.value}([broken]))")


@backend_rule(
    "GK661",
    "attributes of the environments can be read and set",
    why="Curricula and evaluations set a level in every environment, and ask how far each has come.",
    mend="Define call(name, *arguments), get_attr(name) and set_attr(name, values), which have one value each.",
    probe=probes.made,
)
def attributes_are_reached(subject: Subject, seen: Made) -> Faults:
    """get_attr, set_attr with one value and with several, call."""
    seen.require()
    env = probes.fresh(subject)

    def put(values: Any) -> Any:
        env.set_attr("total", values)
        return env.get_attr("total")

    asked: tuple[tuple[str, Callable[[], Any], tuple[int, ...]], ...] = (
        ('envs.get_attr("number")', lambda: env.get_attr("number"), (0, 1, 2)),
        ('envs.call("get_wrapper_attr", "number")', lambda: env.call("get_wrapper_attr", "number"), (0, 1, 2)),
        ('envs.set_attr("total", [4, 5, 6])', lambda: put([4, 5, 6]), (4, 5, 6)),
        ('envs.set_attr("total", 7)', lambda: put(7), (7, 7, 7)),
    )
    for text, ask, expected in asked:
        show = program(subject, f"print({text})")
        found, exc = subject.attempt(lambda ask=ask: tuple(ask()))
        if exc is not None or found != expected:
            message = f"after {text}, the environments have {found}, where {expected} was expected"
            message = f"{text} raised {error_text(exc)}" if exc is not None else message
            yield Fault(message, text.split("(")[0].removeprefix("envs."), show)
            return


@backend_rule(
    "GK662",
    "close leaves nothing behind",
    why="Every evaluation makes and closes one: processes and files add up until the system gives no more.",
    mend="Join what was started and close what was opened, in close_extras.",
    probe=probes.left_behind,
)
def nothing_is_left(subject: Subject, seen: list[str]) -> Faults:
    """Files, threads and processes after each of four that were made, used and closed."""
    for what in seen:
        name = subject.recipe.value
        lines = ["import os", "for _ in range(4):", f"    envs = {name}([probe_envs.ProbeEnv] * {ENVS})"]
        lines += ["    envs.reset()", "    envs.close()", '    print(len(os.listdir("/proc/self/fd")))']
        yield Fault(f"each that is made, used and closed leaves {what}", "close_extras", "\n".join(lines))


@backend_rule(
    "GK663",
    "the caller's actions are left as they are",
    why="The agent's own array changes: what the replay buffer stores is not what was done.",
    mend="Hand each environment its part of the batch, and write nothing into it.",
    probe=probes.runs,
)
def actions_are_left_alone(subject: Subject, seen: list[Run]) -> Faults:
    """The batch after the step equals a copy from before it."""
    for run in seen:
        if run.actions:
            lines = ("envs.reset(seed=1)", "actions = envs.action_space.sample()", "before = repr(actions)")
            last = ("envs.step(actions)", "print(before, actions)")
            show = program(subject, *lines, *last, mode=run.mode, variant=run.variant)
            yield Fault(f"a step changed the actions that it was given: {run.actions}", "step", show)
            return


@backend_rule(
    "GK664",
    "close closes the environments",
    why="Simulators, windows and licences stay as they are, one set more with every run.",
    mend="Call close of every environment in close_extras, in its worker where it has one.",
    probe=probes.closings,
)
def environments_are_closed(subject: Subject, seen: Closings) -> Faults:
    """Each environment makes a file when it is closed."""
    if seen.error is not None:
        raise Skip("close raises (GK659)")
    if seen.left_open:
        lines = ["class Told(probe_envs.ProbeEnv):", "    def close(self):", '        print("closed")', ""]
        lines += [f"envs = {subject.recipe.value}([Told] * {ENVS})", "envs.reset(seed=1)", "envs.close()"]
        lines += [f'print("(expected {ENVS} times)")']
        yield Fault(f"after close, the environments {seen.left_open} are open", "close_extras", "\n".join(lines))
