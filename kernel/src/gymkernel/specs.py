"""`EnvSpec` and `WrapperSpec`: how to make an environment, and how to put a wrapper on, as records."""

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
    """What makes an environment."""

    def __call__(self, *args: Any, **kwargs: Any) -> EnvLike[Any, Any]: ...  # noqa: D102 - that is all it has


class VectorEnvCreator(Protocol):
    """What makes a vector environment."""

    def __call__(self, *args: Any, **kwargs: Any) -> VectorEnvLike[Any, Any]: ...  # noqa: D102 - that is all it has


class _Base:
    """The first base of a spec, beside which the companion of another library can put that library's class."""


@dataclass
class WrapperSpec(_Base):
    """How to put a wrapper on: its name, `module:Class`, and arguments (None: it did not record them).

    Attributes:
        name: of the class, for people.
        entry_point: where the class is: `module:Class`.
        kwargs: its arguments but for the environment, such as JSON can hold; None where the wrapper did not record
            them, so that it cannot be made again.
    """

    name: str
    entry_point: str
    kwargs: dict[str, Any] | None


@dataclass
class EnvSpec(_Base):
    """How to make an environment.

    Attributes:
        id: `[namespace/]name[-vN]`.
        entry_point: what makes one environment: a callable, or `module:attribute`.
        reward_threshold: mean return at which the task counts as solved.
        nondeterministic: whether equal seeds and actions may give different trajectories.
        max_episode_steps: steps after which `TimeLimit` truncates; None for no limit.
        order_enforce: whether `make` adds `OrderEnforcing`.
        disable_env_checker: whether `make` leaves out `PassiveEnvChecker`.
        kwargs: arguments of the entry point.
        additional_wrappers: wrappers that `make` puts on last.
        vector_entry_point: what makes `num_envs` environments at once: a callable, or `module:attribute`.
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
        """Take the id apart."""
        self.additional_wrappers = tuple(self.additional_wrappers)
        self.namespace, self.name, self.version = parse_env_id(self.id)

    def make(self, **kwargs: Any) -> Any:
        """Make the environment by `gymkernel.make`, which is the adapter of this method.

        Args:
            **kwargs: the options of `make`, and arguments of the environment, which override those of the spec.
        """
        (make,) = plugins.load_all("adapters", ["gymkernel.specs.EnvSpec.make"], "specs make nothing")
        return make(self, **kwargs)

    def to_json(self) -> str:
        """The spec as JSON; a ValueError names the field that has no such form (a callable, say)."""
        import json

        fields = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.init}
        fields["additional_wrappers"] = [vars(wrapper) for wrapper in self.additional_wrappers]
        for name, value in fields.items():
            try:
                json.dumps(value)
            except TypeError as exc:
                message = f"{name} of the spec of {self.id} cannot be written as JSON: {value!r} ({exc})"
                raise ValueError(message) from exc
        return json.dumps(fields)

    @staticmethod
    def from_json(json_env_spec: str) -> EnvSpec:
        """The spec that `to_json` wrote.

        Args:
            json_env_spec: a text of JSON.

        Raises:
            ValueError: it is no such text.
        """
        import json

        try:
            fields = json.loads(json_env_spec)
            wrappers = tuple(WrapperSpec(**wrapper) for wrapper in fields.pop("additional_wrappers", ()))
            return EnvSpec(**fields, additional_wrappers=wrappers)
        except (TypeError, ValueError, AttributeError) as exc:
            raise ValueError(f"Expected the JSON that EnvSpec.to_json writes, got {json_env_spec!r}: {exc}") from exc

    def pprint(
        self, disable_print: bool = False, include_entry_points: bool = False, print_all: bool = False
    ) -> str | None:
        """Print what differs from the defaults, one field a line; or return it where `disable_print`.

        Args:
            disable_print: return the text.
            include_entry_points: with the entry points of environment and wrappers.
            print_all: with the fields that have their default values.
        """
        lines = [f"id={self.id}"]
        for one in dataclasses.fields(self):
            value, default = getattr(self, one.name), {"order_enforce": True, "kwargs": {}, "additional_wrappers": ()}
            if one.name == "id" or not one.init or (one.name.endswith("entry_point") and not include_entry_points):
                continue
            if one.name == "additional_wrappers" and value:
                applied = [f"  {w.name}({w.kwargs})" + f" {w.entry_point}" * include_entry_points for w in value]
                lines += ["additional_wrappers:", *applied]
            elif print_all or value != default.get(one.name, one.default):
                lines.append(f"{one.name}={value}")
        return shown("\n".join(lines), disable_print)


def shown(text: str, disable_print: bool) -> str | None:
    """Print a text, or return it where `disable_print`.

    Args:
        text: of any number of lines.
        disable_print: whether to return it instead.
    """
    if disable_print:
        return text
    from gymkernel.utils.printable import printable

    sys.stdout.write(printable(f"{text}\n", keep="\n"))
    return None
