"""Test the arguments, the counts and the report of `rollout`."""

from __future__ import annotations

import json
import math
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel.error import DependencyNotInstalled
from gymkernel.specs import EnvSpec
from gymkernel.utils.episodes import EpisodeError
from gymkernel.utils.rollout import Report, rollout
from gymkernel_tool_rollout.records import Episode, Summary

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self


def test_returns_and_lengths_are_reported(count: Any) -> None:
    report = rollout(count.Count(), count.two, 4, seed=0)
    assert report.returns.tolist() == [2.0, 4.0, 6.0, 2.0]
    assert report.lengths.tolist() == [1, 2, 3, 1]
    assert (report.steps, report.asked, report.env, report.policy, report.seed) == (7, 4, "Count", "two", 0)


def test_policy_class_is_created_with_the_environment(count: Any) -> None:
    report = rollout(count.Count(), count.Rising, 3, seed=0)
    assert report.returns.tolist() == [0.0, 1.0, 3.0]
    assert report.policy == "Rising"


def test_random_actions_follow_the_seed(count: Any) -> None:
    one, two, other = (rollout(count.Count(), episodes=20, seed=seed) for seed in (5, 5, 6))
    assert one.episodes == two.episodes
    assert one.returns.tolist()[1:] == other.returns.tolist()[:-1]
    assert len(set(one.returns)) > 2


def test_ends_of_episodes_are_counted(count: Any) -> None:
    assert rollout(count.Count(), episodes=3, seed=0).ended == {"terminated": 3, "truncated": 0, "cut": 0}
    assert rollout(count.Count(truncates=True), episodes=3, seed=0).ended["truncated"] == 3
    report = rollout(count.Count(), episodes=3, seed=0, max_steps=2)
    assert [episode.ended for episode in report.episodes] == ["terminated", "terminated", "cut"]
    assert report.lengths.tolist() == [1, 2, 2]


def test_existing_environment_is_not_closed(count: Any) -> None:
    env = count.Count()
    rollout(env, episodes=1)
    assert env.closed == 0


@pytest.mark.parametrize("how", ["word", "class", "function", "spec"])
def test_accepted_environment_arguments(count: Any, how: str) -> None:
    made = []

    def make(**kwargs: Any) -> Any:
        made.append(count.Count(**kwargs))
        return made[-1]

    spec = EnvSpec("Count-v3", entry_point=make, order_enforce=False, disable_env_checker=True)
    env, name = {
        "word": ("count_here:Count", "count_here:Count"),
        "class": (count.Count, "Count"),
        "function": (make, make.__qualname__),
        "spec": (spec, "Count-v3"),
    }[how]
    report = rollout(env, count.two, 2, seed=0, make_kwargs={"truncates": True})
    assert (report.env, report.ended["truncated"]) == (name, 2)
    assert all(item.closed == 1 for item in made)


def test_environment_is_closed_after_a_failure(count: Any) -> None:
    made = []

    def make() -> Any:
        made.append(count.Count(fails_at=1))
        return made[0]

    with pytest.raises(
        EpisodeError, match=r"^step failed in episode 0, step 1 \(seed 0, action 2\): RuntimeError: out"
    ):
        rollout(make, count.two, seed=0)
    assert made[0].closed == 1


def test_non_numeric_reward_raises(count: Any) -> None:
    with pytest.raises(EpisodeError, match=r"step 1 .*Expected the reward to be a number, got array\(\[1, 2\]\)"):
        rollout(count.Count(reward=np.array([1, 2])), seed=0)


