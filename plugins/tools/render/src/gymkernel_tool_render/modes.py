"""What an environment offers to render, and an environment that renders it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gymkernel.error import UnsupportedMode
from gymkernel.registration import load_env_creator

if TYPE_CHECKING:
    from gymkernel_util_tools.targets import EnvTarget

__all__ = ["PICTURES", "made_to_render", "render_modes"]

PICTURES = ("rgb_array", "rgb_array_list")


def render_modes(target: EnvTarget) -> list[str]:
    """The render modes that the metadata of an environment names; it is made where its class does not tell."""
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


def made_to_render(target: EnvTarget, wanted: Sequence[str]) -> Any:
    """The environment in the first render mode of those wanted that it has.

    Raises:
        UnsupportedMode: it has none of them.
    """
    modes = render_modes(target)
    for mode in wanted:
        if mode in modes:
            return target.make(render_mode=mode)
    offered = f"its render modes are {', '.join(modes)}" if modes else "its metadata names no render_modes"
    raise UnsupportedMode(f"{target.name} cannot be rendered as {' or '.join(wanted)}: {offered}")
