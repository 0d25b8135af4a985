"""Holding what a backend returns to what a plain loop over the same environments does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gymkernel import ops
from gymkernel.vector_env import AutoresetMode
from gymkernel_tool_check.backends.cases import Backend, expect
from gymkernel_tool_check.probes.probe_envs import ReferenceVectorEnv

__all__ = ["assert_same", "beside", "play"]


def assert_same(seen: Any, expected: Any, where: str = "") -> None:
    """Hold two results to be of the same types, dtypes, shapes and values.

    Raises:
        AssertionError: they differ; the message says where.
    """
    expect(type(seen), type(expected), f"the type at {where}")
    if isinstance(expected, np.ndarray):
        expect(seen.dtype, expected.dtype, f"the dtype at {where}")
        expect(seen.shape, expected.shape, f"the shape at {where}")
        if expected.dtype == object:
            for k, (one, other) in enumerate(zip(seen.flat, expected.flat, strict=True)):
                assert_same(one, other, f"{where}[{k}]")
        else:
            np.testing.assert_array_equal(seen, expected, err_msg=where)
    elif isinstance(expected, dict):
        expect(set(seen), set(expected), f"the keys at {where}")
        for key in expected:
            assert_same(seen[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, tuple | list):
        expect(len(seen), len(expected), f"the length at {where}")
        for k, (one, other) in enumerate(zip(seen, expected, strict=True)):
            assert_same(one, other, f"{where}[{k}]")
    elif not (seen == expected or seen != seen):  # noqa: PLR0124 - NaN is the same as NaN
        raise AssertionError(f"expected {expected!r} at {where}, got {seen!r}")


@contextlib.contextmanager
def beside(backend: Backend, env_fns: Sequence[Callable[[], Any]], **kwargs: Any) -> Iterator[tuple[Any, Any]]:
    """A backend, and a plain loop over the same environments, both after a reset with one seed."""
    plain = ReferenceVectorEnv(env_fns, AutoresetMode.NEXT_STEP)
    with backend(env_fns, **kwargs) as envs:
        assert_same(envs.reset(seed=1), plain.reset(seed=1), "reset")
        yield envs, plain


def play(backend: Backend, env_fns: Sequence[Callable[[], Any]], mode: str, steps: int = 16, **kwargs: Any) -> None:
    """Hold a backend to return what a plain loop does, over a few episodes with resets of every kind.

    Args:
        backend: the class, or a function.
        env_fns: functions that make the environments.
        mode: the value of an `AutoresetMode`.
        steps: how many.
        **kwargs: for the backend.

    Raises:
        AssertionError: it returns something else.
    """
    plain = ReferenceVectorEnv(env_fns, AutoresetMode(mode))
    with backend(env_fns, autoreset_mode=mode, **kwargs) as envs:
        expect(envs.metadata["autoreset_mode"], AutoresetMode(mode), "metadata['autoreset_mode']")
        assert_same(envs.reset(seed=11), plain.reset(seed=11), "reset")
        actions = ops.batch_space(envs.single_action_space, plain.n)
        actions.seed(5)
        for step in range(steps):
            if step == 9:
                assert_same(envs.reset(options={"level": 1}), plain.reset(options={"level": 1}), "reset between")
            if mode == "Disabled" and any(plain.done):
                mask = np.array(plain.done)
                given, twin = {"reset_mask": mask, "why": "done"}, {"reset_mask": mask, "why": "done"}
                assert_same(envs.reset(options=given), plain.reset(options=twin), f"masked reset before step {step}")
                expect("reset_mask" in given, True, "reset_mask left in the caller's options")
            action = actions.sample()
            assert_same(envs.step(action), plain.step(action), f"step {step}")
