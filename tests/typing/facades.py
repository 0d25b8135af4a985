"""What type checkers know of the names behind the facades. mypy checks this file; nothing runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_type

import numpy as np
from numpy.typing import NDArray

import gymkernel as gym
from gymkernel.spaces import Box, Discrete, MultiDiscrete, Tuple, utils
from gymkernel.vector import SyncVectorEnv
from gymkernel.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

if TYPE_CHECKING:
    from gymkernel_space_box import Box as BoxItself
    from gymkernel_space_discrete import Discrete as DiscreteItself
    from gymkernel_space_multi_discrete import MultiDiscrete as MultiDiscreteItself
    from gymkernel_space_tuple import Tuple as TupleItself
    from gymkernel_vector_sync import SyncVectorEnv as SyncItself
    from gymkernel_wrapper_order_enforcing import OrderEnforcing as OrderItself
    from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker as CheckerItself
    from gymkernel_wrapper_time_limit import TimeLimit as TimeLimitItself

# A facade's name is the plugin's class, under the top level too.
box: type[BoxItself[Any]] = Box
discrete: type[DiscreteItself[Any]] = gym.spaces.Discrete
multi_discrete: type[MultiDiscreteItself[Any]] = MultiDiscrete
tuple_: type[TupleItself] = gym.spaces.Tuple
sync: type[SyncItself[Any, Any, Any]] = SyncVectorEnv
order: type[OrderItself[Any, Any]] = OrderEnforcing
checker: type[CheckerItself[Any, Any]] = PassiveEnvChecker
limit: type[TimeLimitItself[Any, Any]] = gym.wrappers.TimeLimit

# So its signatures are known.
space: Box[Any] = Box(0, 1, (2,), np.float32, seed=1)
assert_type(space.sample(), NDArray[Any])
assert_type(space.shape, tuple[int, ...])
assert_type(space.is_bounded("below"), bool)
assert_type(space.contains(3), bool)
assert_type(Tuple([space])[0], Any)
assert_type(Tuple([space])[:1], tuple[Any, ...])
assert_type(Discrete(3).to_jsonable([0, 1]), list[int])

# What is wrong is told.
Box(0, 1, shape="large")  # type: ignore[arg-type]
Box(0, 1, size=(2,))  # type: ignore[call-arg]
space.is_bounded("left")  # type: ignore[arg-type]
Discrete("3")  # type: ignore[arg-type]
TimeLimit(3, 5)  # type: ignore[arg-type]
gym.spaces.Boks  # type: ignore[attr-defined]  # noqa: B018
gym.Boks  # type: ignore[attr-defined]  # noqa: B018

# Operations have their types, and tables of them their methods.
assert_type(utils.flatdim(space), int)
assert_type(utils.is_space_dtype_shape_equiv(space, space), bool)
gym.spaces.flatten.dispatch(Box)(space, space.sample())
utils.flatdim()  # type: ignore[call-arg]
