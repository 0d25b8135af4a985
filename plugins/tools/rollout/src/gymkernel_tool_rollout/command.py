"""The command `gymkernel rollout`; what runs is imported when it runs."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from gymkernel.cli.terminal import echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

if TYPE_CHECKING:
    from gymkernel_tool_rollout.records import Report
    from gymkernel_tool_rollout.text import Display
    from gymkernel_util_tools.episodes.runner import Episodes

__all__ = ["command"]

INTERRUPTED: Final = 130
TERMINAL: Final = "-"
"""What `--plot` means without a file."""


def _plot(ctx: click.Context, param: click.Parameter, plot: str | None) -> str | None:
    """Refuse a plot that cannot be drawn, before an episode is run."""
    from gymkernel.error import DependencyNotInstalled
    from gymkernel_tool_rollout.plot import FORMATS, load_matplotlib

    if plot is None or plot == TERMINAL:
        return plot
    if Path(plot).suffix.lower() not in FORMATS:
        raise click.BadParameter(
            f"Expected a file that ends with {', '.join(FORMATS)}, got {plot!r}; write --plot behind the target for a "
            "chart in the terminal"
        )
    try:
        load_matplotlib()
    except DependencyNotInstalled as exc:
        raise click.UsageError(str(exc)) from exc
    return plot


@click.command("rollout")
@click.argument("target", shell_complete=complete_targets)
@click.option("--episodes", type=click.IntRange(min=1), default=10, show_default=True, help="How many.")
@click.option(
    "--policy", default="random", show_default=True, metavar="random|MODULE:NAME", help="What chooses the actions."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Seed of the first episode; the others have the next numbers [default: drawn].",
)
@click.option("--max-steps", type=click.IntRange(min=1), help="Cut longer episodes.")
@click.option("--make-kwargs", type=Arguments(), default="{}", help="Arguments of the environment, a JSON object.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to write the report.")
@click.option("--output", type=click.Path(dir_okay=False), help="Write the report to a file.")
@click.option(
    "--plot",
    is_flag=False,
    flag_value=TERMINAL,
    metavar="[FILE]",
    callback=_plot,
    help="Chart the returns by episode: here, or in a png, svg or pdf.",
)
@click.option("--video", type=click.Path(dir_okay=False), help="Record: mp4, gif, webm, mkv or mov.")
@click.option("--video-episodes", type=click.IntRange(min=1), help="Record only so many [default: all].")
@click.option(
    "--engine",
    type=click.Choice(["sync", "async", "ray"]),
    help="Run many environments at once: here, in processes of this machine, or in those of a Ray cluster.",
)
@click.option("--num-envs", type=click.IntRange(min=1), help="With --engine: how many environments [default: 8].")
@click.option(
    "--num-shards",
    type=click.IntRange(min=1),
    help="With --engine: how many shards the environments are divided among [default: one each core].",
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
    """Run a policy for some episodes, and sum up returns and lengths.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    A policy is a function from observation to action, or a class that is made with the environment and called.

    With --engine the episodes are the same ones, run by many environments at once.

    Exit status: 0 done, 1 the environment or the policy failed, 2 there was nothing to run, 130 interrupted. What came
    before a failure is shown.
    """
    from gymkernel.cli.terminal import Terminal
    from gymkernel_tool_rollout.text import Display
    from gymkernel_util_tools.command_errors import environment_errors
    from gymkernel_util_tools.targets import find_policy

    acting = find_policy(policy)
    if engine is None and (num_envs or num_shards):
        raise click.UsageError("--num-envs and --num-shards are for --engine; name one, for example --engine async")
    if engine is not None and video is not None:
        raise click.UsageError("A video shows one environment, and --engine runs many; leave out one of the two")
    display = Display(Terminal(sys.stderr))
    how: dict[str, Any] = {"seed": seed, "max_steps": max_steps}
    if engine is not None:
        how |= {"engine": engine, "num_envs": num_envs, "num_shards": num_shards}
        try:
            report, failure = _in_shards(target, make_kwargs, acting, episodes, how, display)
        finally:
            display.bar.erase()
    else:
        env = _made(target, make_kwargs, drawn=video is not None)
        how |= {"video": video, "video_episodes": video_episodes, "name": target}
        try:
            report, failure = _rolled(env, acting, episodes, how, display)
        finally:
            display.bar.erase()
            with environment_errors(), contextlib.redirect_stdout(sys.stderr):
                env.close()
    if report is not None:
        report.policy, report.video = policy, video
        _write(report, form, output, plot)
    if failure is not None:
        echo(f"Error: {failure}", err=True)
        sys.exit(1)
    sys.exit(INTERRUPTED if report is None or report.interrupted else 0)


def _in_shards(
    target: str,
    make_kwargs: dict[str, Any],
    acting: Any,
    episodes: int,
    how: dict[str, Any],
    display: Display,
) -> tuple[Report | None, Exception | None]:
    """The report of episodes run by an engine, also of what there was before a failure, and what failed."""
    from gymkernel.error import DependencyNotInstalled, Error
    from gymkernel_tool_rollout.sharded import rollout_in_shards
    from gymkernel_util_tools.command_errors import show_traceback, usage_errors
    from gymkernel_util_tools.episodes.errors import EpisodeError
    from gymkernel_util_tools.targets import find_env

    with usage_errors("TARGET"), contextlib.redirect_stdout(sys.stderr):
        found = find_env(target, make_kwargs)
        found.make().close()  # what cannot be made is told here, as without an engine
    seen: list[Report] = []

    def notify(report: Report) -> None:
        seen[:] = [report]
        display.progress(report)

    try:
        with contextlib.redirect_stdout(sys.stderr):
            return rollout_in_shards(found, acting, episodes, notify=notify, **how), None
    except (DependencyNotInstalled, ValueError, TypeError) as exc:
        raise click.UsageError(str(exc)) from exc
    except Error as exc:
        for report in seen:
            report.problem = str(exc)
        if isinstance(exc, EpisodeError):
            show_traceback(exc.cause)
        return next(iter(seen), None), exc
    except KeyboardInterrupt:
        for report in seen:
            report.interrupted = True
        return next(iter(seen), None), None


def _rolled(
    env: Any, policy: Any, episodes: int, how: dict[str, Any], display: Display
) -> tuple[Report | None, Exception | None]:
    """The report, also of a rollout that ended early, and what failed; what is printed meanwhile goes to stderr."""
    from gymkernel.error import DependencyNotInstalled
    from gymkernel_tool_rollout.rolling import rollout
    from gymkernel_util_tools.command_errors import show_traceback
    from gymkernel_util_tools.episodes.errors import EpisodeError

    seen: list[Report] = []

    def notify(report: Report, run: Episodes) -> None:
        seen[:] = [report]
        display.progress(report, run)

    try:
        with contextlib.redirect_stdout(sys.stderr):
            return rollout(env, policy, episodes, notify=notify, **how), None
    except EpisodeError as exc:
        for report in seen:
            report.problem = str(exc)
        show_traceback(exc.cause)
        return next(iter(seen), None), exc
    except KeyboardInterrupt:
        for report in seen:
            report.interrupted = True
        return next(iter(seen), None), None
    except (ValueError, TypeError, DependencyNotInstalled, OSError) as exc:
        raise click.UsageError(str(exc)) from exc


def _made(target: str, make_kwargs: dict[str, Any], *, drawn: bool) -> Any:
    from gymkernel_util_tools.command_errors import usage_errors
    from gymkernel_util_tools.targets import find_env

    with usage_errors("TARGET"), contextlib.redirect_stdout(sys.stderr):
        found = find_env(target, make_kwargs)
        return found.make(render_mode="rgb_array") if drawn else found.make()


def _write(report: Report, form: str, output: str | None, plot: str | None) -> None:
    """Write the report to standard output or a file, and the plot to its own."""
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
