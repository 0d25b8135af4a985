"""Functions that find an environment's render modes, and create the environment with one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gymkernel.error import UnsupportedMode
from gymkernel.registration import load_env_creator

if TYPE_CHECKING:
    from gymkernel_util_tools.targets import EnvTarget

__all__ = ["PICTURES", "make_to_render", "render_modes"]

PICTURES = ("rgb_array", "rgb_array_list")


def render_modes(target: EnvTarget) -> list[str]:
    """Return the render modes in an environment's metadata.

    If the class has no such metadata, an instance is created to read its metadata.

    Args:
        target: the environment.
    """
    spec = target.spec
    creator: Any = target.source
    if spec is not None:
        entry = spec.entry_point
        creator = load_env_creator(entry) if isinstance(entry, str) else entry
    metadata = getattr(creator, "metadata", None)
    if not isinstance(metadata, dict) or not isinstance(creator, type) or "render_modes" not in metadata:
        env = target.make()
        metadata = env.metadata
        env.close()
    return [str(mode) for mode in metadata.get("render_modes", ()) if mode is not None]


def make_to_render(target: EnvTarget, wanted: Sequence[str]) -> Any:
    """Create an environment with the first of the given render modes that it supports.

    Args:
        target: the environment.
        wanted: the acceptable render modes, in order of preference.

    Raises:
        UnsupportedMode: if the environment does not support any of the modes.
    """
    modes = render_modes(target)
    for mode in wanted:
        if mode in modes:
            return target.make(render_mode=mode)
    offered = f"its render modes are {', '.join(modes)}" if modes else "its metadata has no render_modes"
    raise UnsupportedMode(f"{target.name} cannot be rendered as {' or '.join(wanted)}: {offered}")
