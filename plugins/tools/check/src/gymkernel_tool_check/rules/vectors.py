"""GK65x and GK66x: rules about vector backends, which combine ordinary environments into a vector environment.

The test cases of the vector contract find the defects. Each rule reports the defects that carry its code.
"""

from __future__ import annotations

from gymkernel_tool_check.backends.cases import Broken
from gymkernel_tool_check.definition import Fault, Faults, Skip
from gymkernel_tool_check.subject import Subject


def _report(subject: Subject, seen: list[Broken], code: str) -> Faults:
    """Report the first defect with a rule's code, or all of them if the code is in `SEVERAL`."""
    if code != "GK650" and any(defect.code == "GK650" for defect in seen):
        raise Skip("the backend cannot be created (GK650)")
    if hiding := next((defect for defect in seen if code in defect.hides), None):
        raise Skip(f"another defect hides the result ({hiding.code or 'GK652'}): {hiding.message}")
    mine = [defect for defect in seen if defect.code == code]
    for defect in mine if code in SEVERAL else mine[:1]:
        yield Fault(defect.message, defect.method, defect.show.replace("{backend}", subject.recipe.value))


SEVERAL = ("GK651", "GK662")
"""The codes of rules that report every defect, because each defect has a cause of its own."""


def can_be_made(subject: Subject, seen: list[Broken]) -> Faults:
    """Create the backend from three functions that create environments.

    Why: make_vec(id, num_envs, 'name of the backend') calls the backend with a list of functions and autoreset_mode.
    Fix: Accept (env_fns, ..., autoreset_mode=AutoresetMode.NEXT_STEP), and also accept the mode's string value.
    """
    return _report(subject, seen, "GK650")


def spaces_are_batches(subject: Subject, seen: list[Broken]) -> Faults:
    """Check the backend's four spaces, num_envs and metadata.

    Why: Buffers and networks are built from the spaces, and learning algorithms read the autoreset mode from metadata.
    Fix: Use gymkernel.ops.batch_space(space, num_envs), and set metadata['autoreset_mode'] to the mode.
    """
    return _report(subject, seen, "GK651")


def calls_work(subject: Subject, seen: list[Broken]) -> Faults:
    """Reset and step in each autoreset mode and with each kind of space, and check the shapes of the results.

    Why: One crash in the middle of an episode ends the run for all environments.
    Fix: Support every space that gymkernel.ops supports, and handle the end of an episode in each mode.
    """
    return _report(subject, seen, "GK652")


def gives_the_same(subject: Subject, seen: list[Broken]) -> Faults:
    """In NEXT_STEP mode, compare the backend with a loop over the same environments, with each kind of space.

    Why: If results depend on the backend, the results of one backend cannot be reproduced with another.
    Fix: Return each environment's observation, reward (float64) and flags (bool) in its row, and reset an ended episode
    in the next step.
    """
    return _report(subject, seen, "GK653")


def same_step(subject: Subject, seen: list[Broken]) -> Faults:
    """In SAME_STEP mode, compare the backend with a loop over the same environments.

    Why: Otherwise, the last observation of an episode is lost, or the next episode's first observation is mistaken for
    it.
    Fix: Return the next episode's first observation, and put the last one into infos['final_obs'] and
    infos['final_info'].
    """
    return _report(subject, seen, "GK654")


def disabled(subject: Subject, seen: list[Broken]) -> Faults:
    """In DISABLED mode, compare the backend with a loop over the same environments; resets use a mask.

    Why: Otherwise, reset(options={'reset_mask': mask}) cuts short the episodes of environments that are not in the
    mask.
    Fix: Reset only the environments in the mask, and keep the last observations of the others in the batch.
    """
    return _report(subject, seen, "GK655")


def seeds_arrive(subject: Subject, seen: list[Broken]) -> Faults:
    """Reset with an integer seed, with a list of seeds, and with a list that is too short, which must be rejected.

    Why: Otherwise, several workers run the same episode, or runs cannot be reproduced.
    Fix: Use gymkernel.vector.utils.seeds: seed, seed + 1, ... for an integer, or one seed per environment for a list.
    """
    return _report(subject, seen, "GK656")


def infos_are_batched(subject: Subject, seen: list[Broken]) -> Faults:
    """Check that each key has one array, and a mask under `_key` for the environments that have the key.

    Why: Learning algorithms read infos['key'][i] only if infos['_key'][i] is True. Without the mask, they read
    meaningless values.
    Fix: Use gymkernel.vector.utils.batch_infos, or add each info with self._add_info.
    """
    return _report(subject, seen, "GK657")


def batches_stay(subject: Subject, seen: list[Broken]) -> Faults:
    """Keep every batch of observations, and compare it at the end with a copy made when it was returned.

    Why: Rollouts keep batches. If all batches share one array, every entry equals the last batch.
    Fix: Return a copy of the array into which observations are written, unless the caller requests copy=False.
    """
    return _report(subject, seen, "GK658")


def closes(subject: Subject, seen: list[Broken]) -> Faults:
    """Step and close the backend, close it again, then call reset and step.

    Why: A with statement, a wrapper and an error handler may each close the environment. Calls to reset and step after
    that are mistakes that must not go unnoticed.
    Fix: Define close_extras, which VectorEnv.close calls once, and raise ClosedEnvironmentError in reset and step.
    """
    return _report(subject, seen, "GK659")


def errors_are_reported(subject: Subject, seen: list[Broken]) -> Faults:
    """Run an environment whose constructor raises an exception, and one whose step raises an exception.

    Why: When one of a hundred environments fails, only the error message can show which one failed and why.
    Fix: Raise the environment's exception, or chain a new exception that names the environment. close must still work
    afterwards.
    """
    return _report(subject, seen, "GK660")


def attributes_are_reached(subject: Subject, seen: list[Broken]) -> Faults:
    """Call get_attr, call, and set_attr with one value and with several values.

    Why: Curricula and evaluations set the level of every environment, and read each environment's progress.
    Fix: Define call(name, *arguments), get_attr(name) and set_attr(name, values), with one value for each environment.
    """
    return _report(subject, seen, "GK661")


def nothing_is_left_open(subject: Subject, seen: list[Broken]) -> Faults:
    """Create, use and close four backends, and count files, threads and processes after each of them.

    Why: Every evaluation creates and closes a backend. If processes and files accumulate, the system runs out of them.
    Fix: In close_extras, join the threads and processes that the backend started, and close the files that it opened.
    """
    return _report(subject, seen, "GK662")


def actions_are_left_alone(subject: Subject, seen: list[Broken]) -> Faults:
    """Compare each batch of actions after the step with a copy made before the step.

    Why: The agent's own array changes, so the replay buffer stores different actions from those that were taken.
    Fix: Pass each environment its own action, and do not write into the batch.
    """
    return _report(subject, seen, "GK663")


def environments_are_closed(subject: Subject, seen: list[Broken]) -> Faults:
    """Check that every environment is closed, using environments that create a file in `close`.

    Why: Otherwise, simulators and windows stay open and licences stay in use, and they accumulate with every run.
    Fix: In close_extras, call every environment's close method, in the worker process if there is one.
    """
    return _report(subject, seen, "GK664")
