"""Base classes for objects that wrap an environment of the other library and forward attributes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

__all__ = ["SPACES", "Forwarding", "ForwardingVector", "autoreset_mode_in", "forwarded"]

SPACES = ("observation_space", "action_space", "single_observation_space", "single_action_space")
OWN = frozenset({"env", "gymnasium_env", "kernel_env", "num_envs", *SPACES})
"""The attributes that are not forwarded when they are set, because the two libraries' spaces differ."""


def forwarded(name: str, *, innermost: bool = False) -> Any:
    """Return a property that reads and sets an attribute of the wrapped environment.

    Args:
        name: the attribute's name.
        innermost: whether to use the innermost environment instead. If it has no such attribute, the property is None.
    """

    def getter(self: Any) -> Any:
        env = getattr(self, self._inside)
        return getattr(getattr(env, "unwrapped", env), name, None) if innermost else getattr(env, name)

    def setter(self: Any, value: Any) -> None:
        env = getattr(self, self._inside)
        setattr(getattr(env, "unwrapped", env) if innermost else env, name, value)

    return property(getter, setter, doc=f"`{name}` of the environment inside.")


def autoreset_mode_in(metadata: dict[str, Any], enum: Any) -> dict[str, Any]:
    """Return a copy of a vector environment's metadata in which the autoreset mode is a member of the given enum.

    Args:
        metadata: the vector environment's metadata.
        enum: the `AutoresetMode` class of one of the libraries.
    """
    mode = metadata.get("autoreset_mode")
    return {**metadata, "autoreset_mode": enum(getattr(mode, "value", mode))} if mode is not None else dict(metadata)


class Forwarding:
    """A base class for wrappers that forward unknown attributes to the wrapped environment."""

    _inside: ClassVar[str]
    """The name of the attribute that contains the wrapped environment."""
    _spec_of: ClassVar[Any]
    """The function that converts the wrapped environment's spec."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == self._inside:
            raise AttributeError(name)
        env = getattr(self, self._inside)
        return env.get_wrapper_attr(name) if hasattr(env, "get_wrapper_attr") else getattr(env, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_own(name) or not self._set_inside(name, value):
            object.__setattr__(self, name, value)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute of the wrapped environment if it exists there; otherwise, set it on this object.

        Args:
            name: the attribute's name.
            value: the attribute's new value.
            force: whether to create the attribute if it does not exist yet.

        Returns:
            Whether the attribute was set.
        """
        if not self._is_own(name) and self._set_inside(name, value):
            return True
        if force or name in vars(self) or hasattr(type(self), name):
            setattr(self, name, value)
            return True
        return False

    def _is_own(self, name: str) -> bool:
        return name in OWN or hasattr(type(self), name) or name in vars(self)

    def _set_inside(self, name: str, value: Any) -> bool:
        """Set an attribute of the wrapped environment if it exists there, and return whether it does."""
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
        """The spec that `make` or `make_vec` has set or, by default, the wrapped environment's converted spec."""
        return vars(self).get("_spec") or self._spec_of(getattr(getattr(self, self._inside), "spec", None))

    @spec.setter
    def spec(self, value: Any) -> None:
        vars(self)["_spec"] = value

    if not TYPE_CHECKING:
        render_mode = forwarded("render_mode")
        np_random = forwarded("np_random")
        np_random_seed = forwarded("np_random_seed")


class ForwardingVector(Forwarding):
    """A `Forwarding` for vector environments that also converts the autoreset mode to this library's enum."""

    _modes: ClassVar[Any]
    """The `AutoresetMode` enum of the library to which this class belongs."""

    if not TYPE_CHECKING:

        @property
        def metadata(self) -> dict[str, Any]:
            """The wrapped environment's metadata, with the converted autoreset mode."""
            return autoreset_mode_in(getattr(self, self._inside).metadata, self._modes)

    @property
    def autoreset_mode(self) -> Any:
        """The converted autoreset mode. Backends have this attribute, too."""
        return self.metadata.get("autoreset_mode")
