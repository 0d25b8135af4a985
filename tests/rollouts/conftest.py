"""Skip those parts of the tests that need a missing library."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("ray") else ["ppo_cluster.py"]
"""Programs that, for readability, import Ray at the top of the file. Tests that need Ray are marked `ray`."""
