"""Base classes for wrappers that convert arrays, for single environments and for vector environments."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gymkernel.protocols import EnvLike, Info, Options, VectorEnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_util_array_conversion.conversion import array_conversion, lenient_conversion, module_namespace

__all__ = ["Converted", "VectorConverted"]


class _Conversion(RecordConstructorArgs):
    """A mix-in that converts arrays between two libraries. Pickles and copies store only the names of the libraries."""

    env: Any

    def _convert(self, env_xp: Any, target_xp: Any, env_device: Any, target_device: Any) -> None:
        self._env_xp, self._target_xp = module_namespace(env_xp), module_namespace(target_xp)
        self._env_device, self._target_device = env_device, target_device
        RecordConstructorArgs.__init__(
            self,
            _disable_deepcopy=True,
            env_xp=_name(self._env_xp),
            target_xp=_name(self._target_xp),
            env_device=env_device,
            target_device=target_device,
        )

    def _to_env(self, value: Any) -> Any:
        return array_conversion(value, self._env_xp, self._env_device)

    def _to_target(self, value: Any) -> Any:
        return array_conversion(value, self._target_xp, self._target_device)

    def _info_to_target(self, info: Any) -> Any:
        return lenient_conversion(info, self._target_xp, self._target_device)

    def reset(self, *, seed: Any = None, options: Options = None) -> tuple[Any, Info]:
        """Reset the environment or environments, and convert the results to the agent's library."""
        if options is not None:
            options = lenient_conversion(options, self._env_xp, self._env_device)
        observation, info = self.env.reset(seed=seed, options=options)
        return self._to_target(observation), self._info_to_target(info)

    def render(self) -> Any:
        """Render the environment or environments, and convert the frames to the agent's library."""
        return self._to_target(self.env.render())

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_env_xp": _name(self._env_xp), "_target_xp": _name(self._target_xp)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        namespaces = {name: module_namespace(state[name]) for name in ("_env_xp", "_target_xp")}
        self.__dict__.update(state | namespaces)


class Converted(_Conversion, Wrapper[Any, Any, Any, Any]):
    """A wrapper for an agent whose array library differs from the environment's.

    Actions and options are converted to the environment's library. Observations, infos and frames are converted to the
    agent's library. Values in an info that are neither arrays nor numbers are returned unchanged. Rewards become
    floats, and `terminated` and `truncated` become bools.

    See `gymkernel.wrappers.ArrayConversion` for the arguments and exceptions.
    """

    def __init__(
        self,
        env: EnvLike[Any, Any],
        env_xp: ModuleType | str,
        target_xp: ModuleType | str,
        env_device: Any = None,
        target_device: Any = None,
    ) -> None:
        self._convert(env_xp, target_xp, env_device, target_device)
        Wrapper.__init__(self, env)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Perform one action, and convert the results to the agent's library."""
        observation, reward, terminated, truncated, info = self.env.step(self._to_env(action))
        return (
            self._to_target(observation),
            float(reward),
            bool(terminated),
            bool(truncated),
            self._info_to_target(info),
        )


class VectorConverted(_Conversion, VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector wrapper for an agent whose array library differs from the vector environment's.

    Rewards, terminations and truncations also become arrays of the agent's library. Apply this wrapper last, because
    other vector wrappers compute with NumPy.

    See `gymkernel.wrappers.ArrayConversion` for the arguments and exceptions.
    """

    def __init__(
        self,
        env: VectorEnvLike[Any, Any, Any],
        env_xp: ModuleType | str,
        target_xp: ModuleType | str,
        env_device: Any = None,
        target_device: Any = None,
    ) -> None:
        self._convert(env_xp, target_xp, env_device, target_device)
        VectorWrapper.__init__(self, env)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Perform one action in every environment, and convert the results to the agent's library."""
        *values, infos = self.env.step(self._to_env(actions))
        return *map(self._to_target, values), self._info_to_target(infos)

    def step_masked(self, actions: Any, mask: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Perform one action in each environment that the mask selects. The mask may be an array of either library."""
        *values, infos = self.env.step_masked(self._to_env(actions), self._to_env(mask))
        return *map(self._to_target, values), self._info_to_target(infos)


def _name(xp: Any) -> str:
    return str(xp.__name__).removeprefix("array_api_compat.")
