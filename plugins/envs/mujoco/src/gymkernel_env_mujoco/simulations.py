"""The classes `BatchedSimulations` and `ThreadedSimulations`, which step simulations of one model in parallel.

With any number of threads, both classes give the same results, bit for bit, as a loop that steps one `MjData` per
simulation.

`BatchedSimulations` uses the batch API of MuJoCo 4, which steps all simulations in one native call. `mujoco.rollout`
is not an alternative, because it does not return the warm start of the constraint solver. Without the warm start, the
results would differ from those of a loop in the last bits.

`ThreadedSimulations` uses Python threads and one `MjData` per simulation. MuJoCo releases the global interpreter lock
while it steps a simulation. The class is for environments whose observations need `mj_rnePostConstraint`, which the
batch API does not call, and for images, which need the whole `MjData`.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from mujoco import batch

from gymkernel_env_mujoco.threads import ThreadPool, default_threads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ids = NDArray[np.intp]

__all__ = ["BatchedSimulations", "Simulations", "ThreadedSimulations"]


class BatchedSimulations:
    """Several simulations that `mujoco.batch.Batch` steps in one native call.

    A forked process does not have MuJoCo's threads, so it creates a new batch with the same states.

    Args:
        model: the model. Later changes to the model have no effect.
        num: the number of simulations.
        names: the names of the fields of `MjData` to provide.
        num_threads: the number of threads. If None, `default_threads` determines the number.

    Attributes:
        fields: maps the name of each requested field of `MjData` to an array of its values, whose first axis is the
            index of the simulation. Each call updates the same arrays in place.
    """

    def __init__(self, model: Any, num: int, names: Sequence[str], num_threads: int | None = None) -> None:
        self._model, self._num, self._names, self._requested = model, num, tuple(names), num_threads
        self.fields: dict[str, NDArray[Any]] = {}
        self._creator = os.getpid()
        self._batch: Any = None
        self._open()

    @property
    def num_threads(self) -> int:
        """The number of threads."""
        return default_threads(self._creator) if self._requested is None else self._requested

    def _open(self) -> None:
        self._pid = os.getpid()
        # If bodies can sleep, each simulation needs its own MjData.
        sleeps = bool(self._model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP)
        self._batch = batch.Batch(self._model, self._num, self.num_threads, persistent=sleeps)
        self._state = {name: self._batch.bind(name) for name in ("ctrl", "qpos", "qvel")}
        self._sources = [(self._batch.bind(name), name) for name in self._names]
        for source, name in self._sources:
            self.fields.setdefault(name, source.copy())

    def step(self, ctrl: NDArray[Any], frame_skip: int, ids: Ids | None = None) -> None:
        """Set the controls, and call `mj_step` several times.

        Args:
            ctrl: the controls, with a row for each simulation.
            frame_skip: the number of calls of `mj_step`.
            ids: the sorted indices of the simulations to step, or None for all.
        """
        self._check_process()
        if ids is None:
            self._state["ctrl"][:] = ctrl
        else:
            self._state["ctrl"][ids] = ctrl[ids]
        self._batch.step(ids, frame_skip)
        self._read()

    def reset(self, ids: Ids, qpos: NDArray[Any], qvel: NDArray[Any]) -> None:
        """Reset simulations, set their positions and velocities, and call `mj_forward`.

        Args:
            ids: the sorted indices of the simulations to reset.
            qpos: the positions, with a row for each index.
            qvel: the velocities, with a row for each index.
        """
        self._check_process()
        self._batch.reset(ids, stage=mujoco.mjtStage.mjSTAGE_NONE.value)
        self._state["qpos"][ids], self._state["qvel"][ids] = qpos, qvel
        self._batch.forward(ids)
        self._read()

    def _read(self) -> None:
        for source, name in self._sources:
            np.copyto(self.fields[name], source)

    def _check_process(self) -> None:
        """Replace the batch in a forked process, because its threads do not exist there."""
        if self._pid == os.getpid():
            return
        inherited = self._batch
        # Freeing the batch would wait for its threads.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited._b))  # noqa: SLF001 - it owns the threads
        self._open()
        np.copyto(self._batch.state, inherited.state)
        np.copyto(self._batch.warning, inherited.warning)

    def close(self) -> None:
        """End the threads, and free the simulations."""
        if self._batch is not None and self._pid == os.getpid():
            self._batch, self._state, self._sources = None, {}, []


class ThreadedSimulations:
    """Several simulations, each with its own `MjData`, that Python threads step.

    The threads are started in the first step, and again in a forked process. The calling thread counts as one of the
    threads, so `num_threads=1` starts no additional thread.

    Args:
        model: the model.
        num: the number of simulations.
        names: the names of the fields of `MjData` to provide.
        num_threads: the number of threads. If None, `default_threads` determines the number.
        post_constraint: whether to call `mj_rnePostConstraint` after a step, which computes `cfrc_ext` and other
            forces.

    Attributes:
        datas: the `MjData` of each simulation.
        fields: the values of each requested field, as in `BatchedSimulations`.
    """

    def __init__(
        self,
        model: Any,
        num: int,
        names: Sequence[str],
        num_threads: int | None = None,
        *,
        post_constraint: bool = True,
    ) -> None:
        self._model, self._post_constraint = model, post_constraint
        self.datas = [mujoco.MjData(model) for _ in range(num)]
        self._ctrl = [data.ctrl for data in self.datas]
        values = {name: [getattr(data, name) for data in self.datas] for name in names}
        self.fields: dict[str, NDArray[Any]] = {name: np.array(values[name]) for name in names}
        # A field that is a single number, such as `time`, cannot be accessed as a view.
        self._numbers = [(name, self.fields[name]) for name in names if self.fields[name].ndim == 1]
        arrays = [name for name in names if self.fields[name].ndim > 1]
        self._copies = [[(self.fields[name][i], values[name][i]) for name in arrays] for i in range(num)]
        self._pool = ThreadPool(num_threads)

    @property
    def num_threads(self) -> int:
        """The number of threads."""
        return self._pool.num_threads

    def step(self, ctrl: NDArray[Any], frame_skip: int, ids: Ids | None = None) -> None:
        """Set the controls, and call `mj_step` several times. See `BatchedSimulations`."""
        model, datas, targets, is_post = self._model, self.datas, self._ctrl, self._post_constraint
        mj_step, mj_post, copies, numbers = mujoco.mj_step, mujoco.mj_rnePostConstraint, self._copies, self._numbers

        # A thread that is late keeps this function alive, so the function must not refer to `self`.
        def step_one(i: int) -> None:
            targets[i][:] = ctrl[i]
            mj_step(model, datas[i], frame_skip)
            if is_post:
                mj_post(model, datas[i])
            _read(i, datas[i], copies[i], numbers)

        self._pool.run(step_one, range(len(datas)) if ids is None else ids.tolist())

    def reset(self, ids: Ids, qpos: NDArray[Any], qvel: NDArray[Any]) -> None:
        """Reset simulations, set their positions and velocities, and call `mj_forward`. See `BatchedSimulations`."""
        for i, positions, velocities in zip(ids.tolist(), qpos, qvel, strict=True):
            data = self.datas[i]
            mujoco.mj_resetData(self._model, data)
            data.qpos[:], data.qvel[:] = positions, velocities
            mujoco.mj_forward(self._model, data)
            _read(i, data, self._copies[i], self._numbers)

    def close(self) -> None:
        """End the threads. The next step starts new threads."""
        self._pool.close()


def _read(
    i: int,
    data: Any,
    copies: list[tuple[NDArray[Any], NDArray[Any]]],
    numbers: list[tuple[str, NDArray[Any]]],
) -> None:
    """Copy the fields of one simulation, while they are in the cache of the core that has stepped it.

    Args:
        i: the index of the simulation.
        data: the `MjData` of the simulation.
        copies: pairs of a target array and a view of the `MjData`.
        numbers: the names of fields that are single numbers, and the arrays with their values in all simulations.
    """
    for target, source in copies:
        target[...] = source
    for name, values in numbers:
        values[i] = getattr(data, name)


Simulations = BatchedSimulations | ThreadedSimulations
