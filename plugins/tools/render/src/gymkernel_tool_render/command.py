"""The command `gymkernel render`; what renders is imported when it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gymkernel.cli.terminal import Terminal, echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from gymkernel_util_tools.episodes.errors import EpisodeError
    from gymkernel_util_tools.episodes.runner import Episodes
    from gymkernel_util_tools.progress import ProgressBar

__all__ = ["render"]

INTERRUPTED = 130


class NothingToShow(click.ClickException):
    """The command was right, and this terminal shows no pictures."""

    exit_code = 2


@click.command()
@click.argument("target", shell_complete=complete_targets)
@click.option("--out", type=click.Path(dir_okay=False), help="The file: png, mp4, gif, webm, mkv or mov.")
@click.option(
    "--frames", type=click.IntRange(min=1), help="Of a png: how many frames of the run to show, evenly spaced."
)
@click.option(
    "--mode", type=click.Choice(["ansi", "rgb_array"]), help="What a preview shows [default: ansi where there is one]."
)
@click.option(
    "--policy", default="random", show_default=True, metavar="random|MODULE:NAME", help="What chooses the actions."
)
@click.option("--episodes", type=click.IntRange(min=1), help="How many [default: 1, or as many as --steps take].")
@click.option("--steps", type=click.IntRange(min=0), help="Of all episodes, at most [default: 1000; 0 for one frame].")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the first episode [default: drawn].")
@click.option(
    "--fps", type=click.FloatRange(min=0, min_open=True), help="Frames per second [default: the environment's]."
)
@click.option("--make-kwargs", type=Arguments(), default="{}", help="Arguments of the environment, a JSON object.")
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
    """Render an environment to a picture, a video, or the terminal.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    A policy is a function from observation to action, or a class that is made with the environment and called.

    Exit status: 0 done, 1 the environment or the policy failed, 2 there was nothing to render, 130 interrupted.
    """
    from gymkernel.cli.terminal import Terminal
    from gymkernel_tool_render.recording import episodes_for
    from gymkernel_util_tools.command_errors import environment_errors
    from gymkernel_util_tools.episodes.errors import EpisodeError
    from gymkernel_util_tools.episodes.runner import Episodes
    from gymkernel_util_tools.targets import find_policy

    _require_sense(out, frames, mode)
    terminal = Terminal()
    acting = find_policy(policy)
    env = _made(target, make_kwargs, out, mode)
    try:
        if out is None:
            run = Episodes(env, acting, episodes=episodes_for(episodes, steps), seed=seed)
            _preview(terminal, run, steps, fps, target)
        else:
            how = {"episodes": episodes, "steps": steps, "seed": seed, "fps": fps, "frames": frames or 1}
            terminal.write(str(_record(env, out, acting, **how)))
    except EpisodeError as exc:
        terminal.erase()
        _tell(exc, out)
        sys.exit(1)
    except KeyboardInterrupt:
        terminal.erase()
        echo("Interrupted." if out is None else f"Interrupted; {out} has what came before.", err=True)
        sys.exit(INTERRUPTED)
    finally:
        with environment_errors():
            env.close()


def _require_sense(out: str | None, frames: int | None, mode: str | None) -> None:
    """Refuse options that do not go together before an environment is made."""
    if out is None and frames is not None:
        raise click.UsageError("--frames is for a contact sheet; pass --out FILE.png, too")
    if out is not None and mode == "ansi":
        raise click.UsageError("--mode ansi is for the terminal; leave out --out")


def _made(target: str, make_kwargs: dict[str, Any], out: str | None, mode: str | None) -> Any:
    from gymkernel_tool_render.modes import PICTURES, made_to_render
    from gymkernel_util_tools.command_errors import usage_errors
    from gymkernel_util_tools.targets import find_env

    wanted = PICTURES if out is not None or mode == "rgb_array" else ("ansi",) if mode else ("ansi", *PICTURES)
    with usage_errors("TARGET"):
        return made_to_render(find_env(target, make_kwargs), wanted)


def _record(env: Any, out: str, policy: Any, **how: Any) -> Any:
    """What `record` wrote; meanwhile a bar shows how much is done."""
    from gymkernel.error import DependencyNotInstalled
    from gymkernel_tool_render.recording import record
    from gymkernel_util_tools.progress import ProgressBar

    try:
        with ProgressBar() as bar:
            return record(env, out, policy, notify=_noting(bar, how["steps"]) if bar.terminal.live else None, **how)
    except (ValueError, TypeError, DependencyNotInstalled, OSError) as exc:
        raise click.UsageError(str(exc)) from exc


def _noting(bar: ProgressBar, steps: int | None) -> Callable[[Episodes], None]:
    """What shows how much of a recording is done: of its steps, or of its episodes where these end before."""
    from gymkernel_tool_render.preview import caption
    from gymkernel_tool_render.recording import LONGEST

    most, taken = max(LONGEST if steps is None else steps, 1), 0

    def note(run: Episodes) -> None:
        nonlocal taken
        taken += run.step > 0
        if bar.due:
            bar.update(max(taken / most, run.done / run.episodes if run.episodes else 0.0), caption(run))

    return note


def _preview(terminal: Terminal, run: Episodes, steps: int | None, fps: float | None, target: str) -> None:
    from gymkernel_tool_render.blocks import colours
    from gymkernel_tool_render.preview import Pace, show_pictures, show_text
    from gymkernel_tool_render.recording import frames_per_second

    pace = Pace(frames_per_second(run.env, fps))
    if run.env.render_mode == "ansi":
        show_text(terminal, run, steps, pace)
        return
    bits = colours(terminal)
    if not bits:
        name = Path(target.rpartition(":")[2] or "frame").name
        raise NothingToShow(
            "A preview of pictures needs a terminal with 256 colours or more; COLORTERM=truecolor says that it has "
            f"them. To write a file: gymkernel render {target} --out {name}.png"
        )
    show_pictures(terminal, run, steps, pace, bits)


def _tell(exc: EpisodeError, out: str | None) -> None:
    """Say what failed, with the traceback of the environment or the policy."""
    from gymkernel_util_tools.command_errors import show_traceback

    show_traceback(exc.cause)
    kept = f"; {out} has the frames before" if out is not None and Path(out).exists() else ""
    echo(f"Error: {exc}{kept}", err=True)
