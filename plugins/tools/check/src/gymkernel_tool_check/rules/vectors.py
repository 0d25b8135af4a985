"""GK65x and GK66x: vector backends, which make a vector environment of any environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gymkernel import ops
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends import vector_backends as probes
from gymkernel_tool_check.backends.vector_backends import ENVS, Closings, Made, Run
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import short
from gymkernel_util_spaces.texts import error_text

__all__ = ["program"]


def program(subject: Subject, *lines: str, mode: str = "NextStep", variant: str = "boxes") -> str:
    """Make the backend around three small environments, and go on."""
    name = subject.recipe.value
    make = f'[lambda i=i: probe_envs.ProbeEnv("{variant}", i) for i in range({ENVS})]'
    return "\n".join([f'envs = {name}({make}, autoreset_mode="{mode}")', *lines])


def can_be_made(subject: Subject, seen: Made) -> Faults:
    """Create the backend around three environments.

    Why: make_vec(id, num_envs, 'name of the backend') calls it with a list of functions and autoreset_mode.
    Fix: Take (env_fns, ..., autoreset_mode=AutoresetMode.NEXT_STEP), or its value as a string.
    """
    if seen.error is not None:
        message = f"the constructor raised {error_text(seen.error)}"
        yield Fault(message, "__init__", program(subject))


def spaces_are_batches(subject: Subject, seen: Made) -> Faults:
    """Look at the four spaces, num_envs, and metadata.

    Why: Buffers and networks are built from the spaces, and learners read from metadata when episodes begin.
    Fix: Use gymkernel.ops.batch_space(space, num_envs), and set metadata['autoreset_mode'] to the mode.
    """
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


def calls_work(subject: Subject, seen: list[Run]) -> Faults:
    """Reset and step in each mode and with each kind of space, and look at the shape of the results.

    Why: A crash in the middle of an episode ends the run of all environments.
    Fix: Handle every space that gymkernel.ops handles, and the end of an episode in each mode.
    """
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


def gives_the_same(subject: Subject, seen: list[Run]) -> Faults:
    """Compare with a loop over the same environments in NEXT_STEP mode, with each kind of space.

    Why: Results depend on the backend, so that a result of one backend cannot be repeated with another.
    Fix: Return observations, rewards (float64) and flags (bool) in their places; the step after an end resets.
    """
    yield from _mismatch(subject, seen, "NextStep", VALUES)


def same_step(subject: Subject, seen: list[Run]) -> Faults:
    """Compare with a loop over the same environments.

    Why: The value of the last observation is lost, or the first observation of the next episode counts as the last.
    Fix: Return the next episode's first observation; put the last into infos['final_obs'] and infos['final_info'].
    """
    _with_next_step(seen)
    known = any("infos" in run.mismatch for run in seen if run.mode == "NextStep")  # GK657 tells of it
    yield from _mismatch(subject, seen, "SameStep", VALUES if known else (*VALUES, "infos"))


def disabled(subject: Subject, seen: list[Run]) -> Faults:
    """Compare with a loop over the same environments, whose ended episodes are reset by a mask.

    Why: A caller of reset with options={'reset_mask': mask} gets episodes cut short in the other environments.
    Fix: Reset the environments of the mask and no others; keep the last observations of the others in the batch.
    """
    _with_next_step(seen)
    yield from _mismatch(subject, seen, "Disabled", VALUES)


def seeds_arrive(subject: Subject, seen: list[tuple[Any, str]]) -> Faults:
    """Reset with one integer, with a list, and with a list that is too short, which must be refused.

    Why: Workers run the same episode, or no run can be repeated.
    Fix: Use gymkernel.vector.utils.seeds: seed, seed + 1, ... for an integer, else one for each environment.
    """
    if seen:
        seed, wrong = seen[0]
        yield Fault(f"reset(seed={seed}) {wrong}", "reset", program(subject, f"print(envs.reset(seed={seed}))"))


def infos_are_batched(subject: Subject, seen: list[Run]) -> Faults:
    """Look for one array for each key, and a mask under `_key` of the environments that have the key.

    Why: Learners read infos['key'][i] if infos['_key'][i] is True, and would read the value of another environment.
    Fix: Use gymkernel.vector.utils.batch_infos, or add each info with self._add_info.
    """
    _with_next_step(seen)
    for mode in ("NextStep", "Disabled"):
        same = not any(run.mismatch.keys() & set(VALUES) for run in seen if run.mode == mode)
        if same and (faults := list(_mismatch(subject, seen, mode, ("infos",)))):
            yield from faults
            return


def batches_stay(subject: Subject, seen: list[Run]) -> Faults:
    """Keep every batch of observations, and compare it at the end.

    Why: Rollouts keep batches; with one shared array, every entry is the last one.
    Fix: Return a copy of the array into which observations are written, unless the caller asks for copy=False.
    """
    for run in seen:
        if run.overwritten is not None:
            when, detail = run.overwritten
            lines = ("first, _ = envs.reset(seed=11)", "before = repr(first)", "envs.step(envs.action_space.sample())")
            show = program(subject, *lines, "print(before, first)", mode=run.mode, variant=run.variant)
            yield Fault(f"the observations of {when} changed later: {detail}", "step", show)
            return


def closes(subject: Subject, seen: Closings) -> Faults:
    """Close after a step, twice; then reset and step.

    Why: A with statement, a wrapper and an error handler each close the environment; later calls are mistakes that must
    show.
    Fix: Define close_extras, which VectorEnv.close calls once, and raise ClosedEnvironmentError in reset and step.
    """
    if seen.error is not None:
        which, exc = seen.error
        message = f"{which} raised {error_text(exc)}"
        yield Fault(message, "close", program(subject, "envs.reset(seed=1)", "envs.close()", "envs.close()"))
    elif seen.after:
        lines = ("envs.reset(seed=1)", "envs.close()", "print(envs.reset())")
        yield Fault(seen.after, "reset", program(subject, *lines))


def errors_are_told(subject: Subject, seen: list[str]) -> Faults:
    """Let a constructor raise, and a step.

    Why: When one of a hundred environments fails, only its message tells which one failed and why.
    Fix: Raise the environment's exception, or an exception from it that names the environment; let close work
    afterwards.
    """
    if seen:
        lines = "def broken():\n    raise LookupError('no licence')\n\n"
        yield Fault(seen[0], "step", f"{lines}print({subject.recipe.value}([broken]))")


def attributes_are_reached(subject: Subject, seen: Made) -> Faults:
    """Call get_attr, set_attr with one value and with several, and call.

    Why: Curricula and evaluations set a level in every environment, and ask how far each environment has come.
    Fix: Define call(name, *arguments), get_attr(name) and set_attr(name, values), which have one value each.
    """
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


def nothing_is_left(subject: Subject, seen: list[str]) -> Faults:
    """Count files, threads and processes after each of four backends that were created, used and closed.

    Why: Every evaluation creates and closes a backend; processes and files add up until the system has no more.
    Fix: Join what was started and close what was opened, in close_extras.
    """
    for what in seen:
        name = subject.recipe.value
        lines = ["import os", "for _ in range(4):", f"    envs = {name}([probe_envs.ProbeEnv] * {ENVS})"]
        lines += ["    envs.reset()", "    envs.close()", '    print(len(os.listdir("/proc/self/fd")))']
        yield Fault(f"each that is made, used and closed leaves {what}", "close_extras", "\n".join(lines))


def actions_are_left_alone(subject: Subject, seen: list[Run]) -> Faults:
    """Compare the batch of actions after the step with a copy from before.

    Why: The agent's own array changes, and the replay buffer stores other actions than were taken.
    Fix: Give each environment its part of the batch, and write nothing into the batch.
    """
    for run in seen:
        if run.actions:
            lines = ("envs.reset(seed=1)", "actions = envs.action_space.sample()", "before = repr(actions)")
            last = ("envs.step(actions)", "print(before, actions)")
            show = program(subject, *lines, *last, mode=run.mode, variant=run.variant)
            yield Fault(f"a step changed the actions that it was given: {run.actions}", "step", show)
            return


def environments_are_closed(subject: Subject, seen: Closings) -> Faults:
    """Let each environment create a file when it is closed.

    Why: Simulators, windows and licences stay open, one more set with every run.
    Fix: Call close of every environment in close_extras, inside the worker if there is one.
    """
    if seen.error is not None:
        raise Skip("close raises (GK659)")
    if seen.left_open:
        lines = ["class Told(probe_envs.ProbeEnv):", "    def close(self):", '        print("closed")', ""]
        lines += [f"envs = {subject.recipe.value}([Told] * {ENVS})", "envs.reset(seed=1)", "envs.close()"]
        lines += [f'print("(expected {ENVS} times)")']
        yield Fault(f"after close, the environments {seen.left_open} are open", "close_extras", "\n".join(lines))
