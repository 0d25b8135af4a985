"""GK65x, GK66x and GK676: rules about vector backends and about vector wrappers.

The functions without arguments only document rules. The test cases for vector backends find the defects.
"""

from __future__ import annotations

from gymkernel_tool_check.backends.comparison import Run
from gymkernel_tool_check.backends.rule_cases import ENVS
from gymkernel_tool_check.definition import Fault, Faults
from gymkernel_tool_check.probes.wrapping import Form
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.texts import error_text


def can_be_made() -> None:
    """Create a vector environment with the backend from three functions that create environments.

    Why: make_vec(id, num_envs, 'name of the backend') calls the backend with a list of functions and an autoreset mode.
    Fix: Accept the arguments (env_fns, ..., autoreset_mode=AutoresetMode.NEXT_STEP). The mode may also be given as a
    string.
    """


def spaces_are_batches() -> None:
    """Check the four spaces, num_envs and the metadata of the vector environment.

    Why: Buffers and networks are built from the spaces, and learning algorithms read the autoreset mode from the
    metadata.
    Fix: Use gymkernel.ops.batch_space(space, num_envs), and set metadata['autoreset_mode'] to the mode.
    """


def calls_work() -> None:
    """Reset and step in each autoreset mode and with each kind of space, and check the shapes of the results.

    Why: A single crash in the middle of an episode ends the run for all environments.
    Fix: Support every space that gymkernel.ops supports, and handle the end of an episode in each autoreset mode.
    """


def gives_the_same() -> None:
    """In NEXT_STEP mode, compare the backend with a plain loop over the same environments, for each kind of space.

    Why: If results depend on the backend, those of one backend cannot be reproduced with another.
    Fix: Return the observation, the reward (float64) and the flags (bool) of each environment in its own row. If an
    episode has ended, reset the environment in the next step.
    """


def same_step() -> None:
    """In SAME_STEP mode, compare the backend with a plain loop over the same environments.

    Why: If the mode is not implemented correctly, the last observation of an episode may be lost or confused with the
    first observation of the next episode.
    Fix: At the end of an episode, return the first observation of the next episode. Put the last observation into
    infos['final_obs'] and the last info into infos['final_info'].
    """


def disabled() -> None:
    """In DISABLED mode, compare the backend with a plain loop over the same environments, using masks in resets.

    Why: Callers use reset(options={'reset_mask': mask}) to reset single environments. The episodes of all other
    environments must continue.
    Fix: Reset only the environments that the mask selects. For the others, return their last observations again.
    """


def seeds_arrive() -> None:
    """Reset with an integer seed, with a list of seeds, and with a list that is too short, which must be rejected.

    Why: If an environment receives a wrong seed, several environments may run the same episode, or runs may not be
    reproducible.
    Fix: Call gymkernel.vector.utils.seeds. It returns seed, seed + 1 and so on for an integer, and the given seeds for
    a list.
    """


def infos_are_batched() -> None:
    """Check that each info key has one array, and a mask under `_key` that selects the environments with this key.

    Why: Learning algorithms read infos['key'][i] only if infos['_key'][i] is True. Without the mask, they use
    meaningless values.
    Fix: Use gymkernel.vector.utils.batch_infos, or add each info with self._add_info.
    """


def batches_stay() -> None:
    """Copy every batch of observations, and compare the batch with its copy at the end.

    Why: Rollouts store batches. If all batches share one array, every stored batch ends up equal to the last one.
    Fix: Return a copy of the array into which observations are written, unless the caller passes copy=False.
    """


def closes() -> None:
    """Step and close a vector environment, close it again, and then call reset and step.

    Why: A with statement, a wrapper and an error handler may all call close. A later call to reset or step is a mistake
    that must not go unnoticed.
    Fix: Define close_extras, which VectorEnv.close calls only once. In reset and step, raise ClosedEnvironmentError.
    """


