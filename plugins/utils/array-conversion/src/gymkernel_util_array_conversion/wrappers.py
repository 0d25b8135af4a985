"""The bases of wrappers that convert: one around an environment, one around a vector environment."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel.wrapper import Wrapper
from gymkernel_util_array_conversion.conversion import array_conversion, lenient_conversion, module_namespace

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike, Info, Options, Seed
    from gymkernel.vector_env import VectorEnv

__all__ = ["Converted", "VectorConverted"]


class _Conversion(RecordConstructorArgs):
    """Both ways of a conversion; a pickle, or a copy, has the names of the modules."""

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

    def _inward(self, value: Any) -> Any:
        return array_conversion(value, self._env_xp, self._env_device)

    def _outward(self, value: Any) -> Any:
        return array_conversion(value, self._target_xp, self._target_device)

    def _told(self, info: Any) -> Any:
        return lenient_conversion(info, self._target_xp, self._target_device)

    def _begun(self, seed: Any, options: Any) -> Any:
        if options is not None:
            options = lenient_conversion(options, self._env_xp, self._env_device)
        observation, info = self.env.reset(seed=seed, options=options)
        return self._outward(observation), self._told(info)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_env_xp": _name(self._env_xp), "_target_xp": _name(self._target_xp)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        namespaces = {name: module_namespace(state[name]) for name in ("_env_xp", "_target_xp")}
        self.__dict__.update(state | namespaces)


class Converted(Wrapper[Any, Any, Any, Any], _Conversion):
    """An environment that computes with one library, used with arrays of another.

    Actions and options are converted to the environment's library, observations, infos and frames to the other; what an
    info holds besides arrays and numbers stays as it is. Rewards become float, flags bool.

    Arguments and errors are those of `gymkernel.wrappers.ArrayConversion`.
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

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, Info]:
        """Begin an episode."""
        return self._begun(seed, options)  # type: ignore[no-any-return]

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Act once."""
        observation, reward, terminated, truncated, info = self.env.step(self._inward(action))
        return self._outward(observation), float(reward), bool(terminated), bool(truncated), self._told(info)

    def render(self) -> Any:
        """Render, to arrays of the other library."""
        return self._outward(self.env.render())


class VectorConverted(VectorWrapper[Any, Any, Any, Any, Any], _Conversion):
    """A vector environment that computes with one library, used with arrays of another.

    Rewards, terminations and truncations are arrays of the other library, too. Put it on last: other wrappers of vector
    environments compute with NumPy.

    Arguments and errors are those of `gymkernel.wrappers.ArrayConversion`.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        env_xp: ModuleType | str,
        target_xp: ModuleType | str,
        env_device: Any = None,
        target_device: Any = None,
    ) -> None:
        self._convert(env_xp, target_xp, env_device, target_device)
        VectorWrapper.__init__(self, env)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[Any, Info]:
        """Begin episodes."""
        return self._begun(seed, options)  # type: ignore[no-any-return]

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Act once in every environment."""
        *values, infos = self.env.step(self._inward(actions))
        return *map(self._outward, values), self._told(infos)

    def step_masked(self, actions: Any, mask: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Act once where a mask, of either library, says."""
        *values, infos = self.env.step_masked(self._inward(actions), self._inward(mask))
        return *map(self._outward, values), self._told(infos)

    def render(self) -> tuple[Any, ...] | None:
        """Render, to arrays of the other library."""
        return self._outward(self.env.render())  # type: ignore[no-any-return]


def _name(xp: Any) -> str:
    return str(xp.__name__).removeprefix("array_api_compat.")
