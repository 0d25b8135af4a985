"""The JSON output format. Its schema is docs/reference/check-report.schema.json."""

from __future__ import annotations

import json

from gymkernel_tool_check.cli.results import Results

__all__ = ["render"]


def render(results: Results) -> str:
    """Return a JSON object with a report for each target."""
    return json.dumps(results.as_dict(), indent=2)
