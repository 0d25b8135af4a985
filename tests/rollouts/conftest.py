"""What of these tests needs a library that may be missing."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("ray") else ["ppo_cluster.py"]
"""Programs in which a reader looks for an import at the top; what needs them is marked `ray`."""
