"""Tests of those parts of the report that can be tested without running a program: threads, findings and text."""

from __future__ import annotations

import pickle
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from gymkernel import Env, plugins
from gymkernel_tool_run.passive_check import Findings
from gymkernel_tool_run.report import measuring, screen
from gymkernel_tool_run.report.collecting import Collector, Threads, Use
from gymkernel_wrapper_passive_env_checker.findings import listeners

if TYPE_CHECKING:
    from collections.abc import Iterator


class Bench:
    """A substitute for `gymkernel_tool_bench`, whose measurement returns a given report."""

    def __init__(self, **report: Any) -> None:
        self.report = SimpleNamespace(**{"problem": "", "busy": None, "interrupted": False, "seconds": 2.0} | report)
        self.asked: Any = None

    def resolve(self, env_id: str, kwargs: dict[str, Any]) -> Any:
        return env_id, kwargs

    def measure(self, target: Any, **arguments: Any) -> Any:
        self.asked = target, arguments
        return self.report


def case(backend: str, rounds: list[float], workers: int | None = None, **values: Any) -> Any:
    """Return a measurement of one configuration, which has failed if there are no rounds."""
    state = "measured" if rounds else "failed"
    usual = {"problem": "", "alone": [10.0] * len(rounds)}
    return SimpleNamespace(backend=backend, workers=workers, rounds=rounds, state=state, **usual | values)


def bench(monkeypatch: pytest.MonkeyPatch, *cases: Any, **report: Any) -> Bench:
    """Replace `gymkernel_tool_bench` with a `Bench` that returns the given measurements."""
    fake = Bench(cases=list(cases), measured=[one for one in cases if one.rounds], **report)
    monkeypatch.setattr(plugins, "get", lambda *_: None)
    monkeypatch.setattr(measuring, "import_module", lambda _: fake)
    return fake


def used(num_envs: int = 4, **values: Any) -> Use:
    """Return the record of an environment that a program used."""
    spec: Any = SimpleNamespace(id="Maze-v0", kwargs={"size": 3, "render_mode": "human", "num_envs": 4})
    return Use("Maze-v0", spec, num_envs, **{"backend": "SyncVectorEnv"} | values)


@pytest.fixture
def findings() -> Iterator[Findings]:
    found = Findings()
    found.start()
    yield found
    found.stop()


def test_a_call_in_another_thread_is_measured_while_a_thread_is_inside_a_call() -> None:
    threads, tally = Threads(), [0, 0.0]
    threads.owner = -1  # another thread

    def outer() -> str:
        return str(threads.call_aside(lambda: "inner", tally, 1))  # this call is part of the outer call

    assert threads.call_aside(outer, tally, 1) == "inner"
    assert tally[0] == 1
    assert tally[1] > 0
    assert threads.others == 0


def test_threads_can_be_inside_calls_at_the_same_time() -> None:
    threads, tally, barrier = Threads(), [0, 0.0], threading.Barrier(2, timeout=60)
    workers = [threading.Thread(target=threads.call_aside, args=(barrier.wait, tally, 1)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert tally[0] == 2


def test_a_function_that_is_unpickled_in_a_process_without_a_collector_measures_nothing() -> None:
    threads = pickle.loads(pickle.dumps(Threads()))
    tallies = pickle.loads(pickle.dumps(Collector().tallies_of("step")))

    assert threads.owner == threading.get_ident()
    assert tallies.of(Env()) == [0, 0.0]


def test_environments_without_a_spec_are_listed_by_class() -> None:
    collector = Collector()
    collector.tallies_of("step").of(Env())[0] += 2

    (use,) = collector.uses()

    assert (use.name, use.spec, use.tallies) == ("Env", None, {"step": [2, 0.0]})


def test_a_finding_is_listed_once_for_each_id_and_rule(findings: Findings) -> None:
    for code, message in [("GK312", "first"), ("GK312", "second"), ("GK204", "third")]:
        listeners[-1](code, message, Env())

    listed = [(finding.code, finding.env, finding.message, finding.count) for finding in findings]
    assert listed == [("GK204", "Env", "third", 1), ("GK312", "Env", "first", 2)]


def test_the_setting_of_the_program_is_compared_round_by_round(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = bench(
        monkeypatch,
        case("sync", [10.0, 100.0, 20.0]),
        case("async", [20.0, 200.0, 10.0], 2),
        case("vector_entry_point", [5.0, 50.0, 5.0]),
        case("ray", [], problem="no cluster\nat all"),
    )

    comparison = measuring.compare(used())

    assert comparison.used == measuring.Setting("sync", 20.0)
    assert comparison.others == [
        measuring.Setting("async, 2 workers", 20.0, 2.0, 0.5),
        measuring.Setting("vector_entry_point", 5.0, 0.5, 0.25),
    ]
    assert comparison.failures == {"ray": "no cluster at all"}
    assert fake.asked[0] == ("Maze-v0", {"size": 3})
    assert fake.asked[1]["num_envs"] == [4]


@pytest.mark.parametrize(
    "rounds, is_faster", [([13.0, 15.0, 11.0], True), ([13.0, 15.0, 9.0], False), ([11.0] * 3, False)]
)
def test_a_setting_is_recommended_if_it_is_clearly_faster_in_every_round(
    monkeypatch: pytest.MonkeyPatch, rounds: list[float], is_faster: bool
) -> None:
    bench(monkeypatch, case("sync", [10.0] * 3), case("async", rounds, 2))

    assert measuring.compare(used()).others[0].is_faster is is_faster


@pytest.mark.parametrize(
    "use, label",
    [
        (used(backend="AsyncVectorEnv", workers=3), "async, 4 workers"),
        (used(backend="MazeVectorEnv", mode="vector_entry_point"), "vector_entry_point"),
        (used(0, backend=""), "one environment"),
    ],
)
def test_the_used_setting_is_found(monkeypatch: pytest.MonkeyPatch, use: Use, label: str) -> None:
    bench(
        monkeypatch, case("sync", [1.0]), case("async", [1.0], 1), case("async", [1.0], 4), case(measuring.OWN, [1.0])
    )

    assert measuring.compare(use).used.label == label


def test_a_failed_measurement_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    bench(monkeypatch, case("sync", [], problem="no reward"), problem="no observation")

    with pytest.raises(measuring.NotMeasured, match="no observation; sync failed: no reward"):
        measuring.compare(used())


def test_ctrl_c_ends_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    bench(monkeypatch, case("sync", [1.0]), interrupted=True)

    with pytest.raises(KeyboardInterrupt):
        measuring.compare(used())


def test_a_program_without_environments_gets_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    screen.show(Collector(), Findings(), None, measures=True)

    lines = [line for line in capsys.readouterr().err.splitlines() if line]
    assert lines == ["The program called no environment in this process.", "The passive checks found nothing."]


def test_only_steps_decide_whether_other_settings_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    use = used()
    use.tallies |= {"render": [1, 0.8], "step": [9, 0.04]}
    collector: Any = SimpleNamespace(wall=1.0, uses=lambda: [use])

    screen.show(collector, Findings(), None, measures=True)

    report = capsys.readouterr().err
    assert "Environments took 84% of the time" in report
    assert "No other setting was measured, because no environment's steps took 5% of the time." in report