def errors_are_reported() -> None:
    """Run an environment whose constructor raises an exception, and another one whose step raises an exception.

    Why: If one of a hundred environments fails, users need an error message that says which one failed and why.
    Fix: Raise the environment's own exception, or chain a new exception that names the environment. close must still
    work afterwards.
    """


def attributes_are_reached() -> None:
    """Use get_attr, call and set_attr, and pass set_attr both a single value and one value per environment.

    Why: Curricula and evaluations, for example, set the level of all environments and read the progress in each of
    them.
    Fix: Define call(name, *arguments) and get_attr(name), which return one value per environment, and set_attr(name,
    values).
    """


def nothing_is_left_open() -> None:
    """Create, use and close four vector environments, and count files, threads and processes after each of them.

    Why: Each evaluation may create and close a vector environment. If files, threads or processes accumulate, the
    system eventually runs out of them.
    Fix: In close_extras, join the threads and processes that the backend has started, and close the files that it has
    opened.
    """


def actions_are_left_alone() -> None:
    """Compare each batch of actions after the step with a copy made before the step.

    Why: If step modifies the agent's own array, the replay buffer stores different actions from those that were taken.
    Fix: Pass each environment its own action, and do not modify the batch.
    """


def environments_are_closed() -> None:
    """Check that close closes every environment as well. The environments create a file when they are closed.

    Why: If environments are not closed, every run leaves more simulators and windows open and more licences in use.
    Fix: In close_extras, call the close method of every environment, in its worker process if there is one.
    """


def matches_single_wrappers(subject: Subject, seen: list[tuple[Run, Form, Form]]) -> Faults:
    """Compare a vector wrapper with the single-environment wrapper of the same name around each of three environments.

    The comparison includes all autoreset modes and resets in the middle of an episode. If a vector wrapper stores one
    value for all environments, such as a mean, its class must declare the difference in `gymkernel_expected_failures`.

    Why: A policy is often trained with many environments and evaluated with a single one. It must receive the same
    values in both cases.
    Fix: Derive the class from gymkernel.vector.VectorizedWrapper, and change the state of an episode only in the rows
    selected by `where`.
    """
    for run, single_form, vector_form in seen:
        show = _program(subject, run, single_form, vector_form)
        if run.error is not None:
            when, exc = run.error
            message = f"{when} raised {error_text(exc)}, but single wrappers work (mode {run.mode}, {run.variant})"
            yield Fault(message, "class", show)
            return
        for part, (when, detail) in run.mismatch.items():
            compared = f"compared with single wrappers, mode {run.mode}, {run.variant}"
            yield Fault(f"at {when}, in the {part}, {detail} ({compared})", "class", show)
            return


def _program(subject: Subject, run: Run, single_form: Form, vector_form: Form) -> str:
    """Return a program that prints the results of the vector wrapper and then those of the single wrappers."""
    single = single_form.expression("Single", f'probe_envs.ProbeEnv("{run.variant}", i, "rgb_array")')
    envs = vector_form.expression(
        subject.recipe.value, f'probe_envs.ProbeVectorEnv("{run.variant}", {ENVS}, "{run.mode}")'
    )
    return f"""
from {single_form.cls.__module__} import {single_form.cls.__qualname__} as Single

envs = {envs}
singles = probe_envs.ReferenceVectorEnv([lambda i=i: {single} for i in range({ENVS})], "{run.mode}")
print(envs.observation_space, envs.reset(seed=11), singles.reset(11), sep="\\n")
actions = ops.batch_space(singles.envs[0].action_space, {ENVS})
actions.seed(3)
for k in range(14):
    mask = np.array(singles.done) & (singles.mode.value == "Disabled") | (np.arange({ENVS}) != k % 2) & (k in (2, 9))
    options = {{"reset_mask": mask}}
    if mask.any():
        print(envs.reset(options=options), singles.reset(options=options), sep="\\n")
    action = actions.sample()
    print(envs.step(action), singles.step(action), sep="\\n")
"""
