"""Tests of `PassiveEnvChecker`, in particular its warnings and errors, and the end of the checks."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import gymkernel as gym
from gymkernel import Env, Wrapper
from gymkernel.envs.registration import EnvSpec
from gymkernel.spaces import Space
from gymkernel.wrappers import PassiveEnvChecker
from gymkernel_wrapper_passive_env_checker import inspection


class Arrays(Space[Any]):
    """A space of arrays with two numbers less than ten."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.np_random.random(2)

    def contains(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.shape == (2,) and bool((x < 10).all())

    def __repr__(self) -> str:
        return "Arrays()"


class Anything(Space[Any]):
    """A space that contains all objects."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return 0

    def contains(self, x: Any) -> bool:
        return True


class Sound(Env[Any, Any]):
    """An environment that implements the API correctly."""

    metadata = {"render_modes": ["rgb_array", "human", "ansi"]}  # noqa: RUF012 - as in `Env`

    def __init__(self, render_mode: str | None = None) -> None:
        self.observation_space: Any = Arrays()
        self.action_space: Any = Anything()
        self.render_mode = render_mode
        self.calls: list[Any] = []

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.calls.append(("reset", seed, options))
        return np.zeros(2), {}

    def step(self, action: Any) -> Any:
        self.calls.append(("step", action))
        return np.ones(2), 1.0, False, False, {}

    def render(self) -> Any:
        return np.zeros((4, 5, 3), np.uint8) if self.render_mode == "rgb_array" else None


class Odd(Sound):
    """An environment that returns the given results."""

    def __init__(self, reset: Any = None, step: Any = None, frame: Any = None, mode: str | None = None) -> None:
        super().__init__(mode)
        self.observation_space = Anything()
        self.returns = {"reset": reset, "step": step, "frame": frame}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return super().reset() if self.returns["reset"] is None else self.returns["reset"]

    def step(self, action: Any) -> Any:
        return super().step(action) if self.returns["step"] is None else self.returns["step"]

    def render(self) -> Any:
        return self.returns["frame"]


def reset_and_step(env: Any, times: int = 5) -> Any:
    """Reset and step an environment. pytest turns an unexpected warning into an error."""
    for _ in range(times):
        env.reset()
        env.step(0)
    return env


class TestNoFalseAlarms:
    def test_sound_environment_has_no_findings(self) -> None:
        reset_and_step(PassiveEnvChecker(Sound()))

    @pytest.mark.parametrize(
        "reward",
        [0, -1.5, True, np.float32(2), np.int8(2), np.array(2.0), 10**30],
        ids=lambda r: type(r).__name__ + str(r),
    )
    def test_every_number_type_is_a_valid_reward(self, reward: Any) -> None:
        reset_and_step(PassiveEnvChecker(Odd(step=(0, reward, False, False, {}))))

    def test_numpy_booleans_are_valid_flags(self) -> None:
        reset_and_step(PassiveEnvChecker(Odd(step=(0, 0, np.False_, np.True_, {}))))

    @pytest.mark.parametrize("observation", [0, "word", None, (1, 2), {"a": 1}], ids=repr)
    def test_immutable_values_can_be_returned_again(self, observation: Any) -> None:
        reset_and_step(PassiveEnvChecker(Odd((observation, {}), (observation, 0, False, False, {}))))

    def test_read_only_array_can_be_returned_again(self) -> None:
        frozen = np.zeros(2)
        frozen.setflags(write=False)

        reset_and_step(PassiveEnvChecker(Odd((frozen, {}), (frozen, 0, False, False, {}))))

    def test_columns_of_one_array_do_not_overlap(self) -> None:
        table = np.zeros((3, 2))

        reset_and_step(PassiveEnvChecker(Odd((table[:, 0], {}), (table[:, 1], 0, False, False, {}))), times=1)

    def test_reset_with_kwargs_is_accepted(self) -> None:
        class Loose(Sound):
            def reset(self, **arguments: Any) -> Any:
                return super().reset(**arguments)

        reset_and_step(PassiveEnvChecker(Loose()))

    @pytest.mark.parametrize("mode", ["rgb_array", "human", "ansi"])
    def test_promised_frame_is_accepted(self, mode: str) -> None:
        PassiveEnvChecker(Sound(mode)).render()

    def test_wrapped_environment_is_checked_like_a_plain_one(self) -> None:
        reset_and_step(PassiveEnvChecker(Wrapper(Sound())))


class TestConstruction:
    @pytest.mark.parametrize("name", ["observation_space", "action_space"])
    def test_missing_space_is_rejected(self, name: str) -> None:
        env = Sound()
        delattr(env, name)

        with pytest.raises(
            AttributeError, match=rf"Sound has no {name}; set self.{name} to a space in its constructor"
        ):
            PassiveEnvChecker(env)

    @pytest.mark.parametrize(
        "space, seen", [(3, r"got 3 \(int\)"), (Arrays, r"got <class .*Arrays'> \(type\)")], ids=str
    )
    def test_non_space_is_rejected(self, space: Any, seen: str) -> None:
        env = Sound()
        env.action_space = space

        with pytest.raises(TypeError, match=f"action_space of Sound must be a space, {seen}"):
            PassiveEnvChecker(env)

    def test_non_environment_is_rejected(self) -> None:
        with pytest.raises(TypeError, match="PassiveEnvChecker expects an environment"):
            PassiveEnvChecker(object())  # type: ignore[arg-type]


class TestReset:
    @pytest.mark.parametrize("missing", ["seed", "options"])
    def test_reset_must_accept_seed_and_options(self, missing: str) -> None:
        class Narrow(Sound):
            pass

        signatures: dict[str, Any] = {"seed": lambda self, *, options=None: 0, "options": lambda self, *, seed=None: 0}
        Narrow.reset = signatures[missing]  # type: ignore[method-assign]

        with pytest.raises(TypeError, match=f"reset of Narrow takes no {missing}; define reset"):
            PassiveEnvChecker(Narrow()).reset()

    @pytest.mark.parametrize(
        "result, seen",
        [
            (np.zeros(2), r"an array of float64 \(2,\)"),
            (0, "a int"),
            ([0, {}], "a list"),
            ((0, {}, {}), "3 values"),
            ((0,), "1 values"),
        ],
        ids=repr,
    )
    def test_reset_must_return_a_pair(self, result: Any, seen: str) -> None:
        with pytest.raises(TypeError, match=rf"reset of Odd must return \(observation, info\), got {seen}"):
            PassiveEnvChecker(Odd(result)).reset()

    def test_info_must_be_a_dictionary(self) -> None:
        with pytest.raises(TypeError, match=r"the info that reset of Odd returns must be a dict, got \[\] \(list\)"):
            PassiveEnvChecker(Odd((0, []))).reset()

    def test_observation_outside_the_space_is_reported_with_a_reason(self) -> None:
        env = Odd((np.full(2, 11.0), {}))
        env.observation_space = Arrays()

        with pytest.warns(
            UserWarning, match=r"that reset of Odd returns is not in its observation_space: .* Arrays\(\)"
        ):
            PassiveEnvChecker(env).reset()

    def test_arguments_and_result_pass_unchanged(self) -> None:
        env = Sound()

        observation, info = PassiveEnvChecker(env).reset(seed=3, options={"a": 1})

        assert (observation.tolist(), info) == ([0, 0], {})
        assert env.calls == [("reset", 3, {"a": 1})]


class TestStep:
    def check(self, *result: Any) -> None:
        PassiveEnvChecker(Odd(step=result)).step(0)

    @pytest.mark.parametrize(
        "result, seen",
        [
            ((0, 0, False, {}), r"4 values: these are the four values of Gym's API from before version 0.26"),
            ((0, 0), "2 values"),
            ([0, 0, False, False, {}], "a list"),
            (0, "a int"),
        ],
        ids=repr,
    )
    def test_step_must_return_five_values(self, result: Any, seen: str) -> None:
        with pytest.raises(TypeError, match=rf"step of Odd must return \(observation, reward, .*\), got {seen}"):
            PassiveEnvChecker(Odd(step=result)).step(0)

    def test_info_must_be_a_dictionary(self) -> None:
        with pytest.raises(TypeError, match=r"the info that step of Odd returns must be a dict, got None"):
            self.check(0, 0, False, False, None)

    @pytest.mark.parametrize("reward", ["1", None, np.zeros(1), [1], 1j, np.array("1")], ids=repr)
    def test_non_numeric_reward_is_reported(self, reward: Any) -> None:
        with pytest.warns(UserWarning, match=r"the reward of Odd should be a number, got .*"):
            self.check(0, reward, False, False, {})

    @pytest.mark.parametrize("reward", [np.nan, -np.inf, np.float32("inf"), np.array(np.nan)], ids=repr)
    def test_non_finite_reward_is_reported(self, reward: Any) -> None:
        with pytest.warns(UserWarning, match="the reward of Odd is .*; a single such value makes training fail"):
            self.check(0, reward, False, False, {})

    @pytest.mark.parametrize("flag", [0, 1, None, "False", np.zeros(1, bool)], ids=repr)
    @pytest.mark.parametrize("name", ["terminated", "truncated"])
    def test_non_boolean_flag_is_reported(self, name: str, flag: Any) -> None:
        flags = (flag, False) if name == "terminated" else (False, flag)

        with pytest.warns(UserWarning, match=f"{name} of Odd should be a bool, got .*"):
            self.check(0, 0, *flags, {})

    def test_observation_outside_the_space_is_reported(self) -> None:
        env = Odd(step=("word", 0, False, False, {}))
        env.observation_space = Arrays()

        with pytest.warns(
            UserWarning, match=r"that step of Odd returns is not in its observation_space: 'word' \(str\)"
        ):
            PassiveEnvChecker(env).step(0)

    @pytest.mark.parametrize(
        "nest", [lambda x: x, lambda x: (1, x), lambda x: {"a": {"b": x}}], ids=["array", "tuple", "dict"]
    )
    @pytest.mark.parametrize("second", [slice(None), slice(0, 2), slice(1, 3)], ids=["same", "equal view", "window"])
    def test_overwritten_memory_is_reported(self, nest: Any, second: slice) -> None:
        array = np.zeros(3)
        env = PassiveEnvChecker(Odd((nest(array[:2]), {}), (nest(array[second]), 0, False, False, {})))
        env.reset()
        array[1] = 7.0

        with pytest.warns(
            UserWarning, match="step of Odd returns the memory of an earlier observation again, .* return a copy"
        ):
            env.step(0)

    def test_reused_info_is_reported(self) -> None:
        info: dict[str, Any] = {}
        env = PassiveEnvChecker(Odd((0, info), (0, 0, False, False, info)))
        env.reset()

        with pytest.warns(UserWarning, match="step of Odd returns the dictionary of an earlier info again, .* return"):
            env.step(0)

    def test_reused_memory_is_reported(self) -> None:
        array = np.zeros(2)
        env = PassiveEnvChecker(Odd((array, {}), (array[:], 0, False, False, {})))
        env.reset()

        with pytest.warns(UserWarning, match="returns the memory of an earlier observation again"):
            env.step(0)

    @pytest.mark.parametrize(
        "first, second",
        [
            (slice(0, 4), slice(1, 5)),
            (slice(0, 4), slice(0, 5)),
            (slice(0, 8, 2), slice(1, 8, 2)),
            (slice(0, 8, 2), slice(2, 8, 2)),
            (slice(4, None, -1), slice(0, 5)),
        ],
        ids=["window", "longer", "interleaved", "strided", "reversed"],
    )
    @pytest.mark.parametrize(
        "nest", [lambda x: x, lambda x: (1, x), lambda x: {"a": {"b": x}}], ids=["array", "tuple", "dict"]
    )
    def test_distinct_observations_in_one_buffer_are_accepted(self, nest: Any, first: slice, second: slice) -> None:
        buffer = np.full(8, np.nan)
        buffer[:5] = range(5)
        env = PassiveEnvChecker(Odd((nest(buffer[first]), {}), (nest(buffer[second]), 0, False, False, {})))

        env.reset()
        env.step(0)  # pytest turns warnings into errors


class TestRender:
    @pytest.mark.parametrize(
        "frame",
        [None, np.zeros((4, 5, 3)), np.zeros((4, 5), np.uint8), np.zeros((4, 5, 4), np.uint8), "text"],
        ids=repr,
    )
    def test_rgb_frame_must_be_a_uint8_array(self, frame: Any) -> None:
        with pytest.warns(UserWarning, match=r"render of Odd should return a uint8 array \(height, width, 3\), got"):
            PassiveEnvChecker(Odd(frame=frame, mode="rgb_array")).render()

    def test_human_mode_must_return_none(self) -> None:
        with pytest.warns(UserWarning, match="render of Odd in render mode 'human' should return None, got a str"):
            PassiveEnvChecker(Odd(frame="text", mode="human")).render()

    def test_render_mode_missing_from_metadata_is_reported(self) -> None:
        with pytest.warns(UserWarning, match=r"Odd renders 'depth', which is not in its metadata: \['rgb_array'"):
            PassiveEnvChecker(Odd(frame=1, mode="depth")).render()

    def test_only_the_first_frame_is_checked(self) -> None:
        env = PassiveEnvChecker(Odd(frame="text", mode="human"))
        with pytest.warns(UserWarning, match="in render mode .human."):
            env.render()

        assert env.render() == "text"


class TestSteppingAside:
    def test_methods_are_replaced_after_checking(self) -> None:
        inside = Sound()

        env = reset_and_step(PassiveEnvChecker(inside))

        assert env.step == inside.step
        assert env.reset == inside.reset

    def test_three_calls_of_each_method_are_checked(self) -> None:
        inside = Odd()
        env = PassiveEnvChecker(inside)
        for _ in range(3):
            inside.returns["step"] = (0, np.nan, False, False, {})
            with pytest.warns(UserWarning, match="the reward of Odd is nan"):
                env.step(0)

        env.step(0)

    def test_methods_are_replaced_independently(self) -> None:
        inside = Sound()
        env: Any = PassiveEnvChecker(inside)
        env.reset()

        for _ in range(5):
            env.step(0)

        assert env.step == inside.step
        assert env.reset != inside.reset

    def test_overridden_methods_are_kept(self) -> None:
        class Loud(PassiveEnvChecker[Any, Any]):
            def step(self, action: Any) -> Any:
                observation, reward, *rest = super().step(action)
                return observation, float(reward) + 1, *rest

        inside = Sound()
        env: Any = reset_and_step(Loud(inside))

        assert env.step(0)[1] == 2
        assert env.reset == inside.reset

    def test_earlier_bound_methods_are_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        looked: list[str] = []
        for name in ("check_step", "check_reset"):
            monkeypatch.setattr(inspection, name, lambda *_, name=name: looked.append(name))
        env: Any = PassiveEnvChecker(Sound())
        step, reset = env.step, env.reset

        results = [(reset(seed=1), step(0)) for _ in range(5)]

        assert looked == ["check_reset", "check_step"] * 3
        assert repr(results[-1]) == repr(results[0])
        assert len(env.env.calls) == 10

    @pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
    @pytest.mark.parametrize("times", [0, 1, 5])
    def test_copy_has_its_own_environment(self, duplicate: Any, times: int) -> None:
        env = reset_and_step(PassiveEnvChecker(Sound()), times)

        twin = duplicate(env)
        twin.reset()
        twin.step("here")

        assert twin.env.calls[-1] == ("step", "here")
        assert ("step", "here") not in env.env.calls

    def test_outer_wrapper_gets_the_same_results(self) -> None:
        env = reset_and_step(Wrapper(PassiveEnvChecker(Sound())))

        assert env.step(3)[1] == 1.0
        assert env.unwrapped.calls[-1] == ("step", 3)


class TestSpec:
    def env(self) -> PassiveEnvChecker[Any, Any]:
        env = Sound()
        env.spec = EnvSpec("Sound-v1", Sound, order_enforce=False, disable_env_checker=True)
        return PassiveEnvChecker(env)

    def test_checker_is_a_field_of_the_spec(self) -> None:
        env = self.env()

        assert env.spec is not None
        assert env.spec.disable_env_checker is False
        assert env.spec.additional_wrappers == ()
        assert env.env.spec.disable_env_checker is True  # type: ignore[union-attr]

    def test_spec_recreates_the_wrapper(self) -> None:
        spec = self.env().spec

        again = gym.make(spec)  # type: ignore[arg-type]

        assert isinstance(again, PassiveEnvChecker)
        assert again.spec == spec

    def test_arguments_are_recorded(self) -> None:
        assert self.env()._saved_kwargs == {}
