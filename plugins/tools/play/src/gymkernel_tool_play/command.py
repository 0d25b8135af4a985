"""The command `gymkernel play`; what draws is imported when it runs."""

from __future__ import annotations

import json
from typing import Any

import click

from gymkernel.cli.terminal import echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

__all__ = ["command"]


class NoScreen(click.ClickException):
    """The command was right, and there is nothing to show a window on."""

    exit_code = 2


@click.command("play")
@click.argument("target", shell_complete=complete_targets)
@click.option("--keys", type=Arguments('{"a": 0}'), help='Actions by keys: \'{"a": 0, "d": 1}\'.')
@click.option("--noop", metavar="JSON", default="0", show_default=True, help="The action while nothing is pressed.")
@click.option("--fps", type=click.IntRange(min=1), help="Steps per second [default: the environment's].")
@click.option("--zoom", type=click.FloatRange(min=0, min_open=True), help="Factor of the window over the frames.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the first episode.")
@click.option("--wait", is_flag=True, help="Step only while a key is pressed.")
@click.option("--make-kwargs", type=Arguments(), help="Arguments of the environment, a JSON object.")
def command(
    target: str,
    keys: dict[str, Any] | None,
    noop: str,
    fps: int | None,
    zoom: float | None,
    seed: int | None,
    wait: bool,
    make_kwargs: dict[str, Any] | None,
) -> None:
    """Play an environment with the keyboard; ESC ends it.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    Exit status: 0 done, 1 the environment failed, 2 there was nothing to play or no screen, 130 interrupted.
    """
    from gymkernel.error import Error
    from gymkernel_tool_play.game import open_display
    from gymkernel_tool_play.keys import MissingKeysToAction, keys_or_digits
    from gymkernel_tool_play.loop import play
    from gymkernel_util_tools.command_errors import environment_errors, usage_errors
    from gymkernel_util_tools.targets import find_env

    try:
        doing_nothing = json.loads(noop)
    except ValueError as exc:
        raise click.BadParameter(f"Expected JSON, for example 0 or [0.0], got {noop!r}", param_hint="--noop") from exc
    with usage_errors("TARGET"):
        env = find_env(target, make_kwargs).make(render_mode="rgb_array")
    try:
        chosen = keys_or_digits(env, keys)
        open_display()
    except (MissingKeysToAction, TypeError, ValueError) as exc:
        env.close()
        raise click.UsageError(str(exc)) from exc
    except Error as exc:
        env.close()
        raise NoScreen(str(exc)) from exc
    tally, returned, stepped = _tally()
    for line in _lines(chosen):
        echo(line)
    with environment_errors():
        play(
            env,
            fps=fps,
            zoom=zoom,
            callback=tally,
            keys_to_action=chosen,
            seed=seed,
            noop=doing_nothing,
            wait_on_player=wait,
        )
    if stepped:
        echo(f"episodes that ended: {len(returned)}; returns: {', '.join(f'{one:g}' for one in returned) or '-'}")


def _tally() -> tuple[Any, list[float], list[int]]:
    """What counts the returns of episodes: a callback, the returns, and something that is not empty after a step."""
    returned: list[float] = []
    stepped: list[int] = []
    total = 0.0

    def count(before: Any, after: Any, action: Any, reward: Any, terminated: bool, truncated: bool, info: Any) -> None:
        nonlocal total
        total += float(reward)
        stepped[:] = [1]
        if terminated or truncated:
            returned.append(total)
            total = 0.0

    return count, returned, stepped


def _lines(keys: dict[tuple[int, ...], Any]) -> list[str]:
    """The keys and their actions, for people."""
    import pygame

    def name(codes: tuple[int, ...]) -> str:
        return " + ".join(pygame.key.name(code, use_compat=False) or str(code) for code in codes) or "nothing"

    return [f"keys: {', '.join(f'{name(codes)}: {action}' for codes, action in keys.items())}", "ESC ends the game"]
