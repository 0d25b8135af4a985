"""A script that runs `gymkernel check` on third-party environments: `tools/checked_environments.py run DIR [WORD ...]`.

`docs/reference/checked-environments.json` lists the environments and the results of their checks. Environments that can
be installed together form a group. `run` creates a virtual environment for each group in DIR, unless one already
exists. It then checks the environments whose names contain one of the WORDs, or all of them if no WORD is given, and
writes the results. A person reads the source of an environment to decide whether a finding is true, and writes
"true: ..." or "false: ..." under the finding's code in `judged`. `run` keeps these entries. `page` writes
`checked-environments.md`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

__all__ = ["RECORD", "main", "page", "unjudged"]

ROOT: Final = Path(__file__).resolve().parents[1]
RECORD: Final = ROOT / "docs" / "reference" / "checked-environments.json"
PAGE: Final = RECORD.with_suffix(".md")
LIMIT: Final = 600
CHECKED: Final = (0, 1, 3)
"""The exit statuses that show that `gymkernel check` completed a check."""


def prepare(folder: Path, packages: list[str]) -> Path:
    """Install this checkout and a group's packages in a virtual environment, and return the path of its interpreter."""
    python = folder / "bin" / "python"
    if not python.exists():
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "-q", str(folder)], check=True)
        files = ["-r", "requirements-dev.txt", "-e", "plugins/bridges/gymnasium"]
        subprocess.run([*uv, "pip", "install", "-q", "--python", str(python), *files, *packages], cwd=ROOT, check=True)
    return python


def check(python: Path, target: dict[str, Any]) -> dict[str, Any]:
    """Check one environment, and return the status, the findings and the duration in seconds."""
    given = ["--make-kwargs", json.dumps(target["kwargs"])] if target.get("kwargs") else []
    command = [str(python), "-m", "gymkernel", "check", target["target"], *given]
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        command += ["--format", "json", "--output", str(out)]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return {"status": "hung", "seconds": LIMIT, "findings": []}
        seconds = round(time.monotonic() - start, 1)
        if not out.exists():
            return {"status": "not checked", "why": done.stderr[-200:].strip(), "seconds": seconds, "findings": []}
        report = json.loads(out.read_text(encoding="utf-8"))
    (one,) = report["targets"]
    if report["exit_status"] not in CHECKED or one.get("failure"):
        why = " ".join(str(one.get("failure") or "").split())
        return {"status": "not checked", "why": why, "seconds": seconds, "findings": []}
    findings = [
        {"code": each["code"], "severity": each["severity"], "message": each["message"]}
        for each in one["findings"]
        if each["severity"] != "info"
    ]
    found = {name: one["found"].get(name) for name in ("distribution", "version")} if "found" in one else {}
    return {"status": "checked", "seconds": seconds, "passed": len(one["passed"]), "findings": findings, **found}


def run(folder: Path, words: list[str]) -> None:
    """Check the environments whose names contain one of the given words. Write the record after each check."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    for group in record["groups"]:
        wanted = [item for item in group["targets"] if not words or any(word in item["target"] for word in words)]
        if not wanted:
            continue
        python = prepare(folder / group["name"], group["packages"])
        for target in wanted:
            target["result"] = check(python, target)
            shown = " ".join(f"{finding['code']}{finding['severity'][0]}" for finding in target["result"]["findings"])
            print(
                f"{target['target']}: {target['result']['status']} in {target['result']['seconds']} s {shown}",
                flush=True,
            )
            RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def targets() -> list[dict[str, Any]]:
    """Return all environments in the record."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return [target for group in record["groups"] for target in group["targets"]]


def unjudged() -> list[str]:
    """Return the findings that nobody has judged to be true or false yet."""
    return [
        f"{target['target']} {finding['code']}"
        for target in targets()
        for finding in target["result"]["findings"]
        if not target.get("judged", {}).get(finding["code"], "").startswith(("true: ", "false: "))
    ]


def page() -> str:
    """Return the text of `checked-environments.md`."""
    found = targets()
    checked = [item for item in found if item["result"]["status"] == "checked"]
    judged = [
        (finding["severity"], item["judged"][finding["code"]].startswith("true"))
        for item in checked
        for finding in item["result"]["findings"]
    ]
    errors = [true for severity, true in judged if severity == "error"]
    warnings = [true for severity, true in judged if severity == "warning"]
    clean = sum(not item["result"]["findings"] for item in checked)
    seconds = statistics.median(item["result"]["seconds"] for item in checked)
    text = [
        "# Checked environments",
        "",
        "This page is generated by `python tools/checked_environments.py`. It lists the findings of `gymkernel check`",
        "in third-party environments. A person decided whether each finding is true, from the source of the",
        "environment or, where it is conclusive, from the report alone. A true finding is a defect, or a practice with",
        "the consequence described by the rule.",
        "",
        f"{len(checked)} of {len(found)} targets were checked, and {clean} have no finding.",
        f"{sum(errors)} of {len(errors)} errors and {sum(warnings)} of {len(warnings)} warnings are true.",
        f"The median duration of a check was {seconds:.0f} s on a machine with ten times as much work as cores.",
        "On an idle machine, a check takes less time and skips fewer rules.",
        "",
        "| package | target | seconds | findings |",
        "| --- | --- | --- | --- |",
    ]
    for item in found:
        result = item["result"]
        lines = [
            f"**{finding['code']}** ({finding['severity']}) {item['judged'][finding['code']]}"
            for finding in result["findings"]
        ]
        lines = lines or [f"not checked: {result.get('why', '')}" if result["status"] != "checked" else "none"]
        package = f"{item['package']} {result.get('version') or ''}".strip()
        text.append(
            f"| {package} | `{item['target']}` | {result['seconds']:.0f} | {'<br>'.join(lines).replace('|', '/')} |"
        )
    return "\n".join([*text, ""])


def main() -> None:
    """Run the subcommand given on the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run")
    running.add_argument("folder", type=Path)
    running.add_argument("words", nargs="*")
    commands.add_parser("page")
    given = parser.parse_args()
    if given.command == "run":
        run(given.folder.resolve(), given.words)
    elif missing := unjudged():
        sys.exit("not judged yet: " + ", ".join(missing))
    else:
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
