"""Check the types of names in gymkernel that plugins provide. This file is only read by mypy and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
from numpy.typing import NDArray

import gymkernel as gym
from gymkernel.envs.classic_control.cartpole import CartPoleEnv
from gymkernel.envs.toy_text import frozen_lake
from gymkernel.spaces import Box, Discrete, MultiDiscrete, Tuple, utils
from gymkernel.spaces.box import Box as BoxByPath
from gymkernel.spaces.discrete import Discrete as DiscreteByPath
from gymkernel.spaces.space import Space as SpaceByPath
from gymkernel.vector import SyncVectorEnv
from gymkernel.vector.sync_vector_env import SyncVectorEnv as SyncByPath
from gymkernel.vector.utils import misc
from gymkernel.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit, common

if TYPE_CHECKING:
    from gymkernel_space_box import Box as BoxItself
    from gymkernel_space_discrete import Discrete as DiscreteItself
    from gymkernel_space_multi_discrete import MultiDiscrete as MultiDiscreteItself
    from gymkernel_space_tuple import Tuple as TupleItself
    from gymkernel_vector_sync import SyncVectorEnv as SyncItself
    from gymkernel_wrapper_order_enforcing import OrderEnforcing as OrderItself
    from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker as CheckerItself
    from gymkernel_wrapper_time_limit import TimeLimit as TimeLimitItself

# Names below `gymkernel` and at the top level refer to the plugin's class.
box: type[BoxItself[Any]] = Box
discrete: type[DiscreteItself[Any]] = gym.spaces.Discrete
multi_discrete: type[MultiDiscreteItself[Any]] = MultiDiscrete
tuple_: type[TupleItself] = gym.spaces.Tuple
sync: type[SyncItself[Any, Any, Any]] = SyncVectorEnv
order: type[OrderItself[Any, Any]] = OrderEnforcing
checker: type[CheckerItself[Any, Any]] = PassiveEnvChecker
limit: type[TimeLimitItself[Any, Any]] = gym.wrappers.TimeLimit

# Signatures are known.
space: Box[Any] = Box(0, 1, (2,), np.float32, seed=1)
assert_type(space.sample(), NDArray[Any])
assert_type(space.shape, tuple[int, ...])
assert_type(space.is_bounded("below"), bool)
assert_type(space.contains(3), bool)
assert_type(Tuple([space])[0], Any)
assert_type(Tuple([space])[:1], tuple[Any, ...])
assert_type(Discrete(3).to_jsonable([0, 1]), list[int])

# Errors are reported.
Box(0, 1, shape="large")  # type: ignore[arg-type]
Box(0, 1, size=(2,))  # type: ignore[call-overload]
space.is_bounded("left")  # type: ignore[arg-type]
Discrete("3")  # type: ignore[call-overload]
TimeLimit(3, 5)  # type: ignore[arg-type]
gym.spaces.Boks  # type: ignore[attr-defined]  # noqa: B018
gym.Boks  # type: ignore[attr-defined]  # noqa: B018

# Operations have precise types, and they have the methods of tables.
assert_type(utils.flatdim(space), int)
assert_type(utils.is_space_dtype_shape_equiv(space, space), bool)
gym.spaces.flatten.dispatch(Box)(space, space.sample())
utils.flatdim()  # type: ignore[call-arg]

# Gymnasium's module paths have types, whether one plugin, several plugins, the kernel or a pack provides the names.
box_by_path: type[BoxItself[Any]] = BoxByPath
box_by_module: type[BoxItself[Any]] = gym.spaces.box.Box
discrete_by_path: type[DiscreteItself[Any]] = DiscreteByPath
sync_by_path: type[SyncItself[Any, Any, Any]] = SyncByPath
limit_by_path: type[TimeLimitItself[Any, Any]] = common.TimeLimit
limit_by_module: type[TimeLimitItself[Any, Any]] = gym.wrappers.common.TimeLimit
space_by_path: type[gym.Space[Any]] = SpaceByPath
assert_type(BoxByPath(0, 1).sample(), NDArray[np.float32])
assert_type(frozen_lake.generate_random_map(4), list[str])
assert_type(frozen_lake.LEFT, int)
assert_type(gym.envs.toy_text.frozen_lake.FrozenLakeEnv().reset()[0], int)
assert_type(gym.utils.env_checker.data_equivalence(1, 2), bool)
gym.vector.utils.space_utils.batch_space(space, 2)
misc.clear_mpi_env_vars()
CartPoleEnv(render_mode="rgb_array")
BoxByPath(0, 1, shape="large")  # type: ignore[arg-type]
CartPoleEnv(colour="red")  # type: ignore[call-arg]
frozen_lake.Lake  # type: ignore[attr-defined]  # noqa: B018
gym.spaces.boks  # type: ignore[attr-defined]  # noqa: B018
common.Boks  # type: ignore[attr-defined]  # noqa: B018
