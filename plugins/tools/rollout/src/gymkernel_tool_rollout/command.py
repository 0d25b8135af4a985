"""The command `gymkernel rollout`. Modules that are not needed to show its help text are imported inside functions."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gymkernel.cli.terminal import echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_tool_rollout.records import Report
    from gymkernel_tool_rollout.text import Display
    from gymkernel_util_tools.episodes import Episodes

__all__ = ["command"]

INTERRUPTED: Final = 130
TERMINAL: Final = "-"
"""The value of `--plot` if the user names no file."""


def _check_plot(ctx: click.Context, param: click.Parameter, plot: str | None) -> str | None:
    """Check that a plot can be drawn, before the first episode starts."""
    from gymkernel.error import DependencyNotInstalled
    from gymkernel_tool_rollout.plot import FORMATS, load_matplotlib

    if plot is None or plot == TERMINAL:
        return plot
    if Path(plot).suffix.lower() not in FORMATS:
        raise click.BadParameter(
            f"Expected a file that ends with {', '.join(FORMATS)}, got {plot!r}; to show a chart in the "
            "terminal, pass --plot after the target"
        )
    try:
        load_matplotlib()
    except DependencyNotInstalled as exc:
        raise click.UsageError(str(exc)) from exc
    return plot


@click.command("rollout")
@click.argument("target", shell_complete=complete_targets)
@click.option("--episodes", type=click.IntRange(min=1), default=10, show_default=True, help="Number of episodes.")
@click.option(
    "--policy",
    default="random",
    show_default=True,
    metavar="random|MODULE:NAME",
    help="Policy that chooses the actions.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed of the first episode, increased by one for each further episode [default: random].",
)
@click.option("--max-steps", type=click.IntRange(min=1), help="Cut episodes after this many steps.")
@click.option("--make-kwargs", type=Arguments(), default="{}", help="Arguments of the environment, as a JSON object.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Format of the report.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the report to a file.")
@click.option(
    "--plot",
    is_flag=False,
    flag_value=TERMINAL,
    metavar="[FILE]",
    callback=_check_plot,
    help="Chart of the returns by episode, in the terminal or in a png, svg or pdf file.",
)
@click.option("--video", type=click.Path(dir_okay=False), help="Record a video: mp4, gif, webm, mkv or mov.")
@click.option("--video-episodes", type=click.IntRange(min=1), help="Number of recorded episodes [default: all].")
@click.option(
    "--engine",
    type=click.Choice(["sync", "async", "ray"]),
    help="Run many environments at once: in this process, in several processes, or in a Ray cluster.",
)
@click.option("--num-envs", type=click.IntRange(min=1), help="Number of environments, with --engine [default: 8].")
@click.option(
    "--num-shards",
    type=click.IntRange(min=1),
    help="Number of shards among which the environments are divided, with --engine [default: one per core].",
)
def command(
    target: str,
    episodes: int,
    policy: str,
    seed: int | None,
    max_steps: int | None,
    make_kwargs: dict[str, Any],
    form: str,
    output: str | None,
    plot: str | None,
    video: str | None,
    video_episodes: int | None,
    engine: str | None,
    num_envs: int | None,
    num_shards: int | None,
) -> None:
    """Run a policy for a number of episodes, and summarize their returns and lengths.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    A policy is either a function that takes an observation and returns an action, or a class that is instantiated with
    the environment and whose instance is then called like such a function.

    With --engine, many environments run the same episodes at the same time.

    Exit status: 0 if all episodes ended, 1 if the environment or the policy failed, 2 if an argument was invalid, 130
    if interrupted. After a failure, the results up to that point are shown.
    """
    from gymkernel.cli.terminal import Terminal
    from gymkernel_tool_rollout.text import Display
    from gymkernel_util_tools.command_errors import environment_errors, usage_errors
    from gymkernel_util_tools.targets import find_env, find_policy

    policy_object = find_policy(policy)
    if engine is None and (num_envs or num_shards):
        raise click.UsageError("--num-envs and --num-shards need --engine, for example --engine async")
    if engine is not None and video is not None:
        raise click.UsageError("A video shows a single environment, but --engine runs several; use only one of the two")
    display = Display(Terminal(sys.stderr))
    with usage_errors("TARGET"), contextlib.redirect_stdout(sys.stderr):
        env_target = find_env(target, make_kwargs)
        env = env_target.make() if video is None else env_target.make(render_mode="rgb_array")
        if engine is not None:
            # The environment shows only that the target is valid. An engine creates its own environments.
            env.close()
    run: Callable[..., Report]
    if engine is None:
        from gymkernel_tool_rollout.rolling import rollout

        run = partial(rollout, env, video=video, video_episodes=video_episodes, name=target)
    else:
        from gymkernel_tool_rollout.sharded import rollout_in_shards

        run = partial(rollout_in_shards, env_target, engine=engine, num_envs=num_envs, num_shards=num_shards)
    try:
        run = partial(run, policy=policy_object, episodes=episodes, seed=seed, max_steps=max_steps)
        report, failure = _run(run, display)
    finally:
        display.bar.erase()
        if engine is None:
            with environment_errors(), contextlib.redirect_stdout(sys.stderr):
                env.close()
    if report is not None:
        report.policy, report.video = policy, video
        _write(report, form, output, plot)
    if failure is not None:
        echo(f"Error: {failure}", err=True)
        sys.exit(1)
    sys.exit(INTERRUPTED if report is None or report.interrupted else 0)


def _run(run: Callable[..., Report], display: Display) -> tuple[Report | None, Exception | None]:
    """Run the episodes. Return the report, which may be incomplete, and the failure, if any.

    Anything that the environment or the policy prints is written to standard error.
    """
    from gymkernel.error import DependencyNotInstalled, Error
    from gymkernel_util_tools.command_errors import show_traceback
    from gymkernel_util_tools.episodes import EpisodeError

    last: Report | None = None

    def notify(report: Report, episodes: Episodes | None = None) -> None:
        nonlocal last
        last = report
        display.progress(report, episodes)

    try:
        with contextlib.redirect_stdout(sys.stderr):
            return run(notify=notify), None
    except (DependencyNotInstalled, ValueError, TypeError) as exc:
        raise click.UsageError(str(exc)) from exc
    except Error as exc:
        if last is not None:
            last.problem = str(exc)
        if isinstance(exc, EpisodeError):
            show_traceback(exc.cause)
        return last, exc
    except OSError as exc:
        raise click.UsageError(str(exc)) from exc
    except KeyboardInterrupt:
        if last is not None:
            last.interrupted = True
        return last, None


def _write(report: Report, form: str, output: str | None, plot: str | None) -> None:
    """Write the report to a file or to standard output, and write the plot to its own file."""
    from gymkernel.cli.terminal import Terminal
    from gymkernel_tool_rollout.plot import save_plot
    from gymkernel_tool_rollout.text import Display

    charted = plot == TERMINAL
    with contextlib.ExitStack() as stack:
        stream = sys.stdout
        if output is not None:
            Path(output).parent.mkdir(parents=True, exist_ok=True)
            stream = stack.enter_context(Path(output).open("w", encoding="utf-8"))
        if form == "json":
            stream.write(f"{report.to_json()}\n")
        else:
            Display(Terminal(stream)).show(report, charted=charted)
    if plot is not None and not charted and report.episodes:
        save_plot(report, plot)
