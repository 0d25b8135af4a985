"""The terminal display for a single target: the current rule, the verdict, the findings and, with `-v`, all rules."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

from gymkernel import plugins
from gymkernel.cli import inventory
from gymkernel.cli.terminal import Terminal, plural
from gymkernel_tool_check import events
from gymkernel_tool_check.cli.overview import cell_of
from gymkernel_tool_check.events import Event
from gymkernel_tool_check.findings import SEVERITIES, Finding, at_least
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.records import Report
from gymkernel_tool_check.targets import Target
from gymkernel_util_tools.quantities import duration, number

__all__ = ["Progress"]

KIND_WORDS: Final = inventory.KIND_WORDS | {
    "distributions": "distribution",
    "hooks": "hook plugin",
    "adapters": "adapter",
}
COLOURS: Final = {"error": "red", "warning": "yellow", "info": "blue"}
INDENT: Final = 15
MORE: Final = "--budget gives more time"


class Progress:
    """A display that shows the progress and the result of checking one target.

    Args:
        terminal: the terminal to write to.
        target: the target that is checked.
        options: the options of the check.
        severity: the lowest severity of findings to show.
        quiet: whether to show only the verdict and the findings.
        verbose: whether to also show a description of the target and every rule.
    """

    def __init__(
        self,
        terminal: Terminal,
        target: Target,
        options: Options,
        severity: str,
        *,
        quiet: bool = False,
        verbose: bool = False,
    ) -> None:
        self.terminal, self.target, self.options, self.severity = terminal, target, options, severity
        self.quiet, self.verbose = quiet, verbose
        self._rules: dict[str, dict[str, str]] = {}
        self._described: list[dict[str, Any]] = []
        self._now = ""

    def take(self, event: Event) -> None:
        """Show progress, and store the descriptions of the target, which are shown only at the end."""
        match event:
            case events.Planned(rules):
                self._rules = {rule["code"]: rule for rule in rules}
            case events.RuleBegan(code):
                self._now = code
                self._show_live("")
            case events.At(moment):
                episode = f" of episode {moment.episode}" if moment.episode else ""
                step = f" {moment.step}" if moment.step else ""
                self._show_live(f"{moment.phase}{step}{episode}")
            case events.Found(about) | events.Made(about):
                self._described.append(about)

    def _show_live(self, moment: str) -> None:
        """Show the rule that is being checked and the call that has not returned yet."""
        mark = self.terminal.sign("…", ".")
        title = self._rules.get(self._now, {}).get("title", "")
        text = f"  {mark} {self._now}  {title}{f'  {moment}' if moment else ''}"
        self.terminal.write_live(self.terminal.paint(text[: self.terminal.width - 1], dim=True))

    def _row(self, label: str, text: str) -> None:
        self.terminal.write(*self.terminal.wrap(f"  {label} ", text, INDENT))

    def _show_found(self, found: dict[str, Any]) -> None:
        version = f" {found['version']}" if found.get("kind") == "distributions" else ""
        name = f"{found.get('name', '')}{version}" or self.target.text
        self._row(KIND_WORDS.get(found.get("kind", ""), "target"), name)
        if found.get("distribution") and found.get("kind") != "distributions":
            self._row("distribution", f"{found['distribution']} {found['version']}")
        if found.get("kind") != "envs" and found.get("class"):
            self._row("entry point", found["class"])
        if found.get("kind") not in {"envs", "spaces"}:  # more is known about these once they have been created
            self._running_on("")

    def _running_on(self, numpy: str) -> None:
        versions = [f"gymkernel {plugins.kernel_version()}", f"Python {'.'.join(map(str, sys.version_info[:3]))}"]
        versions += [f"NumPy {numpy}"] if numpy else []
        self._row("running on", ", ".join(versions))
        for lines in plugins.call_hook("gymkernel_report_lines", []):
            for line in lines:
                self._row("", str(line))

    def _show_made(self, made: dict[str, Any]) -> None:
        place = f"  {_relative(made['file'])}:{made['line']}" if made["file"] else ""
        self._row("class", f"{made['class']}{place}")
        for i, text in enumerate(made.get("spaces", ())):
            self._row("" if i else "trying", text)
        if made.get("distribution"):
            self._row("distribution", f"{made['distribution']} {made['version']}")
        if made.get("wrappers"):
            limit = f" ({made['max_episode_steps']} steps)" if made["max_episode_steps"] else ""
            self._row("wrapped in", ", ".join(f"{w}{limit if w == 'TimeLimit' else ''}" for w in made["wrappers"]))
        for name in ("observation", "action"):
            if text := made.get(f"{name}_space"):
                self._row(name, text)
        self._running_on(made["numpy"])
        if "action_space" in made:
            self._row("recorded", f"up to {self.options.steps} steps a run, seed {self.options.seed}")

    def _show_rules(self, report: Report) -> None:
        """Show the rules under the headings of their families. Skipped rules are listed separately."""
        terminal, heading = self.terminal, ""
        for code in dict.fromkeys([*report.rules, *(finding.code for finding in report.findings), *report.expected]):
            outcome = cell_of(report, code)
            if outcome in {"skipped", "absent"}:
                continue
            rule = report.rules.get(code, {"title": "", "family": ""})
            if rule["family"] != heading:
                heading = rule["family"]
                terminal.write("", terminal.paint(heading, bold=True))
            if code in report.expected:
                self._show_expected(code, report)
            elif outcome in SEVERITIES and at_least(outcome, self.severity):
                mark = terminal.paint(f"{terminal.sign('✗', 'x')} {code}", COLOURS[outcome])
                terminal.write(f"  {mark}  {terminal.paint(rule['title'], bold=True)}")
            else:
                terminal.write(f"  {terminal.paint(terminal.sign('✓', '+'), 'green')} {code}  {rule['title']}")

    def _show_expected(self, code: str, report: Report) -> None:
        """Show a rule that failed as expected, with the reason from the project's settings."""
        terminal, (why, findings) = self.terminal, report.expected[code]
        title = report.rules.get(code, {}).get("title", "")
        terminal.write(f"  {terminal.paint(terminal.sign('·', 'e'), 'yellow')} {code}  {title}")
        for line in terminal.wrap(f"{'':11}expected: ", f"{why} ({findings[0].message})", 21):
            terminal.write(terminal.paint(line, dim=True))

    def finish(self, report: Report) -> None:
        """Show the verdict, every finding in full, and the details that the user requested."""
        terminal = self.terminal
        terminal.erase()
        if report.failure:
            terminal.write(f"{terminal.paint(report.target, bold=True)}: {terminal.paint(report.failure, 'red')}")
            return
        shown = report.at_least(self.severity)
        notes = report.checker_failures
        terminal.write(self._verdict(report, [finding for finding in shown if finding not in notes]))
        if notes:
            terminal.write(
                "some rules raised exceptions (GK005); these are not findings about the target (exit status 3)"
            )
        for finding in [*shown, *(note for note in notes if note not in shown)]:
            terminal.write("")
            self._show_finding(finding, report.rules.get(finding.code, {}))
        if self.quiet:
            return
        if shown or notes:
            terminal.write("")
        terminal.write(*_measured(report))
        if self.verbose:
            self._show_details(report)
        else:
            for code in report.expected:
                self._show_expected(code, report)
            terminal.write(terminal.paint("-v shows every rule, and why rules were skipped", dim=True))

    def _show_details(self, report: Report) -> None:
        """Show a description of the target, every rule, and the reasons for skipping rules."""
        self.terminal.write("", self.terminal.paint(report.target, bold=True))
        for about in self._described:
            if "kind" in about:
                self._show_found(about)
            elif about:
                self._show_made(about)
        self._show_rules(report)
        self._show_skipped(report)

    def _show_skipped(self, report: Report) -> None:
        """Show each reason for skipping rules once, followed by the codes of the rules."""
        reasons: dict[str, list[str]] = {}
        for code, reason in report.skipped.items():
            reasons.setdefault(reason, []).append(code)
        if reasons:
            self.terminal.write("", self.terminal.paint("skipped", bold=True))
        for reason, codes in reasons.items():
            count = f", {plural(len(codes), 'rule')}" if len(codes) > 1 else ""
            for line in self.terminal.wrap("  - ", f"{reason} ({', '.join(codes)}{count})", 4):
                self.terminal.write(self.terminal.paint(line, dim=True))

    def _show_finding(self, finding: Finding, rule: dict[str, str]) -> None:
        terminal = self.terminal
        head = terminal.paint(f"{finding.code} {finding.severity}", COLOURS[finding.severity], bold=True)
        lead = len(finding.code) + len(finding.severity) + 3
        lines = terminal.wrap(" " * lead, finding.message, lead)
        terminal.write(f"{head}  {lines[0].strip()}", *lines[1:])
        for label, text in (("why", rule.get("why", "")), ("fix", rule.get("fix", "")), ("where", _where(finding))):
            terminal.write(*terminal.wrap(f"  {label}", text, 9))
        if finding.reproducer:
            note = f"   when it was run, it did not show this: {finding.unshown}" if finding.unshown else ""
            terminal.write(f"  show{terminal.paint(note, 'yellow')}")
            for line in finding.reproducer.splitlines():
                terminal.write(terminal.paint(f"         {line}".rstrip(), "cyan"))

    def _verdict(self, report: Report, shown: list[Finding]) -> str:
        terminal = self.terminal
        seconds = f" in {report.seconds:.1f} s"
        counted = f"{plural(len(report.passed), 'rule')} passed"
        if report.skipped:
            counted += f", {len(report.skipped)} skipped"
        if report.expected:
            counted += f", {len(report.expected)} broken as expected"
        if not shown:
            if not report.passed:
                return f"{terminal.paint('nothing could be checked', 'yellow', bold=True)}: {counted}{seconds}"
            if report.undecided:
                text = f"{report.target} is not decided"
                return f"{terminal.paint(text, 'yellow', bold=True)} ({report.undecided}): {counted}{seconds}; {MORE}"
            return f"{terminal.paint(f'{report.target} is sound', 'green', bold=True)}: {counted}{seconds}"
        counts = {name: sum(finding.severity == name for finding in shown) for name in ("error", "warning", "info")}
        broken = ", ".join(plural(count, severity) for severity, count in counts.items() if count)
        colour = COLOURS[shown[0].severity] if len({finding.severity for finding in shown}) == 1 else "red"
        rest = f"; the rest is not decided ({report.undecided}), {MORE}" if report.undecided else ""
        return f"{terminal.paint(f'{report.target} has {broken}', colour, bold=True)}: {counted}{seconds}{rest}"


def _where(finding: Finding) -> str:
    method = f" ({finding.method})" if finding.method not in {"", "class"} else ""
    return f"{_relative(finding.file)}:{finding.line}{method}" if finding.file else ""


def _relative(file: str) -> str:
    """Return the path, or the path relative to the current folder if that is shorter."""
    try:
        near = os.path.relpath(file)
    except ValueError:
        return file
    return near if len(near) < len(file) and not near.startswith(f"..{os.sep}..{os.sep}..") else str(Path(file))


def _measured(report: Report) -> list[str]:
    """Return lines that say how much was tested and how fast the environment is."""
    words = {"step": "step", "reset": "reset", "the constructor": "instance"}
    tried = [plural(count, word) for what, word in words.items() if (count := report.tried.get(what))]
    found = [f"tried {', '.join(tried)}"] if tried else []
    if "steps_per_second" in report.measured:
        speed = f"{number(report.measured['steps_per_second'])} steps a second, resets included"
        made = report.measured.get("construct_seconds")
        reset = report.measured.get("reset_seconds")
        parts = [speed, f"made in {duration(made)}" if made else "", f"reset in {duration(reset)}" if reset else ""]
        found.append(f"speed {', '.join(filter(None, parts))}")
    return found
