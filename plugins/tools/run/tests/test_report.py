"""Test `gymkernel run --report` and `--check` in new processes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

ENV = """
import sys
import gymnasium as gym

class Coin(gym.Env):
    observation_space = gym.spaces.Discrete(2)
    action_space = gym.spaces.Discrete(2)
    reward = 1.0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 0, self.reward, False, False, {}

class Wordy(Coin):
    reward = "one"

    def step(self, action):
        return super().step(action)

gym.register("Coin-v0", Coin)
gym.register("Wordy-v0", Wordy)

def play(env, steps):
    env.reset(seed=0)
    for _ in range(steps):
        env.step(env.action_space.sample())
    return env
"""
TITLE = "Environments took"
SPEED = r"[\d.]+( [kM])? steps/s"
"""Matches a speed, which may be less than a thousand steps per second on a busy machine."""


def run(folder: Path, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a program, preceded by the environments above, with options of `gymkernel run`."""
    (folder / "program.py").write_text(ENV + program, encoding="utf-8")
    return run_program(folder, *options)


def run_program(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run `program.py` with options of `gymkernel run`."""
    command = [sys.executable, "-m", "gymkernel", "run", *options, "program.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def calls(report: str) -> dict[tuple[str, str], int]:
    """Return the number of calls in a report, keyed by environment and call."""
    rows = re.findall(r"^  (\S.*?)  +(create|reset|step|render|close)  +([\d,]+)  ", report, re.MULTILINE)
    return {(env, call): int(count.replace(",", "")) for env, call, count in rows}


def test_the_report_counts_the_calls_of_every_environment(tmp_path: Path) -> None:
    program = 'play(gym.make("Coin-v0"), 7)\nplay(Coin(), 5)\nplay(Wordy(), 3)\n'

    report = run(tmp_path, program, "--report").stderr

    expected = {("Coin-v0", "step"): 7, ("Coin", "step"): 5, ("Wordy", "step"): 3}
    assert calls(report).items() >= (expected | {(env, "reset"): 1 for env, _ in expected}).items()


def test_calls_inside_a_vector_environment_count_once(tmp_path: Path) -> None:
    program = (
        'envs = play(gym.vector.SyncVectorEnv([lambda: gym.make("Coin-v0")] * 3), 4)\nenvs.close()\n'
        'play(gym.make_vec("CartPole-v1", 5), 2).close()\n'
    )

    report = run(tmp_path, program, "--report").stderr

    one, two = "Coin-v0, 3 in SyncVectorEnv", "CartPole-v1, 5 in CartPoleVectorEnv"
    assert {env for env, _ in calls(report)} == {one, two}
    assert calls(report)[one, "step"] == 4
    assert calls(report)[two, "step"] == 2
    assert "SyncVectorEnv stepped 3 environments of Coin-v0" in report
    assert "make_vec used vector_entry_point (CartPoleVectorEnv) for 5 environments of CartPole-v1" in report


@pytest.mark.parametrize("parameters", ["self, action=3", "self, action, *more", "self, *, action=3", "self, a=3"])
def test_calls_with_unusual_arguments_reach_the_environment(tmp_path: Path, parameters: str) -> None:
    used = parameters.removesuffix(", *more").split(", ")[-1].partition("=")[0]
    program = (
        "class Unusual(Coin):\n"
        f"    def step({parameters}):\n"
        f"        return {used}, 1.0, False, False, {{}}\n"
        "env = Unusual()\n"
        f"print(env.step({used}=4)[0], env.step(*{[4, 5, 6] if '*more' in parameters else []})[0])\n"
    )

    done = run(tmp_path, program, "--report")

    assert done.stdout == ("4 4\n" if "*more" in parameters else "4 3\n"), done.stderr
    assert calls(done.stderr)["Unusual", "step"] == 2


def test_the_creation_of_environments_is_measured(tmp_path: Path) -> None:
    program = (
        "import time\n"
        "class Slow(Coin):\n"
        "    def __init__(self):\n"
        "        time.sleep(0.2)\n"
        'gym.register("Slow-v0", Slow)\n'
        "for _ in range(2):\n"
        '    play(gym.make("Slow-v0"), 1)\n'
        'play(gym.vector.SyncVectorEnv([lambda: gym.make("Slow-v0")] * 3), 1)\n'
    )

    report = run(tmp_path, program, "--report").stderr

    assert calls(report)["Slow-v0", "create"] == 2
    assert calls(report)["Slow-v0, 3 in SyncVectorEnv", "create"] == 1
    shown = re.search(r"Slow-v0 +create +2 +([0-9.]+) (ms|s) ", report)
    assert shown is not None
    assert float(shown[1]) * {"ms": 0.001, "s": 1}[shown[2]] >= 0.4


def test_the_shares_are_shares_of_the_programs_time(tmp_path: Path) -> None:
    program = "import time\nCoin.step = lambda self, action: time.sleep(0.2) or (0, 1.0, False, False, {})\n"
    start = time.monotonic()

    report = run(tmp_path, f'{program}play(gym.make("Coin-v0"), 5)\n', "--report").stderr

    head = re.search(r"Environments took (\d+)% of the time: ([\d.]+) s of ([\d.]+) s\.", report)
    assert head is not None
    share, taken, whole = map(float, head.groups())
    assert 1.0 <= taken <= whole <= time.monotonic() - start
    assert share == pytest.approx(100 * taken / whole, abs=1)


def test_other_backends_are_measured_after_the_program(tmp_path: Path) -> None:
    program = 'play(gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")] * 4), 3000).close()\n'

    report = run(tmp_path, program, "--report").stderr

    section = report.partition("What would be faster for 4 environments of CartPole-v1")[2]
    assert re.search(rf"sync \(used\) +{SPEED}", section)
    assert re.search(rf"vector_entry_point +{SPEED} +[\d.]+ times as fast", section)
    assert re.search(rf"async, 1 worker +{SPEED} +[\d.]+ times as fast", section)


def test_what_environments_print_while_they_are_measured_is_discarded(tmp_path: Path) -> None:
    program = (
        "import os, time\n"
        "class Loud(Coin):\n"
        "    def step(self, action):\n"
        "        time.sleep(0.01)\n"
        '        os.write(2, b"native\\n")\n'
        '        print("loud", flush=True)\n'
        "        return super().step(action)\n"
        'gym.register("Loud-v0", Loud)\n'
        'play(gym.make("Loud-v0"), 10)\n'
    )

    done = run(tmp_path, program, "--report")

    assert "one environment (used)" in done.stderr
    assert done.stdout == "loud\n" * 10
    assert done.stderr.count("native\n") == 10


@pytest.mark.parametrize(
    "end, status", [("raise ValueError('oh')", 1), ("sys.exit(5)", 5), ("sys.exit()", 0), ("sys.exit('oh')", 1)]
)
def test_the_report_comes_once_however_the_program_ends(tmp_path: Path, end: str, status: int) -> None:
    done = run(tmp_path, f'play(gym.make("Coin-v0"), 3)\n{end}\n', "--report")

    assert done.returncode == status
    assert done.stderr.count(TITLE) == 1
    assert ("oh" in done.stderr.split()) == ("oh" in end)
    assert ("because the program failed" in done.stderr) == (status != 0)


def test_the_report_comes_after_ctrl_c(tmp_path: Path) -> None:
    program = 'play(gym.make("Coin-v0"), 3)\nprint("ready", flush=True)\nimport time\ntime.sleep(600)\n'
    (tmp_path / "program.py").write_text(ENV + program, encoding="utf-8")
    command = [sys.executable, "-m", "gymkernel", "run", "--report", "program.py"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - a shell lets background jobs ignore SIGINT
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"

    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)

    assert process.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in errors
    assert errors.count(TITLE) == 1
    assert calls(errors)["Coin-v0", "step"] == 3


def test_the_report_waits_for_threads_and_counts_their_calls(tmp_path: Path) -> None:
    program = (
        "import threading, time\n"
        'threading.Thread(target=lambda: (time.sleep(0.3), play(gym.make("Coin-v0"), 6))).start()\n'
    )

    report = run(tmp_path, program, "--report").stderr

    assert calls(report)["Coin-v0", "step"] == 6


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_child_processes_write_no_report(tmp_path: Path, method: str) -> None:
    program = (
        "def work():\n"
        "    play(Coin(), 100)\n"
        '    print("worked", flush=True)\n'
        'if __name__ == "__main__":\n'
        "    import multiprocessing as mp\n"
        "    play(Coin(), 3)\n"
        f'    process = mp.get_context("{method}").Process(target=work)\n'
        "    process.start()\n"
        "    process.join()\n"
    )

    (tmp_path / "program.py").write_text((ENV + program).replace("gymnasium", "gymkernel"), encoding="utf-8")

    done = run_program(tmp_path, "--report", "--check")

    assert done.stdout == "worked\n"
    assert done.stderr.count(TITLE) == 1
    assert calls(done.stderr)["Coin", "step"] == 3


def test_a_process_forked_by_the_program_writes_no_report(tmp_path: Path) -> None:
    program = (
        "import os\nplay(Coin(), 3)\npid = os.fork()\n"
        "if pid == 0:\n    play(Coin(), 50)\n    sys.exit(0)\nos.waitpid(pid, 0)\n"
    )

    done = run(tmp_path, program, "--report")

    assert done.stderr.count(TITLE) == 1
    assert calls(done.stderr)["Coin", "step"] == 3


def test_measured_environments_can_be_copied_pickled_and_inspected(tmp_path: Path) -> None:
    program = (
        "import copy, inspect, pickle\n"
        "import cloudpickle\n"
        'env = play(gym.make("Coin-v0"), 1)\n'
        "for other in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env)),\n"
        "              cloudpickle.loads(cloudpickle.dumps(env))):\n"
        "    play(other, 1)\n"
        "    assert type(other.unwrapped).__name__ == 'Coin'\n"
        "assert type(env.unwrapped) is Coin\n"
        "assert str(inspect.signature(Coin.reset)) == '(self, *, seed=None, options=None)'\n"
        "assert 'step' not in vars(env.unwrapped)\n"
        "try:\n"
        "    Coin(1)\n"
        "except TypeError as exc:\n"
        "    print(exc)\n"
    )

    done = run(tmp_path, program, "--report")

    assert done.stdout == "Coin() takes no arguments\n", done.stderr
    assert done.returncode == 0
    assert calls(done.stderr)["Coin-v0", "step"] == 5


def test_findings_appear_once_with_a_code_and_become_the_exit_status(tmp_path: Path) -> None:
    done = run(tmp_path, 'play(gym.make("Wordy-v0"), 50)\nplay(gym.make("Wordy-v0"), 50)\n', "--check")

    assert done.returncode == 3
    found = re.findall(r"^  (GK\d+)  (\S+): .*", done.stderr, re.MULTILINE)
    assert found == [("GK312", "Wordy-v0")]
    assert "(100 times)" in done.stderr
    assert TITLE not in done.stderr


def test_a_code_of_a_finding_is_explained(tmp_path: Path) -> None:
    done = run(tmp_path, 'play(gym.make("Wordy-v0"), 5)\n', "--check")
    command = re.search(r"gymkernel (check --explain \S+)", done.stderr)
    assert command is not None

    explained = subprocess.run(
        [sys.executable, "-m", "gymkernel", *command[1].split()], capture_output=True, text=True, check=False
    )

    assert explained.returncode == 0
    assert "the reward is a number" in explained.stdout


def test_findings_after_the_usual_number_of_checked_steps_are_found(tmp_path: Path) -> None:
    program = 'env = play(gym.make("Coin-v0"), 100)\nenv.unwrapped.reward = None\nplay(env, 100)\n'

    assert run(tmp_path, program, "--check").returncode == 3


@pytest.mark.parametrize("program, status", [("", 0), ("sys.exit(7)\n", 7), ("raise ValueError\n", 1)])
def test_the_check_keeps_the_status_of_a_program(tmp_path: Path, program: str, status: int) -> None:
    env = "Wordy-v0" if status else "Coin-v0"

    done = run(tmp_path, f'play(gym.make("{env}"), 5)\n{program}', "--check")

    assert done.returncode == status
    assert ("GK312" in done.stderr) == bool(status)


def test_nothing_is_measured_without_the_options(tmp_path: Path) -> None:
    program = (
        "play(Coin(), 1)\n"
        "assert '__new__' not in vars(gym.Env)\n"
        "assert not hasattr(Coin.step, '__wrapped__')\n"
        "assert not [name for name in sys.modules if 'gymkernel_tool_run.report' in name]\n"
    )

    done = run(tmp_path, program)

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_a_slow_environment_is_measured_within_the_limit(tmp_path: Path) -> None:
    program = (
        "import time\n"
        "class Slow(Coin):\n"
        "    def step(self, action):\n"
        "        time.sleep(1)\n"
        "        return super().step(action)\n"
        'gym.register("Slow-v0", Slow)\n'
        'play(gym.make("Slow-v0"), 1)\n'
        'print("done", flush=True)\n'
    )
    start = time.monotonic()

    done = run(tmp_path, program, "--report")

    assert done.returncode == 0
    assert "was not measured:" in done.stderr
    assert "the measurement took too long" in done.stderr
    assert time.monotonic() - start < 60
