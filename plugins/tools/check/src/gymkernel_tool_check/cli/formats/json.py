"""JSON for programs; docs/reference/check-report.schema.json contains the schema."""

from __future__ import annotations

import json

from gymkernel_tool_check.cli.results import Results

__all__ = ["render"]


def render(results: Results) -> str:
    """Return a JSON object with a list of targets."""
    return json.dumps(results.as_dict(), indent=2)
