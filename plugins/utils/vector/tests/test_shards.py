"""Test a custom backend whose workers are shards in the same process."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gymkernel import Env, Space, error, ops
from gymkernel.space import Field
from gymkernel.vector import AutoresetMode
from gymkernel_util_vector.shards.errors import WorkerError, WorkerTimeoutError
from gymkernel_util_vector.shards.messages import ShardArrays, ShardSettings
from gymkernel_util_vector.shards.shard import EnvShard
from gymkernel_util_vector.shards.shard_pool import PoolWorker, ShardPool, Share
from gymkernel_util_vector.shards.vector_env import ShardedVectorEnv

if TYPE_CHECKING:
    from gymkernel_util_spaces.batches import BatchPlan
    from gymkernel_util_vector.shards.messages import SideMessage


class Line(Space[Any]):
    """A space whose elements and batches are arrays."""

    def __init__(self, shape: tuple[int, ...] = (3,)) -> None:
        super().__init__(shape, np.float64)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.random(self.shape)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == self.shape

    def layout(self) -> Any:
        return (Field.of(np.float64, self.shape or ()),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Line) and self.shape == other.shape

    __hash__ = None  # type: ignore[assignment]


@ops.batch_space.register(Line)
def _(space: Line, n: int = 1) -> Line:
    return Line((n, *(space.shape or ())))


@ops.iterate.register(Line)
def _(space: Line, items: Any) -> Any:
    return iter(items)


@ops.create_empty_array.register(Line)
def _(space: Line, n: int = 1, fn: Any = np.zeros) -> Any:
    return fn((n, *(space.shape or ())), dtype=space.dtype)


class Walk(Env[Any, Any]):
    """An environment whose observation is the seed, the number of steps and the sum of the actions.

    Each episode has four steps.
    """

    observation_space: Any = Line()
    action_space: Any = Line()

    def __init__(self, fails: bool = False) -> None:
        self.fails, self.seed_given, self.steps = fails, -1.0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.seed_given, self.steps = -1.0 if seed is None else seed, 0
        return np.array([self.seed_given, 0.0, 0.0]), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        if self.fails and self.steps == 2:
            raise LookupError("no way")
        observation = np.array([self.seed_given, self.steps, np.sum(action)])
        return observation, float(self.steps), self.steps == 4, False, {"steps": self.steps}


class LocalWorker(PoolWorker):
    """A worker that runs in the same process."""

    def __init__(self, share: Share) -> None:
        super().__init__(share)
        self.answer: SideMessage | None = None
        self.dies = False
        self.build()

    def build(self) -> None:
        self.shard = EnvShard(self._share.first, self._share.env_fns, self._share.settings)
        assert self.shard.build() == []

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, arrays: ShardArrays) -> None:
        self.attached = plan, action_plan.tree, arrays
        self.shard.attach(*self.attached)

    def env_at_work(self) -> int:
        return self.indices.start

    def exit_code(self) -> int:
        return 3

    def request(self, what: str, *arguments: Any) -> None:
        self.answer = getattr(self.shard, what)(*arguments)

    def end(self) -> None:
        self.dies = True


class LocalPool(ShardPool):
    """A pool of workers that run in the same process.

    If a worker's attribute `dies` is true, the next wait reports its death. The worker `slow` never responds.
    """

    def __init__(self, makers: list[Any], settings: ShardSettings) -> None:
        super().__init__([LocalWorker(share) for share in self.shares(makers, 2, settings)], len(makers), settings)
        self.spaces = [(Walk.observation_space, Walk.action_space)] * self.num_envs
        self.metadata, self.render_mode = {"render_fps": 5}, None
        self.slow: LocalWorker | None = None
        self.stopped = False

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, ring: int) -> Any:
        arrays: dict[str, Any] = {"rewards": np.zeros(self.num_envs), "actions": []}
        arrays["terminations"], arrays["truncations"] = np.zeros((2, self.num_envs), np.bool_)
        buffers = [plan.arrays(self.num_envs) for _ in range(ring)]
        for worker in self.workers:
            rows = slice(worker.indices.start, worker.indices.stop)
            mine = [[leaf[rows] for leaf in buffer] for buffer in buffers]
            worker.attach(plan, action_plan, ShardArrays.of(arrays, mine, rows, shared=True))
        return arrays, buffers

    def submit_step(self, actions: Any, buffer: int) -> None:
        self._waiting = self.workers
        for worker in self.workers:
            worker.request("step", actions[worker.indices.start : worker.indices.stop], buffer)

    def wait(self, deadline: float | None) -> Any:
        dead = [worker for worker in self._waiting if worker.dies]
        late = [worker for worker in self._waiting if worker is self.slow]
        answered = [worker for worker in self._waiting if worker not in dead and worker not in late]
        return [worker.answer for worker in answered if worker.answer is not None], late, dead

    def wait_for(self, worker: Any, deadline: float | None) -> Any:
        return [] if worker.answer is None else [worker.answer], [], []

    def start_again(self, worker: Any, deadline: float | None) -> None:
        worker.build()
        worker.shard.attach(*worker.attached)
        worker.dies = False

    def stop(self, *, timeout: float | None, terminate: bool) -> Any:
        self.stopped = True
        return [failure for worker in self.workers for failure in worker.shard.close()]


class LocalVectorEnv(ShardedVectorEnv[Any, Any, Any]):
    """A minimal backend, which consists of a pool and a constructor."""

    def __init__(
        self, makers: list[Any], mode: AutoresetMode = AutoresetMode.NEXT_STEP, on_error: str = "raise"
    ) -> None:
        self.num_envs, self.copy, self.timeout, self._restart = len(makers), True, None, on_error == "restart"
        settings = ShardSettings(mode.value, self._restart, 3, check_observations=True, oversubscribed=False)
        pool: Any = LocalPool(makers, settings)
        self.pool: LocalPool = pool
        self._pool = pool
        self.observation_mode, self.autoreset_mode = "same", mode
        self._attach_pool(ring=2)
        self.closed = False


ONES = np.ones((4, 3))


def test_pool_and_constructor_form_a_backend() -> None:
    envs = LocalVectorEnv([Walk] * 4)

    observations, infos = envs.reset(seed=5)
    assert observations.tolist() == [[5, 0, 0], [6, 0, 0], [7, 0, 0], [8, 0, 0]]
    assert infos == {}
    observations, rewards, terminations, truncations, infos = envs.step(ONES)
    assert observations[3].tolist() == [8, 1, 3]
    assert rewards.tolist() == [1, 1, 1, 1]
    assert not (terminations | truncations).any()
    assert infos["steps"].tolist() == [1] * 4
    assert envs.metadata == {"render_fps": 5, "autoreset_mode": AutoresetMode.NEXT_STEP}
    envs.close()
    assert envs.pool.stopped
    with pytest.raises(error.ClosedEnvironmentError):
        envs.step(ONES)


def test_episodes_continue_in_each_mode() -> None:
    for mode, after in ((AutoresetMode.NEXT_STEP, 4), (AutoresetMode.SAME_STEP, 0)):
        envs = LocalVectorEnv([Walk] * 4, mode)
        envs.reset()
        for _ in range(4):
            observations, _, terminations, _, infos = envs.step(ONES)
        assert terminations.all()
        assert observations[:, 1].tolist() == [after] * 4
        assert ("final_obs" in infos) is (mode is AutoresetMode.SAME_STEP)

    envs = LocalVectorEnv([Walk] * 4, AutoresetMode.DISABLED)
    envs.reset()
    for _ in range(4):
        envs.step(ONES)
    with pytest.raises(error.ResetNeeded, match="environments 0 to 3 are done"):
        envs.step(ONES)
    envs.reset(options={"reset_mask": np.array([True, True, True, True])})
    assert envs.step(ONES)[1].tolist() == [1] * 4


def test_environment_exceptions_are_combined_with_their_type() -> None:
    envs = LocalVectorEnv([Walk, lambda: Walk(fails=True), Walk, lambda: Walk(fails=True)])
    envs.reset()
    envs.step(ONES)

    with pytest.raises(LookupError, match="environments 1, 3 failed in step") as caught:
        envs.step(ONES)
    assert isinstance(caught.value, WorkerError)
    assert caught.value.indices == [1, 3]
    with pytest.raises(error.ResetNeeded, match="environments 1, 3 were never reset, or failed since"):
        envs.step(ONES)


def test_failing_environments_are_recreated() -> None:
    envs = LocalVectorEnv([Walk, lambda: Walk(fails=True), Walk, Walk], on_error="restart")
    envs.reset(seed=0)
    envs.step(ONES)

    observations, _, terminations, truncations, infos = envs.step(ONES)
    assert truncations.tolist() == [False, True, False, False]
    assert not terminations.any()
    assert infos["_env_restarted"].tolist() == [False, True, False, False]
    assert observations[1].tolist() == [1, 1, 3]  # this is the last observation before the worker died
    assert envs.step(ONES)[0][:, 1].tolist() == [3, 0, 3, 3]


def test_exited_worker_raises_or_restarts() -> None:
    envs = LocalVectorEnv([Walk] * 4)
    envs.reset()
    envs.pool.workers[1].dies = True
    with pytest.raises(WorkerError, match="environments 2, 3, ended with exit code 3 during step"):
        envs.step(ONES)

    envs = LocalVectorEnv([Walk] * 4, on_error="restart")
    envs.reset(seed=0)
    envs.pool.workers[1].dies = True
    _, _, _, truncations, infos = envs.step(ONES)
    assert truncations.tolist() == [False, False, True, True]
    assert infos["env_restarted"].tolist() == [False, False, True, True]
    assert envs.step(ONES)[0][:, 1].tolist() == [2, 2, 0, 0]


def test_late_worker_raises_timeout() -> None:
    envs = LocalVectorEnv([Walk] * 4)
    envs.reset()
    envs.pool.slow = envs.pool.workers[0]
    with pytest.raises(WorkerTimeoutError, match="did not end for environments 0, 1") as caught:
        envs.step(ONES)
    assert caught.value.indices == [0, 1]


def test_calls_and_attributes_return_a_result_per_environment() -> None:
    envs = LocalVectorEnv([Walk] * 4)
    envs.reset(seed=3)

    envs.set_attr("steps", [0, 1, 2, 3])
    assert envs.get_attr("steps") == (0, 1, 2, 3)
    assert envs.call_masked(np.array([True, False, False, True]), "get_wrapper_attr", "steps") == (0, None, None, 3)
    envs.call_async("get_wrapper_attr", "steps")
    with pytest.raises(error.AlreadyPendingCallError, match="results of call_async are pending"):
        envs.step(ONES)
    assert envs.call_wait() == (0, 1, 2, 3)
    with pytest.raises(ValueError, match="one value for each of the 4 environments, got 2"):
        envs.set_attr("steps", [0, 1])


def test_backend_without_partial_steps_raises() -> None:
    envs = LocalVectorEnv([Walk] * 4)
    envs.reset()
    with pytest.raises(NotImplementedError, match="LocalVectorEnv can only step all environments together"):
        envs.send(ONES)
    with pytest.raises(ValueError, match=r"the mask to be a NumPy array of dtype bool and shape \(4,\)"):
        envs.step_masked(ONES, np.array([True]))


def test_reset_is_repeated_after_a_worker_exit() -> None:
    envs = LocalVectorEnv([Walk] * 4, on_error="restart")
    envs.reset(seed=0)
    envs.pool.workers[1].dies = True
    observations, infos = envs.reset(seed=[5, 6, 7, 8], options={"reset_mask": np.array([True, False, False, True])})
    assert observations[:, 0].tolist() == [5, 1, 2, 8]
    assert infos["_env_restarted"].tolist() == [False, False, False, True]


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_episode_lost_in_another_reset_is_reported_by_the_next_step(mode: AutoresetMode) -> None:
    envs = LocalVectorEnv([Walk] * 4, mode, on_error="restart")
    envs.reset(seed=0)
    last = envs.step(ONES)[0]
    envs.pool.workers[1].dies = True
    envs.reset(options={"reset_mask": np.array([False, False, False, True])})

    observations, rewards, _, truncations, infos = envs.step(ONES)
    assert truncations.tolist() == infos["env_restarted"].tolist() == [False, False, True, False]
    assert rewards.tolist() == [2, 2, 0, 1]
    shown = infos["final_obs"][2] if mode is AutoresetMode.SAME_STEP else observations[2]
    assert shown.tolist() == last[2].tolist()
    if mode is AutoresetMode.DISABLED:
        envs.reset(options={"reset_mask": truncations})
    begun = {AutoresetMode.NEXT_STEP: 0}.get(mode, 1)
    observations, *_, truncations, infos = envs.step(ONES)
    assert observations[:, 1].tolist() == [3, 3, begun, 2]
    assert not truncations.any()


def test_lost_episode_is_reported_by_its_own_reset() -> None:
    envs = LocalVectorEnv([Walk] * 4, on_error="restart")
    envs.reset(seed=0)
    envs.pool.workers[1].dies = True
    envs.reset(options={"reset_mask": np.array([False, False, False, True])})
    _, infos = envs.reset(options={"reset_mask": np.array([False, False, True, False])})
    assert infos["env_restarted"].tolist() == [False, False, True, False]
    assert not envs.step(ONES)[3].any()


def test_worker_restarts_are_limited_like_recreations() -> None:
    envs = LocalVectorEnv([Walk] * 4, on_error="restart")
    envs.reset()
    for _ in range(3):
        envs.pool.workers[1].dies = True
        assert envs.step(ONES)[3].tolist() == [False, False, True, True]
        envs.reset()
    envs.pool.workers[1].dies = True
    with pytest.raises(WorkerError, match="environments 2, 3, ended with exit code 3") as caught:
        envs.step(ONES)
    assert caught.value.__notes__ == ["It was restarted 3 times, which is the limit (max_restarts)."]


def test_pool_has_the_spaces_of_every_environment() -> None:
    class Teller:
        """A worker that looks up spaces by position if they cannot be pickled."""

        def __init__(self, number: int) -> None:
            self.number, self.asked = number, 0

        def spaces(self, position: int, data: bytes, *, by_name: bool) -> Any:
            self.asked += 1
            return (data, by_name) if data else (self.number, position)

    workers = [Teller(0), Teller(1)]
    settings = ShardSettings(
        "NextStep", restart=False, max_restarts=None, check_observations=True, oversubscribed=False
    )
    pool = ShardPool(workers, 7, settings)
    metadata = pickle.dumps(({"render_fps": 5}, "ansi"))
    kinds = [(True, b"common"), (False, b""), (False, b"")]
    pool.describe([(workers[0], (kinds, [0, 1, 0, 2], metadata)), (workers[1], (kinds[:2], [1, 1, 0], b""))])
    common = (b"common", True)
    assert pool.spaces == [common, (0, 1), common, (0, 3), (1, 0), (1, 0), common]
    assert (pool.metadata, pool.render_mode) == ({"render_fps": 5}, "ansi")
    assert [worker.asked for worker in workers] == [3, 1]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_shards_have_balanced_sizes(n: int) -> None:
    shares = ShardPool.shares(list("abcdefg"), n, None)  # type: ignore[arg-type]
    assert [share.number for share in shares] == list(range(n))
    assert [share.first + k for share in shares for k in range(len(share.env_fns))] == list(range(7))
    assert {len(share.env_fns) for share in shares} <= {7 // n, 7 // n + 1}
