"""Test which backend and how many workers the benchmark recommends, and how it explains this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_tool_bench import measure

if TYPE_CHECKING:
    from gymkernel_tool_bench import Progress, Recommendation


def advice(lab: Any, *backends: Any, num_envs: list[int], env: dict[str, Any] | None = None) -> Recommendation:
    report = measure(lab.target(*backends, **(env or {})), num_envs=num_envs, meters=lab.world.meters, seconds=0.5)
    assert report.recommendation is not None
    return report.recommendation


def test_no_measurement_gives_no_recommendation(lab: Any) -> None:
    assert measure(lab.target(), meters=lab.world.meters).recommendation is None


def test_fastest_case_is_recommended(lab: Any) -> None:
    recommendation = advice(lab, lab.sync(), lab.workers(), num_envs=[8])
    assert (recommendation.backend, recommendation.num_envs, recommendation.workers) == ("async", 8, 2)
    assert recommendation.code == "make(async, 8, {'num_workers': 2})"
    assert recommendation.sentence == (
        "Use async, 8 environments, 2 workers: 1.95 k steps/s, 1.95 times as fast as a plain loop, because a step "
        "takes 1.00 ms and 2 workers compute at the same time, at 98% of the speed that 2 cores allow."
    )


def test_fewest_environments_near_the_best_are_recommended(lab: Any) -> None:
    assert advice(lab, lab.workers(), num_envs=[8, 64, 256]).num_envs == 8


def test_cheap_steps_need_no_worker(lab: Any) -> None:
    recommendation = advice(lab, lab.sync(seconds=1e-6), lab.workers(seconds=1e-6), num_envs=[8], env={"seconds": 1e-6})
    assert recommendation.backend == "sync"
    assert recommendation.sentence.endswith(
        "because a step takes 1.00 us, which is less than the time for sending it to another process."
    )


def test_waiting_steps_get_more_workers_than_cores(lab: Any) -> None:
    recommendation = advice(lab, lab.sync(), lab.workers(), num_envs=[64], env={"share": 0.02})
    assert recommendation.workers == 64
    assert "98% of a step is spent waiting, and 64 workers wait at the same time" in recommendation.sentence


def test_second_recommendation_for_environments_with_wrappers(lab: Any) -> None:
    recommendation = advice(lab, lab.own(), lab.sync(), num_envs=[8])
    assert recommendation.backend == "vector_entry_point"
    assert recommendation.otherwise is not None
    assert recommendation.otherwise.sentence.startswith("If each environment needs wrappers, use sync, 8 environments:")


def test_no_backend_that_is_slower_than_the_plain_loop_is_recommended(lab: Any) -> None:
    slow = lab.sync(seconds=2e-3)
    assert measure(lab.target(slow), num_envs=[8], meters=lab.world.meters, seconds=0.5).recommendation is None
    assert advice(lab, lab.own(), slow, num_envs=[8]).otherwise is None


def test_interrupted_run_recommends_nothing(lab: Any) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.now.startswith("sync, 64"):
            raise KeyboardInterrupt

    target = lab.target(lab.workers(), lab.sync())
    report = measure(target, num_envs=[8, 64], meters=lab.world.meters, seconds=0.5, notify=interrupt)
    assert report.interrupted
    assert report.measured
    assert report.recommendation is None


def test_the_sentence_asks_about_free_cores_if_workers_should_have_been_faster(lab: Any) -> None:
    recommendation = advice(lab, lab.sync(), lab.workers(seconds=3e-3), num_envs=[8])
    assert recommendation.sentence.endswith(
        "because workers were not faster here, although a step takes 1.00 ms: were the cores free?"
    )
