"""Functions that combine the infos of several environments into a single dictionary and split it again."""

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
    """Combine the infos of several environments into a dictionary of arrays.

    For each key "x", the result contains two arrays: under "x", the values of all environments, and under "_x", a mask
    of the environments that have the key "x". Numbers are stored with a common dtype, and so are arrays of equal shape.
    Dictionaries are combined recursively. All other values are stored as objects. If any environment has a key "x", a
    key "_x" in the infos is ignored, because the mask is stored under this key.

    Args:
        infos: pairs of an environment's index and its info, sorted by index. Environments without an info may be
            omitted.
        num_envs: the number of environments, which is the length of every array. The value of an environment that lacks
            a key is 0, False or None.

    >>> batch_infos([(0, {"x": 1}), (1, {"x": 1.5})], 3)
    {'x': array([1. , 1.5, 0. ]), '_x': array([ True,  True, False])}
    """
    batch: Info = {}
    every, pairs = list(range(num_envs)), list(infos)
    columns = _columns(pairs)
    for key, (indices, values) in columns.items():
        whole = indices == every
        mask = np.zeros(num_envs, np.bool_)
        if whole:
            mask.fill(True)
        else:
            mask[indices] = True
        batch[key], batch[f"_{key}"] = _column(key, indices, values, num_envs, whole=whole), mask
    if len(batch) < 2 * len(columns):  # an environment's info contains a key that is also the key of a mask
        masks = {f"_{key}" for key in columns}
        return batch_infos([(i, {key: info[key] for key in info if key not in masks}) for i, info in pairs], num_envs)
    return batch


def _columns(infos: list[tuple[int, Info]]) -> dict[str, tuple[list[int], list[Any]]]:
    """Return, for each key, the indices of the environments that have the key, and their values."""
    indices, dicts = [i for i, _ in infos], [info for _, info in infos]
    if len(set(map(len, dicts))) == 1:  # usually, all infos have the same keys
        try:
            return {key: (indices, [info[key] for info in dicts]) for key in dicts[0]}
        except KeyError:
            pass
    columns: dict[str, tuple[list[int], list[Any]]] = {}
    for i, info in infos:
        for key, value in info.items():
            indices, values = columns.setdefault(key, ([], []))
            indices.append(i)
            values.append(value)
    return columns


def _column(key: str, indices: list[int], values: list[Any], n: int, *, whole: bool) -> Any:
    kinds = set(map(type, values))
    if len(kinds) == 1 and _is_number(values[0]) and key != "final_obs":
        try:
            array: NDArray[Any] = np.array(values, kinds.pop()) if whole else np.zeros(n, kinds.pop())
            if not whole:
                array[indices] = values
            return array  # noqa: TRY300 - the conversion may raise an error
        except OverflowError:
            pass
    if key != "final_obs" and kinds == {dict}:
        return batch_infos(zip(indices, values, strict=True), n)
    batch, mask = None, np.zeros(n, np.bool_)
    for i, value in zip(indices, values, strict=True):
        batch = _put(batch, mask, value, i, n, nest=key != "final_obs")
        mask[i] = True
    return batch


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool) or isinstance(value, np.number | np.bool_)


def _put(batch: Any, mask: Any, value: Any, i: int, n: int, *, nest: bool) -> Any:
    """Store a value at index i of a batch, and return the batch. If its dtype does not fit, convert the batch first.

    If the batch is None, a new batch is created. The mask marks the indices at which a value has been stored.
    """
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
        if wide is not None and (wide.kind != "f" or any(d.kind == "f" for d in both)):  # not every int fits a float
            batch = batch.astype(wide)
        elif batch.dtype != object or batch.ndim > 1:
            batch = objects(n, {j: batch[j] for j in range(n) if mask[j]})
    batch[i] = value.copy() if nest and isinstance(value, np.ndarray) and batch.dtype == object else value
    return batch


