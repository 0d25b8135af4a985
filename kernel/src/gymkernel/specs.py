"""The classes `EnvSpec` and `WrapperSpec`, which describe how to create an environment and how to apply a wrapper."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from gymkernel import plugins
from gymkernel.ids import parse_env_id

if TYPE_CHECKING:
    from gymkernel.protocols import EnvLike, VectorEnvLike

__all__ = ["EnvCreator", "EnvSpec", "VectorEnvCreator", "WrapperSpec", "shown"]


class EnvCreator(Protocol):
    """A callable that creates an environment."""

    def __call__(self, *args: Any, **kwargs: Any) -> EnvLike[Any, Any]: ...  # noqa: D102 - the class documents its only method


class VectorEnvCreator(Protocol):
    """A callable that creates a vector environment."""

    def __call__(self, *args: Any, **kwargs: Any) -> VectorEnvLike[Any, Any]: ...  # noqa: D102 - the class documents its only method


class _Base:
    """A base class through which companion plugins make specs inherit from classes of other libraries."""


@dataclass
class WrapperSpec(_Base):
    """A description of a wrapper, from which the wrapper can be applied to another environment.

    Attributes:
        name: the name of the class, for display.
        entry_point: the import path of the class, `module:Class`.
        kwargs: the constructor arguments, except the environment, as JSON-compatible values. If the wrapper has not
            recorded its arguments, this is None, and the wrapper cannot be applied again.
    """

    name: str
    entry_point: str
    kwargs: dict[str, Any] | None


@dataclass
class EnvSpec(_Base):
    """A description of an environment, from which `make` creates the environment and its wrappers.

    Attributes:
        id: the environment id, `[namespace/]name[-vN]`.
        entry_point: a callable that creates an environment, or its import path, `module:attribute`.
        reward_threshold: the mean return at which the task is considered solved.
        nondeterministic: whether the same seed and actions may lead to different trajectories.
        max_episode_steps: the number of steps after which `TimeLimit` truncates an episode, or None for no limit.
        order_enforce: whether `make` adds `OrderEnforcing`.
        disable_env_checker: whether `make` omits `PassiveEnvChecker`.
        kwargs: the keyword arguments for the entry point.
        additional_wrappers: the wrappers that `make` applies last.
        vector_entry_point: a callable that creates a vector environment, or its import path, `module:attribute`.
        namespace, name, version: the parts of the id.

    >>> EnvSpec.from_json(EnvSpec("lab/Maze-v2", "lab.maze:Maze", kwargs={"size": 5}).to_json()).version
    2
    """

    id: str
    entry_point: EnvCreator | str | None = None
    reward_threshold: float | None = None
    nondeterministic: bool = False
    max_episode_steps: int | None = None
    order_enforce: bool = True
    disable_env_checker: bool = False
    kwargs: dict[str, Any] = field(default_factory=dict)
    namespace: str | None = field(init=False)
    name: str = field(init=False)
    version: int | None = field(init=False)
    additional_wrappers: tuple[WrapperSpec, ...] = ()
    vector_entry_point: VectorEnvCreator | str | None = None

    def __post_init__(self) -> None:
        """Set `namespace`, `name` and `version`."""
        self.additional_wrappers = tuple(self.additional_wrappers)
        self.namespace, self.name, self.version = parse_env_id(self.id)

    def make(self, **kwargs: Any) -> Any:
        """Create the environment with `gymkernel.make`.

        Args:
            **kwargs: arguments of `make`, and arguments for the environment, which take precedence over the arguments
                in the spec.
        """
        (make,) = plugins.load_all("adapters", ["gymkernel.specs.EnvSpec.make"], "specs make nothing")
        return make(self, **kwargs)

    def to_json(self) -> str:
        """Convert the spec to JSON.

        Raises:
            ValueError: if a value, such as a function, cannot be represented in JSON.
        """
        import json

        fields = {item.name: getattr(self, item.name) for item in dataclasses.fields(self) if item.init}
        fields["additional_wrappers"] = [vars(wrapper) for wrapper in self.additional_wrappers]
        for name, value in fields.items():
            try:
                json.dumps(value)
            except TypeError as exc:
                message = f"{name} in the spec of {self.id} cannot be written as JSON: {value!r} ({exc})"
                raise ValueError(message) from exc
        return json.dumps(fields)

    @staticmethod
    def from_json(json_env_spec: str) -> EnvSpec:
        """Create a spec from the result of `to_json`.

        Args:
            json_env_spec: the JSON text.

        Raises:
            ValueError: if the text is not the JSON representation of a spec.
        """
        import json

        try:
            fields = json.loads(json_env_spec)
            wrappers = tuple(WrapperSpec(**wrapper) for wrapper in fields.pop("additional_wrappers", ()))
            return EnvSpec(**fields, additional_wrappers=wrappers)
        except (TypeError, ValueError, AttributeError) as exc:
            raise ValueError(f"Expected the result of EnvSpec.to_json, got {json_env_spec!r}: {exc}") from exc

    def pprint(
        self, disable_print: bool = False, include_entry_points: bool = False, print_all: bool = False
    ) -> str | None:
        """Print the fields of the spec, one per line.

        Args:
            disable_print: whether to return the text instead of printing it.
            include_entry_points: whether to include the entry points of the environment and the wrappers.
            print_all: whether to include fields that have their default value.
        """
        lines = [f"id={self.id}"]
        for item in dataclasses.fields(self):
            value, default = getattr(self, item.name), {"order_enforce": True, "kwargs": {}, "additional_wrappers": ()}
            if item.name == "id" or not item.init or (item.name.endswith("entry_point") and not include_entry_points):
                continue
            if item.name == "additional_wrappers" and value:
                applied = [f"  {w.name}({w.kwargs})" + f" {w.entry_point}" * include_entry_points for w in value]
                lines += ["additional_wrappers:", *applied]
            elif print_all or value != default.get(item.name, item.default):
                lines.append(f"{item.name}={value}")
        return shown("\n".join(lines), disable_print)


def shown(text: str, disable_print: bool) -> str | None:
    """Print a text or return it.

    Args:
        text: the text, which may have several lines.
        disable_print: whether to return the text instead of printing it.
    """
    if disable_print:
        return text
    from gymkernel.utils.printable import printable

    sys.stdout.write(printable(f"{text}\n", keep="\n"))
    return None
