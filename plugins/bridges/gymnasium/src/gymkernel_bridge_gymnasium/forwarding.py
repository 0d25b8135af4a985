"""What an environment around one of the other library hands on: attributes, read and set, and the generator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

__all__ = ["SPACES", "Forwarding", "ForwardingVector", "autoreset_mode_in", "forwarded"]

SPACES = ("observation_space", "action_space", "single_observation_space", "single_action_space")
OWN = frozenset({"env", "gymnasium_env", "kernel_env", "num_envs", *SPACES})
"""Set here whatever the environment inside has: its spaces are those of the other library."""


def forwarded(name: str, *, innermost: bool = False) -> Any:
    """A property: the attribute of the environment inside, or of the innermost one, None where that has none."""

    def getter(self: Any) -> Any:
        env = getattr(self, self._inside)
        return getattr(getattr(env, "unwrapped", env), name, None) if innermost else getattr(env, name)

    def setter(self: Any, value: Any) -> None:
        env = getattr(self, self._inside)
        setattr(getattr(env, "unwrapped", env) if innermost else env, name, value)

    return property(getter, setter, doc=f"`{name}` of the environment inside.")


def autoreset_mode_in(metadata: dict[str, Any], enum: Any) -> dict[str, Any]:
    """A copy of the metadata of a vector environment, its autoreset mode as a member of one library's enum."""
    mode = metadata.get("autoreset_mode")
    return {**metadata, "autoreset_mode": enum(getattr(mode, "value", mode))} if mode is not None else dict(metadata)


class Forwarding:
    """Reads and sets what it does not have itself on the environment that it holds, through the wrappers of that."""

    _inside: ClassVar[str]
    """The name of the attribute that holds the environment."""
    _spec_of: ClassVar[Any]
    """Makes a spec of the one library from one of the other."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == self._inside:
            raise AttributeError(name)
        env = getattr(self, self._inside)
        return env.get_wrapper_attr(name) if hasattr(env, "get_wrapper_attr") else getattr(env, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_own(name) or not self._set_inside(name, value):
            object.__setattr__(self, name, value)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute inside, where there is one of the name; else here, if `force`. Whether it was set."""
        if not self._is_own(name) and self._set_inside(name, value):
            return True
        if force or name in vars(self) or hasattr(type(self), name):
            setattr(self, name, value)
            return True
        return False

    def _is_own(self, name: str) -> bool:
        return name in OWN or hasattr(type(self), name) or name in vars(self)

    def _set_inside(self, name: str, value: Any) -> bool:
        """Set an attribute that the environment inside has; whether it has it."""
        env = getattr(self, self._inside)
        if hasattr(env, "set_wrapper_attr"):
            return bool(env.set_wrapper_attr(name, value, force=False))
        if hasattr(env, name):
            setattr(env, name, value)
            return True
        return False

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {getattr(self, self._inside)}>"

    __str__ = __repr__

    @property
    def spec(self) -> Any:
        """The spec that `make` or `make_vec` gave this; that of the environment inside otherwise."""
        return vars(self).get("_spec") or self._spec_of(getattr(getattr(self, self._inside), "spec", None))

    @spec.setter
    def spec(self, value: Any) -> None:
        vars(self)["_spec"] = value

    if not TYPE_CHECKING:
        render_mode = forwarded("render_mode")
        np_random = forwarded("np_random")
        np_random_seed = forwarded("np_random_seed")


class ForwardingVector(Forwarding):
    """The same for vector environments, whose autoreset mode is a member of one library's enum."""

    _modes: ClassVar[Any]
    """The enum."""

    if not TYPE_CHECKING:

        @property
        def metadata(self) -> dict[str, Any]:
            """That of the environment inside, with the autoreset mode of this side's enum."""
            return autoreset_mode_in(getattr(self, self._inside).metadata, self._modes)

    @property
    def autoreset_mode(self) -> Any:
        """The autoreset mode, as a member of this side's enum; a backend has it beside its metadata."""
        return self.metadata.get("autoreset_mode")
