"""GK65x and GK66x: rules about vector backends, which create a vector environment from any environments.

The cases of the vector contract find the defects. Each rule reports the defects that have its code.
"""

from __future__ import annotations

from gymkernel_tool_check.backends.cases import Broken
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.subject import Subject


def _report(subject: Subject, seen: list[Broken], code: str) -> Faults:
    """Report the defects of one rule: the first one, or all of them for a rule in `SEVERAL`."""
    if code != "GK650" and any(defect.code == "GK650" for defect in seen):
        raise Skip("the backend cannot be created (GK650)")
    if hiding := next((defect for defect in seen if code in defect.hides), None):
        raise Skip(f"another defect hides the result ({hiding.code or 'GK652'}): {hiding.message}")
    mine = [defect for defect in seen if defect.code == code]
    for defect in mine if code in SEVERAL else mine[:1]:
        yield Fault(defect.message, defect.method, defect.show.replace("{backend}", subject.recipe.value))


SEVERAL = ("GK651", "GK662")
"""Rules that report every defect, because each finding has its own cause."""


def can_be_made(subject: Subject, seen: list[Broken]) -> Faults:
    """Create the backend around three environments.

    Why: make_vec(id, num_envs, 'name of the backend') calls the backend with a list of functions and autoreset_mode.
    Fix: Accept (env_fns, ..., autoreset_mode=AutoresetMode.NEXT_STEP), and also the value of the mode as a string.
    """
    return _report(subject, seen, "GK650")


def spaces_are_batches(subject: Subject, seen: list[Broken]) -> Faults:
    """Check the four spaces, num_envs and metadata.

    Why: Buffers and networks are built from the spaces, and learners read from metadata when episodes begin.
    Fix: Use gymkernel.ops.batch_space(space, num_envs), and set metadata['autoreset_mode'] to the mode.
    """
    return _report(subject, seen, "GK651")


def calls_work(subject: Subject, seen: list[Broken]) -> Faults:
    """Reset and step in each mode and with each kind of space, and check the shapes of the results.

    Why: A crash in the middle of an episode ends the run of all environments.
    Fix: Handle every space that gymkernel.ops handles, and the end of an episode in each mode.
    """
    return _report(subject, seen, "GK652")


def gives_the_same(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare with a loop over the same environments in NEXT_STEP mode, with each kind of space.

    Why: Results depend on the backend, so the results of one backend cannot be reproduced with another backend.
    Fix: Return each environment's observation, reward (float64) and flags (bool) in its row, and reset an ended episode
    in the next step.
    """
    return _report(subject, seen, "GK653")


def same_step(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare with a loop over the same environments in SAME_STEP mode.

    Why: The value of the last observation is lost, or the first observation of the next episode is treated as the last
    one.
    Fix: Return the next episode's first observation, and put the last one into infos['final_obs'] and
    infos['final_info'].
    """
    return _report(subject, seen, "GK654")


def disabled(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare with a loop over the same environments, in which a mask resets the ended episodes.

    Why: A caller of reset with options={'reset_mask': mask} gets episodes cut short in the other environments.
    Fix: Reset only the environments in the mask, and keep the last observations of the others in the batch.
    """
    return _report(subject, seen, "GK655")


def seeds_arrive(subject: Subject, seen: list[Broken]) -> Faults:
    """Reset with an integer seed, with a list of seeds, and with a list that is too short, which must be rejected.

    Why: Several workers run the same episode, or no run can be reproduced.
    Fix: Use gymkernel.vector.utils.seeds: seed, seed + 1, ... for an integer, otherwise one seed for each environment.
    """
    return _report(subject, seen, "GK656")


def infos_are_batched(subject: Subject, seen: list[Broken]) -> Faults:
    """Check that each key has one array, and a mask under `_key` for the environments that have the key.

    Why: Learners read infos['key'][i] if infos['_key'][i] is True; without the mask, they read another environment's
    value.
    Fix: Use gymkernel.vector.utils.batch_infos, or add each info with self._add_info.
    """
    return _report(subject, seen, "GK657")


def batches_stay(subject: Subject, seen: list[Broken]) -> Faults:
    """Keep every batch of observations, and compare it with a copy at the end.

    Why: Rollouts keep batches. With one shared array, every entry equals the last batch.
    Fix: Return a copy of the array into which observations are written, unless the caller requests copy=False.
    """
    return _report(subject, seen, "GK658")


def closes(subject: Subject, seen: list[Broken]) -> Faults:
    """Close the backend twice after a step, then call reset and step.

    Why: A with statement, a wrapper and an error handler may each close the environment; later calls are mistakes that
    must be visible.
    Fix: Define close_extras, which VectorEnv.close calls once, and raise ClosedEnvironmentError in reset and step.
    """
    return _report(subject, seen, "GK659")


def errors_are_reported(subject: Subject, seen: list[Broken]) -> Faults:
    """Let a constructor raise an exception, and then let a step raise an exception.

    Why: When one of a hundred environments fails, only the error message shows which one failed and why.
    Fix: Raise the environment's exception, or chain a new exception that names the environment, and let close work
    afterwards.
    """
    return _report(subject, seen, "GK660")


def attributes_are_reached(subject: Subject, seen: list[Broken]) -> Faults:
    """Call get_attr, call, and set_attr with one value and with several values.

    Why: Curricula and evaluations set a level in every environment and read how far each environment has come.
    Fix: Define call(name, *arguments), get_attr(name) and set_attr(name, values), with one value for each environment.
    """
    return _report(subject, seen, "GK661")


def nothing_is_left_open(subject: Subject, seen: list[Broken]) -> Faults:
    """Count files, threads and processes after each of four backends that were created, used and closed.

    Why: Every evaluation creates and closes a backend, so processes and files accumulate until the system has no more.
    Fix: In close_extras, join what the backend started and close what it opened.
    """
    return _report(subject, seen, "GK662")


def actions_are_left_alone(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare the batch of actions after the step with a copy from before the step.

    Why: The agent's own array changes, and the replay buffer stores other actions than those that were taken.
    Fix: Pass each environment its part of the batch, and write nothing into the batch.
    """
    return _report(subject, seen, "GK663")


def environments_are_closed(subject: Subject, seen: list[Broken]) -> Faults:
    """Let each environment create a file when it is closed.

    Why: Simulators, windows and licences stay open, and every run adds more of them.
    Fix: Call close of every environment in close_extras, inside the worker if there is one.
    """
    return _report(subject, seen, "GK664")
