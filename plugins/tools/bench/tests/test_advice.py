"""What is recommended, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_tool_bench import measure

if TYPE_CHECKING:
    from gymkernel_tool_bench import Recommendation


def advice(lab: Any, *backends: Any, num_envs: list[int], env: dict[str, Any] | None = None) -> Recommendation:
    report = measure(lab.target(*backends, **(env or {})), num_envs=num_envs, meters=lab.world.meters, seconds=0.5)
    assert report.recommendation is not None
    return report.recommendation


def test_nothing_measured_nothing_recommended(lab: Any) -> None:
    assert measure(lab.target(), meters=lab.world.meters).recommendation is None


def test_the_fastest(lab: Any) -> None:
    found = advice(lab, lab.sync(), lab.workers(), num_envs=[8])
    assert (found.backend, found.num_envs, found.workers) == ("async", 8, 2)
    assert found.code == "make(async, 8, {'num_workers': 2})"
    assert found.sentence == (
        "Take async, 8 environments, 2 workers: 1.95 k steps/s, 1.95 times as fast as a plain loop, because a step "
        "takes 1.00 ms and 2 workers compute at the same time at 98% of what 2 cores allow for."
    )


def test_the_fewest_environments_that_come_near_the_best(lab: Any) -> None:
    assert advice(lab, lab.workers(), num_envs=[8, 64, 256]).num_envs == 8


def test_no_worker_where_steps_are_cheap(lab: Any) -> None:
    found = advice(lab, lab.sync(seconds=1e-6), lab.workers(seconds=1e-6), num_envs=[8], env={"seconds": 1e-6})
    assert found.backend == "sync"
    assert found.sentence.endswith("because a step takes 1.00 us, less than handing it to another process.")


def test_more_workers_than_cores_where_steps_wait(lab: Any) -> None:
    found = advice(lab, lab.sync(), lab.workers(), num_envs=[64], env={"share": 0.02})
    assert found.workers == 64
    assert "98% of a step is waiting, and 64 workers wait at the same time" in found.sentence


def test_beside_an_own_vectorised_form_the_best_backend_for_those_who_need_wrappers(lab: Any) -> None:
    found = advice(lab, lab.own(), lab.sync(), num_envs=[8])
    assert found.backend == "vector_entry_point"
    assert found.otherwise is not None
    assert found.otherwise.sentence.startswith("Where each environment needs wrappers, take sync, 8 environments:")


def test_slower_than_a_plain_loop_is_said(lab: Any) -> None:
    found = advice(lab, lab.sync(seconds=2e-3), num_envs=[8])
    assert "0.50 times as fast as a plain loop, which makes no batches, because" in found.sentence


def test_workers_that_win_nothing_where_they_should_are_wondered_at(lab: Any) -> None:
    found = advice(lab, lab.sync(), lab.workers(seconds=3e-3), num_envs=[8])
    assert found.sentence.endswith(
        "because workers won nothing here, although a step takes 1.00 ms: were the cores free?"
    )