def test_numpy_rewards_are_accepted(count: Any) -> None:
    report = rollout(count.Count(reward=np.float32(0.5)), episodes=1, seed=2)
    assert report.episodes == [Episode(0, 2, 1.5, 3, "terminated")]
    json.loads(report.to_json())


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"episodes": 0}, "at least one episode"),
        ({"max_steps": 0}, "max_steps to be at least 1"),
        ({"make_kwargs": {"reward": 1.0}}, "is already an environment"),
    ],
)
def test_invalid_arguments_are_rejected(count: Any, arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rollout(count.Count(), **arguments)


def test_invalid_environment_arguments_are_rejected() -> None:
    with pytest.raises(TypeError, match="Expected an environment, an id"):
        rollout(3)


def test_progress_is_reported_after_every_reset_and_step(count: Any) -> None:
    reports = []
    rollout(
        count.Count(), episodes=2, seed=0, notify=lambda report, run: reports.append((len(report.episodes), run.step))
    )
    assert reports == [(0, 0), (1, 1), (1, 0), (1, 1), (2, 2)]


class TestVideo:
    @pytest.fixture
    def frames(self, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """Replace the video writer, and return a list of its calls."""
        kept: list[Any] = []

        class Writer:
            def __init__(self, path: Path, fps: float) -> None:
                kept.extend([path.name, fps])

            def __enter__(self) -> Self:
                return self

            def __exit__(self, *reasons: object) -> None:
                kept.append("closed")

            def write(self, frame: Any) -> None:
                kept.append(int(frame[0, 0, 0]) // 10)

        monkeypatch.setitem(sys.modules, "gymkernel.utils.video", SimpleNamespace(VideoWriter=Writer))
        return kept

    def test_every_frame_is_recorded(self, count: Any, frames: list[Any]) -> None:
        report = rollout(count.Count, episodes=3, seed=0, video="a.mp4")
        assert frames == ["a.mp4", 5, 0, 1, 0, 1, 2, 0, 1, 2, 3, "closed"]
        assert report.video == "a.mp4"

    def test_first_episodes_are_recorded(self, count: Any, frames: list[Any]) -> None:
        rollout(count.Count, episodes=3, seed=0, video="a.mp4", video_episodes=1, fps=9)
        assert frames == ["a.mp4", 9, 0, 1, "closed"]

    def test_video_is_finished_after_a_failure(self, count: Any, frames: list[Any]) -> None:
        with pytest.raises(EpisodeError):
            rollout(count.Count, episodes=3, seed=0, video="a.mp4", make_kwargs={"fails_at": 2})
        assert frames == ["a.mp4", 5, 0, 1, 0, "closed"]

    def test_environment_is_created_with_a_render_mode(self, count: Any, frames: list[Any]) -> None:
        modes = []

        def make(render_mode: str) -> Any:
            modes.append(render_mode)
            return count.Count()

        rollout(make, episodes=1, video="a.mp4")
        assert modes == ["rgb_array"]

    def test_missing_encoder_is_reported(self, count: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "gymkernel.utils.video", None)
        with pytest.raises(DependencyNotInstalled, match=r"pip install 'gymkernel-tool-rollout\[video\]'"):
            rollout(count.Count, video="a.mp4")

    def test_video_can_be_decoded(self, count: Any, here: Path) -> None:
        av = pytest.importorskip("av", reason="the extra video")
        rollout(count.Count, episodes=3, seed=0, video=here / "a.mp4")
        with av.open(str(here / "a.mp4")) as video:
            brightness = [round(float(item.to_ndarray(format="rgb24").mean()) / 10) for item in video.decode(video=0)]
        assert brightness == [0, 1, 0, 1, 2, 0, 1, 2, 3]


class TestReport:
    def report(self, *totals: float) -> Report:
        episodes = [Episode(i, i, total, i + 1, "terminated") for i, total in enumerate(totals)]
        return Report("toy", "random", 0, asked=len(totals), episodes=episodes)

    def test_summaries(self) -> None:
        found = self.report(1.0, 2.0, 3.0, 4.0, 10.0).summary()
        assert (found.mean, found.min, found.max) == (4.0, 1.0, 10.0)
        assert found.std == pytest.approx(math.sqrt(10.0))
        assert found.quantiles == pytest.approx({0.05: 1.2, 0.25: 2.0, 0.5: 3.0, 0.75: 4.0, 0.95: 8.8})
        assert self.report(1.0, 2.0).summary("length") == Summary.of([1, 2])

    def test_summary_has_no_other_fields(self) -> None:
        with pytest.raises(ValueError, match="Expected 'return' or 'length', got 'reward'"):
            self.report(1.0).summary("reward")

    def test_report_as_json(self) -> None:
        found = json.loads(self.report(1.0, 2.0).to_json())
        assert set(found) == {
            *("schema", "env", "policy", "seed", "max_steps", "asked", "returns", "lengths", "ended", "steps"),
            *("seconds", "steps_per_second", "episodes", "video", "problem", "interrupted"),
        }
        assert found["schema"] == "gymkernel.rollout/1"
        assert found["episodes"][1] == {"number": 1, "seed": 1, "return": 2.0, "length": 2, "ended": "terminated"}
        assert set(found["returns"]["quantiles"]) == {"0.05", "0.25", "0.5", "0.75", "0.95"}

    @pytest.mark.parametrize("totals", [(), (math.nan, 1.0), (math.inf, -math.inf), (math.inf, math.inf)])
    def test_json_contains_no_nan(self, totals: tuple[float, ...]) -> None:
        found = json.loads(self.report(*totals).to_json())
        assert found["returns"]["mean"] is None
        assert [episode["return"] for episode in found["episodes"]] == [
            None if not math.isfinite(total) else total for total in totals
        ]
