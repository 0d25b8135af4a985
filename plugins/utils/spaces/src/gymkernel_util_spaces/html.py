"""Functions that create the HTML with which notebooks display spaces, environments and lists of frames."""

from __future__ import annotations

import contextlib
import html
import re
from typing import Any, Final

import numpy as np

from gymkernel.utils.printable import printable
from gymkernel_util_spaces.pictures import image, player

__all__ = ["card", "shown", "tree"]

COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")
"""A pattern that matches the colour codes in rendered text."""
PICTURES: Final = 8
"""The maximum number of frames that are shown for a vector environment."""

LONGEST = 160
"""The maximum number of characters in the display of a single space, because a large Box would fill the page."""


def tree(space: Any, label: str = "") -> str:
    """Return a space and its inner spaces as nested, collapsible HTML lists.

    Args:
        space: the space to show. An object without a `parts` method is shown on a single line.
        label: a label to show in bold before the space, such as its key in the outer space.

    Returns:
        HTML that needs no style sheet.

    >>> class Pair:
    ...     def parts(self):
    ...         return [("left", 1), ("right", 2)]
    >>> tree(Pair())
    '<details open><summary>Pair</summary><ul><li><b>left</b>: <code>1</code></li><li><b>right</b>: ...'
    """
    name = f"<b>{_escape(label)}</b>: " if label else ""
    parts = space.parts() if hasattr(space, "parts") else ()
    if parts:
        rows = "".join(f"<li>{tree(part, str(key))}</li>" for key, part in parts)
        return f"<details open><summary>{name}{_escape(type(space).__name__)}</summary><ul>{rows}</ul></details>"
    text = " ".join(repr(space).split())
    return f"{name}<code>{_escape(text if len(text) <= LONGEST else text[: LONGEST - 3] + '...')}</code>"


def shown(thing: Any) -> str:
    """Return the HTML for a space, an environment, a vector environment or a list of frames.

    Args:
        thing: the object to show.

    >>> shown([])
    ''
    """
    if isinstance(thing, list):
        return _pictures(thing, getattr(thing, "fps", 30.0))
    return card(thing) if hasattr(thing, "reset") and hasattr(thing, "step") else tree(thing)


def card(env: Any) -> str:
    """Return an environment's id, wrappers and spaces as HTML, together with the current frame if there is one.

    Args:
        env: an environment, with or without wrappers.

    >>> class Still:
    ...     observation_space, action_space, render_mode = "a space", "another", None
    >>> card(Still())
    '<div><b>Still</b><table><tr><td style="text-align:left">observation</td><td ...</table></div>'
    """
    layers = [env]
    while (inside := getattr(layers[-1], "env", None)) is not None and inside is not layers[-1]:
        layers.append(inside)
    spec = getattr(env, "spec", None)
    name = type(layers[-1]).__name__ if spec is None else spec.id
    rows = {"observation": tree(_single(env, "observation_space")), "action": tree(_single(env, "action_space"))}
    if hasattr(env, "num_envs"):
        rows = {"environments": str(env.num_envs), **rows}
    if len(layers) > 1 or spec is not None:
        rows["layers"] = _escape(", ".join(type(layer).__name__ for layer in layers))
    if env.render_mode is not None:
        rows["render mode"] = _escape(str(env.render_mode))
    cell = '<td style="text-align:left">'
    table = "".join(f"<tr>{cell}{label}</td>{cell}{value}</td></tr>" for label, value in rows.items())
    return f"<div><b>{_escape(name)}</b><table>{table}</table>{_current_picture(env, layers)}</div>"


def _single(env: Any, space: str) -> Any:
    return getattr(env, f"single_{space}", None) or getattr(env, space, None)


def _current_picture(env: Any, layers: list[Any]) -> str:
    """Return the current frame of an environment as HTML, or "" if there is no frame."""
    with contextlib.suppress(Exception):  # if rendering fails, the rest is still shown
        stored = [vars(layer)[name] for layer in layers for name in ("frame_list", "picture") if name in vars(layer)]
        if not stored and env.render_mode is None:
            return ""  # without a render mode, calling render would cause a warning
        frame = stored[0] if stored else env.render()
        if frame is None or isinstance(frame, str):
            return f"<pre>{_escape(COLOUR.sub('', frame))}</pre>" if frame else ""
        if hasattr(env, "num_envs") and isinstance(frame, tuple):
            return "".join(_pictures([picture], 1.0) for picture in frame[:PICTURES] if picture is not None)
        metadata = getattr(env, "metadata", None) or {}
        return _pictures(frame if isinstance(frame, list) else [frame], metadata.get("render_fps") or 30.0)
    return ""


def _pictures(pictures: list[Any], fps: float) -> str:
    """Return a player for several images, an image element for a single image, or text for any other frames."""
    images = [picture for picture in pictures if isinstance(picture, np.ndarray) and picture.dtype == np.uint8]
    if not images or len(images) < len(pictures):
        return "".join(f"<pre>{_escape(COLOUR.sub('', str(picture)))}</pre>" for picture in pictures[:PICTURES])
    return player(images, fps) if len(images) > 1 else image(images[0])


def _escape(text: str) -> str:
    """Escape untrusted text for HTML, and replace control characters and bidirectional marks with escape sequences."""
    return html.escape(printable(text, keep="\n\t"))
