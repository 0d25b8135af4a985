"""GK65x and GK66x: vector backends, which make a vector environment of any environments.

The cases of the contract find what is broken; each rule reports what has its code.
"""

from __future__ import annotations

from gymkernel_tool_check.backends.cases import Broken
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.subject import Subject


def _report(subject: Subject, seen: list[Broken], code: str) -> Faults:
    """Report what is broken of one rule: the first thing, or several of one case."""
    if code != "GK650" and any(one.code == "GK650" for one in seen):
        raise Skip("it cannot be made (GK650)")
    if hiding := next((one for one in seen if code in one.hides), None):
        raise Skip(f"it is hidden by another defect ({hiding.code or 'GK652'}): {hiding.message}")
    mine = [one for one in seen if one.code == code]
    for one in mine if code in SEVERAL else mine[:1]:
        yield Fault(one.message, one.method, one.show.replace("{backend}", subject.recipe.value))


SEVERAL = ("GK651", "GK662")
"""Rules that report everything that is broken, since each finding has a cause of its own."""


def can_be_made(subject: Subject, seen: list[Broken]) -> Faults:
    """Create the backend around three environments.

    Why: make_vec(id, num_envs, 'name of the backend') calls it with a list of functions and autoreset_mode.
    Fix: Take (env_fns, ..., autoreset_mode=AutoresetMode.NEXT_STEP), or its value as a string.
    """
    return _report(subject, seen, "GK650")


def spaces_are_batches(subject: Subject, seen: list[Broken]) -> Faults:
    """Look at the four spaces, num_envs, and metadata.

    Why: Buffers and networks are built from the spaces, and learners read from metadata when episodes begin.
    Fix: Use gymkernel.ops.batch_space(space, num_envs), and set metadata['autoreset_mode'] to the mode.
    """
    return _report(subject, seen, "GK651")


def calls_work(subject: Subject, seen: list[Broken]) -> Faults:
    """Reset and step in each mode and with each kind of space, and look at the shape of the results.

    Why: A crash in the middle of an episode ends the run of all environments.
    Fix: Handle every space that gymkernel.ops handles, and the end of an episode in each mode.
    """
    return _report(subject, seen, "GK652")


def gives_the_same(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare with a loop over the same environments in NEXT_STEP mode, with each kind of space.

    Why: Results depend on the backend, so that a result of one backend cannot be repeated with another.
    Fix: Return observations, rewards (float64) and flags (bool) in their places; the step after an end resets.
    """
    return _report(subject, seen, "GK653")


def same_step(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare with a loop over the same environments.

    Why: The value of the last observation is lost, or the first observation of the next episode counts as the last.
    Fix: Return the next episode's first observation; put the last into infos['final_obs'] and infos['final_info'].
    """
    return _report(subject, seen, "GK654")


def disabled(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare with a loop over the same environments, whose ended episodes are reset by a mask.

    Why: A caller of reset with options={'reset_mask': mask} gets episodes cut short in the other environments.
    Fix: Reset the environments of the mask and no others; keep the last observations of the others in the batch.
    """
    return _report(subject, seen, "GK655")


def seeds_arrive(subject: Subject, seen: list[Broken]) -> Faults:
    """Reset with one integer, with a list, and with a list that is too short, which must be refused.

    Why: Workers run the same episode, or no run can be repeated.
    Fix: Use gymkernel.vector.utils.seeds: seed, seed + 1, ... for an integer, else one for each environment.
    """
    return _report(subject, seen, "GK656")


def infos_are_batched(subject: Subject, seen: list[Broken]) -> Faults:
    """Look for one array for each key, and a mask under `_key` of the environments that have the key.

    Why: Learners read infos['key'][i] if infos['_key'][i] is True, and would read the value of another environment.
    Fix: Use gymkernel.vector.utils.batch_infos, or add each info with self._add_info.
    """
    return _report(subject, seen, "GK657")


def batches_stay(subject: Subject, seen: list[Broken]) -> Faults:
    """Keep every batch of observations, and compare it at the end.

    Why: Rollouts keep batches; with one shared array, every entry is the last one.
    Fix: Return a copy of the array into which observations are written, unless the caller asks for copy=False.
    """
    return _report(subject, seen, "GK658")


def closes(subject: Subject, seen: list[Broken]) -> Faults:
    """Close after a step, twice; then reset and step.

    Why: A with statement, a wrapper and an error handler each close the environment; later calls are mistakes that must
    show.
    Fix: Define close_extras, which VectorEnv.close calls once, and raise ClosedEnvironmentError in reset and step.
    """
    return _report(subject, seen, "GK659")


def errors_are_told(subject: Subject, seen: list[Broken]) -> Faults:
    """Let a constructor raise, and a step.

    Why: When one of a hundred environments fails, only its message tells which one failed and why.
    Fix: Raise the environment's exception, or an exception from it that names the environment; let close work
    afterwards.
    """
    return _report(subject, seen, "GK660")


def attributes_are_reached(subject: Subject, seen: list[Broken]) -> Faults:
    """Call get_attr, set_attr with one value and with several, and call.

    Why: Curricula and evaluations set a level in every environment, and ask how far each environment has come.
    Fix: Define call(name, *arguments), get_attr(name) and set_attr(name, values), which have one value each.
    """
    return _report(subject, seen, "GK661")


def nothing_is_left(subject: Subject, seen: list[Broken]) -> Faults:
    """Count files, threads and processes after each of four backends that were created, used and closed.

    Why: Every evaluation creates and closes a backend; processes and files add up until the system has no more.
    Fix: Join what was started and close what was opened, in close_extras.
    """
    return _report(subject, seen, "GK662")


def actions_are_left_alone(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare the batch of actions after the step with a copy from before.

    Why: The agent's own array changes, and the replay buffer stores other actions than were taken.
    Fix: Give each environment its part of the batch, and write nothing into the batch.
    """
    return _report(subject, seen, "GK663")


def environments_are_closed(subject: Subject, seen: list[Broken]) -> Faults:
    """Let each environment create a file when it is closed.

    Why: Simulators, windows and licences stay open, one more set with every run.
    Fix: Call close of every environment in close_extras, inside the worker if there is one.
    """
    return _report(subject, seen, "GK664")
