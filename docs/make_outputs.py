"""Run the tutorials' programs at full size, and store their results.

Call it with `python docs/make_outputs.py [NAME ...]`. Texts go to `tutorials/output/`, the numbers of plots to
`plots.json` in the same folder, and the film of `ppo-cartpole` to `_static/tutorials/`. The script takes several
minutes on an
idle machine. `ppo-cartpole` needs Stable-Baselines3 and gymkernel-util-video. tests/repository/test_tutorials.py runs
small versions of the same programs.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["OUTPUTS", "main"]

FOLDER: Final = Path(__file__).resolve().parent / "tutorials"
OUT: Final = FOLDER / "output"
FILM: Final = FOLDER.parent / "_static" / "tutorials" / "ppo-cart-pole"


def main(names: list[str]) -> None:
    """Create the outputs with the given names, or all outputs."""
    sys.path[:0] = [str(FOLDER), str(FOLDER / "thermostat"), str(FOLDER / "thermostat" / "src")]
    OUT.mkdir(exist_ok=True)
    file = OUT / "plots.json"
    for name in names or OUTPUTS:
        print(name, flush=True)  # noqa: T201 - a command reports its progress
        found = OUTPUTS[name]()
        plots = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if found is not None:
            plots[name] = found
        file.write_text(json.dumps(plots, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def blackjack() -> dict[str, Any]:
    """Write the strategy to a file, and return the mean returns during training."""
    from blackjack import learn, play, strategy

    values, returns = learn(300_000)
    played = play(values, 100_000)
    _write("blackjack.txt", strategy(values, usable=0))
    windows = np.array_split(returns, 60)
    return {"games": [5000 * (i + 1) for i in range(60)], "returns": _rounded(map(np.mean, windows)), "played": played}


def cartpole_reinforce() -> dict[str, Any]:
    """Return the returns of two seeds."""
    from cartpole_reinforce import learn

    return {f"seed {seed}": _rounded(learn(100, seed=seed)[1]) for seed in (0, 1)}


def thermostat() -> dict[str, Any]:
    """Write the report of the check to a file, and return the return of each day."""
    from train import learn

    report = _gymkernel("check", "thermostat:THERMOSTAT")
    _write("thermostat.txt", report.replace("thermostat:THERMOSTAT", "lab/Thermostat-v0"))
    _, returns = learn(1000)
    return {"returns": _rounded(map(np.mean, np.array_split(np.array(returns), 50)))}


def grid_world() -> None:
    """Write the report of a defect as text and as an annotation."""
    _write("grid_world.txt", _gymkernel("check", "grid_world.py:GridWorld", expect=1))
    _write("github.txt", _gymkernel("check", "grid_world.py:GridWorld", "--format", "github", expect=1))


def bench() -> list[Any]:
    """Write the report to a file, and return its numbers."""
    file = OUT / "bench.json"
    _gymkernel("bench", "CartPole-v1", "--format", "json", "--output", str(file))
    cases = _cases(file)
    _write("bench.txt", _gymkernel("bench", "CartPole-v1", "--num-envs", "1,64"))
    return cases


def bench_busy() -> list[Any]:
    """Return the numbers of the report."""
    file = OUT / "bench-busy.json"
    _gymkernel("bench", "busy.py:Busy", "--format", "json", "--output", str(file), "--num-envs", "8,64")
    return _cases(file)


def ppo_cartpole() -> dict[str, Any]:
    """Write the program's output and the agent's film to files, and return the return and end of each episode."""
    program, printed = FOLDER / "ppo_cartpole.py", io.StringIO()
    FILM.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        history = runpy.run_path(str(program), run_name="__main__")["history"]
        for kind, steps in (("mp4", "200"), ("png", "20")):
            words = ["--policy", f"{program}:Trained", "--seed", "1", "--steps", steps]
            _gymkernel("render", "CartPole-v1", "--out", f"{FILM}.{kind}", *words, folder=Path(folder))
    _write("ppo_cartpole.txt", printed.getvalue())
    parts = np.array_split(np.arange(len(history.steps)), 40)
    steps, returns = np.array(history.steps), np.array(history.returns)
    return {
        "steps": [int(steps[part[-1]]) for part in parts],
        "returns": _rounded(returns[part].mean() for part in parts),
    }


def _cases(file: Path) -> list[Any]:
    report = json.loads(file.read_text(encoding="utf-8"))
    file.unlink()
    made = [case for case in report["cases"] if case["state"] == "measured"]
    rows = [[c["backend"], c["num_envs"], c["workers"], round(c["steps_per_second"])] for c in made]
    return [["alone", 1, None, round(report["alone"]["steps_per_second"])], *rows]


def _gymkernel(*words: str, expect: int = 0, folder: Path = FOLDER) -> str:
    path = os.pathsep.join([str(FOLDER / "thermostat" / "src"), str(FOLDER)])
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "gymkernel", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=environment)  # noqa: S603
    if done.returncode != expect:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _write(name: str, text: str) -> None:
    (OUT / name).write_text(text.strip() + "\n", encoding="utf-8")


def _rounded(numbers: Any) -> list[float]:
    return [round(float(number), 3) for number in numbers]


OUTPUTS: Final[dict[str, Callable[[], Any]]] = {
    "blackjack": blackjack,
    "cartpole-reinforce": cartpole_reinforce,
    "thermostat": thermostat,
    "grid-world": grid_world,
    "bench": bench,
    "bench-busy": bench_busy,
    "ppo-cartpole": ppo_cartpole,
}


if __name__ == "__main__":
    main(sys.argv[1:])
