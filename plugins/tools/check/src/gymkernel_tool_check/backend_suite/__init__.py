"""What every vector backend must do, as tests: `gymkernel.testing.backend_conformance` gives them to pytest.

The same environments return the same through every backend, for every space, in every autoreset mode.
"""

from gymkernel_tool_check.backend_suite import actions, members, observations, resets, some_envs
from gymkernel_tool_check.backend_suite.cases import CASES, BackendCase
from gymkernel_tool_check.backend_suite.comparison import assert_same, play
from gymkernel_tool_check.backend_suite.players import PlayerEnv, digest

__all__ = ["CASES", "BackendCase", "PlayerEnv", "actions", "assert_same", "digest", "members", "observations", "play"]
__all__ += ["resets", "some_envs"]