def objects(n: int, values: dict[int, Any]) -> NDArray[Any]:
    """Return an object array of length n that contains the given values, and None at all other indices.

    Args:
        n: the length of the array.
        values: the objects, keyed by their index in the array.

    Returns:
        An array of shape (n,) and dtype object.
    """
    array = np.full(n, None, object)
    for i, value in values.items():
        array[i] = value
    return array


def info_of(infos: Info, i: int) -> Info:
    """Extract the info of one environment from a batch of infos.

    If an array has no mask, every environment is assumed to have a value.

    Args:
        infos: a batch of infos, as returned by `reset` and `step` of a vector environment.
        i: the index of the environment.

    Returns:
        The info of the environment, in which numbers are NumPy scalars.

    >>> info_of(batch_infos([(0, {"x": 1}), (2, {"x": 3})], 3), 2)
    {'x': np.int64(3)}
    """
    return {
        key: info_of(value, i) if isinstance(value, dict) else value[i]
        for key, value in infos.items()
        if (str(key)[:1] != "_" or key[1:] not in infos)  # the key is not a mask
        and (infos[f"_{key}"][i] if f"_{key}" in infos else key[:1] != "_" and isinstance(value, dict | np.ndarray))
    }


def final_rows(env: Any, infos: Info, terminations: Any, truncations: Any) -> Mask | None:
    """Return a mask of the environments that have a final observation in `infos["final_obs"]`, or None if none has.

    Final observations exist only in SAME_STEP mode, and only for episodes that ended in the current step. All other
    values under this key are the environments' own data.

    Args:
        env: the vector environment that returned the infos. If its metadata has no "autoreset_mode", NEXT_STEP is
            assumed.
        infos: the infos that `step` returned.
        terminations: the terminations that `step` returned, a bool array of shape (num_envs,).
        truncations: the truncations that `step` returned, a bool array of shape (num_envs,).
    """
    mode = env.metadata.get("autoreset_mode") if "final_obs" in infos else None
    if getattr(mode, "value", mode) != "SameStep":  # the mode may be a member of another library's enum
        return None
    rows: Mask = (terminations | truncations) & np.asarray(infos["_final_obs"], np.bool_)
    return rows if rows.any() else None


def with_final(infos: Info, rows: Mask, final: Any) -> Info:
    """Return a copy of the infos in which some final observations are replaced.

    Args:
        infos: the infos that `step` returned, which are not modified.
        rows: the mask that `final_rows` returned. Only the observations of these environments are replaced.
        final: the new final observations, an object array of shape (num_envs,).
    """
    choices = enumerate(zip(rows.tolist(), final, infos["final_obs"], strict=True))
    return {**infos, "final_obs": objects(len(rows), {i: new if ended else old for i, (ended, new, old) in choices})}


def add_info(vector_infos: Info, env_info: Info, env_num: int, num_envs: int) -> Info:
    """Add the info of one environment to a batch of infos, and return the batch.

    To combine the infos of all environments at once, `batch_infos` is faster.

    Args:
        vector_infos: the batch, which is modified in place. The first call receives an empty dictionary.
        env_info: the info of one environment, which is not modified.
        env_num: the index of the environment.
        num_envs: the number of environments in the batch.
    """
    mask = np.zeros(num_envs, np.bool_)
    mask[env_num] = True
    for key, value in env_info.items():
        if str(key)[:1] == "_" and (key[1:] in vector_infos or key[1:] in env_info):
            continue  # the name is needed for the mask of another key
        if key not in vector_infos and f"_{key}" in vector_infos:  # an environment's value is replaced by a mask
            del vector_infos[f"__{key}"]
        present = vector_infos.get(f"_{key}") if key in vector_infos else None
        known = None if present is None else vector_infos[key]
        vector_infos[key] = _put(known, present, value, env_num, num_envs, nest=key != "final_obs")
        vector_infos[f"_{key}"] = mask.copy() if present is None else present | mask
    return vector_infos
