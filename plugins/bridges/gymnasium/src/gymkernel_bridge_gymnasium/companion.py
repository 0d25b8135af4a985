"""The module that joins the two libraries. gymkernel imports it as soon as Gymnasium is imported, too.

If `import gymnasium` imports gymkernel's modules, there is nothing to join. Set `GYMKERNEL_GYMNASIUM_BASES=0` to keep
the two libraries' classes separate. The ids are joined even then.
"""

from __future__ import annotations

import os

import gymnasium

from gymkernel.wrapper import is_vector_env
from gymkernel_bridge_gymnasium.parts import is_alias

if not is_alias():
    from gymkernel_bridge_gymnasium import joined_registry, registration  # noqa: F401 - these imports join the ids

    is_vector_env.register(gymnasium.vector.VectorEnv, lambda _: True)

    if os.environ.get("GYMKERNEL_GYMNASIUM_BASES", "1") != "0":
        from gymkernel_bridge_gymnasium.hierarchy import is_joined, join

        join()
        if is_joined():
            from gymkernel_bridge_gymnasium import adoption  # noqa: F401 - it registers functions that need the new bases
