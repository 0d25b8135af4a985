"""Test `measure` with a simulated clock, so that all figures are exact and repeatable."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel_tool_bench import Backend, measure
from gymkernel_tool_bench.plan import ROUNDS

if TYPE_CHECKING:
    from gymkernel_tool_bench import Progress, Report, Target


def run(lab: Any, target: Target, **options: Any) -> Report:
    return measure(target, meters=lab.world.meters, **options)


def states(report: Report) -> dict[str, str]:
    return {case.label: case.state for case in report.cases}


def test_plain_environment_is_measured_first(lab: Any) -> None:
    alone = run(lab, lab.target()).alone
    assert alone is not None
    assert alone.steps_per_second == pytest.approx(1000)
    assert [alone.step_median, alone.step_p95, alone.reset_median] == pytest.approx([1e-3] * 3)
    assert [alone.construct, alone.construct_first] == pytest.approx([0.01, 0.01])
    assert alone.cpu_share == pytest.approx(1)
    assert alone.memory_bytes == 1000


def test_cpu_time_distinguishes_waiting_from_computing(lab: Any) -> None:
    alone = run(lab, lab.target(share=0.1)).alone
    assert alone is not None
    assert alone.waits
    assert alone.cpu_share == pytest.approx(0.1, abs=0.1)


def test_every_backend_is_measured_with_every_number_of_envs(lab: Any) -> None:
    report = run(lab, lab.target(lab.own(), lab.sync(), lab.workers()), num_envs=[8, 1], workers=[2, 1])
    assert [(case.num_envs, case.backend, case.workers) for case in report.cases] == [
        (1, "vector_entry_point", None),
        (1, "sync", None),
        (1, "async", 1),
        (8, "vector_entry_point", None),
        (8, "sync", None),
        (8, "async", 1),
        (8, "async", 2),
    ]
    assert set(states(report).values()) == {"measured"}


def test_case_has_speed_and_speedup(lab: Any) -> None:
    case = run(lab, lab.target(lab.workers()), num_envs=[8], workers=[2]).cases[0]
    speed = 8 / (4 * 1e-3 + 1e-4)
    assert case.rounds == pytest.approx([speed] * ROUNDS)
    assert case.steps_per_second == pytest.approx(speed)
    assert case.ratio_to_alone == pytest.approx(speed / 1000)
    assert case.ratio_to_ideal == pytest.approx(speed / 2000)
    assert case.construct_seconds == pytest.approx(0.016)
    assert case.memory_bytes == 800


def test_cases_alternate_with_the_plain_loop(lab: Any) -> None:
    run(lab, lab.target(lab.sync("a"), lab.sync("b")), num_envs=[4], seconds=0.5)
    warm_up = ["alone", "a", "b"]
    assert lab.world.log == warm_up + ["alone", "a", "b"] * ROUNDS


@pytest.mark.parametrize("num_envs", [[1], [1, 8], [8, 64]])
def test_total_duration_stays_near_the_budget(lab: Any, num_envs: list[int]) -> None:
    report = run(lab, lab.target(lab.sync(), lab.workers()), num_envs=num_envs, workers=[2], budget=8)
    assert report.seconds < 9
    assert report.seconds == pytest.approx(lab.world.now)


def test_seconds_are_per_case(lab: Any) -> None:
    lab.world.log.append("")
    report = run(lab, lab.target(lab.sync()), num_envs=[1], seconds=2.0)
    assert sum(1000 / speed for speed in report.cases[0].rounds) == pytest.approx(ROUNDS)
    assert report.seconds > 2 * 2.0


def test_failing_backend_does_not_affect_others(lab: Any) -> None:
    def refuse(n: int, arguments: dict[str, Any]) -> Any:
        raise MemoryError("no room")

    broken = Backend("broken", refuse, problem="vector.Broken cannot be loaded; run: pip install it")
    backends = [Backend("full", refuse), broken, lab.sync("frail", dies_at=300), lab.sync()]
    report = run(lab, lab.target(*backends), num_envs=[2], seconds=1.0)
    assert [case.state for case in report.cases] == ["failed", "failed", "failed", "measured"]
    assert report.cases[0].problem.startswith("MemoryError: no room [test_measure.py:")
    assert report.cases[1].problem == broken.problem
    assert report.cases[2].problem.startswith("RuntimeError: a worker is gone [conftest.py:")
    assert report.failed
    assert report.recommendation is not None
    assert report.recommendation.backend == "sync"


def test_backend_that_fails_between_rounds_is_not_recommended(lab: Any) -> None:
    report = run(
        lab, lab.target(lab.sync("frail", seconds=1e-5, dies_at=100_000), lab.sync()), num_envs=[2], seconds=5.0
    )
    assert [case.state for case in report.cases] == ["failed", "measured"]
    assert report.cases[0].rounds
    assert report.recommendation is not None
    assert report.recommendation.backend == "sync"


@pytest.mark.parametrize("how", [{}, {"dies_at": 3}, {"dies_at": 300}, {"dies_closing": True}])
def test_everything_is_closed(lab: Any, how: dict[str, Any]) -> None:
    run(lab, lab.target(lab.sync(**how), lab.workers()), num_envs=[1, 2], seconds=1.0)
    assert lab.world.open == 0


def test_failure_in_close_is_reported_and_figures_are_kept(lab: Any) -> None:
    case = run(lab, lab.target(lab.sync(dies_closing=True)), num_envs=[2], seconds=0.1).cases[0]
    assert case.state == "measured"
    assert case.problem.startswith("closing: RuntimeError: closing failed [conftest.py:")


def test_failing_plain_loop_is_reported_and_backends_are_tried(lab: Any) -> None:
    report = run(lab, lab.target(lab.sync(), dies_at=5), num_envs=[2], seconds=0.1)
    assert report.alone is None
    assert report.problem.startswith("RuntimeError: the simulator is gone [conftest.py:")
    assert report.cases[0].state == "measured"
    assert report.cases[0].ratio_to_alone is None


def test_later_failure_of_the_plain_loop_ends_only_it(lab: Any) -> None:
    report = run(lab, lab.target(lab.sync(), dies_at=1500), num_envs=[2], seconds=5.0)
    assert report.alone is not None
    assert report.problem.startswith("RuntimeError: the simulator is gone [conftest.py:")
    assert len(report.cases[0].rounds) == ROUNDS


def test_ctrl_c_keeps_measurements(lab: Any) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.now == "sync, 8 environments: round 3 of 5":
            raise KeyboardInterrupt

    report = run(lab, lab.target(lab.sync()), num_envs=[1, 8, 64], seconds=0.5, notify=interrupt)
    assert report.interrupted
    assert [len(case.rounds) for case in report.cases] == [ROUNDS, 2, 0]
    assert [case.state for case in report.cases] == ["measured", "measured", "waiting"]
    assert lab.world.open == 0


def test_progress_reaches_its_total(lab: Any) -> None:
    seen: list[tuple[int, int]] = []
    run(
        lab,
        lab.target(lab.sync(), lab.workers(dies_at=1)),
        num_envs=[1, 2],
        notify=lambda progress: seen.append((progress.done, progress.total)),
    )
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert all(done < total for done, total in seen)


def test_slow_default_cases_are_skipped(lab: Any) -> None:
    report = run(lab, lab.target(lab.sync(seconds=0.1), seconds=0.1))
    assert [case.state for case in report.cases] == ["measured", "measured", "skipped", "skipped"]
    assert report.cases[-1].problem == (
        "6 turns of 256 environments would take 154 s; use --num-envs 256 to measure it"
    )


def test_requested_cases_are_measured(lab: Any) -> None:
    report = run(lab, lab.target(lab.sync(seconds=0.1), seconds=0.1), num_envs=[256], seconds=0.1)
    assert states(report) == {"sync, 256 environments": "measured"}


@pytest.mark.parametrize("share, workers", [(1.0, [1, 2]), (0.02, [2, 11, 64])])
def test_numbers_of_workers_follow_the_work(lab: Any, share: float, workers: list[int]) -> None:
    report = run(lab, lab.target(lab.workers(), seconds=0.01, share=share), num_envs=[64], seconds=0.1)
    assert [case.workers for case in report.cases] == workers


def test_only_requested_backends_are_measured(lab: Any) -> None:
    report = run(lab, lab.target(lab.sync(), lab.workers()), num_envs=[1], backends=["sync"])
    assert states(report) == {"sync, 1 environment": "measured"}


def test_unknown_backend_error_lists_installed_backends(lab: Any) -> None:
    with pytest.raises(ValueError, match="toy has no backend ray here; available: sync, async"):
        run(lab, lab.target(lab.sync(), lab.workers()), backends=["ray"])


def test_vector_env_without_autoreset_is_reset_by_mask(lab: Any) -> None:
    np = pytest.importorskip("numpy")
    masks: list[Any] = []

    def make(n: int, arguments: dict[str, Any]) -> Any:
        envs = lab.sync().make(n, arguments)
        envs.metadata = {"autoreset_mode": "Disabled"}
        envs.reset = lambda seed=None, options=None: masks.append(options)
        envs.step = lambda actions: (lab.world.spend(1e-3), 0, np.array([True, False]), np.array([False, False]), {})
        return envs

    run(lab, lab.target(Backend("own", make)), num_envs=[2], seconds=0.1)
    assert masks[0] is None
    assert masks[1]["reset_mask"].tolist() == [True, False]


def test_each_warning_is_collected_once(lab: Any) -> None:
    def make(n: int, arguments: dict[str, Any]) -> Any:
        warnings.warn("this backend is old", DeprecationWarning, stacklevel=1)
        return lab.sync().make(n, arguments)

    assert run(lab, lab.target(Backend("old", make)), num_envs=[1, 2]).warnings == ["this backend is old"]


def test_report_is_deterministic(lab: Any) -> None:
    other = type(lab)()
    first = run(lab, lab.target(lab.own(), lab.sync(), lab.workers()))
    second = run(other, other.target(other.own(), other.sync(), other.workers()))
    assert first.as_dict() == second.as_dict()
