"""The `DictInfoToList` wrapper, which returns the infos of a vector environment as a list of dictionaries."""

from __future__ import annotations

from typing import Any

from gymkernel.error import Error
from gymkernel.protocols import ActType, ArrayType, Mask, ObsType, Options, Seed, VectorEnvLike
from gymkernel.vector_wrapper import VectorWrapper

__all__ = ["DictInfoToList", "UnequalInfos", "VectorListInfo"]


class UnequalInfos(Error, ValueError, AssertionError):  # noqa: N818 - Gymnasium raises an AssertionError
    """Raised if the infos do not contain exactly one entry per environment."""


class DictInfoToList(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """A vector wrapper that returns the infos as a list with one dictionary per environment.

    This wrapper must be the outermost wrapper, because other vector wrappers expect a single dictionary. For example,
    `{"x": array([1, 2]), "_x": array([True, False])}` becomes `[{"x": 1}, {}]`.

    Raises:
        UnequalInfos: if an array or mask in the infos does not contain exactly one entry per environment.

    >>> import gymkernel as gym
    >>> envs = DictInfoToList(gym.make_vec("FrozenLake-v1", 2, "sync"))  # doctest: +SKIP
    >>> envs.reset(seed=7)[1]  # doctest: +SKIP
    [{'prob': np.int64(1)}, {'prob': np.int64(1)}]
    """

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType]) -> None:
        super().__init__(env)

    def reset(  # type: ignore[override] # the infos have a different type
        self, *, seed: Seed = None, options: Options = None
    ) -> tuple[ObsType, list[dict[str, Any]]]:
        """Reset the wrapped environments, and return the infos as a list."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return observations, self._convert_info_to_list(infos)

    def step(  # type: ignore[override] # the infos have a different type
        self, actions: ActType
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, list[dict[str, Any]]]:
        """Step the wrapped environments, and return the infos as a list."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        return observations, rewards, terminations, truncations, to_list(infos, len(rewards))  # type: ignore[arg-type]

    def step_masked(  # type: ignore[override] # the infos have a different type
        self, actions: ActType, mask: Mask
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, list[dict[str, Any]]]:
        """Step the environments that the mask selects, and return the infos as a list."""
        *values, infos = self.env.step_masked(actions, mask)
        return *values, self._convert_info_to_list(infos)  # type: ignore[return-value]

    def _convert_info_to_list(self, vector_infos: dict[str, Any]) -> list[dict[str, Any]]:
        return to_list(vector_infos, self.num_envs)


class VectorListInfo(DictInfoToList[ObsType, ActType, ArrayType]):
    """An alias of `DictInfoToList` under the name that Gymnasium used in 2022.

    The arguments and exceptions are the same.

    >>> import gymkernel as gym
    >>> envs = VectorListInfo(gym.make_vec("FrozenLake-v1", 2, "sync"))  # doctest: +SKIP
    >>> envs.reset(seed=7)[1]  # doctest: +SKIP
    [{'prob': np.int64(1)}, {'prob': np.int64(1)}]
    """

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType]) -> None:
        super().__init__(env)


def to_list(infos: dict[str, Any], n: int) -> list[dict[str, Any]]:
    """Convert the infos of n environments to a list of n dictionaries.

    If a value has no mask, it is included in the info of every environment.

    >>> import numpy as np
    >>> to_list({"x": np.array([1, 2]), "_x": np.array([True, False]), "y": {"z": np.array([3.0, 4.0])}}, 2)
    [{'x': np.int64(1), 'y': {'z': np.float64(3.0)}}, {'y': {'z': np.float64(4.0)}}]
    """
    each: list[dict[str, Any]] = [{} for _ in range(n)]
    for key, value in infos.items():
        if key.startswith("_") and key[1:] in infos:
            continue
        rows = to_list(value, n) if isinstance(value, dict) else value
        mask = infos.get(f"_{key}")
        if mask is None:
            mask = [True] * n
        if not len(rows) == len(mask) == n:
            name, entries = (key, rows) if len(rows) != n else (f"_{key}", mask)
            raise UnequalInfos(f"DictInfoToList expects {n} entries in the infos under {name!r}, got {len(entries)}")
        for info, row, is_set in zip(each, rows, mask.tolist() if hasattr(mask, "tolist") else mask, strict=True):
            if is_set:
                info[key] = row
    return each
