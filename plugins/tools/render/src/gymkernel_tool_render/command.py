"""The command `gymkernel render`. The modules that render are imported only when the command runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gymkernel.cli.terminal import Terminal, echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from gymkernel_util_tools.episodes import EpisodeError, Episodes
    from gymkernel_util_tools.progress import ProgressBar
    from gymkernel_util_tools.targets import EnvTarget

__all__ = ["render"]

INTERRUPTED = 130
PICTURES = ("rgb_array", "rgb_array_list")


class NothingToShow(click.ClickException):
    """Raised if the command is valid, but the terminal cannot show images."""

    exit_code = 2


@click.command()
@click.argument("target", shell_complete=complete_targets)
@click.option("--out", type=click.Path(dir_okay=False), help="Output file: png, mp4, gif, webm, mkv or mov.")
@click.option("--frames", type=click.IntRange(min=1), help="Number of evenly spaced frames to show in a png.")
@click.option(
    "--mode", type=click.Choice(["ansi", "rgb_array"]), help="Render mode of the preview [default: ansi if possible]."
)
@click.option(
    "--policy",
    default="random",
    show_default=True,
    metavar="random|MODULE:NAME",
    help="Policy that chooses the actions.",
)
@click.option(
    "--episodes", type=click.IntRange(min=1), help="Number of episodes [default: 1, or unlimited with --steps]."
)
@click.option(
    "--steps", type=click.IntRange(min=0), help="Maximum total number of steps [default: 1000; 0 for one frame]."
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the first episode [default: random].")
@click.option(
    "--fps", type=click.FloatRange(min=0, min_open=True), help="Frames per second [default: the environment's]."
)
@click.option("--make-kwargs", type=Arguments(), default="{}", help="Arguments of the environment, as a JSON object.")
def render(
    target: str,
    out: str | None,
    frames: int | None,
    mode: str | None,
    policy: str,
    episodes: int | None,
    steps: int | None,
    seed: int | None,
    fps: float | None,
    make_kwargs: dict[str, Any],
) -> None:
    """Render an environment to an image, a video, or the terminal.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    A policy is either a function that takes an observation and returns an action, or a class that is instantiated with
    the environment and whose instance is then called like such a function.

    Exit status: 0 if the rendering worked, 1 if the environment or the policy failed, 2 if there was nothing to render,
    130 if interrupted.
    """
    from gymkernel_tool_render.recording import episodes_for
    from gymkernel_util_tools.command_errors import environment_errors
    from gymkernel_util_tools.episodes import EpisodeError, Episodes
    from gymkernel_util_tools.targets import find_policy

    if out is None and frames is not None:
        raise click.UsageError("--frames creates a contact sheet; also pass --out FILE.png")
    if out is not None and mode == "ansi":
        raise click.UsageError("--mode ansi only works in the terminal; remove --out")
    terminal = Terminal()
    chosen = find_policy(policy)
    env = _make_env(target, make_kwargs, out, mode)
    try:
        if out is None:
            run = Episodes(env, chosen, episodes=episodes_for(episodes, steps), seed=seed)
            _preview(terminal, run, steps, fps, target)
        else:
            how = {"episodes": episodes, "steps": steps, "seed": seed, "fps": fps, "frames": frames or 1}
            terminal.write(str(_record(env, out, chosen, **how)))
    except EpisodeError as exc:
        terminal.erase()
        _report(exc, out)
        sys.exit(1)
    except KeyboardInterrupt:
        terminal.erase()
        echo("Interrupted." if out is None else f"Interrupted; {out} contains the frames up to that point.", err=True)
        sys.exit(INTERRUPTED)
    finally:
        with environment_errors():
            env.close()


def _make_env(target: str, make_kwargs: dict[str, Any], out: str | None, mode: str | None) -> Any:
    """Create the environment with the first acceptable render mode that it supports."""
    from gymkernel.error import UnsupportedMode
    from gymkernel_util_tools.command_errors import usage_errors
    from gymkernel_util_tools.targets import find_env

    wanted = PICTURES if out is not None or mode == "rgb_array" else ("ansi",) if mode else ("ansi", *PICTURES)
    with usage_errors("TARGET"):
        found = find_env(target, make_kwargs)
        modes = _render_modes(found)
        for name in wanted:
            if name in modes:
                return found.make(render_mode=name)
        offered = f"its render modes are {', '.join(modes)}" if modes else "its metadata has no render_modes"
        raise UnsupportedMode(f"{target} cannot be rendered as {' or '.join(wanted)}: {offered}")


def _render_modes(target: EnvTarget) -> list[str]:
    """Return the render modes in an environment's metadata.

    If the class has no such metadata, an instance is created to read its metadata.
    """
    from gymkernel.registration import load_env_creator

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


def _record(env: Any, out: str, policy: Any, **how: Any) -> Any:
    """Record a file while showing a progress bar, and return a description of the file."""
    from gymkernel.error import DependencyNotInstalled
    from gymkernel_tool_render.recording import record
    from gymkernel_util_tools.progress import ProgressBar

    try:
        with ProgressBar() as bar:
            return record(
                env, out, policy, notify=_progress_callback(bar, how["steps"]) if bar.terminal.live else None, **how
            )
    except (ValueError, TypeError, DependencyNotInstalled, OSError) as exc:
        raise click.UsageError(str(exc)) from exc


def _progress_callback(bar: ProgressBar, steps: int | None) -> Callable[[Episodes], None]:
    """Return a callback that shows the progress of a recording, in steps or episodes, whichever is further along."""
    from gymkernel_tool_render.preview import caption
    from gymkernel_tool_render.recording import LONGEST

    limit, taken = max(LONGEST if steps is None else steps, 1), 0

    def show(run: Episodes) -> None:
        nonlocal taken
        taken += run.step > 0
        if bar.due:
            bar.update(max(taken / limit, run.done / run.episodes if run.episodes else 0.0), caption(run))

    return show


def _preview(terminal: Terminal, run: Episodes, steps: int | None, fps: float | None, target: str) -> None:
    from gymkernel_tool_render.preview import Pace, colours, show_pictures, show_text
    from gymkernel_tool_render.recording import frames_per_second

    pace = Pace(frames_per_second(run.env, fps))
    if run.env.render_mode == "ansi":
        show_text(terminal, run, steps, pace)
        return
    bits = colours(terminal)
    if not bits:
        name = Path(target.rpartition(":")[2] or "frame").name
        raise NothingToShow(
            "Previewing images requires a terminal with at least 256 colours. If yours supports them, set "
            f"COLORTERM=truecolor. To write a file instead, run: gymkernel render {target} --out {name}.png"
        )
    show_pictures(terminal, run, steps, pace, bits)


def _report(exc: EpisodeError, out: str | None) -> None:
    """Report a failure of the environment or the policy, including its traceback."""
    from gymkernel_util_tools.command_errors import show_traceback

    show_traceback(exc.cause)
    kept = f"; {out} contains the frames up to that point" if out is not None and Path(out).exists() else ""
    echo(f"Error: {exc}{kept}", err=True)
