"""`rollout`: episodes of a policy, counted."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymkernel.error import DependencyNotInstalled
from gymkernel.specs import EnvSpec
from gymkernel_tool_rollout.records import Episode, Report
from gymkernel_util_tools.episodes.errors import EpisodeError
from gymkernel_util_tools.episodes.runner import Episodes
from gymkernel_util_tools.targets import EnvTarget, find_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

__all__ = ["rollout"]


def rollout(
    env: Any,
    policy: str | Callable[..., Any] = "random",
    episodes: int = 10,
    *,
    seed: int | None = None,
    max_steps: int | None = None,
    make_kwargs: dict[str, Any] | None = None,
    video: str | PathLike[str] | None = None,
    video_episodes: int | None = None,
    fps: float | None = None,
    name: str | None = None,
    notify: Callable[[Report, Episodes], Any] | None = None,
) -> Report:
    """Run a policy for some episodes, and gather their returns and lengths.

    Args:
        env: an environment, which is not closed; or what makes one, which is: an id, `module:Class`, `path.py:Class`, a
            spec, a class or a function.
        policy: "random"; a function from observation to action; or a class, which is made with the environment and then
            called with observations (see `gymkernel.utils.episodes.Episodes`).
        episodes: how many.
        seed: of the first episode; each further one has the next number. None for one that is drawn.
        max_steps: cuts episodes that are longer.
        make_kwargs: for the environment's constructor.
        video: a file (mp4, gif, webm, mkv, mov) of the episodes, one after the other.
        video_episodes: how many of them it shows; None for all.
        fps: frames per second of the video; None for `metadata["render_fps"]`, else 30.
        name: what the report calls the environment; None for its id or class.
        notify: called after every reset and step.

    Raises:
        ValueError: an argument that has no sense, such as no episode.
        DependencyNotInstalled: a video without gymkernel-util-video.
        EpisodeError: environment or policy failed; it says where.

    >>> class Coin:
    ...     def reset(self, *, seed=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, float(action), True, False, {}
    >>> rollout(Coin(), lambda observation: 1, episodes=3, seed=0).returns
    array([1., 1., 1.])
    """
    _require_sense(env, episodes, max_steps, make_kwargs)
    with _opened(env, make_kwargs, drawn=video is not None) as (opened, called):
        run = Episodes(opened, policy, episodes=episodes, max_steps=max_steps, seed=seed)
        report = Report(name or called, _name_of_policy(policy), run.first_seed, max_steps, episodes)
        with _film(opened, video, video_episodes, fps) as filming:
            _roll(run, report, filming, notify)
    report.video = None if video is None else str(video)
    return report


@contextlib.contextmanager
def _opened(env: Any, make_kwargs: dict[str, Any] | None, *, drawn: bool) -> Iterator[tuple[Any, str]]:
    """An environment and its name; one that is made here is closed at the end."""
    if _is_env(env):
        yield env, _name(env)
        return
    target = _target(env, make_kwargs)
    with contextlib.closing(target.make(**({"render_mode": "rgb_array"} if drawn else {}))) as made:
        yield made, target.name


def _roll(
    run: Episodes,
    report: Report,
    filming: Callable[[Episodes], Any] | None,
    notify: Callable[[Report, Episodes], Any] | None,
) -> None:
    start, total = time.perf_counter(), 0.0
    for _ in run:
        if run.step:
            total += _number(run)
            report.steps += 1
        else:
            total = 0.0
        if run.ended:
            ended = "terminated" if run.terminated else "truncated" if run.truncated else "cut"
            report.episodes.append(Episode(run.episode, run.seed, total, run.step, ended))
        if filming is not None:
            filming(run)
        report.seconds = time.perf_counter() - start
        if notify is not None:
            notify(report, run)


def _number(run: Episodes) -> float:
    try:
        return float(run.reward)
    except (TypeError, ValueError) as exc:
        cause = TypeError(f"Expected a reward that is a number, got {run.reward!r}")
        raise EpisodeError("step", run.episode, run.step, run.seed, run.action, cause) from exc


def _require_sense(env: Any, episodes: int, max_steps: int | None, make_kwargs: dict[str, Any] | None) -> None:
    if episodes < 1:
        raise ValueError(f"Expected at least one episode, got episodes={episodes!r}")
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"Expected a max_steps of at least 1, got {max_steps!r}")
    if make_kwargs and _is_env(env):
        raise ValueError(f"make_kwargs are for what makes an environment; {env} is one already")


def _is_env(env: Any) -> bool:
    return not isinstance(env, str | type) and hasattr(env, "reset") and hasattr(env, "step")


def _target(env: Any, make_kwargs: dict[str, Any] | None) -> EnvTarget:
    if isinstance(env, str):
        return find_env(env, make_kwargs)
    if isinstance(env, EnvSpec):
        return EnvTarget(env.id, env, make_kwargs or {})
    if not callable(env):
        raise TypeError(f"Expected an environment, or an id, spec, class or function that makes one, got {env!r}")
    return EnvTarget(getattr(env, "__qualname__", repr(env)), env, make_kwargs or {})


def _name(env: Any) -> str:
    spec = getattr(env, "spec", None)
    return str(spec.id) if spec is not None else type(getattr(env, "unwrapped", env)).__qualname__


def _name_of_policy(policy: Any) -> str:
    if isinstance(policy, str):
        return policy
    return str(getattr(policy, "__qualname__", type(policy).__qualname__))


@contextlib.contextmanager
def _film(env: Any, video: str | PathLike[str] | None, episodes: int | None, fps: float | None) -> Any:
    """What takes pictures of a run; None where there is no video."""
    if video is None:
        yield None
        return
    try:
        from gymkernel.utils.video import VideoWriter
    except ImportError as exc:
        message = "A video is encoded by gymkernel-util-video; run: pip install 'gymkernel-tool-rollout[video]'"
        raise DependencyNotInstalled(message) from exc
    rate = fps or (getattr(env, "metadata", None) or {}).get("render_fps") or 30
    with VideoWriter(Path(video), rate) as writer:

        def shoot(run: Episodes) -> None:
            if episodes is None or run.episode < episodes:
                for picture in run.frames():
                    writer.write(picture)

        yield shoot
