"""The function `check_environments_match`, which checks that two environments behave the same."""

from __future__ import annotations

from typing import Any, Final, Literal

from gymkernel_util_spaces.compare import difference, snapshot

__all__ = ["check_environments_match"]

InfoComparison = Literal["equivalence", "superset", "keys-equivalence", "keys-superset", "skip"]
COMPARISONS: Final = ("equivalence", "superset", "keys-equivalence", "keys-superset", "skip")


def check_environments_match(
    env_a: Any,
    env_b: Any,
    num_steps: int,
    seed: int = 0,
    skip_obs: bool = False,
    skip_rew: bool = False,
    skip_terminal: bool = False,
    skip_truncated: bool = False,
    skip_render: bool = False,
    info_comparison: InfoComparison = "equivalence",
) -> None:
    """Step two environments with the same seed and the same actions, and compare their results.

    Use this function to check whether a port, a rewrite or a bridged environment behaves like the original. When an
    episode ends in either environment, both environments are reset.

    Args:
        env_a: the first environment. The actions are sampled from its action space.
        env_b: the second environment.
        num_steps: the number of steps to compare. If 0, only the results of the reset are compared.
        seed: the seed for the first reset of both environments and for sampling the actions.
        skip_obs: whether to skip the observations and the observation spaces.
        skip_rew: whether to skip the rewards.
        skip_terminal: whether to skip `terminated`.
        skip_truncated: whether to skip `truncated`.
        skip_render: whether to skip the rendered frames. They are compared only if both environments have a render mode
            other than "human".
        info_comparison: how to compare the infos. "equivalence" requires equal infos. "superset" requires the second
            info to contain everything that the first info contains. "keys-equivalence" and "keys-superset" compare only
            the keys. "skip" does not compare the infos.

    Raises:
        AssertionError: if the environments differ. The message contains the step and the difference.
        ValueError: if `info_comparison` has an unknown value.

    >>> import gymkernel as gym
    >>> class Numbers(gym.Space):
    ...     def sample(self, mask=None, probability=None):
    ...         return int(self.np_random.integers(9))
    >>> class Countdown(gym.Env):
    ...     observation_space = action_space = Numbers()
    ...
    ...     def __init__(self, cost):
    ...         self.cost = cost
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         self.left = 4
    ...         return self.left, {}
    ...
    ...     def step(self, action):
    ...         self.left -= 1
    ...         return self.left, -self.cost * self.left, self.left == 0, False, {}
    >>> check_environments_match(Countdown(1), Countdown(1), num_steps=20)
    >>> check_environments_match(Countdown(1), Countdown(2), num_steps=20)
    Traceback (most recent call last):
    AssertionError: the rewards differ at step 1: it was -3, then -6
    """
    if info_comparison not in COMPARISONS:
        raise ValueError(f"Expected info_comparison to be one of {', '.join(COMPARISONS)}, got {info_comparison!r}")
    skipped = {"observation": skip_obs, "reward": skip_rew, "terminated": skip_terminal, "truncated": skip_truncated}
    _require_equal("action spaces", "", env_a.action_space, env_b.action_space)
    if not skip_obs:
        _require_equal("observation spaces", "", env_a.observation_space, env_b.observation_space)
    env_a.action_space.seed(seed)
    _reset(env_a, env_b, seed, skipped, info_comparison, "the reset")
    for step in range(1, num_steps + 1):
        when, action = f"step {step}", env_a.action_space.sample()
        (*a, info_a), (*b, info_b) = env_a.step(snapshot(action)), env_b.step(snapshot(action))
        for name, value_a, value_b in zip(skipped, a, b, strict=True):
            if not skipped[name]:
                _require_equal(
                    f"{name}s" if name in {"observation", "reward"} else f"values of {name}", when, value_a, value_b
                )
        _require_matching_infos(when, info_a, info_b, info_comparison)
        if not skip_render and all(env.render_mode not in {None, "human"} for env in (env_a, env_b)):
            _require_equal("frames", when, env_a.render(), env_b.render())
        if a[2] or a[3] or b[2] or b[3]:
            _reset(env_a, env_b, seed, skipped, info_comparison, f"the reset after {when}")


def _reset(env_a: Any, env_b: Any, seed: int, skipped: dict[str, bool], comparison: str, when: str) -> None:
    (obs_a, info_a), (obs_b, info_b) = (env.reset(seed=seed) for env in (env_a, env_b))
    if not skipped["observation"]:
        _require_equal("observations", when, obs_a, obs_b)
    _require_matching_infos(when, info_a, info_b, comparison)


def _require_equal(what: str, when: str, a: Any, b: Any) -> None:
    phrase = difference(a, b)
    if phrase is not None:
        raise AssertionError(f"the {what} differ{f' at {when}' if when else ''}: {phrase}")


def _require_matching_infos(when: str, a: dict[str, Any], b: dict[str, Any], comparison: str) -> None:
    if comparison == "equivalence":
        _require_equal("infos", when, a, b)
    elif comparison == "keys-equivalence":
        _require_equal("keys of the infos", when, sorted(a, key=str), sorted(b, key=str))
    elif comparison in {"superset", "keys-superset"}:
        if missing := [key for key in a if key not in b]:
            raise AssertionError(f"at {when}, the second environment's info lacks {', '.join(map(repr, missing))}")
        if comparison == "superset":
            _require_equal("infos", when, a, {key: b[key] for key in a})
