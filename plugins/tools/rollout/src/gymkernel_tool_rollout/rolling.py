"""The function `rollout`, which runs a policy for a number of episodes in one environment and reports the results."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gymkernel.error import DependencyNotInstalled
from gymkernel.specs import EnvSpec
from gymkernel_tool_rollout.records import Episode, Report
from gymkernel_util_tools.episodes import EpisodeError, Episodes
from gymkernel_util_tools.targets import EnvTarget, find_env

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

__all__ = ["name_of_policy", "rollout"]


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
    """Run a policy for a number of episodes, and return a report of their returns and lengths.

    Args:
        env: an environment, or a description of one: an id, `module:Class`, `path.py:Class`, a spec, a class or a
            function. A given environment is not closed. An environment that this function creates from a description is
            closed at the end.
        policy: "random", a function that takes an observation and returns an action, or a class. A class is
            instantiated with the environment, and the instance is called with each observation; see
            `gymkernel.utils.episodes.Episodes`.
        episodes: the number of episodes to run.
        seed: the seed of the first episode; None for a random seed. Each further episode has a seed that is greater by
            one.
        max_steps: the maximum number of steps per episode, after which the episode is cut; None for no additional
            limit.
        make_kwargs: keyword arguments for the environment's constructor.
        video: the path of the video file to record (mp4, gif, webm, mkv or mov); None to record no video.
        video_episodes: the number of episodes to record; None for all episodes.
        fps: the video's frames per second; None for `metadata["render_fps"]`, or 30 if the metadata has no such key.
        name: the environment's name in the report; None for its id or class name.
        notify: a function that is called after every reset and step with the report so far and the `Episodes` object.

    Raises:
        ValueError: if an argument is invalid, for example if the number of episodes is below 1.
        DependencyNotInstalled: if a video was requested, but gymkernel-util-video is not installed.
        EpisodeError: if the environment or the policy failed. The message names the episode and the step.

    >>> class Coin:
    ...     def reset(self, *, seed=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, float(action), True, False, {}
    >>> rollout(Coin(), lambda observation: 1, episodes=3, seed=0).returns
    array([1., 1., 1.])
    """
    _check_arguments(env, episodes, max_steps, make_kwargs)
    with _open(env, make_kwargs, render=video is not None) as (opened, default_name):
        run = Episodes(opened, policy, episodes=episodes, max_steps=max_steps, seed=seed)
        report = Report(name or default_name, name_of_policy(policy), run.first_seed, max_steps, episodes)
        with _open_video(opened, video, video_episodes, fps) as write_frames:
            _run(run, report, write_frames, notify)
    report.video = None if video is None else str(video)
    return report


@contextlib.contextmanager
def _open(env: Any, make_kwargs: dict[str, Any] | None, *, render: bool) -> Iterator[tuple[Any, str]]:
    """Yield an environment and its name. Close the environment at the end if it was created here."""
    if _is_env(env):
        yield env, _name(env)
        return
    target = _target(env, make_kwargs)
    with contextlib.closing(target.make(**({"render_mode": "rgb_array"} if render else {}))) as new_env:
        yield new_env, target.name


def _run(
    run: Episodes,
    report: Report,
    write_frames: Callable[[Episodes], Any] | None,
    notify: Callable[[Report, Episodes], Any] | None,
) -> None:
    start, total = time.perf_counter(), 0.0
    for _ in run:
        if run.step:
            total += _reward(run)
            report.steps += 1
        else:
            total = 0.0
        if run.ended:
            ended = "terminated" if run.terminated else "truncated" if run.truncated else "cut"
            report.episodes.append(Episode(run.episode, run.seed, total, run.step, ended))
        if write_frames is not None:
            write_frames(run)
        report.seconds = time.perf_counter() - start
        if notify is not None:
            notify(report, run)


def _reward(run: Episodes) -> float:
    try:
        return float(run.reward)
    except (TypeError, ValueError) as exc:
        cause = TypeError(f"Expected the reward to be a number, got {run.reward!r}")
        raise EpisodeError("step", run.episode, run.step, run.seed, run.action, cause) from exc


def _check_arguments(env: Any, episodes: int, max_steps: int | None, make_kwargs: dict[str, Any] | None) -> None:
    if episodes < 1:
        raise ValueError(f"Expected at least one episode, got episodes={episodes!r}")
    if max_steps is not None and max_steps < 1:
        raise ValueError(f"Expected max_steps to be at least 1, got {max_steps!r}")
    if make_kwargs and _is_env(env):
        raise ValueError(f"make_kwargs are arguments for creating an environment, but {env} is already an environment")


def _is_env(env: Any) -> bool:
    return not isinstance(env, str | type) and hasattr(env, "reset") and hasattr(env, "step")


def _target(env: Any, make_kwargs: dict[str, Any] | None) -> EnvTarget:
    if isinstance(env, str):
        return find_env(env, make_kwargs)
    if isinstance(env, EnvSpec):
        return EnvTarget(env.id, env, make_kwargs or {})
    if not callable(env):
        raise TypeError(f"Expected an environment, an id, a spec, a class or a function, got {env!r}")
    return EnvTarget(getattr(env, "__qualname__", repr(env)), env, make_kwargs or {})


def _name(env: Any) -> str:
    spec = getattr(env, "spec", None)
    return str(spec.id) if spec is not None else type(getattr(env, "unwrapped", env)).__qualname__


def name_of_policy(policy: Any) -> str:
    """Return the name of a policy for the report.

    Args:
        policy: any policy that `rollout` accepts.
    """
    return policy if isinstance(policy, str) else str(getattr(policy, "__qualname__", type(policy).__qualname__))


@contextlib.contextmanager
def _open_video(env: Any, video: str | PathLike[str] | None, episodes: int | None, fps: float | None) -> Any:
    """Yield a function that writes an `Episodes` object's frames to a video, or None if no video was requested."""
    if video is None:
        yield None
        return
    try:
        from gymkernel.utils.video import VideoWriter
    except ImportError as exc:
        message = "Recording a video requires gymkernel-util-video; run: pip install 'gymkernel-tool-rollout[video]'"
        raise DependencyNotInstalled(message) from exc
    rate = fps or (getattr(env, "metadata", None) or {}).get("render_fps") or 30
    with VideoWriter(Path(video), rate) as writer:

        def write_frames(run: Episodes) -> None:
            if episodes is None or run.episode < episodes:
                for frame in run.frames():
                    writer.write(frame)

        yield write_frames
