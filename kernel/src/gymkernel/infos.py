"""Infos of several environments as one dictionary: an array per key, and a mask of who has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import Info, Mask

__all__ = ["add_info", "batch_infos", "final_rows", "info_of", "objects", "with_final"]

OBJECT = np.array(None)


def batch_infos(infos: Iterable[tuple[int, Info]], num_envs: int) -> Info:
    """Batch the infos of environments given as (index, info): an array per key, with a mask `_key` of who has it.

    Numbers, and arrays of one shape, become arrays of the dtype that holds them all, dictionaries are batched
    recursively, anything else goes into an array of objects. A mask wins over a key of the same name: where some
    environment has a key "x", no environment's own "_x" is in the batch.

    Args:
        infos: the index of an environment and its info, for the environments that have one, by increasing index.
        num_envs: the length of every array, with 0, False or None for environments without the key.

    >>> batch_infos([(0, {"x": 1}), (1, {"x": 1.5})], 3)
    {'x': array([1. , 1.5, 0. ]), '_x': array([ True,  True, False])}
    """
    batch: Info = {}
    every, pairs = list(range(num_envs)), list(infos)
    columns = _columns(pairs)
    for key, (where, values) in columns.items():
        whole = where == every
        mask = np.zeros(num_envs, np.bool_)
        if whole:
            mask.fill(True)
        else:
            mask[where] = True
        batch[key], batch[f"_{key}"] = _column(key, where, values, num_envs, whole=whole), mask
    if len(batch) < 2 * len(columns):  # an environment's own key has the name of a mask
        masks = {f"_{key}" for key in columns}
        return batch_infos([(i, {key: info[key] for key in info if key not in masks}) for i, info in pairs], num_envs)
    return batch


def _columns(infos: list[tuple[int, Info]]) -> dict[str, tuple[list[int], list[Any]]]:
    """For every key, in order: who has it, and what they have."""
    where, each = [i for i, _ in infos], [info for _, info in infos]
    if len(set(map(len, each))) == 1:  # the same keys in every info, most likely
        try:
            return {key: (where, [info[key] for info in each]) for key in each[0]}
        except KeyError:
            pass
    columns: dict[str, tuple[list[int], list[Any]]] = {}
    for i, info in infos:
        for key, value in info.items():
            who, what = columns.setdefault(key, ([], []))
            who.append(i)
            what.append(value)
    return columns


def _column(key: str, where: list[int], values: list[Any], n: int, *, whole: bool) -> Any:
    kinds = set(map(type, values))
    if len(kinds) == 1 and _is_number(values[0]) and key != "final_obs":
        try:
            array: NDArray[Any] = np.array(values, kinds.pop()) if whole else np.zeros(n, kinds.pop())
            if not whole:
                array[where] = values
            return array  # noqa: TRY300 - what fails is above
        except OverflowError:
            pass
    if key != "final_obs" and kinds == {dict}:
        return batch_infos(zip(where, values, strict=True), n)
    batch, mask = None, np.zeros(n, np.bool_)
    for i, value in zip(where, values, strict=True):
        batch = _put(batch, mask, value, i, n, nest=key != "final_obs")
        mask[i] = True
    return batch


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool) or isinstance(value, np.number | np.bool_)


def _put(batch: Any, mask: Any, value: Any, i: int, n: int, *, nest: bool) -> Any:
    """Put a value in place i of a batch (None: make one), in a form that holds it and what `mask` says is there."""
    if nest and isinstance(value, dict) and (batch is None or isinstance(batch, dict)):
        inner = {} if batch is None else batch
        known = [(j, info_of(inner, j)) for j in range(n) if mask is not None and mask[j]]
        return batch_infos([*known, (i, value)], n)
    if isinstance(batch, dict):
        batch = objects(n, {j: info_of(batch, j) for j in range(n) if mask[j]})
    plain = np.asarray(value) if nest and (_is_number(value) or isinstance(value, np.ndarray)) else OBJECT
    dtype, shape = plain.dtype, plain.shape
    if batch is None:
        batch = objects(n, {}) if plain.dtype == object and not shape else np.zeros((n, *shape), dtype)
    elif batch.dtype != dtype or batch.shape[1:] != shape:
        both = batch.dtype, dtype
        wide = np.result_type(*both) if all(d.kind in "biufc" for d in both) and batch.shape[1:] == shape else None
        if wide is not None and (wide.kind != "f" or any(d.kind == "f" for d in both)):  # no float holds all integers
            batch = batch.astype(wide)
        elif batch.dtype != object or batch.ndim > 1:
            batch = objects(n, {j: batch[j] for j in range(n) if mask[j]})
    batch[i] = value.copy() if nest and isinstance(value, np.ndarray) and batch.dtype == object else value
    return batch


def objects(n: int, values: dict[int, Any]) -> NDArray[Any]:
    """An array of n objects with the given values in their places, None elsewhere.

    Args:
        n: the length of the array.
        values: the objects by their index, from 0 to n - 1.

    Returns:
        An array of shape (n,) and dtype object.
    """
    array = np.full(n, None, object)
    for i, value in values.items():
        array[i] = value
    return array


def info_of(infos: Info, i: int) -> Info:
    """The info of environment i out of a batch; an array without a mask is everybody's.

    Args:
        infos: a batch, as `reset` and `step` of a vector environment return it.
        i: the index of the environment.

    Returns:
        The info as that environment gave it, but for the types of its numbers, which are NumPy's.

    >>> info_of(batch_infos([(0, {"x": 1}), (2, {"x": 3})], 3), 2)
    {'x': np.int64(3)}
    """
    return {
        key: info_of(value, i) if isinstance(value, dict) else value[i]
        for key, value in infos.items()
        if (str(key)[:1] != "_" or key[1:] not in infos)  # no mask
        and (infos[f"_{key}"][i] if f"_{key}" in infos else key[:1] != "_" and isinstance(value, dict | np.ndarray))
    }


def final_rows(env: Any, infos: Info, terminations: Any, truncations: Any) -> Mask | None:
    """Return the environments whose last observation of an episode is in `infos["final_obs"]`; None if there are none.

    Only a vector environment in SAME_STEP mode puts last observations there, and only where an episode ended in this
    step. Under the same key, environments may have something of their own, in any mode and step.

    Args:
        env: the vector environment that returned the infos; without an "autoreset_mode", it is in NEXT_STEP mode.
        infos: of a step.
        terminations: of the step, bool of (num_envs,).
        truncations: likewise.
    """
    mode = env.metadata.get("autoreset_mode") if "final_obs" in infos else None
    if getattr(mode, "value", mode) != "SameStep":  # a member of this library's enum, or of another's
        return None
    rows: Mask = (terminations | truncations) & np.asarray(infos["_final_obs"], np.bool_)
    return rows if rows.any() else None


def with_final(infos: Info, rows: Mask, final: Any) -> Info:
    """Return infos with other last observations; what other environments have under that key stays.

    Args:
        infos: of a step; they are not changed.
        rows: the environments that `final_rows` returned.
        final: for these environments their last observations, of shape (num_envs,) and dtype object.
    """
    each = enumerate(zip(rows.tolist(), final, infos["final_obs"], strict=True))
    return {**infos, "final_obs": objects(len(rows), {i: new if here else old for i, (here, new, old) in each})}


def add_info(vector_infos: Info, env_info: Info, env_num: int, num_envs: int) -> Info:
    """Add the info of one environment to a batch, and return the batch; `batch_infos` of all at once is faster.

    Args:
        vector_infos: the batch, which is changed; `{}` to begin with.
        env_info: the info of one environment, which is left as it is.
        env_num: the index of that environment.
        num_envs: the number of environments of the batch.
    """
    mask = np.zeros(num_envs, np.bool_)
    mask[env_num] = True
    for key, value in env_info.items():
        if str(key)[:1] == "_" and (key[1:] in vector_infos or key[1:] in env_info):
            continue  # it has the name of another key's mask
        if key not in vector_infos and f"_{key}" in vector_infos:  # an environment's own key makes room for a mask
            del vector_infos[f"__{key}"]
        present = vector_infos.get(f"_{key}") if key in vector_infos else None
        known = None if present is None else vector_infos[key]
        vector_infos[key] = _put(known, present, value, env_num, num_envs, nest=key != "final_obs")
        vector_infos[f"_{key}"] = mask.copy() if present is None else present | mask
    return vector_infos
