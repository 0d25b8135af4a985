"""The command `gymkernel play`. The modules that draw are imported only when the command runs."""

from __future__ import annotations

import json
from typing import Any

import click

from gymkernel.cli.terminal import echo
from gymkernel_util_tools.command_line import Arguments, complete_targets

__all__ = ["command"]


class NoScreen(click.ClickException):
    """Raised if the command is valid, but no display is available to open a window on."""

    exit_code = 2


@click.command("play")
@click.argument("target", shell_complete=complete_targets)
@click.option("--keys", type=Arguments('{"a": 0}'), help='Action for each key: \'{"a": 0, "d": 1}\'.')
@click.option("--noop", metavar="JSON", default="0", show_default=True, help="Action to take while no key is pressed.")
@click.option("--fps", type=click.IntRange(min=1), help="Steps per second [default: the environment's].")
@click.option(
    "--zoom", type=click.FloatRange(min=0, min_open=True), help="Factor by which frames are enlarged in the window."
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed of the first episode.")
@click.option("--wait", is_flag=True, help="Step only while a key is pressed.")
@click.option("--make-kwargs", type=Arguments(), help="Arguments of the environment, as a JSON object.")
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
    """Play an environment with the keyboard. Press ESC to quit.

    TARGET is an environment id (CartPole-v1), or a class or function (module:Class, path.py:Class).

    Exit status: 0 if the game worked, 1 if the environment failed, 2 if there was no environment or no display, 130 if
    interrupted.
    """
    from gymkernel.error import Error
    from gymkernel_tool_play.game import open_display, play
    from gymkernel_tool_play.keys import MissingKeysToAction, keys_or_digits
    from gymkernel_util_tools.command_errors import environment_errors, usage_errors
    from gymkernel_util_tools.targets import find_env

    try:
        noop_action = json.loads(noop)
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
    episodes: list[list[float]] = [[]]  # the rewards of each episode; the last episode is not over

    def count(before: Any, after: Any, action: Any, reward: Any, terminated: bool, truncated: bool, info: Any) -> None:
        episodes[-1].append(float(reward))
        if terminated or truncated:
            episodes.append([])

    for line in _describe_keys(chosen, env):
        echo(line)
    with environment_errors():
        play(
            env,
            fps=fps,
            zoom=zoom,
            callback=count,
            keys_to_action=chosen,
            seed=seed,
            noop=noop_action,
            wait_on_player=wait,
        )
    if episodes != [[]]:
        returns = [f"{sum(rewards):g}" for rewards in episodes[:-1]]
        echo(f"finished episodes: {len(returns)}; returns: {', '.join(returns) or '-'}")


def _describe_keys(keys: dict[tuple[int, ...], Any], env: Any) -> list[str]:
    """Return one line per key that shows the key's action and, if the environment defines it, the action's meaning."""
    import pygame

    has_meanings = env.has_wrapper_attr("get_action_meanings")
    meanings = dict(enumerate(env.get_wrapper_attr("get_action_meanings")())) if has_meanings else {}

    def name(code: int) -> str:
        text = pygame.key.name(code, use_compat=False) or str(code)
        return f"{text.lower()} arrow" if text in {"Left", "Right", "Up", "Down"} else text

    lines = []
    for codes, action in keys.items():
        meaning = meanings.get(action) if isinstance(action, int) else None
        lines.append(f"{' + '.join(map(name, codes)) or 'no key'}: {meaning or f'action {action}'}")
    return [*lines, "ESC: end the game"]
